"""How far `dropcurve tune` stays behind the best known design, on links drawn at random.

    python -m validation.regret --out docs/guide/tuning-regret.md --runs FOLDER

`links` draws the links, `reference` searches each exhaustively, `peers` runs the samplers of other optimisers with the
same number of runs, `contest` compares all designs on held-out conditions, `page` writes the outcome.
"""
