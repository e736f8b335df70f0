"""The atlas of settled designs behind `dropcurve tune --instant`: its runs, its model and its page.

    python -m validation.atlas --runs FOLDER --stated 24000 --usual 12000

`draw` draws conditions with a design each, `runs` makes the missing ones, on threads or on a Dask cluster, `training`
fits the networks that the wheel holds (`dropcurve.tuning.atlas`), `questions` asks them about links that no training
has seen and simulates the answers, `page` writes `docs/atlas.md`.
"""
