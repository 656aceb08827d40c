# SPDX-License-Identifier: MIT
"""Pages and pieces made from the project's own tables, so that the book cannot fall behind them:
counters from simt_counters.def, opcodes from isa.def, the ladder from figures/data/.
"""

import html
import re

from macros import grouped

# The rungs that stored H200 runs hold, in the order of the lessons: stored name, lesson, in words.
RUNGS = (
    ("divergent", "01", "tree in shared memory: every second thread works, then every fourth, …"),
    ("bankconf", "01", "the working threads side by side, and no division"),
    ("sequential", "02", "sequential addressing: no bank conflicts"),
    ("firstadd", "03", "add two elements while loading"),
    ("warpsync", "04", "no block barrier once one warp is left"),
    ("warpfirst", "05", "each warp by shuffles first"),
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
              data.value("h200-baseline:reduce/naive/-/2^26:gb_per_s"))]
    steps += [(lesson, words, data.value(f"h200-ladder:partials/{name}/256/2^28:gb_per_s"))
              for name, lesson, words in RUNGS]
    return steps + [("06", "grid-stride loop, eight loads in flight a thread",
                     data.value("h200-ladder:grid_stride/unroll_8/8_blocks_per_sm/2^28:gb_per_s"))]


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
        rows.append([link, words, grouped(gb_per_s), share, step])
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
    width, row, left = 640, 24, 44
    parts = [f'<svg class="ladder" viewBox="0 0 {width} {row * len(steps)}" role="img" '
             'aria-label="Bandwidth of each rung, as in the table below">']
    for i, (label, value) in enumerate(steps):
        length = (width - left - 84) * value / ceiling
        style = "bar ceiling" if label == "read" else "bar"
        top = i * row
        parts.append(f'<text class="bar-label" x="{left - 8}" y="{top + 16}" text-anchor="end">'
                     f'{label}</text><rect class="{style}" x="{left}" y="{top + 4}" '
                     f'width="{length:.1f}" height="{row - 8}" rx="2"/>'
                     f'<text class="bar-label" x="{left + length + 6:.1f}" y="{top + 16}">'
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
