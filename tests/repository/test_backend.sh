#!/bin/sh
# SPDX-License-Identifier: MIT
# Which backend and which architectures are chosen, on machines that are made up: a fake nvcc and a
# fake nvidia-smi. First gpu_state.sh by itself, then what CMake makes of it, then --require.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
state_sh=$root/common/scripts/gpu_state.sh
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset CUDA_HOME CUDA_PATH CUDACXX CUDAARCHS
failures=0
fail() {
  echo "FAIL: $*"
  failures=$((failures + 1))
}

program() { # name, body
  printf '#!/bin/sh\n%s\n' "$2" >"$here/$1"
  chmod +x "$here/$1"
}

# A machine: toolkit release and its architectures, the driver's CUDA release, the GPUs'
# capabilities. An empty release: no such program.
machine() { # name, toolkit, "compute_… …", driver, "9.0 …"
  here="$work/$1 machine"
  mkdir -p "$here"
  for tool in sh sed awk tr head grep dirname env uname make cmake; do
    tool_path=$(command -v "$tool") && ln -sf "$tool_path" "$here/$tool"
  done
  [ -n "$2" ] && program nvcc "case \$1 in
  --version) echo 'Cuda compilation tools, release $2, V$2.88' ;;
  --list-gpu-arch) printf '%s\n' $3 ;;
esac"
  [ -n "$4" ] && program nvidia-smi "case \$* in
  *compute_cap*) for one in $5; do echo \"\$one\"; done ;;
  *) echo '| NVIDIA-SMI 1.0    Driver Version: 1.0    CUDA Version: $4     |' ;;
esac"
  return 0
}

look() { PATH="$here" WORKBOOK_CUDA_DIR=/nonexistent "$state_sh"; }

expect() { # field, value
  got=$(look | sed -n "s/^$1 //p")
  [ "$got" = "$2" ] || fail "$(basename "$here"): $1 is '$got', want '$2'"
}

says() { # pattern
  look | grep -q "^message .*$1" || fail "$(basename "$here"): no '$1' in: $(look)"
}

cuda13='compute_75 compute_80 compute_86 compute_90 compute_100 compute_120'
cuda11='compute_35 compute_50 compute_60 compute_70 compute_75 compute_80 compute_86'

machine ready 13.0 "$cuda13" 13.0 9.0
expect state ready
expect targets 90
expect message ''
machine two 13.0 "$cuda13" 13.1 '7.5 8.6 8.6'
expect state ready
expect targets '75 86'
machine newer_driver 11.8 "$cuda11" 13.0 8.0
expect state ready # a newer driver runs older programs
machine newer_gpu 11.8 "$cuda11" 13.0 9.0
expect state ready
expect targets 86 # its PTX; 90 is not known to this toolkit
machine minor 13.1 "$cuda13" 13.0 9.0
expect state ready # machine code of the same major release runs
machine old_driver 13.0 "$cuda13" 12.4 9.0
expect state driver-too-old
says 'CUDA up to 12.4 and the toolkit is 13.0'
expect targets 90
machine old_gpu 13.0 "$cuda13" 13.0 7.0
expect state gpu-too-old
says 'capability 70'
expect targets '75 80 90'
machine unplugged 13.0 "$cuda13" 13.0 ''
expect state no-gpu
expect targets '75 80 90'
machine laptop 13.0 "$cuda13" '' ''
expect state no-driver
machine ancient 9.0 'compute_30 compute_70' '' ''
expect targets 30 # none of the usual: the first it has
machine bare '' '' '' ''
expect state no-driver
expect targets ''
machine driver_only '' '' 13.0 9.0
expect state no-toolkit

# What CMake does; the language itself would need a real nvcc.
mkdir "$work/project"
cat >"$work/project/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.22)
project(backend NONE)
function(enable_language)
endfunction()
include("$root/cmake/WorkbookBackend.cmake")
message(STATUS "resolved \${WORKBOOK_BACKEND_RESOLVED} for \${CMAKE_CUDA_ARCHITECTURES}")
CMAKE
configure() { # machine, backend, more options: what CMake said
  here="$work/$1 machine"
  backend=$2
  shift 2
  rm -rf "$work/build"
  nvcc= # none, and not the real one either
  [ -e "$here/nvcc" ] && nvcc=$here/nvcc
  PATH="$here" WORKBOOK_CUDA_DIR=/nonexistent cmake -G 'Unix Makefiles' -S "$work/project" \
    -B "$work/build" -DWORKBOOK_BACKEND="$backend" -DWORKBOOK_NVCC="$nvcc" "$@" 2>&1 | tr '\n' ' '
}
configured() { # pattern, machine, backend, options...
  pattern=$1
  shift
  answer=$(configure "$@")
  printf '%s' "$answer" | grep -qE -- "$pattern" || fail "cmake on $*: no '$pattern' in: $answer"
}

configured 'resolved CUDA for 90 ' ready AUTO
configured 'resolved CUDA for 75;86 ' two AUTO
configured 'resolved SIMT' unplugged AUTO
configured 'resolved SIMT' laptop AUTO
configured 'resolved SIMT' bare AUTO
configured 'resolved SIMT' ready SIMT
configured 'modelled\. The driver knows CUDA up to 12\.4.*resolved SIMT' old_driver AUTO
configured 'modelled\. A GPU answers, but nvcc was not found.*resolved SIMT' driver_only AUTO
configured 'but not here\. The driver knows.*resolved CUDA for 90 ' old_driver CUDA
configured 'but not here\. No NVIDIA GPU.*resolved CUDA for 75;80;90 ' unplugged CUDA
configured 'nvcc was not found\. +Install' bare CUDA
configured 'resolved CUDA for 80 ' ready CUDA -DCMAKE_CUDA_ARCHITECTURES=80
configured 'asks for 70, which CUDA 13\.0 does *not *build' ready CUDA -DCMAKE_CUDA_ARCHITECTURES=70
configured "WORKBOOK_BACKEND is 'GPU'" ready GPU

# --require: quiet on the software GPU and where a GPU is ready, in words elsewhere.
require() { PATH="$here" WORKBOOK_CUDA_DIR=/nonexistent "$state_sh" --require "$work/tree" 2>&1; }
mkdir "$work/tree"
: >"$work/tree/CMakeCache.txt"
here="$work/laptop machine"
answer=$(require) && [ -z "$answer" ] ||
  fail "--require asks for a GPU for the software GPU: $answer"
echo 'WORKBOOK_BACKEND_RESOLVED:INTERNAL=CUDA' >"$work/tree/CMakeCache.txt"
answer=$(require) && fail '--require is content without a driver'
case $answer in *'no NVIDIA driver'*BACKEND=SIMT*) ;; *) fail "--require says: $answer" ;; esac
here="$work/ready machine"
answer=$(require) && [ -z "$answer" ] || fail "--require where a GPU is ready: $answer"
here="$work/old_driver machine"
answer=$(require) && fail '--require is content with an old driver'
case $answer in *'update the driver'*) ;; *) fail "--require says: $answer" ;; esac

[ "$failures" -eq 0 ] && echo 'backend: all as it should be'
[ "$failures" -eq 0 ]
