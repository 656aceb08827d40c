# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# options.sh - the command line: nvcc's options, those of hipcc, and what every compiler has.
#
# read_options "$@" sets the first two groups of settings.sh. Options that mean nothing here are
# accepted: in silence where programs run the same without, else with a warning.
#
# To add one: a line in the function of its kind, and in help.txt. Each take_... looks at its first
# argument; it says in `taken` how many arguments it has taken (`need` makes it 2), and fails where
# the option is of another kind. The kinds are tried in the order of take_option: patterns as wide
# as -f* and -l* come last.

taken=1

usage() { printf '%s\n' "$(<"$parts_dir/help.txt")"; }

read_options() {
  maths=${SIMTCC_MATHS:-auto}
  [[ ${SIMTCC_MEND:-yes} != no ]] || mending=0
  read_words "$@"
}
read_words() {
  while [[ $# -gt 0 ]]; do
    taken=1
    case $1 in
      -h | --help) usage; exit 0 ;;
      -optf | --options-file) need "$@"; read_file "$2" ;;
      -optf=* | --options-file=*) read_file "${1#*=}" ;;
      --) inputs+=("${@:2}"); break ;;
      -*) take_option "$@" ;;
      *) inputs+=("$1") ;;
    esac
    shift "$taken"
  done
}
read_file() { # of options, a line or several
  local words line of_file=() now=$taken
  [[ -f $1 ]] || fail "--options-file: no such file: $1"
  while IFS= read -r line || [[ -n $line ]]; do
    read -r -a words <<<"$line"
    of_file+=("${words[@]}")
  done <"$1"
  read_words "${of_file[@]}"
  taken=$now
}
take_option() {
  take_what "$@" || take_text "$@" || take_device "$@" || take_hip "$@" || take_idle "$@" ||
    take_link "$@" || take_host "$@" ||
    warn "unknown option $1 is ignored (simtcc --help lists what there is)"
}
need() {
  [[ $# -ge 2 ]] || fail "$1 needs a value"
  taken=2
}

# What is made, and what is said.
take_what() {
  case $1 in
    --version) mode=version ;;
    -v | --verbose) verbose=1 ;;
    --dryrun | -dryrun | -'###') dryrun=1 verbose=1 ;;
    -o | --output-file) need "$@"; output=$2 ;;
    -o?*) output=${1#-o} ;;
    -c | --compile) mode=object ;;
    -ptx | --ptx | --genco) mode=ptx ;;
    -emit-pch) mode=pch ;;
    -dc | --device-c) separate=1 mode=object ;;
    -dlink | --device-link) mode=dlink ;;
    -shared | --shared) shared=1 ;;
    -rdc=true | --relocatable-device-code=true | -fgpu-rdc) separate=1 ;;
    -rdc=false | --relocatable-device-code=false | -fno-gpu-rdc) ;;
    -rdc | --relocatable-device-code) need "$@"; [[ $2 != true ]] || separate=1 ;;
    -cubin | --cubin | -fatbin | --fatbin)
      fail "$1: the software GPU runs PTX, not machine code; use -ptx" ;;
    *) return 1 ;;
  esac
  return 0
}

# The text: its language, names, headers, and what make is to know of them.
take_text() {
  case $1 in
    -x) need "$@"; language=$2 ;;
    -std=* | --std=*) standard=-std=${1#*=} ;;
    -std | --std) need "$@"; standard=-std=$2 ;;
    -include-pch) need "$@"; precompiled=$2 ;;
    -I | --include-path | -isystem) need "$@"; add_folder "$1" "$2" ;;
    -I*) add_folder -I "${1#-I}" ;;
    -D | -U | -include | -iquote) need "$@"; common_options+=("$1" "$2") ;;
    -D* | -U* | -isystem* | -iquote*) common_options+=("$1") ;;
    -MD | -MMD | -MP) depend_options+=("$1") ;;
    -MF | -MT | -MQ) need "$@"; depend_options+=("$1" "$2") ;;
    *) return 1 ;;
  esac
  return 0
}
# Headers of a CUDA toolkit, which many build files name, are taken where there are none of ours.
add_folder() { # FLAG FOLDER
  local flag=${1/#--include-path/-I}
  [[ ! -f $2/cuda_runtime.h || ! -f $2/crt/host_config.h ]] || flag=-idirafter
  common_options+=("$flag" "$2")
}

# Device code.
take_device() {
  case $1 in
    -G | --device-debug) device_optimisation=-O0 ;;
    -arch | --gpu-architecture | -code | --gpu-code | -gencode | --generate-code)
      need "$@"; note_arch "$2" ;;
    -arch=* | --gpu-architecture=* | -gencode=* | --generate-code=*) note_arch "${1#*=}" ;;
    -code=* | --gpu-code=*) ;;
    -fmad=* | --fmad=*) set_truth fmad -fmad "${1#*=}" ;;
    -ftz=* | --ftz=*) set_truth ftz -ftz "${1#*=}" ;;
    -prec-div=* | --prec-div=*) set_truth exact_div -prec-div "${1#*=}" ;;
    -prec-sqrt=* | --prec-sqrt=*) set_truth exact_sqrt -prec-sqrt "${1#*=}" ;;
    -fmad | --fmad | -ftz | --ftz | -prec-div | --prec-div | -prec-sqrt | --prec-sqrt)
      need "$@"; take_device "$1=$2" ;;
    -use_fast_math | --use_fast_math) fast=1 fmad=1 ftz=1 exact_div=0 exact_sqrt=0 ;;
    --maths=*) maths=${1#*=} ;;
    # clang needs no option for these; the names are what programs ask for.
    --expt-relaxed-constexpr | -expt-relaxed-constexpr)
      common_options+=(-D__CUDACC_RELAXED_CONSTEXPR__=1) ;;
    --extended-lambda | -extended-lambda | --expt-extended-lambda | -expt-extended-lambda)
      common_options+=(-D__CUDACC_EXTENDED_LAMBDA__=1) ;;
    -default-stream | --default-stream) need "$@"; set_default_stream "$2" ;;
    -default-stream=* | --default-stream=* | -fgpu-default-stream=*)
      set_default_stream "${1#*=}" ;;
    *) return 1 ;;
  esac
  return 0
}
note_arch() { # "compute_90a,sm_90": the newest virtual or real architecture named
  local rest=$1 number=0
  case $1 in
    native | all | all-major) arch=sm_80 named_arch=90 && return ;; # the modelled device, at first
  esac
  while [[ $rest =~ (sm|compute)_([0-9]+) ]]; do
    ((10#${BASH_REMATCH[2]} <= number)) || number=${BASH_REMATCH[2]}
    rest=${rest#*"${BASH_REMATCH[0]}"}
  done
  case $number in
    0) warn "ignoring the architecture '$1'" ;;
    60 | 61 | 70 | 72 | 75 | 80 | 86) arch=sm_$number named_arch='' ;;
    *)
      arch=sm_80 named_arch=$number
      printf '%s: note: %s: device code is compiled as sm_80 (%s)\n' "$me" "$1" \
        'choose the modelled device with SIMT_DEVICE when you run' >&2 ;;
  esac
}
set_truth() { # VARIABLE OPTION VALUE
  case $3 in
    true) printf -v "$1" 1 ;;
    false) printf -v "$1" 0 ;;
    *) fail "$2=$3: true or false" ;;
  esac
}
set_default_stream() { # the name that nvcc's flag gives
  case $1 in
    legacy | null) ;;
    per-thread) common_options+=(-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1) ;;
    *) fail "--default-stream=$1: legacy, null or per-thread is needed" ;;
  esac
}

# hipcc's: which AMD GPU, and where its tools are. No code is made for it.
take_hip() {
  case $1 in
    --offload-arch=sm_* | --cuda-gpu-arch=*) note_arch "${1#*=}" ;;
    --offload-arch=* | --amdgpu-target=* | --rocm-path=* | --rocm-device-lib-path=* | \
      --hip-path=* | --hip-link | -munsafe-fp-atomics | -mno-unsafe-fp-atomics | \
      -mno-wavefrontsize64 | -parallel-jobs=* | -lamdhip64 | -lhip_hcc) ;;
    -mwavefrontsize64)
      fail "$1: warps of the software GPU have 32 lanes; ask the device for warpSize" ;;
    --gpu-max-threads-per-block=*)
      warn "$1 is ignored: say it in the kernel, __launch_bounds__(${1#*=})" ;;
    -lhiprtc* | -lhipblas* | -lhiprand* | -lhipfft* | -lroc* | -lrccl*)
      fail "$1: a library for AMD's GPUs, of which the software GPU has none" ;;
    *) return 1 ;;
  esac
  return 0
}

# What needs no option here, and what machine code is made with, of which there is none.
take_idle() {
  case $1 in
    -lineinfo | --generate-line-info) ;; # always
    -lcudart | -lcudart_static | -lcudadevrt | -lcuda | -lnccl | -lnccl_static) ;; # all in libsimt
    -cudart=* | --cudart=* | --no-compress | -Wno-deprecated-gpu-targets) ;;
    -Xptxas=* | --ptxas-options=* | -Xcudafe=*) ;;
    -cudart | --cudart | -Xptxas | --ptxas-options | -Xfatbin | --fatbin-options | -Xcudafe)
      need "$@" ;;
    # Numbers of cudafe++'s diagnostics; files that nvcc would write.
    -diag-suppress | --diag-suppress | -diag-warn | --diag-warn | -diag-error | --diag-error | \
      -keep-dir | --keep-dir | -time | --time | -split-compile | --split-compile)
      need "$@" ;;
    -diag-*=* | --diag-*=* | -keep-dir=* | --keep-dir=* | -time=* | --time=* | \
      -split-compile=* | --split-compile=* | -err-no | -forward-unknown-* | \
      --forward-unknown-* | -static-global-template-stub=* | --static-global-template-stub=* | \
      -dlto | --dlto | -ewp | --extensible-whole-program) ;;
    -maxrregcount | --maxrregcount | -Xnvlink | -ccbin | --compiler-bindir | -t | --threads)
      need "$@"
      warn "$1 $2 is ignored: it has no meaning for the software GPU" ;;
    -maxrregcount=* | --maxrregcount=* | -ccbin=* | --compiler-bindir=* | -keep | --keep | \
      -res-usage | --resource-usage | -threads=*)
      warn "$1 is ignored: it has no meaning for the software GPU" ;;
    *) return 1 ;;
  esac
  return 0
}

take_link() {
  case $1 in
    -L | -l | -Xlinker) need "$@"; link_options+=("$1" "$2") ;;
    -L* | -l* | -Wl,*) link_options+=("$1") ;;
    *) return 1 ;;
  esac
  return 0
}

# The host's compiler; some are for device code or the linker as well.
take_host() {
  case $1 in
    -O | -O0 | -O1 | -O2 | -O3 | -Os | -Og) host_optimisation=$1 ;;
    -g | -g[0-3] | -ggdb*) host_options+=("$1") ;;
    -Xcompiler | --compiler-options) need "$@"; add_words "$2" ;;
    -Xcompiler=* | --compiler-options=*) add_words "${1#*=}" ;;
    -Werror | --Werror) take_errors "${2:-}" && need "$@" || warning_options+=(-Werror) ;;
    -Werror=* | --Werror=*) take_errors "${1#*=}" || warning_options+=("${1/#--/-}") ;;
    -w | -W* | -pedantic*) warning_options+=("$1") ;;
    -fdiagnostics-color* | -ferror-limit=* | -fno-unroll-loops | -ftrivial-auto-var-init=*)
      common_options+=("$1") ;;
    -f* | -m* | -pthread | -static* | -rdynamic | -s)
      host_options+=("$1")
      link_options+=("$1") ;;
    *) return 1 ;;
  esac
  return 0
}
take_errors() { # KIND of warnings that are errors, in nvcc's words; fails where it is none
  case $1 in
    all-warnings) warning_options+=(-Werror) ;;
    cross-execution-space-call | default-stream-launch | ext-lambda-captures-this | reorder) ;;
    *) return 1 ;;
  esac
}
add_words() { # a,b,c, or with blanks between
  local words
  IFS=', ' read -r -a words <<<"$1"
  host_options+=("${words[@]}")
}

check_options() {
  [[ ${#inputs[@]} -gt 0 || $mode == pch ]] || fail "no input files (simtcc --help)"
  [[ -z $output || $mode == link || $mode == dlink || ${#inputs[@]} -le 1 ]] ||
    fail "-o names one file, but there are ${#inputs[@]} inputs; leave it out with -c or -ptx"
  case $language in
    '' | cu | cuda | c | c++ | hip) ;;
    *) fail "-x $language: known languages are cu, hip, c and c++" ;;
  esac
  [[ $mode != pch || ${#inputs[@]} -eq 0 ]] || fail "-emit-pch takes no files"
  [[ $mode == pch || $mode == ptx || -z $precompiled ]] || fail "-include-pch is for -ptx"
}
