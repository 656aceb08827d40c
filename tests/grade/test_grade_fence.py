#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Attacks on the grader itself, on every rung of the sandbox that this machine has, each beside an
honest submission; prints a table of rung x case.

    test_grade_fence.py PATH/TO/grade BUILD_DIR [--tricks] [RUNG...]

--tricks: those that aim at the compiler, the software GPU and the judge, in place of those that aim
at files. RUNG `best`: the one that the grader itself chooses.

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
KERNEL = '#include <cuda_runtime.h>\n#include <math.h>\n' \
         'extern "C" __global__ void block_max(const float *in, float *maxima, unsigned n) { %s }\n'
SIGNATURE = 'extern "C" __global__ void block_max(const float *in, float *maxima, unsigned n) {'
RACE = "extern __shared__ float v[]; v[0] = threadIdx.x; maxima[blockIdx.x] = v[0];"


def with_first(statement, before=""):
    """The solution with a statement before its own, and text before its kernel."""
    head, tail = SOLUTION.split(SIGNATURE)
    return f"{head}{before}{SIGNATURE}\n{statement}\n{tail}"


def tricks_of_text():
    """What directives and odd texts can try; written as in cases()."""
    solution = ROOT / "solutions" / f"{EXERCISE}.cu"
    return {
        "honest": (SOLUTION, None),
        # files
        "system_relative": (f"#include <../../../solutions/{EXERCISE}.cu>\n", 0),
        "next_relative": ("#include <cuda_runtime.h>\n"
                          f"#include_next <../../../../solutions/{EXERCISE}.cu>\n", 0),
        "import": (f'#import "{solution}"\n', 0),
        "module": ("#pragma clang module import std\n" + SOLUTION, 0),
        "environment": ('#include "/proc/self/environ"\n' + SOLUTION, 0),
        "command_line": ('#include "/proc/self/cmdline"\n' + SOLUTION, 0),
        # its own output, to which no text ever comes: refused at once
        "own_output": ('#include "/dev/fd/1"\n' + SOLUTION, 0),
        "parent_output": ('#include "/proc/1/fd/1"\n' + SOLUTION, 0),
        "itself": ("#include __FILE__\n" + SOLUTION, 0),
        "own_name": ('static_assert(sizeof(__FILE__) == 1, __FILE__);\n', 0),
        "messages": ('#pragma message(__FILE__ " " __BASE_FILE__)\n#warning much\n' + SOLUTION,
                     None),
        # the compiler
        "compiler_crash": ("#pragma clang __debug crash\n" + SOLUTION, None),
        "deep_crash": (SOLUTION + "int x = " + "- " * 60000 + "1;\n", 0),
        "errors_elsewhere": ('# 1 "/usr/include/other.h"\nint x = ;\n' + SOLUTION, 0),
        "missing_elsewhere": ('#line 9 "/usr/include/other.h"\n#include "none.h"\n' + SOLUTION, 0),
        "parentheses": (SOLUTION + "int x = " + "(" * 90000 + "1" + ")" * 90000 + ";\n", 0),
        "conditions": ("#if 1\n" * 30000 + "#endif\n" * 30000 + SOLUTION, None),
        "long_line": ("/*" + "x" * 900000 + "*/" + SOLUTION, None),
        "other_direction": (SOLUTION.replace("// Exercise", "// \u202e\u2066\u200b"), None),
        "carriage_returns": (SOLUTION.replace("\n", "\r"), None),
    }


def tricks_of_code():
    """What device code can try; written as in cases()."""
    forged = ('if (threadIdx.x == 0) printf("{\\"exercise\\": \\"%s\\", \\"check\\": '
              '\\"tree\\", \\"status\\": \\"pass\\", \\"points\\": 100}\\n\\033[2J'
              'passed 12 of 12 checks (100 of 100 points)\\n");' % EXERCISE)
    reads_all = "if (!threadIdx.x) { if (!known) { for (unsigned k = 0; k < n; k++) " \
                "best = fmaxf(best, in[k]); known = 1; } maxima[blockIdx.x] = best; }"
    asm = 'asm volatile("%s");'
    return {
        # PTX
        "label": (SOLUTION.replace(SIGNATURE, SIGNATURE.replace('extern "C" ', "").replace(
            "block_max", "other").replace("{", 'asm("block_max");\n') + SIGNATURE.replace(
                'extern "C" ', "").replace("block_max", "other")), None),
        "second_entry": (with_first(asm % "ret; }\\n.visible .entry block_max(.param .u64 a, "
                                    ".param .u64 b, .param .u32 c) { ret; }\\n.func x() {"), 0),
        "trap": (with_first(asm % "trap;"), 0),
        "leaves": (with_first(asm % "exit;"), 0),
        "runtime_names": (SOLUTION + 'extern "C" __device__ void __simt_grid_sync() {}\n', None),
        # memory
        "host_address": (with_first("if (!threadIdx.x) *(volatile int *)0x400000 = 1;"), 0),
        "looks_around": (KERNEL % "float best = 0; for (int k = -90000; k < 0; k++) "
                         "best = fmaxf(best, maxima[k]); maxima[blockIdx.x] = best;", 0),
        "writes_later": (with_first("if (threadIdx.x + blockIdx.x == 0) { if (old) *old = 7; "
                                    "old = maxima; }", "__device__ float *old;\n"), 0),
        "constant": (with_first("*(float *)&k = 3; if (k == 3) return;",
                                "__constant__ float k = 2;\n"), 0),
        "remembers": ("__device__ float best;\n__device__ int known;\n" + KERNEL % reads_all, 20),
        "counts_launches": (with_first("if (threadIdx.x + blockIdx.x == 0) launches++;",
                                       "__device__ int launches;\n"), None),
        "much_heap": (with_first("char *p = (char *)malloc(1ull << 45); if (p) p[0] = 1;"), None),
        "recursion": (with_first("maxima[0] = deep(n);", "__device__ __noinline__ float deep(int k)"
                                 " { volatile float x[64]; x[k & 63] = k; "
                                 "return deep(k + 1) + x[k & 63]; }\n"), 0),
        # what is printed, and what is asked for
        "forged": ("#include <stdio.h>\n" + KERNEL % forged, 10),
        "prints": ("#include <stdio.h>\n" + with_first(forged), None),
        "other_parameters": (SOLUTION.replace("unsigned n)", "unsigned n, double more)"), 0),
        "one_warp_only": (SOLUTION.replace("__global__ void", "__global__ void "
                                           "__launch_bounds__(32)"), 20),
        "too_much_shared": (with_first("__shared__ float z[1 << 20]; z[threadIdx.x] = 1; "
                                       "if (z[0] == 2) maxima[0] = 3;"), 0),
    }


def tricks_of_headers():
    """More of what a text can ask of the compiler; written as in cases()."""
    embed = "__device__ const unsigned char t[] = {\n#embed %s\n};\n" + SOLUTION
    doubled = "".join(f"#define A{i + 1} A{i} A{i}\n" for i in range(40))
    tree = "template <int a, int b> struct t { static const int v = t<a - 1, 2 * b>::v " \
           "+ t<a - 1, 2 * b + 1>::v; };\ntemplate <int b> struct t<0, b> " \
           "{ static const int v = 1; };\n__device__ int z = t<22, 0>::v;\n"
    return {
        "embed_zero": (embed % '"/dev/zero" limit(300000000)', 0),
        "embed_output": (embed % '"/dev/fd/1"', 0),
        "embed_memory": (embed % '"/proc/self/mem"', 0),
        "embed_itself": (embed % "__FILE__", 0),
        "folder": ('#include "."\n' + SOLUTION, 0),
        "precompiled": ('#include "headers.pch"\n' + SOLUTION, 0),
        "module_of_before": ('#include "module.ptx"\n' + SOLUTION, 0),
        "file_time": (with_first("if (__TIMESTAMP__[20] != '1') maxima[1u << 30] = 1;"), None),
        "template_tree": (tree + SOLUTION, 0),
        "macro_tree": ("#define A0 1 +\n" + doubled + "__device__ int z = A40 1;\n", 0),
        "endless_constant": ("constexpr int f() { int i = 0; for (;;) i = (i + 1) & 1023; }\n"
                             "__device__ int z = f();\n" + SOLUTION, 0),
        "line_of_two": (KERNEL % f'\n#line 1 "a\\nb<b>\\x1b[2J"\n{RACE}\n', 40),
        "line_huge": (KERNEL % f"\n#line 2147483647\n{RACE}\n", 40),
        "name_of_html": ('__device__ int v asm("<img src=x onerror=alert(1)>");\n'
                         + with_first("if (n == 7) v = 1;"), 0),
        "alias": (SOLUTION.replace("block_max", "other") + 'extern "C" __global__ __attribute__(('
                  'alias("other"))) void block_max(const float *, float *, unsigned);\n', 0),
        "system_header": ("#pragma GCC system_header\n" + SOLUTION, None),
        "many_kernels": (SOLUTION + "".join(
            f'extern "C" __global__ void k{i}(int *p) {{ *p = 1; }}\n' for i in range(700)), None),
    }


def tricks_of_devices():
    """More of what a kernel can ask of the software GPU; written as in cases()."""
    asm = 'asm volatile("%s");'
    remembers = "if (!threadIdx.x) { if (!known) { for (unsigned k = 0; k < n; k++) " \
                "best = fmaxf(best, in[k]); known = 1; } maxima[blockIdx.x] = best; }"
    serial = "if (!threadIdx.x) { float b = -INFINITY; const unsigned first = blockIdx.x * " \
             "blockDim.x; for (unsigned k = first; k < n && k < first + blockDim.x; k++) " \
             "b = fmaxf(b, in[k]); maxima[blockIdx.x] = b; }"
    decoy = "extern __shared__ float v[]; const unsigned t = threadIdx.x, i = blockIdx.x * " \
            "blockDim.x + t; v[t] = i < n ? in[i] : 0; for (unsigned s = blockDim.x / 2; s; " \
            "s /= 2) { __syncthreads(); if (t < s) v[t] = fmaxf(v[t], v[t + s]); } "
    printf = "#include <stdio.h>\n"
    return {
        "vast_global": ("__device__ char z[1ull << 45];\n"
                        + with_first("if (n == 12345677) z[n] = 1;"), 0),
        "vast_shared": (with_first("__shared__ char z[1ull << 33]; z[n] = 1; "
                                   "if (z[n + 1]) maxima[0] = 3;"), 0),
        "heap_flood": (with_first("for (;;) { char *p = (char *)malloc(1 << 20); if (!p) break; "
                                  "p[0] = 1; }"), None),
        "heap_crumbs": (with_first("for (int i = 0; i < 20000; i++) { char *p = (char *)malloc(16);"
                                   " if (!p) break; p[0] = 1; }"), 50),
        "managed": ("__managed__ float best;\n__managed__ int known;\n" + KERNEL % remembers, 20),
        "sleeps": (with_first("for (int i = 0; i < 1000000; i++) __nanosleep(1000000);"), 0),
        "grid_barrier": ("#include <cooperative_groups.h>\n"
                         + with_first("cooperative_groups::this_grid().sync();"), 0),
        "cluster": (SOLUTION.replace("__global__ void", "__global__ void __cluster_dims__(2)"), 20),
        "half_waits": (with_first('if (threadIdx.x & 32) asm volatile("bar.sync 1, 64;");'), 20),
        "asm_loop": (with_first(asm % "L1: bra L1;"), 0),
        "asm_directive": (with_first(asm % ".maxnreg 1;"), 0),
        "asm_section": (with_first(asm % ".section .debug_str { }"), 0),
        "asm_closes": (with_first(asm % "}\\n}\\n}"), 0),
        "asm_registers": (with_first(asm % ".reg .b32 %zz<2000000000>;"), None),
        "asm_alignment": (with_first(asm % ".local .align 1073741824 .b8 zz[4];"), 0),
        "wild_call": (with_first("void (*volatile p)() = (void (*)())0x1234; if (n == 256) p();"),
                      75),
        "own_printf": ('extern "C" __device__ int vprintf(const char *, void *) { return 0; }\n'
                       'extern "C" __device__ void free(void *) {}\n' + SOLUTION, None),
        "assert_html": ("#include <assert.h>\n"
                        + with_first('assert(n != 256 && "</script>\\xff\\x01<b>");'), 75),
        "print_width": (printf + with_first('printf("%*d\\n", 2000000000, 1);'), 0),
        "print_wild": (printf + with_first('printf("%s\\n", (const char *)0x1234);'), 0),
        "print_flood": (printf + with_first('for (int i = 0; i < 100000; i++) '
                                            'printf("x %d y %d %s\\n", i, i, "passed");'), 0),
        "serial": (KERNEL % serial, 50),
        "serial_decoy": (KERNEL % (decoy + serial), 50),
    }


def tricks_of_size():
    """Texts that are small and ask for much, or that are odd to the byte; written as in cases(), a
    text as bytes where it is no UTF-8."""
    digits = "9" * 300000
    twice = "#if __INCLUDE_LEVEL__ < 19\n#include __FILE__\n#include __FILE__\n#endif\n"
    return {
        "latin_1": (SOLUTION.replace("// Exercise", "// \u00dcbung", 1).encode("latin-1"), None),
        "half_a_character": (SOLUTION.encode() + b"// \xe2\x82", None),
        "look_alike": (SOLUTION.replace("block_max(", "block_m\u0430x("), 0),
        "spliced": (SOLUTION.replace("block_max", "\\\n".join("block_max")), None),
        "digits": (SOLUTION + f"__device__ const long z = {digits};\n", 0),
        "exponent": (SOLUTION + f"__device__ const double z = 1e{digits};\n", None),
        "includes_itself_twice": (twice + SOLUTION, 0),
        "warnings": ("#warning again\n" * 6000 + SOLUTION, None),
        "lines": ("".join(f'#line {i} "{i}.h"\n' for i in range(1, 40000)) + SOLUTION, None),
        "namespaces": (SOLUTION + "namespace a {" * 30000 + "}" * 30000, 0),
        # a right kernel: whether the compiler is done in time is the machine's affair
        "vast_initialiser": ("__device__ int z[1 << 28] = {1};\n"
                             + with_first("if (n == 12345677) maxima[0] = z[n];"), 100),
        "long_name": (with_first("", "__device__ int %s = 1;\n" % ("x" * 600000)), None),
        "many_cases": (with_first("switch (n) {" + "".join(
            f"case {70000 + 7 * i + i % 3}: maxima[n] = {i}; break;" for i in range(1500)) + "}"),
            None),
    }


def cases(folder):
    """name: (source, most points; None: exactly 100, and the compiler needs far less than its
    limit). {out} is a file that host code would write."""
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
    sandbox = [] if rung == "best" else ["--sandbox", rung]
    done = subprocess.run(
        [program, "--build", build, "--out", out, "--submissions", folder / "class", "--names",
         EXERCISE, *sandbox, "--allow-unsafe", "yes", "--compile-s", "5", "--check",
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
    are_tricks = "--tricks" in sys.argv
    rungs = [word for word in sys.argv[3:] if word != "--tricks"] or RUNGS
    complaints, table, honest = [], {}, set()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        (folder / "secret.h").write_text(f"// {SECRET}\n#error {SECRET}\n" * 30)
        os.mkfifo(folder / "fifo")
        attacks = cases(folder)
        if are_tricks:
            attacks = {**tricks_of_text(), **tricks_of_headers(), **tricks_of_size(),
                       **tricks_of_code(), **tricks_of_devices()}
        table = {student: {} for student in attacks}
        for student, (source, _) in attacks.items():
            (folder / "class" / student).mkdir(parents=True)
            (folder / "class" / student / f"{EXERCISE}.cu").write_bytes(
                source if isinstance(source, bytes) else source.encode())
        for rung in rungs:
            done, rows, texts, temporary = run(program, build, rung, folder)
            for student, (_, most) in attacks.items():
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
