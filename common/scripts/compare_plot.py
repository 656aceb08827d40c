# SPDX-License-Identifier: MIT
"""compare.png: how near to the limit each lesson's best variant comes, modelled and measured
apart."""

from compare_rows import percent_of_ceiling, steps
from compare_text import fixed, here_name, sizes

HERE, STORED = "#0072b2", "#e69f00"  # told apart by colour-blind readers, and in grey


def bars(axes, places, values, colour, label, height):
    drawn = [(place, value) for place, value in zip(places, values) if value is not None]
    axes.barh([place for place, _ in drawn], [value for _, value in drawn], height=height,
              color=colour, label=label)
    for place, value in drawn:
        axes.text(value + 1, place, f"{fixed(value, 0)} %", va="center", fontsize=8)


def plot(path, rows, stored):
    """False where matplotlib is missing."""
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("Agg")
    from matplotlib import pyplot
    best = [pair[1] for pair in steps(rows)]
    figure, axes = pyplot.subplots(figsize=(7.5, 1.5 + 0.5 * len(best)))
    height = 0.38 if stored else 0.7
    places = range(len(best))
    here = [row["percent_of_peak"] for row in best]
    if stored:
        bars(axes, [place - 0.2 for place in places], [percent_of_ceiling(row) for row in best],
             STORED, f"measured, {stored.device}, {stored.date}", height)
        bars(axes, [place + 0.2 for place in places], here, HERE,
             f"{here_name(rows)}, {rows[0]['device']}", height)
    else:
        bars(axes, places, here, HERE, f"{here_name(rows)}, {rows[0]['device']}", height)
    axes.set_yticks(list(places), [f"{row['lesson'][:2]} {row['variant']}" for row in best])
    axes.invert_yaxis()
    axes.set_xlim(0, 108)
    axes.axvline(100, color="0.3", linewidth=0.8, linestyle="--")
    axes.set_xlabel("% of what the memory allows (dashed: the limit)")
    axes.set_title(f"The best variant of each lesson, {sizes(rows[0]['n'])} elements", fontsize=11,
                   loc="left")
    axes.legend(loc="lower right", fontsize=8, frameon=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, dpi=144)
    pyplot.close(figure)
    return True
