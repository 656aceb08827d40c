# SPDX-License-Identifier: MIT
# show_once.awk SEEN NEW - writes the diagnostics of clang in NEW to standard error, without those
# that SEEN holds and the count of them all. Variable: seen, the name of SEEN.
#
# A diagnostic is a group of lines: where its header was included from, the line with its text, and
# all up to the next one.

function end_group() {
  if (group != "" && !(group in known)) {
    if (reading) known[group] = 1
    else printf "%s", group > "/dev/stderr"
  }
  group = ""
  body = 0
}
FNR == 1 { end_group(); reading = (FILENAME == seen) }
/^[0-9]+ (warning|error)s?( and [0-9]+ errors?)? generated/ { next }
/^(\033\[[0-9;]*m)*In file included from / {
  if (body) end_group()
  group = group $0 "\n"
  next
}
/(warning|error): / && /^[^ ]/ {
  if (body) end_group()
  body = 1
}
{ group = group $0 "\n" }
END { end_group() }
