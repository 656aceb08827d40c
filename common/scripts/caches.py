#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a profiler counts of a GPU's caches beside what the software GPU's simulated ones do.

    caches.py measure --build build-cuda --out RAW.csv   every variant of every lesson under ncu,
                                        with caches that are empty before each kernel; on a GPU
    caches.py beside RAW.csv --simt-build build --out TABLE.csv   the same launches on the software
                                        GPU, and both in one table

Both sides run each variant once, n = 2^20, blocks of 256. Hit rates are of the sectors that loads
touch (L1) and that get past it (L2), bytes are sums over a variant's kernels. The profiler empties
the caches before every kernel, the software GPU before a variant: a second kernel finds there what
the first has left.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import compare  # noqa: E402
import profile  # noqa: E402
import provenance  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
N, BLOCK = 1 << 20, 256
SECTOR = 32  # bytes
LOADS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld"
READS = "lts__t_sectors_srcunit_tex_op_read"
QUANTITIES = ("l1_hit_rate", "l2_hit_rate", "dram_read_bytes", "dram_write_bytes")
METRICS = {"l1_sectors": f"{LOADS}.sum", "l1_hits": f"{LOADS}_lookup_hit.sum",
           "l2_sectors": f"{READS}.sum", "l2_hits": f"{READS}_lookup_hit.sum",
           "dram_read_bytes": "dram__bytes_read.sum", "dram_write_bytes": "dram__bytes_write.sum"}


# --- on a GPU -------------------------------------------------------------------------------------

def counts_of(kernels):
    """Sums over the kernels of one variant."""
    counts = dict.fromkeys(METRICS, 0.0)
    for kernel in kernels:
        for name, metric in METRICS.items():
            value = profile.number(kernel.get(metric))
            if value is None:
                raise compare.Refusal(f"ncu has no {metric} on this GPU")
            counts[name] += value
    return counts


def measure(build, out):
    ncu, failures = profile.find_ncu(), []
    if not ncu or compare.backend_of(build) != "cuda":
        raise compare.Refusal("measure needs programs built for a GPU (BACKEND=CUDA) and ncu")
    about = provenance.of_gpu(build, "common/scripts/caches.py measure")
    about["profiler"] = (provenance.answer_of(ncu, "--version").splitlines() or ["unknown"])[-1]
    with open(out, "w", newline="", encoding="utf-8") as file:
        file.writelines(f"# {field}: {text}\n" for field, text in about.items())
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("lesson", "variant", *METRICS))
        for program in compare.programs_of(build):
            try:
                said, rows = profile.ask_ncu(ncu, program, "all", N, BLOCK, METRICS.values(),
                                             "--cache-control", "all")
                kernels = profile.kernels_by_row(said)
                for variant, row in rows.items():
                    if kernels.get(row):
                        writer.writerow((program.name, variant, *(
                            f"{value:.10g}" for value in counts_of(kernels[row]).values())))
            except compare.Refusal as refusal:
                failures.append(f"{program.name}: {refusal}")
            file.flush()
    print("\n".join(failures), file=sys.stderr, end="\n" if failures else "")
    return 1 if failures else 0


# --- beside the software GPU ----------------------------------------------------------------------

def rate(part, whole):
    return part / whole if whole else 0.0


def simulated(build, lesson, variant):
    """The same of the software GPU: {quantity: value}, or None where the program has no such
    variant. Of the L1 one SM is simulated, so of it only the rate is known."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        environment = {**os.environ, "SIMT_LINES": "counted", "SIMT_REPORT": str(report)}
        done = subprocess.run([build / "lessons" / lesson, "--n", str(N), "--block", str(BLOCK),
                               "--variant", variant, "--json"], env=environment, check=False,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode or not report.exists():
            return None
        kernels = json.loads(report.read_text(encoding="utf-8"))["kernels"]
    row = json.loads(done.stdout.splitlines()[0])
    total = {name: sum(kernel[name] for kernel in kernels)
             for name in ("l1_sectors", "l1_hits", "dram_read_bytes", "dram_write_bytes")}
    l1 = rate(total["l1_hits"], total["l1_sectors"])
    past = (1 - l1) * row["counters"]["global_load_sectors"]
    return {"l1_hit_rate": l1,
            "l2_hit_rate": max(0.0, rate(past - total["dram_read_bytes"] / SECTOR, past)),
            "dram_read_bytes": total["dram_read_bytes"],
            "dram_write_bytes": total["dram_write_bytes"]}


def counted(row):
    """Of a row of RAW.csv."""
    counts = {name: float(row[name]) for name in METRICS}
    return {"l1_hit_rate": rate(counts["l1_hits"], counts["l1_sectors"]),
            "l2_hit_rate": rate(counts["l2_hits"], counts["l2_sectors"]),
            "dram_read_bytes": counts["dram_read_bytes"],
            "dram_write_bytes": counts["dram_write_bytes"]}


def beside(raw, build, out):
    """Writes the table; what it shows in a sentence."""
    lines = raw.read_text(encoding="utf-8").splitlines()
    rows, both = list(csv.DictReader(line for line in lines if not line.startswith("#"))), []
    with open(out, "w", newline="", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines if line.startswith("#"))
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("lesson", "variant", "n", *(f"{name}{side}" for name in QUANTITIES
                                                      for side in ("_ncu", ""))))
        for row in rows:
            mine = simulated(build, row["lesson"], row["variant"])
            if not mine:
                continue
            theirs = counted(row)
            both.append((theirs, mine))
            writer.writerow((row["lesson"], row["variant"], N, *(
                f"{side[name]:.4g}" for name in QUANTITIES for side in (theirs, mine))))
    near = sum(abs(a["l1_hit_rate"] - b["l1_hit_rate"]) <= 0.1 for a, b in both)
    reads = sorted(b["dram_read_bytes"] / a["dram_read_bytes"] for a, b in both
                   if a["dram_read_bytes"] > 1e5)
    print(f"{len(both)} variants; hit rates of L1 within 0.1 of the counted ones: {near}; bytes read "
          f"from DRAM, modelled over counted: " +
          (f"{reads[0]:.2f} to {reads[-1]:.2f}, median {reads[len(reads) // 2]:.2f}" if reads
           else "none reads enough"))
    return 0 if both else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("command", choices=("measure", "beside"))
    parser.add_argument("raw", nargs="?", type=Path, help="what `measure` wrote")
    parser.add_argument("--build", type=Path, default=Path("build-cuda"))
    parser.add_argument("--simt-build", type=Path, default=Path("build"))
    parser.add_argument("--out", type=Path, default=Path("caches.csv"))
    arguments = parser.parse_args()
    try:
        if arguments.command == "measure":
            return measure(arguments.build, arguments.out)
        if not arguments.raw:
            raise compare.Refusal("beside what? caches.py beside RAW.csv, which `measure` has written")
        return beside(arguments.raw, arguments.simt_build, arguments.out)
    except compare.Refusal as refusal:
        print(f"caches: {refusal}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
