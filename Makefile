# SPDX-License-Identifier: MIT
# The front door. `make` prints the menu; CMake and the scripts behind it do the work.
# What a person types reaches the recipes through the environment, never as shell text.

.DEFAULT_GOAL := help
.SUFFIXES:
MAKEFLAGS += --no-print-directory --no-builtin-rules

ifeq ($(wildcard common/scripts/setup.sh),)
$(error Run make in the workbook's folder, or from elsewhere: make -C path/to/the/workbook TARGET)
endif

BACKEND ?= AUTO
BUILD   ?= build
export BACKEND BUILD LESSON N VARIANT ARGS HINT DEVICE SUBMISSIONS STUDENT JOBS ALLOW_UNSAFE
export CHECK SCHEDULE PROG SWEEP SIZES LESSONS FRESH GPU BLOCK PARTS

setup = common/scripts/setup.sh
build = common/scripts/build.sh
build_to_run = common/scripts/build.sh --run
lesson = common/scripts/lesson.sh

.PHONY: help list compare check run try watch hint reset solution sanitize grade book figures \
        bench-simt profile measure store lint coverage dist setup programs clean

help:
	@$(lesson) menu

list:
	@$(lesson) list

setup:
	@$(setup) base check plot book watch

programs:
	@$(setup) base
	@$(build) programs

compare:
	@$(lesson) before_compare
	@$(setup) base plot
	@$(build_to_run) programs
	@$(lesson) compare

profile:
	@$(lesson) resolve >/dev/null
	@$(setup) base
	@$(build_to_run) programs
	@$(lesson) profile

measure:
	@$(lesson) before_measure
	@$(setup) base plot
	@$(build_to_run) programs
	@$(lesson) measure

store:
	@$(setup) base test
	@common/scripts/store.sh

check:
	@$(setup) base check plot book
	@common/scripts/check.sh

run:
	@$(lesson) resolve >/dev/null
	@$(setup) base
	@$(build_to_run) programs
	@$(lesson) run

try:
	@$(lesson) resolve >/dev/null
	@$(setup) base
	@$(build_to_run) judge
	@$(lesson) try

solution:
	@$(lesson) resolve >/dev/null
	@$(setup) base
	@$(build_to_run) judge
	@$(lesson) solution

watch:
	@$(lesson) resolve >/dev/null
	@$(setup) base watch
	@$(build_to_run) judge
	@$(lesson) watch

sanitize:
	@$(setup) base
	@$(build_to_run) simt workbook
	@$(lesson) sanitize

hint:
	@$(lesson) hint

reset:
	@$(lesson) reset

grade:
	@$(setup) base
	@$(build_to_run) judge
	@$(lesson) grade

book:
	@$(setup) base book
	@$(build) book
	@echo "The book: $(BUILD)/book/html/index.html"

figures:
	@$(setup) base plot
	@$(lesson) figures

bench-simt:
	@$(setup) base bench
	@$(build) bench-simt
	@"$$BUILD/bench/bench_simt" -o "$$BUILD/bench/simt.json"

lint: # clang's analyzer on common/: minutes, and to be read, since it has false alarms
	@$(setup) base check
	@$(build) all
	@python3 -B tests/repository/gate.py analyze --build "$$BUILD"

coverage:
	@$(setup) base check
	@python3 -B common/scripts/coverage.py

dist:
	@common/scripts/dist.sh

clean:
	@rm -rf build build-asan build-coverage build-cuda
	@echo "Removed what was built. Your exercises were not touched."
