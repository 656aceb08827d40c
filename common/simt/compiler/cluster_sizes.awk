# SPDX-License-Identifier: MIT
# cluster_sizes.awk IR PTX - prints the PTX with the directives that nvcc writes for a kernel with
# __cluster_dims__. Their sizes are in the annotations of the intermediate code, which stand in the
# list @llvm.global.annotations as { kernel, "simt_cluster_dims", file, line, { x, y, z } }.

# The variables of the IR that annotations are made of: notes of this kind, and sizes.
FNR == NR && /^@.* c"simt_cluster_dims\\00"/ { note[$1] = 1; next }
FNR == NR && /^@.* = .* constant { *i[0-9]+/ && !/ c"/ {
  text = $0
  sub(/.*constant {[^}]*} {/, "", text)
  n = 0
  sizes = ""
  while (match(text, /i[0-9]+ [0-9]+/)) {
    split(substr(text, RSTART, RLENGTH), part, " ")
    sizes = sizes (n++ ? ", " : "") part[2]
    text = substr(text, RSTART + RLENGTH)
  }
  size[$1] = sizes (n < 2 ? ", 1" : "") (n < 3 ? ", 1" : "")
  next
}
FNR == NR { if (/^@llvm.global.annotations = /) all = $0; next }

# What is annotated with what.
FNR == 1 {
  n = split(all, entry, /}, {/)
  for (i = 1; i <= n; i++) {
    text = entry[i]
    sub(/.*annotations = [^@]*/, "", text)
    k = 0
    while (match(text, /@[A-Za-z0-9_.$]+/)) {
      name[++k] = substr(text, RSTART, RLENGTH)
      text = substr(text, RSTART + RLENGTH)
    }
    if (k > 3 && name[2] in note) of[substr(name[1], 2)] = size[name[4]]
  }
}

match($0, /\.entry [A-Za-z0-9_.$]+/) { kernel = substr($0, RSTART + 7, RLENGTH - 7) }
/^{/ && kernel in of { print ".explicitcluster\n.reqnctapercluster " of[kernel] }
/^{/ { kernel = "" }
{ print }
