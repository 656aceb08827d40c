# SPDX-License-Identifier: MIT
"""Pages and pieces made from the project's own tables, so that the book cannot fall behind them:
counters from simt_counters.def, opcodes from isa.def, the ladder from figures/data/.
"""

import csv
import html
import re
import statistics

from macros import grouped
from stored_data import UnknownKey

# The rungs that stored H200 runs hold, in the order of the lessons: lesson/variant, in words.
RUNGS = (
    ("01_shared_tree/modulo",
     "tree in shared memory: every second thread works, then every fourth …"),
    ("01_shared_tree/strided", "the working threads side by side, and no division"),
    ("02_bank_conflicts/sequential", "sequential addressing: no bank conflicts"),
    ("03_upper_half/first_add", "add two elements while loading"),
    ("04_warp_sync/unrolled",
     "no block barrier once one warp is left; the block's size a constant"),
    ("05_shuffle/warp_first", "each warp by shuffles first"),
    ("06_grid_stride/vectors", "few threads that walk, with four loads of 16 bytes under way"),
)


def cell(text):
    """Text for a table cell that Doxygen passes through unchanged; `code` in it stays code."""
    parts = re.split(r"(`[^`]*`)", text)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"[@\\#*~%|]", lambda m: "\\" + m[0], html.escape(parts[i], quote=False))
    return "".join(parts)


def table(heads, rows, align=None):
    align = align or ["---"] * len(heads)
    lines = ["| " + " | ".join(heads) + " |", "|" + "|".join(align) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def code(text):
    return f"`{text}`"


def ladder_steps(data):
    """The rungs as measured, [(lesson, words, GB/s)], naive atomic first, 256-thread blocks."""
    steps = [("00", "one atomic add per element, all to one address (2<sup>26</sup> floats)",
              data.value("h200-sweep:00_naive_atomic/one_address/-/2^26/256:gb_per_s"))]
    return steps + [(name[:2], words, data.value(f"h200-sweep:{name}/-/2^28/256:gb_per_s"))
                    for name, words in RUNGS]


def ladder(data, existing):
    """The ladder as a table, with the ceiling as its last row."""
    ceiling = float(data.value("ceiling"))
    rows, before = [], None
    for lesson, words, gb_per_s in ladder_steps(data):
        value = float(gb_per_s)
        percent = 100 * value / ceiling
        gain = value / before if before else 0
        step = f"{gain:,.{0 if gain > 9.95 else 1}f} ×" if before else ""
        link = f"\\ref lesson_{lesson} \"{lesson}\"" if lesson in existing else lesson
        share = f"{percent:.2g} %" if percent < 1 else f"{percent:.0f} %"
        rows.append([link, words, grouped(value, 1 if value < 10 else 0), share, step])
        before = value
    rows.append(["", "the ceiling: a kernel that only reads", grouped(f"{ceiling:.0f}"), "100 %",
                 ""])
    return table(["Lesson", "What changed", "GB/s", "Of the ceiling", "Step"], rows,
                 ["---", "---", "--:", "--:", "--:"])


def ladder_picture(data):
    """The same as bars, to scale. Inline, so that its colours follow the theme."""
    ceiling = float(data.value("ceiling"))
    steps = [(lesson, float(value)) for lesson, _, value in ladder_steps(data)]
    steps.append(("read", ceiling))
    width, row, left, right = 640, 24, 56, 124  # right: for the label of the longest bar
    parts = [f'<svg class="ladder" viewBox="0 0 {width} {row * len(steps)}" role="img" '
             'aria-label="Bandwidth of each rung, as in the table below">']
    for i, (label, value) in enumerate(steps):
        length = (width - left - right) * value / ceiling
        style = "bar ceiling" if label == "read" else "bar"
        top = i * row
        parts.append(f'<text class="bar-label" x="{left - 8}" y="{top + 12}" text-anchor="end">'
                     f'{label}</text><rect class="{style}" x="{left}" y="{top + 4}" '
                     f'width="{length:.1f}" height="{row - 8}" rx="2"/>'
                     f'<text class="bar-label" x="{left + length + 6:.1f}" y="{top + 12}">'
                     f"{value:,.0f}{' GB/s' if label == 'read' else ''}</text>")
    return "\\htmlonly\n" + "\n".join(parts) + "</svg>\n\\endhtmlonly"


# Rows of a per-block table: name, words, counters added up, counters they are divided by, decimals.
SHARED = ("shared_load_{}", "shared_store_{}")
REQUESTS = [name.format("requests") for name in SHARED]
PER_BLOCK = {
    "diverging": ("Branches that diverge", ["divergent_branches"], ["blocks"], 1),
    "instructions": ("Warp instructions", ["warp_instructions"], ["blocks"], 0),
    "divisions": ("Divisions among them", ["division_warp_instructions"], ["blocks"], 0),
    "lanes": ("Lanes active in them, of 32", ["lane_instructions"], ["warp_instructions"], 1),
    "requests": ("Requests to shared memory", REQUESTS, ["blocks"], 1),
    "wavefronts": ("Wavefronts for them", [n.format("wavefronts") for n in SHARED], ["blocks"], 1),
    "wavefronts_per_request": ("Wavefronts per request", [n.format("wavefronts") for n in SHARED],
                               REQUESTS, 2),
    "barriers": ("Barriers", ["block_barriers"], ["blocks"], 0),
    "stored_words": ("Words stored in shared memory", ["shared_store_words"], ["blocks"], 0),
    "shuffles": ("Shuffles", ["shuffles"], ["blocks"], 0),
    "votes": ("Warp reductions", ["votes"], ["blocks"], 0),
    "load_bytes": ("Bytes a warp asks for in one load", ["global_load_bytes"],
                   ["global_load_requests"], 0),
    "sectors_per_load": ("Sectors one load touches", ["global_load_sectors"],
                         ["global_load_requests"], 0),
    "bytes_in_flight": ("Bytes a warp has under way", ["global_load_bytes"],
                        ["global_load_groups"], 0),
    "warp_syncs": ("Barriers of one warp", ["warp_syncs"], ["blocks"], 0),
}


def per_block(data, lesson, variants, names):
    """{{per_block LESSON a,b row,row}}: what the software GPU counted per block, by variant."""
    variants, rows = variants.split(","), []

    def total(variant, counters):
        return sum(float(data.value(f"simt-lessons:{lesson}/{variant}:counters.{c}"))
                   for c in counters)

    for name in names.split(","):
        words, above, below, decimals = PER_BLOCK[name]
        rows.append([words] + [grouped(total(v, above) / total(v, below), decimals)
                               for v in variants])
    return table([""] + variants, rows, ["---"] + ["--:"] * len(variants))


# How to add up n floats: lesson, words, where its stored times are. {} is n as in a key.
METHODS = (
    ("00", "an atomic each", "h200-baseline:reduce/naive/-/{}:time_ms"),
    ("02", "tree, an atomic a block", "h200-baseline:reduce/seq/-/{}:time_ms"),
    ("05", "shuffles, an atomic a block", "h200-baseline:reduce/shuffle/-/{}:time_ms"),
    ("06", "grid-stride, 16-byte loads", "h200-baseline:reduce/gs_vec4x4/-/{}:time_ms"),
    ("06", "the same, last block finishes",
     "h200-ladder:last_block/last_block/2_per_sm/{}:time_ms"),
    ("07", "one launch, grid barrier", "h200-baseline:reduce/coop/-/{}:time_ms"),
    ("", "CUB", "h200-baseline:reduce/cub/-/{}:time_ms"),
)
METHOD_SIZES = ("2^10", "2^14", "2^16", "2^18", "2^20", "2^22", "2^24", "2^26", "2^28")


def methods(data, existing):
    """{{methods}}: microseconds of each way to add up n floats; the shortest of each row in
    bold."""
    def lesson_link(lesson, words):
        return f"\\ref lesson_{lesson} \"{words}\"" if lesson in existing else words

    rows = []
    for n in METHOD_SIZES:
        times_ms = []
        for _, _, reference in METHODS:
            try:
                times_ms.append(float(data.value(reference.format(n))))
            except UnknownKey:  # a method that was not measured at this size
                times_ms.append(None)
        least = min(t for t in times_ms if t is not None)
        cells = ["-" if t is None else grouped(1000 * t, 1) for t in times_ms]
        cells = [f"**{c}**" if t == least else c for c, t in zip(cells, times_ms)]
        rows.append([re.sub(r"\^(\d+)", r"<sup>\1</sup>", n)] + cells)
    heads = ["*n*"] + [lesson_link(lesson, words) for lesson, words, _ in METHODS]
    return table(heads, rows, ["--:"] * len(heads))


COUNTER = re.compile(r'SIMT_COUNTER\(\s*(\w+)\s*,\s*(\w+)\s*,\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)')
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def joined(literals):
    """The text of adjacent C string literals."""
    return "".join(STRING.findall(literals)).replace('\\"', '"')


def counter_rows(definition):
    rows = COUNTER.findall(definition)
    if not rows:
        raise ValueError("simt_counters.def has no SIMT_COUNTER rows")
    return [(name, combine, joined(text)) for name, combine, text in rows]


def counters(definition):
    combined = {"SUM": "added up", "MAX": "largest"}
    rows = [[code(name), cell(text), combined.get(combine, combine)]
            for name, combine, text in counter_rows(definition)]
    return table(["Counter", "What it counts", "Over several launches"], rows)


def profiled(text):
    """{{profiled}}: by counter, how many variants a GPU's profiler counted as the software GPU did,
    the ratios of the others, and why; from the text of a table by common/scripts/profile.py."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    by_quantity = {}
    for row in csv.DictReader(lines):
        by_quantity.setdefault(row["quantity"], []).append(row)
    rows = []
    for quantity, found in by_quantity.items():
        others = [row for row in found if row["reason"]]
        ratios = [float(row["ratio"]) for row in others if row["ratio"]]
        span = "" if not ratios else f"{min(ratios):.2f} to {max(ratios):.2f}"
        reasons = dict.fromkeys(row["reason"] for row in others)
        rows.append([cell(quantity), str(len(found) - len(others)), str(len(others)), span,
                     "<br/>".join(cell(reason) for reason in reasons)])
    return table(["Counter", "Equal", "Not", "Ratios", "Why"], rows,
                 ["---", "--:", "--:", "---", "---"])


# The book's figures by name: what each shows. figures/plot_*.py draw them, most from the stored
# sweep; a chapter refers to one with {{figure NAME}}. Of each there is one for a light and one for
# a dark page.
GPU_CHECK = re.compile(r"# device: ([^,]+),.*?^  (\d+) equal$.*?^  (\d+) both correct, order.*?"
                       r"^  (\d+) disagreements$", re.MULTILINE | re.DOTALL)


def same_bits(folder):
    """How many results of the lessons have the software GPU's bits on a GPU: by GPU."""
    said = []
    for path in sorted(folder.glob("*-gpu-check.txt")):
        device, equal, _, wrong = GPU_CHECK.search(path.read_text(encoding="utf-8")).groups()
        all_of = int(equal) + int(wrong)
        same = f"all {all_of:,}" if wrong == "0" else f"{int(equal):,} of {all_of:,}"
        said.append(f"{same} on an {device}")
    return f"Of the lessons' results, {' and '.join(said)} have the software GPU's bits."


# Lesson 13 on two GPUs. What the timing model leaves out of two of its variants: how long a load
# from another GPU's memory takes by itself, and how long the host's thread takes to wake up.
# And NCCL's own pipeline has a number from the rows of `nccl`.
LEFT_OUT = ("one_gpu", "host_adds", "nccl")


def rows_of(path):
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    return list(csv.DictReader(lines))


def link_ratios(folder):
    """{(variant, bytes): modelled time over measured} of two H200s."""
    measured = {(row["experiment"], row["what"], row["bytes"]): float(row["queued_us"])
                for row in rows_of(folder / "h200-many-gpus.csv") if row["devices"] == "2"}
    return {(row["variant"], int(row["bytes"])):
            float(row["time_us"]) / measured[row["experiment"], row["variant"], row["bytes"]]
            for row in rows_of(folder / "simt-links.csv")}


def links_modelled(folder):
    """A sentence: how far modelled times on two GPUs are off."""
    ratios = {key: ratio for key, ratio in link_ratios(folder).items() if key[0] not in LEFT_OUT}
    variants = {variant for variant, _ in ratios}
    off = statistics.median(100 * abs(ratio - 1) for ratio in ratios.values())
    return (f"its times of the other {len(variants)} variants on two GPUs, from "
            f"2<sup>17</sup> to 2<sup>23</sup> numbers, are off by {off:.0f} % in the median: "
            f"{min(ratios.values()):.2f} to {max(ratios.values()):.2f} of what was measured")


FIGURE_DATA = "h200-sweep"
OTHER_FIGURE_DATA = {"limits": "h200-targets",
                     "blind": "h200-blind-second, simt-blind-second, h200-blind, "
                              "compare, compare-2-26",
                     "parts": "simt-parts", "links": "h200-many-gpus",
                     "roofline": "h200-sweep, compare-2-26",
                     "caches": "h200-sweep, simt-parts", "errors": "simt-errors"}
RUNGS_SHOWN = "the rungs of this lesson: percent of the read ceiling against n, measured on an H200"
FIGURES = {
    "contention": "additions per second against the number of addresses, by the type that is added",
    **{f"rungs_{lesson}": RUNGS_SHOWN for lesson in ("01", "02", "03", "04", "05")},
    "bandwidth": "percent of the read ceiling against n, from the first lesson to CUB",
    "launches": "time against n of one launch, two launches and one with a grid barrier",
    "histogram": "GB/s of the five histograms and CUB's, by distribution of the samples",
    "scan": "the scans' percent of what a copy moves, against n, with CUB's",
    "limits": "CUB's time over ours against n, and the most that it could be",
    "blind": "modelled beside measured times: kernels that the model had never seen, those that it "
             "was repaired by, and the lessons",
    "parts": "where the modelled time of each rung goes: percent of it that each part is busy",
    "roofline": "instructions per second against instructions per byte: a rung is bound by memory "
                "at the slanted line, by instructions at the level one",
    "links": "two GPUs beside one: the gain of sums against n, and how fast two vectors are added",
    "caches": "a stretch per thread beside the grid-stride loop: speed, and what answers the loads",
    "errors": "how far sums of n floats are from the correctly rounded sum, by method",
}


def figure(name, drawn=()):
    """A named figure: the picture where it is among those drawn for this book, else what it would
    show; an unknown name is an error."""
    caption = FIGURES[name]
    alt = html.escape(caption)
    picture = "".join(f'<img class="{page}" src="figures/{name}{twin}.svg" alt="{alt}"/>'
                      for page, twin in (("light", ""), ("dark", "-dark")))
    picture = f"\\htmlonly{picture}\\endhtmlonly" if name in drawn else ""
    files = OTHER_FIGURE_DATA.get(name, FIGURE_DATA).split(", ")
    data = ", ".join(f"<code>{file}</code>" for file in files)
    where = f"Data: {data}." if picture else (
        f"Not drawn here; <code>make figures</code> draws it from {data}.")
    return (f'<div class="figure" id="figure_{name}">{picture} {caption[0].upper()}{caption[1:]}. '
            f'<span class="figure-data">{where}</span></div>')
