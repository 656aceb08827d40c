#!/bin/sh
# SPDX-License-Identifier: MIT
# setup.sh - Gradescope runs it once, when it builds the autograder's image. The autograder is a zip
# of this file, run_autograder, and a folder `workbook` with the whole workbook:
#
#   git archive --prefix=workbook/ -o autograder.zip HEAD
#   zip -j autograder.zip common/grade/platforms/gradescope/setup.sh \
#     common/grade/platforms/gradescope/run_autograder
#
# EXERCISES in run_autograder says which exercises count.
set -eu
source=${AUTOGRADER_SOURCE:-/autograder/source}
command -v make >/dev/null || { apt-get -q update && apt-get -q -y install make; }
cd "$source/workbook"
common/scripts/setup.sh base
common/scripts/build.sh judge
