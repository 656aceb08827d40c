#!/bin/sh
# SPDX-License-Identifier: MIT
# ranks.sh N PROGRAM [ARGUMENT...] - runs a program of MPI as N ranks here, with Open MPI.
#
# Made for one software GPU, or GPU, per rank: more ranks than processors are fine, and so is a
# container whose only user is root. A rank that fails, is killed or leaves early ends the others,
# and so does the time limit: no rank waits for ever for one that is gone.
# Environment: RANKS_SECONDS  the time limit (120)
# Exit: 0 all ranks ended well; 2 wrong use; 124 the time was over; else the status of the rank that
# failed first (128 + the signal that ended it).
set -u
say() { printf 'ranks: %s\n' "$*" >&2; }

case ${1:-} in
  '' | *[!0-9]* | 0) say "how many ranks? ranks.sh N PROGRAM [ARGUMENT...]"; exit 2 ;;
esac
[ $# -ge 2 ] || { say "which program? ranks.sh N PROGRAM [ARGUMENT...]"; exit 2; }
n=$1 limit=${RANKS_SECONDS:-120}
shift
case $limit in
  '' | *[!0-9]* | 0) say "RANKS_SECONDS=$limit: a number of seconds is wanted"; exit 2 ;;
esac
command -v "$1" >/dev/null 2>&1 || { say "there is no program $1"; exit 2; }
command -v mpirun >/dev/null 2>&1 || {
  say "mpirun is missing; on Debian or Ubuntu: apt install openmpi-bin libopenmpi-dev"
  exit 2
}
mpirun --version 2>/dev/null | grep -q 'Open MPI' ||
  { say "$(command -v mpirun) is not Open MPI's, whose options are used here"; exit 2; }

# Root is allowed where the machine is a container; nothing is started on another machine.
[ "$(id -u)" -ne 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_plm=isolated OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_mpi_yield_when_idle=1

timeout -k 5 "$limit" mpirun --oversubscribe --bind-to none -n "$n" "$@"
status=$?
case $status in
  0) ;;
  124 | 137)
    if [ "$status" -eq 124 ]; then
      say "$n ranks of $1 had not ended after $limit s (RANKS_SECONDS): all were stopped;" \
        "a rank waits for a call that another one never makes"
    else
      say "a rank of $1 was killed (signal 9); the other ranks were stopped"
    fi
    ;;
  1[2-9][0-9])
    say "a rank of $1 was ended by signal $((status - 128)); the other ranks were stopped"
    ;;
  *)
    say "a rank of $1 ended with status $status, or without MPI_Finalize();" \
      "the other ranks were stopped"
    ;;
esac
exit "$status"
