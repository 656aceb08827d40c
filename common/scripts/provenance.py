# SPDX-License-Identifier: MIT
"""Where measurements come from: device, driver, toolkit, clocks, date, commit.

A number without these is no measurement. What cannot be found out reads "unknown"; nothing is left
out silently.

    provenance.py BUILD COMMAND        the head of a stored table, for scripts that are not Python
    provenance.py --clang BUILD        the clang that compiled a build's device code: clang 19.1.7
"""

import datetime
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def answer_of(*command):
    """What a program prints, or "" when it is not there or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True,
                              cwd=ROOT)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()


def cache_value(build, name):
    try:
        cache = (Path(build) / "CMakeCache.txt").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    match = re.search(rf"^{name}(?::\w+)?=(.*)$", cache, re.MULTILINE)
    return match[1] if match else ""


def toolkit_of(build):
    compiler = cache_value(build, "WORKBOOK_NVCC")
    release = re.search(r"release ([\d.]+)", answer_of(compiler, "--version")) if compiler else None
    return f"CUDA {release[1]}" if release else "unknown"


CLANG_VERSION = re.compile(r"clang version (\d+(?:\.\d+)*)")


def clang_of(simtcc):
    """"clang 19.1.7": what this simtcc compiles device code with now."""
    version = CLANG_VERSION.search(answer_of(str(simtcc), "--version"))
    return f"clang {version[1]}" if version else "unknown"


def clang_of_build(build):
    """What the programs of a build tree were compiled with; counts depend on it, results do not."""
    try:
        said = (Path(build) / "common/simt/simtcc.compiler").read_text(encoding="utf-8")
    except OSError:
        return "unknown"
    version = CLANG_VERSION.search(said) # matching: clang prints its version
    return f"clang {version[1]}" if version else "unknown"


def commit_here():
    commit = answer_of("git", "rev-parse", "--short=12", "HEAD")
    if not commit:
        return "unknown"
    # What is measured is stored in the tree while other parts are still being measured: no change.
    changed = answer_of("git", "status", "--porcelain", "--", ".", ":(exclude)figures/data")
    return commit + (" and changes" if changed else "")


def first_gpu():
    """What nvidia-smi is to be asked about: the first of CUDA_VISIBLE_DEVICES, or all."""
    first = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")[0].strip()
    return ["-i", first] if first else []


def smi(*fields):
    """nvidia-smi's fields of the first GPU, as text; "unknown" each when it does not answer."""
    line = answer_of("nvidia-smi", *first_gpu(), f"--query-gpu={','.join(fields)}",
                     "--format=csv,noheader")
    values = [value.strip() for value in line.splitlines()[0].split(",")] if line else []
    return values if len(values) == len(fields) else ["unknown"] * len(fields)


def gpu_names():
    """All GPUs that programs see here, by nvidia-smi; empty when it does not answer."""
    names = answer_of("nvidia-smi", "--query-gpu=name", "--format=csv,noheader").splitlines()
    chosen = os.environ.get("CUDA_VISIBLE_DEVICES")
    if chosen is None:
        return names
    return names[:len([word for word in chosen.split(",") if word.strip()])]


def clocks():
    sm, sm_max, memory, memory_max = smi("clocks.sm", "clocks.max.sm", "clocks.mem",
                                         "clocks.max.mem")
    return f"SM {sm} of {sm_max}, memory {memory} of {memory_max}"


def of_gpu(build, command):
    """Provenance of a run on the first GPU, about to begin."""
    device, driver, power = smi("name", "driver_version", "power.limit")
    return {"device": device, "driver": driver, "toolkit": toolkit_of(build),
            "date": datetime.date.today().isoformat(), "commit": commit_here(),
            "clocks": clocks() + f", power limit {power}", "command": command}


def of_software_gpu(build, device, command):
    return {"device": device, "driver": "none", "toolkit": f"{clang_of_build(build)}, software GPU",
            "date": datetime.date.today().isoformat(), "commit": commit_here(),
            "clocks": "modelled", "command": command}


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    if sys.argv[1] == "--clang":
        print(clang_of_build(sys.argv[2]))
        sys.exit()
    for name, value in of_gpu(sys.argv[1], sys.argv[2]).items():
        print(f"# {name}: {value}")
