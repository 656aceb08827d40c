// SPDX-License-Identifier: MIT
// 13_many_gpus_exercise.c - judges any module that offers exercise 13's kernel: one step of an
// all-reduce as a butterfly. The vectors of all GPUs are kept on the host; after each launch the
// whole vector must be what the step makes of it. What went wrong is found by doing the step on the
// host in the wrong ways that are likely: the one that gives what the kernel gave, in this launch
// and in others that tell such ways apart.
#include "13_many_gpus.h"

static const char signature[] = "butterfly_step(float *mine, const float *other, unsigned n, "
                                "unsigned rank, unsigned levels, unsigned step)";

typedef struct step_case {
  unsigned n, rank, levels, step, grid, block, offset;
} step_case;

typedef enum way {
  RIGHT,
  WHOLE_VECTOR,
  ROUNDED_UP,
  MIDDLE_OF_END,
  MIDDLE_WITHOUT_FIRST,
  MIDDLE_OF_ALL,
  FROM_THE_TOP,
  NEXT_BIT,
  BIT_0,
  ALL_HIGHER_BITS,
  RANK_AND_K,
  OTHER_HALF,
  ONE_HALVING_LESS,
  LESS_FORWARDS,
  LESS_BACKWARDS,
  ONE_HALVING_MORE,
  MINE_NOT_THEIRS,
  THEIRS_NOT_MINE,
  BOTH_SWAPPED,
  RANK_XOR_K,
  STEP_AS_HALVING,
  HALVING_PLUS_ONE,
  HALVING_ENDS_EARLY,
  HALVING_ENDS_LATE,
  COPIED,
  ADDED,
  ONE_ROUND,
  EVERY_BLOCK,
  FIRST_BLOCK,
  LAST_LOST,
  ONE_TOO_MANY,
  ADDED_UP, // in the variant that takes the larger
  ADDED_UP_TO_THE_END,
  SMALLER,
  N_WAYS
} way;

static const char *const reasons[N_WAYS] = {
    [WHOLE_VECTOR] = "the step is done with the whole vector; only a part of it is its subject",
    [OTHER_HALF] = "the GPU keeps the wrong half: bit k of the rank is 0 for the lower one",
    [MIDDLE_OF_END] = "a part is cut at first + end / 2; its middle is first + (end - first) / 2",
    [MIDDLE_WITHOUT_FIRST] =
        "a part is cut at (end - first) / 2, counted from element 0; its middle "
        "lies that far behind its first element",
    [MIDDLE_OF_ALL] =
        "every halving cuts at n / 2, the middle of the whole vector; a part's middle "
        "is first + (end - first) / 2",
    [LESS_FORWARDS] = "while the parts are halved, the subject is taken from before halving k; it "
                      "is what is left after it: k + 1 halvings",
    [LESS_BACKWARDS] =
        "on the way back the part is that before halving k; it is what is left after "
        "it: k + 1 halvings",
    [BIT_0] = "every halving looks at bit 0 of the rank; halving k takes bit k",
    [ALL_HIGHER_BITS] =
        "bit k of the rank and all above it are looked at together; bit k alone says "
        "which half it is",
    [RANK_AND_K] = "rank & k takes the ones of k for a mask; bit k has the mask 1 << k",
    [FROM_THE_TOP] = "the bits of the rank are taken from the highest down: halving k takes bit k",
    [NEXT_BIT] = "halving k looks at bit k + 1 of the rank; it takes bit k",
    [ONE_HALVING_LESS] = "the part is that before halving k; this step's subject is what is left "
                         "after it",
    [ONE_HALVING_MORE] = "the part was halved once too often",
    [MINE_NOT_THEIRS] = "on the way back, the half that this GPU has is copied; it lacks the half "
                        "that the partner has",
    [THEIRS_NOT_MINE] = "while the parts are halved, it is the partner's half that is added up; "
                        "each GPU adds up the one that it keeps itself",
    [BOTH_SWAPPED] =
        "this GPU's part and the partner's are interchanged: halving takes its own, the "
        "way back the partner's",
    [RANK_XOR_K] = "the partner is rank ^ (1 << k), not rank ^ k",
    [HALVING_PLUS_ONE] =
        "on the way back k is too large by one: the first step there undoes halving "
        "levels - 1",
    [HALVING_ENDS_EARLY] = "the last halving is taken for a step of the way back: steps 0 to "
                           "levels - 1 halve",
    [HALVING_ENDS_LATE] = "the first step of the way back is taken for a halving: steps 0 to "
                          "levels - 1 halve",
    [ROUNDED_UP] = "a part of odd length is cut above its middle, not at first + (end - first) / 2",
    [STEP_AS_HALVING] = "on the way back the halvings are undone from the last to the first: k = "
                        "2 * levels - 1 - step",
    [COPIED] = "the partner's elements replace this GPU's own; while the parts are halved, they "
               "are to be added",
    [ADDED] = "the partner's elements are added on the way back; they are complete, and to be "
              "copied",
    [ONE_ROUND] = "each thread takes one element; let it walk on, a whole grid at a time",
    [EVERY_BLOCK] = "every block does all of the part: blockIdx.x and gridDim.x count, too",
    [FIRST_BLOCK] = "every block takes the elements of the first one: blockIdx.x counts, too",
    [LAST_LOST] = "the part's last element is left out",
    [ONE_TOO_MANY] = "one element after the part is taken, too",
    [ADDED_UP] = "the partner's elements are added to this GPU's own; of each two the larger is to "
                 "stay",
    [ADDED_UP_TO_THE_END] = "the partner's elements are added in every step; while the parts are "
                            "halved, of each two the larger is to stay, and then they are copied",
    [SMALLER] = "of each two elements the smaller stays; it is to be the larger",
};

static const char *const reasons_of_maximum[N_WAYS] = {
    [THEIRS_NOT_MINE] = "while the parts are halved, the larger elements are kept in the partner's "
                        "half; each GPU keeps them in its own",
    [COPIED] = "the partner's elements replace this GPU's own; while the parts are halved, of each "
               "two the larger is to stay",
    [ADDED] = "on the way back, too, the larger of two elements stays; the partner's are complete "
              "there, and to be copied",
};
static const char *reason_of(way w) {
  return is_maximum() && reasons_of_maximum[w] ? reasons_of_maximum[w] : reasons[w];
}

typedef struct part {
  unsigned first, end;
} part;

static bool is_upper(const step_case *one, way w, unsigned rank, unsigned k) {
  switch (w) {
  case FROM_THE_TOP: return rank >> (one->levels - 1 - k) & 1;
  case NEXT_BIT: return rank >> (k + 1) & 1;
  case BIT_0: return rank & 1;
  case ALL_HIGHER_BITS: return rank >> k != 0;
  case RANK_AND_K: return (rank & k) != 0;
  case OTHER_HALF: return !(rank >> k & 1);
  default: return rank >> k & 1;
  }
}

static unsigned middle_of(const step_case *one, way w, part now) {
  const unsigned length = now.end - now.first;
  switch (w) {
  case ROUNDED_UP: return now.first + (length + 1) / 2;
  case MIDDLE_OF_END: return now.first + now.end / 2;
  case MIDDLE_WITHOUT_FIRST: return length / 2;
  case MIDDLE_OF_ALL: return one->n / 2;
  default: return now.first + length / 2;
  }
}

static part part_as(const step_case *one, way w, unsigned rank, unsigned halvings) {
  part now = {0, one->n};
  for (unsigned k = 0; k < halvings; k++) {
    const unsigned middle = middle_of(one, w, now);
    if (is_upper(one, w, rank, k)) now.first = middle;
    else now.end = middle;
  }
  return now;
}

static unsigned halving_of(const step_case *one) {
  return one->step < one->levels ? one->step : 2 * one->levels - 1 - one->step;
}
static unsigned partner_of(const step_case *one) { return one->rank ^ 1u << halving_of(one); }

static bool halves_as(const step_case *one, way w) {
  if (w == HALVING_ENDS_EARLY) return one->step + 1 < one->levels;
  return w == HALVING_ENDS_LATE ? one->step <= one->levels : one->step < one->levels;
}

static unsigned halving_as(const step_case *one, way w) {
  if (halves_as(one, w)) return one->step;
  if (w == STEP_AS_HALVING) return one->step - one->levels;
  return 2 * one->levels - 1 - one->step + (w == HALVING_PLUS_ONE);
}

static bool takes_own(bool halving, way w) {
  if (w == BOTH_SWAPPED) return !halving;
  return halving ? w != THEIRS_NOT_MINE : w == MINE_NOT_THEIRS;
}

// Elements that are the step's subject.
static part subject_as(const step_case *one, way w) {
  const unsigned k = halving_as(one, w);
  unsigned halvings = k + 1;
  if (w == ONE_HALVING_LESS) halvings = k;
  if (w == LESS_FORWARDS && halves_as(one, w)) halvings = k;
  if (w == LESS_BACKWARDS && !halves_as(one, w)) halvings = k;
  if (w == ONE_HALVING_MORE) halvings = k + 2;
  if (w == WHOLE_VECTOR) halvings = 0;
  const unsigned partner = one->rank ^ (w == RANK_XOR_K ? k : 1u << k);
  part now = part_as(one, w, takes_own(halves_as(one, w), w) ? one->rank : partner, halvings);
  const unsigned threads = w == FIRST_BLOCK ? one->block : one->grid * one->block;
  if ((w == ONE_ROUND || w == FIRST_BLOCK) && now.end - now.first > threads)
    now.end = now.first + threads;
  if (w == LAST_LOST && now.end > now.first) now.end--;
  if (w == ONE_TOO_MANY && now.end < one->n) now.end++;
  return now;
}

// What a halving makes of two elements.
static float combined(way w, float a, float b) {
  if (!is_maximum() || w == ADDED_UP || w == ADDED_UP_TO_THE_END) return a + b;
  return (a > b) == (w != SMALLER) ? a : b;
}

// What mine[i] is after the step, done in this way.
static float element_as(const step_case *one, way w, part subject, const float *mine,
                        const float *other, unsigned i) {
  const bool to_the_end = w == ADDED || (is_maximum() && w == ADDED_UP_TO_THE_END);
  const bool combines = (halves_as(one, w) || to_the_end) && w != COPIED;
  const unsigned times = w == EVERY_BLOCK || w == FIRST_BLOCK ? one->grid : 1;
  float sum = mine[i];
  if (i < subject.first || i >= subject.end) return mine[i];
  for (unsigned k = 0; k < times; k++) sum = combined(w, sum, other[i]);
  return combines ? sum : other[i];
}

static bool fits(const step_case *one, way w, const float *mine, const float *other,
                 const float *got) {
  const part subject = subject_as(one, w);
  for (unsigned i = 0; i < one->n; i++)
    if (!(got[i] == element_as(one, w, subject, mine, other, i))) return false;
  return true;
}

static void say_step(wb_judge *judge, const step_case *one) {
  wb_judge_case(judge, "n = %u, GPU %u of %u, step %u (%s)", one->n, one->rank, 1u << one->levels,
                one->step, one->step < one->levels ? "halving" : "copying");
}

// Launches one step; `mine` lies on GPU `rank`, `other` on its partner. Returns the new `mine`.
static const float *launch_step(wb_judge *judge, const step_case *one, const float *mine,
                                const float *other) {
  step_case c = *one;
  void *theirs = input_on(judge, partner_of(one), "other", other, c.n, c.offset);
  void *own = output_on(judge, c.rank, "mine", c.n * sizeof(float));
  wb_kernel kernel = wb_judge_kernel(judge, signature);
  wb_judge_put(judge, own, mine);
  void *arguments[] = {&own, &theirs, &c.n, &c.rank, &c.levels, &c.step};
  say_step(judge, one);
  wb_judge_launch(judge, &kernel, c.grid, c.block, 0, arguments);
  return wb_judge_get(judge, own);
}

// Experiments that tell the candidates apart: keeps those that also fit these steps of 8 GPUs, in
// which no two candidates give the same results throughout.
static unsigned ways_left(wb_judge *judge, const bool *fitting, bool *left) {
  static const struct {
    unsigned rank, step;
  } runs[] = {{2, 3}, {1, 1}, {0, 2}, {5, 4}, {6, 0}, {1, 2}};
  unsigned n_left = N_WAYS;
  memcpy(left, fitting, N_WAYS * sizeof *left);
  wb_judge_experiment(judge);
  for (size_t r = 0; r < COUNT(runs) && n_left > 0; r++) {
    const step_case one = {301, runs[r].rank, 3, runs[r].step, 2, 32, 0};
    const float *mine = some_floats(judge, one.n, one.rank);
    const float *other = some_floats(judge, one.n, MOST_GPUS + one.rank);
    const float *got = launch_step(judge, &one, mine, other);
    n_left = 0;
    for (way w = RIGHT + 1; w < N_WAYS; w++) {
      left[w] = left[w] && fits(&one, w, mine, other, got);
      n_left += left[w];
    }
  }
  return n_left;
}

static way first_of(const bool *ways) {
  way w = RIGHT + 1;
  while (w < N_WAYS && !ways[w]) w++;
  return w;
}

static wb_why cause_of(wb_judge *judge, const step_case *one, const float *mine, const float *other,
                       const float *got) {
  bool fitting[N_WAYS] = {false}, left[N_WAYS];
  if (memcmp(got, mine, one->n * sizeof *got) == 0)
    return WB_UNFILLED("nothing in `mine` has changed. Is the blank filled in yet?");
  for (way w = RIGHT + 1; w < N_WAYS; w++) fitting[w] = fits(one, w, mine, other, got);
  if (first_of(fitting) < N_WAYS && ways_left(judge, fitting, left) == 1)
    return WB_WHY_TESTED(reason_of(first_of(left)));
  return WB_WHY("does each element of the part, and no other, change exactly once?");
}

static void judge_step(wb_judge *judge, const step_case *one, const float *mine, const float *other,
                       const float *got) {
  const part subject = subject_as(one, RIGHT);
  for (unsigned i = 0; i < one->n; i++) {
    const float expected = element_as(one, RIGHT, subject, mine, other, i);
    const bool inside = i >= subject.first && i < subject.end;
    if (got[i] == expected) continue;
    const wb_why why = cause_of(judge, one, mine, other, got);
    launch_step(judge, one, mine, other); // what is reported is this launch, not an experiment
    wb_judge_fail_why(judge, why, "mine[%u] was %.9g, other[%u] is %.9g: expected %.9g%s, got %.9g",
                      i, (double)mine[i], i, (double)other[i], (double)expected,
                      inside ? "" : " (no subject of this step)", (double)got[i]);
  }
}

static const float *run(wb_judge *judge, const step_case *one, const float *mine,
                        const float *other) {
  const float *got = launch_step(judge, one, mine, other);
  judge_step(judge, one, mine, other, got);
  return got;
}

// One step with vectors as they come.
static void run_alone(wb_judge *judge, step_case one) {
  run(judge, &one, some_floats(judge, one.n, one.rank),
      some_floats(judge, one.n, MOST_GPUS + partner_of(&one)));
  wb_judge_release(judge);
}

// All steps on all GPUs, beginning with `vectors`; at the end all GPUs hold the same.
static void run_all(wb_judge *judge, step_case one, float **vectors) {
  const unsigned n_gpus = 1u << one.levels;
  for (one.step = 0; one.step < 2 * one.levels; one.step++) {
    float *next[MOST_GPUS];
    for (one.rank = 0; one.rank < n_gpus; one.rank++) {
      const float *got = run(judge, &one, vectors[one.rank], vectors[partner_of(&one)]);
      next[one.rank] = malloc((one.n + 1) * sizeof *got);
      if (next[one.rank]) memcpy(next[one.rank], got, one.n * sizeof *got);
      wb_judge_release(judge);
    }
    for (unsigned d = 0; d < n_gpus; d++) {
      free(vectors[d]);
      vectors[d] = next[d];
    }
  }
  for (unsigned d = 0; d < n_gpus; d++) {
    if (memcmp(vectors[d], vectors[0], one.n * sizeof(float)) != 0)
      wb_judge_fail(judge, "GPU %u of %u has another %s than GPU 0", d, n_gpus,
                    is_maximum() ? "maximum" : "sum");
  }
  for (unsigned d = 0; d < n_gpus; d++) free(vectors[d]);
}

static void run_all_from(wb_judge *judge, step_case one) {
  float *vectors[MOST_GPUS];
  for (unsigned d = 0; d < 1u << one.levels; d++) {
    vectors[d] = malloc((one.n + 1) * sizeof(float));
    if (vectors[d]) memcpy(vectors[d], some_floats(judge, one.n, d), one.n * sizeof(float));
  }
  wb_judge_release(judge);
  run_all(judge, one, vectors);
}

// --- families ---

static void check_first_halving(wb_judge *judge) {
  for (unsigned rank = 0; rank < 2; rank++)
    for (unsigned n = 64; n <= 256; n *= 2) run_alone(judge, (step_case){n, rank, 1, 0, 2, 64, 0});
}

static void check_last_copy(wb_judge *judge) {
  for (unsigned rank = 0; rank < 2; rank++)
    for (unsigned n = 64; n <= 256; n *= 2) run_alone(judge, (step_case){n, rank, 1, 1, 2, 64, 0});
}

static void check_all_steps(wb_judge *judge) {
  for (unsigned levels = 1; levels <= 3; levels++)
    run_all_from(judge, (step_case){512, 0, levels, 0, 4, 96, 0});
}

static void check_uneven(wb_judge *judge) {
  static const unsigned sizes[] = {0, 97, 1, 2, 3, 7, 11, 1001};
  for (size_t i = 0; i < COUNT(sizes); i++)
    run_all_from(judge, (step_case){sizes[i], 0, 2 + i % 2, 0, 3, 32, 0});
  const unsigned drawn = wb_drawn(wb_judge_seed(judge), 0, 100, 900);
  run_all_from(judge, (step_case){drawn, 0, 3, 0, 2, 64, 0});
}

static void check_grids(wb_judge *judge) {
  static const unsigned blocks[] = {32, 96, 256, 1024}, grids[] = {3, 1, 5};
  for (size_t b = 0; b < COUNT(blocks); b++)
    for (unsigned turn = 0; turn < 3; turn++)
      for (unsigned step = 0; step < 4; step++)
        run_alone(judge, (step_case){2999, turn, 2, step, grids[turn], blocks[b], 0});
}

static void check_positions(wb_judge *judge) {
  enum { N = 77 };
  for (unsigned hot = 0; hot < N; hot++) {
    step_case one = {N, hot % 8, 3, hot % 6, 1, 32, 0};
    float *mine = wb_judge_host(judge, N * sizeof *mine);
    float *other = wb_judge_host(judge, N * sizeof *other);
    for (unsigned i = 0; is_maximum() && i < N; i++) mine[i] = i % 2 ? -1.0f : -3.0f, other[i] = -2;
    mine[N - 1 - hot] = 3.0f;
    other[hot] = is_maximum() ? 4.5f : -1.5f;
    run(judge, &one, mine, other);
    wb_judge_release(judge);
  }
}

static void check_bounds(wb_judge *judge) {
  for (int guards = 0; guards < 2; guards++)
    for (unsigned offset = 0; offset < 4; offset++)
      for (unsigned step = 0; step < 6; step++) {
        wb_judge_guards(judge, guards);
        run_alone(judge, (step_case){191 + offset, 7 - step, 3, step, 2, 64, offset});
      }
}

#ifdef WORKBOOK_SIMT
// Only the subject crosses the link, in one direction, and side by side.
static void check_effort(wb_judge *judge) {
  for (unsigned step = 0; step < 6; step++)
    for (unsigned rank = 0; rank < 8; rank += 3) {
      step_case one = {1 << 13, rank, 3, step, 4, 128, 0};
      const unsigned partner = partner_of(&one), bytes = (1u << 13 >> (halving_of(&one) + 1)) * 4;
      const uint64_t to = link_bytes(partner, rank), back = link_bytes(rank, partner);
      const float *mine = some_floats(judge, one.n, 1), *other = some_floats(judge, one.n, 2);
      run(judge, &one, mine, other);
      const uint64_t read = link_bytes(partner, rank) - to, sent = link_bytes(rank, partner) - back;
      if (read > bytes + 64)
        wb_judge_fail_why(judge,
                          WB_COST("elements of `other` are read that this step does not need, or "
                                  "more than once: each costs a passage through the link"),
                          "%llu bytes came through the link, and the part has %u",
                          (unsigned long long)read, bytes);
      if (sent > 0)
        wb_judge_fail_why(judge,
                          WB_COST("the kernel writes to the partner's memory; each GPU "
                                  "fetches what it needs"),
                          "%llu bytes went to the partner", (unsigned long long)sent);
      wb_judge_cost_at_most(judge, "global_load_sectors", bytes / 32 * 2 + 8,
                            "neighbouring threads are to take neighbouring elements");
      wb_judge_release(judge);
    }
}
#endif

static const wb_check exercise_checks[] = {
    {"first_halving", 15, "two GPUs: each adds up its half",
     "Write down for GPU 0 and GPU 1 which half of 64 elements each keeps.", check_first_halving,
     false},
    {"last_copy", 15, "two GPUs: each copies the other's half",
     "After the halving: which half is right on which GPU?", check_last_copy, false},
    {"all_steps", 20, "2, 4 and 8 GPUs, all steps: all have the sum",
     "For 4 GPUs and step 2: which halving does it undo, and which part has the partner by then?",
     check_all_steps, false},
    {"uneven", 15, "n that cannot be halved evenly, and 0", NULL, check_uneven, false},
    {"grids", 10, "fewer and more threads than elements", NULL, check_grids, false},
    {"every_position", 5, "each element is added or copied once, and no other", NULL,
     check_positions, false},
    {"bounds", 10, "stays inside its arrays, the partner's is unchanged", NULL, check_bounds,
     false},
#ifdef WORKBOOK_SIMT
    {"effort", 10, "through the link comes what is needed, and no more", NULL, check_effort, true},
#endif
};
const wb_suite butterfly_exercise = {"13_many_gpus", exercise_checks, COUNT(exercise_checks)};
