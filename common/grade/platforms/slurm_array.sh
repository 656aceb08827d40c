#!/bin/sh
# SPDX-License-Identifier: MIT
# slurm_array.sh - a class over the nodes of a cluster, a shard per task of a job array:
#
#   sbatch --array=1-8 common/grade/platforms/slurm_array.sh SUBMISSIONS OUT
#   common/grade/platforms/slurm_array.sh --merge SUBMISSIONS OUT      when all have ended
#
# Without Slurm, with GNU parallel on one machine or on several that share the folders:
#
#   parallel -S node1,node2 common/grade/platforms/slurm_array.sh --shard {} 8 SUBMISSIONS OUT \
#     ::: $(seq 8)
#
# OUT is on a file system that all nodes see. The table is byte for byte that of a single run; a
# task that was killed is submitted again and goes on where it stopped. More options for the grader:
# GRADE_OPTIONS, such as "--key FILE".
#SBATCH --job-name=reduction-grade
#SBATCH --cpus-per-task=2
#SBATCH --time=01:00:00
set -eu
usage() { sed -n '4,12s/^# \{0,1\}//p' "$0" >&2; exit 2; }

# Slurm runs a copy of this file: REDUCTION_GRADE names the grader, or it runs in its folder.
grade=${REDUCTION_GRADE:-$(dirname -- "$0")/../reduction-grade}
[ -x "$grade" ] || grade=common/grade/reduction-grade
[ -x "$grade" ] || {
  echo "slurm_array.sh: run sbatch in the workbook's folder, or set REDUCTION_GRADE" >&2
  exit 2
}

mode=shard shard=${SLURM_ARRAY_TASK_ID:-} n_shards=${SLURM_ARRAY_TASK_COUNT:-}
case ${1:-} in
  --merge) mode=merge; shift ;;
  --shard) [ $# -eq 5 ] || usage; shard=$2 n_shards=$3; shift 3 ;;
esac
[ $# -eq 2 ] || usage
submissions=$1 out=$2
mkdir -p "$out"
if [ "$mode" = merge ]; then
  folders=
  for folder in "$out"/shard-*; do folders=$folders:$folder; done
  exec "$grade" --submissions "$submissions" --out "$out" --merge "${folders#:}"
fi
if [ -z "$shard" ] || [ -z "$n_shards" ]; then usage; fi
exec "$grade" --submissions "$submissions" --out "$out/shard-$shard" --shard "$shard/$n_shards" \
  --jobs "${SLURM_CPUS_PER_TASK:-1}"
