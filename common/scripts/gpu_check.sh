#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gpu_check.sh - everything that only a real NVIDIA GPU can tell, in one run:
#   1. builds the CUDA backend and runs every suite on the GPU;
#   2. asks the GPU whether the software GPU's opcode tables are right;
#   3. compares the results of every lesson with the software GPU's, bit for bit;
#   4. measures the lessons.
# Needs nvcc, CMake, Check (CMAKE_PREFIX_PATH may point to it) and, for 3, the software GPU's
# results from `gpu_check.sh --expect FILE`, made on any machine beforehand.
#
#   gpu_check.sh [--out DIR] [--results FILE] [--measure LIST]     on the GPU
#   gpu_check.sh --expect FILE [--build DIR]                       on any machine
#   gpu_check.sh --summarise DIR COMMIT                            prints what a run in DIR found
#
# --measure LIST: a file of lesson command lines ("01_shared_tree --n 2^28 --block 256"); each is run
# with --json and collected in DIR/measured.jsonl. What the book quotes comes from `make measure`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# The runs whose results must agree, for every lesson: sizes around warps and blocks, odd primes.
sizes=(0 1 2 31 33 255 1000 4099 65537 1000003)
blocks=(64 256 1024)

usage() { sed -n '3,/^set/s/^# \{0,1\}//p' "$0" | sed '$d'; }

out=build/gpu expect= results= measure= build=build summarise= commit=
while [ $# -gt 0 ]; do
  case $1 in
  --out) out=$2; shift ;;
  --expect) expect=$2; shift ;;
  --results) results=$2; shift ;;
  --measure) measure=$2; shift ;;
  --build) build=$2; shift ;;
  --summarise) summarise=$2 commit=$3; shift 2 ;;
  -h | --help) usage; exit 0 ;;
  *) echo "gpu_check.sh: unknown option '$1'; see --help" >&2; exit 2 ;;
  esac
  shift
done

lessons_of() { find "$1/lessons" -maxdepth 1 -type f -perm -u+x -name '[0-9][0-9]_*' | sort; }

# One lesson at all sizes and blocks, one JSON object a line; a refused size leaves no line.
run_lesson() { # program
  local block list
  list=$(IFS=, && echo "${sizes[*]}")
  for block in "${blocks[@]}"; do
    "$1" --n "$list" --block "$block" --repeat 1 --json 2>/dev/null || [ $? -eq 2 ] ||
      echo "{\"failed\": \"$(basename "$1") --n $list --block $block\"}"
  done
}

# All lessons side by side: only results matter here, not times.
run_lessons() { # build dir
  local program lines
  lines=$(mktemp -d)
  for program in $(lessons_of "$1"); do run_lesson "$program" >"$lines/${program##*/}" & done
  wait
  cat "$lines"/*
  rm -r "$lines"
}

if [ -n "$expect" ]; then
  run_lessons "$build" >"$expect"
  wc -l "$expect"
  exit 0
fi

# What a run said, in a few lines for figures/data: all of it taken from the run's own files.
summarise() { # DIR COMMIT
  echo "# device: $(sed -n 2p "$1/device.txt"); toolkit: $(sed -n 3p "$1/device.txt")"
  echo "# commit: $2; made by common/scripts/gpu_check.sh --summarise"
  echo "suites and programs on the GPU: $(grep -o '[0-9]*% tests passed.*' "$1/suites.log")"
  echo "opcode tables on the GPU: $(tail -1 "$1/opcodes.log")"
  echo "results of all lessons (n = ${sizes[*]}; blocks ${blocks[*]}) beside the software GPU's:"
  sed 's/^/  /' "$1/results.txt"
}

if [ -n "$summarise" ]; then
  summarise "$summarise" "$commit"
  exit 0
fi

mkdir -p "$out"
gpu_build=build-gpu
arch=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d '. ')
nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem --format=csv | tee "$out/device.txt"
nvcc --version | tail -2 | tee -a "$out/device.txt"

echo "== building for sm_$arch"
cmake -S . -B $gpu_build -DWORKBOOK_BACKEND=CUDA -DCMAKE_CUDA_ARCHITECTURES="$arch" >"$out/configure.log" 2>&1 ||
  { tail -20 "$out/configure.log"; exit 1; }
cmake --build $gpu_build -j "$(nproc)" >"$out/build.log" 2>&1 || { tail -40 "$out/build.log"; exit 1; }

status=0
echo "== suites on the GPU"
# A suite that shares the machine with others may be slow: it must not look stuck.
export WB_LIMIT_S=${WB_LIMIT_S:-120}
ctest --test-dir $gpu_build -L 'suite|program' -E mutants -j 4 --output-on-failure >"$out/suites.log" 2>&1 || status=1
grep -E 'tests passed|Failed|\*\*\*' "$out/suites.log" || true

echo "== opcode tables against the GPU"
if nvcc -O1 -Itests/simt -o $gpu_build/opcodes_on_gpu tests/simt/test_opcodes.c >"$out/opcodes.log" 2>&1; then
  $gpu_build/opcodes_on_gpu >>"$out/opcodes.log" 2>&1 || status=1
else
  status=1
fi
tail -5 "$out/opcodes.log"

echo "== results against the software GPU's"
run_lessons $gpu_build >"$out/gpu_lessons.jsonl"
if [ -n "$results" ]; then
  python3 common/scripts/compare_results.py "$results" "$out/gpu_lessons.jsonl" | tee "$out/results.txt" || status=1
fi

if [ -n "$measure" ]; then
  echo "== measuring"
  while read -r lesson rest; do
    case $lesson in '' | '#'*) continue ;; esac
    # shellcheck disable=SC2086 # the rest of the line is options
    $gpu_build/lessons/"$lesson" $rest --json >>"$out/measured.jsonl" || status=1
  done <"$measure"
  wc -l "$out/measured.jsonl"
fi
exit $status
