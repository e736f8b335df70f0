"""Documents as data, and the renderers that make text of them: for a terminal, HTML and Markdown.

Nothing here depends on results: `dropcurve.results.document` makes the document of a result.
"""
