"""Documents as data, and the renderers that make text of them: for a terminal, HTML and Markdown.

Nothing here knows what a result is: `dropcurve.results.document` says what a result's document holds.
"""

from .document import Document, Headline, MetricTable, TableCell, TableLine

__all__ = ["Document", "Headline", "MetricTable", "TableCell", "TableLine"]
