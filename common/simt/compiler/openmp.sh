# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# openmp.sh - whose OpenMP host code has: that of the clang that compiles, that of another version,
# or none.
#
# clang's library for it is a package of its own, and Debian lets only one version's be there.
# choose_openmp changes the user's options.

choose_openmp() {
  local resources advice="on Debian or Ubuntu: sudo apt-get install libomp-$clang_major-dev"
  [[ " ${host_options[*]} " == *" -fopenmp "* ]] || { offer_openmp_header; return; }
  resources=$("$clang" -print-resource-dir)
  if [[ -f $resources/include/omp.h &&
    (-f $resources/../../libomp.so || -f $("$clang" -print-file-name=libomp.so)) ]]; then
    link_options+=(-fopenmp) # -Xcompiler gives it to the compiler alone
  else
    take_other_openmp || go_without_openmp
  fi
}

# That of another clang serves: later versions have the functions of earlier ones. From 19 on clang
# says when a loop with a dynamic schedule is over, which libraries before 19 notice by themselves.
take_other_openmp() {
  local version library header=()
  for version in {22..14}; do
    library=/usr/lib/llvm-$version/lib/libomp.so
    header=(/usr/lib/llvm-"$version"/lib/clang/*/include/omp.h)
    [[ ! -f $library || ! -f ${header[0]} ]] || break
    library=
  done
  [[ -n $library ]] && use_openmp_header cat "${header[0]}" || return
  leave_out_openmp link_options
  link_options+=("$library" "-Wl,-rpath,${library%/*}")
  [[ $version -lt 19 ]] || return 0
  "$clang" -x c -c - -o "$tmp/openmp/late.o" <<<'void __kmpc_dispatch_deinit(void) {}' || return
  link_options+=("$tmp/openmp/late.o")
}
# gcc's header and library serve, and clang leaves the directives out: every region has one thread.
go_without_openmp() {
  local header
  header=$(gcc -print-file-name=include/omp.h 2>/dev/null)
  [[ -f $header ]] || fail "-fopenmp: clang $clang_major has no OpenMP here; $advice"
  warn "-fopenmp: clang $clang_major has no OpenMP here, so that every parallel region runs with \
one thread; $advice"
  use_gcc_openmp "$header"
  leave_out_openmp host_options
  leave_out_openmp link_options
  link_options+=(-lgomp)
}
# Programs include the header without asking for OpenMP: gcc, whose headers nvcc has, finds its own.
offer_openmp_header() {
  local file header
  for file in "${inputs[@]}"; do
    is_in_text '#[[:space:]]*include[[:space:]]*<omp\.h>' "$file" || continue
    header=$(gcc -print-file-name=include/omp.h 2>/dev/null)
    [[ ! -f $header ]] || use_gcc_openmp "$header"
    return 0
  done
}
use_gcc_openmp() { # HEADER: clang does not know which function frees what another has allocated
  use_openmp_header sed -E 's/__malloc__ *\([^()]*\)/__malloc__/' "$1"
}
use_openmp_header() { # COMMAND...: prints it
  mkdir -p "$tmp/openmp" && "$@" >"$tmp/openmp/omp.h" && common_options+=(-isystem "$tmp/openmp")
}
leave_out_openmp() { # NAME of a list of options
  local -n options=$1
  local option others=()
  for option in "${options[@]}"; do [[ $option == -fopenmp ]] || others+=("$option"); done
  options=("${others[@]}")
}
