#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a profiler counts of a GPU's caches beside what the software GPU's simulated ones do.

    caches.py measure --build build-cuda --out RAW.csv   every variant of every lesson under ncu,
                                        with caches that are empty before each kernel; on a GPU
    caches.py simulate --build build --out SIMULATED.csv the same launches on the software GPU
    caches.py beside RAW.csv [--simulated figures/data/simt-caches.csv] --out TABLE.csv
                                        both in one table, with the reason where they differ
    caches.py check TABLE.csv           every difference has its reason

Both sides run each variant once, n = 2^20, blocks of 256. Hit rates are of the sectors that loads
touch (L1) and that get past it (L2), bytes are sums over a variant's kernels. The profiler empties
the caches before every kernel, the software GPU before a variant: a second kernel finds there what
the first has left.

Two rates are alike when they are within 0.05 of each other, bytes when they differ by less than a
twentieth or by less than 256 KiB.
"""

import argparse
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "figures"))
import compare  # noqa: E402
import measured_tables  # noqa: E402
import profile  # noqa: E402
import provenance  # noqa: E402
from profile_reasons import reason_for  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
N, BLOCK = 1 << 20, 256
SECTOR = 32  # bytes
LOADS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld"
READS = "lts__t_sectors_srcunit_tex_op_read"
STORED = ROOT / "figures/data/simt-caches.csv"
QUANTITIES = {"l1_hit_rate": "hit rate of L1", "l2_hit_rate": "hit rate of L2",
              "dram_read_bytes": "bytes read from DRAM",
              "dram_write_bytes": "bytes written to DRAM"}
FIELDS = ("lesson", "variant", "n", "block", "quantity", "software", "gpu", "ratio", "reason")
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


# --- on the software GPU -----------------------------------------------------------------------

def rate(part, whole):
    return part / whole if whole else 0.0


def run_simulated(program, variant):
    """(the variant's line of --json, its kernels' reports)."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        environment = {name: text for name, text in os.environ.items()
                       if not name.startswith("SIMT_")}
        environment |= {"SIMT_LINES": "counted", "SIMT_REPORT": str(report)}
        done = subprocess.run([program, "--n", str(N), "--block", str(BLOCK), "--variant", variant,
                               "--json"], env=environment, check=False, capture_output=True,
                              text=True, stdin=subprocess.DEVNULL)
        if done.returncode or not report.exists():
            raise compare.Refusal(f"{program.name} --variant {variant} failed: "
                                  f"{done.stderr.strip() or 'no report'}")
        kernels = json.loads(report.read_text(encoding="utf-8"))["kernels"]
    return json.loads(done.stdout.splitlines()[0]), kernels


def simulated(build, lesson, variant):
    """{quantity: value}. Of the L1 one SM is simulated, so of it only the rate is known."""
    line, kernels = run_simulated(build / "lessons" / lesson, variant)
    total = {name: sum(kernel[name] for kernel in kernels)
             for name in ("l1_sectors", "l1_hits", "dram_read_bytes", "dram_write_bytes")}
    l1 = rate(total["l1_hits"], total["l1_sectors"])
    past = (1 - l1) * line["counters"]["global_load_sectors"]
    return {"l1_hit_rate": l1,
            "l2_hit_rate": max(0.0, rate(past - total["dram_read_bytes"] / SECTOR, past)),
            "dram_read_bytes": total["dram_read_bytes"],
            "dram_write_bytes": total["dram_write_bytes"]}


def simulated_rows(build, lessons=None):
    """Rows of the stored table, of all lessons or of some."""
    known = profile.stored_counters(N, BLOCK)
    return [{"lesson": lesson, "variant": variant, "n": N,
             **{name: f"{value:.5g}" for name, value in simulated(build, lesson, variant).items()}}
            for lesson, variant in known if lessons is None or lesson in lessons]


def simulate(build, out):
    rows = simulated_rows(build)
    with open(out, "w", newline="", encoding="utf-8") as file:
        for field, text in (("device", "modelled H200, the software GPU"),
                            ("toolkit", provenance.clang_of_build(build)),
                            ("method", f"simulated caches, blocks of {BLOCK} threads"),
                            ("command", "common/scripts/caches.py simulate"),
                            ("key", "lesson/variant/n")):
            file.write(f"# {field}: {text}\n")
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return 0


# --- both -----------------------------------------------------------------------------------------

def counted(row):
    """Of a row of RAW.csv."""
    counts = {name: float(row[name]) for name in METRICS}
    return {"l1_hit_rate": rate(counts["l1_hits"], counts["l1_sectors"]),
            "l2_hit_rate": rate(counts["l2_hits"], counts["l2_sectors"]),
            "dram_read_bytes": counts["dram_read_bytes"],
            "dram_write_bytes": counts["dram_write_bytes"]}


def are_alike(quantity, software, gpu):
    if quantity.startswith("hit rate"):
        return abs(software - gpu) <= 0.05
    return abs(software - gpu) <= max(0.05 * software, 1 << 18)


def reason_of(quantity, row, software, gpu):
    if are_alike(quantity, software, gpu):
        return ""
    return reason_for(quantity, row["lesson"], row["variant"], software, gpu)


def beside(raw, stored, out):
    """Writes the table; 1 if a difference has no reason."""
    measured = measured_tables.read(raw)
    mine = {(row["lesson"], row["variant"]): row for row in measured_tables.read(stored).rows()}
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    for row in measured.rows():
        modelled = mine.get((row["lesson"], row["variant"]))
        for name, theirs in counted(row).items() if modelled else ():
            software, quantity = float(modelled[name]), QUANTITIES[name]
            theirs = float(f"{theirs:.5g}")
            writer.writerow((row["lesson"], row["variant"], N, BLOCK, quantity, f"{software:.5g}",
                             f"{theirs:.5g}", f"{theirs / software:.4g}" if software else "",
                             reason_of(quantity, row, software, theirs)))
    about = {**measured.about, "key": "lesson/variant/n/block",
             "method": "one run of each variant under ncu, caches emptied before each kernel; and "
                       "the software GPU's simulated caches (figures/data/simt-caches.csv)"}
    table = measured_tables.Table(about, ",".join(FIELDS), lines.getvalue().splitlines()).seal()
    out.write_text(table.text(), encoding="utf-8")
    return check(out)


def check(path):
    """Complaints about a stored table: differences without a reason, reasons that are no longer."""
    rows, n_bad = measured_tables.read(path).rows(), 0
    for row in rows:
        software, gpu = float(row["software"]), float(row["gpu"])
        reason = reason_of(row["quantity"], row, software, gpu)
        where = f"{row['lesson']}/{row['variant']}: {row['quantity']}"
        if not reason and not are_alike(row["quantity"], software, gpu):
            print(f"{where}: {software:,g} and {gpu:,g}, and no reason in profile_reasons.py")
            n_bad += 1
        if reason != row["reason"]:
            print(f"{where}: the stored reason is not that of profile_reasons.py")
            n_bad += 1
    alike = sum(are_alike(row["quantity"], float(row["software"]), float(row["gpu"]))
                for row in rows)
    print(f"{path.name}: {len(rows)} rows, {alike} alike, {n_bad} complaints")
    return 1 if n_bad or not rows else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("command", choices=("measure", "simulate", "beside", "check"))
    parser.add_argument("table", nargs="?", type=Path, help="of beside: what `measure` wrote; of "
                        "check: what `beside` wrote")
    parser.add_argument("--build", type=Path, help="default: build-cuda to measure, else build")
    parser.add_argument("--simulated", type=Path, default=STORED)
    parser.add_argument("--out", type=Path, default=Path("caches.csv"))
    arguments = parser.parse_args()
    command, table, out = arguments.command, arguments.table, arguments.out
    try:
        if command == "measure":
            return measure(arguments.build or Path("build-cuda"), out)
        if command == "simulate":
            return simulate(arguments.build or Path("build"), out)
        if not table:
            raise compare.Refusal(f"{command} what? caches.py {command} TABLE.csv; see --help")
        return beside(table, arguments.simulated, out) if command == "beside" else check(table)
    except (compare.Refusal, OSError) as refusal:
        print(f"caches: {refusal}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
