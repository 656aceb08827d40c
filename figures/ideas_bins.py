# SPDX-License-Identifier: MIT
"""The picture of many bins: what one addition does to the four counters of a word."""

from svg import FOUR, Picture
from traces import accesses

FIRST, EACH, BITS = 8, 4, 8  # the first bin of the word, its counters: figures/carry.cu
LEFT, WIDTH, SIZE, HEIGHT = 210, 760, 78, 24


def counters_of(word):
    return [word >> BITS * k & (1 << BITS) - 1 for k in range(EACH)]


def words_of(number):
    return str(number).replace("-", "−")


def draw_row(p, y, label, values, kinds, about=""):
    """Values of the bins, the lowest on the right, as in the word."""
    p.text(0, y + 15, label, "i-small")
    for k in range(EACH):
        x = LEFT + (EACH - 1 - k) * SIZE
        p.rect(x, y, SIZE - 3, HEIGHT, kinds[k])
        p.text(x + SIZE / 2 - 1, y + 16, words_of(values[k]),
               "" if kinds[k] == "i-cell" else "i-white", "middle")
    p.text(LEFT + EACH * SIZE + 14, y + 15, about, "i-small i-dim")
    return y + HEIGHT + 6


def carry(traces, _data):
    program = ("carry", "narrow_bins", 0, 32)
    steps = traces.steps(*program)
    said, _ = traces.entries(*program)
    bins = next(entry["bins"] for entry in said if "bins" in entry)[FIRST:FIRST + EACH]
    last = [s for s in accesses(steps, "atomic", "shared") if s.get("s")][-1]
    (_, before, after), = last["s"]
    assert len(last["lanes"]) == 1, "the last sample is not alone in its warp"
    old, new = counters_of(before), counters_of(after)
    settled = [total - counter for total, counter in zip(bins, new)]
    wanted = [counter + (k == 0) for k, counter in enumerate(old)]
    assert wanted == bins, "a count was lost"
    p = Picture(WIDTH, "Four counters of 8 bits in a word: one addition overflows two of them, and "
                       "the bins in global memory get the difference")
    for k in range(EACH):
        p.text(LEFT + (EACH - 1 - k) * SIZE + SIZE / 2 - 1, 12, f"bin {FIRST + k}", "i-bold",
               "middle")
    changed = ["i-cell" if o == n else "i-bad" if n < o else "i-c" for o, n in zip(old, new)]
    y = draw_row(p, 20, "the word, as the atomic returned it", old, FOUR, f"0x{before:08x}")
    y = draw_row(p, y, f"one more for bin {FIRST}", new, changed,
                 f"0x{after:08x} = 0x{before:08x} + 1")
    y = draw_row(p, y, "goes to the bins in global memory",
                 [f"{s:+d}" if s else "" for s in settled],
                 ["i-b" if s else "i-cell" for s in settled], "by the thread that got the old word")
    draw_row(p, y, "counter and bin together", bins, FOUR,
             f"{old[0]} + 1, and the others as they were")
    return p.save()


PICTURES = {"carry": carry}
