# SPDX-License-Identifier: MIT
"""compare.png: how near to the limit each lesson's best variant comes, modelled and measured
apart, below one sentence that says what the ladder gained."""

import re

from compare_rows import percent_of_ceiling, steps
from compare_text import fixed, here_name, sizes, stored_name, sum_step

HERE, STORED = "#0072b2", "#e69f00"  # told apart by colour-blind readers, and in grey


def bars(axes, places, values, colour, label, height):
    drawn = [(place, value) for place, value in zip(places, values) if value is not None]
    axes.barh([place for place, _ in drawn], [value for _, value in drawn], height=height,
              color=colour, label=label)
    for place, value in drawn:
        axes.text(value + 1, place, f"{fixed(value, 0)} %", va="center", fontsize=8)


def takeaway(rows, stored):
    """The sums' way from the first rung to the best one; measured where that is stored."""
    views = [(percent_of_ceiling, f"on the {stored_name(stored)}")] if stored else []
    views.append((lambda row: row["percent_of_peak"], here_name(rows)))
    for percent, where in views:
        found = sum_step(rows, lambda row, percent=percent: 1 / (percent(row) or 1e-9))
        if found and percent(found[0]) and percent(found[1]):
            first, best = found
            return (f"Sums, {where}: {share(percent(first))} of the limit with {first['variant']}, "
                    f"{share(percent(best))} with {best['variant']}")
    return "The best variant of each lesson"


def share(percent):
    return f"{percent:.2g} %" if percent < 10 else f"{percent:.0f} %"


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
    name = f"{here_name(rows)}, {rows[0]['device'].removeprefix('modelled ')}"
    bars(axes, [place + (0.2 if stored else 0) for place in places], here, HERE, name, height)
    axes.set_yticks(list(places), [f"{row['lesson'][:2]} {row['variant']}" for row in best])
    axes.invert_yaxis()
    axes.set_xlim(0, 108)
    axes.axvline(100, color="0.3", linewidth=0.8, linestyle="--")
    axes.set_xlabel("% of what the memory allows (dashed: the limit)")
    size = re.sub(r"\^(\d+)", r"$^{\1}$", sizes(rows[0]["n"]))
    figure.text(0.02, 0.985, takeaway(rows, stored), fontsize=11, fontweight="bold", va="top")
    figure.text(0.02, 0.985 - 0.28 / figure.get_figheight(),
                f"The best variant of each lesson, {size} elements", fontsize=9, va="top")
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, fontsize=8, frameon=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.45 / figure.get_figheight()))
    figure.savefig(path, dpi=144)
    pyplot.close(figure)
    return True
