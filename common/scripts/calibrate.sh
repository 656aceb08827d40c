#!/bin/sh
# SPDX-License-Identifier: MIT
# calibrate.sh - `make calibrate GPU=h100`, on that GPU: compiles and runs bench/calibrate twice,
# stores what came out as figures/data/GPU-calibration.csv and describes the device for the timing
# model. About three minutes on an otherwise idle GPU. A new GPU needs a row of KNOWN in
# calibrate_devices.py first.
set -eu
unset CDPATH
cd "$(dirname -- "$0")/../.."
gpu=${GPU:-}
build=${BUILD:-build}/calibrate
[ -n "$gpu" ] || {
  echo "calibrate.sh: GPU=name is missing: a short name, such as h100" >&2
  exit 2
}
grep -q "^    \"$gpu\": dict(" common/scripts/calibrate_devices.py || {
  echo "calibrate.sh: common/scripts/calibrate_devices.py knows no \"$gpu\":" \
    "add what its data sheet says to KNOWN" >&2
  exit 2
}
state=$(common/scripts/gpu_state.sh)
case $state in
"state ready"*) ;;
*)
  message=$(printf '%s\n' "$state" | sed -n 's/^message *//p')
  echo "calibrate.sh: it measures a GPU, and none can be used here: $message" >&2
  exit 1
  ;;
esac
command -v nvcc >/dev/null || {
  echo "calibrate.sh: there is a CUDA toolkit, but no nvcc in PATH" >&2
  exit 1
}
mkdir -p "$build"
echo "compiling (about a minute)" >&2
nvcc -O3 -arch=native bench/calibrate/*.cu -o "$build/calibrate"
for run in 1 2; do
  echo "run $run of 2 (about half a minute)" >&2
  "$build/calibrate" >"$build/raw-$run.csv"
done
name=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)
clock=$(nvidia-smi --query-gpu=clocks.max.sm --format=csv,noheader | head -n 1)
commit=$(PYTHONPATH=common/scripts python3 -B -c \
  'import provenance; print(provenance.commit_here())')
toolkit=$(nvcc --version | sed -n 's/.*release [0-9.]*, V\(.*\)/\1/p')
python3 -B common/scripts/calibrate.py store "$gpu" "$build/raw-1.csv" "$build/raw-2.csv" \
  --about "device: $name" --about "driver: $driver" --about "toolkit: nvcc $toolkit" \
  --about "clocks: not locked, at most $clock" --about "date: $(date +%Y-%m-%d)" \
  --about "commit: $commit" \
  --about "method: bench/calibrate, two runs; best of them, and their spread" \
  --about "command: make calibrate GPU=$gpu" --about "key: name"
python3 -B common/scripts/calibrate.py describe
