#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make measure with stand-ins: its parts, the tables that it stores, and results bit for bit."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from stand_ins import LESSONS, ROOT, SCRIPTS, Machine  # noqa: E402

sys.path.insert(0, str(ROOT / "figures"))
import measured_tables  # noqa: E402


class Tables(unittest.TestCase):
    """Stored tables that are no sweep: good ones pass, spoilt ones are found."""

    HEAD = {name: "x" for name in measured_tables.ABOUT} | {"date": "2026-01-31"}

    def table(self, kind, columns, key, rows):
        about = self.HEAD | {"key": key}
        return kind, measured_tables.Table(about, columns, rows).seal()

    def complaints(self, pair):
        return " ".join(measured_tables.complaints(*pair))

    def sanitizer(self):
        rows = [f'{kind}/{name},{tool},0,0,""' for kind in ("lessons", "solutions")
                for name in measured_tables.lessons() for tool in measured_tables.TOOLS]
        return self.table("sanitizer-lessons", "program,tool,findings,exit_status,first",
                          "program/tool", rows)

    def targets(self):
        rows = []
        for name in measured_tables.TARGETS:
            sizes = measured_tables.SIZES if name in ("sum", "scan") else [1 << 28]
            regimes = measured_tables.REGIMES if name in ("sum", "scan") else ["queued"]
            rows += [f"{name},{n},{how},ours,256,9.0,8.0,10.0,5.0,cub,1.100,1.000,1.200,1.00,met"
                     for n in sizes for how in regimes]
        return self.table("targets",
                          "target,n,regime,kernel,block,median_us,p10_us,p90_us,gb_per_s,"
                          "reference,ratio,ratio_p10,ratio_p90,wanted,verdict",
                          "target/n/regime/kernel/block/reference", rows)

    def look_back(self):
        rows = [f"{kind},{block},gb_per_s,4000,GB/s" for kind in ("scan", "no_look_back")
                for block in (256, 512, 1024)]
        rows += [f"trace,{block},{name}_us,1.5,us" for block in (256, 512, 1024)
                 for name in ("ticket", "fetch", "slowest", "messages", "store", "all")]
        return self.table("look-back", "experiment,block,quantity,value,unit", "experiment/block",
                          rows)

    def exact_sum(self):
        rows = [f"{numbers},{n},{kernel},9.0,8.0,10.0,4000.0,{ratio}"
                for numbers in measured_tables.NUMBERS for n in (1 << 22, 1 << 28)
                for kernel, ratio in (("cub", "1.000"), ("columns", "0.300"), ("vectors", "0.980"),
                                      ("window", "0.950"))]
        return self.table("exact-sum", "numbers,n,kernel,median_us,p10_us,p90_us,gb_per_s,of_cub",
                          "numbers/n/kernel", rows)

    def many_bins(self):
        rows = [f"{way},1,{samples},{bins},{n},9.0,8.0,500.0" for bins in measured_tables.MANY_BINS
                for way in ("chosen", "cub", "global")
                for samples in ("uniform", "skewed", "zipf", "equal")
                for n in (1 << 20, 1 << 24, 1 << 28)]
        rows.append("many,1,equal,2^16,5368709197,9.0,8.0,500.0")
        return self.table("many-bins", "way,parts,samples,bins,n,median_us,best_us,gb_per_s",
                          "way/parts/samples/bins/n", rows)

    def many_gpus(self):
        rows = [f"links,{what},2,{4 << shift},9.0,8.0,7.0"
                for what in ("copy", "copies", "read", "reads") for shift in range(0, 29, 4)]
        rows += [f"links,{what},2,0,9.0,8.0,7.0" for what in ("signals", "host_function")]
        rows += [f"sums,{what},{n_gpus},{4 << shift},9.0,8.0,7.0" for n_gpus in (1, 2)
                 for what in ("one_gpu", "host_adds", "peer_copies", "peer_reads", "exact")
                 for shift in range(16, 31)]
        rows += [f"across,{what},2,{4 << shift},9.0,8.0,7.0" for what in ("star", "tree", "ring")
                 for shift in range(8, 29, 2)]
        rows += [f"from_host,{what},{n_gpus},{4 << shift},9.0,8.0,7.0" for n_gpus in (1, 2)
                 for what in ("whole", "chunks") for shift in range(20, 29, 4)]
        return self.table("many-gpus", "experiment,what,devices,bytes,lone_us,queued_us,best_us",
                          "experiment/what/devices/bytes", rows)

    def changed(self, pair, before, after):
        """The same with something else in its rows, sealed again."""
        kind, table = pair
        table.lines = [line.replace(before, after) for line in table.lines]
        return kind, table.seal()

    def tables(self):
        return (self.sanitizer(), self.targets(), self.look_back(), self.exact_sum(),
                self.many_bins(), self.many_gpus())

    def test_good_tables(self):
        for pair in self.tables():
            self.assertEqual(self.complaints(pair), "", pair[0])

    def test_cut_short_mixed_or_without_a_head(self):
        for pair in self.tables():
            last = pair[1].lines.pop()
            self.assertIn("written were", self.complaints(pair))
            pair[1].lines.append(last.replace("0", "1").replace("5", "6"))
            self.assertIn("not those that were written", self.complaints(pair))
            del pair[1].about["clocks"]
            self.assertIn("does not say: clocks", self.complaints(pair))
            pair[1].lines.append(pair[1].lines[0])
            self.assertIn("twice", self.complaints((pair[0], pair[1].seal())))

    def test_a_sanitizer_must_have_run_and_be_quiet(self):
        cases = [('lessons/00_naive_atomic,racecheck,0,0,""',
                  'lessons/00_naive_atomic,racecheck,-,124,"stopped"', "was stopped"),
                 ("solutions/08_histogram,initcheck,0,0", "solutions/08_histogram,initcheck,3,0",
                  "3 findings"),
                 ("solutions/08_histogram,initcheck,0,0", "solutions/08_histogram,initcheck,0,1",
                  "status 1"),
                 ("solutions/08_histogram,initcheck", "solutions/99_other,initcheck",
                  "was not run under")]
        for before, after, complaint in cases:
            self.assertIn(complaint, self.complaints(self.changed(self.sanitizer(), before, after)))

    def test_targets_are_whole_and_their_verdicts_follow(self):
        cases = [(",met", ",missed", "the numbers say met"),
                 ("row sums", "row nums", "no verdict on row sums"),
                 ("sum,1024,graph", "sum,1023,graph", "no verdict for n = 1024, graph"),
                 ("9.0,8.0,10.0", "9.0,9.5,10.0", "between p10 and p90"), ("1.100", "x",
                                                                           "not a table")]
        for before, after, complaint in cases:
            self.assertIn(complaint, self.complaints(self.changed(self.targets(), before, after)))

    def test_a_trace_has_every_block_size(self):
        said = self.complaints(self.changed(self.look_back(), "trace,512,fetch_us",
                                            "trace,512,fetched_us"))
        self.assertIn("no fetch_us of trace with blocks of 512", said)

    def test_an_exact_sum_is_measured_for_every_kind_of_numbers(self):
        cases = [("any exponent,4194304,window", "any exponent,4194304,other",
                  "no window of 4194304 numbers of the kind any exponent"),
                 ("9.0,8.0,10.0", "9.0,9.5,10.0", "between p10 and p90"),
                 ("4000.0,0.980", "4000.0,nan", "no ratio to CUB's time"),
                 ("4000.0,1.000", "4000.0,1.100", "no ratio to CUB's time")]
        for before, after, complaint in cases:
            self.assertIn(complaint, self.complaints(self.changed(self.exact_sum(), before, after)))

    def test_many_gpus_are_measured_beside_one(self):
        cases = [("sums,peer_reads,1,4194304", "sums,peer_reads,1,4194305",
                  "sums: no peer_reads for devices = 1, bytes = 4194304"),
                 ("links,reads,2,64,", "links,read,2,65,",
                  "links: no reads for devices = 2, bytes = 64"),
                 ("8.0,7.0", "8.0,8.5", "the best time is above the median")]
        for before, after, complaint in cases:
            self.assertIn(complaint, self.complaints(self.changed(self.many_gpus(), before, after)))

    def test_many_bins_are_a_whole_grid(self):
        cases = [("chosen,1,zipf,2^18,268435456", "chosen,2,zipf,2^19,268435456",
                  "2^18 bins: no chosen on zipf samples, n = 268435456 (1 missing)"),
                 ("many,1,equal,2^16,5368709197", "many,1,equal,2^16,4000000000",
                  "nothing of more than 2^32 samples"),
                 (",9.0,8.0,", ",9.0,9.5,", "the best time is above the median")]
        for before, after, complaint in cases:
            self.assertIn(complaint, self.complaints(self.changed(self.many_bins(), before, after)))

    def test_a_table_has_the_lessons_that_its_head_names(self):
        newest = measured_tables.lessons()[-1]
        kind, table = self.sanitizer()
        table.lines = [line for line in table.lines if newest not in line]
        self.assertEqual(self.complaints((kind, table.seal())), "")  # stored before that lesson
        table.about["lessons"] = " ".join(measured_tables.lessons())
        self.assertIn(f"lessons/{newest} was not run under", self.complaints((kind, table)))

    def test_a_profile_names_what_it_did_not_see(self):
        *seen, unseen = measured_tables.lessons()
        rows = [f"{name}/tree,1024,256,shuffles,5,5,1.0,".replace("/", ",") for name in seen]
        kind, table = self.table("ncu", "lesson,variant,n,block,quantity,software,gpu,ratio,reason",
                                 "lesson/variant/n/block", rows)
        table.about["lessons"] = " ".join([*seen, unseen])
        self.assertIn(f"nothing of lesson {unseen}", self.complaints((kind, table)))
        table.about["unseen"] = f"{seen[0]}/copies, {unseen}/tree"
        self.assertEqual(self.complaints((kind, table)), "")

    def test_what_is_said_to_be_incomplete_need_not_be_whole(self):
        pair = self.changed(self.sanitizer(), "racecheck,0,0", "racecheck,-,124")
        pair[1].about["incomplete"] = "racecheck takes an hour here"
        self.assertEqual(self.complaints(pair), "")


class Measure(Machine):
    """make measure: its parts one by one, with stand-ins."""

    def setUp(self):
        super().setUp()
        for lesson in LESSONS:
            self.program(lesson)
        self.data = self.here / "data"

    def measure(self, *arguments):
        return self.script("measure.py", "--gpu", "test", "--build", self.build, "--data",
                           self.data, *arguments)

    def test_a_part_that_cannot_be_run_does_not_stop_the_others(self):
        done = self.measure("--parts", "look-back,sweep")
        self.assertEqual(done.returncode, 1)
        self.assertIn("1 of 2 parts are stored", done.stdout)
        self.assertIn("look-back is not stored", done.stderr)
        self.assertTrue((self.data / "test-sweep.jsonl").exists())
        self.assertIn("nvcc", (self.build / "measure/look-back.log").read_text())

    def test_what_is_done_is_not_done_again(self):
        self.assertEqual(self.measure("--parts", "sweep").returncode, 0)
        self.calls()
        self.assertIn("sweep: done before", self.measure("--parts", "sweep").stdout)
        self.assertFalse((self.here / "calls").exists())
        self.assertEqual(self.measure("--parts", "sweep", "--fresh").returncode, 0)
        self.assertTrue(self.calls())

    def test_a_part_has_its_limit(self):
        (self.here / "delay").write_text("0.2")
        done = self.measure("--parts", "sweep", "--limit", "3")
        self.assertEqual(done.returncode, 1)
        self.assertIn("stopped after 3 s", done.stderr)
        kept = (self.build / "measure/sweep.jsonl").read_text().count('"done"')
        self.assertGreater(kept, 1)  # and the same command goes on from there

    def test_bad_wishes_are_refused(self):
        self.assertEqual(self.measure("--parts", "moon").returncode, 2)
        self.assertEqual(self.script("measure.py", "--gpu", "../x", "--build",
                                     self.build).returncode, 2)
        self.write("build/CMakeCache.txt", "WORKBOOK_BACKEND_RESOLVED:INTERNAL=SIMT\n")
        self.assertEqual(self.measure().returncode, 2)


class Results(unittest.TestCase):
    """Two devices' results, bit for bit."""

    ROW = {"lesson": "05_shuffle", "variant": "redux", "n": 33, "block": 64, "grid": 132,
           "result": "0x1p+3", "correct": True}

    def compare(self, expected, got, name="expected.jsonl", part=False):
        with tempfile.TemporaryDirectory() as folder:
            for file, rows in (("expected.jsonl", expected), ("got.jsonl", got)):
                (Path(folder) / file).write_text("".join(json.dumps(row) + "\n" for row in rows))
            script = [sys.executable, "-B", SCRIPTS / "compare_results.py"]
            if name.endswith(".csv"):
                subprocess.run([*script, "--table", f"{folder}/expected.jsonl", f"{folder}/{name}",
                                "clang 19.1.7"], check=True, capture_output=True)
            script += ["--part"] * part
            return subprocess.run([*script, f"{folder}/{name}", f"{folder}/got.jsonl"],
                                  capture_output=True, text=True, check=False)

    def test_equal_different_missing(self):
        sweep = {**self.ROW, "variant": "slots", "parameter": 4}
        for name in ("expected.jsonl", "expected.csv"):
            self.assertEqual(self.compare([self.ROW, sweep], [self.ROW, sweep], name).returncode, 0)
            other = {**self.ROW, "result": "0x1.8p+3"}
            self.assertIn("different bits", self.compare([self.ROW], [other], name).stdout)
            self.assertIn("only on one side",
                          self.compare([self.ROW, sweep], [self.ROW], name).stdout)
            wrong = {**self.ROW, "correct": False}
            self.assertEqual(self.compare([self.ROW], [wrong], name).returncode, 1)

    def test_another_grid_may_give_other_bits(self):
        other = {**self.ROW, "grid": 108, "result": "0x1.8p+3"}
        for name in ("expected.jsonl", "expected.csv"):
            done = self.compare([self.ROW], [other], name)
            self.assertEqual(done.returncode, 0)
            self.assertIn("1 both correct, with another grid", done.stdout)
        self.assertEqual(self.compare([self.ROW], [{**other, "correct": False}]).returncode, 1)

    def test_a_part_may_be_compared(self):
        more = {**self.ROW, "n": 65}
        self.assertEqual(self.compare([self.ROW, more], [self.ROW], part=True).returncode, 0)
        self.assertEqual(self.compare([self.ROW], [self.ROW, more], part=True).returncode, 1)
        self.assertEqual(self.compare([more], [{**more, "result": "0x0p+0"}], part=True).returncode,
                         1)
        self.assertEqual(self.compare([more], [], part=True).returncode, 1)

    def test_a_table_is_of_right_results_only(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "lines.jsonl"
            path.write_text(json.dumps({**self.ROW, "correct": False}) + "\n")
            done = subprocess.run([sys.executable, "-B", SCRIPTS / "compare_results.py", "--table",
                                   path, f"{folder}/table.csv", "clang 19.1.7"],
                                  capture_output=True, text=True, check=False)
            self.assertIn("nothing was written", done.stdout)
            self.assertEqual(done.returncode, 1)
            self.assertFalse((Path(folder) / "table.csv").exists())


if __name__ == "__main__":
    unittest.main()
