"""How far `dropcurve tune` stays behind the best known design, on links drawn at random.

    python -m validation.regret --out docs/guide/tuning-regret.md --runs FOLDER

`links` draws the links, `reference` searches each exhaustively, `peers` gives the samplers of other optimisers the same
number of runs, `contest` compares all designs on held-out conditions, `page` writes the outcome.
"""
