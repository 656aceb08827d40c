# SPDX-License-Identifier: MIT
# device_symbols.awk - what other files may see of PTX, or must define for it: prints a line each,
# "extern NAME", "weak NAME" or "visible NAME". What the software GPU itself provides is left out.

BEGIN {
  rank["extern"] = 0
  rank["weak"] = 1
  rank["visible"] = 2
  provided = "^(vprintf|__assertfail|malloc|free|__cuda_syscall_aligned_malloc|__simt_grid_sync|" \
    "__cudaCDP2[A-Z][A-Za-z0-9]*)$"
}
/^\.(visible|weak|extern) \.(func|entry|global|const)/ {
  kind = substr($1, 2)
  text = $0
  sub(/^\.[a-z]+ \.[a-z]+ */, "", text)
  sub(/ = .*/, "", text)
  sub(/^\(.*\) +/, "", text)
  sub(/[;(\[].*/, "", text)
  n = split(text, word, /[ \t]+/)
  name = word[n] != "" ? word[n] : word[n - 1]
  if (name ~ provided) next
  if (!(name in best) || rank[kind] > rank[best[name]]) best[name] = kind
}
END { for (name in best) print best[name], name }
