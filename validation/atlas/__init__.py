"""The atlas of settled designs behind `dropcurve tune --instant`: its runs, its model and its page.

    python -m validation.atlas --runs FOLDER --stated 24000 --usual 12000

| module | does |
|---|---|
| `draw` | draws conditions, each with a design |
| `runs` | makes the missing runs, on threads or on a Dask cluster |
| `training` | fits the networks that the wheel holds (`dropcurve.tuning.atlas`) |
| `questions` | asks the networks about links outside the training set, and simulates the answers |
| `page` | writes `docs/atlas.md` |
"""
