#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Attacks on the grader itself, on every rung of the sandbox that this machine has, each beside an
honest submission; prints a table of rung x case.

    test_grade_fence.py PATH/TO/grade BUILD_DIR [RUNG...]

What each case must not do: earn more than it did honestly, say what is in a file that is not its
own or whether there is one, run host code, leave anything behind.
"""

import csv
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXERCISE = "01_shared_tree"
SOLUTION = (ROOT / "solutions" / f"{EXERCISE}.cu").read_text(encoding="utf-8")
RUNGS = ("bubblewrap", "landlock", "limits")
SECRET = "the-secret-of-this-machine"
KERNEL = '#include <cuda_runtime.h>\nextern "C" __global__ void block_max(const float *in, ' \
         "float *maxima, unsigned n) { %s }\n"
RACE = "extern __shared__ float v[]; v[0] = threadIdx.x; maxima[blockIdx.x] = v[0];"


def cases(folder):
    """name: (source, most points; None: all). {out} is a file that host code would write."""
    secret = folder / "secret.h"
    neighbour = folder / "class/honest" / f"{EXERCISE}.cu"
    solution = ROOT / "solutions" / f"{EXERCISE}.cu"
    relative = os.path.relpath(solution, "/")
    probe = "#if __has_include(\"%s\")\n#error LEAK: it is there\n#else\n#error nothing\n#endif\n"
    return {
        "honest": (SOLUTION, None),
        "solution": (f'#include "{solution}"\n', 0),
        "solution_by_cwd": (f'#include "/proc/self/cwd/../../../../../../../{relative}"\n', 0),
        "solution_by_root": (f'#include "/proc/self/root/{relative}"\n', 0),
        "solution_by_macro": (f'#define FILE "{solution}"\n#include FILE\n', 0),
        "solution_after": (SOLUTION + f'#include_next "{solution}"\n', 0),
        "neighbour": (f'#include "{neighbour}"\n', 0),
        "suite": (f'#include "{ROOT}/tests/{EXERCISE}.c"\n' + SOLUTION, 0),
        "secret": (f'#include "{secret}"\n' + KERNEL % "", 0),
        "has_include": (probe % secret, 0),
        "has_include_none": (probe % (folder / "none.h"), 0),
        "embed": (f'__device__ const unsigned char text[] = {{\n#embed "{secret}"\n}};\n'
                  + KERNEL % "maxima[0] = text[n];", 0),
        "has_embed": (probe.replace("__has_include", "__has_embed") % secret, 0),
        "file_of_ptx": (KERNEL % f'asm volatile(".file 1 \\"{secret}\\"\\n.loc 1 1 0"); '
                        + RACE, 40),
        "other_names": ("#define block_max block_maximum\n#define fmaxf(a, b) 5\n" + SOLUTION, 0),
        "dependency": (f'#pragma GCC dependency "{secret}"\n#error stop\n', 0),
        "line_of_secret": (KERNEL % f'\n#line 1 "{secret}"\n{RACE}\n', 40),
        "line_of_fifo": (KERNEL % f'\n#line 1 "{folder}/fifo"\n{RACE}\n', 40),
        "device_zero": ('#include "/dev/zero"\n' + KERNEL % "", 0),
        "host_code": (SOLUTION + "#include <stdio.h>\n"
                      "__attribute__((constructor)) static void f() "
                      '{ fclose(fopen("%s/host-code-ran", "w")); }\n' % folder, None),
        "time": (KERNEL % 'static_assert(sizeof(__TIME__ __DATE__) > 9, ""); '
                 "if (__TIME__[0] != '0' || __TIME__[7] != '0') "
                 "maxima[n + (1u << 30)] = 1;", 40),
        "recursive_templates": ("template <int n> struct t { static const int v = t<n + 1>::v; };\n"
                                "int x = t<0>::v;\n", 0),
    }


def run(program, build, rung, folder):
    """Grades the class on a rung: (process, rows, texts of results by student)."""
    out = folder / f"out-{rung}"
    out.mkdir()
    temporary = folder / f"tmp-{rung}"
    temporary.mkdir()
    done = subprocess.run(
        [program, "--build", build, "--out", out, "--submissions", folder / "class", "--names",
         EXERCISE, "--sandbox", rung, "--allow-unsafe", "yes", "--compile-s", "5", "--check",
         "all", "--jobs", "2"], capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL, env={**os.environ, "TMPDIR": str(temporary)})
    if done.returncode == 2:
        return done, {}, {}, temporary
    with open(out / "grades.csv", newline="", encoding="utf-8") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    texts = {path.stem: path.read_text(encoding="utf-8") for path in (out / "students").iterdir()}
    return done, rows, texts, temporary


def judge(rung, name, most, row, text, folder):
    """What is wrong with a case's result, or None."""
    if row["status"] != "judged":
        return f"{row['status']}: {row['note']}"
    points = int(row[EXERCISE])
    if most is None and points != 100:
        return f"{points} points of 100: {row['note']}"
    if most is not None and points > most:
        return f"{points} points, at most {most} were earned"
    if SECRET in text:
        return "the result holds what is in a file of this machine"
    # Landlock does not hide that a file exists, and __has_embed asks for no more.
    if (rung == "bubblewrap" or (rung == "landlock" and name != "has_embed")) and "LEAK" in text:
        return "the submission learned that a file exists"
    if "/tmp-" in text or re.search(r"grade-[A-Za-z0-9]{6}/", text):
        return "the result names a temporary folder"
    if (folder / "host-code-ran").exists():
        return "host code ran"
    return None


def main():
    program, build = map(os.path.abspath, sys.argv[1:3])
    rungs = sys.argv[3:] or RUNGS
    complaints, table, honest = [], {}, set()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        (folder / "secret.h").write_text(f"// {SECRET}\n#error {SECRET}\n" * 30)
        os.mkfifo(folder / "fifo")
        table = {student: {} for student in cases(folder)}
        for student, (source, _) in cases(folder).items():
            (folder / "class" / student).mkdir(parents=True)
            (folder / "class" / student / f"{EXERCISE}.cu").write_text(source)
        for rung in rungs:
            done, rows, texts, temporary = run(program, build, rung, folder)
            for student, (_, most) in cases(folder).items():
                if not rows:
                    table[student][rung] = "-"
                    continue
                wrong = judge(rung, student, most, rows[student], texts[student], folder)
                table[student][rung] = "ok" if wrong is None else "WRONG"
                if wrong:
                    complaints.append(f"{rung}: {student}: {wrong}")
            if not rows:
                print(f"{rung}: not on this machine: {done.stderr.strip()}")
            else:
                result = json.loads(texts["honest"])
                honest.add(json.dumps(result["exercises"], sort_keys=True))
                if list(temporary.iterdir()):
                    complaints.append(f"{rung}: left behind: {list(temporary.iterdir())}")
        if len(honest) > 1:
            complaints.append("the honest submission's results depend on the rung")
    print(f"{'case':24}" + "".join(f"{rung:>12}" for rung in rungs))
    for student, row in table.items():
        print(f"{student:24}" + "".join(f"{row[rung]:>12}" for rung in rungs))
    print("\n".join(complaints) or "Nothing earned, nothing learned, nothing left behind.")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
