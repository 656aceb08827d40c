// SPDX-License-Identifier: MIT
/// @file args.h
/// Command line of a lesson program. Bad input is refused with one message that names the option,
/// the value and what is allowed; nothing here prints or exits.
#ifndef WB_ARGS_H
#define WB_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Largest n: thread indices of a grid that covers n elements still fit 32 bits.
#define WB_MAX_N (UINT64_C(1) << 31)

enum { WB_MAX_SIZES = 32 };

typedef struct wb_args {
  unsigned n;                   ///< the present size; after parsing the first of `sizes`
  unsigned sizes[WB_MAX_SIZES]; ///< of --n 2^10..2^20 or --n 1000,4096; [n_sizes]
  unsigned n_sizes;             ///< 0: --n was not given
  unsigned block;
  unsigned repeat; ///< timed repetitions; 0: the backend's default
  unsigned offset; ///< elements by which the input pointer is moved off its allocation's start
  uint64_t seed;
  const char *variant;  ///< a variant's or a group's name, or "all"; points into argv
  bool warm;            ///< --regime warm: the same input every time (a GPU only)
  bool graph;           ///< --graph: graphs of everything, not only of what is short (a GPU only)
  const char *check;    ///< --check[=LIST]: checkers of the software GPU; NULL: none asked for
  const char *schedule; ///< --schedule S of the software GPU; NULL: lockstep
  bool profile;         ///< --profile: one run of each between cudaProfilerStart and Stop, no times
  bool sample;          ///< --sample: large launches as a sample of their blocks (software GPU)
  bool json, list, help;
} wb_args;

/// What `--variant` may be: [n_names] strings, without "all".
typedef struct wb_names {
  const char *const *names;
  size_t n_names;
} wb_names;

/// Fills `args` over the defaults it holds already. Options take their value as the next argument
/// or after '='. On failure false, and `message` is one line without a newline.
bool wb_args_parse(wb_args *args, int argc, char **argv, wb_names variants, char *message,
                   size_t message_bytes);

/// A count: 1048576, 1_048_576, 1K 1M 1G (powers of 1024), 2^20, 1e6. False when it is none or
/// exceeds `limit`.
bool wb_parse_count(const char *text, uint64_t limit, uint64_t *value);

/// The name nearest to `wrong` by edit distance, or NULL when none is near.
const char *wb_nearest_name(const char *wrong, wb_names names);

/// The options and their meaning, for --help; the same for every lesson.
extern const char wb_args_help[];

#ifdef __cplusplus
}
#endif
#endif
