# SPDX-License-Identifier: MIT
"""What all plots have in common: one size, one set of colours, labels at the ends of lines, and
each figure twice, for a light and for a dark page, without a background of its own.

A figure is drawn once, in the light colours. Its dark twin NAME-dark.svg is the same file with
every colour of LIGHT replaced by the one of DARK, so that the two cannot differ in anything else.
The bytes are the same each time: no date, fixed ids.

Colours are told apart by colour-blind readers (Okabe and Ito's hues, made darker or lighter for
enough contrast), and no figure needs them alone: lines carry their names, bars stand under theirs.
"""

from pathlib import Path

WIDTH = 7.0  # inches: a column of the book, where 9 points are read as 13 pixels

INK, DIM, FAINT = "#1d2329", "#5c6670", "#d3d9df"
BLUE, RED, GREEN, VIOLET, OCHRE, SKY = ("#0067a8", "#b8400f", "#00704f", "#9a3d70", "#8a5a00",
                                        "#2f7ea6")
# In this order: lines and bars that belong together.
HUES = (BLUE, OCHRE, GREEN, VIOLET, RED, SKY)
DARK = {INK: "#e3e8ec", DIM: "#a4adb6", FAINT: "#3d464f", BLUE: "#62b4f2", RED: "#ff9a70",
        GREEN: "#46cf9f", VIOLET: "#e39cc4", OCHRE: "#e9b64a", SKY: "#9ad3ee"}
CUB = RED
WITHOUT_MATPLOTLIB = "The figures need matplotlib. Debian/Ubuntu: apt install python3-matplotlib"


def pyplot_for_files():
    """matplotlib.pyplot, set up to draw the same file each time; None where it is missing."""
    try:
        import matplotlib
    except ImportError:
        return None
    matplotlib.use("Agg")
    matplotlib.rcdefaults()
    matplotlib.rcParams.update({
        "svg.hashsalt": "workbook", "font.size": 9, "font.family": "DejaVu Sans",
        "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": DIM, "axes.titlecolor": INK,
        "xtick.color": DIM, "ytick.color": DIM, "xtick.labelcolor": INK, "ytick.labelcolor": INK,
        "legend.labelcolor": INK, "axes.facecolor": "none", "figure.facecolor": "none",
        "savefig.facecolor": "none", "axes.linewidth": 0.8, "axes.spines.top": False,
        "axes.spines.right": False, "legend.frameon": False, "lines.linewidth": 1.6,
        "lines.markersize": 3, "axes.axisbelow": True, "grid.color": FAINT, "grid.linewidth": 0.6,
        "xtick.minor.visible": False, "ytick.minor.visible": False})
    from matplotlib import pyplot
    return pyplot


def start(pyplot, height=3.9, columns=1, **more):
    """A figure of the column's width and its axes."""
    return pyplot.subplots(1, columns, figsize=(WIDTH, height), **more)


def power(n):
    """2^22 with a raised 22; other numbers grouped."""
    return f"$2^{{{n.bit_length() - 1}}}$" if n and n & (n - 1) == 0 else f"{n:,}"


def powers_of_two(axes, least, most, step=2):
    """An axis of sizes: 2^k at every `step`."""
    axes.set_xscale("log", base=2)
    first, last = least.bit_length() - 1, most.bit_length() - 1
    marks = [1 << k for k in range(first, last + 1, step)]
    axes.set_xticks(marks, [power(mark) for mark in marks])
    axes.tick_params(axis="x", which="minor", bottom=False)


def spread(places, gap, low, high):
    """`places`, ascending, moved as little as possible so that neighbours are `gap` apart."""
    moved = list(places)
    for _ in range(200):
        settled = True
        for i in range(len(moved) - 1):
            lack = gap - (moved[i + 1] - moved[i])
            if lack > 1e-6:
                moved[i] -= lack / 2
                moved[i + 1] += lack / 2
                settled = False
        if moved and moved[0] < low:
            moved[0] = low
        if moved and moved[-1] > high:
            moved[-1] = high
        if settled:
            break
    return moved


def end_labels(figure, axes, labels, size=8):
    """Names at the right of lines: [(x, y, text, colour)], kept apart, beside the axes.

    To be called when limits and layout are final."""
    figure.canvas.draw()
    to_pixels, to_axes = axes.transData, axes.transAxes.inverted()
    right = axes.transAxes.transform((1, 0))[0]
    low, high = (axes.transAxes.transform((0, y))[1] for y in (0, 1))
    gap = size * 1.25 * figure.dpi / 72
    labels = sorted(labels, key=lambda one: to_pixels.transform((one[0], one[1]))[1])
    at = [to_pixels.transform((x, y))[1] for x, y, _, _ in labels]
    for (x, y, text, colour), place in zip(labels, spread(at, gap, low, high)):
        end = to_axes.transform((right + 14 * figure.dpi / 72, place))
        begin = to_pixels.transform((x, y))
        axes.annotate("", xy=to_axes.transform((right + 12 * figure.dpi / 72, place)),
                      xytext=to_axes.transform((begin[0] + 3, begin[1])), xycoords="axes fraction",
                      textcoords="axes fraction", annotation_clip=False,
                      arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.6,
                                  "shrinkA": 0,
                                  "shrinkB": 0})
        axes.text(*end, text, transform=axes.transAxes, color=colour, fontsize=size, va="center",
                  clip_on=False)


def limit_line(axes, value, text, x=0.01):
    """A dashed line across, with its name on it."""
    axes.axhline(value, color=DIM, linewidth=0.9, linestyle=(0, (4, 3)))
    axes.annotate(text, (x, value), xytext=(0, 3), xycoords=("axes fraction", "data"),
                  textcoords="offset points", fontsize=8, color=DIM)


def where_from(about, kind):
    """The line under a figure: device, toolkit, date, and what its times are."""
    known = ", ".join(about[key] for key in ("device", "toolkit", "date") if about.get(key))
    return f"{known}; {kind}" if known else kind


def settle(figure, right=1.0):
    """Room for the line under the figure, and for labels beside it."""
    figure.tight_layout(rect=(0, 0.045, right, 1))


def finish(pyplot, figure, note, path):
    """Writes PATH and its dark twin. Returns PATH."""
    figure.text(0.008, 0.012, note, fontsize=7, color=DIM)
    path = Path(path)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
    text = path.read_text(encoding="utf-8")
    for light, dark in DARK.items():
        text = text.replace(light, dark)
    path.with_name(path.stem + "-dark.svg").write_text(text, encoding="utf-8")
    return path
