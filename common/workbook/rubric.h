// SPDX-License-Identifier: MIT
// rubric.h - what an exercise is worth and what its technique costs, read from a file that an
// instructor may change (solutions/NN_name.rubric). Points, visibility, and rules that compare the
// counters of every launch with those of the solution's for the same input.
//
//   exercise 01_shared_tree
//   check one_block 5 shown
//   technique 50 shown The threads of a block share the work.
//   rule shuffles at_least 0.5 x solution - 0 per launch: values travel through shared memory
//
// Where the exercise is a variant of the published one (common/scripts/make_variants.py), two more
// kinds of lines say so: the variant's name, which the suite must offer (judge.h), and what its
// texts say in place of what.
//
//   variant min
//   say maximum => minimum
//
// Its texts are what a check is about, its hint, and the causes that are the suite's own.
//
// `#` begins a comment. Every check of the suite has a line. VISIBILITY is shown, hidden (a student
// learns the verdict, not the reason), or after_due (the same, until the work is due). A rule's
// allowance is + for at_most and - for at_least, per launch, block or warp.
#ifndef WB_RUBRIC_H
#define WB_RUBRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
  WB_RUBRIC_CHECKS = 32,
  WB_RUBRIC_RULES = 32,
  WB_RULE_TEXT_BYTES = 320,
  WB_RUBRIC_SAYS = 48,
  WB_SAY_BYTES = 96
};

typedef enum wb_visibility { WB_SHOWN, WB_HIDDEN, WB_AFTER_DUE } wb_visibility;
const char *wb_visibility_name(wb_visibility visibility); // "shown", "hidden", "after_due"

typedef enum wb_per { WB_PER_LAUNCH, WB_PER_BLOCK, WB_PER_WARP } wb_per;

typedef struct wb_rule {
  char
      counter[104]; // of simt_counters.def, or a member of simt_work, or idle_lanes: the lanes that
                    // were not active in an instruction of their warp, summed over all of them
  char kernel[64];  // COUNTER@KERNEL: in its launches only; "": in all
  bool at_least;    // or at_most
  double factor;    // of the solution's count
  double allowance; // more (at_most) or less (at_least), per `per`
  wb_per per;
  char text[WB_RULE_TEXT_BYTES]; // the likely cause, for a student
} wb_rule;

typedef struct wb_rubric_say {
  char from[WB_SAY_BYTES], to[WB_SAY_BYTES];
} wb_rubric_say;

typedef struct wb_rubric_check {
  char name[40];
  unsigned points;
  wb_visibility visibility;
} wb_rubric_check;

typedef struct wb_rubric {
  char exercise[64];
  wb_rubric_check checks[WB_RUBRIC_CHECKS];
  size_t n_checks;
  bool has_technique;
  wb_rubric_check technique;
  char technique_about[WB_RULE_TEXT_BYTES];
  wb_rule rules[WB_RUBRIC_RULES];
  size_t n_rules;
  char variant[32]; // "": the exercise as it is published
  wb_rubric_say says[WB_RUBRIC_SAYS];
  size_t n_says;
} wb_rubric;

// False: it cannot be read, or a line is wrong; `error` names file, line, cause and what is wanted.
bool wb_rubric_read(wb_rubric *rubric, const char *path, char *error, size_t error_bytes);

// `text` in the variant's words, malloc'ed; NULL: out of memory. At each place the longest phrase
// wins, and a phrase that begins or ends with a letter, a digit or _ stands there as whole words.
char *wb_rubric_text(const wb_rubric *rubric, const char *text);

// The least (at_least) or most (at_most) that the rule allows in a launch of that many blocks and
// warps in which the solution counts `solution`. A bound below 0 is 0.
uint64_t wb_rule_bound(const wb_rule *rule, uint64_t solution, uint64_t blocks, uint64_t warps);
bool wb_rule_holds(const wb_rule *rule, uint64_t count, uint64_t bound);

#endif
