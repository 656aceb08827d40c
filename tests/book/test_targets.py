#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rule that a target which is not met has a true argument, and the tables of the page on
limits, on small made-up contests whose answers are known. Each rule has a case that it must catch
and one that it must not."""

import contextlib
import io
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "book" / "scripts"))

import target_reasons  # noqa: E402
import target_tables  # noqa: E402
from stored_data import StoredData  # noqa: E402
from target_reasons import BEYOND, ELSEWHERE, REACHABLE, TIED, Reason  # noqa: E402
from targets import Targets, kind_of  # noqa: E402

HEAD = """# device: a GPU
# driver: 1
# toolkit: CUDA 13.0
# date: 2026-01-31
# method: made up
# key: target/n/regime/kernel/block/reference
target,n,regime,kernel,block,median_us,p10_us,p90_us,gb_per_s,\
reference,ratio,ratio_p10,ratio_p90,wanted,verdict
"""


def contestant(target, kernel, us, n=1 << 28, regime="queued", p10=None):
    return f"{target},{n},{regime},{kernel},256,{us},{p10 or us},{us},{4 * n / us / 1e3:.1f},,,,,,"


def held(target, kernel, us, ratios, wanted, verdict, reference="cub", n=1 << 28, regime="queued"):
    ratio, p10, p90 = ratios
    return (f"{target},{n},{regime},{kernel},256,{us},{us},{us},{4 * n / us / 1e3:.1f},{reference},"
            f"{ratio},{p10},{p90},{wanted},{verdict}")


# CUB takes 500 µs, reading takes 240: 2.0 times CUB's rate is possible, 2.5 is not.
CUB, READ = contestant("histogram equal", "cub", 500), contestant("histogram equal", "read", 240)


class Stored(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def targets(self, *lines):
        (self.folder / "h200-targets.csv").write_text(HEAD + "\n".join(lines) + "\n",
                                                      encoding="utf-8")
        return Targets(StoredData(self.folder))

    def complaints(self, reasons, *lines):
        return target_reasons.complaints(self.targets(*lines), reasons)


class Rule(Stored):
    def test_what_is_met_needs_no_argument(self):
        row = held("histogram equal", "ours", 250, (2.0, 1.9, 2.1), 1.9, "met")
        self.assertEqual(self.complaints([], CUB, READ, row), [])

    def test_missed_and_tied_need_one(self):
        missed = held("histogram equal", "ours", 250, (2.0, 1.9, 2.1), 2.5, "missed")
        tied = held("histogram equal", "other", 250, (2.0, 1.9, 2.1), 2.05, "ties")
        found = self.complaints([], CUB, READ, missed, tied)
        self.assertEqual(len(found), 2)
        self.assertIn("no argument", found[0])
        self.assertIn("histogram equal/268435456/queued/ours/256/cub", found[0])
        elsewhere = [Reason("sum", BEYOND, "")]  # of another target
        self.assertEqual(len(self.complaints(elsewhere, CUB, READ, missed)), 1)

    def test_beyond_the_ceiling_is_arithmetic(self):
        beyond = [Reason("histogram .*", BEYOND, "")]
        missed = held("histogram equal", "ours", 250, (2.0, 1.9, 2.1), 2.5, "missed")
        self.assertEqual(self.complaints(beyond, CUB, READ, missed), [])
        possible = held("histogram equal", "ours", 255, (1.96, 1.9, 1.99), 2.0, "missed")
        found = self.complaints(beyond, CUB, READ, possible)
        self.assertEqual(len(found), 1)
        self.assertIn("do not bear out: beyond", found[0])

    def test_ceiling_counts_with_its_fastest_rounds(self):
        beyond = [Reason("histogram .*", BEYOND, "")]
        missed = held("histogram equal", "ours", 250, (2.0, 1.9, 2.05), 2.1, "missed")  # 238 µs
        self.assertEqual(self.complaints(beyond, CUB, READ, missed), [])
        now_and_then = contestant("histogram equal", "read", 240, p10=237)
        self.assertEqual(len(self.complaints(beyond, CUB, now_and_then, missed)), 1)

    def test_no_ceiling_is_no_argument(self):
        missed = held("histogram equal", "ours", 250, (2.0, 1.9, 2.1), 2.5, "missed")
        for claim in BEYOND, REACHABLE:
            self.assertEqual(len(self.complaints([Reason(".*", claim, "")], CUB, missed)), 1)

    def test_ceiling_of_another_contest_with_as_many_bytes(self):
        beyond = [Reason("bytes .*", BEYOND, "")]
        cub = contestant("bytes equal", "cub", 500, n=1 << 30)
        missed = held("bytes equal", "ours", 250, (2.0, 1.9, 2.1), 2.5, "missed", n=1 << 30)
        self.assertEqual(self.complaints(beyond, cub, READ, missed), [])
        fewer = contestant("histogram equal", "read", 240, n=1 << 27)
        self.assertEqual(len(self.complaints(beyond, cub, fewer, missed)), 1)

    def test_what_we_did_is_not_beyond(self):
        """A kernel that takes less time than the ceiling refutes it."""
        beyond = [Reason("histogram .*", BEYOND, "")]
        missed = held("histogram equal", "ours", 250, (2.0, 1.9, 2.1), 2.5, "missed")
        other = contestant("histogram equal", "other", 199)
        self.assertEqual(len(self.complaints(beyond, CUB, READ, missed, other)), 1)

    def test_reachable_must_be(self):
        reachable = [Reason("histogram .*", REACHABLE, "")]
        possible = held("histogram equal", "ours", 255, (1.96, 1.9, 1.99), 2.0, "missed")
        self.assertEqual(self.complaints(reachable, CUB, READ, possible), [])
        missed = held("histogram equal", "ours", 250, (2.0, 1.9, 2.1), 2.5, "missed")
        self.assertEqual(len(self.complaints(reachable, CUB, READ, missed)), 1)

    def test_reachable_is_not_reached(self):
        """A kernel that is fast enough, but was not held against the target, is no argument."""
        reachable = [Reason("histogram .*", REACHABLE, "")]
        missed = held("histogram equal", "ours", 255, (1.96, 1.9, 1.99), 2.0, "missed")
        other = contestant("histogram equal", "other", 249)
        self.assertEqual(len(self.complaints(reachable, CUB, READ, missed, other)), 1)
        slower = contestant("histogram equal", "other", 251)
        self.assertEqual(self.complaints(reachable, CUB, READ, missed, slower), [])

    def test_tie_is_within_the_spread(self):
        tied = [Reason(".*", TIED, "", verdict="ties")]
        row = held("histogram equal", "ours", 505, (0.99, 0.98, 1.01), 1.0, "ties")
        self.assertEqual(self.complaints(tied, CUB, READ, row), [])
        missed = held("histogram equal", "ours", 505, (0.97, 0.96, 0.99), 1.0, "missed")
        self.assertEqual(len(self.complaints(tied, CUB, READ, missed)), 1)

    def test_met_elsewhere_is_of_the_same_target(self):
        elsewhere = [Reason(".*", ELSEWHERE, "")]
        missed = held("histogram equal", "slow", 400, (1.25, 1.2, 1.3), 2.0, "missed")
        met = held("histogram equal", "fast", 245, (2.04, 2.03, 2.05), 2.0, "met")
        self.assertEqual(self.complaints(elsewhere, CUB, READ, missed, met), [])
        unjudged = contestant("histogram equal", "fast", 245)
        self.assertEqual(self.complaints(elsewhere, CUB, READ, missed, unjudged), [])
        less = held("histogram equal", "fast", 255, (1.96, 1.95, 1.97), 1.5, "met")
        self.assertEqual(len(self.complaints(elsewhere, CUB, READ, missed, less)), 1)
        graph = held("histogram equal", "fast", 245, (2.04, 2.03, 2.05), 2.0, "met", regime="graph")
        cub = contestant("histogram equal", "cub", 500, regime="graph")
        self.assertEqual(len(self.complaints(elsewhere, CUB, READ, cub, missed, graph)), 1)

    def test_first_true_argument_counts(self):
        reasons = [Reason(".*", BEYOND, "no"), Reason(".*", REACHABLE, "yes")]
        targets = self.targets(CUB, READ,
                               held("histogram equal", "ours", 255, (1.96, 1.9, 1.99), 2.0,
                                               "missed"))
        row = targets.held()[0]
        self.assertEqual(target_reasons.reason_for(row, targets, reasons).text, "yes")

    def test_target_without_a_section(self):
        row = held("median", "ours", 250, (2.0, 1.9, 2.1), 1.0, "met")
        found = self.complaints([], contestant("median", "cub", 500), row)
        self.assertIn("no section", found[0])
        self.assertEqual([kind_of(name).name for name in ("sum", "sum misaligned", "bytes equal")],
                         ["sum", "misaligned", "bytes"])
        self.assertIsNone(kind_of("summary"))

    def test_leftovers_are_named_and_pass(self):
        reasons = [Reason("histogram .*", REACHABLE, "needed"), Reason("sum", REACHABLE, "left")]
        targets = self.targets(CUB, READ,
                               held("histogram equal", "ours", 255, (1.96, 1.9, 1.99), 2.0,
                                               "missed"))
        self.assertEqual([r.text for r in target_reasons.leftovers(targets, reasons)], ["left"])

    def exit_status(self, *lines):
        self.targets(*lines)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            status = target_reasons.check(self.folder)
        return status, said.getvalue()

    def test_exit_status(self):
        met = held("histogram equal", "ours", 250, (2.0, 1.9, 2.1), 1.9, "met")
        status, said = self.exit_status(CUB, READ, met)
        self.assertEqual(status, 0)
        self.assertIn("not needed by this run: sum", said)
        self.assertEqual(self.exit_status(CUB, READ)[0], 1)  # nothing is held against anything
        missed = held("rows", "ours", 250, (2.0, 1.9, 2.1), 2.5, "missed")
        self.assertEqual(self.exit_status(contestant("rows", "cub", 500), missed)[0], 1)


class Tables(Stored):
    def pieces(self, *lines):
        self.targets(*lines)
        return target_tables.pieces(StoredData(self.folder))

    def sums(self, verdict="missed", ratios=(0.9, 0.8, 0.95)):
        lines = []
        for power in range(10, 15):
            n = 1 << power
            lines += [contestant("sum", "cub", 3, n=n), contestant("sum", "read", 2, n=n),
                      contestant("sum", "other", 4, n=n)]
            these, word = (ratios, verdict) if power == 12 else ((1.2, 1.1, 1.3), "met")
            lines.append(held("sum", "ours", 3, these, 1, word, n=n))
        return lines

    def test_sizes(self):
        rows = self.pieces(*self.sums())["target_sizes"]("sum").split("\n")
        self.assertEqual(rows[0], "| Elements | queued |")
        self.assertEqual(rows[2], "| 2<sup>10</sup> | 1.20 |")
        self.assertEqual(rows[4], "| 2<sup>12</sup> | **0.90 behind** |")
        rows = self.pieces(*self.sums("ties",
                                      (0.99, 0.95, 1.02)))["target_sizes"]("sum").split("\n")
        self.assertEqual(rows[4], "| 2<sup>12</sup> | 0.99 ties |")
        self.assertEqual(self.pieces(*self.sums("met", (1.01, 0.95, 1.1)))["target_sizes"]("sum")
                         .split("\n")[4], "| 2<sup>12</sup> | 1.01 ties |")  # met, but no lead

    def test_wanted(self):
        lines = self.sums() + [held("sum", "ours", 3, (1.9, 1.8, 2.0), 1.3, "met", n=1 << 15),
                               contestant("sum", "cub", 5, n=1 << 15)]
        self.assertEqual(self.pieces(*lines)["target_wanted"]("sum"),
                         "1 (1.3 queued from 2<sup>15</sup> to 2<sup>15</sup>)")

    def test_sizes_beside_a_ceiling(self):
        lines = []
        for power in range(26, 30):
            n, us = 1 << power, 300 << (power - 26)
            ratios, word = ((0.88, 0.87, 0.91), "ties") if power == 27 else ((0.92, 0.91, 0.93),
                                                                             "met")
            lines += [contestant("scan", "copy", us, n=n),
                      held("scan", "ours", us * 1.1, ratios, 0.9, word, "copy", n=n)]
        pieces = self.pieces(*lines)
        rows = pieces["target_sizes"]("scan", "copy").split("\n")
        self.assertEqual(rows[2:4], ["| 2<sup>26</sup> | 0.92 |", "| 2<sup>27</sup> | 0.88 ties |"])
        self.assertEqual(pieces["target_sizes"]("scan"), "No stored run has these yet.")
        self.assertEqual(pieces["target_rows"]("scan"), "")  # they are in the table by size

    def test_arguments_only_where_needed(self):
        text = self.pieces(*self.sums())["target_arguments"]("sum")
        self.assertIn("**Not reached, though the hardware would allow it.**", text)
        self.assertIn("`other` 4.00", text)  # what else was tried
        self.assertNotIn("the worst of", text)
        lines = self.sums()
        lines[3] = held("sum", "ours", 3, (0.8, 0.7, 0.9), 1, "missed", n=1 << 10)
        text = self.pieces(*lines)["target_arguments"]("sum")
        self.assertEqual(text.count("the worst of 2 sizes"), 1)
        self.assertIn("sum, 2<sup>10</sup>, queued", text)
        self.assertEqual(self.pieces(*self.sums("met", (1.0, 0.9, 1.1)))["target_arguments"]("sum"),
                         "Every target of this section is met.")

    def test_missing_argument_is_not_hidden(self):
        row = held("rows", "ours", 250, (2.0, 1.9, 2.1), 2.5, "missed")
        text = self.pieces(contestant("rows", "cub", 500), row)["target_arguments"]("rows")
        self.assertEqual(text, "**No argument.** rows, 2<sup>28</sup>, queued, `ours`, 256")

    def test_refused_is_not_simply_missed(self):
        row = held("histogram equal", "ours", 250, (2.0, 1.9, 2.1), 2.5, "missed")
        pieces = self.pieces(CUB, READ, row)
        self.assertTrue(pieces["target_rows"]("histogram").endswith("| 2.5 | refused |"))
        text = pieces["target_arguments"]("histogram")
        self.assertIn("**Beyond the ceiling.**", text)
        self.assertIn("| 500.0 / 2.5 | 200.0 (5,369 GB/s) | 240.0 (4,474 GB/s) | 250.0 (2.00 ×) | "
                      "– |",
                      text)
        numbers = [pieces["target_number"](what) for what in ("held", "met", "missed", "refused")]
        self.assertEqual(numbers, ["1", "0", "0", "1"])
        self.assertRaises(KeyError, pieces["target_number"], "apples")
        pieces = self.pieces(CUB, READ, row, contestant("histogram equal", "other", 199))
        numbers = [pieces["target_number"](what) for what in ("missed", "refused", "elsewhere")]
        self.assertEqual(numbers, ["0", "0", "1"])
        self.assertTrue(pieces["target_rows"]("histogram").endswith("| 2.5 | met elsewhere |"))

    def test_overview(self):
        row = held("histogram equal", "ours", 250, (2.0, 1.9, 2.1), 2.5, "missed")
        lines = self.pieces(CUB, READ, row)["target_overview"]().split("\n")
        self.assertEqual(lines[2], "| histogram equal, 2<sup>28</sup> | 1 | 240.0 | `ours` | 250.0 "
                                   "| 96 % | 2.00&nbsp;(1.90&nbsp;to&nbsp;2.10) |")

    def test_cub_in_two_ways(self):
        """The faster one is the reference, whichever it is."""
        lines = [contestant("scan", "cub", 6, n=1 << 28),
                 contestant("scan", "cub (64-bit)", 5, n=1 << 28),
                 contestant("scan", "copy", 3, n=1 << 28),
                 held("scan", "ours", 4, (1.25, 0.9, 1.3), 1, "met", "cub (64-bit)", n=1 << 28)]
        pieces = self.pieces(*lines)
        self.assertTrue(pieces["target_overview"]().endswith("| 75 % | "
                                                             "1.25&nbsp;(0.90&nbsp;to&nbsp;1.30) "
                                                             "|"))
        self.assertEqual([pieces["target_number"]("cub_" + what)
                          for what in ("ahead", "ties", "behind")],
                         ["0", "1", "0"])

    def test_kinds_have_names(self):
        pieces = self.pieces(CUB, READ)
        self.assertRaises(KeyError, pieces["target_rows"], "histograms")
        self.assertEqual(pieces["target_rows"]("scan"), "No stored run has these yet.")


class Figure(Stored):
    def draw(self, *lines):
        self.targets(*lines)
        for python in (sys.executable, "/usr/bin/python3"):  # as the book does: one has matplotlib
            done = subprocess.run([python, "-B", ROOT / "figures/plot_limits.py", "--data",
                                   self.folder,
                                   "--out", self.folder], capture_output=True, text=True,
                                   check=False)
            if done.returncode == 0:
                return done.stdout, self.folder / "limits.svg"
        self.fail(f"no Python here draws; make setup installs what that needs:\n{done.stderr}")

    def test_drawn_where_there_are_many_sizes(self):
        lines = [contestant("sum", kernel, us, n=1 << p) for p in range(10, 15)
                 for kernel, us in (("cub", 3), ("read", 2))]
        lines += [held("sum", "ours", 3, (1.2, 1.1, 1.3), 1, "met", n=1 << p)
                  for p in range(10, 15)]
        said, path = self.draw(*lines)
        self.assertEqual(said.strip(), str(path))
        text = path.read_text(encoding="utf-8")
        for words in "sum, queued", "CUB's time over ours", "a GPU, CUDA 13.0, 2026-01-31":
            self.assertIn(words, text)  # matplotlib leaves the words of a path as a comment
        self.assertNotIn("scan, queued", text)

    def test_not_drawn_without(self):
        said, path = self.draw(CUB, READ)
        self.assertEqual((said, path.exists()), ("", False))


class Page(unittest.TestCase):
    def test_every_kind_has_a_section(self):
        text = (ROOT / "book/limits.md.in").read_text(encoding="utf-8")
        for kind in target_tables.KINDS:
            self.assertIn(f"{{#limits_{kind.name}}}", text)
            self.assertIn(f"{{{{target_rows {kind.name}}}}}", text)
            self.assertIn(f"{{{{target_arguments {kind.name}}}}}", text)


if __name__ == "__main__":
    unittest.main(verbosity=2)  # names what is skipped, for check_report.py
