# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# texts.sh - the texts that are compiled: their kind, what is in them, and what nvcc takes and clang
# does not, which is spelled as clang wants it in a copy.
#
# Reads file, language. Sets headers (read_headers), platform_flags (choose_platform), laid_over and
# overlay_flags (lay_over). A new spelling is recognised by `odd` and rewritten by `spelled`; it
# must leave alone what stands behind a quotation mark, and lines where they are.

# is_in_text PATTERN FILE: as grep -qE, for which a small text needs no process. The pattern, whose
# sets of characters hold no line's end, is tried on the text as one line.
is_in_text() {
  local text
  if IFS= read -r -N 100000 text <"$2"; then # there is as much, and perhaps more
    grep -qaE "$1" "$2"
  else
    [[ $text =~ $1 ]]
  fi
}

# The headers that the device pass has read, the compiler's own and ours left out.
read_headers() {
  local header known=()
  headers=()
  [[ ! -f $stem.headers ]] || mapfile -t known <"$stem.headers"
  for header in "${known[@]}"; do
    case $header in
      "$include_dir/"* | */include/c++/* | /usr/include/* | /usr/lib/* | */lib/clang/*) continue ;;
    esac
    [[ ! -f $header ]] || headers+=("$header") # a device has no end
  done
}

# HIP is compiled as CUDA with HIP's headers. Of C++ files hipcc takes every one for HIP; here it is
# those that include its header of device code themselves.
is_hip() { # FILE
  [[ $language == '' ]] || { [[ $language == hip ]]; return; }
  case $1 in
    *.hip) return 0 ;;
    *.cc | *.cpp | *.cxx | *.C) grep -qE '^\s*#\s*include\s*[<"]hip/hip_runtime\.h' "$1" ;;
    *) return 1 ;;
  esac
}
is_cuda() { # FILE
  [[ $language == cu || $language == cuda || ($language == '' && $1 == *.cu) ]] || is_hip "$1"
}
choose_platform() { # what hipcc defines for the platform NVIDIA
  platform_flags=()
  ! is_hip "$file" ||
    platform_flags=(-D__HIP_PLATFORM_NVIDIA__=1 -D__HIP_PLATFORM_NVCC__=1 -D__HIPCC__=1)
}

# ---- Spellings. Editors split <<< and >>> into "<< <" and ">> >"; alignas may stand behind
# __shared__ and its relatives; deduction guides are for device code, too, without saying so; a long
# double has 16 bytes (long_double.sh); in inline assembly a register of PTX's own may have one
# percent sign, %laneid.
spaces=$' \t\r\f\v' # of one line
memory_kinds='(__shared__|__device__|__constant__|__managed__)'
odd="<<[$spaces]+<|>>[$spaces]+>[$spaces]*\\(|${memory_kinds}[$spaces]+alignas"
odd+="|\\)[$spaces]*->[$spaces]*[A-Za-z_]+[$spaces]*<"
odd+="|sizeof[$spaces]*\\([$spaces]*long[$spaces]+double[$spaces]*\\)"

spell_for_clang() {
  ! is_in_text "$odd" "$file" && ! has_one_percent "$file" || lay_over "$file" spelled
}
has_one_percent() { # FILE
  is_in_text 'asm.*[^%]%[a-z]' "$1" && ! double_percents <"$1" | cmp -s - "$1"
}
double_percents() { awk -f "$parts_dir/double_percents.awk"; }

spelled() { # FILE: prints it
  local before='([^"]*[^"[:alnum:]_]|)((extern|static)[[:space:]]+)?' # \1 and \2 of a line
  local alignment='alignas(\(([^()]|\([^()]*\))*\))'                 # \5
  local template='([[:space:]]*(template[[:space:]]*<.*>[[:space:]]*)?)'
  local guide='([A-Za-z_][A-Za-z0-9_]*)(\([^;{}]*\)[[:space:]]*->[[:space:]]*)'
  guide+='(\3[[:space:]]*<[^;]*;)'
  sed -E ':again
    s/^([^"]*)<<[[:space:]]+</\1<<</; t again
    s/^([^"]*)>>[[:space:]]+>([[:space:]]*\()/\1>>>\2/; t again
    s/^'"$before$memory_kinds"'[[:space:]]+'"$alignment"'/\1alignas\5 \2\4 /; t again
    s/sizeof[[:space:]]*\([[:space:]]*long[[:space:]]+double[[:space:]]*\)/16ul/g
    s/^'"$template$guide"'/\1__host__ __device__ \3\4\5/' "$1" | double_percents
}

# ---- `#define UNROLL #pragma unroll`: nvcc reads its files preprocessed, where such a macro has
# become a line of its own. It becomes _Pragma("unroll") in files where clang has just stopped at
# it.
directive='^([[:space:]]*#[[:space:]]*define[[:space:]]+[A-Za-z0-9_]+[[:space:]]+)#[[:space:]]*'
directive+='pragma[[:space:]]+([^"\\]*[^"\\[:space:]])[[:space:]]*$'

has_directives() { [[ -n $(find_directives) ]]; }
find_directives() { # prints the files
  local name
  while IFS= read -r name; do
    [[ ! -f $name ]] || ! grep -qE "$directive" "${laid_over[$name]:-$name}" ||
      printf '%s\n' "$name"
  done < <(what_it_said |
    sed -nE "s/^(.*):[0-9]+:[0-9]+: note: expanded from macro '.*'$/\1/p" | sort -u)
}
spell_directives() { # fails where there are none
  local name found
  mapfile -t found < <(find_directives)
  for name in "${found[@]}"; do lay_over "$name" as_operators; done
  [[ ${#found[@]} -gt 0 ]]
}
as_operators() { sed -E "s/$directive/\\1_Pragma(\"\\2\")/" "$1"; }

# ---- `pair<T>::convert<n>(x)` where T is a template's own: `template` before convert is missing,
# which nvcc does not miss in code of a device. It is put there in files where clang has just
# missed it.
lacking="error: (missing 'template' keyword prior to dependent template name|"
lacking+='reference to overloaded function could not be resolved; did you mean to call it)'
dependent='(.*>[[:space:]]*::[[:space:]]*)([A-Za-z_][A-Za-z0-9_]*[[:space:]]*<)'

lacks_templates() { [[ -n $(find_templates) ]]; }
find_templates() { stopped_at "$lacking" "$dependent"; }
stopped_at() { # ERROR PATTERN: prints FILE:LINE where clang has said ERROR, of lines like PATTERN
  local place name
  while IFS= read -r place; do
    name=${place%:*}
    [[ ! -f $name ]] || ! sed -n "${place##*:}p" "${laid_over[$name]:-$name}" | grep -qE "$2" ||
      printf '%s\n' "$place"
  done < <(what_it_said | sed -nE "s/^(.*:[0-9]+):[0-9]+: $1.*/\1/p" | sort -u)
}
spell_templates() { # fails where none is missing
  local place found
  mapfile -t found < <(find_templates)
  for place in "${found[@]}"; do
    template_line=${place##*:}
    lay_over "${place%:*}" with_template
  done
  [[ ${#found[@]} -gt 0 ]]
}
with_template() { sed -E "${template_line}s/$dependent/\\1template \\2/" "$1"; }

# ---- What spell_for_clang does for the file that is compiled, in headers where clang has stopped
# at a "<< <".
splits_launches() { [[ -n $(find_split_launches) ]]; }
find_split_launches() { # prints the files
  stopped_at 'error: expected expression' "<<[$spaces]+<" | sed 's/:[0-9]*$//' | sort -u
}
spell_split_launches() { # fails where there are none
  local name found
  mapfile -t found < <(find_split_launches)
  for name in "${found[@]}"; do lay_over "$name" spelled; done
  [[ ${#found[@]} -gt 0 ]]
}

# ---- Copies. clang reads them in place of the files; messages, line tables and lists of
# dependencies have the files' names.
declare -A laid_over=() # file -> its copy

lay_over() { # FILE REWRITE: as `REWRITE FILE` prints it
  local name entries=() text=${laid_over[$1]:-$1} copy=$tmp/over.${#laid_over[@]}
  [[ $text == "$1" ]] || copy=$text.again
  "$2" "$text" >"$copy"
  laid_over[$1]=$copy
  for name in "${!laid_over[@]}"; do
    entries+=("{\"type\": \"file\", \"name\": \"$(realpath -s "$name")\", \
\"external-contents\": \"${laid_over[$name]}\"}")
  done
  printf '{"version": 0, "use-external-names": false, "roots": [%s]}\n' \
    "$(IFS=, && printf '%s' "${entries[*]}")" >"$tmp/overlay.yaml"
  overlay_flags=(-ivfsoverlay "$tmp/overlay.yaml")
}
