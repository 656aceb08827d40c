# SPDX-License-Identifier: MIT
"""The picture of the exact sum: where a float's bits belong, the columns of a block, their fold."""

import struct
from fractions import Fraction

from svg import FOUR, Picture
from traces import accesses

WIDTH = 760
GROUPS, GROUP, FRACTION = 16, 16, 23  # lessons/11_exact_sum: groups of exponents, bits of a float
UNIT = 150                            # counters are whole numbers of 2^(16 group - 150)
N_THREADS = 32
EMPTY = 1 << 63                       # -0.0, with which a counter begins
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def bits_of(value):
    return struct.unpack("I", struct.pack("f", value))[0]


def float_of(value):
    """The float that was written with nine digits."""
    return struct.unpack("f", struct.pack("f", value))[0]


def words_of(number):
    return str(number).replace("-", "−")


def power(exponent):
    return "2" + str(exponent).translate(RAISED)


def kind_of(group):
    return FOUR[group % len(FOUR)]


def parts_of(value):
    """(exponent field, significand) of a normal float."""
    bits = bits_of(value)
    return bits >> FRACTION & 0xff, bits & ((1 << FRACTION) - 1) | 1 << FRACTION


def counters_after(steps):
    """[group][thread]: the bits of the counters, as doubles, when the columns are complete."""
    words = {}
    for step in steps:
        if step.get("b") == "done":
            break
        for word, _, after in step.get("s", ()):
            words[word] = after
    return [[words[2 * (g * N_THREADS + t) + 1] << 32 | words[2 * (g * N_THREADS + t)]
             for t in range(N_THREADS)] for g in range(GROUPS)]


def whole(group, bits):
    """A counter as a whole number of its group's unit."""
    value = Fraction(struct.unpack("d", struct.pack("Q", bits))[0])
    number = value * Fraction(2) ** (UNIT - GROUP * group)
    assert number.denominator == 1, "an addition to a counter has rounded"
    return number.numerator


def draw_places(p, y, values):
    """A line of 16 groups, and where the 24 bits of some floats lie on it."""
    left, scale = 76, (WIDTH - 76) / (GROUPS * GROUP + FRACTION + 1)

    def at(bit):  # the right end of a bit's place; the highest bit is on the left
        return WIDTH - bit * scale

    p.text(0, y, "where a float belongs: its exponent picks the group, and shifts its 24 bits",
           "i-bold")
    for g in range(GROUPS):
        p.rect(at(GROUP * (g + 1)), y + 10, GROUP * scale - 1.5, 16, kind_of(g))
        p.text(at(GROUP * (g + 0.5)), y + 21.5, g, "i-small i-white", "middle")
    p.text(0, y + 21.5, "group", "i-small")
    for i, value in enumerate(values):
        field, significand = parts_of(value)
        row = y + 34 + 18 * i
        p.text(0, row + 10, words_of(f"{value:.4g}"), "i-small")
        p.line(left, row + 6.5, at(field + FRACTION + 1), row + 6.5, "i-line i-faint")
        p.line(at(field) + 68, row + 6.5, WIDTH, row + 6.5, "i-line i-faint") # behind the words
        p.rect(at(field + FRACTION + 1), row, (FRACTION + 1) * scale, 13, kind_of(field // GROUP),
               f"{'−' * (value < 0)}{significand:,} × {power(field - UNIT)}")
        p.text(at(field) + 5, row + 10, f"shifted by {field % GROUP}", "i-small")
    return y + 34 + 18 * len(values)


def draw_columns(p, y, counters, sums):
    left, size, height = 76, 13, 13
    p.text(0, y, "16 counters for each thread, in shared memory: one column per thread", "i-bold")
    p.text(left, y + 15, "thread 0", "i-small i-dim")
    p.text(left + N_THREADS * size, y + 15, f"thread {N_THREADS - 1}", "i-small i-dim", "end")
    p.text(left + N_THREADS * size + 28, y + 15, "the warp adds a row up", "i-small i-dim")
    y += 21
    for g in reversed(range(GROUPS)):
        kinds = ["i-cell" if bits == EMPTY else kind_of(g) for bits in counters[g]]
        p.text(0, y + 10, f"group {g}", "i-small")
        p.cells(left, y, size, kinds, height=height)
        if any(bits != EMPTY for bits in counters[g]):
            end = left + N_THREADS * size
            p.line(end + 4, y + 6, end + 22, y + 6, "i-arrow")
            p.text(end + 28, y + 10, f"{words_of(f'{sums[g]:,}')} × {power(GROUP * g - UNIT)}",
                   "i-small")
        y += height
    return y


def accumulator(traces, _data):
    program = ("spread_sum", "columns", 96, N_THREADS)
    steps = traces.steps(*program)
    said, _ = traces.entries(*program)
    rounded = next(entry["sum"] for entry in said if "sum" in entry)
    loads = [s["r"][2] for s in accesses(steps, "load", "global") if s["a"]["bytes"] == 4]
    values = [float_of(value) for load in loads for value in load]
    counters = counters_after(steps)
    sums = [sum(whole(g, bits) for bits in row) for g, row in enumerate(counters)]
    total = sum(Fraction(s) * Fraction(2) ** (GROUP * g - UNIT) for g, s in enumerate(sums))
    assert total == sum(map(Fraction, values)), "the columns are not the sum"
    assert bits_of(float(total)) == bits_of(rounded), "the result is not the rounded sum"
    p = Picture(WIDTH, f"{len(values)} floats in the columns of {N_THREADS} threads: the place of "
                       "a float's bits, the counters, and their sums by group")
    y = draw_places(p, 14, values[:3])
    y = draw_columns(p, y + 26, counters, sums)
    p.text(0, y + 16, f"{len(values)} floats, {len(loads)} per thread. Filled: a counter that was "
           "added to. All rows together are the exact sum;", "i-small")
    p.text(0, y + 29, "one thread carries from row to row and rounds, once: "
           f"{words_of(f'{rounded:.9g}')}.", "i-small")
    return p.save()


PICTURES = {"accumulator": accumulator}
