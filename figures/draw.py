# SPDX-License-Identifier: MIT
"""The figures, from the rows of one sweep (common/scripts/sweep.py) on one device.

draw_all() is used by `make compare SWEEP=1`, with the rows just made, and by
figures/plot_measured.py, with the rows stored in figures/data. A figure whose rows are missing is
not drawn. Device, toolkit, date and whether times are measured or modelled are printed under each.
"""

from pathlib import Path

BLOCK = 256

# The rungs of a sum: lesson, variant; as in the book's ladder.
RUNGS = (("01", "modulo"), ("01", "strided"), ("02", "sequential"), ("03", "first_add"),
         ("04", "unrolled"), ("05", "warp_first"))
DISTRIBUTIONS = (("uniform", ""), ("skewed", "_skewed"), ("equal", "_equal"))
WAYS = ("global", "block", "warp", "lanes", "vector", "cub")
GREY, CUB_COLOUR = "0.45", "tab:red"
# Dark enough on white; on a dark page the book turns light and dark round.
BARS = ("#1565c0", "#2e7d32", "#b26a00", "#7b3fa0", "#00707a")


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


def power(n):
    return f"$2^{{{n.bit_length() - 1}}}$" if n & (n - 1) == 0 else f"{n:,}"


def start(pyplot, width=7.0, height=4.2):
    figure, axes = pyplot.subplots(figsize=(width, height))
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure, axes


def finish(pyplot, figure, about, kind, path):
    where = ", ".join(about[key] for key in ("device", "toolkit", "date") if about.get(key))
    figure.text(0.01, 0.01, f"{where}; times {kind}", fontsize=7, color="0.4")
    figure.tight_layout(rect=(0, 0.03, 1, 1))
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
    return path


def ceiling_line(axes, rows, kind, words):
    ceiling = rows.ceiling(kind)
    if ceiling:
        axes.axhline(ceiling, color=GREY, linewidth=1, linestyle="--")
        axes.annotate(f"{words}, {ceiling:,.0f} GB/s", (0.01, ceiling), xytext=(0, 3),
                      xycoords=("axes fraction", "data"), textcoords="offset points", fontsize=7,
                      color=GREY)


def lines_over_n(axes, rows, entries, field, pyplot):
    """One line for each (lesson, variant, label) that has rows; whether there is any."""
    colours, drawn = pyplot.get_cmap("viridis"), 0
    shown = [entry for entry in entries if rows.series(entry[0], entry[1], field)]
    for place, (lesson, variant, label) in enumerate(shown):
        is_cub = variant == "cub"
        colour = CUB_COLOUR if is_cub else colours(0.75 * place / max(1, len(shown) - 1))
        axes.plot(*zip(*rows.series(lesson, variant, field)), marker="o", markersize=2.5,
                  linewidth=1.8 if is_cub else 1.2, color=colour, label=label)
        drawn += 1
    axes.set_xscale("log", base=2)
    axes.set_xlabel("n")
    return drawn > 0


def bandwidth(pyplot, rows, about, out):
    """GB/s of the sums against n."""
    entries = [("00", "one_address", "00 one address"), ("01", "modulo", "01 modulo"),
               ("02", "sequential", "02 sequential"), ("05", "warp_first", "05 warp first")]
    entries += [("06", name, "06 " + name.replace("_", " "))
                for name in ("chunked", "grid_stride", "unroll_8", "vectors", "atomic_finish",
                             "last_block", "adaptive")]
    entries += [("06", "cub", "CUB")]
    figure, axes = start(pyplot)
    if not lines_over_n(axes, rows, entries, "gb_per_s", pyplot):
        return None
    ceiling_line(axes, rows, "read", "read ceiling")
    axes.set_ylabel(f"GB/s, {rows.kind}")
    axes.legend(frameon=False, fontsize=7, ncol=2)
    return finish(pyplot, figure, about, rows.kind, out / "bandwidth.svg")


def launches(pyplot, rows, about, out):
    """Microseconds against n of the ways to finish a sum."""
    entries = [("07", "shuffles", "two launches"), ("07", "grid_sync", "one, with a grid barrier"),
               ("06", "atomic_finish", "one, an atomic per block"),
               ("06", "last_block", "one, the last block finishes"),
               ("06", "overlapped", "two, the second launched before the first has ended"),
               ("06", "adaptive", "one, as many blocks as n is worth"), ("06", "cub", "CUB")]
    figure, axes = start(pyplot)
    if not lines_over_n(axes, rows, entries, "time_ms", pyplot):
        return None
    axes.set_prop_cycle(None)
    for lesson, variant, _ in entries:
        graph = rows.series(lesson, variant, "time_graph_ms")
        line = next((l for l in axes.lines if l.get_label() == dict(
            ((a, b), c) for a, b, c in entries)[lesson, variant]), None)
        if graph and line is not None:
            axes.plot(*zip(*graph), linestyle=":", linewidth=1, color=line.get_color())
    axes.set_yscale("log")
    axes.set_ylabel(f"ms, {rows.kind} (dotted: a run within a graph)")
    axes.legend(frameon=False, fontsize=7)
    return finish(pyplot, figure, about, rows.kind, out / "launches.svg")


def ladder(pyplot, rows, about, out):
    """The rungs of a block's sum, one group of bars each, by block size."""
    blocks = sorted({row["block"] for row in rows.rows})
    largest = {block: max((row["n"] for row in rows.of("01", block=block)), default=0)
               for block in blocks}
    n = min((size for size in largest.values() if size), default=0)
    figure, axes = start(pyplot)
    n_bars = 0
    for place, block in enumerate(blocks):
        speeds = [dict(rows.series(lesson, variant, "gb_per_s", block)).get(n)
                  for lesson, variant in RUNGS]
        at = [i + (place - (len(blocks) - 1) / 2) * 0.8 / len(blocks) for i in range(len(RUNGS))]
        pairs = [(x, y) for x, y in zip(at, speeds) if y is not None]
        n_bars += len(pairs)
        if pairs:
            axes.bar(*zip(*pairs), width=0.8 / len(blocks), label=f"{block} threads per block",
                     color=BARS[place % len(BARS)])
    if not n_bars:
        return None
    ceiling_line(axes, rows, "read", "read ceiling")
    axes.set_xticks(range(len(RUNGS)), [f"{lesson}\n{variant}" for lesson, variant in RUNGS],
                    fontsize=7)
    axes.set_ylabel(f"GB/s, {rows.kind}, n = {power(n)}")
    axes.legend(frameon=False, fontsize=7)
    return finish(pyplot, figure, about, rows.kind, out / "ladder.svg")


def contention(pyplot, rows, about, out):
    """Atomic additions per second against the number of addresses."""
    found = rows.of("00", sweep=True)
    if not found:
        return None
    figure, axes = start(pyplot)
    for variant in dict.fromkeys(row["variant"] for row in found):
        points = sorted((row["parameter"], row["n"] / (row["time_ms"] * 1e6)) for row in found
                        if row["variant"] == variant)
        axes.plot(*zip(*points), marker="o", markersize=3,
                  label=variant.removesuffix("_slots"))
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel(f"addresses that n = {power(found[0]['n'])} additions go to")
    axes.set_ylabel(f"additions per second (G/s), {rows.kind}")
    axes.legend(frameon=False, fontsize=7)
    return finish(pyplot, figure, about, rows.kind, out / "contention.svg")


def histogram(pyplot, rows, about, out):
    """GB/s of the histograms by distribution of the samples, at the largest n."""
    n = max((row["n"] for row in rows.of("08", "vector")), default=0)
    figure, axes = start(pyplot)
    ways = [way for way in WAYS if rows.of("08", way)]
    for place, way in enumerate(ways):
        colour = CUB_COLOUR if way == "cub" else BARS[place % len(BARS)]
        for group, (_, suffix) in enumerate(DISTRIBUTIONS):
            found = rows.series("08", way + suffix, "gb_per_s")
            if not found:
                continue
            at_n = dict(found).get(n, found[-1][1])  # a slow one stops at a smaller n
            axes.bar(group + (place - (len(ways) - 1) / 2) * 0.13, at_n, width=0.13, color=colour,
                     label=("CUB" if way == "cub" else way) if group == 0 else None)
    if not ways:
        return None
    ceiling_line(axes, rows, "read", "read ceiling")
    axes.margins(y=0.2)
    axes.set_xticks(range(len(DISTRIBUTIONS)), [name for name, _ in DISTRIBUTIONS])
    axes.set_ylabel(f"GB/s, {rows.kind}, n = {power(n)}")
    axes.legend(frameon=False, fontsize=7, ncol=6, loc="upper center")
    return finish(pyplot, figure, about, rows.kind, out / "histogram.svg")


def scan(pyplot, rows, about, out):
    """GB/s, read and written, of the scans against n."""
    entries = [("09", name, "09 " + name.replace("_", " "))
               for name in ("hillis_steele", "blelloch", "warp_scan", "four_each")]
    tenth = dict.fromkeys(row["variant"] for row in rows.of("10")
                          if row["variant"] != "cub" and not row["variant"].endswith("_ints"))
    entries += [("10", name, "10 " + name.replace("_", " ")) for name in tenth]
    entries += [("10", "cub", "CUB")] if rows.of("10", "cub") else [("09", "cub", "CUB")]
    figure, axes = start(pyplot)
    if not lines_over_n(axes, rows, entries, "gb_per_s", pyplot):
        return None
    ceiling_line(axes, rows, "copy", "copy")
    axes.set_ylabel(f"GB/s read and written, {rows.kind}")
    axes.legend(frameon=False, fontsize=7)
    return finish(pyplot, figure, about, rows.kind, out / "scan.svg")


FIGURES = {"bandwidth": bandwidth, "launches": launches, "ladder": ladder,
           "contention": contention, "histogram": histogram, "scan": scan}


def pyplot_for_files():
    """matplotlib.pyplot, set up to draw the same file each time; None where it is missing."""
    try:
        import matplotlib
    except ImportError:
        return None
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "workbook", "font.size": 9})
    from matplotlib import pyplot
    return pyplot


def draw_all(rows, about, out):
    """Paths of what was drawn; empty where matplotlib is missing."""
    pyplot = pyplot_for_files()
    if pyplot is None:
        return []
    Path(out).mkdir(parents=True, exist_ok=True)
    table = Rows(rows, about.get("ceilings"))
    paths = [draw(pyplot, table, about, Path(out)) for draw in FIGURES.values()]
    pyplot.close("all")
    return [path for path in paths if path]
