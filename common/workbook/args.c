// SPDX-License-Identifier: MIT
// args.c - command line of a lesson program; see args.h.
#include "args.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

const char wb_args_help[] =
    "  --n N           elements: 1048576, 1M (= 2^20), 2^20 or 1e6; 0 is allowed;\n"
    "                  several: 1000,4096 or 2^10..2^20 (each twice the one before)\n"
    "  --variant NAME  one variant or group of --list, or all\n"
    "  --block B       threads per block, 1 to 1024; most variants need a multiple of 32\n"
    "  --repeat R      timed repetitions on a GPU, 1 to 10000 (modelled time needs one)\n"
    "  --seed S        seed of the inputs\n"
    "  --offset E      start the input E elements (0 to 64) after an aligned address\n"
    "  --regime R      cold (inputs not in the L2) or warm (the same input again);\n"
    "                  a GPU only, cold unless asked for\n"
    "  --graph         time graphs of launches too, not only of what takes < 50 us\n"
    "  --profile       on a GPU: one run of each variant for a profiler, and no times\n"
    "  --check[=LIST]  software GPU: run the checkers (memcheck, initcheck, synccheck,\n"
    "                  racecheck; without a list all), on 65536 elements unless --n says\n"
    "  --schedule S    software GPU: reverse, lane-serial, random:SEED, delayed-stores, or\n"
    "                  sweep:K, which runs K of them after each launch and compares\n"
    "  --sample        software GPU: run some blocks of a large launch in place of all, where\n"
    "                  they are alike; each result is judged at 262144 elements instead\n"
    "  --json          one JSON object per line instead of the table\n"
    "  --list          names of the variants, and what each does\n"
    "  --help          this text\n";

// Digits with '_' between them allowed; stops at the first other character.
static bool parse_digits(const char **at, uint64_t *value) {
  const char *p = *at;
  if (!isdigit((unsigned char)*p)) return false;
  for (*value = 0; isdigit((unsigned char)*p) || (*p == '_' && isdigit((unsigned char)p[1])); p++) {
    if (*p == '_') continue;
    const unsigned digit = (unsigned)(*p - '0');
    if (*value > (UINT64_MAX - digit) / 10) return false;
    *value = *value * 10 + digit;
  }
  *at = p;
  return true;
}

// value * base^exponent, or false when that overflows.
static bool scale(uint64_t *value, uint64_t base, uint64_t exponent) {
  if (*value == 0 || base == 1) return true;
  for (; exponent > 0; exponent--) {
    if (base == 0 || *value > UINT64_MAX / base) return false;
    *value *= base;
  }
  return true;
}

bool wb_parse_count(const char *text, uint64_t limit, uint64_t *value) {
  uint64_t count = 0, exponent = 0;
  if (!parse_digits(&text, &count)) return false;
  const char suffix = *text;
  if (suffix == '^') {
    const uint64_t base = count;
    text++;
    count = 1;
    if (!parse_digits(&text, &exponent)) return false;
    if (base == 0 && exponent > 0) count = 0;
    if (!scale(&count, base, exponent)) return false;
  } else if (suffix == 'e' || suffix == 'E') {
    text++;
    if (*text == '+') text++;
    if (!parse_digits(&text, &exponent) || !scale(&count, 10, exponent)) return false;
  } else if (suffix != '\0') {
    static const char letters[] = "KMG";
    const char *letter = strchr(letters, toupper((unsigned char)suffix));
    if (letter == NULL || !scale(&count, 1024, (uint64_t)(letter - letters) + 1)) return false;
    text++;
  }
  if (*text != '\0' || count > limit) return false;
  *value = count;
  return true;
}

const char *wb_nearest_name(const char *wrong, wb_names names) {
  const char *nearest = NULL;
  size_t nearest_distance = strlen(wrong) / 2 + 2; // further away than this is no help
  for (size_t i = 0; i < names.n_names; i++) {
    const size_t distance = simt_edit_distance(wrong, strlen(wrong), names.names[i]);
    if (distance < nearest_distance) {
      nearest = names.names[i];
      nearest_distance = distance;
    }
  }
  return nearest;
}

typedef enum option_id {
  OPTION_N,
  OPTION_VARIANT,
  OPTION_BLOCK,
  OPTION_REPEAT,
  OPTION_SEED,
  OPTION_OFFSET,
  OPTION_REGIME,
  OPTION_SCHEDULE,
  OPTION_CHECK, // its value is optional
  OPTION_GRAPH, // from here on none has a value
  OPTION_PROFILE,
  OPTION_SAMPLE,
  OPTION_JSON,
  OPTION_LIST,
  OPTION_HELP,
  OPTION_COUNT
} option_id;

static const char *const option_names[OPTION_COUNT] = {
    "--n",     "--variant", "--block",   "--repeat", "--seed", "--offset", "--regime", "--schedule",
    "--check", "--graph",   "--profile", "--sample", "--json", "--list",   "--help"};

static bool set_variant(wb_args *args, const char *value, wb_names variants, char *message,
                        size_t message_bytes) {
  args->variant = value;
  if (strcmp(value, "all") == 0) return true;
  for (size_t i = 0; i < variants.n_names; i++) {
    if (strcmp(value, variants.names[i]) == 0) return true;
  }
  const char *nearest = wb_nearest_name(value, variants);
  const int used =
      snprintf(message, message_bytes, "--variant: there is no variant '%.40s'", value);
  if (used < 0 || (size_t)used >= message_bytes) return false;
  if (nearest != NULL) {
    snprintf(message + used, message_bytes - (size_t)used,
             "; did you mean '%s'? (--list shows all)", nearest);
  } else {
    snprintf(message + used, message_bytes - (size_t)used,
             "; --list shows those there are, and all "
             "runs every one");
  }
  return false;
}

static bool set_regime(wb_args *args, const char *value, char *message, size_t message_bytes) {
  args->warm = strcmp(value, "warm") == 0;
  if (args->warm || strcmp(value, "cold") == 0) return true;
  snprintf(message, message_bytes, "--regime: '%.40s' is not allowed; it takes cold or warm",
           value);
  return false;
}

// One size, or low..high with each twice the one before; *text is moved behind it.
static bool parse_sizes(wb_args *args, const char **text) {
  char word[48];
  const size_t length = strcspn(*text, ",");
  uint64_t low, high;
  if (length >= sizeof word) return false;
  memcpy(word, *text, length);
  word[length] = '\0';
  *text += length;
  char *dots = strstr(word, "..");
  if (dots != NULL) *dots = '\0';
  if (!wb_parse_count(word, WB_MAX_N, &low)) return false;
  high = low;
  if (dots != NULL && (!wb_parse_count(dots + 2, WB_MAX_N, &high) || low == 0 || high < low)) {
    return false;
  }
  for (; low <= high && args->n_sizes < WB_MAX_SIZES; low *= 2) {
    args->sizes[args->n_sizes++] = (unsigned)low;
    if (low == 0) break;
  }
  return low > high || low == 0;
}

static bool set_sizes(wb_args *args, const char *value, char *message, size_t message_bytes) {
  const char *at = value;
  args->n_sizes = 0;
  bool ok = parse_sizes(args, &at);
  while (ok && *at == ',') {
    at++;
    ok = parse_sizes(args, &at);
  }
  if (ok) {
    args->n = args->sizes[0];
    return true;
  }
  snprintf(message, message_bytes,
           "--n: '%.40s' is not allowed; it takes 0 to 2^31, written as 1048576, 1M, 2^20 or 1e6, "
           "and several (%d at most) as 1000,4096 or 2^10..2^20",
           value, WB_MAX_SIZES);
  return false;
}

// What each number may be, and where it goes.
static bool set_number(wb_args *args, option_id option, const char *text, char *message,
                       size_t message_bytes) {
  static const struct {
    uint64_t low, high, step;
    const char *allowed;
  } rules[OPTION_COUNT] = {
      [OPTION_BLOCK] = {1, 1024, 1, "a number from 1 to 1024"},
      [OPTION_REPEAT] = {1, 10000, 1, "1 to 10000"},
      [OPTION_SEED] = {0, UINT64_MAX, 1, "a whole number from 0"},
      [OPTION_OFFSET] = {0, 64, 1, "0 to 64 elements"},
  };
  uint64_t value = 0;
  if (!wb_parse_count(text, rules[option].high, &value) || value < rules[option].low ||
      value % rules[option].step != 0) {
    snprintf(message, message_bytes, "%s: '%.40s' is not allowed; it takes %s",
             option_names[option], text, rules[option].allowed);
    return false;
  }
  switch (option) {
  case OPTION_BLOCK: args->block = (unsigned)value; break;
  case OPTION_REPEAT: args->repeat = (unsigned)value; break;
  case OPTION_OFFSET: args->offset = (unsigned)value; break;
  default: args->seed = value; break;
  }
  return true;
}

static bool refuse_option(const char *text, char *message, size_t message_bytes) {
  const wb_names names = {option_names, OPTION_COUNT};
  const char *nearest = wb_nearest_name(text, names);
  snprintf(message, message_bytes, "there is no option '%.40s'%s%s; --help shows those there are",
           text, nearest != NULL ? ", but there is " : "", nearest != NULL ? nearest : "");
  return false;
}

static bool set_value(wb_args *args, option_id option, const char *value, wb_names variants,
                      char *message, size_t message_bytes) {
  switch (option) {
  case OPTION_N: return set_sizes(args, value, message, message_bytes);
  case OPTION_VARIANT: return set_variant(args, value, variants, message, message_bytes);
  case OPTION_REGIME: return set_regime(args, value, message, message_bytes);
  case OPTION_CHECK: args->check = value; return true; // the software GPU knows the names
  case OPTION_SCHEDULE: args->schedule = value; return true;
  default: return set_number(args, option, value, message, message_bytes);
  }
}

static void set_switch(wb_args *args, option_id option) {
  if (option == OPTION_GRAPH) args->graph = true;
  if (option == OPTION_PROFILE) args->profile = true;
  if (option == OPTION_SAMPLE) args->sample = true;
  if (option == OPTION_JSON) args->json = true;
  if (option == OPTION_LIST) args->list = true;
  if (option == OPTION_HELP) args->help = true;
}

// The options as getopt_long wants them; their values are those of option_id.
static void list_options(struct option *known) {
  for (int id = 0; id < OPTION_COUNT; id++) {
    known[id] = (struct option){.name = option_names[id] + strlen("--"), .val = id};
    known[id].has_arg = id >= OPTION_GRAPH   ? no_argument
                        : id == OPTION_CHECK ? optional_argument
                                             : required_argument;
  }
  known[OPTION_COUNT] = (struct option){.name = NULL};
}

// Why getopt_long does not take the word before `optind`: `c` is ':' or '?'.
static bool refuse(int c, char **argv, char *message, size_t message_bytes) {
  const bool is_known = c == ':' || (optopt > 0 && optopt < OPTION_COUNT);
  if (!is_known) return refuse_option(argv[optind - 1], message, message_bytes);
  snprintf(message, message_bytes, c == ':' ? "%s: its value is missing" : "%s takes no value",
           option_names[optopt]);
  return false;
}

bool wb_args_parse(wb_args *args, int argc, char **argv, wb_names variants, char *message,
                   size_t message_bytes) {
  struct option known[OPTION_COUNT + 1];
  list_options(known);
  optind = 0; // from the start: a process may parse more than once
  opterr = 0; // `message` says it
  for (int c; (c = getopt_long(argc, argv, ":h", known, NULL)) != -1;) {
    const option_id option = c == 'h' ? OPTION_HELP : (option_id)c;
    if (c == ':' || c == '?') return refuse(c, argv, message, message_bytes);
    if (option >= OPTION_GRAPH) {
      set_switch(args, option);
      continue;
    }
    const char *value = optarg != NULL ? optarg : "all"; // --check alone: all checkers
    if (!*value) { // an empty --check would check nothing and find nothing
      snprintf(message, message_bytes, "%s: its value is missing", option_names[option]);
      return false;
    }
    if (!set_value(args, option, value, variants, message, message_bytes)) return false;
  }
  return optind >= argc || refuse_option(argv[optind], message, message_bytes);
}
