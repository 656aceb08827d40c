#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles api_layout.c with our headers and with NVIDIA's and compares what the two print.

    compare_layout.py CC OUR_INCLUDE_DIR NVCC WORK_DIR

Exits 77 (skipped) when NVIDIA's headers are not those of CUDA 13.
"""

import difflib
import re
import subprocess
import sys
from pathlib import Path

cc, ours, nvcc, work = sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4])
# Where its headers are only nvcc itself knows: it may be a wrapper that lies elsewhere.
said = subprocess.run([nvcc, "--dryrun", "-x", "cu", "-E", "/dev/null"], check=True,
                      capture_output=True, text=True).stderr
theirs = Path(re.search(r'INCLUDES="-I([^"]+)"', said)[1]) # matching: nvcc --dryrun
if "#define CUDART_VERSION  130" not in (theirs / "cuda_runtime_api.h").read_text(errors="replace"):
    print(f"{theirs} is not CUDA 13")
    sys.exit(77)
work.mkdir(parents=True, exist_ok=True)
outputs = []
for name, include in (("ours", ours), ("theirs", theirs)):
    program = work / f"api_layout.{name}"
    source = Path(__file__).with_name("api_layout.c")
    subprocess.run([cc, "-std=c11", f"-I{include}", source, "-o", program], check=True)
    outputs.append(subprocess.run([program], check=True, capture_output=True, text=True).stdout)
if outputs[0] != outputs[1]:
    print("\n".join(difflib.unified_diff(*(o.splitlines() for o in outputs), "ours", "NVIDIA's",
                                         lineterm="", n=0)))
    sys.exit(1)
