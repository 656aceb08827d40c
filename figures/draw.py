# SPDX-License-Identifier: MIT
"""The figures, from the rows of one sweep (common/scripts/sweep.py) on one device.

draw_all() is used by `make compare SWEEP=1`, with the rows just made, and by
figures/plot_measured.py, with the rows stored in figures/data. A figure whose rows are missing is
not drawn. Device, toolkit, date and whether times are measured or modelled are printed under each;
figures/style.py has the looks.
"""

from pathlib import Path

import style

BLOCK = 256
LEAST_N, LEAST_PERCENT = 1 << 16, 3  # below, launches decide and the lines lie on each other

# The lessons whose own rungs have a figure, in the order of the book.
CHAPTERS = ("01", "02", "03", "04", "05")
DISTRIBUTIONS = (("uniform", ""), ("skewed", "_skewed"), ("equal", "_equal"))
WAYS = ("global", "block", "warp", "lanes", "vector", "cub")


class Rows:
    """The rows, with queries by lesson, variant and block."""

    def __init__(self, rows, ceilings=None):
        self.rows = [row for row in rows if row["correct"] and row["time_ms"]]
        self.ceilings = ceilings or {}
        self.kind = self.rows[0]["time_kind"] if self.rows else "measured"

    def of(self, lesson, variant=None, block=BLOCK, sweep=False):
        return [row for row in self.rows
                if row["lesson"].startswith(lesson) and row["block"] == block
                and (row.get("parameter") is not None) == sweep
                and (variant is None or row["variant"] == variant)]

    def series(self, lesson, variant, field, block=BLOCK):
        """[(n, value)], ascending; without rows that have no value."""
        return sorted((row["n"], row[field]) for row in self.of(lesson, variant, block)
                      if row["n"] and row.get(field) is not None)

    def ceiling(self, kind):
        """The ceiling: the one stored of the whole sweep, which the text quotes, else the median of
        those measured in the programs' runs; None if there is none."""
        if kind in self.ceilings:
            return self.ceilings[kind]
        found = sorted(row["ceiling_gb_per_s"] for row in self.rows
                       if row.get("ceiling") == kind and row.get("ceiling_gb_per_s"))
        return found[len(found) // 2] if found else None

    def variants(self, lesson):
        """Those of a lesson's ladder, in its order: not CUB, not what shows a limit."""
        return list(dict.fromkeys(row["variant"] for row in self.of(lesson)
                                  if row["variant"] != "cub" and not row.get("group")))


def note(rows, about):
    return style.where_from(about, f"times {rows.kind}")


def words(variant):
    return variant.replace("_", " ")


def lines_over_n(figure, axes, series, right=0.84):
    """[(name, colour, [(n, value)])] as lines with their names at the ends. The axes' labels and
    scales must be set."""
    sizes = sorted({n for _, _, points in series for n, _ in points})
    style.powers_of_two(axes, sizes[0], sizes[-1])
    axes.set_xlabel("n")
    labels = []
    for name, colour, points in series:
        axes.plot(*zip(*points), marker="o", color=colour)
        labels.append((*points[-1], name, colour))
    style.settle(figure, right)
    style.end_labels(figure, axes, labels)


def percent_of(points, ceiling):
    return [(n, 100 * value / ceiling) for n, value in points]


def from_where_it_matters(found):
    """The series from the size on at which the fastest is at LEAST_PERCENT of the ceiling."""
    reached = [n for _, _, points in found for n, percent in points if percent >= LEAST_PERCENT]
    least = max(LEAST_N, min(reached, default=LEAST_N))
    least >>= (least.bit_length() - 1) % 2  # the axis has every other power of two
    cut = [(name, colour, [point for point in points if point[0] >= least]) for name, colour,
           points in found]
    return [one for one in cut if one[2]]


def percent_figure(pyplot, rows, about, path, entries, height=3.9):
    """% of the read ceiling against n of [(lesson, variant, name, colour)]."""
    ceiling = rows.ceiling("read")
    if not ceiling:
        return None
    found = [(name, colour, percent_of(rows.series(lesson, variant, "gb_per_s"), ceiling))
             for lesson, variant, name, colour in entries]
    found = from_where_it_matters([one for one in found if one[2]])
    if not found:
        return None
    figure, axes = style.start(pyplot, height)
    axes.set_ylabel("% of the read ceiling")
    top = max(percent for _, _, points in found for _, percent in points)
    axes.set_ylim(0, 108 if top > 60 else 1.12 * top)
    if top > 60:
        style.limit_line(axes, 100, f"read ceiling, {ceiling:,.0f} GB/s")
    axes.grid(axis="y")
    lines_over_n(figure, axes, found)
    return style.finish(pyplot, figure, note(rows, about), path)


def rungs(lesson):
    def draw(pyplot, rows, about, out):
        """The rungs of one lesson."""
        entries = [(lesson, variant, words(variant), style.HUES[i % len(style.HUES)])
                   for i, variant in enumerate(rows.variants(lesson))]
        return percent_figure(pyplot, rows, about, out / f"rungs_{lesson}.svg", entries)
    return draw


def bandwidth(pyplot, rows, about, out):
    """From the first lesson to the grid-stride loop, and CUB."""
    earlier = [("00", "one_address", "00 one address"), ("01", "modulo", "01 modulo"),
               ("02", "sequential", "02 sequential"), ("05", "warp_first", "05 warp first")]
    own = (("chunked", style.OCHRE), ("grid_stride", style.BLUE), ("vectors", style.GREEN),
           ("overlapped", style.VIOLET))
    entries = [(*one, style.DIM) for one in earlier]
    entries += [("06", name, "06 " + words(name), colour) for name, colour in own]
    entries += [("06", "cub", "CUB", style.CUB)]
    return percent_figure(pyplot, rows, about, out / "bandwidth.svg", entries, 4.6)


def launches(pyplot, rows, about, out):
    """Microseconds against n of the ways to finish a sum."""
    entries = [("07", "shuffles", "two launches", style.BLUE),
               ("07", "grid_sync", "one, grid barrier", style.OCHRE),
               ("06", "atomic_finish", "one, atomic per block", style.GREEN),
               ("06", "last_block", "one, last block adds", style.VIOLET),
               ("06", "overlapped", "two, overlapped", style.SKY), ("06", "cub", "CUB", style.CUB)]
    found = [(name, colour,
              [(n, 1e3 * ms) for n, ms in rows.series(lesson, variant, "time_ms") if n <= 1 << 24])
             for lesson, variant, name, colour in entries]
    found = [one for one in found if one[2]]
    if not found:
        return None
    figure, axes = style.start(pyplot, 4.4)
    axes.set_yscale("log")
    axes.set_ylabel("µs (dotted: a run within a CUDA graph)")
    for lesson, variant, _, colour in entries:
        graph = [(n, 1e3 * ms) for n, ms in rows.series(lesson, variant, "time_graph_ms")
                 if n <= 1 << 24]
        if graph:
            axes.plot(*zip(*graph), linestyle=":", linewidth=1.1, color=colour)
    plain_ticks(axes, (2, 5, 10, 20, 50))
    axes.grid(axis="y")
    lines_over_n(figure, axes, found, 0.79)
    return style.finish(pyplot, figure, note(rows, about), out / "launches.svg")


def plain_ticks(axes, marks):
    """Marks of a logarithmic axis as people write them; those outside the axis are left out."""
    low, high = axes.get_ylim()
    shown = [mark for mark in marks if low <= mark <= high]
    axes.set_yticks(shown, [f"{mark:,}" for mark in shown])
    axes.minorticks_off()
    axes.set_ylim(low, high)


def contention(pyplot, rows, about, out):
    """Atomic additions per second against the number of addresses."""
    found = rows.of("00", sweep=True)
    if not found:
        return None
    figure, axes = style.start(pyplot)
    axes.set_yscale("log")
    series = []
    for i, variant in enumerate(dict.fromkeys(row["variant"] for row in found)):
        points = sorted((row["parameter"], row["n"] / (row["time_ms"] * 1e6)) for row in found
                        if row["variant"] == variant)
        series.append((variant.removesuffix("_slots"), style.HUES[i % len(style.HUES)], points))
    axes.set_ylabel("additions per second (G/s)")
    axes.grid(axis="y")
    lines_over_n(figure, axes, series, 0.9)
    plain_ticks(axes, (0.1, 0.5, 1, 5, 10, 50, 100, 500))
    axes.set_xlabel(f"addresses that n = {style.power(found[0]['n'])} additions go to")
    return style.finish(pyplot, figure, note(rows, about), out / "contention.svg")


def histogram(pyplot, rows, about, out):
    """GB/s of the histograms by distribution of the samples, at the largest n."""
    n = max((row["n"] for row in rows.of("08", "vector")), default=0)
    ways = [way for way in WAYS if rows.of("08", way)]
    if not ways:
        return None
    figure, axes = style.start(pyplot, 4.2)
    width = 0.85 / len(ways)
    for place, way in enumerate(ways):
        colour = style.CUB if way == "cub" else style.HUES[(0, 1, 2, 3, 5)[place % 5]]
        name = "CUB" if way == "cub" else way
        for group, (_, suffix) in enumerate(DISTRIBUTIONS):
            found = rows.series("08", way + suffix, "gb_per_s")
            if not found:
                continue
            at_n = dict(found).get(n, found[-1][1])  # a slow one stops at a smaller n
            at = group + (place - (len(ways) - 1) / 2) * width
            axes.bar(at, at_n, width=0.92 * width, color=colour)
            axes.annotate(name, (at, at_n), xytext=(0, 3), textcoords="offset points", rotation=90,
                          fontsize=8,
                          ha="center", va="bottom", color=colour)
    if rows.ceiling("read"):
        style.limit_line(axes, rows.ceiling("read"),
                         f"read ceiling, {rows.ceiling('read'):,.0f} GB/s")
        axes.set_ylim(0, 1.13 * rows.ceiling("read"))
    axes.set_xticks(range(len(DISTRIBUTIONS)), [f"{name} samples" for name, _ in DISTRIBUTIONS])
    axes.tick_params(axis="x", length=0)
    axes.set_ylabel(f"GB/s, n = {style.power(n)}")
    style.settle(figure)
    return style.finish(pyplot, figure, note(rows, about), out / "histogram.svg")


def scan(pyplot, rows, about, out):
    """GB/s, read and written, of the scans against n."""
    dim = ("hillis_steele", "blelloch", "warp_scan", "four_each")
    entries = [("09", name, "09 " + words(name), style.DIM) for name in dim]
    entries += [("10", "three_phases", "10 three phases", style.DIM)]
    tenth = ("groups", "chained", "one_by_one", "window", "vectors")
    entries += [("10", name, "10 " + words(name), style.HUES[i % 4]
                 if name != "vectors" else style.SKY)
                for i, name in enumerate(tenth) if rows.of("10", name)]
    entries += [("10", "cub", "CUB", style.CUB)] if rows.of("10",
                                                            "cub") else [("09", "cub", "CUB",
                                                                          style.CUB)]
    ceiling = rows.ceiling("copy")
    found = [(name, colour, percent_of(rows.series(lesson, variant, "gb_per_s"), ceiling or 1))
             for lesson, variant, name, colour in entries]
    found = from_where_it_matters([one for one in found if one[2]])
    if not found or not ceiling:
        return None
    figure, axes = style.start(pyplot, 4.9)
    axes.set_ylabel("% of what a copy moves")
    axes.set_ylim(0, 108)
    style.limit_line(axes, 100, f"copy, {ceiling:,.0f} GB/s read and written")
    axes.grid(axis="y")
    lines_over_n(figure, axes, found)
    return style.finish(pyplot, figure, note(rows, about), out / "scan.svg")


FIGURES = {"bandwidth": bandwidth, "launches": launches, "contention": contention,
           "histogram": histogram,
           "scan": scan, **{f"rungs_{lesson}": rungs(lesson) for lesson in CHAPTERS}}


def draw_all(rows, about, out):
    """Paths of what was drawn; empty where matplotlib is missing."""
    pyplot = style.pyplot_for_files()
    if pyplot is None:
        return []
    Path(out).mkdir(parents=True, exist_ok=True)
    table = Rows(rows, about.get("ceilings"))
    paths = [draw(pyplot, table, about, Path(out)) for draw in FIGURES.values()]
    pyplot.close("all")
    return [path for path in paths if path]
