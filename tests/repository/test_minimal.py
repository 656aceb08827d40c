#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_minimal.py catches what it is for: each program here is a lesson's minimal.cu with one
thing wrong, beside the program as it is.

    test_minimal.py [--compiler COMMAND]     without a compiler: what can be seen in the text
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from tracked import ROOT

SCRIPT = Path(__file__).resolve().parent / "check_minimal.py"
KERNELS_TEXT = "not the lesson's text"

# Lesson, old text, new text, what is said. The first are seen in the text, ...
IN_THE_TEXT = [
    ("01_shared_tree", "s < blockDim.x; s *= 2", "s < blockDim.x; s <<= 1", KERNELS_TEXT),
    ("01_shared_tree", "// the partial sum of the block", "", KERNELS_TEXT),
    ("01_shared_tree", "strided_tree", "my_tree", "the lesson has no such function"),
    ("01_shared_tree", "extern \"C\" __global__ void", "static void", "no kernel"),
    ("01_shared_tree", "#include <stdio.h>", "#include \"lesson.h\"", "stands alone"),
    ("01_shared_tree", "int main() {", "int main() {" + "\n" * 40, "lines; at most 100"),
    ("01_shared_tree", "check(cudaFree(x_device), \"freeing\")", "cudaFree(x_device)",
     "the result of cudaFree() is not checked"),
    ("01_shared_tree", "    check(cudaGetLastError(), \"launching\");\n", "",
     "no check(cudaGetLastError(), ...) after the last launch"),
    ("04_warp_sync", "__syncwarp();", "__syncthreads();", KERNELS_TEXT),
    ("05_shuffle", "value += __shfl_down_sync", "value += __shfl_xor_sync", KERNELS_TEXT),
    ("06_grid_stride", "// every slot is written", "// all slots", KERNELS_TEXT),
    ("14_portable", "    wave::sync(); // both", "    // both", KERNELS_TEXT), # in a structure
]
# ... and these when the program runs: a wrong result, a race, uninitialised memory, a leak.
WHEN_RUN = [
    ("01_shared_tree", "tile[place] += ", "tile[place] -= ", "exit status 1"),
    ("01_shared_tree", "    __syncthreads(); // what this", "    // what this", "racecheck"),
    ("02_bank_conflicts", "s = blockDim.x / 2", "s = blockDim.x / 4", "exit status 1"),
    ("03_upper_half", "if (i < n) sum += in[i];", "sum += in[i];", "out-of-bounds"),
    ("04_warp_sync", "    __syncwarp();\n", "", "racecheck"),
    ("05_shuffle", "  __syncthreads(); // every slot is written\n", "", "racecheck"),
    ("06_grid_stride", "sums, sums + n_blocks, n_blocks", "sums, sums + n_blocks, n_blocks / 2",
     "exit status 1"),
    ("07_cooperative_groups", "  grid.sync(); //", "  //", "racecheck"),
    ("08_histogram", "  check(cudaMemset(bins_device, 0, sizeof bins), \"clearing the bins\");\n",
     "", "initcheck"),
    ("09_scan", "  check(cudaFree(array), \"freeing\");\n", "",
     "never freed"),
    ("09_scan", "add_before<<<n_tiles - 1,", "add_before<<<n_tiles - 2,", "exit status 1"),
    ("09_scan", "int main() {", "int main() { undeclared();", "undeclared"),
]


def check(lesson, text, compiler):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "minimal.cu"
        path.write_text(text, encoding="utf-8")
        command = [sys.executable, "-B", SCRIPT, "--lesson", ROOT / "lessons" / lesson, path]
        if compiler:
            command += ["--compiler", compiler, "--schedules", "lockstep"]
        return subprocess.run(command, capture_output=True, text=True, check=False)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler")
    arguments = parser.parse_args()
    cases = [(*case, None) for case in IN_THE_TEXT]
    if arguments.compiler:
        cases += [(*case, arguments.compiler) for case in WHEN_RUN]
    failures = []
    for lesson, old, new, words, compiler in cases:
        name = f"{lesson}: {old.strip()} -> {new.strip() or '(nothing)'}"
        text = (ROOT / "lessons" / lesson / "minimal.cu").read_text(encoding="utf-8")
        if old not in text:
            failures.append(f"{name}: the program does not say so any more")
            continue
        done = check(lesson, text.replace(old, new), compiler)
        if done.returncode != 1 or words not in done.stdout:
            failures.append(f"{name}: expected \"{words}\", got exit status {done.returncode}\n"
                            f"{done.stdout}{done.stderr}")
    for lesson in sorted({case[0] for case in cases}):  # the same text in another place
        text = (ROOT / "lessons" / lesson / "minimal.cu").read_text(encoding="utf-8")
        done = check(lesson, text, None)
        if done.returncode:
            failures.append(f"{lesson}, as it is:\n{done.stdout}{done.stderr}")
    print("\n".join(failures + [f"{len(cases)} twins, {len(failures)} failures"]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
