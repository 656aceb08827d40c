#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh - the entrypoint of PrairieLearn's external grader, in an image that holds the built
# workbook (WORKBOOK, /workbook by default). EXERCISES of the question's "environment" says which
# count. One exercise takes seconds; all of them take longer than the 30 s that a job has by
# default: "timeout" of "externalGradingOptions" gives it up to 600 s. Where no verdict can be given
# nothing is written, which PrairieLearn reports as a failed job.
set -eu
workbook=${WORKBOOK:-/workbook}
grade=${GRADE_FOLDER:-/grade}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir -p "$place/class" "$grade/results"
cp -R -P "$grade/student" "$place/class/student"
set -- --submissions "$place/class" --out "$place/out" --student student --jobs 1 \
  --format prairielearn --to "$grade/results/results.json"
[ -n "${EXERCISES:-}" ] && set -- "$@" --names "$EXERCISES"
"$workbook/common/grade/reduction-grade" "$@" --allow-unsafe yes
