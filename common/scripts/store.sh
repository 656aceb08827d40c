#!/bin/sh
# SPDX-License-Identifier: MIT
# store.sh - `make store`: makes anew everything under figures/data that the software GPU gives and
# the tests compare. To be run after a change to a lesson, the compiler or what is counted; then
# look at `git diff figures/data README.md`, read the chapters that quote what changed, and commit.
#
#   part       file                                              test
#   lessons    simt-lessons.jsonl                                book_numbers
#   results    simt-results.csv                                  simt_results
#   ladder     compare.csv, compare.date and README's ladder     readme_ladder
#   large      compare-2-26.csv, the ladder at 2^26 (minutes)     -
#   model      simt-parts.csv, simt-errors.csv, simt-links.csv    figure_data
#              simt-caches.csv, beside a profiler's counts       figure_data
#   reports    checks-report.txt, checks-volatile-fold.txt       checkers
#   checks     checks-corpus.csv                                 simt_checks_simtcc
#   removals   checks-mutations.csv (minutes)                    simt_removals
#   modules    tests/compilers/*.ptx, where the compilers are    clang19_*, nvcc_sm_*
#   pictures   figures/ideas/*.svg, pictures of what kernels do  book_pictures
#              figures/readme/*.svg and data/session.txt, the README's    book_scripts
#   pages      chapters and other pages, filled in               book_pages
#
# Environment: PARTS (lessons,results: those only), BUILD (build).
set -eu
case ${1:-} in
  '') ;;
  -h | --help) sed -n '3,/^set/s/^# \{0,1\}//p' "$0" | sed '$d'; exit 0 ;;
  *) echo "store.sh: unknown option '$1'; parts are named by PARTS=...: see --help" >&2; exit 2 ;;
esac
unset CDPATH MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
cd "$(dirname -- "$0")/../.."
build=${BUILD:-build}
data=figures/data
unset SIMT_CHECK SIMT_SCHEDULE SIMT_DEVICE SIMT_REPORT SIMT_MAX_WARP_INSTRUCTIONS
unset ALL LESSON N VARIANT ARGS DEVICE SWEEP SIZES LESSONS FRESH CHECK SCHEDULE PROG

compiler=$(python3 -B common/scripts/provenance.py --clang "$build")
today=$(date +%Y-%m-%d)
wants() { case ,${PARTS:-all}, in *,"$1",* | ,all,) ;; *) return 1 ;; esac && echo "== $1" >&2; }

# A report with the line that says where it comes from. A program with findings fails; one that says
# nothing has no report.
report() { # file, what is said of it, command...
  file=$1 said=$2
  shift 2
  if "$@" >/dev/null 2>"$file.new" || ! grep -q '^simt: racecheck: ' "$file.new"; then
    echo "store.sh: nothing reported by: $*" >&2
    cat "$file.new" >&2
    rm -f "$file.new"
    exit 1
  fi
  { echo "# $said, software GPU, $compiler, $today"; cat "$file.new"; } >"$file"
  rm -f "$file.new"
}

common/scripts/build.sh --run programs
if wants lessons; then python3 -B figures/regenerate_simt.py --build "$build"; fi
if wants results; then
  bash common/scripts/gpu_check.sh --expect "$data/simt-results.csv" --build "$build"
fi
if wants ladder; then
  python3 -B common/scripts/compare.py --build "$build" --out "$build/store" >/dev/null
  python3 -B common/scripts/readme_ladder.py --store "$build/store/compare.csv" "$today, $compiler"
  python3 -B common/scripts/blind_report.py page
fi
if wants large; then
  python3 -B common/scripts/compare.py --build "$build" --all --n 2^26 --out "$build/store/large" \
    >/dev/null
  cp "$build/store/large/compare.csv" "$data/compare-2-26.csv"
  python3 -B common/scripts/blind_report.py page
fi
if wants model; then
  python3 -B figures/simt_tables.py --build "$build"
  python3 -B common/scripts/caches.py simulate --build "$build" --out "$data/simt-caches.csv"
fi
if wants reports; then
  report "$data/checks-report.txt" \
    "make sanitize PROG=tests/workbook/tree.cu CHECK=racecheck SCHEDULE=lockstep" \
    env PROG=tests/workbook/tree.cu CHECK=racecheck SCHEDULE=lockstep \
    common/scripts/lesson.sh sanitize
  report "$data/checks-volatile-fold.txt" \
    "make run LESSON=04_warp_sync VARIANT=volatile_fold CHECK=racecheck" \
    "$build/lessons/04_warp_sync" --variant volatile_fold --check=racecheck
fi
if wants checks; then
  mkdir -p "$build/store/checks"
  python3 -B tests/simt/checks/run_checks.py --compiler "$build/common/simt/simtcc" \
    --work "$build/store/checks" --store "$data/checks-corpus.csv"
fi
if wants removals; then
  common/scripts/build.sh --run all
  python3 -B tests/simt/checks/remove_syncs.py "$build" --write "$data/checks-mutations.csv"
fi
if wants modules; then bash tests/compilers/regenerate.sh; fi
if wants pictures; then
  cmake --build "$build" --target traces judge >/dev/null
  python3 -B figures/ideas.py --build "$build" --write
  python3 -B figures/readme.py --build "$build" --record
  python3 -B figures/readme.py --write
fi
if wants pages; then python3 -B book/scripts/fill_pages.py --write; fi
echo "Stored, as $compiler makes it; now: git diff --stat $data README.md lessons book" >&2
