#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puzzles: every exercise gives one that has its solution in it, and a wrong line is judged wrong.

    test_puzzle.py BUILD_DIR
"""

import importlib.util
import re
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(sys.argv[1]).resolve()
spec = importlib.util.spec_from_file_location("puzzle", ROOT / "common/scripts/puzzle.py")
puzzle = importlib.util.module_from_spec(spec)
spec.loader.exec_module(puzzle)

LESSONS = sorted(path.stem for path in ROOT.glob("solutions/[0-9]*.cu"))
JUDGED = ("01_shared_tree", "05_shuffle") # by execution; the others by their text


def solve(lesson, replaced=None):
    """The puzzle with the solution's lines in their places; `replaced`: (right, wrong)."""
    parts = puzzle.parts_of((ROOT / f"solutions/{lesson}.cu").read_text(encoding="utf-8"))
    blanks = [part[2] for kind, part in parts if kind == "blank"]
    out, number, done = [], 0, False
    for line in puzzle.make_puzzle(lesson, 7).splitlines():
        if not line.lstrip().startswith(puzzle.MARK):
            out.append(line)
            done = False
        elif not done:
            done = True
            for code in blanks[number]:
                if replaced and code.strip() == replaced[0]:
                    code = replaced[1]
                out.append(code)
            number += 1
    assert number == len(blanks)
    return "\n".join(out) + "\n"


def pools(text):
    """[lines of the pool] of each blank."""
    found, at_pool = [], False
    for line in text.splitlines():
        is_pool = line.lstrip().startswith(puzzle.MARK)
        if is_pool and not at_pool:
            found.append([])
        if is_pool:
            found[-1].append(line.strip()[len(puzzle.MARK):])
        at_pool = is_pool
    return found


def code_of(text):
    return re.sub(r"\s+", " ", re.sub(r"//[^\n]*", "", text)).strip()


class Puzzles(unittest.TestCase):
    def test_every_exercise(self):
        wrong = 0
        for lesson in LESSONS:
            with self.subTest(lesson=lesson):
                solution = (ROOT / f"solutions/{lesson}.cu").read_text(encoding="utf-8")
                blanks = [part[2] for kind, part in puzzle.parts_of(solution) if kind == "blank"]
                found = pools(puzzle.make_puzzle(lesson, 7))
                self.assertEqual(len(found), len(blanks))
                for pool, lines in zip(found, blanks):
                    right = Counter(re.sub(r" +//.*", "", line).strip() for line in lines
                                    if re.sub(r" *//.*", "", line).strip())
                    self.assertEqual(right - Counter(pool), Counter())
                    self.assertLessEqual(len(pool) - right.total(), puzzle.MOST_WRONG)
                    wrong += len(pool) - right.total()
                shown = re.sub(r"// SOLUTION ONLY.*?// END SOLUTION ONLY", "", solution,
                               flags=re.DOTALL)
                if "SOLUTION ONLY" not in solution:
                    self.assertEqual(code_of(solve(lesson)), code_of(shown))
        self.assertGreater(wrong, 2 * len(LESSONS))

    def test_lines_are_shuffled(self):
        one, other = (pools(puzzle.make_puzzle("05_shuffle", seed)) for seed in (1, 2))
        self.assertNotEqual(one, other)
        self.assertEqual(pools(puzzle.make_puzzle("05_shuffle", 1)), one)

    def judge(self, lesson, text):
        with tempfile.TemporaryDirectory() as folder:
            source, module = Path(folder) / "p.cu", Path(folder) / "p.ptx"
            source.write_text(text, encoding="utf-8")
            subprocess.run([BUILD / "common/simt/simtcc", "-ptx", "-O3", source, "-o", module,
                            "-I", ROOT / "common/workbook"], check=True)
            return subprocess.run([BUILD / "tests" / lesson, "--module", module],
                                  capture_output=True, check=False).returncode

    def test_judged(self):
        for lesson in JUDGED:
            with self.subTest(lesson=lesson):
                self.assertEqual(self.judge(lesson, solve(lesson)), 0)
        guard = "if (i < n) keep_better(&value, &index, in[i], i);"
        wrong = "if (i <= n) keep_better(&value, &index, in[i], i);"
        self.assertIn(wrong, puzzle.wrong_lines(ROOT / "tests/mutants/05_shuffle", [guard]))
        self.assertEqual(self.judge("05_shuffle", solve("05_shuffle", (guard, wrong))), 1)

    def test_command(self):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "sub/p.cu"

            def run(*words):
                return subprocess.run([sys.executable, "-B", ROOT / "common/scripts/puzzle.py",
                                       "01_shared_tree", "--out", out, *words],
                                      capture_output=True, text=True, check=False)
            self.assertEqual(run().returncode, 3)
            first = out.read_text(encoding="utf-8")
            done = run()
            self.assertEqual((done.returncode, "as it was given out" in done.stdout), (3, True))
            out.write_text(first.replace("//? __syncthreads();", "__syncthreads();", 1),
                           encoding="utf-8")
            self.assertEqual(run().returncode, 0)  # there is something to judge
            done = run("--fresh")
            self.assertEqual((done.returncode, "is kept" in done.stdout), (3, True))
            self.assertEqual(len(list(out.parent.iterdir())), 2)
        done = subprocess.run([sys.executable, "-B", ROOT / "common/scripts/puzzle.py", "99_none"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
