#!/bin/sh
# SPDX-License-Identifier: MIT
# gpu_state.sh - is there a GPU on which programs of this machine's CUDA toolkit run, and what are
# they to be built for? CMake, setup.sh and the make targets all ask here, so that they agree.
#
#   gpu_state.sh [NVCC]            prints, one a line (a field that is not known is empty):
#     state    ready | no-toolkit | no-driver | no-gpu | driver-too-old | gpu-too-old
#     toolkit  13.0                its release
#     driver   13.0                the newest CUDA release that the driver knows
#     gpus     90 75               compute capabilities of the GPUs that answer
#     targets  90 75               architectures to build for; each is one that the toolkit has
#     message  one sentence for people; empty when ready
#   gpu_state.sh --require BUILD   silent and 0 when BUILD's programs can run here (always, when
#                                  they are for the software GPU); otherwise the message, and 1
#
# Not looked at: whether the driver is *minor* releases behind. Within one major release it runs
# machine code of a newer toolkit, and machine code for the GPU is what is built here.
set -u

find_nvcc() { # [wanted]
  for candidate in "${1:-}" "${CUDA_HOME:-/nonexistent}/bin/nvcc" \
    "${CUDA_PATH:-/nonexistent}/bin/nvcc" "$(command -v nvcc 2>/dev/null)" \
    "${WORKBOOK_CUDA_DIR:-/usr/local/cuda}/bin/nvcc"; do
    [ -n "$candidate" ] && [ -x "$candidate" ] && { echo "$candidate"; return; }
  done
}

known_by_toolkit() { # capability
  case " $known " in *" $1 "*) return 0 ;; *) return 1 ;; esac
}

# The newest of the toolkit's architectures that is not newer than the GPU: its PTX runs there.
best_for() { # capability
  best=
  for one in $known; do
    [ "$one" -le "$1" ] && { [ -z "$best" ] || [ "$one" -gt "$best" ]; } && best=$one
  done
  echo "$best"
}

add_target() {
  case " $targets " in *" $1 "*) ;; *) targets="${targets:+$targets }$1" ;; esac
}

look() { # [nvcc]
  state=ready message='' toolkit='' driver='' gpus='' targets='' known='' smi=''
  nvcc=$(find_nvcc "${1:-}")
  if [ -n "$nvcc" ]; then
    toolkit=$("$nvcc" --version 2>/dev/null | sed -n 's/.*release \([0-9]*\.[0-9]*\).*/\1/p')
    known=$("$nvcc" --list-gpu-arch 2>/dev/null |
      sed -n 's/^compute_\([0-9]*\)$/\1/p' | tr '\n' ' ')
  fi
  if command -v nvidia-smi >/dev/null 2>&1; then
    smi=found
    gpus=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
      sed -n 's/^ *\([0-9][0-9]*\)\.\([0-9]\) *$/\1\2/p' | awk '!seen[$0]++' | tr '\n' ' ')
    driver=$(nvidia-smi 2>/dev/null |
      sed -n 's/.*CUDA[A-Za-z ]*Version *: *\([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
  fi
  gpus=${gpus% }
}

choose_targets() {
  for gpu in $gpus; do
    if known_by_toolkit "$gpu"; then add_target "$gpu"; else
      near=$(best_for "$gpu")
      [ -n "$near" ] && add_target "$near"
    fi
  done
  [ -n "$targets" ] && return
  for usual in 75 80 90; do known_by_toolkit "$usual" && add_target "$usual"; done
  [ -n "$targets" ] && return
  for one in $known; do add_target "$one"; break; done # a toolkit that knows none of them
}

judge() {
  if [ -z "$smi" ]; then
    state='no-driver' message='There is no NVIDIA driver here (nvidia-smi was not found).'
  elif [ -z "$gpus" ]; then
    state='no-gpu' message='No NVIDIA GPU answers: nvidia-smi names none.'
  elif [ -n "$toolkit" ] && [ -n "$driver" ] && [ "${driver%%.*}" -lt "${toolkit%%.*}" ]; then
    state='driver-too-old'
    message="The driver knows CUDA up to $driver and the toolkit is $toolkit: update the driver,"
    message="$message or install a toolkit of release ${driver%%.*}."
  elif [ -n "$known" ]; then
    for gpu in $gpus; do [ -n "$(best_for "$gpu")" ] && return; done
    state='gpu-too-old'
    message="CUDA $toolkit builds for no GPU of compute capability ${gpus%% *}:"
    message="$message it needs an older toolkit."
  fi
}

wrapped() { # sentence: in lines of at most 79 columns
  line=''
  for word in $1; do
    if [ $((${#line} + 1 + ${#word})) -gt 79 ]; then
      printf '%s\n' "$line"
      line=$word
    else
      line=${line:+$line }$word
    fi
  done
  printf '%s\n' "$line"
}

if [ "${1:-}" = --require ]; then
  cache=${2:-build}/CMakeCache.txt
  grep -q '^WORKBOOK_BACKEND_RESOLVED:[A-Z]*=CUDA$' "$cache" 2>/dev/null || exit 0
  look "$(sed -n 's/^WORKBOOK_NVCC:[A-Z]*=//p' "$cache")"
  judge
  [ "$state" = ready ] && exit 0
  wrapped "$message" >&2
  echo "These programs are built for a GPU (BACKEND=CUDA). Without one: add BACKEND=SIMT" >&2
  exit 1
fi

look "${1:-}"
choose_targets
judge
if [ -z "$nvcc" ] && [ "$state" = ready ]; then
  state=no-toolkit message='A GPU answers, but nvcc was not found: the CUDA toolkit is missing.'
fi
printf '%s\n' "state $state" "toolkit $toolkit" "driver $driver" "gpus $gpus" "targets $targets" \
  "message $message"
