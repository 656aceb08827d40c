#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_try.py BUILD: what a student reads of a verdict. One cause, one place, one next step, at
most 12 lines with the one that names the file, the verdict last; whatever the kernel prints."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
LESSON = "01_shared_tree"
SOLUTION = (ROOT / f"solutions/{LESSON}.cu").read_text(encoding="utf-8")
HEAD = "  unsigned t = threadIdx.x;\n"
VERDICT = re.compile(r"^passed \d+ of \d+ checks \(\d+ of \d+ points\)$")


def changed(old, new, text=SOLUTION):
    if text.count(old) != 1:
        raise ValueError(f"stands there {text.count(old)} times: {old}")
    return text.replace(old, new)


def printing(statement):
    return changed(HEAD, HEAD + statement).replace("#include <math.h>",
                                                   "#include <math.h>\n#include <stdio.h>")


class Try(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.out = pathlib.Path(self.folder.name)

    def judge(self, text, *options, environment=None):
        """Judges a source; returns exit status and lines."""
        source = self.out / "file.cu"
        source.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [BUILD / "common/grade/grade", "--try", LESSON, "--source", source, "--build", BUILD,
             "--keep", self.out, "--check", "all", "--schedule", "sweep:4",
             "--check-s", "200", *options],
            capture_output=True, text=True, timeout=300, check=False, env=environment)
        return done.returncode, (done.stdout + done.stderr).splitlines()

    def expect_one_cause(self, lines):
        self.assertLessEqual(len(lines), 11, lines)
        self.assertRegex(lines[-1], VERDICT)
        for label in ("check", "cause", "next"):
            self.assertEqual(sum(line.startswith(f"  {label} ") for line in lines), 1, lines)

    def test_a_right_kernel_has_a_verdict_and_no_more(self):
        status, lines = self.judge(SOLUTION)
        self.assertEqual((status, len(lines)), (0, 1), lines)
        self.assertRegex(lines[-1], VERDICT)

    def test_one_cause_one_place_one_step(self):
        text = changed("values[t + half]);\n    __syncthreads();", "values[t + half]);")
        status, lines = self.judge(text)
        self.assertEqual(status, 1)
        self.expect_one_cause(lines)
        line = next(i for i, l in enumerate(text.splitlines(), 1) if "values[t + half]" in l)
        self.assertIn(f"{LESSON}.cu:{line}", "\n".join(lines))
        self.assertIn("__syncthreads()", "\n".join(lines))

    def test_a_race_that_no_barrier_mends_is_asked_about(self):
        text = changed("    if (t + half < left) values[t] = fmaxf(values[t], values[t + half]);\n",
                       "    float mine = values[t], other = values[t + 1];\n"
                       "    if (t + half < left) values[t] = fmaxf(mine, other);\n")
        _, lines = self.judge(text)
        self.expect_one_cause(lines)
        said = " ".join(" ".join(lines).split())
        self.assertIn("Data race", said)
        self.assertIn("Do both threads mean this element?", said)
        self.assertNotIn("Likely missing", said)

    def test_where_no_cause_is_known_the_next_step_is_to_look(self):
        text = changed("fmaxf(-INFINITY, in[i])", "fmaxf(-INFINITY, in[i] + 0.25f)")
        _, lines = self.judge(changed("= values[0]", "= values[0] + 0.375f", text))
        self.expect_one_cause(lines)
        self.assertIn(f"make trace LESSON={LESSON}", " ".join(" ".join(lines).split()))

    def test_parameters_have_their_names(self):
        _, lines = self.judge(changed("i < n ?", "i <= n ?"))
        self.expect_one_cause(lines)
        self.assertIn("past the end of `in`", " ".join(" ".join(lines).split()))
        self.assertNotIn("allocation #", "\n".join(lines))

    def test_printf_does_not_cost_the_verdict(self):
        status, lines = self.judge(printing('  if (t < n) printf("thread %u: %g\\n", t, in[t]);\n'))
        self.assertRegex(lines[-1], VERDICT)
        if status != 0:  # what is read to be printed is read once more
            self.assertIn("check   technique", lines[0])
        printed = (self.out / "output.txt").read_text(encoding="utf-8")
        self.assertIn("==== check one_block\n== block_max<<<1, 32>>>, n = 32", printed)
        self.assertIn("\nthread 31: ", printed)

    def test_a_right_kernel_that_prints_what_it_loads(self):
        status, lines = self.judge(printing("  const unsigned k = blockIdx.x * blockDim.x + t;\n"
                                            '  if (k < n) printf("%u: %g\\n", k, in[k]);\n'))
        self.assertEqual(status, 1)
        self.expect_one_cause(lines)
        said = " ".join(" ".join(lines).split())
        self.assertIn("check technique", said)
        self.assertIn("the kernel prints", said.lower())
        self.assertIn("take the printf out", said)

    def test_the_failing_launch_shows_what_it_printed(self):
        text = printing('  for (int k = 0; t == 0 && k < 3000; k++) printf("%d\\n", k);\n')
        status, lines = self.judge(changed("(left + 1) / 2", "left / 2", text), "--one",
                                   "any_block_size")
        self.assertEqual(status, 1)
        self.assertRegex(lines[0], r"^printed by block_max<<<")
        self.assertEqual(lines[1:21], [str(k) for k in range(20)])
        self.assertRegex(lines[21], r"^\.\.\. and \d+ lines more$")
        self.expect_one_cause(lines[23:])

    def test_a_flood_fails_the_check_by_its_bytes(self):
        flood = '  for (int k = 0; i < 32 && k < 30000; k++) printf("%02900d\\n", k);\n'
        text = changed("  values[t] = i", flood + "  values[t] = i", printing(""))
        status, lines = self.judge(text, "--one",
                                   "divergence")
        self.assertEqual(status, 1, lines)
        self.assertRegex(lines[-1], VERDICT)
        self.assertIn("has printed more than 16777216 bytes", " ".join(lines))
        self.assertIn("Print from one thread of one block only", " ".join(lines))
        size = (self.out / "output.txt").stat().st_size
        self.assertTrue(1 << 20 <= size < 1 << 21, size)

    def test_one_check_alone(self):
        status, lines = self.judge(SOLUTION, "--one", "tree")
        self.assertEqual((status, len(lines)), (0, 1), lines)
        self.assertRegex(lines[0], VERDICT)
        # It fails also where the first launches of it are right.
        status, lines = self.judge(changed("t + half < left", "t + half < left && n < 100"),
                                   "--one", "sizes")
        self.assertEqual(status, 1, lines)
        status, lines = self.judge(SOLUTION, "--one", "no_such")
        self.assertEqual(status, 2)
        self.assertIn("no check is named 'no_such'", lines[0])
        self.assertTrue(any("every_position" in line for line in lines), lines)

    def test_one_check_alone_has_the_points_that_it_has_among_all(self):
        rubric = ROOT / f"solutions/{LESSON}.rubric"
        rows = re.findall(r"^check +(\w+) +(\d+) ", rubric.read_text(encoding="utf-8"), re.M)
        self.assertGreater(len(rows), 5)
        for name, points in rows:
            plan = subprocess.run([BUILD / f"tests/{LESSON}", "--plan", "--only", name], check=True,
                                  capture_output=True, env={"WB_RUBRIC": str(rubric)}, timeout=60)
            self.assertEqual(json.loads(plan.stdout)["max_points"], int(points), name)
        _, lines = self.judge(SOLUTION, "--one", rows[0][0])
        self.assertEqual(lines, ["passed 1 of 1 checks ({0} of {0} points)".format(rows[0][1])])
        status, lines = self.judge(SOLUTION, "--one", "technique")
        self.assertEqual(status, 2)
        self.assertIn("it cannot be judged alone", lines[0])

    def test_all_of_it(self):
        text = changed("t == 0", "t == 1")
        self.judge(text)
        report = (self.out / "report.html").read_text(encoding="utf-8")
        self.assertIn("&lt;&lt;&lt;", report)
        self.assertNotIn("<<<", report)
        self.assertIn(f"{LESSON}.cu:", report)
        self.assertNotIn(f"/{LESSON}.cu", report)  # the folder is the judge's own
        cause, = re.findall(r"<tr><th>cause<td>(.*)", report[:report.index("All checks")])
        self.assertRegex(cause, r"^[A-Z].*[.?!]$")
        status, lines = self.judge(text, environment={"VERBOSE": "1", "PATH": "/usr/bin:/bin"})
        self.assertEqual(status, 1)
        self.assertGreater(len(lines), 20)
        self.assertRegex(lines[-1], VERDICT)

    def test_errors_of_the_compiler_are_said_once(self):
        text = changed("maxima[blockIdx.x] = values[0]", "maxima[b] = value[0]")
        status, lines = self.judge(text)
        self.assertEqual(status, 1)
        self.assertEqual(sum("undeclared identifier" in line for line in lines), 1, lines)
        self.assertLessEqual(len(lines), 9)
        self.assertIn("does not compile", lines[-1])

    def test_an_atomic_that_cuda_lacks_is_named_in_a_sentence(self):
        _, lines = self.judge(changed("maxima[blockIdx.x] = values[0]",
                                      "atomicMax(&maxima[blockIdx.x], values[0])"))
        self.assertIn("CUDA has no atomicMax() for floats", "\n".join(lines))
        self.assertLessEqual(len(lines), 6, lines)


if __name__ == "__main__":
    unittest.main()
