"""Style of all figures: sizes, colours, type, and files with reproducible bytes.

Colours are those of Okabe and Ito (2008, "Color Universal Design"), which people with any common colour
vision can tell apart, ordered so that the first few also differ in grey. A variant keeps its colour,
marker and dash in all figures of a result, so a reader learns them once.

Figures are drawn at their printed width: 3.5 in fits a column, 7 in a page. Text is 7-8 pt at that width.
"""

from __future__ import annotations

import io
import math
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from ..errors import UsageError, require
from ..present.visible import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMN_IN = 3.5
PAGE_IN = 7.0
WIDTHS_IN: Mapping[str, float] = {"column": COLUMN_IN, "page": PAGE_IN}
#: Programs that can measure text for PGF, by preference: what they write suits each of them.
LATEX = ("xelatex", "lualatex", "pdflatex")

INK = "#1f2328"
MUTED = "#57606a"
RULE = "#afb8c1"
GRID = "#e4e8ec"
WASH = "#f1f3f5"
PAPER = "#ffffff"

#: Blue, vermilion, bluish green, reddish purple, orange, sky blue, and a grey.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6e7781")
#: The same, darker: words in them keep a contrast of 4.5 to the paper.
WORDS = ("#00629a", "#a84a00", "#00704f", "#9c4674", "#855c00", "#1668a0", "#57606a")
MARKERS = ("o", "s", "D", "^", "v", "P", "X")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (5, 1.5, 1.2, 1.5)))

#: Names under which an embedding page may recolour a figure, see `embeddable`.
CSS_NAMES: Mapping[str, str] = {
    INK: "ink",
    MUTED: "muted",
    RULE: "rule",
    GRID: "grid",
    WASH: "wash",
    PAPER: "paper",
    **{colour: f"series-{i + 1}" for i, colour in enumerate(PALETTE)},
    **{colour: f"words-{i + 1}" for i, colour in enumerate(WORDS) if colour != MUTED},
}

RC: Mapping[str, Any] = {
    "figure.dpi": 100,
    "savefig.dpi": 220,
    "figure.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "font.family": "DejaVu Sans",
    "font.size": 7.5,
    "text.color": INK,
    "axes.titlesize": 8,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 5,
    "axes.titlecolor": INK,
    "axes.labelsize": 7.5,
    "axes.labelcolor": INK,
    "axes.labelpad": 3,
    "axes.edgecolor": RULE,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "axes.formatter.use_mathtext": False,
    "axes.unicode_minus": True,
    "axes.xmargin": 0.0,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "xtick.labelcolor": MUTED,
    "ytick.labelcolor": MUTED,
    "xtick.color": RULE,
    "ytick.color": RULE,
    "xtick.major.size": 2.5,
    "ytick.major.size": 0,
    "xtick.minor.size": 0,
    "ytick.minor.size": 0,
    "xtick.major.width": 0.7,
    "lines.linewidth": 1.3,
    "lines.solid_capstyle": "round",
    "lines.markersize": 4,
    "legend.frameon": False,
    "legend.fontsize": 7,
    "legend.handlelength": 1.6,
    "path.simplify": True,
    "path.simplify_threshold": 0.2,
    "agg.path.chunksize": 0,
    "svg.hashsalt": "dropcurve",
    "svg.fonttype": "path",
}


@dataclass(frozen=True)
class VariantStyle:
    """How one variant is drawn, everywhere; `words` is its colour for text."""

    colour: str
    words: str
    marker: str
    dash: Any


def look(index: int) -> VariantStyle:
    """The look of the variant at `index`: colours first, then the same colours dashed."""
    cycle = index // len(PALETTE)
    return VariantStyle(
        colour=PALETTE[index % len(PALETTE)],
        words=WORDS[index % len(WORDS)],
        marker=MARKERS[(index + cycle) % len(MARKERS)],
        dash=DASHES[cycle % len(DASHES)],
    )


#: Settings of the style for papers: serif type, black, hair lines, fonts embedded in a PDF.
PAPER_RC: Mapping[str, Any] = {
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.titleweight": "normal",
    "axes.labelsize": 8,
    "text.color": "#000000",
    "axes.titlecolor": "#000000",
    "axes.labelcolor": "#000000",
    "xtick.labelcolor": "#000000",
    "ytick.labelcolor": "#000000",
    "axes.edgecolor": "#000000",
    "axes.linewidth": 0.5,
    "grid.linewidth": 0.4,
    "lines.linewidth": 1.0,
    "pdf.fonttype": 42,
    "pgf.rcfonts": False,
    "pgf.texsystem": "pdflatex",
    "savefig.dpi": 600,
}
#: Settings by the name of a style.
STYLES: Mapping[str, Mapping[str, Any]] = {"screen": {}, "paper": PAPER_RC}


@contextmanager
def styled(*, text_as_text: bool = False, style: str = "screen") -> Iterator[None]:
    """Draws and saves in the house style, independent of the user's own settings.

    Raises UsageError for a style that does not exist.
    """
    require("matplotlib")
    import matplotlib

    if style not in STYLES:
        raise UsageError("style", repr(style), f"must be one of {', '.join(STYLES)}", "choose one of these")
    settings: Any = {**RC, **STYLES[style]}
    if text_as_text:
        settings["svg.fonttype"] = "none"
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(settings)
        yield


def width_in(width: str | float) -> float:
    """A width in inches: of "page", "column", or the number itself.

    Raises UsageError for another name, or a number outside of 2 to 20.
    """
    if isinstance(width, str):
        if width not in WIDTHS_IN:
            raise UsageError(
                "width",
                repr(width),
                f"must be a number of inches or one of {', '.join(WIDTHS_IN)}",
                "choose one of these",
            )
        return WIDTHS_IN[width]
    if not 2.0 <= width <= 20.0:
        raise UsageError("width", width, "must lie between 2 and 20 inches", "choose a width such as 3.4")
    return float(width)


def new_figure(width_in: float, height_in: float) -> Figure:
    """A figure without any display behind it."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width_in, height_in), layout="constrained")
    FigureCanvasAgg(figure)
    engine: Any = figure.get_layout_engine()
    engine.set(w_pad=0.03, h_pad=0.03, wspace=0.03, hspace=0.05)
    return figure


def arrange(figure: Figure) -> None:
    """Computes the layout once and fixes it, since each file format would compute it again. Without any engine, even
    the one that does nothing, a file takes one drawing instead of two."""
    engine: Any = figure.get_layout_engine()
    engine.execute(figure)
    figure.set_layout_engine(None)


def to_bytes(figure: Figure, *, format: str) -> bytes:
    """The file of a figure. Same figure, same bytes: no date, no random identifiers."""
    no_date: Mapping[str, Mapping[str, Any]] = {
        "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
        "pdf": {"CreationDate": None, "Creator": "dropcurve", "Producer": None},
        "png": {"Software": None},
    }
    if format == "pgf":
        return _pgf(figure)
    if format not in no_date:
        raise UsageError(
            "format", repr(format), f"must be one of {', '.join(no_date)}, pgf", "choose one of these"
        )
    out = io.BytesIO()
    figure.savefig(out, format=format, metadata=dict(no_date[format]))
    return (
        visible(_rounded(out.getvalue()).decode(), lines=True).encode() if format == "svg" else out.getvalue()
    )


def _pgf(figure: Figure) -> bytes:
    """The figure as drawing commands of PGF, in the font of the document that takes them in. Underscores of names are
    escaped, so that the document needs no package for them."""
    from matplotlib import rc_context

    out = io.BytesIO()
    with rc_context({"pgf.texsystem": _latex(), "pgf.rcfonts": False}):
        figure.savefig(out, format="pgf")
    return re.sub(
        rb"(?m)^\\pgftext.*$", lambda match: re.sub(rb"(?<!\\)_", rb"\\_", match[0]), out.getvalue()
    )


def _latex() -> str:
    """The first LaTeX that is installed, which measures the text of PGF. Raises UsageError where there is none."""
    for engine in LATEX:
        if shutil.which(engine):
            return engine
    raise UsageError(
        "format", "'pgf'", f"needs {LATEX[0]}, which is not installed", "install TeX Live, or write .pdf"
    )


def _rounded(svg: bytes) -> bytes:
    """Rounds paths to hundredths of a point: a third smaller, and invisible."""

    def short(match: re.Match[bytes]) -> bytes:
        return re.sub(rb"(\d+\.\d\d)\d+", rb"\1", match.group(0))

    return re.sub(rb'\sd="[^"]*"', short, svg)


def embeddable(svg: bytes, *, prefix: str, label: str) -> str:
    """An SVG element to paste into a page: it scales, takes the page's colours, and has identifiers of its own.

    Colours of the style become `var(--name, colour)`, so the page's dark scheme applies to figures too. `label` is the
    text for screen readers; it is escaped here.
    """
    text = svg.decode("utf-8")
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.S)
    text = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', text)
    text = re.sub(r'xlink:href="#([^"]+)"', rf'href="#{prefix}-\1"', text)
    text = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", text)
    text = re.sub(r'\s(?:id="[\w-]*_\d+"|xmlns(?::xlink)?="[^"]*")', "", text)
    text = re.sub(r"<g>\s*</g>", "", text)
    for colour, name in CSS_NAMES.items():
        text = text.replace(colour, f"var(--{name}, {colour})")
    text = re.sub(r"font: ((?:\w+ )*)([\d.]+)px [^;\"]+", _font, text)
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', text)
    box = size.group(0) if size else ""
    open_tag = f'<svg role="img" aria-label="{escape(label)}" {box}>'
    return compact(re.sub(r"<svg[^>]*>", lambda _: open_tag, text, count=1).strip(), prefix)


def compact(svg: str, prefix: str) -> str:
    """The same figure in less than half the text: shared styles, short identifiers, no needless digits or spaces.

    Names of styles and identifiers start with ``prefix``, so that those of several figures on one page do not collide.
    """
    styles: dict[str, str] = {}
    used = dict.fromkeys(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
    short = {name: f"{prefix}-{number}" for number, name in enumerate(used)}

    def named(match: re.Match[str]) -> str:
        return f' class="{styles.setdefault(match.group(1), f"{prefix}-s{len(styles)}")}"'

    svg = re.sub(r'\sid="([^"]*)"', lambda at: f' id="{short[at[1]]}"' if at[1] in short else "", svg)
    svg = re.sub(r'(href="#|url\(#)([^")]+)', lambda at: at[1] + short[at[2]], svg)
    svg = re.sub(r'\stransform="rotate\(-?0 [^"]*\)"', "", svg)
    svg = re.sub(r'\s(?:x|y|transform)="[^"]*"', lambda at: re.sub(r"(\.\d\d)\d+", r"\1", at[0]), svg)
    svg = re.sub(r'\sstyle="([^"]*)"', named, svg)
    svg = re.sub(r">\s*\n\s*<", "><", svg)
    svg = re.sub(
        r'\sd="[^"]*"', lambda at: re.sub(r"\s*([A-Za-z])\s*", r"\1", at[0][4:-1]).join((' d="', '"')), svg
    )
    svg = re.sub(r"<g></g>", "", svg)
    rules = "".join(
        f".{name}{{{rule.replace(': ', ':').replace('; ', ';')}}}" for rule, name in styles.items()
    )
    return svg.replace(">", f"><style>{rules}</style>", 1)


def _font(match: re.Match[str]) -> str:
    weight = "font-weight: 700; " if "bold" in match.group(1) else ""
    return f"{weight}font-size: {match.group(2)}px"


def format_number(value: float, *, digits: int = 3) -> str:
    """Returns a number for a reader: with ``digits`` significant digits, without an exponent where possible."""
    if not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    magnitude = math.floor(math.log10(abs(value)))
    if magnitude >= 6 or magnitude < -5:
        return f"{value:.{digits - 1}e}".replace("-", "−")
    decimals = max(0, digits - 1 - magnitude)
    return f"{value:,.{decimals}f}".replace("-", "−").replace(",", "\u202f")


def nice_top(value: float) -> float:
    """The upper end of an axis that shows `value` with a little room."""
    return value * 1.12 if value > 0 and math.isfinite(value) else 1.0


def time_axis(ax: Axes) -> None:
    """Seconds of simulated time, at round places."""
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
    ax.set_xlabel("time (s)")
