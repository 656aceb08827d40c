#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sums that are hard to get right, with their correctly rounded results: tests/exact_sum_cases.h.

    exact_sum_cases.py --write     writes the header that suite 11 includes
    exact_sum_cases.py --check     exit 1 if the committed header is not what this file gives

The results come from Python's whole numbers, which have as many digits as it takes: a float is a
whole number of 2^-149, a double of 2^-1074. Of doubles math.fsum says the same, or this file ends
with an error. A NaN stands for every NaN.
"""
import argparse
import math
import pathlib
import random
import struct
import sys

HEADER = pathlib.Path(__file__).with_name("exact_sum_cases.h")
NAN, INF = math.nan, math.inf
TINY, NORMAL, LARGEST = 2.0**-149, 2.0**-126, (2.0 - 2.0**-23) * 2.0**127  # of float


class Format:
    """A binary format of IEEE 754, by its fraction bits and its largest exponent field."""

    def __init__(self, name, code, fraction, field_max):
        self.name, self.code, self.fraction, self.field_max = name, code, fraction, field_max
        self.unit = 1 - (field_max >> 1) - fraction  # exponent of the smallest subnormal

    def bits(self, x):
        word = "<I" if self.code == "f" else "<Q"
        return struct.unpack(word, struct.pack("<" + self.code, x))[0]

    def whole(self, x):
        """x as a whole number of the smallest subnormal."""
        numerator, denominator = x.as_integer_ratio()
        return (numerator << -self.unit) // denominator

    def nearest(self, whole):
        """Bits of the number nearest to `whole` units, the even one of two."""
        magnitude = abs(whole)
        shift = max(0, magnitude.bit_length() - self.fraction - 1)
        kept, rest = magnitude >> shift, magnitude & ((1 << shift) - 1)
        bits = (shift << self.fraction) + kept  # the leading 1 adds to the exponent field
        half = 1 << (shift - 1) if shift else 0
        if shift and (rest > half or (rest == half and bits & 1)):
            bits += 1
        bits = min(bits, self.field_max << self.fraction)
        return bits | (whole < 0) << (self.fraction + self.field_max.bit_length())

    def sum_bits(self, values):
        if any(math.isnan(x) for x in values) or {INF, -INF} <= set(values):
            return self.bits(NAN)
        for infinity in INF, -INF:
            if infinity in values:
                return self.bits(infinity)
        whole = sum(self.whole(x) * count for x, count in counted(values))
        if whole == 0 and values and all(x == 0 and math.copysign(1, x) < 0 for x in values):
            return self.bits(-0.0)
        return self.nearest(whole)


def counted(values):
    counts = {}
    for x in values:
        counts[x] = counts.get(x, 0) + 1
    return counts.items()


FLOAT, DOUBLE = Format("float", "f", 23, 255), Format("double", "d", 52, 2047)


def scattered(seed, n, low, high, code):
    """n numbers of both signs with exponents low … high and every significand."""
    rng = random.Random(seed)
    fraction = 23 if code == "f" else 52
    return [rng.choice((-1, 1)) * math.ldexp(rng.randrange(2**fraction, 2**(fraction + 1)),
                                             rng.randint(low, high) - fraction) for _ in range(n)]


def cancelling(seed, n, low, high, code):
    """Numbers that cancel but for one."""
    x = scattered(seed, n, low, high, code)
    return x + [-v for v in x] + [scattered(seed + 1, 1, low, low, code)[0]]


def float_cases():
    big = 2.0**24
    ladder = [math.ldexp(1.0, e) for e in range(-149, 128)]
    yield "none", []
    yield "one -0", [-0.0]
    yield "-0 only", [-0.0] * 40
    yield "0 and -0", [-0.0, 0.0, -0.0]
    yield "cancels to 0", [3.5, -3.5, -0.0]
    yield "smallest subnormals", [TINY] * 3
    yield "the largest subnormal and one more", [NORMAL - TINY, TINY]
    yield "down to a subnormal", [NORMAL, -TINY, -TINY]
    yield "2^23 subnormals", [NORMAL / 2, NORMAL / 4, NORMAL / 4 - TINY]
    yield "a tie, down to even", [big, 1.0]
    yield "a tie, up to even", [big + 2, 1.0]
    yield "a tie below 0", [-big - 2, -1.0]
    yield "a little over a tie", [big, 1.0, TINY]
    yield "a little under a tie", [big + 2, 1.0, -TINY]
    yield "a tie of many", [big] + [2.0**-10] * 1024
    yield "rounded up to a power of two", [2 * big - 2, 1.0]
    yield "ties at every exponent", [x for e in range(-120, 100, 24) for x in
                                     (math.ldexp(1.0, e), math.ldexp(1.0, e - 24))]
    yield "the largest", [LARGEST]
    yield "a tie to infinity", [LARGEST, 2.0**103]
    yield "just not infinity", [LARGEST, 2.0**103, -TINY]
    yield "over the largest and back", [LARGEST] * 5 + [-LARGEST] * 4
    yield "to -infinity", [-LARGEST] * 3 + [LARGEST]
    yield "70,000 of the largest, and back", [LARGEST] * 70000 + [-LARGEST] * 69999
    yield "infinity", [1.0, INF, -LARGEST]
    yield "-infinity", [-INF, LARGEST, -INF]
    yield "both infinities", [INF, 1.0, -INF]
    yield "NaN", [1.0, NAN, 2.0]
    yield "NaN and infinity", [INF, NAN]
    yield "1e30 and back", [float_of(1e30), 1.0, -float_of(1e30)]
    yield "every power of two", ladder
    yield "every power of two and back, but 1", ladder + [-x for x in ladder if x != 1.0]
    yield "powers with signs", [x * (-1) ** k for k, x in enumerate(ladder)]
    yield "50,000 tenths", [float_of(0.1)] * 50000
    for seed, (low, high) in enumerate(((-1, 1), (-20, 20), (-126, 126), (-126, -110), (60, 127))):
        yield f"scattered, 2^{low} … 2^{high}", scattered(seed, 40, low, high, "f")
        yield f"cancelling, 2^{low} … 2^{high}", cancelling(seed, 20, low, high, "f")


def double_cases():
    tiny, largest, big = 2.0**-1074, sys.float_info.max, 2.0**53
    yield "none", []
    yield "-0 only", [-0.0] * 3
    yield "0 and -0", [0.0, -0.0]
    yield "smallest subnormals", [tiny] * 5
    yield "the largest subnormal and one more", [2.0**-1022 - tiny, tiny]
    yield "a tie, down to even", [big, 1.0]
    yield "a tie, up to even", [big + 2, 1.0]
    yield "a little over a tie", [big, 1.0, tiny]
    yield "a little under a tie", [-big - 2, -1.0, tiny]
    yield "just not infinity", [largest, 2.0**970, -tiny]
    yield "over the largest and back", [largest, largest, -largest]
    yield "a tie to infinity", [largest, 2.0**970]
    yield "infinity", [INF, -largest]
    yield "both infinities", [INF, -INF]
    yield "NaN", [NAN, 1.0]
    yield "1e300 and back", [1e300, 1.0, -1e300]
    yield "3,000 tenths", [0.1] * 3000
    for seed, (low, high) in enumerate(((-1, 1), (-60, 60), (-1022, 1022), (-1022, -1000))):
        yield f"scattered, 2^{low} … 2^{high}", scattered(seed, 40, low, high, "d")
        yield f"cancelling, 2^{low} … 2^{high}", cancelling(seed, 20, low, high, "d")


def float_of(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def check_by_fsum(name, values, bits):
    """fsum refuses what is infinite on the way; -0 is +0 to it."""
    try:
        want = math.fsum(values)
    except (OverflowError, ValueError):
        return
    if math.isnan(want):
        return
    if DOUBLE.bits(want) != bits and not (want == 0 and bits == DOUBLE.bits(-0.0)):
        sys.exit(f"{name}: fsum says {want!r}, the whole numbers say {bits:#x}")


def runs(form, values):
    """(bits, how often in a row)."""
    out = []
    for x in values:
        bits = form.bits(x)
        if out and out[-1][0] == bits:
            out[-1][1] += 1
        else:
            out.append([bits, 1])
    return out


def table(form, cases):
    digits = 8 if form is FLOAT else 16
    flat, rows = [], []
    for name, values in cases:
        bits = form.sum_bits(values)
        if form is DOUBLE:
            check_by_fsum(name, values, bits)
        stretch = runs(form, values)
        rows.append(f'    {{"{name}", {len(flat)}, {len(stretch)}, 0x{bits:0{digits}x}u}},')
        flat += [f"{{0x{b:0{digits}x}u, {count}}}" for b, count in stretch]
    lines, line = [], "   "
    for item in flat:
        if len(line) + len(item) > 97:
            lines.append(line)
            line = "   "
        line += f" {item},"
    lines.append(line)
    return "\n".join([f"static const exact_run {form.name}_runs[] = {{", *lines, "};",
                      f"static const exact_case {form.name}_cases[] = {{", *rows, "};"])


def header():
    return "\n".join([
        "// SPDX-License-Identifier: MIT",
        "// exact_sum_cases.h - made by tests/exact_sum_cases.py, whose head says how; not edited.",
        "// clang-format off",
        "#ifndef EXACT_SUM_CASES_H",
        "#define EXACT_SUM_CASES_H",
        "",
        "#include <stdint.h>",
        "",
        "typedef struct exact_run { // a value, and how often in a row",
        "  uint64_t bits;",
        "  uint32_t count;",
        "} exact_run;",
        "typedef struct exact_case { // its values are runs[first] … runs[first + n_runs - 1]",
        "  const char *name;",
        "  uint32_t first, n_runs;",
        "  uint64_t sum_bits; // the exact sum, correctly rounded",
        "} exact_case;",
        "",
        table(FLOAT, float_cases()),
        "",
        table(DOUBLE, double_cases()),
        "",
        "#endif",
        ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", action="store_true")
    what.add_argument("--check", action="store_true")
    args = parser.parse_args()
    text = header()
    if args.write:
        HEADER.write_text(text, encoding="utf-8")
    elif HEADER.read_text(encoding="utf-8") != text:
        sys.exit(f"{HEADER}: not what {sys.argv[0]} gives; run it with --write")


if __name__ == "__main__":
    main()
