#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The book's tables about the checkers, made from small stored files whose answers are known."""

import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "book" / "scripts"))

import checker_tables  # noqa: E402
from stored_data import StoredData  # noqa: E402

SCHEDULES = ",".join(checker_tables.SCHEDULES)
FILES = {
    "checks-corpus.csv": f"""# device: the software GPU
# key: program
program,finds,checkers,severity,{SCHEDULES},about
race_a,race_atomic,racecheck,error,wrong,right,right,right,right,right,right,Adds | badly.
race_b,race_atomic,racecheck,error,right,cudaErrorAssert,right,right,right,right,right,Also.
memory_c,leak,memcheck,error,right,right,right,right,right,right,right,Leaks.
schedule_d,schedule_dependent,schedule,error,-,-,-,-,-,-,-,Depends.
""",
    "checks-mutations.csv": """# key: program/file/function/call/number
program,file,function,number,call,found_by,kinds,wrong_under,why
lessons/01_x,f.cu,k,1,__syncthreads(),initcheck racecheck,race_atomic uninitialised_shared,\
lockstep reverse,
lessons/01_x,f.cu,k,2,__syncthreads(),racecheck,race_atomic,reverse,
solutions/02_y,g.cu,k,1,__threadfence(),,,,No thread reads it.
""",
    "h200-sanitizer-corpus.csv": """# device: a GPU
# key: program
program,finds,ours,theirs,tools,kinds,mended,result,verdict
race_a,race_atomic,error,warning,racecheck 0+1,Race,-,wrong,both
race_b,race_atomic,error,-,,,-,right,ours only
memory_c,leak,error,error,memcheck 1+0,Leaked memory,memcheck,right,both
"""}


class Tables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name, text in FILES.items():
            (Path(folder.name) / name).write_text(text, encoding="utf-8")
        self.pieces = checker_tables.pieces(StoredData(Path(folder.name)))

    def test_corpus(self):
        rows = self.pieces["checker_corpus"]().split("\n")
        self.assertEqual(rows[2], "| `leak` | memcheck | 1 | 0 | 0 |")
        self.assertEqual(rows[3], "| `race_atomic` | racecheck | 2 | 1 | 2 |")
        numbers = {what: self.pieces["corpus"](what)
                   for what in ("pairs", "shows_lockstep", "shows_sometimes", "never_shows")}
        self.assertEqual(numbers, {"pairs": "4", "shows_lockstep": "1", "shows_sometimes": "2",
                                   "never_shows": "2"})
        self.assertRaises(KeyError, self.pieces["corpus"], "apples")

    def test_pairs(self):
        rows = self.pieces["checker_pairs"]("race").split("\n")
        self.assertEqual(len(rows), 4)
        self.assertIn(r"Adds \| badly.", rows[2])
        self.assertTrue(rows[3].endswith("| reverse |"))
        self.assertTrue(self.pieces["checker_pairs"]("schedule").endswith("| in a sweep |"))
        self.assertRaises(ValueError, self.pieces["checker_pairs"], "nothing")

    def test_removals(self):
        rows = self.pieces["removals"]().split("\n")
        self.assertEqual(rows[2], "| `lessons/01_x` | 2 | 2 | 1 | 0 | 0 | 1 | 2 |")
        self.assertEqual(rows[3], "| `solutions/02_y` | 1 | 0 | 0 | 0 | 1 | 0 | 0 |")
        asked = ("removals", "found", "not_found", "racecheck", "wrong", "lockstep")
        self.assertEqual([self.pieces["removal"](what) for what in asked],
                         ["3", "2", "1", "2", "2", "1"])
        self.assertIn("No thread reads it.", self.pieces["removals_not_found"]())

    def test_sanitizer(self):
        rows = self.pieces["sanitizer"]().split("\n")
        self.assertEqual(rows[2:],
                         ["| memcheck | 1 | 1 | 0 | 0 |", "| racecheck | 2 | 1 | 1 | 1 |"])
        self.assertIn("`race_b`", self.pieces["sanitizer_missed"]())
        self.assertEqual([self.pieces["sanitized"](what)
                          for what in ("pairs", "both", "ours_only", "alarms")],
                         ["3", "2", "1", "1"])


if __name__ == "__main__":
    unittest.main()
