#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Costs by line: test_explain.py BUILD

They add up to the counters of the same run, for every lesson; of a small program they are those
worked out by hand; and what is said of them follows from them.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "common/scripts"
sys.path.insert(0, str(SCRIPTS))
import bounds  # noqa: E402
import explain  # noqa: E402
from compare_text import Style  # noqa: E402

BUILD = None
# A counter, and the sums over lines that must give it.
SUMS = {"warp_instructions": ["warp_instructions"], "lane_instructions": ["lane_instructions"],
        "branches": ["branches"], "divergent_branches": ["divergent_branches"],
        "warp_syncs": ["warp_syncs"], "shuffles": ["shuffles"], "votes": ["votes"],
        "fences": ["fences"],
        "global_load_requests+global_store_requests": ["global_requests"],
        "global_load_sectors+global_store_sectors": ["global_sectors"],
        "global_load_bytes+global_store_bytes": ["global_bytes"],
        "shared_load_requests+shared_store_requests": ["shared_requests"],
        "shared_load_wavefronts+shared_store_wavefronts": ["shared_wavefronts"],
        "shared_load_ideal+shared_store_ideal": ["shared_ideal"],
        "global_atomic_lanes+shared_atomic_lanes": ["atomic_lanes"],
        "global_atomic_requests+shared_atomic_requests": ["atomic_requests"]}
# 64 threads: line 6 loads 64 words from 8 sectors, 8 apart; line 7 stores with a conflict of 2.
PROGRAM = """#include <cuda_runtime.h>
__global__ void known(const float *in, float *out) {
  __shared__ float tile[128];
  unsigned t = threadIdx.x;

  float x = in[8 * t];
  tile[2 * t] = x;
  __syncthreads();
  if (t < 16)
    atomicAdd(out, tile[2 * (15 - t)]);
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 8 * 64 * sizeof(float));
  cudaMalloc(&out, sizeof(float));
  cudaMemset(in, 0, 8 * 64 * sizeof(float));
  cudaMemset(out, 0, sizeof(float));
  for (int i = 0; i < 3; i++) known<<<2, 64>>>(in, out);
  return cudaDeviceSynchronize();
}
"""


def report_of(command, threads=None):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report"
        environment = {**os.environ, "SIMT_LINES": "counted", "SIMT_REPORT": str(path)}
        if threads:
            environment["SIMT_THREADS"] = str(threads)
        subprocess.run(command, env=environment, check=False, capture_output=True)
        return json.loads(path.read_text(encoding="utf-8"))


class Counts(unittest.TestCase):
    def test_lines_add_up_to_the_counters(self):
        for program in sorted((BUILD / "lessons").glob("[0-9][0-9]_*")):
            if not program.is_file():
                continue
            listed = subprocess.run([program, "--list", "--json"], capture_output=True, check=True)
            for number, variant in enumerate(json.loads(listed.stdout)["variants"]):
                with self.subTest(program=program.name, variant=variant):
                    self.check_sums([program, "--n", "5000", "--variant", variant], 1 + number % 2)

    def check_sums(self, command, threads):
        report = report_of(command, threads)
        self.assertTrue(report["lines_are_whole"])
        for counters, fields in SUMS.items():
            self.assertEqual(sum(report["counters"][name] for name in counters.split("+")),
                             sum(line[name] for name in fields for line in report["lines"]),
                             counters)
        launches = sum(kernel["launches"] for kernel in report["kernels"])
        self.assertEqual(launches, report["counters"]["launches"])

    def test_counts_worked_out_by_hand(self):
        with tempfile.TemporaryDirectory() as folder:
            source, program = Path(folder) / "known.cu", Path(folder) / "known"
            source.write_text(PROGRAM)
            subprocess.run([BUILD / "common/simt/simtcc", source, "-o", program], check=True)
            report = report_of([program])
        cost = {line["line"]: line for line in report["lines"]}
        warps = 3 * 2 * 2  # launches, blocks, warps of a block
        self.assertEqual(cost[6]["global_requests"], warps)
        self.assertEqual(cost[6]["global_sectors"], warps * 32)
        self.assertEqual(cost[6]["global_bytes"], warps * 32 * 4)
        self.assertEqual(cost[7]["shared_requests"], warps)
        self.assertEqual(cost[7]["shared_wavefronts"], warps * 2)
        self.assertEqual(cost[7]["shared_ideal"], warps)
        self.assertEqual(cost[8]["block_barriers"], warps)
        self.assertEqual(cost[9]["branches"], warps)
        self.assertEqual(cost[9]["divergent_branches"], warps // 2)
        self.assertEqual(cost[10]["atomic_requests"], warps // 2)
        self.assertEqual(cost[10]["atomic_lanes"], warps // 2 * 16)
        self.assertEqual(cost[10]["shared_wavefronts"], warps // 2)
        self.assertEqual([kernel["launches"] for kernel in report["kernels"]], [3])
        self.assertEqual([kernel["name"] for kernel in report["kernels"]], ["known"])
        self.assertNotIn(0, cost)

    def test_off_unless_asked_for(self):
        program = BUILD / "lessons/00_naive_atomic"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "report"
            for value, expected in (("off", False), ("", False), ("all", True), ("counted", True)):
                subprocess.run([program, "--n", "64"], check=True, capture_output=True,
                               env={**os.environ, "SIMT_LINES": value, "SIMT_REPORT": str(path)})
                self.assertEqual("lines" in json.loads(path.read_text()), expected)
            done = subprocess.run([program, "--n", "64"], capture_output=True, text=True,
                                  check=False, env={**os.environ, "SIMT_LINES": "yes"})
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("SIMT_LINES=yes", done.stderr)


class Words(unittest.TestCase):
    COST = {"warp_instructions": 100, "lane_instructions": 3200, "global_requests": 0,
            "global_sectors": 0, "global_bytes": 0, "shared_requests": 0, "shared_wavefronts": 0,
            "shared_ideal": 0, "atomic_requests": 0, "atomic_lanes": 0, "branches": 0,
            "divergent_branches": 0, "block_barriers": 0, "warp_syncs": 0, "shuffles": 0,
            "votes": 0, "fences": 0}

    def said(self, **cost):
        own = {**self.COST, **cost}
        return "; ".join(explain.remarks(own, {("a.cu", 1): own, ("a.cu", 2): self.COST}))

    def test_each_cost_has_its_words(self):
        self.assertEqual(self.said(), "50 % of the instructions")
        self.assertIn("32 sectors per request", self.said(global_requests=2, global_sectors=64))
        self.assertIn("1 sector per request", self.said(global_requests=2, global_sectors=2))
        self.assertIn("4.0 passes over the banks", self.said(shared_requests=1, shared_wavefronts=4,
                                                             shared_ideal=1))
        self.assertIn("no conflicts", self.said(shared_requests=1, shared_wavefronts=1,
                                                shared_ideal=1))
        self.assertIn("50 % of its branches diverge", self.said(branches=4, divergent_branches=2))
        self.assertIn("under 1 % of its branches", self.said(branches=999, divergent_branches=1))
        self.assertIn("75 % of its lanes idle", self.said(lane_instructions=800))
        self.assertIn("1 arrival at a block barrier", self.said(block_barriers=1))
        self.assertEqual(explain.remarks({**self.COST, "warp_instructions": 1},
                                         {1: self.COST}), [])

    def test_every_bound_of_the_model_has_its_sentence(self):
        text = (ROOT / "common/simt/profile/model.c").read_text(encoding="utf-8")
        names = text[text.index("const char *const names[]"):]
        names = names[names.index("{") + 1:names.index("}")]
        of_model = [name.strip(' "\n') for name in names.split(",")]
        self.assertEqual(sorted([*of_model, "link"]), sorted(bounds.BOUNDS)) # link: engine/run.c
        for name, sentence, counter in bounds.BOUNDS.values():
            self.assertTrue(name and sentence.endswith("."))
            self.assertTrue(counter is None or (counter in self.COST and counter in explain.UNITS))

    def test_the_line_to_blame(self):
        table = {("a.cu", 1): {**self.COST, "global_requests": 1},
                 ("b.cu", 7): {**self.COST, "global_requests": 3}}
        kernels = [{"bound": "launch", "total_ms": 1.0}, {"bound": "latency", "total_ms": 2.0}]
        self.assertIn("b.cu:7 has 75 % of the requests", explain.conclusion(kernels, table)[1])
        self.assertEqual(len(explain.conclusion(kernels[:1], table)), 1)


class Command(unittest.TestCase):
    def explain(self, *arguments):
        return subprocess.run([sys.executable, "-B", SCRIPTS / "explain.py", "--build", BUILD,
                               *arguments], capture_output=True, text=True, check=False,
                              env={**os.environ, "NO_COLOR": "1"})

    def test_a_variant(self):
        done = self.explain("--lesson", "02_bank_conflicts", "--n", "2^14")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("02_bank_conflicts, strided", done.stdout)
        self.assertIn("passes over the banks where 1 would do", done.stdout)
        self.assertTrue(all(len(line) <= 80 for line in done.stdout.split("\n")))
        padded = self.explain("--lesson", "02_bank_conflicts", "--variant", "padded", "--n", "2^14")
        self.assertNotIn("where 1 would do", padded.stdout)
        self.assertIn("no conflicts", padded.stdout)

    def test_a_solution_and_an_exercise(self):
        done = self.explain("--lesson", "02_bank_conflicts", "--variant", "solution")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("solutions/02_bank_conflicts.cu\n", done.stdout)
        done = self.explain("--lesson", "02_bank_conflicts", "--variant", "exercise")
        self.assertIn(done.returncode, (0, 1), done.stderr)  # whatever the student wrote
        # A check may fail for what it costs; the results are right then.
        self.assertEqual("Not every check passed" in done.stderr, done.returncode == 1)

    def test_wrong_use(self):
        for arguments in (("--lesson", "02_bank_conflicts", "--variant", "moon"),
                          ("--lesson", "99_moon"),
                          ("--lesson", "02_bank_conflicts", "--n", "lots")):
            done = self.explain(*arguments)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertTrue(done.stderr.startswith("explain: "), done.stderr)
            self.assertNotIn("Traceback", done.stderr)


class Page(unittest.TestCase):
    def test_verbose_shows_every_line(self):
        report = report_of([BUILD / "lessons/00_naive_atomic", "--n", "5000", "--variant",
                            "one_address"])
        few = explain.explained("t", report, False, Style())
        many = explain.explained("t", report, True, Style())
        self.assertLess(len(few), len(many) + 1)
        shown = {int(line[:5]) for line in many if line[5:8] == " | "}
        self.assertEqual(shown, {line["line"] for line in report["lines"]})


class Diff(unittest.TestCase):
    def diff(self, a, b, *more):
        command = [sys.executable, "-B", SCRIPTS / "diff.py", "--build", BUILD]
        return subprocess.run([*command, "--a", a, "--b", b, "--n", "5000", *more],
                              capture_output=True, text=True, check=False)

    def test_what_changes_and_nothing_else(self):
        done = self.diff("01_shared_tree:modulo", "01_shared_tree:strided")
        self.assertEqual(done.returncode, 0, done.stderr)
        reports = [report_of([BUILD / "lessons/01_shared_tree", "--n", "5000", "--variant", name])
                   for name in ("modulo", "strided")]
        left, right = (report["counters"] for report in reports)
        rows = {line.split()[0]: line.split() for line in done.stdout.splitlines() if line.strip()}
        for name in left:
            if left[name] == right[name]:
                self.assertNotIn(name, rows)
            else:
                self.assertEqual(rows[name][1:3], [explain.number(left[name]),
                                                   explain.number(right[name])])
        self.assertNotEqual(left["divergent_branches"], right["divergent_branches"])
        self.assertTrue([line for line in done.stdout.splitlines() if line.startswith("+")])
        self.assertTrue([line for line in done.stdout.splitlines() if line.startswith("-")])

    def test_a_variant_and_itself(self):
        done = self.diff("01_shared_tree:modulo", "01_shared_tree:modulo")
        self.assertIn("No counter differs.", done.stdout)
        self.assertFalse([line for line in done.stdout.splitlines() if line[:1] in ("+", "-")])

    def test_wrong_use(self):
        done = self.diff("01_shared_tree:modulo", "01_shared_tree:nonsense")
        self.assertEqual(done.returncode, 2)
        self.assertIn("nonsense", done.stderr)
        done = self.diff("01_shared_tree:modulo", "01_shared_tree:stridet")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("did you mean 'strided'?", " ".join(done.stderr.split()))


if __name__ == "__main__":
    BUILD = Path(sys.argv.pop(1)).resolve()
    unittest.main()
