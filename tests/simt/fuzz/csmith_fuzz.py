#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random C programs by csmith, run in kernels: every compiler must give the host's checksums.

    csmith_fuzz.py BUILD [--seeds 1-100] [--clang clang++-14]... [--nvcc] [--work DIR] [--jobs 1]

Each program is built in two forms that one kernel launch each runs: its globals as device variables,
in one thread; and as members of a class, whose 32 instances in the lanes of a warp begin with
different values. The reference is the host's own g++ with its sanitizers: a program whose behaviour
is not defined for one of the inputs is left out. Without --clang every clang++ from 14 on is tried.

BUILD is a build tree with simtcc. Programs whose results differ stay in DIR, one folder per seed. A
seed means the same program on every machine that has the same csmith (2.3.0 is Debian's).
Exits 0 when all agree, 1 when one does not or none could be tried, 77 when there is no csmith.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
HEADERS = Path("/usr/include/csmith") # of the package libcsmith-dev
LANES = 32
VARIED = 6  # globals that differ from lane to lane
SIZE = ["--lang-cpp", "--no-argc", "--no-packed-struct", "--max-funcs", "4", "--max-block-depth", "3",
        "--max-expr-complexity", "6"]
# C++ made from csmith's C is full of these; none says anything about a compiler.
QUIET = ["-w", "-Wno-narrowing"]
HOST_SECONDS, BUILD_SECONDS, RUN_SECONDS = 5, 120, 120
INSTRUCTIONS = "20000000"

MAIN = """
#ifdef CSMITH_HOST
int main() {
  printf("%%016llx\\n", (unsigned long long)whole());
  for (unsigned lane = 0; lane < %(lanes)d; lane++) {
    program *p = new program;
    printf("%%016llx\\n", (unsigned long long)p->run(lane));
    delete p;
  }
}
#else
#ifndef CSMITH_LANES_ONLY
__global__ void one(uint64_t *sums) { sums[0] = whole(); }
#endif
__global__ void many(uint64_t *sums, unsigned first) {
  program p;
  sums[1 + threadIdx.x] = p.run(first + threadIdx.x);
}
int main() {
  uint64_t sums[1 + %(lanes)d], *device;
  if (cudaMalloc(&device, sizeof sums) != cudaSuccess) return 2;
#ifndef CSMITH_LANES_ONLY
  one<<<1, 1>>>(device);
#endif
  many<<<1, %(lanes)d>>>(device, 0);
  const cudaError_t status = cudaMemcpy(sums, device, sizeof sums, cudaMemcpyDeviceToHost);
  if (status != cudaSuccess) return fprintf(stderr, "%%s\\n", cudaGetErrorString(status)), 2;
#ifdef CSMITH_LANES_ONLY
  sums[0] = 0;
#endif
  for (uint64_t sum : sums) printf("%%016llx\\n", (unsigned long long)sum);
}
#endif
"""


def sections(text):
    """The parts of csmith's output by their headings, and the body of main."""
    text = re.sub(r"/\*.*?\*/", lambda m: m[0] if m[0].startswith("/* --- ") else "", text,
                  flags=re.DOTALL)
    parts = re.split(r"/\* --- (.*?) --- \*/", text)
    named = dict(zip(parts[1::2], parts[2::2]))
    functions, body = named["FUNCTIONS"].split("int main (void)\n{", 1)
    body = body[:body.rindex("return 0;")]
    body = re.sub(r"^.*(platform_main_|crc32_gentab|printf\(|print_hash_value = 0).*$", "", body,
                  flags=re.MULTILINE)
    return (named["Struct/Union Declarations"], named["GLOBAL VARIABLES"],
            named["FORWARD DECLARATIONS"], functions, body)


def kernel_text(text):
    """csmith's program as a CUDA program with both forms, and a host's main besides."""
    types, variables, forward, functions, body = sections(text)
    types = re.sub(r"^(\s+)((?:volatile )?(?:union|struct) \w+& operator=)", r"\1HD \2", types,
                   flags=re.MULTILINE)
    scalars = re.findall(r"^static u?int\d+_t (g_\d+) =", variables, re.MULTILINE)[:VARIED]
    vary = "".join(f"{name} ^= (lane * {2654435761 + 2 * i}u) >> {i};\n"
                   for i, name in enumerate(scalars))
    static = re.compile(r"^static ", re.MULTILINE)
    return "\n".join([
        '#include "csmith_kernel.h"', types, "#ifndef CSMITH_LANES_ONLY",
        static.sub("static DEVICE ", variables), static.sub("static DEVICE ", forward),
        static.sub("static DEVICE ", functions),
        f"static DEVICE uint64_t whole() {{ uint64_t checksum = 0;\n{body}\nreturn checksum; }}",
        "#endif", "struct program {", static.sub("", variables), static.sub("HD ", functions),
        f"HD uint64_t run(unsigned lane) {{ uint64_t checksum = 0;\n{vary}{body}\n"
        "return checksum; } };", MAIN % {"lanes": LANES}])


def attempt(command, seconds, cwd, env=None):
    """(status, stdout, stderr); status None when it ran out of time."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, cwd=cwd,
                              env=env, check=False, errors="replace")
    except subprocess.TimeoutExpired:
        return None, "", "out of time"
    return done.returncode, done.stdout, done.stderr


def reference(folder):
    """The checksums by g++, or None where the program is not defined or takes too long. It always
    compiles: what g++ says where it does not is an error here."""
    command = ["g++", "-std=c++17", "-O1", "-DCSMITH_HOST", "-fsanitize=undefined,address",
               "-fno-sanitize-recover=all", *QUIET, "-fpermissive", "-ffp-contract=off",
               "-fno-strict-aliasing", "-I", str(HERE), "-isystem", str(HEADERS),
               "-x", "c++", "seed.cu", "-o", "host"]
    status, _, said = attempt(command, BUILD_SECONDS, folder)
    if status is None:
        return None
    if status != 0:
        sys.exit(f"{folder}: g++ does not compile the program:\n{said}")
    status, output, _ = attempt(["./host"], HOST_SECONDS, folder)
    return output if status == 0 else None


def fault_of(report):
    """The status of the device fault that ended the program, or None."""
    try:
        return json.loads(report.read_text(encoding="utf-8"))["device_fault"]["status"]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def verdict(folder, name, command, env, wanted):
    """One word on what a compiler made of the program in `folder`."""
    program = f"./device.{name}"
    command = [*command, "-std=c++17", "-I", str(HERE), "-I", str(HEADERS), "seed.cu", "-o",
               program]
    status, _, said = attempt(command, BUILD_SECONDS, folder, env)
    lanes_only = status != 0 # clang 14 and 15 take no address of a variable in an initialiser
    if lanes_only:
        status, _, said = attempt([*command, "-DCSMITH_LANES_ONLY"], BUILD_SECONDS, folder, env)
        wanted = "0" * 16 + wanted[16:]
    (folder / f"{name}.log").write_text(said, encoding="utf-8")
    if status != 0:
        return "not compiled"
    report = folder / f"{name}.json"
    env = dict(env, SIMT_MAX_WARP_INSTRUCTIONS=INSTRUCTIONS, SIMT_REPORT=str(report))
    status, output, said = attempt([program], RUN_SECONDS, folder, env)
    (folder / f"{name}.log").write_text(output + said, encoding="utf-8")
    if status == 0:
        return "WRONG" if output != wanted else "right in lanes" if lanes_only else "right"
    return "too long" if status is None or fault_of(report) == "timeout" else "STOPPED"


def compilers(options):
    """name: (command, environment)."""
    build = Path(options.build).resolve() / "common/simt"
    env = {k: v for k, v in os.environ.items() if not k.startswith("SIMT_")}
    names = options.clang or [f"clang++-{n}" for n in range(14, 40) if shutil.which(f"clang++-{n}")]
    found = {name.replace("clang++-", "clang"):
             ([str(build / "simtcc"), "-fmad=false", *QUIET], dict(env, SIMTCC_CLANG=name))
             for name in names}
    if options.nvcc:
        found["nvcc"] = ([str(build / "simt-nvcc"), "-fmad=false", "-w", "-Xcompiler",
                          "-w,-fpermissive"], env)
    return found


def try_seed(seed, options, found):
    folder = Path(options.work).resolve() / f"seed{seed}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    extra = ["--float"] if seed % 3 == 0 else []
    status, text, said = attempt(["csmith", "--seed", str(seed), *SIZE, *extra], 60, folder)
    if status != 0:
        return seed, {"csmith": f"status {status}: {said}"}
    (folder / "seed.cu").write_text(kernel_text(text), encoding="utf-8")
    wanted = reference(folder)
    if wanted is None:
        shutil.rmtree(folder)
        return seed, None
    (folder / "host.expected").write_text(wanted, encoding="utf-8")
    results = {name: verdict(folder, name, command, env, wanted)
               for name, (command, env) in found.items()}
    if not any(result.isupper() for result in results.values()) and not options.keep:
        shutil.rmtree(folder)
    return seed, results


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--seeds", default="1-100", help="FIRST-LAST")
    parser.add_argument("--clang", action="append", help="a clang++ (may be repeated)")
    parser.add_argument("--nvcc", action="store_true", help="nvcc too")
    parser.add_argument("--work", default="build/csmith")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="keep all programs")
    options = parser.parse_args()
    if not shutil.which("csmith") or not (HEADERS / "safe_math.h").is_file():
        print("csmith or its headers are not installed (Debian, Ubuntu: apt install csmith "
              "libcsmith-dev); nothing was tried")
        return 77
    first, last = (int(n) for n in (options.seeds + "-" + options.seeds).split("-")[:2])
    found, counts, undefined = compilers(options), collections.defaultdict(collections.Counter), 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for seed, results in pool.map(lambda seed: try_seed(seed, options, found),
                                      range(first, last + 1)):
            undefined += results is None
            for name, result in (results or {}).items():
                counts[name][result] += 1
                if result.isupper() or result == "not compiled":
                    print(f"seed {seed}: {name}: {result}", flush=True)
    for name, count in counts.items():
        print(f"{name}: " + ", ".join(f"{n} {result}" for result, n in count.most_common()))
    print(f"{undefined} programs without a reference (undefined, or too long on the host)")
    if not counts:
        print("no program was tried")
    return not counts or any(count["WRONG"] + count["STOPPED"] for count in counts.values())


if __name__ == "__main__":
    sys.exit(main())
