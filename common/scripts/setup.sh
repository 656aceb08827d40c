#!/bin/sh
# SPDX-License-Identifier: MIT
# setup.sh GROUP... - finds what a make target needs and is missing, says what it will install
# and why, and installs it where apt is; elsewhere it prints the exact package names and stops.
# setup.sh --state    - prints which rows of the table are there: build.sh configures again when
#                       that changes, by whatever way a package came or went.
#
# Groups: base (build and run), check (what `make check` needs besides), plot, book, pdf, watch,
# bench, mpi.
# Needs nothing but a POSIX shell. A second run with nothing missing takes milliseconds: the
# answer is kept in build/setup/, and only the tools' presence is looked at again.
# Environment: WORKBOOK_SETUP=no     look at nothing, install nothing
#              WORKBOOK_SETUP=print  print the command instead of running it
#              BACKEND=CUDA          clang is not needed
# Exit: 0 all there; 1 something is missing and was not installed; 2 there is no such group.
set -u
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES # the front door's own, not of what packages run

# group | needed or wanted | probe | apt | dnf | pacman | zypper | brew | what it is for
# Probes: a+b means any of the commands a, b; /path+/path any of the files; py:x a Python module;
# cc:x.h a header that the C compiler finds; clang:N a clang of that version or a newer one; wasm-ld
# as has_wasm_linker says; cxx a C++ compiler of the system (its name is full of plus signs).
# Packages: "-" means there is none; a/b the first of these that the release offers; clang-N: see
# clang_offered.
packages() {
  cat <<'TABLE'
base|needed|gcc+cc|gcc|gcc|gcc|gcc|-|compiles the software GPU
base|needed|cc:stdio.h|libc6-dev|glibc-devel|glibc|glibc-devel|-|the C library's headers
base|needed|cmake|cmake|cmake|cmake|cmake|cmake|runs the build
base|clang|clang:19|clang-N|clang|clang|clang|llvm|compiles CUDA C for the software GPU
base|wanted|/usr/lib/llvm-14/lib/libomp.so+/usr/lib/llvm-15/lib/libomp.so+/usr/lib/llvm-16/lib/libomp.so+/usr/lib/llvm-17/lib/libomp.so+/usr/lib/llvm-18/lib/libomp.so+/usr/lib/llvm-19/lib/libomp.so+/usr/lib/llvm-20/lib/libomp.so+/usr/lib/llvm-21/lib/libomp.so+/usr/lib/llvm-22/lib/libomp.so+/usr/lib64/libomp.so+/usr/lib/libomp.so|libomp-19-dev/libomp-dev|libomp-devel|openmp|libomp-devel|libomp|gives host code that uses OpenMP its threads
base|needed|python3|python3|python3|python|python3|python|prints the ladder, makes exercises
base|needed|cc:check.h|check|check-devel|check|check-devel|check|runs the suites that judge kernels
base|needed|cc:cjson/cJSON.h|libcjson-dev|cjson-devel|cjson|cjson-devel|cjson|lets the grader read results
base|wanted|bwrap|bubblewrap|bubblewrap|bubblewrap|bubblewrap|-|keeps what make grade compiles and judges away from your files
base|wanted|cc:archive.h|libarchive-dev|libarchive-devel|libarchive|libarchive-devel|libarchive|lets make grade unpack what students hand in
check|needed|cxx|g++|gcc-c++|gcc|gcc-c++|-|links programs as a project's own C++ compiler does
check|needed|clang-format-14+clang-format|clang-format-14/clang-format|clang-tools-extra|clang|clang|clang-format|checks the layout of C code
check|needed|clang-tidy+clang-tidy-19+clang-tidy-14|clang-tidy|clang-tools-extra|clang|clang|-|checks C code for mistakes
check|needed|cppcheck|cppcheck|cppcheck|cppcheck|cppcheck|cppcheck|checks C code for mistakes
check|needed|shellcheck|shellcheck|ShellCheck|shellcheck|ShellCheck|shellcheck|checks the scripts
check|needed|py:pyflakes|python3-pyflakes|python3-pyflakes|python-pyflakes|python3-pyflakes|-|checks the Python scripts
check|needed|codespell|codespell|codespell|codespell|codespell|codespell|checks the spelling
plot|wanted|py:matplotlib|python3-matplotlib|python3-matplotlib|python-matplotlib|python3-matplotlib|python-matplotlib|draws the plots
book|needed|doxygen|doxygen|doxygen|doxygen|doxygen|doxygen|typesets the book
book|wanted|/usr/share/doxygen-awesome-css+/usr/share/doxygen-awesome|doxygen-awesome-css|-|-|-|-|the book's style
book|wanted|/usr/share/javascript/mathjax|libjs-mathjax|mathjax|mathjax2|-|-|the book's formulas without a network
book|wanted|/usr/share/javascript/lunr+/usr/share/nodejs/lunr|libjs-lunr|-|-|-|-|the book's full-text search
book|wanted|wasm-ld|lld-19/lld|lld|lld|lld|lld|links the software GPU for the book's pages
book|wanted|/usr/include/wasm32-wasi|wasi-libc|wasi-libc-devel|wasi-libc|-|-|the C library of programs in a page
book|wanted|/usr/lib/llvm-19/lib/clang/19/lib/wasi+/usr/lib/llvm-14/lib/clang/14.0.6/lib/wasi|libclang-rt-19-dev-wasm32/libclang-rt-14-dev-wasm32|-|wasi-compiler-rt|-|-|what clang adds to programs in a page
book|wanted|/usr/lib/llvm-19/include/wasm32-wasi+/usr/lib/llvm-14/include/wasm32-wasi|libc++-19-dev-wasm32/libc++-14-dev-wasm32|-|wasi-libc++|-|-|the C++ headers of the lessons' host code there
mpi|needed|mpirun|openmpi-bin|openmpi|openmpi|openmpi4|open-mpi|starts a program once per rank
mpi|needed|mpicc|libopenmpi-dev|openmpi-devel|openmpi|openmpi4-devel|open-mpi|compiles programs that use MPI
check|wanted|mpirun|openmpi-bin|openmpi|openmpi|openmpi4|open-mpi|starts a program once per rank
check|wanted|mpicc|libopenmpi-dev|openmpi-devel|openmpi|openmpi4-devel|open-mpi|compiles programs that use MPI
check|wanted|/usr/include/hip/hip_runtime.h+/opt/rocm/include/hip/hip_runtime.h|libamdhip64-dev|rocm-hip-devel|hip-runtime-amd|-|-|compiles lesson 14 for AMD's GPUs
check|wanted|/usr/lib/x86_64-linux-gnu/amdgcn/bitcode+/usr/lib/aarch64-linux-gnu/amdgcn/bitcode+/usr/lib/amdgcn/bitcode+/usr/lib64/amdgcn/bitcode+/opt/rocm/amdgcn/bitcode|rocm-device-libs|rocm-device-libs|rocm-device-libs|-|-|compiles lesson 14 for AMD's GPUs
check|wanted|chromium+chromium-browser+google-chrome|chromium|chromium|chromium|chromium|-|opens the book and tries it
pdf|needed|chromium+chromium-browser+google-chrome|chromium|chromium|chromium|chromium|-|prints the book as a PDF
watch|wanted|cc:ncurses.h|libncurses-dev|ncurses-devel|ncurses|ncurses-devel|ncurses|lets make watch use the whole screen
bench|wanted|oclgrind|oclgrind|-|-|-|-|the rival: an OpenCL interpreter
bench|wanted|cc:CL/cl.h|opencl-headers|opencl-headers|opencl-headers|opencl-headers|-|builds the rivals' host program
bench|wanted|/usr/lib/x86_64-linux-gnu/libOpenCL.so+/usr/lib/aarch64-linux-gnu/libOpenCL.so+/usr/lib64/libOpenCL.so+/usr/lib/libOpenCL.so|ocl-icd-opencl-dev|ocl-icd-devel|ocl-icd|ocl-icd-devel|-|links the rivals' host program
bench|wanted|/etc/OpenCL/vendors/pocl.icd+/usr/share/OpenCL/vendors/pocl.icd|pocl-opencl-icd|pocl|pocl|pocl|pocl|the rival: an OpenCL compiler for CPUs
TABLE
}

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
stamps=$root/build/setup
say() { printf '%s\n' "$*" >&2; }

has_any() { # commands or files, joined by +
  old_ifs=$IFS
  IFS=+
  # shellcheck disable=SC2086
  set -- $1
  IFS=$old_ifs
  for item; do
    case $item in
      /*) [ -e "$item" ] && return 0 ;;
      *) command -v "$item" >/dev/null 2>&1 && return 0 ;;
    esac
  done
  return 1
}

has_header() {
  [ -e "/usr/include/$1" ] && return 0
  printf '#include <%s>\n' "$1" | cc -E -x c - >/dev/null 2>&1
}

has_python_module() {
  for python in python3 /usr/bin/python3; do
    "$python" -c "import importlib.util as u, sys; sys.exit(u.find_spec('$1') is None)" \
      >/dev/null 2>&1 && return 0
  done
  return 1
}

# The version of the newest clang on the path; 0: none.
newest_clang() {
  version=40
  while [ "$version" -ge 14 ]; do
    command -v "clang-$version" >/dev/null 2>&1 && break
    version=$((version - 1))
  done
  [ "$version" -ge 19 ] && { echo "$version"; return; }
  [ "$version" -ge 14 ] || version=0
  plain=$(clang -dumpversion 2>/dev/null)
  plain=${plain%%.*}
  case $plain in '' | *[!0-9]*) plain=0 ;; esac
  [ "$plain" -gt "$version" ] && version=$plain
  echo "$version"
}

# The linker of the clang that compiles the book's pages. clang 19 does not take an older one: where
# the system offers its own, another is not enough.
has_wasm_linker() {
  command -v wasm-ld-19 >/dev/null 2>&1 && return 0
  has_any wasm-ld-14+wasm-ld && ! apt-cache show lld-19 >/dev/null 2>&1
}

present() { # probe
  case $1 in
    py:*) has_python_module "${1#py:}" ;;
    cc:*) has_header "${1#cc:}" ;;
    clang:*) [ "$(newest_clang)" -ge "${1#clang:}" ] ;;
    cxx) command -v c++ >/dev/null 2>&1 ;;
    wasm-ld) has_wasm_linker ;;
    *) has_any "$1" ;;
  esac
}

# A GPU that answers and an nvcc that builds for it: then the lessons need no clang.
has_gpu() {
  [ "${BACKEND:-AUTO}" = CUDA ] && return 0
  [ "${BACKEND:-AUTO}" = AUTO ] &&
    "$root/common/scripts/gpu_state.sh" 2>/dev/null | grep -q '^state ready$'
}

stamp_of() { printf '%s/%s-%s' "$stamps" "$1" "${BACKEND:-AUTO}"; }

# The quick way out: every group has been found complete before, and its commands are still there.
all_known() {
  for group in $groups; do
    stamp=$(stamp_of "$group")
    [ -e "$stamp" ] && [ -n "$(find "$stamp" -newer "$0" 2>/dev/null)" ] || return 1
  done
  command -v cmake >/dev/null 2>&1 && command -v python3 >/dev/null 2>&1 && has_any gcc+cc
}

# Sets `missing`: table rows of what is not there. An old clang is good enough where the system
# offers no newer one: its row has the level "newer" until settle_names has looked.
find_missing() {
  missing=$(packages | while IFS='|' read -r group level probe rest; do
    case " $groups " in *" $group "*) ;; *) continue ;; esac
    present "$probe" && continue
    if [ "$level" = clang ]; then
      has_gpu && continue
      level=needed
      [ "$(newest_clang)" -ge "$oldest_clang" ] && level=newer
    fi
    printf '%s|%s|%s\n' "$level" "$probe" "$rest"
  done)
}

manager() {
  for candidate in apt-get dnf pacman zypper brew; do
    command -v "$candidate" >/dev/null 2>&1 && { echo "$candidate"; return; }
  done
  echo none
}

# The number of the clang to ask apt for, as simtcc prefers them (preference_of): 19, whose counts
# are stored; or else the newest up to 22, which have been tested; or else what there is.
clang_offered() {
  apt-cache search --names-only '^clang-[0-9][0-9]*$' 2>/dev/null | awk '
    { sub(/^clang-/, "", $1); n = $1 + 0; rank = n == 19 ? 3000 : n > 22 ? 19.5 : n }
    rank > best { best = rank; number = n }
    END { if (number) print number }'
}

first_offered() { # names joined by /: the first that apt knows, or else the first
  for name in $(printf '%s' "$1" | tr / ' '); do
    apt-cache show "$name" >/dev/null 2>&1 && { echo "$name"; return; }
  done
  echo "${1%%/*}"
}

# Puts apt's names into `missing` where the table leaves a choice, and drops the wish for a newer
# clang where none is available.
settle_names() { # manager
  offered=
  [ "$1" = apt-get ] && offered=$(clang_offered)
  missing=$(printf '%s\n' "$missing" | while IFS='|' read -r level probe names rest; do
    case $names in
      clang-N | clang | clang-[0-9]*)
        here=$(newest_clang)
        if [ "$level" = newer ]; then
          [ "${offered:-0}" -gt "$here" ] || continue
          level=wanted
          rest="${rest%|*}|compiles CUDA C; the clang $here that is here gets some sums wrong"
        fi
        names=clang${offered:+-$offered}
        ;;
      */*) names=$(first_offered "$names") ;;
    esac
    [ -n "$level" ] && printf '%s|%s|%s|%s\n' "$level" "$probe" "$names" "$rest"
  done)
}

# Prints "level name reason" of each missing package for one manager; "-" where it has none.
names_for() { # manager
  case $1 in
    apt-get) column=3 ;; dnf) column=4 ;; pacman) column=5 ;; zypper) column=6 ;; *) column=7 ;;
  esac
  printf '%s\n' "$missing" | awk -F'|' -v c="$column" 'NF { print $1 "|" $c "|" $8 }'
}

announce() { # rows of level|name|reason
  say "The workbook needs a few packages that this machine does not have:"
  printf '%s\n' "$1" | while IFS='|' read -r level name reason; do
    note=
    [ "$level" = wanted ] && note=' (optional)'
    printf '  %-22s %s%s\n' "$name" "$reason" "$note" >&2
  done
}

lists_are_fresh() {
  [ -n "$(find /var/lib/apt/lists -maxdepth 1 -name '*Packages*' -mtime -7 2>/dev/null |
    head -n 1)" ]
}

# apt-get with the rights it takes. On a terminal apt talks (and asks before it installs);
# elsewhere its hundreds of lines go to a log and are shown only when it fails.
apt() { # apt-get arguments
  if [ "$interactive" = yes ]; then
    $sudo apt-get -o DPkg::Lock::Timeout=300 "$@" >&2
    return
  fi
  mkdir -p "$stamps"
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=300 "$@" \
    >"$stamps/apt.log" 2>&1 && return
  cat "$stamps/apt.log" >&2
  return 1
}

choose_rights() {
  sudo=
  [ "$(id -u)" -eq 0 ] && return 0
  command -v sudo >/dev/null 2>&1 || return 1
  sudo=sudo
  sudo -n true 2>/dev/null && return 0
  [ "${1:-}" = ask ] && [ "$interactive" = yes ] || return 1
  say "apt needs administrator rights: sudo may ask for your password."
}

# A machine that has never fetched package lists cannot name the newest clang. Skipped where that
# takes a password: the user does not know yet what it is for.
look_at_offers() {
  [ "${WORKBOOK_SETUP:-}" != print ] && choose_rights || return 0
  lists_are_fresh && return 0
  say "Looking at what this system offers (apt-get update) ..."
  apt update || say "apt-get update failed: continuing with the existing lists."
}

install_with_apt() { # rows
  if [ "${WORKBOOK_SETUP:-}" != print ] && choose_rights ask; then
    lists_are_fresh || { apt update && settle_names apt-get && set -- "$(names_for apt-get)"; }
  else
    cannot=yes
  fi
  wanted=$(printf '%s\n' "$1" | awk -F'|' '$1 == "wanted" && $2 != "-" { print $2 }' | tr '\n' ' ')
  needed=$(printf '%s\n' "$1" | awk -F'|' '$1 == "needed" { print $2 }' | tr '\n' ' ')
  [ -n "$needed$wanted" ] || return 0
  if [ "${cannot:-}" = yes ]; then
    say "Please run this once (it needs administrator rights), then repeat your command:"
    say "  apt-get update && apt-get install --no-install-recommends $needed$wanted"
    return 1
  fi
  say "Installing ..."
  known=
  for name in $wanted; do # what this release does not offer is not worth failing for
    if apt-cache show "$name" >/dev/null 2>&1; then known="$known $name"; else
      say "  $name: not offered by this release, going on without it"
    fi
  done
  # shellcheck disable=SC2086
  apt install --no-install-recommends $needed $known && return 0
  say "apt could not install them; renewing its package lists and trying once more."
  # shellcheck disable=SC2086
  apt update && apt install --no-install-recommends $needed $known
}

print_for_others() { # manager, rows
  names=$(printf '%s\n' "$2" | awk -F'|' '$2 != "-" { print $2 }' | tr '\n' ' ')
  case $1 in
    dnf) say "Install them with:  sudo dnf install $names" ;;
    pacman) say "Install them with:  sudo pacman -S --needed $names" ;;
    zypper) say "Install them with:  sudo zypper install $names" ;;
    brew) say "Install them with:  brew install $names" ;;
    *) say "Install them with your system's package manager (the names above are Debian's)." ;;
  esac
  say "then repeat your command. Only apt systems are set up automatically."
}

remember() {
  mkdir -p "$stamps" 2>/dev/null || return 0
  for group in $groups; do : >"$(stamp_of "$group")"; done
}

# One line a package that the build looks for, "+" where it is there.
print_state() {
  packages | while IFS='|' read -r group _ probe _; do
    case $group:$probe in *:py:* | *:clang:* | check:*) continue ;; esac
    if present "$probe"; then echo "+ $probe"; else echo "- $probe"; fi
  done
  echo "clang $(newest_clang)"
  echo "nvcc $(command -v nvcc 2>/dev/null)"
}

oldest_clang=14
if [ "${1:-}" = --state ]; then
  print_state
  exit 0
fi
[ "${WORKBOOK_SETUP:-}" = no ] && exit 0
groups=$*
known='base check plot book pdf watch bench mpi'
for group in $groups; do
  case " $known " in *" $group "*) continue ;; esac
  echo "setup.sh: there is no group '$group'; there are $known" >&2
  exit 2
done
all_known && exit 0

find_missing
[ -z "$missing" ] && { remember; exit 0; }

interactive=no
[ -t 0 ] && [ -t 2 ] && interactive=yes
tool=$(manager)
[ "$tool" = apt-get ] && look_at_offers
settle_names "$tool"
[ -z "$missing" ] && { remember; exit 0; }
[ "$tool" = none ] && rows=$(names_for apt-get) || rows=$(names_for "$tool")
announce "$rows"
case $tool in
  apt-get) install_with_apt "$rows" || failed=yes ;;
  *) print_for_others "$tool" "$rows" ;;
esac

find_missing
still=$(printf '%s\n' "$missing" | awk -F'|' '$1 == "needed" { printf "%s ", $3 }')
if [ -n "$still" ]; then
  say "Still missing, and needed: $still"
  exit 1
fi
[ "${failed:-no}" = yes ] || [ "$tool" != apt-get ] || say "Everything that is needed is installed."
remember
exit 0
