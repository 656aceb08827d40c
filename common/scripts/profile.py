#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One variant under NVIDIA's profiler, beside the software GPU's counters for the same launch.

    profile.py --lesson 06_grid_stride --variant vectors [--n 2^20] [--block 256] [--build build]
    profile.py --all --out TABLE.csv [--n 2^20]          every variant of every lesson, as a table
    profile.py --check TABLE.csv                         every ratio that is not 1 has its reason

ncu (Nsight Compute, part of the CUDA toolkit) counts one run of the variant, the one between
cudaProfilerStart and Stop (the programs' --profile). The software GPU's counters come from programs
built for it (--simt-build), or from figures/data/simt-lessons.jsonl, which holds every variant with
n = 2^20 and blocks of 256. Without ncu the counters are shown alone, with a message.

A ratio is the GPU's count over the software GPU's. Where it is not 1 the reason is printed beside
it: the software GPU counts PTX, what the compiler was asked for; a GPU runs the machine code made
of it.
"""

import argparse
import csv
import functools
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "figures"))
import compare  # noqa: E402
import compare_text  # noqa: E402
import measured_tables  # noqa: E402
import provenance  # noqa: E402
from profile_reasons import reason_for  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
STORED = ROOT / "figures/data/simt-lessons.jsonl"
MARKER = "profiled_row_follows"  # common/workbook/peak.cu
OPCODES = "sass__inst_executed_per_opcode"
EQUAL = 0.005  # a ratio this near to 1 is 1


class Metric:
    """One line: what the software GPU counted, what the GPU did. Both are functions of their
    counters; `decimals` of both."""

    def __init__(self, name, software, hardware, needs, decimals=0):
        self.name, self.software, self.hardware = name, software, hardware
        self.needs, self.decimals = needs, decimals


def total(*names):
    """The sum of counters by name, those of opcodes among them ("BAR", "SHFL")."""
    return lambda counts: sum(counts[name] for name in names)


def opcodes(*names):
    return lambda counts: sum(count for code, count in counts["opcodes"].items() if code in names)


def ratio_of(above, below):
    return lambda counts: counts[above] / counts[below] if counts[below] else 0.0


LOAD = "l1tex__t_{}_pipe_lsu_mem_global_op_ld.sum"
STORE = "l1tex__t_{}_pipe_lsu_mem_global_op_st.sum"
WAVES = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum"
SHARED = "smsp__sass_inst_executed_op_shared_{}.sum"
GLOBAL_ATOMICS = ["smsp__sass_inst_executed_op_global_atom.sum",
                  "smsp__sass_inst_executed_op_global_red.sum"]


def plain(name, counter, metric):
    return Metric(name, total(counter), total(metric), [metric])


METRICS = [
    plain("kernel launches", "launches", "launches"),
    plain("warp instructions", "warp_instructions", "smsp__inst_executed.sum"),
    Metric("active lanes per instruction", ratio_of("lane_instructions", "warp_instructions"),
           ratio_of("smsp__thread_inst_executed.sum", "smsp__inst_executed.sum"),
           ["smsp__thread_inst_executed.sum", "smsp__inst_executed.sum"], 2),
    plain("diverging branches", "divergent_branches",
          "smsp__sass_branch_targets_threads_divergent.sum"),
    plain("global load requests", "global_load_requests", LOAD.format("requests")),
    plain("global load sectors", "global_load_sectors", LOAD.format("sectors")),
    plain("global store requests", "global_store_requests", STORE.format("requests")),
    plain("global store sectors", "global_store_sectors", STORE.format("sectors")),
    plain("shared load requests", "shared_load_requests", SHARED.format("ld")),
    plain("shared load wavefronts", "shared_load_wavefronts", WAVES.format("ld")),
    plain("shared store requests", "shared_store_requests", SHARED.format("st")),
    plain("shared store wavefronts", "shared_store_wavefronts", WAVES.format("st")),
    Metric("shared bank conflicts",
           lambda c: (c["shared_load_wavefronts"] - c["shared_load_ideal"]
                      + c["shared_store_wavefronts"] - c["shared_store_ideal"]),
           total(CONFLICTS.format("ld"), CONFLICTS.format("st")),
           [CONFLICTS.format("ld"), CONFLICTS.format("st")]),
    Metric("barriers (warps at them)", total("barrier_warps"), opcodes("BAR", "BARRIER"),
           [OPCODES]),
    Metric("shuffles", total("shuffles"), opcodes("SHFL"), [OPCODES]),
    Metric("votes, warp reductions", total("votes"), opcodes("VOTE", "VOTEU", "MATCH", "REDUX"),
           [OPCODES]),
    Metric("warp barriers", total("warp_syncs"), opcodes("WARPSYNC"), [OPCODES]),
    Metric("fences", total("fences"), opcodes("MEMBAR"), [OPCODES]),
    Metric("global atomics", total("global_atomic_requests"), total(*GLOBAL_ATOMICS),
           GLOBAL_ATOMICS),
    plain("shared atomics", "shared_atomic_requests", SHARED.format("atom")),
    Metric("bytes read from memory", lambda c: 32 * c["global_load_sectors"],
           total("dram__bytes_read.sum"), ["dram__bytes_read.sum"]),
]


# --- the GPU's side -------------------------------------------------------------------------------

def find_tool(name):
    """A tool of the CUDA toolkit, on the path or in its usual places."""
    for place in ("", os.environ.get("CUDA_HOME", "/nonexistent") + "/bin",
                  os.environ.get("CUDA_PATH", "/nonexistent") + "/bin", "/usr/local/cuda/bin"):
        found = shutil.which(name, path=place or None)
        if found:
            return found
    return None


def find_ncu():
    return find_tool("ncu")


def ncu_metrics():
    return sorted({name for metric in METRICS for name in metric.needs if name != "launches"})


def number(text):
    """The value itself: of "343 (FADD: 53; SHFL: 45)" the 343."""
    match = re.match(r"[\d,.]+", text or "")
    return float(match[0].replace(",", "")) if match else None


def opcodes_in(text):
    """"343 (FADD: 53; SHFL: 45)": {"FADD": 53, "SHFL": 45}."""
    return {code: float(count.replace(",", ""))
            for code, count in re.findall(r"([A-Z][A-Z0-9_]*): ([\d,.]+)", text or "")}


def add_kernel(counts, kernel):
    counts["launches"] += 1
    for name in ncu_metrics():
        if name == OPCODES:
            for code, count in opcodes_in(kernel.get(name)).items():
                counts["opcodes"][code] = counts["opcodes"].get(code, 0.0) + count
            continue
        value = number(kernel.get(name))
        if value is None:
            raise compare.Refusal(f"ncu has no {name} on this GPU")
        counts[name] = counts.get(name, 0.0) + value


def kernels_by_row(text):
    """{row number: its kernels as dicts of text}, from ncu's raw page as CSV."""
    lines = text.splitlines()
    begin = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if begin is None:
        raise compare.Refusal("ncu gave no table:\n" + "\n".join(lines[-6:]))
    rows, kernels = {}, None
    for kernel in csv.DictReader(lines[begin:]):
        if not (kernel.get("ID") or "").isdigit():
            continue  # the line of units
        if kernel["Kernel Name"].startswith(MARKER):
            kernels = rows.setdefault(int(re.search(r"\d+", kernel["Grid Size"])[0]), [])
        elif kernels is not None:
            kernels.append(kernel)
    return rows


def read_ncu(text):
    """{row number: counts of all its kernels, added up}, of the rows of which ncu saw kernels."""
    rows = {}
    for row, kernels in kernels_by_row(text).items():
        if not kernels:
            continue
        counts = rows[row] = {"launches": 0.0, "opcodes": {}}
        for kernel in kernels:
            add_kernel(counts, kernel)
    if any(counts["launches"] and not counts["opcodes"] for counts in rows.values()):
        raise compare.Refusal(f"ncu gave no counts by opcode ({OPCODES})")
    return rows


def ask_ncu(ncu, program, variant, n, block, metrics, *more):
    """(what ncu wrote, {variant: its row number}) of one run of each variant (of one, or of
    all)."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "ncu.csv"
        command = [ncu, "--profile-from-start", "off", "--csv", "--page", "raw",
                   "--print-metric-instances", "details", "--clock-control", "none", "--log-file",
                   str(log), *more, "--metrics", ",".join(metrics), str(program), "--profile",
                   "--json", "--n", str(n), "--block", str(block), "--variant", variant]
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL)
        said = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    if "ERR_NVGPUCTRPERM" in said + done.stderr: # matching: ncu has no status of its own for it
        raise compare.Refusal("this user may not read the GPU's counters (ERR_NVGPUCTRPERM): the "
                              "administrator can allow it, or run the command as root")
    if done.returncode != 0:
        raise compare.Refusal(f"ncu failed: {(said + done.stderr).strip()[-400:]}")
    printed = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return said, {row["variant"]: row["row"] for row in printed}


def run_ncu(ncu, program, variant, n, block):
    """{variant: counts}."""
    said, rows = ask_ncu(ncu, program, variant, n, block, ncu_metrics())
    found = read_ncu(said)
    return {name: found[row] for name, row in rows.items() if row in found}


# --- the software GPU's side ----------------------------------------------------------------------

def count_of(text):
    """1048576, 2^20 or 1M."""
    match = re.fullmatch(r"(\d+)(?:\^(\d+)|([KMGkmg]))?", text)
    if not match:
        raise compare.Refusal(f"N is '{text}': it takes 1048576, 2^20 or 1M")
    base = int(match[1])
    if match[2]:
        return base ** int(match[2])
    return base << 10 * (1 + "kmg".index(match[3].lower())) if match[3] else base


def with_barrier_warps(counters):
    """Warps that waited at block barriers. A warp that comes in parts counts once, and the
    variant's own block size counts, not --block: so by the mean number of warps in a block."""
    waits = counters["block_barriers"] * counters["warps"] / max(counters["blocks"], 1)
    counters["barrier_warps"] = round(waits)
    return counters


@functools.cache
def stored_counters(n, block):
    """{(lesson, variant): counters} of the stored runs, if they are of this launch."""
    entries = [json.loads(line) for line in STORED.read_text("utf-8").splitlines()[1:]]
    return {(e["lesson"], e["variant"]): with_barrier_warps(e["counters"])
            for e in entries if e["n"] == n and e["block"] == block}


def run_software(build, lesson, variant, n, block):
    """Counters of a program built for the software GPU, or None when it is not there."""
    program = build / "lessons" / lesson
    if not program.is_file() or compare.backend_of(build) != "simt":
        return None
    done = subprocess.run([program, "--json", "--n", str(n), "--block", str(block), "--variant",
                           variant], capture_output=True, text=True, check=False)
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    rows = [row for row in rows if row["variant"] == variant]
    return with_barrier_warps(rows[0]["counters"]) if rows else None


# --- the table ------------------------------------------------------------------------------------

def compare_counts(lesson, variant, software, hardware):
    """[(metric, software, hardware or None, ratio or None, reason)] of what either counted."""
    rows = []
    for metric in METRICS:
        mine = metric.software(software)
        theirs = metric.hardware(hardware) if hardware else None
        if not mine and not theirs:
            continue
        ratio = theirs / mine if hardware and mine else None
        equal = hardware is None or (ratio is not None and abs(ratio - 1.0) <= EQUAL)
        reason = "" if equal else reason_for(metric.name, lesson, variant, mine, theirs)
        rows.append((metric, mine, theirs, ratio, reason))
    return rows


def show(rows):
    digits = lambda value, metric: "-" if value is None else f"{value:,.{metric.decimals}f}"
    print(f"  {'':30} {'software GPU':>15} {'GPU':>15} {'ratio':>7}")
    for metric, mine, theirs, ratio, reason in rows:
        print(f"  {metric.name:30} {digits(mine, metric):>15} {digits(theirs, metric):>15} "
              f"{'-' if ratio is None else format(ratio, '.3f'):>7}")
        if reason:
            print(f"      {reason}")


def why_unknown(arguments, lesson, variant, n):
    """Why there are no counters of the software GPU for this launch."""
    known = [name for of_lesson, name in stored_counters(1 << 20, 256) if of_lesson == lesson]
    if variant.startswith("cub"):
        return "CUB runs on a GPU only: there is nothing to compare it with"
    if variant not in known:
        return (f"lesson {lesson} has no variant '{variant}' with counters; it has "
                f"{', '.join(known)}")
    return (f"the counters of the software GPU for n = {n} and blocks of {arguments.block} are not "
            "there: stored are those for N=2^20 and blocks of 256. Others need its programs: make "
            "programs BACKEND=SIMT BUILD=build-simt")


def profile_one(arguments, n):
    lesson, variant = arguments.lesson, arguments.variant
    software = run_software(arguments.simt_build, lesson, variant, n, arguments.block)
    if software is None:
        software = run_software(arguments.build, lesson, variant, n, arguments.block)
    if software is None:
        software = stored_counters(n, arguments.block).get((lesson, variant))
    if software is None:
        raise compare.Refusal(why_unknown(arguments, lesson, variant, n))
    hardware, why = None, None
    ncu = find_ncu()
    if compare.backend_of(arguments.build) != "cuda":
        why = "The programs are built for the software GPU; ncu profiles a GPU's (BACKEND=CUDA)."
    elif not ncu:
        why = "ncu was not found: it is Nsight Compute, part of NVIDIA's CUDA toolkit."
    else:
        program = arguments.build / "lessons" / lesson
        hardware = run_ncu(ncu, program, variant, n, arguments.block).get(variant)
        if hardware is None:
            raise compare.Refusal(f"ncu saw no kernel of {lesson}/{variant}: {UNSEEN}")
    print(f"{lesson}/{variant}, {compare_text.sizes(n)} elements, blocks of {arguments.block}, "
          "one run")
    show(compare_counts(lesson, variant, software, hardware))
    if why:
        print(textwrap.fill(f"{why} The counters above are the software GPU's alone.", 79),
              file=sys.stderr)
    return 0


FIELDS = ["lesson", "variant", "n", "block", "quantity", "software", "gpu", "ratio", "reason"]


# Why a variant may be without counts, though it ran.
UNSEEN = ("it only copies, or was not run (it needs another GPU or a library), or its kernels ran "
          "in another process")


def table_rows(lesson, known, counted, n, block):
    """Rows of one lesson's variants that both GPUs counted."""
    for (of_lesson, variant), software in known.items():
        if of_lesson != lesson or variant not in counted:
            continue
        for metric, mine, theirs, ratio, reason in compare_counts(lesson, variant, software,
                                                                  counted[variant]):
            yield [lesson, variant, n, block, metric.name, f"{mine:.10g}", f"{theirs:.10g}",
                   "" if ratio is None else f"{ratio:.4f}", reason]


def profile_all(arguments, n):
    ncu = find_ncu()
    if not ncu or compare.backend_of(arguments.build) != "cuda":
        raise compare.Refusal("--all needs programs built for a GPU (BACKEND=CUDA) and ncu")
    known, failures, unseen = stored_counters(n, arguments.block), [], []
    about = provenance.of_gpu(arguments.build, f"common/scripts/profile.py --all --n {arguments.n}")
    about["profiler"] = provenance.answer_of(ncu, "--version").splitlines()[-1].strip()
    about["method"] = ("one run of each variant under ncu, counts of all its kernels; beside them "
                       "the software GPU's (figures/data/simt-lessons.jsonl)")
    about["key"] = "lesson/variant/n/block"
    with open(arguments.out, "w", newline="", encoding="utf-8") as file:
        file.writelines(f"# {field}: {text}\n" for field, text in about.items())
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(FIELDS)
        for lesson in dict.fromkeys(lesson for lesson, _ in known):
            print(lesson, file=sys.stderr)
            try:
                counted = run_ncu(ncu, arguments.build / "lessons" / lesson, "all", n,
                                  arguments.block)
            except (compare.Refusal, KeyError) as refusal:
                what = f"ncu did not count {refusal}" if isinstance(refusal, KeyError) else refusal
                failures.append(f"{lesson}: {what}")
                continue
            writer.writerows(table_rows(lesson, known, counted, n, arguments.block))
            unseen += [f"{name}/{variant}" for name, variant in known
                       if name == lesson and variant not in counted]
            file.flush()
        if unseen:
            file.write(f"# unseen: {', '.join(unseen)}\n")
            print(f"ncu saw no kernel of {', '.join(unseen)}: {UNSEEN}", file=sys.stderr)
    print("\n".join(failures), file=sys.stderr, end="\n" if failures else "")
    return 1 if failures else 0


def read_table(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def check(path):
    """Complaints about a stored table: ratios that do not fit, or have no reason."""
    rows, n_bad = read_table(path), 0
    for row in rows:
        where = f"{row['lesson']}/{row['variant']}: {row['quantity']}"
        mine, theirs = float(row["software"]), float(row["gpu"])
        ratio = theirs / mine if mine else None
        if (row["ratio"] == "") != (ratio is None) or (
                ratio is not None and not abs(ratio - float(row["ratio"])) <= 1e-3 * (1 + ratio)):
            print(f"{where}: the ratio is {row['ratio'] or 'missing'}, it should be {ratio}")
            n_bad += 1
        equal = ratio is not None and abs(ratio - 1.0) <= EQUAL
        reason = reason_for(row["quantity"], row["lesson"], row["variant"], mine, theirs)
        if not equal and not reason:
            print(f"{where}: {mine:,.0f} and {theirs:,.0f}, and no reason in profile_reasons.py")
            n_bad += 1
        if (reason if not equal else "") != row["reason"]:
            print(f"{where}: the stored reason is not that of profile_reasons.py")
            n_bad += 1
    print(f"{path.name}: {len(rows)} rows, {n_bad} complaints")
    return 1 if n_bad or not rows else 0


def explain_again(path, lesson=None):
    """Writes the reasons of profile_reasons.py into a stored table; of one lesson the software
    GPU's counts, too, as they are stored now: for a profile of programs newer than those counts
    were."""
    table, rows = measured_tables.read(path), read_table(path)
    by_name = {metric.name: metric for metric in METRICS}
    for row in rows:
        mine, theirs = float(row["software"]), float(row["gpu"])
        counters = stored_counters(int(row["n"]), int(row["block"])).get((row["lesson"],
                                                                         row["variant"]))
        if counters and row["lesson"] == lesson:
            mine = by_name[row["quantity"]].software(counters)
            row["software"] = f"{mine:.10g}"
            row["ratio"] = f"{theirs / mine:.4f}" if mine else ""
        equal = mine and abs(theirs / mine - 1.0) <= EQUAL
        row["reason"] = "" if equal else reason_for(row["quantity"], row["lesson"], row["variant"],
                                                    mine, theirs)
    text = io.StringIO()
    csv.DictWriter(text, FIELDS, lineterminator="\n").writerows(rows)
    table.lines = text.getvalue().splitlines()
    path.write_text(table.seal().text(), encoding="utf-8")
    return check(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--lesson")
    parser.add_argument("--variant")
    parser.add_argument("--n", default="2^20")
    parser.add_argument("--block", type=int, default=256)
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--simt-build", type=Path, default=Path("build-simt"))
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--out", type=Path, default=Path("ncu.csv"))
    parser.add_argument("--check", type=Path)
    parser.add_argument("--explain", type=Path, help="put the reasons into a stored table again "
                        "(with --lesson 12_many_bins: and the software GPU's counts of it)")
    arguments = parser.parse_args()
    try:
        if arguments.check:
            return check(arguments.check)
        if arguments.explain:
            return explain_again(arguments.explain, arguments.lesson)
        n = count_of(arguments.n)
        if arguments.all:
            return profile_all(arguments, n)
        if not arguments.lesson or not arguments.variant:
            raise compare.Refusal("which variant? For example: make profile LESSON=06 "
                                  "VARIANT=vectors; make run LESSON=06 ARGS=--list names them")
        return profile_one(arguments, n)
    except compare.Refusal as refusal:
        print(textwrap.fill(f"profile: {refusal}", 79), file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
