#!/bin/sh
# SPDX-License-Identifier: MIT
# menu.sh - functions of lesson.sh: what `make` and `make help` print. Sourced, with bold, dim,
# green and plain defined, empty where the output is no terminal.

bold=${bold-} dim=${dim-} green=${green-} plain=${plain-} # as in lesson.sh

# What a student needs from day to day. It fits a terminal of 80 columns and 24 lines, with the
# prompts before and behind it.
menu() {
  cat <<MENU
${bold}The CUDA reduction workbook${plain}   from one contended atomic to the bandwidth limit
${dim}No GPU? The software GPU runs the same CUDA files and counts what happens.${plain}

  ${green}make next${plain}                what to do next
  ${green}make list${plain}                the lessons: what you have passed, and its points
  ${green}make book${plain}                the chapters, as a web page
  ${green}make run LESSON=02${plain}       a lesson's program: every variant, with its time
  ${green}make try LESSON=02${plain}       is your exercises/02_bank_conflicts.cu right?
  ${green}make watch LESSON=02${plain}     the same, every time you save
  ${green}make hint LESSON=02${plain}      a first hint; HINT=2 and HINT=3 say more
  ${green}make trace LESSON=02${plain}     a page: what every lane does
  ${green}make puzzle LESSON=02${plain}    a solution's lines, to be ordered
  ${green}make solution LESSON=02${plain}  one solution, and its verdict
  ${green}make reset LESSON=02${plain}     start again; your file is kept in exercises/backup
  ${green}make compare${plain}             what each lesson gains
  ${green}make sanitize PROG=x.cu${plain}  any CUDA file: races, memory, barriers
  ${green}make grade${plain}               points for your own exercises/
  ${green}make help${plain}                all of it: arguments, classes, sweeps, measurements

A lesson may be called 02, 2, bank_conflicts or 02_bank_conflicts. Without one
it is the first that you have not passed.
MENU
}

# Every target with its arguments.
help() {
  cat <<MENU
${bold}The CUDA reduction workbook${plain}   from one contended atomic to the bandwidth limit
${dim}No GPU? The software GPU runs the same CUDA files and counts what happens.${plain}

${bold}Look${plain}
  ${green}make compare${plain}                what each lesson gains [LESSON= ALL=1 N= DEVICE=]
  ${green}make compare SWEEP=1${plain}        all sizes, with plots [SIZES=10..30 LESSONS=06,08]
  ${green}make explain LESSON=02${plain}      what each line of a kernel costs  [VARIANT= N=]
  ${green}make diff A=05:last_warp B=05:warp_first${plain}   what changes from one to the other
  ${green}make profile LESSON=06${plain}      a GPU's counters beside ours  VARIANT=vectors [N=]
  ${green}make run LESSON=02${plain}          one lesson       [N= VARIANT= ARGS="--block 128"]
  ${green}make list${plain}                   the lessons: what you have passed, and its points
  ${green}make book${plain}                   the chapters, as a web page
  ${green}make book-pdf${plain}               the same as one PDF

${bold}Learn${plain}                         edit exercises/02_bank_conflicts.cu, then
  ${green}make next${plain}                   what to do next
  ${green}make try LESSON=02${plain}          is it right, and if not, why not?
  ${green}make watch LESSON=02${plain}        the same, every time you save
  ${green}make predict LESSON=02${plain}      questions on counters; make review: older ones
  ${green}make challenge LESSON=02${plain}    after a pass: fewer of something
  ${green}make puzzle LESSON=02${plain}       a solution's lines, to be ordered  [FRESH=1]
  ${green}make trace LESSON=02${plain}        a page: what every lane does  [N=64 BLOCK=32]
  ${green}make hint LESSON=02${plain}         a first hint; HINT=2 and HINT=3 say more
  ${green}make solution LESSON=02${plain}     one solution, and its verdict
  ${green}make reset LESSON=02${plain}        start again; your file is kept in exercises/backup
  ${green}make sanitize PROG=x.cu${plain}     any CUDA file: races, memory, barriers
  ${green}make survey DIR=folder${plain}      does my code run? Every program of a folder

${bold}Teach${plain}
  ${green}make grade${plain}                  points for your own exercises/
  ${green}make grade SUBMISSIONS=dir${plain}  points for a class, one folder a student
  ${green}make status SUBMISSIONS=dir${plain} how far each student says to be
  ${green}make grade-selftest${plain}         attacks on the grader, in this machine's sandbox
  ${green}make new-lesson NAME=x${plain}      a lesson of your own, to be filled in

${bold}Build${plain}
  ${green}make setup${plain}                  every package at once, not as commands need them
  ${green}make programs${plain}               the lessons' programs, without running them
  ${green}make check${plain}                  tests of the workbook [ALL=1 ARGS="-R name"]
  ${green}make coverage${plain}               which lines of common/ the tests run
  ${green}make lint${plain}                   what clang's analyzer says of common/, to be read
  ${green}make store${plain}                  what tests compare, made anew     [PARTS=]
  ${green}make bench-simt${plain}             how fast the software GPU is, against its rivals
  ${green}make measure GPU=a100${plain}       on a GPU: all that is stored of one
  ${green}make calibrate GPU=a100${plain}     on a GPU: what the software GPU models it by
  ${green}make figures${plain}                redraw the figures from stored measurements
  ${green}make dist${plain}                   a release: the tarball of the current commit
  ${green}make clean${plain}                  remove what was built, never your exercises

A lesson may be called 02, 2, bank_conflicts or 02_bank_conflicts. Without one
it is the first that you have not passed.
CHECK=all SCHEDULE=sweep: checkers, other orders of threads (run, try, grade).
try: ONLY=name one check, VERBOSE=1 all of it, as in build/try/report.html.
MENU
}
