"""Prints the tables of docs/metrics.md: `python -m validation.pages.metric_tables`."""

import sys

from dropcurve.metrics import ordered

#: Heading of each part of the page.
HEADINGS = {
    "link": "Link and its queue",
    "flow": "Flows: all together, each class, or each flow",
    "class": "Between classes",
}


def page() -> str:
    """The generated part of the page: one table for each kind of place."""
    lines: list[str] = []
    for per, heading in HEADINGS.items():
        lines += [
            f"## {heading}",
            "",
            "| metric | unit | better | what it is | source |",
            "|---|---|---|---|---|",
        ]
        lines += [
            f"| `{metric.name}` | {metric.unit or 'pure'} | {metric.better} | {metric.doc} | {metric.source} |"
            for metric in ordered()
            if metric.per == per
        ]
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(page())
