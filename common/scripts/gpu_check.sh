#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gpu_check.sh - everything that only a real NVIDIA GPU can tell, in one run:
#   1. builds the CUDA backend and runs every suite on the GPU;
#   2. asks the GPU whether the software GPU's opcode tables are right;
#   3. compares the results of every lesson with the software GPU's, bit for bit.
# Needs nvcc, CMake, Check and cJSON (CMAKE_PREFIX_PATH may point to them) and, for 3, the software
# GPU's results: those stored, or some from `gpu_check.sh --expect FILE.csv`, made on any machine
# beforehand. `make measure` does all this among other things.
#
#   gpu_check.sh [--out DIR] [--build DIR] [--results FILE]   on the GPU
#   gpu_check.sh --expect FILE.csv [--build DIR]              anywhere; DIR is of the software GPU
#   gpu_check.sh --recheck [--build DIR]                      are a few results still those stored?
#   gpu_check.sh --summarise DIR COMMIT                       prints what a run in DIR found
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# The runs whose results must agree, for every lesson: sizes around warps and blocks, odd primes.
sizes=(0 1 2 31 33 255 1000 4099 65537 1000003)
blocks=(64 256 1024)

usage() { sed -n '3,/^set/s/^# \{0,1\}//p' "$0" | sed '$d'; }

out=build/gpu results=figures/data/simt-results.csv
expect='' recheck='' build='' summarise='' commit=''
while [ $# -gt 0 ]; do
  case $1 in
  --out) out=$2; shift ;;
  --expect) expect=$2; shift ;;
  --results) results=$2; shift ;;
  --build) build=$2; shift ;;
  --recheck) recheck=yes sizes=(33 4099) blocks=(256) ;;
  --summarise) summarise=$2 commit=$3; shift 2 ;;
  -h | --help) usage; exit 0 ;;
  *) echo "gpu_check.sh: unknown option '$1'; see --help" >&2; exit 2 ;;
  esac
  shift
done

lessons_of() { find "$1/lessons" -maxdepth 1 -type f -perm -u+x -name '[0-9][0-9]_*' | sort; }

# One lesson at all sizes and blocks, one JSON object a line; a refused size leaves no line.
run_lesson() { # program [--profile: on a GPU, without the timed loops]
  local block list
  list=$(IFS=, && echo "${sizes[*]}")
  for block in "${blocks[@]}"; do
    "$1" --n "$list" --block "$block" --repeat 1 --json "${@:2}" 2>/dev/null || [ $? -eq 2 ] ||
      echo "{\"failed\": \"$(basename "$1") --n $list --block $block\"}"
  done
}

# All lessons side by side: only results matter here, not times.
run_lessons() { # build dir [option]
  local program lines
  lines=$(mktemp -d)
  for program in $(lessons_of "$1"); do
    run_lesson "$program" "${@:2}" >"$lines/${program##*/}" &
  done
  wait
  cat "$lines"/*
  rm -r "$lines"
}

if [ -n "$expect" ]; then
  lines=$(mktemp)
  run_lessons "${build:-build}" >"$lines"
  python3 -B common/scripts/compare_results.py --table "$lines" "$expect" \
    "$(python3 -B common/scripts/provenance.py --clang "${build:-build}")"
  rm "$lines"
  exit 0
fi

if [ -n "$recheck" ]; then
  lines=$(mktemp)
  trap 'rm -f "$lines"' EXIT
  run_lessons "${build:-build}" >"$lines"
  python3 -B common/scripts/compare_results.py --part "$results" "$lines" && exit 0
  echo "A lesson gives other results than those stored; where that is meant:" \
    "gpu_check.sh --expect $results" >&2
  exit 1
fi

# What a run said, in a few lines for figures/data: all of it taken from the run's own files.
summarise() { # DIR COMMIT
  echo "# device: $(sed -n 2p "$1/device.txt"); toolkit: $(grep release "$1/device.txt")"
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
gpu_build=${build:-build-gpu}
arch=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d '. ')
nvidia-smi -i "${CUDA_VISIBLE_DEVICES:-0}" --format=csv \
  --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem | tee "$out/device.txt"
nvcc --version | tail -2 | tee -a "$out/device.txt"

echo "== building for sm_$arch"
[ -e "$gpu_build/CMakeCache.txt" ] || # one that is there stays as it was configured
  cmake -S . -B "$gpu_build" -DWORKBOOK_BACKEND=CUDA -DCMAKE_CUDA_ARCHITECTURES="$arch" \
    >"$out/configure.log" 2>&1 || { tail -20 "$out/configure.log"; exit 1; }
cmake --build "$gpu_build" -j "$(nproc)" >"$out/build.log" 2>&1 ||
  { tail -40 "$out/build.log"; exit 1; }

status=0
echo "== suites on the GPU"
# A suite that shares the machine with others may be slow: it must not look stuck. Its checks share
# one process: opening the device for each would take most of the time.
export WB_LIMIT_S=${WB_LIMIT_S:-120} WB_FORK=no
ctest --test-dir "$gpu_build" -L 'suite|program' -E mutants -j 4 --output-on-failure \
  >"$out/suites.log" 2>&1 || status=1
grep -E 'tests passed|Failed|\*\*\*' "$out/suites.log" || true

echo "== opcode tables against the GPU"
if nvcc -O1 -Itests/simt -o "$gpu_build/opcodes_on_gpu" tests/simt/test_opcodes.c \
  >"$out/opcodes.log" 2>&1; then
  "$gpu_build/opcodes_on_gpu" >>"$out/opcodes.log" 2>&1 || status=1
else
  status=1
fi
tail -5 "$out/opcodes.log"

echo "== results against the software GPU's"
run_lessons "$gpu_build" --profile >"$out/gpu_lessons.jsonl"
python3 -B common/scripts/compare_results.py "$results" "$out/gpu_lessons.jsonl" |
  tee "$out/results.txt" || status=1

exit $status
