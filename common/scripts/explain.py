#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What each line of a kernel costs, and what its time goes into; on the software GPU.

    explain.py --lesson 02_bank_conflicts [--variant strided] [--n 2^20] [--build build]

--variant names a variant of the lesson's program (default: its first), or `exercise` or `solution`:
then the kernels of exercises/NN_name.cu or solutions/NN_name.cu are run by their suite. --verbose
shows every line that was run, otherwise those that matter. Counts are exact; times are modelled.
Exit: 0 explained, 1 the program failed (it is still explained), 2 wrong use.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import bounds  # noqa: E402
from compare import Refusal, backend_of  # noqa: E402
from compare_text import WIDTH, Style, number  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
NOTABLE = 0.03  # of a kernel's instructions or events: below, a line is not worth a remark
OWN = ("exercise", "solution")

UNITS = {"global_requests": "requests to global memory", "global_sectors": "sectors",
         "shared_wavefronts": "passes over shared memory", "warp_instructions": "instructions",
         "block_barriers": "arrivals at barriers", "atomic_lanes": "atomic operations"}
PARTS = {"launch_ms": "launch", "latency_ms": "latency", "dram_ms": "DRAM", "l2_ms": "L2",
         "l1_ms": "L1", "shared_ms": "shared memory", "issue_ms": "issue", "lanes_ms": "lanes",
         "barrier_ms": "barriers", "block_ms": "block starts", "atomic_ms": "atomics"}


# --- running --------------------------------------------------------------------------------------

def run(command, report, lines, **more):
    """(report, exit status, what was said); the report may be missing. `lines`: as SIMT_LINES."""
    environment = {**os.environ, "SIMT_LINES": lines, "SIMT_REPORT": str(report), **more}
    for name in ("SIMT_SCHEDULE", "SIMT_CHECK"):
        environment.pop(name, None)
    done = subprocess.run(command, env=environment, capture_output=True, text=True,
                          errors="replace", stdin=subprocess.DEVNULL, check=False)
    try:
        found = json.loads(report.read_text(encoding="utf-8", errors="replace"))
    except (OSError, ValueError):
        found = None
    return found, done.returncode, (done.stderr or done.stdout).strip()


def run_variant(build, lesson, variant, n, report):
    program = build / "lessons" / lesson
    if not os.access(program, os.X_OK):
        raise Refusal(f"{program} is not there: make programs builds it")
    listed = json.loads(subprocess.run([program, "--list", "--json"], capture_output=True,
                                       text=True, check=True).stdout)
    variant = variant or next(iter(listed["variants"]))
    found, status, said = run([program, "--variant", variant, "--n", n], report, "counted")
    if status == 2 or found is None:
        raise Refusal(said or f"{program} ended with status {status}")
    return f"{lesson}, {variant}: {listed['variants'].get(variant, '')}", found, status, said


def run_own(build, lesson, which, folder):
    source = ROOT / f"{which}s" / f"{lesson}.cu"
    module = folder / "module.ptx"
    done = subprocess.run([build / "common/simt/simtcc", "-ptx", source, "-o", module, "-I",
                           ROOT / "common/workbook"], capture_output=True, text=True,
                          errors="replace", check=False)
    if done.returncode:
        raise Refusal(f"{source.relative_to(ROOT)} does not compile:\n{done.stderr.strip()}")
    found, status, said = run([build / "tests" / lesson, "--module", module], folder / "report",
                              "all", WB_FORK="no")
    if found is None:
        raise Refusal(said or f"the suite of {lesson} ended with status {status}")
    return f"{source.relative_to(ROOT)}, as its suite runs it", found, status, said


# --- what to say ----------------------------------------------------------------------------------

def merged(lines):
    """Sums of several kernels' costs by file and line."""
    table = {}
    for line in lines:
        at = table.setdefault((line["file"], line["line"]), {})
        for name, value in line.items():
            if isinstance(value, int) and name != "line":
                at[name] = at.get(name, 0) + value
    return table


def total(table, name):
    return sum(cost[name] for cost in table.values())


def percent(part, whole):
    share = 100 * part / whole if whole else 0
    return "under 1 %" if 0 < share < 0.5 else f"{share:.0f} %"


def counted(value, noun):
    return f"{number(value)} {noun}{'' if value == 1 else 's'}"


def remarks(cost, table):
    """What a line cost, in words; the most telling first. Empty: nothing worth a word."""
    said = []
    share = cost["warp_instructions"] / max(1, total(table, "warp_instructions"))
    if cost["global_requests"]:
        sectors = cost["global_sectors"] / cost["global_requests"]
        said.append(f"{counted(sectors, 'sector')} per request")
    extra = cost["shared_wavefronts"] - cost["shared_ideal"]
    if extra:
        said.append(f"{cost['shared_wavefronts'] / cost['shared_ideal']:.1f} passes over the banks "
                    "where 1 would do")
    elif cost["shared_requests"]:
        said.append("shared memory, no conflicts")
    if cost["atomic_requests"]:
        lanes = cost["atomic_lanes"] / cost["atomic_requests"]
        said.append(f"{counted(cost['atomic_lanes'], 'atomic operation')}, {lanes:.1f} per "
                    "request")
    if cost["divergent_branches"]:
        said.append(f"{percent(cost['divergent_branches'], cost['branches'])} of its branches "
                    "diverge")
    for name, noun in (("block_barriers", "arrival"), ("warp_syncs", "warp barrier"),
                       ("shuffles", "shuffle"), ("votes", "vote"), ("fences", "fence")):
        if cost[name]:
            said.append(counted(cost[name], noun)
                        + (" at a block barrier" if name == "block_barriers" else ""))
    idle = 1 - cost["lane_instructions"] / max(1, 32 * cost["warp_instructions"])
    if share >= NOTABLE and idle >= 0.2:
        said.append(f"{percent(idle, 1)} of its lanes idle")
    if share >= NOTABLE or said:
        said.insert(0, f"{percent(share, 1)} of the instructions")
    return said


def conclusion(kernels, table):
    """Two sentences: what the time goes into, and in which line."""
    if not kernels:
        return []
    longest = max(kernels, key=lambda kernel: kernel["total_ms"])
    sentence, counter = bounds.sentence(longest["bound"]), bounds.counter(longest["bound"])
    if not counter or not total(table, counter):
        return [sentence]
    (file, line), cost = max(table.items(), key=lambda item: item[1][counter])
    where = f"{Path(file).name}:{line}" if line else "code without a line"
    return [sentence, f"{where} has {percent(cost[counter], total(table, counter))} of the "
                      f"{UNITS[counter]}."]


# --- the listing ----------------------------------------------------------------------------------

def wrapped(text, indent):
    """Lines of at most WIDTH columns."""
    lines, line = [], indent
    for word in text.split():
        if len(line) + len(word) + 1 > WIDTH and line.strip():
            lines.append(line)
            line = indent
        line += (" " if line.strip() else "") + word
    return [*lines, line]


def source_of(file):
    path = Path(file)
    for candidate in (path, ROOT / path):
        try:
            return candidate.read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError:
            continue
    return None


def shown_name(file):
    try:
        return str(Path(file).resolve().relative_to(ROOT))
    except ValueError:
        return file


def listing(file, costs, table, verbose, style):
    """The lines of one file that cost something, with what they cost beneath."""
    source = source_of(file)
    out = ["", style.bold(shown_name(file) or "Code without a line")]
    previous = None
    for line, cost in sorted(costs.items()):
        said = remarks(cost, table)
        if not said and not verbose:
            continue
        if previous and line > previous + 1:
            out.append("      ...")
        previous = line
        text = source[line - 1] if source and 0 < line <= len(source) else ""
        out.append(f"{line:5} | {text}"[:WIDTH].rstrip())
        if said:
            out += [style.dim(part) for part in wrapped("; ".join(said), "        ^ ")]
    return out


def kernel_lines(kernels):
    lines = []
    for kernel in kernels:
        parts = sorted(((kernel[name], text) for name, text in PARTS.items() if kernel[name] > 0),
                       reverse=True)
        launches = f"{kernel['launches']} launch" + ("es" if kernel["launches"] != 1 else "")
        said = ", ".join(f"{text} {value:.3g}" for value, text in parts[:5])
        lines += wrapped(f"{kernel['name']}: {launches}, modelled {kernel['total_ms']:.4g} ms. "
                         f"Its parts overlap; each alone would take: {said} ms.", "")
    return lines


def explained(title, report, verbose, style):
    table = merged(report["lines"])
    lines = [style.bold(title[:WIDTH]), f"{report['device']}; counts are exact, times modelled",
             *kernel_lines(report["kernels"])]
    files = {}
    for (file, line), cost in table.items():
        files.setdefault(file, {})[line] = cost
    heavy = sorted(files, key=lambda file: -sum(cost["warp_instructions"]
                                                for cost in files[file].values()))
    for file in heavy:
        lines += listing(file, files[file], table, verbose, style)
    if not report["lines_are_whole"]:
        lines.append("Memory ran out: some lines are missing.")
    lines.append("")
    for sentence in conclusion(report["kernels"], table):
        lines += wrapped(sentence, "")
    return lines


# --- main -----------------------------------------------------------------------------------------

def explain(arguments):
    build = arguments.build
    if backend_of(build) == "cuda":
        raise Refusal("these programs run on a real GPU, which does not count by line: make "
                      "explain BACKEND=SIMT BUILD=build-simt, or make profile for ncu's counts")
    if arguments.device:
        os.environ["SIMT_DEVICE"] = arguments.device
    with tempfile.TemporaryDirectory() as folder:
        if arguments.variant in OWN:
            title, report, status, said = run_own(build, arguments.lesson, arguments.variant,
                                                  Path(folder))
        else:
            title, report, status, said = run_variant(build, arguments.lesson, arguments.variant,
                                                      arguments.n, Path(folder) / "report")
    if not report["lines"]:
        raise Refusal(f"no kernel ran: {said}")
    print("\n".join(explained(title, report, arguments.verbose, Style(sys.stdout))))
    if status:
        print("Not every check passed; what was run is explained all the same."
              if arguments.variant in OWN else
              "Not every result was right; what was run is explained all the same.",
              file=sys.stderr)
    return 1 if status else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--lesson", required=True)
    parser.add_argument("--variant", default="", help="of the program, or exercise or solution")
    parser.add_argument("--n", default="2^20", help="elements (default 2^20)")
    parser.add_argument("--device", help="what the software GPU models, e.g. h200 or a100")
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--verbose", action="store_true", help="every line that was run")
    try:
        return explain(parser.parse_args())
    except Refusal as refusal:
        print(f"explain: {refusal}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
