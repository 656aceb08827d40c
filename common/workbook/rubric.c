// SPDX-License-Identifier: MIT
// rubric.c - reads a rubric line by line; what is not exactly right is an error, never ignored.
#include "rubric.h"

#include <errno.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const visibilities[] = {"shown", "hidden", "after_due"};

const char *wb_visibility_name(wb_visibility visibility) { return visibilities[visibility]; }

typedef struct reader {
  wb_rubric *rubric;
  const char *path;
  unsigned line;
  char *error;
  size_t error_bytes;
} reader;

static bool refuse(const reader *r, const char *what, const char *wanted) {
  snprintf(r->error, r->error_bytes, "%s:%u: %s; wanted: %s", r->path, r->line, what, wanted);
  return false;
}

static bool read_visibility(const char *text, wb_visibility *visibility) {
  for (size_t i = 0; i < sizeof visibilities / sizeof *visibilities; i++)
    if (strcmp(text, visibilities[i]) == 0) return *visibility = (wb_visibility)i, true;
  return false;
}

static const wb_rubric_check *find(const wb_rubric *rubric, const char *name) {
  for (size_t i = 0; i < rubric->n_checks; i++)
    if (strcmp(rubric->checks[i].name, name) == 0) return &rubric->checks[i];
  return NULL;
}

static bool read_check(const reader *r, const char *line) {
  static const char wanted[] = "check NAME POINTS shown|hidden|after_due";
  wb_rubric_check check;
  char visibility[16];
  int used = 0;
  if (sscanf(line, "check %39[a-z0-9_] %4u %15s %n", check.name, &check.points, visibility,
             &used) != 3 ||
      line[used])
    return refuse(r, "a check's line cannot be read", wanted);
  if (!read_visibility(visibility, &check.visibility))
    return refuse(r, "the visibility is unknown", wanted);
  if (find(r->rubric, check.name)) return refuse(r, "the check is there twice", wanted);
  if (r->rubric->n_checks == WB_RUBRIC_CHECKS)
    return refuse(r, "there are too many checks", "at most 32");
  r->rubric->checks[r->rubric->n_checks++] = check;
  return true;
}

static bool read_technique(const reader *r, const char *line) {
  static const char wanted[] = "technique POINTS shown|hidden|after_due WHAT HOLDS, once";
  wb_rubric *rubric = r->rubric;
  char visibility[16];
  if (rubric->has_technique) return refuse(r, "there is a second technique", wanted);
  if (sscanf(line, "technique %4u %15s %319[^\n]", &rubric->technique.points, visibility,
             rubric->technique_about) != 3)
    return refuse(r, "the technique's line cannot be read", wanted);
  if (!read_visibility(visibility, &rubric->technique.visibility))
    return refuse(r, "the visibility is unknown", wanted);
  snprintf(rubric->technique.name, sizeof rubric->technique.name, "technique");
  return rubric->has_technique = true;
}

static bool read_rule(const reader *r, const char *line) {
  static const char wanted[] = "rule COUNTER[@KERNEL] at_least|at_most FACTOR x solution +|- "
                               "NUMBER per launch|block|warp: TEXT";
  static const char *const units[] = {"launch", "block", "warp"};
  wb_rule rule;
  char kind[16], sign, unit[16];
  char counter[104];
  if (sscanf(line, "rule %103[a-z0-9_@] %15[a-z_] %lf x solution %c %lf per %15[a-z]: %319[^\n]",
             counter, kind, &rule.factor, &sign, &rule.allowance, unit, rule.text) != 7)
    return refuse(r, "the rule cannot be read", wanted);
  size_t length = strcspn(counter, "@");
  snprintf(rule.counter, sizeof rule.counter, "%.*s", (int)length, counter);
  snprintf(rule.kernel, sizeof rule.kernel, "%s", counter + length + (counter[length] == '@'));
  rule.at_least = strcmp(kind, "at_least") == 0;
  if (!rule.at_least && strcmp(kind, "at_most") != 0)
    return refuse(r, "a rule is at_least or at_most", wanted);
  if (sign != (rule.at_least ? '-' : '+'))
    return refuse(r, "an allowance is + for at_most and - for at_least", wanted);
  if (!(rule.factor >= 0 && rule.factor < 1e6 && rule.allowance >= 0 && rule.allowance < 1e9))
    return refuse(r, "factor and allowance are numbers of 0 or more", wanted);
  size_t u = 0;
  while (u < 3 && strcmp(unit, units[u]) != 0) u++;
  if (u == 3) return refuse(r, "the unit is unknown", wanted);
  rule.per = (wb_per)u;
  if (r->rubric->n_rules == WB_RUBRIC_RULES)
    return refuse(r, "there are too many rules", "at most 32");
  r->rubric->rules[r->rubric->n_rules++] = rule;
  return true;
}

static bool read_say(const reader *r, const char *line) {
  static const char wanted[] = "say WORDS => OTHER WORDS, each up to 95 characters";
  const char *from = line + strlen("say "), *arrow = strstr(line, " => ");
  if (!arrow || arrow <= from || !arrow[4]) return refuse(r, "the words cannot be read", wanted);
  if (r->rubric->n_says == WB_RUBRIC_SAYS)
    return refuse(r, "there are too many words", "at most 48 lines");
  wb_rubric_say *say = &r->rubric->says[r->rubric->n_says++];
  size_t from_bytes = (size_t)(arrow - from), to_bytes = strlen(arrow + 4);
  if (from_bytes >= sizeof say->from || to_bytes >= sizeof say->to)
    return refuse(r, "the words are too long", wanted);
  memcpy(say->from, from, from_bytes);
  memcpy(say->to, arrow + 4, to_bytes);
  return true;
}

static bool read_line(const reader *r, const char *line) {
  char word[16] = "";
  sscanf(line, "%15s", word);
  if (!*word || *word == '#') return true;
  if (strcmp(word, "check") == 0) return read_check(r, line);
  if (strcmp(word, "technique") == 0) return read_technique(r, line);
  if (strcmp(word, "rule") == 0) return read_rule(r, line);
  if (strcmp(word, "say") == 0) return read_say(r, line);
  if (strcmp(word, "variant") == 0 && !*r->rubric->variant &&
      sscanf(line, "variant %31[a-z0-9_]", r->rubric->variant) == 1)
    return true;
  if (strcmp(word, "exercise") == 0 && !*r->rubric->exercise &&
      sscanf(line, "exercise %63[a-z0-9_]", r->rubric->exercise) == 1)
    return true;
  return refuse(r, "the line cannot be read",
                "exercise or variant (once), say, check, technique or rule");
}

bool wb_rubric_read(wb_rubric *rubric, const char *path, char *error, size_t error_bytes) {
  char line[1024];
  memset(rubric, 0, sizeof *rubric);
  reader r = {rubric, path, 0, error, error_bytes};
  FILE *file = fopen(path, "r");
  if (!file) return snprintf(error, error_bytes, "%s: %s", path, strerror(errno)), false;
  bool good = true;
  while (good && fgets(line, sizeof line, file)) {
    r.line++;
    size_t length = strlen(line);
    if (length + 1 == sizeof line) good = refuse(&r, "the line is too long", "1,000 characters");
    while (length > 0 && strchr(" \t\r\n", line[length - 1])) line[--length] = '\0';
    good = good && read_line(&r, line + strspn(line, " \t"));
  }
  bool failed = ferror(file);
  fclose(file);
  if (good && failed) return refuse(&r, "it cannot be read to its end", "a text file");
  if (good && !*rubric->exercise) return refuse(&r, "no exercise is named", "exercise NN_name");
  if (good && rubric->has_technique != (rubric->n_rules > 0))
    return refuse(&r, "technique and rules come together", "both, or neither");
  return good;
}

// --- in the variant's words ----------------------------------------------------------------------

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

// Whether the phrase stands at text[at], not as a part of longer words.
static bool stands_at(const char *text, size_t at, const char *phrase) {
  size_t n = strlen(phrase);
  if (strncmp(text + at, phrase, n) != 0) return false;
  if (at > 0 && is_word(phrase[0]) && is_word(text[at - 1])) return false;
  return !(is_word(phrase[n - 1]) && is_word(text[at + n]));
}

static const wb_rubric_say *find_say(const wb_rubric *rubric, const char *text, size_t at) {
  const wb_rubric_say *longest = NULL;
  for (size_t i = 0; i < rubric->n_says; i++)
    if (stands_at(text, at, rubric->says[i].from) &&
        (!longest || strlen(rubric->says[i].from) > strlen(longest->from)))
      longest = &rubric->says[i];
  return longest;
}

char *wb_rubric_text(const wb_rubric *rubric, const char *text) {
  char *out = NULL;
  size_t size_bytes = 0, at = 0;
  FILE *file = open_memstream(&out, &size_bytes);
  if (!file) return NULL;
  while (text[at]) {
    const wb_rubric_say *say = find_say(rubric, text, at);
    if (say) fputs(say->to, file);
    else fputc(text[at], file);
    at += say ? strlen(say->from) : 1;
  }
  return fclose(file) == 0 ? out : (free(out), NULL);
}

// --- rules ---------------------------------------------------------------------------------------

uint64_t wb_rule_bound(const wb_rule *rule, uint64_t solution, uint64_t blocks, uint64_t warps) {
  double units = rule->per == WB_PER_LAUNCH  ? 1.0
                 : rule->per == WB_PER_BLOCK ? (double)blocks
                                             : (double)warps;
  double bound = rule->factor * (double)solution +
                 (rule->at_least ? -rule->allowance : rule->allowance) * units;
  return bound > 0 ? (uint64_t)(rule->at_least ? ceil(bound) : floor(bound)) : 0;
}

bool wb_rule_holds(const wb_rule *rule, uint64_t count, uint64_t bound) {
  return rule->at_least ? count >= bound : count <= bound;
}
