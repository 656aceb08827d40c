# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# toolkit.sh - what a CUDA toolkit has and simtcc has not: headers of Thrust, CUB and libcu++.
#
# take_toolkit_headers sets `toolkit_flags` of the file that is being compiled. A toolkit is
# looked for only when clang has missed a header: every other file compiles the same without one.
# Where it is: CUDA_HOME, CUDA_PATH, nvcc's folder, /usr/local/cuda.

find_in_toolkit() { # PATH: sets `found`; fails where there is no toolkit that has it
  local nvcc folder
  nvcc=$(type -P nvcc) && nvcc=$(readlink -f "$nvcc")
  for folder in "${CUDA_HOME:-}" "${CUDA_PATH:-}" "${nvcc%/bin/nvcc}" /usr/local/cuda \
    /usr/lib/nvidia-cuda-toolkit; do
    found=$folder/$1
    [[ -z $folder || ! -e $found ]] || return 0
  done
  return 1
}

# Of cuda/std simtcc has a part. A file that includes something else takes all of it from the
# toolkit, for the two cannot be mixed; other headers of the toolkit come behind simtcc's own.
lacking_header="fatal error: '((thrust|cub|cuda|nv)/[^']+)' file not found"

lacks_toolkit_headers() {
  local found
  find_lacking_header
}
find_lacking_header() { # sets `found`, where a toolkit has it
  local header
  [[ ${#toolkit_flags[@]} -eq 0 ]] && has_said "$lacking_header" || return 1
  header=$(what_it_said |
    sed -nE "s#.*$lacking_header.*#\1#p" | head -n 1)
  find_in_toolkit "include/cccl/$header"
}
take_toolkit_headers() { # fails where none is missing, or there
  local found
  find_lacking_header || return 1
  toolkit_flags=(-isystem "${found%/cccl/*}/cccl" -idirafter "${found%/cccl/*}")
}
