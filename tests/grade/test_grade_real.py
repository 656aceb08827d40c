#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The grader with the real compiler and the real suite of lesson 01: a class of one honest student
and many others, graded in one go.

    test_grade_real.py PATH/TO/grade BUILD_DIR
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXERCISE = "01_shared_tree"
SOLUTION = (ROOT / "solutions" / f"{EXERCISE}.cu").read_text(encoding="utf-8")
STUB = subprocess.run([ROOT / "common/scripts/make_exercise", "--stdout", EXERCISE], check=True,
                      capture_output=True, text=True).stdout
HEAD = '#include <cuda_runtime.h>\n#include <math.h>\nextern "C" __global__ void '
BLOCK_MAX = "block_max(const float *in, float *maxima, unsigned n)"
TAMPER = """
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void before_main(void) {
  FILE *file = fopen("%s", "w");
  if (file) fclose(file);
  _Exit(0);
}
"""


def cases(mark):
    """name: (source, least points, most points, text that the note or a reason must hold)"""
    return {
        "honest": (SOLUTION, 95, 1000, ""),
        "honest_crlf": ("\ufeff" + SOLUTION.replace("\n", "\r\n"), 95, 1000, ""),
        "stub": (STUB, 0, 0, ""),
        "no_kernel": ("int x;\n", 0, 0, "block_max"),
        "renamed": (SOLUTION.replace("block_max", "block_maximum"), 0, 0, "block_max"),
        "broken": (SOLUTION.replace("__syncthreads();", "__syncthreads()", 1), 0, 0, "error"),
        "endless_loop": (HEAD + BLOCK_MAX + " { while (n + 1) maxima[0] = in[0]; }\n", 0, 0, ""),
        "endless_templates": ("template <int n> struct t { static const int v = t<n + 1>::v; };\n"
                              "int x = t<0>::v;\n", 0, 0, "does not compile"),
        "include_zero": ('#include "/dev/zero"\n', 0, 0, "does not compile"),
        "include_solution": (f'#include "{ROOT}/solutions/{EXERCISE}.cu"\n', 0, 0,
                             "does not compile"),
        "include_by_dots": (f'#include "../../../solutions/{EXERCISE}.cu"\n', 0, 0,
                            "does not compile"),
        "out_of_bounds": (HEAD + BLOCK_MAX + " { maxima[n + 1000000] = in[0]; }\n", 0, 20, ""),
        "null": (HEAD + BLOCK_MAX + " { *(volatile float *)0 = 1; }\n", 0, 0, ""),
        "skipped_barrier": (HEAD + BLOCK_MAX + " { if (threadIdx.x) __syncthreads(); }\n", 0, 20,
                            ""),
        "recursion": ("__device__ int f(int x) { return x ? f(x + 1) + x : 0; }\n" + HEAD
                      + BLOCK_MAX
                      + " { maxima[0] = f(1); }\n", 0, 20, ""),
        "host_code": (SOLUTION + TAMPER % mark, 0, 1000, ""),
        "forged_output": ('#include <stdio.h>\n' + HEAD + BLOCK_MAX + ' { printf("{\\"exercise\\": '
                          f'\\"{EXERCISE}\\", \\"check\\": \\"sizes\\", \\"status\\": '
                          f'\\"pass\\"}}\\n"); '
                          "}\n", 0, 20, ""),
        "flood": ("#include <stdio.h>\n" + SOLUTION.replace(
            "  values[t] = i", '  for (int k = 0; k < 100000; k++) printf("%u of %d\\n", t, k);\n'
            "  values[t] = i"), 0, 20, "has printed more than 16777216 bytes"),
        "inline_ptx": (HEAD + BLOCK_MAX + ' { asm volatile("frobnicate.u32 %r0;"); }\n', 0, 0,
                       "cannot be loaded"),
        "all_zero": (HEAD + BLOCK_MAX + " { maxima[blockIdx.x] = 0; }\n", 0, 20, ""),
        "first_element": (HEAD + BLOCK_MAX
                          + " { maxima[blockIdx.x] = in[blockIdx.x * blockDim.x]; }\n", 0, 20, ""),
    }


def grade(program, build, folder, sources):
    for name, (source, *_) in sources.items():
        (folder / "class" / name).mkdir(parents=True)
        (folder / "class" / name / f"{EXERCISE}.cu").write_text(source, encoding="utf-8",
                                                                newline="")
    (folder / "out").mkdir()
    done = subprocess.run(
        [program, "--build", build, "--out", folder / "out", "--submissions", folder / "class",
         "--names", EXERCISE, "--compile-s", "20", "--check-s", "20"],
        cwd=ROOT, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    with open(folder / "out/grades.csv", newline="", encoding="utf-8") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    results = {path: path.read_text(encoding="utf-8")
               for path in (folder / "out/students").iterdir()}
    return done, rows, results


def judge_in_no_time(build):
    """What is wrong when an exercise has no processor time for all of its checks, or None."""
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "one.cu").write_text(SOLUTION, encoding="utf-8")
        subprocess.run([Path(build) / "common/simt/simtcc", "-ptx", "one.cu"], cwd=name, check=True)
        subprocess.run([Path(build) / "tests" / EXERCISE], cwd=name, check=False,
                       capture_output=True, env={**os.environ, "WB_MODULE": "one.ptx",
                                                 "WB_RESULTS": "results", "WB_SUITE_S": "0.001"})
        lines = (Path(name) / "results").read_text(encoding="utf-8").splitlines()
    checks = [json.loads(line) for line in lines]
    late = [check for check in checks if check["reason"].startswith("not run: the checks before")]
    if checks[0] in late or len(late) < len(checks) // 2 or any(one["points"] for one in late):
        return f"0.001 s for all checks, and {len(late)} of {len(checks)} were not run"
    return None


def main():
    program, build = map(os.path.abspath, sys.argv[1:3])
    complaints = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        mark = folder / "host-code-ran"
        sources = cases(mark)
        done, rows, results = grade(program, build, folder, sources)
        for student, (_, least, most, text) in sources.items():
            row = rows[student]
            if row["status"] != "judged" or not least <= int(row["points"] or -1) <= most:
                complaints.append(f"{student}: {dict(row)}; want {least} to {most} points")
            elif text and not any(text in result for result in results.values()
                                  if f'"{student}"' in result):
                complaints.append(f"{student}: no reason holds '{text}': {dict(row)}")
        if rows["honest"]["points"] != rows["honest"]["max_points"]:
            complaints.append(f"the honest student lost points: {dict(rows['honest'])}")
        if done.returncode != 0: # nothing here is the grader's fault
            complaints.append(f"exit status {done.returncode}: {done.stdout}{done.stderr}")
        late = judge_in_no_time(build)
        if late:
            complaints.append(late)
        if mark.exists():
            complaints.append("host code of a submission ran")
    print("\n".join(complaints) or f"{len(sources)} submissions graded as they should be")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
