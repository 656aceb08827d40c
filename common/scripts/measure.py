#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Everything that the project stores of a GPU, in one go: make measure GPU=a100
[PARTS=sweep,targets] [SIZES=10..28].

    measure.py --gpu NAME [--build build-cuda] [--parts sweep,targets,...] [--sizes LOW..HIGH]
               [--fresh] [--data figures/data] [--limit SECONDS] [--list]

Parts run one after the other: one that fails or lacks something does not stop the others, and its
output is in BUILD/measure/PART.log. A completed part is not run again with the same programs
(except with --fresh), and an interrupted sweep continues where it stopped. What passes the checks
of figures/store_measured.py and figures/measured_tables.py goes to figures/data under the GPU's
name.

Times need a GPU that is otherwise idle; `check` and `sanitizer` time nothing. With several GPUs
CUDA_VISIBLE_DEVICES chooses one.

Exit: 0 every part is stored, 1 one is not, 2 wrong use, 130 interrupted.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(ROOT / "figures"))
import caches  # noqa: E402
import compare  # noqa: E402
import measured_tables  # noqa: E402
import profile  # noqa: E402
import provenance  # noqa: E402
import store_measured  # noqa: E402
import sweep  # noqa: E402


class Missing(Exception):
    """A part cannot be run here; the text says why."""


def stop(process):
    """Stops it and all that it started, as Ctrl-C would; kills what does not react."""
    for what, seconds in ((signal.SIGINT, 20), (signal.SIGKILL, None)):
        try:
            os.killpg(process.pid, what)
            process.wait(timeout=seconds)
            return
        except (subprocess.TimeoutExpired, ProcessLookupError):
            continue


class Place:
    """Where a run takes place: the build folder, what comes out, the GPU's short name, the
    limit."""

    def __init__(self, arguments):
        self.build = Path(os.path.relpath(arguments.build, ROOT))  # commands run in ROOT
        self.gpu, self.data, self.out = arguments.gpu, arguments.data, self.build / "measure"
        self.limit_s, self.fresh, self.sizes = arguments.limit, arguments.fresh, arguments.sizes
        self.log = None  # of the part that is being run

    def run(self, *command, into=None, ok=(0,), aloud=False):
        """Runs a command; its words go to the log, or its output into a file. `aloud`: its
        progress messages are shown."""
        words = [str(word) for word in command]
        self.log.write("$ " + " ".join(words) + "\n")
        self.log.flush()
        with open(into or os.devnull, "w", encoding="utf-8") as file:
            process = subprocess.Popen(words, stdout=file if into else self.log,
                                       stderr=None if aloud else self.log,
                                       stdin=subprocess.DEVNULL, cwd=ROOT, start_new_session=True)
            try:
                status = process.wait(timeout=self.limit_s)
            except subprocess.TimeoutExpired as end:
                stop(process)
                raise Missing(f"stopped after {self.limit_s:.0f} s") from end
            except BaseException:
                stop(process)
                raise
        if status not in ok:
            name = words[2] if words[0] == sys.executable else words[0]
            raise Missing(f"{Path(name).name} ended with status {status}")

    def python(self, script, *arguments, **how):
        return self.run(sys.executable, "-B", ROOT / script, *arguments, **how)

    def cmake(self, *targets):
        self.run("cmake", "--build", self.build, "--parallel", str(os.cpu_count()), "--target",
                 *targets)

    def store(self, kind, path):
        status = (store_measured.store(self.gpu, path, self.data) if kind == "sweep" else
                  store_measured.store_table(self.gpu, kind, path, self.data, None))
        if status:
            raise Missing("what came out is not as it must be (see above)")


def with_provenance(place, made, path, command, n_gpus):
    """A program's table, with a whole head: what the program says of itself, and where it ran."""
    table = measured_tables.read(made)
    about = provenance.of_gpu(place.build, command)
    if n_gpus > 1:
        about["device"] += f", {n_gpus} of them"
    about |= {name: table.about.get(name, "") for name in ("method", "key")}
    path.write_text(measured_tables.Table(about, table.columns, table.lines).text(),
                    encoding="utf-8")
    return path


# --- the parts ------------------------------------------------------------------------------------

def run_sweep(place):
    arguments = ["--fresh"] if place.fresh else []
    arguments += ["--sizes", place.sizes] if place.sizes else []
    place.python("common/scripts/sweep.py", "--build", place.build, "--out", place.out, *arguments,
                 aloud=True)
    place.store("sweep", place.out / "sweep.jsonl")


def store_table(place, name, program, *words, n_gpus=1):
    """Runs a program of bench/ that prints a table, and stores it."""
    made = place.out / f"{name}.txt"
    place.run(program, *words, into=made)
    place.store(name, with_provenance(place, made, place.out / f"{name}.csv",
                                      f"bench/{program.name} (make measure)", n_gpus))


def compiled(place, name, lesson, *flags):
    """bench/NAME.cu, which uses headers of the lesson, as a program."""
    program = place.out / name
    place.run(provenance.cache_value(place.build, "WORKBOOK_NVCC"), "-O3", "-std=c++17",
              "-arch=native", f"-Ilessons/{lesson}", "-Icommon/workbook", f"bench/{name}.cu",
              "-o", program, *flags)
    return program


def run_targets(place):
    place.cmake("gpu_targets")
    store_table(place, "targets", place.build / "bench/gpu_targets", place.build / "modules")


def run_look_back(place):
    store_table(place, "look-back", compiled(place, "gpu_look_back", "10_single_pass_scan"))


def run_exact(place):
    place.cmake("gpu_exact_sum")
    store_table(place, "exact-sum", place.build / "bench/gpu_exact_sum")


def run_many_bins(place):
    store_table(place, "many-bins", compiled(place, "gpu_many_bins", "12_many_bins"))


def nccl_flags(build):
    """How to compile with NCCL, where CMake found it; else nothing, and its rows are left out."""
    include, library = (provenance.cache_value(build, f"NCCL_{name}")
                        for name in ("INCLUDE_DIR", "LIBRARY"))
    if not (include and library) or "NOTFOUND" in include + library:
        return []
    folder = Path(library).parent
    return ["-DWORKBOOK_NCCL", f"-I{include}", f"-L{folder}", "-lnccl", f"-Xlinker=-rpath={folder}"]


def run_many_gpus(place):
    n_gpus = len(provenance.gpu_names())
    if n_gpus < 2:
        raise Missing("one GPU is not enough: this measures what is between several")
    program = compiled(place, "gpu_many_gpus", "13_many_gpus", "--default-stream=per-thread",
                       *nccl_flags(place.build))
    store_table(place, "many-gpus", program, n_gpus=n_gpus)


def run_profile(place):
    if not profile.find_ncu():
        raise Missing("ncu (Nsight Compute) was not found")
    made = place.out / "ncu.csv"
    # A lesson that could not be profiled is in the log; the counts of the others are kept.
    place.python("common/scripts/profile.py", "--all", "--build", place.build, "--out", made,
                 ok=(0, 1))
    place.store("ncu", made)
    if profile.check(made):
        raise Missing("the counts are stored, but some ratios have no reason yet in "
                      "common/scripts/profile_reasons.py (see above). Write them, then: "
                      f"common/scripts/profile.py --explain {place.data}/{place.gpu}-ncu.csv")


def run_caches(place):
    if not profile.find_ncu():
        raise Missing("ncu (Nsight Compute) was not found")
    raw, made = place.out / "caches-raw.csv", place.out / "ncu-caches.csv"
    place.python("common/scripts/caches.py", "measure", "--build", place.build, "--out", raw)
    if caches.beside(raw, caches.STORED, made):
        raise Missing("differences have no reason yet in common/scripts/profile_reasons.py "
                      "(see above)")
    place.store("ncu-caches", made)


def run_check(place):
    folder = place.out / "check"
    place.run("bash", "common/scripts/gpu_check.sh", "--out", folder, "--build", place.build,
              "--results", "figures/data/simt-results.csv")
    made, stored = place.out / "gpu-check.txt", place.data / f"{place.gpu}-gpu-check.txt"
    place.run("bash", "common/scripts/gpu_check.sh", "--summarise", folder,
              provenance.commit_here(),
              into=made)
    shutil.copyfile(made, stored)
    print(f"{stored.name}: stored")


def run_sanitizer(place):
    if not profile.find_tool("compute-sanitizer"):
        raise Missing("compute-sanitizer (of the CUDA toolkit) was not found")
    made = place.out / "sanitizer-lessons.csv"
    place.run("bash", "common/scripts/sanitizer_lessons.sh", "--build", place.build, made,
              ok=(0, 1))
    place.store("sanitizer-lessons", made)


class Part:
    """`seconds` is about what it takes on an H200 and 16 cores, for the time that is left."""

    def __init__(self, name, run, seconds, words):
        self.name, self.run, self.seconds, self.words = name, run, seconds, words


PARTS = [
    Part("sweep", run_sweep, 450, "every variant and CUB over sizes: NAME-sweep.jsonl"),
    Part("targets", run_targets, 90, "the fastest kernels beside CUB and the ceilings: "
                                     "NAME-targets.csv"),
    Part("look-back", run_look_back, 20, "where a tile's time goes in lesson 10: "
                                         "NAME-look-back.csv"),
    Part("exact", run_exact, 40, "lesson 11's sums beside CUB's, by kind of numbers: "
                                 "NAME-exact-sum.csv"),
    Part("many-bins", run_many_bins, 90, "lesson 12 over bins, samples and n: NAME-many-bins.csv"),
    Part("many-gpus", run_many_gpus, 120, "lesson 13 on one GPU to all, and their links: "
                                          "NAME-many-gpus.csv"),
    Part("profile", run_profile, 60, "a profiler's counts beside the software GPU's: NAME-ncu.csv"),
    Part("caches", run_caches, 60, "a profiler's counts of the caches beside the simulated ones: "
         "NAME-ncu-caches.csv"),
    Part("check", run_check, 120,
         "suites, opcodes, results beside the software GPU's: NAME-gpu-check.txt"),
    Part("sanitizer", run_sanitizer, 120, "compute-sanitizer over all: NAME-sanitizer-lessons.csv"),
]


def chosen(text):
    names = [word for word in re.split(r"[,\s]+", text or "") if word]
    unknown = [name for name in names if name not in {part.name for part in PARTS}]
    if unknown:
        raise compare.Refusal(f"PARTS: there is no part '{unknown[0]}'; there are "
                              + ", ".join(part.name for part in PARTS))
    return [part for part in PARTS if not names or part.name in names]


# --- one after the other --------------------------------------------------------------------------

def mark_of(place, part):
    return place.out / f"{part.name}.done"


def is_done(place, part, programs):
    mark = mark_of(place, part)
    return not place.fresh and mark.exists() and mark.read_text(encoding="utf-8") == programs


def run_part(place, part, programs):
    """None, or why the part is not stored."""
    mark_of(place, part).unlink(missing_ok=True)
    with open(place.out / f"{part.name}.log", "w", encoding="utf-8") as place.log:
        try:
            part.run(place)
        except (Missing, compare.Refusal, OSError, ValueError) as error:
            return f"{error}; its words: {place.log.name}"
    mark_of(place, part).write_text(programs, encoding="utf-8")
    return None


def run_all(place, parts):
    programs = sweep.programs_mark(place.build)
    place.out.mkdir(parents=True, exist_ok=True)
    place.data.mkdir(parents=True, exist_ok=True)
    left = [part for part in parts if not is_done(place, part, programs)]
    for part in parts:
        if part not in left:
            print(f"{part.name}: done before")
    failures, pace = [], 1.0
    for at, part in enumerate(left):
        ahead = pace * sum(one.seconds for one in left[at:])
        print(f"[{at + 1}/{len(left)}] {part.name}: about {pace * part.seconds:.0f} s, all that is "
              f"left {ahead:.0f} s ({place.out / part.name}.log)", flush=True)
        begin = time.monotonic()
        failure = run_part(place, part, programs)
        spent = time.monotonic() - begin
        if failure:
            failures.append(f"{part.name} is not stored: {failure}")
            print(failures[-1], file=sys.stderr, flush=True)
        else:
            pace = max(0.2, min(5.0, (pace + spent / part.seconds) / 2))
        print(f"    {part.name} took {spent:.0f} s", flush=True)
    print(f"{len(parts) - len(failures)} of {len(parts)} parts are stored in {place.data}")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--gpu", help="short name of the GPU, as in h200-sweep.jsonl")
    parser.add_argument("--build", type=Path, default=Path("build-cuda"))
    parser.add_argument("--parts", help="e.g. sweep,targets (default: all)")
    parser.add_argument("--data", type=Path, default=ROOT / "figures/data")
    parser.add_argument("--sizes", help="of the sweep, exponents of 2 (default: 10..30)")
    parser.add_argument("--limit", type=float, help="seconds that a part may take (default: any)")
    parser.add_argument("--fresh", action="store_true", help="run completed parts again")
    parser.add_argument("--list", action="store_true", help="list the parts and run none")
    arguments = parser.parse_args()
    arguments.build, arguments.data = arguments.build.resolve(), arguments.data.resolve()
    try:
        parts = chosen(arguments.parts)
        if arguments.sizes:
            sweep.sizes_of(arguments.sizes, "cuda")
        if arguments.list:
            print("\n".join(f"{part.name:10} {part.words}" for part in PARTS))
            return 0
        if not re.fullmatch(r"[a-z0-9_]+", arguments.gpu or ""):
            raise compare.Refusal("GPU takes a short name of a-z, 0-9 and _: make measure GPU=a100")
        if compare.backend_of(arguments.build) != "cuda":
            raise compare.Refusal(f"{arguments.build} is not built for a GPU (BACKEND=CUDA)")
        os.chdir(ROOT)
        return run_all(Place(arguments), parts)
    except compare.Refusal as refusal:
        print(f"measure: {refusal}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nInterrupted; the same command goes on from here.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
