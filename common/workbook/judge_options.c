// SPDX-License-Identifier: MIT
// judge_options.c - the command line of a suite, and the environment, which judge.h lists.
#include "judge_options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

void wb_options_usage(FILE *out, const char *program) {
  fprintf(out,
          "usage: %s [--suite lesson|exercise] [--module FILE] [--source FILE]\n"
          "       [--only CHECK] [--plan] [--verbose] [--help]\n"
          "Judges the kernels of a module (PTX, cubin or fat binary), default $WB_MODULE.\n"
          "  --suite lesson   the lesson's own kernels; exercise (default): the exercise's\n"
          "  --only CHECK     one check alone\n"
          "  --plan           list the checks with their points as JSON lines, run nothing\n"
          "  --verbose        say all that is known of every check\n"
          "Exit status: 0 all passed, 1 a check failed, 2 wrong use, 3 the judge broke down: some\n"
          "checks are neither passed nor failed\n",
          program);
}

static bool choose_suite(wb_options *options, const char *name, const wb_suite *lesson,
                         const wb_suite *exercise) {
  options->suite = strcmp(name, "lesson") == 0     ? lesson
                   : strcmp(name, "exercise") == 0 ? exercise
                                                   : NULL;
  if (!options->suite) fprintf(stderr, "--suite is lesson or exercise, not '%s'\n", name);
  return options->suite != NULL;
}

static bool parse_arguments(wb_options *options, int argc, char **argv, const wb_suite *lesson,
                            const wb_suite *exercise) {
  enum { SUITE, MODULE, SOURCE, ONLY, PLAN, VERBOSE, HELP };
  static const struct option known[] = {
      {"suite", required_argument, NULL, SUITE},   {"module", required_argument, NULL, MODULE},
      {"source", required_argument, NULL, SOURCE}, {"only", required_argument, NULL, ONLY},
      {"plan", no_argument, NULL, PLAN},           {"verbose", no_argument, NULL, VERBOSE},
      {"help", no_argument, NULL, HELP},           {NULL, 0, NULL, 0}};
  bool fits = true;
  optind = 0; // from the start: tests come here more than once
  for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1 && fits;) {
    switch (c) {
    case SUITE: fits = choose_suite(options, optarg, lesson, exercise); break;
    case MODULE: options->module_path = optarg; break;
    case SOURCE: options->source_path = optarg; break;
    case ONLY: options->only = optarg; break;
    case PLAN: options->plan = true; break;
    case VERBOSE: options->verbose = true; break;
    case HELP: options->help = true; break;
    default: fits = false; // getopt_long has said why
    }
  }
  if (fits && optind < argc) fprintf(stderr, "%s: unexpected '%s'\n", argv[0], argv[optind]);
  fits = fits && optind >= argc;
  if (!fits) wb_options_usage(stderr, argv[0]);
  return fits;
}

// A number from the environment; false and a message when it is none or below `least`.
static bool read_number(const char *name, double least, double *value) {
  const char *text = getenv(name);
  char *end = NULL;
  if (!text || !*text) return true;
  double number = strtod(text, &end);
  if (!*end && end != text && number >= least) return *value = number, true;
  return fprintf(stderr, "%s: '%s' is not a number of at least %g\n", name, text, least), false;
}

static const char *environment(const char *name) {
  const char *text = getenv(name);
  return text && *text ? text : NULL;
}

static bool read_environment(wb_options *options) {
  double n_jobs = 1;
  const char *seed = environment("WB_SEED"), *forks = environment("WB_FORK");
  options->module_path = getenv("WB_MODULE");
  options->source_path = getenv("WB_SOURCE");
  options->results = getenv("WB_RESULTS");
  options->output = environment("WB_OUTPUT");
  options->report = environment("WB_REPORT");
  options->verbose = environment("WB_VERBOSE") != NULL;
  options->seed = 1;
  options->limit_s = 20;
  options->suite_s = 1e9;
  char *end = NULL;
  if (seed) options->seed = strtoull(seed, &end, 0);
  if (seed && *end) return fprintf(stderr, "WB_SEED: '%s' is not a number\n", seed), false;
  if (!read_number("WB_LIMIT_S", 0.001, &options->limit_s) ||
      !read_number("WB_SUITE_S", 0.001, &options->suite_s) || !read_number("WB_JOBS", 1, &n_jobs))
    return false;
  options->n_jobs = n_jobs < WB_MOST_JOBS ? (unsigned)n_jobs : WB_MOST_JOBS;
  options->shares_process = forks && strcmp(forks, "no") == 0;
  if (forks && !options->shares_process)
    return fprintf(stderr, "WB_FORK: '%s' is not 'no'\n", forks), false;
  if (options->shares_process) options->n_jobs = 1;
  return true;
}

bool wb_options_read(wb_options *options, int argc, char **argv, const wb_suite *lesson,
                     const wb_suite *exercise) {
  *options = (wb_options){.suite = exercise};
  return read_environment(options) && parse_arguments(options, argc, argv, lesson, exercise);
}
