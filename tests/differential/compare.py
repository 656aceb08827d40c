#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs generated kernels on two GPUs of one machine, a real one and the software one, and finds the
statement with which they part.

    compare.py REAL SOFT [--plain] [--seeds 0..9999] [--jobs N] [--show N] [--out DIR]
               [--provenance TEXT]

REAL and SOFT are two builds of the program `differential`. Both run all seeds, in slices. With
--plain, kernels that differ are run once more without optimisation by the driver's compiler: where
that agrees with SOFT, the optimised code was at fault; such seeds are listed in DIR/compiler.txt
with their optimised hashes (0: stopped) and the statement they part with, and their unoptimised
hashes are taken. Each seed that is left (DIR/differ.txt) is run again, cut after 0, 1, 2 ...
statements; the first cut that differs names the statement, and the words it left on both
sides are printed. DIR also gets real.txt and soft.txt (all hashes), hashes.txt, the form that
`differential --expect` reads, and corpus/, the cut kernels with what the real GPU made of them,
which `differential --stored` runs. Exit status 1 when a kernel differs or failed.
"""

import argparse
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FAILED = "failed"
COMPILER_HEAD = """\
# Generated kernels of which the driver's compiler makes something else when it optimises\
 (CUDA 13.0);
# unoptimised they give what stands in h200_hashes.txt. Seed, hash when optimised (00000000: an
# illegal instruction stops it), the statement with which the results part. README.md says why.
"""
MOST_ALONE = 1024


def run(program, *arguments):
    """Its lines "KEY HASH" as a dictionary. Kernels that failed leave none."""
    result = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if result.returncode and result.stderr:
        sys.stderr.write(f"{program} {' '.join(arguments)}:\n{result.stderr[:2000]}")
    return result.stdout


def hashes(program, arguments):
    return dict(line.rsplit(" ", 1) for line in run(program, *arguments).splitlines())


def run_plain(program, seeds, jobs):
    """The hashes of unoptimised code; a process each, since a kernel that fails ends its
    process."""
    table = {}
    with ThreadPoolExecutor(jobs) as pool:
        for part in pool.map(lambda s: hashes(program, [s, "--optimise", "0"]), seeds):
            table |= part
    return table


def run_slices(program, first, last, jobs):
    size = max(64, (last - first + 4 * jobs) // (4 * jobs))
    slices = [f"{at}..{min(at + size - 1, last)}" for at in range(first, last + 1, size)]
    table = {}
    with ThreadPoolExecutor(jobs) as pool:
        for part in pool.map(lambda s: hashes(program, [s]), slices):
            table |= part
        # A kernel that fails takes its process with it: the rest of its slice, one by one.
        missing = [str(s) for s in range(first, last + 1) if str(s) not in table][:MOST_ALONE]
        for part in pool.map(lambda s: hashes(program, [s]), missing):
            table |= part
    return table


def first_difference(real, soft, seed):
    """The least limit with which the kernel of `seed` differs, or None."""
    traces = [hashes(program, [str(seed), "--trace"]) for program in (real, soft)]
    limits = sorted(int(key.split(".")[1]) for key in traces[1])
    for limit in limits:
        key = f"{seed}.{limit}"
        if traces[0].get(key, FAILED) != traces[1].get(key, FAILED):
            return limit
    return None


def keep(real, soft, seed, limit, out):
    """Writes the cut kernel with what the real GPU made of it: `differential --stored` runs it."""
    cut = [str(seed), "--limit", str(limit)]
    ptx = run(soft, *cut, "--print")
    dump = run(real, *cut, "--dump").splitlines()
    threads = sum(" p0 " in line for line in dump)
    n_threads = int(re.search(r"mad\.lo\.u32 %g, %t0, (\d+)", ptx).group(1))
    got = hashes(real, [str(seed), "--trace"]).get(f"{seed}.{limit}", "0")
    name = re.search(r"\.entry (\w+)", ptx).group(1)
    statement = run(soft, *cut, "--print", "--last").splitlines()[-1].strip()
    head = f"// kernel {name} blocks {threads // n_threads} threads {n_threads} hash {got}:"
    (out / "corpus").mkdir(parents=True, exist_ok=True)
    (out / "corpus" / f"{seed}_{limit}.ptx").write_text(f"{head} {statement}\n{ptx}")


def explain(real, soft, seed, out, most_words=12):
    limit = first_difference(real, soft, seed)
    if limit is None:
        return f"seed {seed}: no cut differs, only the whole kernel\n"
    cut = [str(seed), "--limit", str(limit)]
    text = run(soft, *cut, "--print", "--last")
    dumps = [run(program, *cut, "--dump").splitlines() for program in (real, soft)]
    keep(real, soft, seed, limit, out)
    before = run(soft, str(seed), "--limit", str(max(limit - 1, 0)), "--dump").splitlines()
    before = [line.replace(f".{max(limit - 1, 0)} ", f".{limit} ", 1) for line in before]
    words = [f"  {r}, here {s.rsplit(' ', 1)[1]}, before {b.rsplit(' ', 1)[1]}"
             for r, s, b in zip(*dumps, before) if r != s]
    return f"seed {text}" + "\n".join(words[:most_words]) + f"\n  {len(words)} words differ\n"


def write_compiler(real, soft, path, optimised, jobs):
    """What optimised code made of the kernels whose unoptimised code agrees."""
    def line(seed):
        limit = first_difference(real, soft, seed)
        text = run(soft, seed, "--limit", str(limit), "--print", "--last").splitlines()[1:]
        statement = " ".join(t.strip() for t in text if "%zero" not in t) if limit else "no cut"
        return f"{seed} {optimised.get(seed, '0' * 16)[:8]} {statement}\n"
    seeds = sorted(optimised, key=int)
    with ThreadPoolExecutor(jobs) as pool:
        path.write_text(COMPILER_HEAD + "".join(pool.map(line, seeds)))


def write_tables(out, real, soft, first, last, provenance):
    out.mkdir(parents=True, exist_ok=True)
    for name, table in (("real", real), ("soft", soft)):
        lines = [f"{seed} {table.get(str(seed), FAILED)}" for seed in range(first, last + 1)]
        (out / f"{name}.txt").write_text("\n".join(lines) + "\n")
    short = [real.get(str(seed), "0" * 16)[:8] for seed in range(first, last + 1)]
    rows = [" ".join(short[at:at + 12]) for at in range(0, len(short), 12)]
    (out / "hashes.txt").write_text(f"# {provenance}\n" + "\n".join(rows) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("real")
    parser.add_argument("soft")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--seeds", default="0..9999")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--show", type=int, default=20)
    parser.add_argument("--out", type=Path, default=Path("differential"))
    parser.add_argument("--provenance", default="not said")
    options = parser.parse_args()
    first, last = (int(word) for word in options.seeds.split(".."))
    real = run_slices(options.real, first, last, options.jobs)
    soft = run_slices(options.soft, first, last, options.jobs)
    seeds = [str(seed) for seed in range(first, last + 1)
             if real.get(str(seed), FAILED) != soft.get(str(seed))]
    mended = []
    if options.plain:
        plain = run_plain(options.real, seeds, options.jobs)
        mended = [seed for seed in seeds if plain.get(seed) == soft.get(seed)]
        optimised = {seed: real.get(seed, "0" * 16) for seed in mended}
        real |= {seed: plain[seed] for seed in mended}
        seeds = [seed for seed in seeds if seed not in mended]
    write_tables(options.out, real, soft, first, last, options.provenance)
    if options.plain:
        write_compiler(options.real, options.soft, options.out / "compiler.txt", optimised,
                       options.jobs)
    (options.out / "differ.txt").write_text("".join(f"{seed}\n" for seed in seeds))
    with ThreadPoolExecutor(options.jobs) as pool:
        for text in pool.map(lambda s: explain(options.real, options.soft, s, options.out),
                             seeds[:options.show]):
            print(text)
    print(f"{len(seeds)} of {last - first + 1} kernels differ ({len(real)} ran on the real GPU, "
          f"{len(soft)} on the software GPU); {len(mended)} more only when optimised")
    return 1 if seeds else 0


if __name__ == "__main__":
    sys.exit(main())
