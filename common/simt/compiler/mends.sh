# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# mends.sh - what clang does wrong, or not as nvcc does it, and what its output is changed to.
#
# Each change is a program of awk, which says what it is for; the versions and the evidence are in
# book/decisions/0017-compilers.md. Most of them see PTX alone. What PTX does not show is mended in
# the intermediate code, for files whose PTX may have it: a second pass.

# mend_ptx PTX OUTPUT: $stem.notes says what is left to do.
mend_ptx() {
  local target=sm_${named_arch:-${arch#sm_}}
  # What others may read keeps what its instructions need, unless an architecture was named.
  [[ $mode != ptx || ${target#sm_} -gt ${arch#sm_} || ${#toolkit_flags[@]} -gt 0 ]] || target=''
  awk "${mend_facts[@]}" -v target="$target" -v notes="$stem.notes" \
    -f "$parts_dir/mend_ptx.awk" "$1" >"$2"
}
has_noted() { # WHAT
  local notes
  IFS= read -r -d '' notes <"$stem.notes"
  [[ $notes == *"$1"* ]]
}

# mend_by_ir PTX: makes it anew where the intermediate code has something to mend.
mend_by_ir() {
  local is_changed=1
  device_pass "$stem.ll" -emit-llvm || return
  awk "${mend_facts[@]}" -f "$parts_dir/mend_conversions.awk" "$stem.ll" >"$stem.mended.ll" &&
    is_changed=0
  if is_optimised; then
    mv "$stem.mended.ll" "$stem.ll"
    awk -f "$parts_dir/join_words.awk" "$stem.ll" >"$stem.mended.ll" && is_changed=0
  fi
  [[ $is_changed -ne 0 ]] || generate_code "$stem.mended.ll" "$1"
}

# note_clusters PTX: the size that __cluster_dims__ gives the clusters of a kernel. Before clang 22
# there is no such attribute, so the name stands for a note (simt_cuda/qualifiers.h), which only the
# intermediate code keeps. That is made anew for files that mention the name, themselves or in a
# header of theirs.
note_clusters() {
  is_in_text __cluster_dims__ "$file" ||
    { [[ ${#headers[@]} -gt 0 ]] && grep -qs __cluster_dims__ "${headers[@]}"; } || return 0
  device_pass "$stem.ll" -emit-llvm -Xclang -disable-llvm-passes || return
  awk -f "$parts_dir/cluster_sizes.awk" "$stem.ll" "$1" >"$stem.noted" && mv "$stem.noted" "$1"
}
