# SPDX-License-Identifier: MIT
"""The stored targets: what a kernel was to reach beside a reference, and what it reached.

bench/gpu_targets.cu writes them, figures/data/h200-targets.csv holds them. A *contest* is all rows
of one target, n and regime, whose contestants were timed in turns. Rows with a verdict are held
against a reference: `ratio` is the reference's time over ours, the median over the rounds, between
its p10 and p90. A contest's *ceiling* is its fastest contestant that only reads (or only copies)
the same bytes: nothing that must move them all can be expected to take less.

Not here: why a target was not met (target_reasons.py), how all that is shown (target_tables.py),
and whether the file is whole and its verdicts follow from its numbers (figures/measured_tables.py).
"""

TABLE = "h200-targets"
REGIMES = ("lone", "queued", "graph")
CEILINGS = ("read", "copy")


class Kind:
    """Targets that move the same bytes an element: what must move, and which ceiling bounds it."""

    def __init__(self, name, names, element_bytes, ceiling):
        self.name, self.names = name, names
        self.element_bytes, self.ceiling = element_bytes, ceiling

    def match(self, target):
        """How many characters of the target's name the kind's own names explain; 0 for none."""
        return max((len(name) for name in self.names
                    if target == name or target.startswith(name + " ")), default=0)


KINDS = (  # in the order of the page
    Kind("sum", ("sum",), 4, "read"),
    Kind("misaligned", ("sum misaligned",), 4, "read"),
    Kind("histogram", ("histogram",), 4, "read"),
    Kind("bytes", ("bytes",), 1, "read"),
    Kind("scan", ("scan",), 8, "copy"),
    Kind("rows", ("row sums", "rows"), 4, "read"),
    Kind("normalise", ("rms_norm", "softmax_rows"), 8, "copy"),
)


def kind_of(target):
    """The kind whose names explain most of a target's; None for one that the page knows nothing
    of."""
    best = max(KINDS, key=lambda kind: kind.match(target))
    return best if best.match(target) else None


class Row:
    """One contestant of one contest, held against a reference or (verdict "") not."""

    def __init__(self, stored):
        self.target, self.regime, self.kernel = (stored[c] for c in ("target", "regime", "kernel"))
        self.n, self.block = int(stored["n"]), int(stored["block"])
        self.median_us, self.p10_us, self.p90_us = (
            float(stored[c]) for c in ("median_us", "p10_us", "p90_us"))
        self.gb_per_s = float(stored["gb_per_s"])
        self.reference, self.verdict = stored["reference"], stored["verdict"]
        if self.verdict:
            self.ratio, self.ratio_p10, self.ratio_p90, self.wanted = (
                float(stored[c]) for c in ("ratio", "ratio_p10", "ratio_p90", "wanted"))

    def is_ceiling(self):
        return self.kernel.startswith(CEILINGS)

    def is_ours(self):
        return not self.is_ceiling() and not self.is_cub()

    def is_cub(self):
        return self.kernel.startswith("cub")

    def is_beside_cub(self):
        """Held against CUB, or the faster of several ways to call it."""
        return self.reference.startswith("cub")

    def place(self):
        """What names it, for people: target, n, regime, kernel, block, reference."""
        return (f"{self.target}/{self.n}/{self.regime}/{self.kernel}/{self.block}/"
                f"{self.reference}")

    def standing(self):
        """Whether the reference is beaten, apart from any target: ahead, ties, behind."""
        if self.ratio_p10 > 1.0:
            return "ahead"
        missed_one = self.verdict == "missed" and self.wanted == 1.0  # a p90 just below 1
        return "behind" if self.ratio_p90 < 1.0 or missed_one else "ties"


class Targets:
    """All rows of a table of targets, and the contests that they form."""

    def __init__(self, data, table=TABLE):
        self.rows = [Row(stored) for stored in data.table(table).values.values()]
        self.contests = {}
        for row in self.rows:
            self.contests.setdefault((row.target, row.n, row.regime), []).append(row)

    def of(self, kind_name):
        return [row for row in self.rows
                if (kind := kind_of(row.target)) and kind.name == kind_name]

    def held(self, kind_name=None):
        """The rows with a verdict."""
        return [row for row in (self.of(kind_name) if kind_name else self.rows) if row.verdict]

    def contest(self, row):
        return self.contests[row.target, row.n, row.regime]

    def reference(self, row):
        return next(one for one in self.contest(row) if one.kernel == row.reference)

    def ceiling(self, row):
        """The fastest contestant that only moves the bytes; if none took part, of another contest
        with as many bytes, in the same regime. None when that was not measured."""
        kind = kind_of(row.target)
        candidates = [one for one in self.contest(row) if one.kernel.startswith(kind.ceiling)]
        if not candidates:
            candidates = [one for one in self.rows if one.kernel.startswith(kind.ceiling)
                          and one.regime == row.regime and kind_of(one.target)
                          and bytes_of(one) == bytes_of(row)]
        return min(candidates, key=lambda one: one.median_us, default=None)

    def best_of_ours(self, row):
        """The fastest kernel of ours in the row's contest."""
        return min((one for one in self.contest(row) if one.is_ours()),
                   key=lambda one: one.median_us)

    def others_of_ours(self, row):
        """Our other kernels of the contest, once each, fastest first."""
        others = {(one.kernel, one.block): one for one in self.contest(row)
                  if one.is_ours() and (one.kernel, one.block) != (row.kernel, row.block)}
        return sorted(others.values(), key=lambda one: one.median_us)


def bytes_of(row):
    """What the task must move, read and written: every element once."""
    return row.n * kind_of(row.target).element_bytes
