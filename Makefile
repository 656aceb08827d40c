# SPDX-License-Identifier: MIT
# The front door. `make` prints what is used most, `make help` all. CMake and the scripts behind it
# do the work.
# What a person types reaches the recipes through the environment, never as shell text.

.DEFAULT_GOAL := menu
.SUFFIXES:
dry_run := $(findstring n,$(filter-out --%,$(firstword -$(MAKEFLAGS)))) # before anything is added
MAKEFLAGS += --no-print-directory --no-builtin-rules

ifeq ($(wildcard common/scripts/setup.sh),)
$(error Run make in the workbook's folder, or from elsewhere: make -C path/to/the/workbook TARGET)
endif

given_build := $(BUILD)
BACKEND ?= AUTO
BUILD   ?= build
knobs := ALL BACKEND BUILD LESSON N VARIANT ARGS HINT DEVICE SUBMISSIONS STUDENT JOBS ALLOW_UNSAFE \
         CHECK ONLY SCHEDULE PROG SWEEP SIZES LESSONS FRESH GPU BLOCK PARTS VERBOSE BUILD_OPTIONS \
         ROSTER KEY FORCE SHARD MERGE SEED NAME DIR FORMAT POLICY VARIANT_SEED A B EXACT \
         RANKS
export $(knobs)

# What is typed and means nothing would be ignored: STUDNT=ada would grade the whole class.
typed := $(foreach v,$(.VARIABLES),$(if $(findstring command,$(origin $v)),$v))
unknown := $(filter-out $(knobs) SIMT% WORKBOOK% WB_% MAKE% PYTHON% -%,$(typed))
ifneq ($(strip $(unknown)),)
$(error make knows no $(firstword $(unknown))=; it knows $(sort $(knobs)))
endif

setup = common/scripts/setup.sh
build = common/scripts/build.sh
build_to_run = common/scripts/build.sh --run
lesson = common/scripts/lesson.sh

# A failed verdict is the last thing said: no "make: *** Error 1" under it. In question mode (-q)
# make takes status 1 of a "+" line for an answer, not for a failure, and passes it on without a
# word; any other is reported as ever. So: 0 it is right, 1 it is not, 2 something else went wrong.
verdicts := try puzzle challenge solution grade sanitize run
step := @
ifeq ($(filter-out $(verdicts),$(or $(MAKECMDGOALS),menu))$(strip $(dry_run)),)
MAKEFLAGS += -q
step := +@
endif

.PHONY: menu help calibrate list next status compare check run try watch predict review puzzle \
        trace challenge hint reset solution sanitize survey grade grade-selftest book book-pdf \
        figures bench-simt explain diff profile measure store lint new-lesson coverage dist setup \
        programs clean

menu:
	@$(lesson) menu

help:
	@$(lesson) help

list:
	@$(lesson) list

next:
	@$(lesson) next

status:
	@$(lesson) status

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

explain:
	@$(lesson) resolve >/dev/null
	@$(setup) base
	@$(build_to_run) judge programs
	@$(lesson) explain

diff:
	@$(lesson) before_diff
	@$(setup) base
	@$(build_to_run) judge programs
	@$(lesson) two_variants

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

calibrate:
	@common/scripts/calibrate.sh

store:
	@$(setup) base check
	@common/scripts/store.sh

check:
	@$(setup) base check plot book watch
	@common/scripts/check.sh

run:
	$(step)$(lesson) before_run run >/dev/null || exit 2
	$(step)$(setup) base $(if $(RANKS),mpi) || exit 2
	$(step)$(build_to_run) programs || exit 2
	$(step)$(lesson) run

try:
	$(step)$(lesson) resolve >/dev/null || exit 2
	$(step)$(setup) base || exit 2
	$(step)$(build_to_run) judge || exit 2
	$(step)$(lesson) try

solution:
	$(step)$(lesson) resolve solution >/dev/null || exit 2
	$(step)$(setup) base || exit 2
	$(step)$(build_to_run) judge || exit 2
	$(step)$(lesson) solution

watch:
	@$(lesson) resolve >/dev/null
	@$(setup) base watch
	@$(build_to_run) judge
	@$(lesson) watch

sanitize:
	$(step)$(lesson) before_sanitize || exit 2
	$(step)$(setup) base || exit 2
	$(step)$(build_to_run) simt workbook || exit 2
	$(step)$(lesson) sanitize

survey: # does my code run? Every CUDA program of a folder
	@$(lesson) before_survey
	@$(setup) base
	@$(build_to_run) simt
	@$(lesson) survey

predict:
	@$(lesson) resolve >/dev/null
	@$(setup) base
	@$(build_to_run) judge programs
	@$(lesson) predict

review:
	@$(lesson) due || { [ $$? -eq 3 ] && exit 0; exit 2; }; \
	$(setup) base && $(build_to_run) judge programs && $(lesson) review

trace:
	@$(lesson) resolve >/dev/null
	@$(setup) base
	@$(build_to_run) judge
	@$(lesson) trace

puzzle:
	$(step)$(lesson) resolve >/dev/null || exit 2
	$(step)$(setup) base || exit 2
	$(step)$(build_to_run) judge || exit 2
	$(step)$(lesson) puzzle

challenge:
	$(step)$(lesson) resolve >/dev/null || exit 2
	$(step)$(setup) base || exit 2
	$(step)$(build_to_run) judge || exit 2
	$(step)$(lesson) challenge

hint:
	@$(lesson) hint

reset:
	@$(lesson) reset

grade-selftest: # attacks on the grader, on every rung of its sandbox
	@$(setup) base
	@$(build_to_run) judge
	@python3 -B tests/grade/test_grade_fence.py "$$BUILD/common/grade/grade" "$$BUILD"
	@python3 -B tests/grade/test_grade_fence.py "$$BUILD/common/grade/grade" "$$BUILD" --tricks
	@python3 -B tests/grade/test_grade_intake.py "$$BUILD/common/grade/grade" --rungs

grade:
	$(step)$(lesson) before_grade || exit 2
	$(step)$(setup) base || exit 2
	$(step)$(build_to_run) judge || exit 2
	$(step)$(lesson) grade

book:
	@$(setup) base book
	@$(build) book
	@echo "The book: $(BUILD)/book/html/index.html"
	@grep -qs '^LAB_CLANG:' "$$BUILD/CMakeCache.txt" || echo "It has no GPU in its pages: no clang \
	here compiles for WebAssembly (Debian: clang-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32 \
	libc++-19-dev-wasm32)"

book-pdf: book
	@$(setup) base book pdf
	@python3 -B book/scripts/book_pdf.py "$$BUILD/book/html" "$$BUILD/book/workbook.pdf"

figures:
	@$(setup) base plot
	@$(lesson) figures

bench-simt:
	@$(setup) base bench
	@$(build) bench-simt
	@"$$BUILD/bench/bench_simt" -o "$$BUILD/bench/simt.json"

new-lesson:
	@common/scripts/new_lesson.sh

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
	@common/scripts/clean.sh $(if $(given_build),"$$BUILD")

.DEFAULT:
	@TARGET='$(subst ','\'',$@)' $(lesson) no_target
