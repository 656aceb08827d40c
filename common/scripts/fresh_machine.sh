#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# fresh_machine.sh - does everything work on a machine that has nothing? See --help.
set -u
unset CDPATH MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
cd "$(dirname -- "${BASH_SOURCE[0]}")/../.." || exit 1
checkout=$PWD

usage() {
  cat <<'END'
fresh_machine.sh [--short] [--walks LIST] [--suite NAME] [--log FILE] [--ccache] - walks the
workbook's commands in a bare system: a new root folder with git, make and ca-certificates only,
once per walk, and in it what is committed (HEAD, as it was when this began). Set-up installs what
each command needs, as for any newcomer.

  walk          user                commands
  order         root                compare, grade, try, book, bench-simt, sanitize, check
  check         root                check, compare
  class         root                grade SUBMISSIONS=..., try, compare
  sudo          a user with sudo    compare, grade, try, sanitize, book
  alone         root                every target alone, each in a root of its own (hours)
  alone:TARGET  root                that target
  short         root                compare (small), grade, try

  --short        the walk "short": minutes
  --walks LIST   those, joined by commas; default: order,check,class,sudo
  --suite NAME   the release (bookworm); jammy and noble need Ubuntu's mirror and keyring
  --log FILE     adds the run to the end of FILE, which can be stored; after Ctrl-C too: then its
                 last line names the walks that were not finished
  --ccache       for many walks: C and C++ objects that one root compiled serve the next ones.
                 ccache reads every header again, so what a root lacks is still missing; the log
                 says that it was used

Needs mmdebstrap or debootstrap, and root or sudo without a password. The package sources, keys and
proxy of this machine are used. The roots are in $TMPDIR (/var/tmp) and are removed at the end, also
after Ctrl-C; they are mounted in name spaces of their own, so nothing stays mounted. What each
command printed is in build/fresh.

Exit: 0 all as it should be; 1 something was not; 2 wrong use; 77 this cannot be done here.
END
}

say() { printf '[%5d s] %s\n' "$SECONDS" "$*" >&2; }
cannot() {
  echo "fresh_machine.sh cannot run here: $*" >&2
  exit 77
}
wrong_use() {
  echo "fresh_machine.sh: $* (--help says more)" >&2
  exit 2
}

walks=order,check,class,sudo suite=bookworm log='' cache=''
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --short) walks=short ;;
    --ccache) cache=--ccache ;;
    --walks | --suite | --log)
      [[ $# -ge 2 ]] || wrong_use "$1 needs a value"
      case $1 in --walks) walks=$2 ;; --suite) suite=$2 ;; --log) log=$2 ;; esac
      shift ;;
    *) wrong_use "unknown option '$1'" ;;
  esac
  shift
done
targets='menu help list next status hint reset dist clean figures profile measure setup programs
run compare try solution watch predict review puzzle trace challenge
sanitize survey explain diff grade grade-selftest calibrate book book-pdf bench-simt store lint
new-lesson coverage check'
for walk in ${walks//,/ }; do
  case $walk in
    short | order | check | class | sudo | alone) ;;
    alone:*)
      [[ " ${targets//$'\n'/ } " == *" ${walk#alone:} "* ]] ||
        wrong_use "no target '${walk#alone:}'"
      ;;
    *) wrong_use "no walk '$walk'" ;;
  esac
done

if [[ $(id -u) -ne 0 ]]; then
  command -v sudo >/dev/null && sudo -n true 2>/dev/null ||
    cannot "it takes root, or sudo without a password"
  exec sudo -n --preserve-env=TMPDIR,http_proxy,https_proxy,no_proxy \
    "$checkout/common/scripts/fresh_machine.sh" \
    --walks "$walks" --suite "$suite" ${log:+--log "$log"} $cache
fi
maker=$(command -v mmdebstrap || command -v debootstrap) ||
  cannot "there is neither mmdebstrap nor debootstrap (both are Debian packages)"
unshare --mount --pid --fork --mount-proc true 2>/dev/null ||
  cannot "no name spaces can be made (unshare --mount --pid)"
[[ -z $cache ]] || command -v ccache >/dev/null ||
  cannot "there is no ccache (a package of that name)"
git rev-parse --verify --quiet HEAD >/dev/null ||
  cannot "this is no clone; a root gets what is committed"

# ---- The folder of roots, and its end.
child='' left='' # the walks that are not finished
work=$(mktemp -d "${TMPDIR:-/var/tmp}/fresh-machine.XXXXXX") || exit 1
clean_up() {
  [[ -z $child ]] || { kill -KILL "$child" && wait "$child"; } 2>/dev/null
  rm -rf --one-file-system -- "$work"
}
trap clean_up EXIT
exec 3>&2 # a step's own output goes elsewhere
trap interrupted INT TERM HUP
interrupted() {
  echo "fresh_machine.sh: interrupted" >&3
  [[ -z $left ]] || end_log "$(verdict); interrupted after $SECONDS s, not finished: $left"
  exit 130
}

# Runs a command in name spaces of its own: its mounts and processes end with it, or with this
# script.
apart() { # command
  unshare --mount --pid --fork --kill-child --mount-proc -- "$@" </dev/null &
  child=$!
  wait "$child"
  local status=$?
  child=''
  return $status
}

# ---- A bare root.
host_sources() { # this machine's package sources for the suite, in either of apt's two formats
  local file
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [[ -f $file ]] && grep -E "^deb .* $suite(-updates|-security)? " "$file"
  done
  for file in /etc/apt/sources.list.d/*.sources; do
    [[ -f $file ]] && awk -v RS='' -v ORS='\n\n' -v suite="$suite" \
      '$0 ~ "(^|\n)Suites:[^\n]* " suite "( |-|\n|$)"' "$file"
  done
}

make_root() { # folder
  host_sources >"$work/sources"
  if [[ $maker == *mmdebstrap ]]; then
    local sources=()
    [[ -s $work/sources ]] && sources=("$work/sources")
    [[ -s $work/sources ]] && grep -q '^Types:' "$work/sources" &&
      mv "$work/sources" "$work/host.sources" && sources=("$work/host.sources")
    # Ubuntu's own installation has both parts.
    case $suite in jammy | noble) sources+=("--components=main,universe") ;; esac
    apart timeout 1200 "$maker" --mode=root --variant=apt --include=git,make,ca-certificates \
      --dpkgopt=force-unsafe-io "$suite" "$1" "${sources[@]}"
  else
    local mirror
    mirror=$(sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)*\([^ ]*\) .*/\2/p' "$work/sources" |
      head -n 1)
    apart timeout 600 "$maker" --variant=minbase --include=git,make,ca-certificates "$suite" "$1" \
      ${mirror:+"$mirror"} && { [[ ! -s $work/sources ]] || install_sources "$1"; }
  fi
}

install_sources() { # root
  rm -f "$1/etc/apt/sources.list"
  local name=host.list
  grep -q '^Types:' "$work/sources" && name=host.sources
  cp "$work/sources" "$1/etc/apt/sources.list.d/$name"
}

# How this machine reaches its package sources: proxy, names, certificates.
copy_network() { # root
  apt-config dump --no-empty --format '%f "%v";%n' Acquire \
    >"$1/etc/apt/apt.conf.d/00host" 2>/dev/null
  cp -L /etc/resolv.conf /etc/hosts "$1/etc/" 2>/dev/null
  cp -R /etc/apt/auth.conf.d/. "$1/etc/apt/auth.conf.d/" 2>/dev/null
  if [[ -n $(find /usr/local/share/ca-certificates -name '*.crt' 2>/dev/null) ]]; then
    mkdir -p "$1/usr/local/share/ca-certificates"
    cp -R /usr/local/share/ca-certificates/. "$1/usr/local/share/ca-certificates/"
    in_root "$1" root update-ca-certificates >/dev/null 2>&1
  fi
}

# The devices that programs expect, and the command in the root, with nothing of our environment.
# The folder becomes the root of the mount name space, as on a machine of its own: in a mere chroot
# no sandbox could be set up.
# shellcheck disable=SC2016
enter='
root=$1 user=$2
shift 2
mount --bind "$root" "$root" && mount -t proc proc "$root/proc" &&
  mount --rbind /sys "$root/sys" || exit 125
mount -t tmpfs -o mode=755 dev "$root/dev" || exit 125
for device in null zero full random urandom tty; do
  : >"$root/dev/$device" && mount --bind "/dev/$device" "$root/dev/$device" || exit 125
done
mkdir "$root/dev/shm" "$root/dev/pts" &&
  mount -t tmpfs -o mode=1777 shm "$root/dev/shm" || exit 125
mount -t devpts -o newinstance,ptmxmode=666 devpts "$root/dev/pts" 2>/dev/null &&
  ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
mkdir -p "${root%/*}/archives/partial" && # a package that another root fetched is not fetched again
  mount --bind "${root%/*}/archives" "$root/var/cache/apt/archives" || exit 125
folder=/srv/$user
[ "$user" != root ] || folder=/root
if [ -d "${root%/*}/ccache" ]; then
  mkdir -p "$root/ccache" && mount --bind "${root%/*}/ccache" "$root/ccache" || exit 125
  launcher=/ccache/launch
fi
mkdir "$root/.before" && cd "$root" && pivot_root . .before && cd / || exit 125
chroot /.before umount -l / && rmdir /.before || exit 125 # a bare root has no umount
exec chroot --userspec="$user" / /usr/bin/env -i HOME="$folder" USER="$user" LC_ALL=C.UTF-8 \
  PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
  ${no_proxy:+no_proxy="$no_proxy"} \
  ${launcher:+CMAKE_C_COMPILER_LAUNCHER="$launcher" CMAKE_CXX_COMPILER_LAUNCHER="$launcher"} \
  sh -c "cd && cd workbook 2>/dev/null; $1"
'
in_root() { # root, user, shell command
  apart sh -c "$enter" enter "$@"
}

# ccache with its own libraries and loader, so that it runs in a root of any release and installs
# nothing.
bring_ccache() { # folder
  local library
  mkdir -p "$1/lib" "$1/objects" && chmod 777 "$1/objects" &&
    cp -L "$(command -v ccache)" "$1/ccache" || return 1
  ldd "$1/ccache" | grep -o '/[^ ]*' | while read -r library; do cp -L "$library" "$1/lib/"; done
  cat >"$1/launch" <<'END'
#!/bin/sh
export CCACHE_DIR=/ccache/objects CCACHE_UMASK=000
exec /ccache/lib/ld-* --library-path /ccache/lib /ccache/ccache "$@"
END
  chmod 755 "$1/launch"
}

new_root() { # user: sets `root`, with the workbook in the folder of the user
  root=$work/root
  rm -rf --one-file-system -- "$root"
  cp -a "$work/base" "$root" || return 1
  local place=$root/root
  if [[ $1 != root ]]; then
    in_root "$root" root "apt-get update &&
      apt-get install -y --no-install-recommends sudo passwd &&
      useradd -m -d /srv/$1 -s /bin/bash $1 &&
      echo '$1 ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/$1" \
      >"$logs/user.log" 2>&1 || { cat "$logs/user.log" >&2; return 1; }
    place=$root/srv/$1
  fi
  git clone -q --no-hardlinks "file://$work/workbook.git" "$place/workbook" || return 1
  [[ $1 == root ]] || in_root "$root" root "chown -R $1: /srv/$1"
}

# ---- Steps. One line of the log each; a step that is not as it should be shows the end of its
# output.
failures=0
note() { printf '%s\n' "$*" >>"$logs/log.txt"; }
verdict() {
  if [[ $failures -eq 0 ]]; then echo 'all as it should be'; else
    echo "$failures not as they should be"
  fi
}

end_log() { # its last line
  note "# $1"
  [[ -n $log ]] || return 0
  { [[ ! -s $log ]] || echo; cat "$logs/log.txt"; } >>"$log"
}

step() { # status wanted, text wanted (a regular expression), command
  local begin=$SECONDS output status verdict=ok
  n_steps=$((n_steps + 1))
  output=$logs/$walk_name-$n_steps.log
  say "$walk_name: $3 ..."
  in_root "$root" "$user" "$3" >"$output" 2>&1
  status=$?
  if [[ $status -ne $1 ]] || ! grep -qE -- "$2" "$output"; then
    verdict="NOT AS IT SHOULD BE (want status $1 and \"$2\")"
    failures=$((failures + 1))
    tail -n 40 "$output" >&2
  fi
  say "$walk_name: status $status after $((SECONDS - begin)) s: $verdict"
  note "$(printf '%-18s %-8s %5d s  status %d  %-20s %s' "$walk_name" "$user" $((SECONDS - begin)) \
    "$status" "$verdict" "$(printf '%s' "$3" | tr -s '\n ' '  ')")"
}

compare() { step 0 '10_single_pass_scan' "make compare N=${1:-1048576}"; }
try() { step 1 'points|FAIL' 'make try LESSON=01'; }
grade() { step 0 '10_single_pass_scan' 'make grade'; }
book() { step 0 'The book: build/book/html/index.html' 'make book'; }
bench() { step 0 '.' 'make bench-simt'; }
sanitize() { step 0 'Nothing found' 'make sanitize PROG=lessons/00_naive_atomic/first_program.cu'; }
check() { step 0 '100% tests passed' 'make check'; }

class() {
  step 0 'ada' 'mkdir -p ../class/ada ../class/bob && cp solutions/*.cu ../class/ada/ &&
    cp exercises/*.cu ../class/bob/ && make grade SUBMISSIONS=../class'
}

alone() { # target
  case $1 in
    menu | help | list | next | status | setup | programs | figures | reset | clean | coverage | \
      store | dist)
      local arguments=''
      [[ $1 == reset ]] && arguments=' LESSON=01'
      [[ $1 == store ]] && arguments=' PARTS=lessons,results'
      step 0 '.' "make $1$arguments" ;;
    lint) step 2 'analyze: [0-9]+ files, see above' 'make lint' ;; # it has false alarms
    predict) step 0 'prediction' 'echo 9 | make predict LESSON=01' ;;
    new-lesson) step 0 'Lesson ' 'make new-lesson NAME=a_new_one' ;;
    puzzle) step 0 'exercises/puzzle' 'make puzzle LESSON=01' ;;
    trace) step 0 'html' 'make trace LESSON=01' ;;
    review) step 0 'review' 'make review' ;;
    challenge) step 2 'after a pass' 'make challenge LESSON=01' ;;
    survey)
      step 0 'programs that need nothing' \
        'make survey DIR=lessons/00_naive_atomic ARGS="--front simtcc"'
      ;;
    hint) step 0 'hint 1 of 3' 'make hint LESSON=01' ;;
    profile) step 2 'GPU' 'make profile LESSON=06' ;;
    calibrate) step 2 'GPU' 'make calibrate GPU=a100' ;;
    grade-selftest) step 0 '.' 'make grade-selftest' ;;
    measure) step 2 'modelled' 'make measure GPU=a100' ;;
    explain) step 0 '.' 'make explain LESSON=02' ;;
    diff) step 0 'shared_load' 'make diff A=05:last_warp B=05:warp_first' ;;
    book-pdf) step 0 'workbook\.pdf' 'make book-pdf' ;;
    run) step 0 'tree' 'make run LESSON=01 N=65536' ;;
    solution) step 0 'SOLUTION' 'make solution LESSON=01' ;;
    watch) step 0 'FAIL|points' 'make watch LESSON=01 >../watch.log 2>&1 &
      for second in $(seq 900); do grep -qE "FAIL|points" ../watch.log && break; sleep 1; done
      cat ../watch.log' ;;
    bench-simt) bench ;;
    *) "$1" ;;
  esac
}

walk() { # name, user, steps
  walk_name=$1 user=$2 n_steps=0
  shift 2
  say "$walk_name: a bare root, as $user"
  if ! new_root "$user"; then
    failures=$((failures + 1))
    note "$walk_name: the root could not be made ready"
    return
  fi
  local item
  for item; do ${item//:/ }; done
}

logs=$checkout/build/fresh
rm -rf "$logs"
mkdir -p "$logs" || exit 1
say "making a bare root of $suite (${maker##*/})"
if ! make_root "$work/base" >"$logs/root.log" 2>&1; then
  tail -n 5 "$logs/root.log" >&2
  cannot "no root of $suite could be made: is its mirror reachable? ($logs/root.log)"
fi
copy_network "$work/base"
# What is committed from now on is not walked: every root gets the same.
git -c safe.directory="$checkout" clone -q --bare --no-hardlinks "file://$checkout" \
  "$work/workbook.git" || exit 1
[[ -z $cache ]] || bring_ccache "$work/ccache" || cannot "ccache could not be copied"
note "# fresh_machine.sh: commands of the workbook in bare systems"
note "# system: $(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' "$work/base/etc/os-release"), \
$(uname -m), $(nproc) cores; at first: git, make, ca-certificates"
[[ -z $cache ]] ||
  note "# ccache: from the second root on, C and C++ objects are not compiled again"
note "# date: $(date +%Y-%m-%d)"
note "# commit: $(git -C "$work/workbook.git" rev-parse HEAD)"
note "# walk, user, seconds, exit status, verdict, command"

# shellcheck disable=SC2086
every_target=$(printf ',alone:%s' $targets)
left=,$walks,
left=${left//,alone,/$every_target,}
left=${left#,} left=${left%,}
for name in ${left//,/ }; do
  case $name in
    short) walk short root compare:65536 grade try ;;
    order) walk order root compare grade try book bench sanitize check ;;
    check) walk check root check compare ;;
    class) walk class root class try compare ;;
    sudo) walk sudo student compare grade try sanitize book ;;
    alone:*) walk "$name" root "$name" ;;
  esac
  left=${left#"$name"} left=${left#,}
done

end_log "$(verdict); $SECONDS s in all"
say "$(verdict)"
[[ $failures -eq 0 ]]
