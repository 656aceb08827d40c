#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stores what the figures about the timing model and about rounding are drawn from.

    simt_tables.py [--build build]          writes figures/data/simt-parts.csv, simt-errors.csv and
                                            simt-links.csv
    simt_tables.py [--build build] --check  runs the smallest size again and compares, and three
                                            lessons of simt-caches.csv (caches.py simulate); exit 1
                                            on a change

simt-parts.csv: of each rung at 2^22 elements, and of two of lesson 06 at several sizes, what the
modelled time consists of and what the simulated caches did. simt-errors.csv: how far float sums are
from the correctly rounded sum of the same elements (lesson 11's), the largest of four inputs.
simt-links.csv: modelled times of lesson 13 on two GPUs; h200-many-gpus.csv has measured ones, and
counts bytes in the same way.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "common/scripts"))
import caches  # noqa: E402
import provenance  # noqa: E402

DATA = ROOT / "figures/data"
LARGE = 1 << 22
RUNGS = (("00_naive_atomic", "one_address"), ("00_naive_atomic", "spread_1024"),
         ("01_shared_tree", "modulo"),
         ("01_shared_tree", "strided"), ("02_bank_conflicts", "sequential"),
         ("03_upper_half", "first_add"),
         ("03_upper_half", "items_8"), ("04_warp_sync", "unrolled"), ("05_shuffle", "warp_first"),
         ("06_grid_stride", "chunked"), ("06_grid_stride", "grid_stride"),
         ("06_grid_stride", "unroll_4"),
         ("06_grid_stride", "vectors"), ("08_histogram", "block"), ("09_scan", "four_each"))
WALKS = (("06_grid_stride", "chunked"), ("06_grid_stride", "grid_stride"))
WALK_SIZES = tuple(1 << k for k in (16, 18, 20, 22, 24))
PARTS = ("launch", "latency", "dram", "l2", "l1", "shared", "issue", "lanes", "block", "atomic")
CACHES = ("l1_sectors", "l1_hits", "l2_sectors", "l2_hits", "dram_read_bytes", "dram_write_bytes")
SUMS = (("00_naive_atomic", "one_address"), ("06_grid_stride", "chunked"),
        ("02_bank_conflicts", "sequential"),
        ("06_grid_stride", "vectors"), ("11_exact_sum", "neumaier"), ("11_exact_sum", "window"))
SUM_SIZES = tuple(1 << k for k in range(10, 23, 2))
CHECKED = ("02_bank_conflicts", "06_grid_stride", "09_scan")  # of simt-caches.csv, in a test
ON_TWO_GPUS = {"sums": ("one_gpu", "host_adds", "peer_copies", "peer_reads", "exact", "nccl_sum"),
               "across": ("star", "tree", "ring", "nccl")}
LINK_SIZES = tuple(1 << k for k in range(17, 24, 2))  # of all numbers; a vector has half of them
SEEDS = (1, 2, 3, 4)  # the largest error counts


def run(build, lesson, variant, n, report=None, seed=1, devices=None):
    """The variant's line of --json; the report of its kernels goes to `report`."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("SIMT_")}
    if report:
        environment |= {"SIMT_LINES": "counted", "SIMT_REPORT": str(report)}
    if devices:
        environment["SIMT_DEVICES"] = str(devices)
    command = [build / "lessons" / lesson, "--n", str(n), "--variant", variant, "--seed", str(seed),
               "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600,
                          check=False)
    if done.returncode:
        raise RuntimeError(f"{lesson} {variant}: {done.stderr.strip()}")
    return json.loads(done.stdout.splitlines()[0])


def parts_row(build, lesson, variant, n):
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        line = run(build, lesson, variant, n, report)
        kernels = json.loads(report.read_text(encoding="utf-8"))["kernels"]
    longest = max(kernels, key=lambda kernel: kernel["total_ms"])
    total = sum(kernel["total_ms"] for kernel in kernels)
    row = {"lesson": lesson, "variant": variant, "n": n, "time_ms": f"{line['time_ms']:.6g}",
           "bound": longest["bound"]}
    for part in PARTS:
        row[f"{part}_share"] = f"{sum(kernel[part + '_ms'] for kernel in kernels) / total:.4f}"
    for cache in CACHES:
        row[cache] = f"{sum(kernel[cache] for kernel in kernels):.6g}"
    return row


def parts_rows(build, sizes=None):
    wanted = [(*rung, LARGE) for rung in RUNGS] + [(*walk, n) for n in WALK_SIZES for walk in WALKS]
    return [parts_row(build, *one) for one in dict.fromkeys(wanted) if sizes is None
            or one[2] in sizes]


def errors_rows(build, sizes=SUM_SIZES):
    rows = []
    for n in sizes:
        worst = dict.fromkeys(SUMS, 0.0)
        for seed in SEEDS:
            results = {one: float.fromhex(run(build, *one, n, seed=seed)["result"]) for one in SUMS}
            for one, result in results.items():
                worst[one] = max(worst[one], abs(result - results[SUMS[-1]]))
        rows += [{"lesson": lesson, "variant": variant, "n": n, "error": f"{error:.6g}"}
                 for (lesson, variant), error in worst.items()]
    return rows


def links_rows(build, sizes=LINK_SIZES):
    return [{"lesson": "13_many_gpus", "variant": variant, "n": n, "experiment": experiment,
             "bytes": 4 * n if experiment == "sums" else 2 * n,
             "time_us": f"{1e3 * run(build, '13_many_gpus', variant, n, devices=2)['time_ms']:.4g}"}
            for experiment, variants in ON_TWO_GPUS.items() for variant in variants for n in sizes]


def path_of(name):
    return DATA / f"simt-{name}.csv"


def write(name, rows, build, method):
    with open(path_of(name), "w", encoding="utf-8", newline="") as file:
        for line in ("device: modelled H200, the software GPU",
                     f"toolkit: {provenance.clang_of_build(build)}",
                     f"method: {method}", "command: figures/simt_tables.py",
                     "key: lesson/variant/n"):
            file.write(f"# {line}\n")
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read(name):
    with open(path_of(name), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def differences(name, rows):
    """A line per row that is not what is stored."""
    stored = {(row["lesson"], row["variant"], row["n"]): row for row in read(name)}
    changed = []
    for row in rows:
        text = {key: str(value) for key, value in row.items()}
        if text != stored.get((text["lesson"], text["variant"], text["n"])):
            changed.append(f"simt-{name}.csv: {text['lesson']} {text['variant']}, n = {text['n']}, "
                           "is stored otherwise")
    return changed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    build = arguments.build
    if not arguments.check:
        write("parts", parts_rows(build), build, "modelled and counted, blocks of 256 threads")
        write("errors", errors_rows(build), build,
              "results of the lessons' programs, floats between -1 and 1; the largest error of "
              f"{len(SEEDS)} inputs")
        write("links", links_rows(build), build, "modelled, two GPUs, blocks of 256 threads")
        return 0
    said = differences("errors", errors_rows(build, SUM_SIZES[:2]))
    if provenance.clang_of_build(build) in path_of("parts").read_text(encoding="utf-8"):
        said += differences("parts", parts_rows(build, WALK_SIZES[:1]))
        said += differences("links", links_rows(build, LINK_SIZES[:1]))
        said += differences("caches", caches.simulated_rows(build.resolve(), CHECKED))
    print("\n".join(said), file=sys.stderr)
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
