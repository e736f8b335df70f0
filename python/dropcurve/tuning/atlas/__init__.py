"""The atlas behind `tune --instant`: a small model, learned from simulated designs, that answers without a run.

    answer = dropcurve.tuning.atlas.answer(dropcurve.tuning.ask(None, rate="50Mbit", ...))

`conditions` turns a question into numbers or refuses it, `features` and `outcomes` are what the networks (`network`)
learn, `model` loads them from ``data`` and checks them, `pick` compares designs by them, `answer` puts the pick into
words. The validation package makes and trains the atlas (``python -m validation.atlas``).
"""

from .answer import InstantAnswer, answer
from .model import Atlas, load

__all__ = ["Atlas", "InstantAnswer", "answer", "load"]
