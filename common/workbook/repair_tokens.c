// SPDX-License-Identifier: MIT
// repair_tokens.c - changes of one token or operand: another operator, number, name, summand. See
// repair.h.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "repair_search.h"

static bool is_number(const wb_search *s, size_t i) {
  return isdigit((unsigned char)*wb_search_token(s, i)->text) ||
         (*wb_search_token(s, i)->text == '.' && wb_search_token(s, i)->length > 1);
}

// --- one token for another -----------------------------------------------------------------------

typedef struct swap {
  const char *token, *other;
  unsigned rank;
} swap;

static const swap swaps[] = {{"<=", "<", 1},
                             {"<", "<=", 2},
                             {">=", ">", 2},
                             {">", ">=", 2},
                             {"<", ">", 3},
                             {">", "<", 3},
                             {"<=", ">=", 4},
                             {">=", "<=", 4},
                             {"==", "!=", 3},
                             {"!=", "==", 3},
                             {"&&", "||", 3},
                             {"||", "&&", 3},
                             {"+=", "=", 5},
                             {"-=", "+=", 3},
                             {"+=", "-=", 5},
                             {"*=", "+=", 4},
                             {"fmaxf", "fminf", 3},
                             {"fminf", "fmaxf", 3},
                             {"max", "min", 3},
                             {"min", "max", 3},
                             {"gridDim", "blockDim", 2},
                             {"blockIdx", "threadIdx", 4},
                             {"threadIdx", "blockIdx", 5},
                             {"blockDim", "gridDim", 6},
                             {"FLT_MIN", "-INFINITY", 1},
                             {"FLT_MAX", "INFINITY", 1},
                             {"__syncwarp", "__syncthreads", 3},
                             {"__shfl_up_sync", "__shfl_down_sync", 2},
                             {"__shfl_down_sync", "__shfl_xor_sync", 3},
                             {"__shfl_xor_sync", "__shfl_down_sync", 5},
                             {"shfl_down", "shfl_xor", 3},
                             {"sqrtf", "rsqrtf", 3},
                             {"rsqrtf", "sqrtf", 3},
                             {"exp2f", "expf", 3},
                             {"log2f", "logf", 3},
                             {"break", "continue", 3},
                             {"continue", "break", 4},
                             {"atomicMin", "atomicMax", 3},
                             {"atomicMax", "atomicAdd", 4},
                             {"while", "if", 6},
                             {"if", "while", 6},
                             {"|=", "&=", 6},
                             {"&=", "|=", 6}};

// Between two operands: no sign, no pointer.
static bool is_binary(const wb_search *s, size_t i) {
  const wb_token *before = wb_search_token(s, i - 1);
  if (i == 0 || wb_search_is_type(s, i - 1) || wb_search_is(s, i - 1, "return")) return false;
  return before->is_word || is_number(s, i - 1) || wb_token_is(before, ")") ||
         wb_token_is(before, "]");
}

// The name before the < of thread_block_tile<32>, tiled_partition<32>, static_cast<int>.
static bool takes_types(const wb_search *s, size_t i) {
  const wb_token *t = wb_search_token(s, i);
  return wb_token_ends(t, "_cast") || wb_token_ends(t, "_partition") || wb_token_ends(t, "_tile");
}

static bool is_template(const wb_search *s, size_t i) {
  return (wb_search_is(s, i, "<") && takes_types(s, i - 1)) ||
         (wb_search_is(s, i, ">") &&
          (wb_search_is(s, i + 1, "(") || (wb_search_is(s, i - 2, "<") && takes_types(s, i - 3))));
}

// max and min are functions, and may be variables.
static bool is_called(const wb_search *s, size_t i) {
  return (!wb_search_is(s, i, "max") && !wb_search_is(s, i, "min")) || wb_search_is(s, i + 1, "(");
}

static void swap_token(wb_search *s, size_t i) {
  static const swap operators[] = {{"+", "*", 3}, {"+", "-", 4}, {"-", "+", 3},
                                   {"*", "+", 5}, {"/", "%", 5}, {"%", "/", 5}};
  if (is_template(s, i) || !is_called(s, i)) return;
  for (size_t k = 0; k < sizeof swaps / sizeof *swaps; k++)
    if (wb_search_is(s, i, swaps[k].token))
      wb_search_change(s, i, i + 1, swaps[k].rank, swaps[k].other);
  for (size_t k = 0; k < sizeof operators / sizeof *operators && is_binary(s, i); k++)
    if (wb_search_is(s, i, operators[k].token))
      wb_search_change(s, i, i + 1, operators[k].rank, operators[k].other);
}

// --- numbers -------------------------------------------------------------------------------------

static bool is_first_argument_of_sync(const wb_search *s, size_t i) {
  return i >= 2 && wb_search_is(s, i - 1, "(") &&
         wb_token_ends(wb_search_token(s, i - 2), "_sync") && wb_search_is(s, i + 1, ",");
}

static void change_count(wb_search *s, size_t i, unsigned long value) {
  unsigned long others[] = {value + 1, value - 1, value * 2, value / 2};
  bool counts_lanes =
      wb_search_is(s, i - 1, "%") || wb_search_is(s, i - 1, "/") || wb_search_is(s, i - 1, "/=");
  bool is_tile = wb_search_is(s, i - 1, "<") && takes_types(s, i - 2);
  bool is_odd = value > 2 && (value & (value - 1)) != 0; // no power of two
  char text[24];
  bool is_meant_32 = value == 31 || value == 33 || (value == 16 && wb_search_is(s, i - 1, "+="));
  if (value > 2 && value != 32)
    wb_search_change(s, i, i + 1, counts_lanes || is_meant_32 || is_tile ? 1 : 4, "32");
  if (wb_search_is(s, i - 1, "/=") && value != 2) wb_search_change(s, i, i + 1, 0, "2");
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
    if (others[k] == value || (k == 1 && value == 0) || (k > 1 && value < 2)) continue;
    if (others[k] == 32 && value > 2) continue;
    snprintf(text, sizeof text, "%lu", others[k]);
    wb_search_change(s, i, i + 1, is_odd || value < 2 ? 2 : 3, text);
  }
}

// A program that looks for a maximum or a minimum.
static bool seeks_extreme(const wb_search *s) {
  static const char *const words[] = {"fmaxf", "fminf", "fmax", "fmin", "INFINITY", NULL};
  for (size_t i = 0; i < s->list->n; i++)
    if (wb_token_is_one_of(wb_search_token(s, i), words)) return true;
  return false;
}

// 0 or -99999 where a maximum or a minimum starts.
static void change_to_infinity(wb_search *s, size_t i) {
  bool is_negative = wb_search_is(s, i - 1, "-");
  size_t before = i - 1 - is_negative;
  if (!wb_search_is(s, before, "=") && !wb_search_is(s, before, ":")) return;
  if (!seeks_extreme(s)) return;
  wb_search_change(s, i, i + 1, 4, "INFINITY");
  if (!is_negative) wb_search_change(s, i, i + 1, 4, "-INFINITY");
}

// template <unsigned lanes>: what depends on it is not to be written as a number.
static void change_to_parameter(wb_search *s, size_t i) {
  char name[NAME_BYTES], text[NAME_BYTES + 8];
  unsigned long value = strtoul(wb_search_token(s, i)->text, NULL, 10);
  if (value != 16 && value != 32 && value != 64) return;
  for (size_t k = 0; k < s->n_names; k++) {
    if (!wb_search_is(s, s->names[k] - 3, "template")) continue;
    wb_search_spell(s, s->names[k], name);
    wb_search_change(s, i, i + 1, 1, name);
    snprintf(text, sizeof text, "%s / 2", name);
    if (value < 64) wb_search_change(s, i, i + 1, 2, text);
  }
}

// 0x7ffff: a digit more, or one less.
static void change_mask(wb_search *s, size_t i) {
  char text[NAME_BYTES + 2];
  const int length = (int)wb_search_token(s, i)->length, longest = 10;
  const char *digits = wb_search_token(s, i)->text, last = digits[length - 1];
  if (length < 4 || length > longest || !isxdigit((unsigned char)last)) return;
  snprintf(text, sizeof text, "%.*s%c", length, digits, last);
  wb_search_change(s, i, i + 1, 3, text);
  snprintf(text, sizeof text, "%.*s", length - 1, digits);
  wb_search_change(s, i, i + 1, 4, text);
}

static void change_number(wb_search *s, size_t i) {
  static const char *const neutral[] = {"0.0f", "1.0f", "INFINITY", "-INFINITY", "NAN", NULL};
  const wb_token *t = wb_search_token(s, i);
  char text[NAME_BYTES];
  wb_search_spell(s, i, text);
  if (is_first_argument_of_sync(s, i) && strcmp(text, "0xffffffff") != 0)
    wb_search_change(s, i, i + 1, 0, "0xffffffff");
  bool is_hex = strncmp(text, "0x", 2) == 0;
  if (is_hex) change_mask(s, i);
  if (!is_hex && (strchr(text, '.') || text[t->whole - 1] == 'f')) {
    for (const char *const *one = neutral; *one; one++)
      if (strcmp(*one, text) != 0) wb_search_change(s, i, i + 1, 2, *one);
  } else if (!is_hex) {
    change_count(s, i, strtoul(text, NULL, 10));
    change_to_infinity(s, i);
    change_to_parameter(s, i);
  }
  if (wb_search_is(s, i - 1, "*") && wb_search_is(s, i + 1, "+") && wb_search_is(s, i - 2, "x"))
    wb_search_change(s, i, i + 1, 1, "blockDim.x");
}

static void change_infinity(wb_search *s, size_t i) {
  if (!wb_search_is(s, i, "INFINITY")) return;
  if (wb_search_is(s, i - 1, "-") && !is_binary(s, i - 1)) wb_search_change(s, i - 1, i, 2, "");
  else wb_search_change(s, i, i + 1, 2, "-INFINITY");
}

// --- indices and names ---------------------------------------------------------------------------

static bool is_float(const wb_search *s, size_t i) {
  return wb_search_is(s, i, "float") || wb_search_is(s, i, "double");
}

// After its type, or as `, warp = ` after `unsigned lane = ...`.
void wb_search_note_name(wb_search *s, size_t i, bool in_declaration, int parentheses) {
  bool is_first = wb_search_is_type(s, i - 1) && !is_float(s, i - 1) && !wb_search_is_type(s, i);
  if (wb_search_is(s, i + 1, "(") || wb_search_is(s, i + 1, "[")) return;
  bool is_further = in_declaration && parentheses == 0 && wb_search_is(s, i - 1, ",");
  if (!wb_search_token(s, i)->is_word || (!is_first && !is_further)) return;
  if (s->n_names == MOST_NAMES) {
    memmove(s->names, s->names + 1, --s->n_names * sizeof *s->names);
    if (s->n_parameters > 0) s->n_parameters--;
  }
  s->names[s->n_names++] = i;
}

static bool is_known_name(const wb_search *s, size_t i) {
  for (size_t k = 0; k < s->n_names; k++)
    if (s->names[k] != i && wb_search_is_same(s, s->names[k], i)) return true;
  return false;
}

// i = t: the place in the whole array, or the lane.
static void change_own_place(wb_search *s, size_t i, bool in_brackets) {
  bool is_whole =
      wb_search_is(s, i - 1, in_brackets ? "[" : "=") &&
      (wb_search_is(s, i + 1, ";") || wb_search_is(s, i + 1, ",") || wb_search_is(s, i + 1, "]"));
  if (!is_whole) return;
  wb_search_change(s, i, i, in_brackets ? 6 : 3, "blockIdx.x * blockDim.x + ");
  if (!in_brackets) wb_search_change(s, i + 1, i + 1, 5, " % 32");
}

// One variable for another, where it is an index, a bound or a start.
static void change_name(wb_search *s, size_t i, int brackets) {
  static const char *const beside[] = {"<", "<=", ">", ">=", "==", "!=", "%", "&", NULL};
  char text[NAME_BYTES];
  bool compared = wb_token_is_one_of(wb_search_token(s, i - 1), beside) ||
                  wb_token_is_one_of(wb_search_token(s, i + 1), beside);
  bool is_start =
      (wb_search_is(s, i - 1, "=") || wb_search_is(s, i - 1, ":") ||
       wb_search_is(s, i - 1, "return") || (is_number(s, i) && wb_search_is(s, i - 1, ","))) &&
      (wb_search_is(s, i + 1, ";") || wb_search_is(s, i + 1, ",") || wb_search_is(s, i + 1, ")") ||
       (is_number(s, i) && wb_search_is(s, i + 1, "/")));
  if (!wb_search_is_simple(s, i) && !(is_number(s, i) && is_start)) return;
  if (!is_number(s, i) && !is_known_name(s, i)) return;
  if (brackets == 0 && !compared && !is_start) return;
  size_t most = is_number(s, i) ? MOST_NAMES : INDEX_NAMES;
  for (size_t k = s->n_floats; k-- > 0 && is_number(s, i);) {
    wb_search_spell(s, s->floats[k], text);
    wb_search_change(s, i, i + 1, wb_search_is(s, i - 1, ":") ? 3 : 5, text);
  }
  for (size_t k = s->n_names, n = 0; k-- > 0 && n < most;) {
    if (wb_search_is_same(s, s->names[k], i)) continue;
    wb_search_spell(s, s->names[k], text);
    wb_search_change(s, i, i + 1, brackets > 0 || is_number(s, i) ? 4 : 5, text);
    n++;
  }
  if (!is_number(s, i)) change_own_place(s, i, brackets > 0);
  for (size_t k = 0; k < s->n_arrays && is_number(s, i) && wb_search_is(s, i - 1, "="); k++) {
    snprintf(text, sizeof text, "*%.*s", (int)wb_search_token(s, s->arrays[k])->whole,
             wb_search_token(s, s->arrays[k])->text);
    wb_search_change(s, i, i + 1, 4, text);
  }
}

// threadIdx.x alone, where the place in the whole array may be meant.
static void change_thread(wb_search *s, size_t i) {
  char text[NAME_BYTES];
  if (!wb_search_is(s, i, "threadIdx") || !wb_search_is(s, i + 1, ".")) return;
  for (size_t k = s->n_names, n = 0; wb_search_is(s, i - 1, "[") && k-- > 0 && n < INDEX_NAMES;
       n++) {
    wb_search_spell(s, s->names[k], text);
    wb_search_change(s, i, i + 3, 3, text);
  }
  bool is_alone =
      (wb_search_is(s, i - 1, "[") && wb_search_is(s, i + 3, "]")) ||
      (wb_search_is(s, i - 1, "=") && (wb_search_is(s, i + 3, ";") || wb_search_is(s, i + 3, ",")));
  if (is_alone) {
    wb_search_change(s, i, i + 3, 2, "(blockIdx.x * blockDim.x + threadIdx.x)");
    wb_search_change(s, i, i + 3, 4, "(threadIdx.x % 32)");
  }
  if (wb_search_is(s, i - 1, "+") && wb_search_is(s, i - 2, "x") &&
      wb_search_is(s, i - 4, "blockIdx"))
    wb_search_change(s, i - 4, i - 1, 2, "blockIdx.x * blockDim.x");
}

// The ] of `float values[32]`.
static bool ends_declaration(const wb_search *s, size_t i) {
  while (i > 0 && !wb_search_is(s, i, "[") && !wb_search_is(s, i, ";")) i--;
  return i >= 2 && wb_search_is(s, i, "[") && wb_search_is_type(s, i - 2);
}

// A further summand of an index, and one less.
static void change_summand(wb_search *s, size_t i) {
  if (wb_search_is(s, i, "]") && !ends_declaration(s, i))
    for (size_t k = s->n_names, n = 0; k-- > 0 && n < INDEX_NAMES; n++) {
      char text[WB_EDIT_BYTES];
      snprintf(text, sizeof text, " + %.*s", (int)wb_search_token(s, s->names[k])->whole,
               wb_search_token(s, s->names[k])->text);
      wb_search_change(s, i, i, n == 0 ? 4 : 5, text);
    }
  bool adds = (wb_search_is(s, i, "+") || wb_search_is(s, i, "-")) && is_binary(s, i);
  if (adds && is_number(s, i + 1)) wb_search_change(s, i, i + 2, 2, "");
  else if (adds && wb_search_is_simple(s, i + 1)) wb_search_change(s, i, i + 2, 5, "");
  if (adds && wb_search_is(s, i, "-") && wb_search_is_simple(s, i + 1))
    wb_search_change(s, i, i, 5, "- 1 ");
  if (wb_search_is(s, i, "+=") && wb_search_is_simple(s, i + 1))
    wb_search_change(s, i + 1, i + 1, 5, "2 * ");
  if (wb_search_is(s, i, "+=") && is_number(s, i + 1))
    wb_search_change(s, i + 1, i + 2, 3, "blockDim.x");
}

// The one array's element in place of what it holds and the other's: x[i] = y for x[i] += y.
static void change_assignment(wb_search *s, size_t i) {
  size_t from = i;
  if (!wb_search_is(s, i, "=") || i < 2) return;
  if (wb_search_is(s, i - 1, "]"))
    while (from > 0 && !wb_search_is(s, from, "[")) from--;
  else from--;
  if (wb_search_is(s, from - 1, ".")) from -= 2; // of a member
  bool begins = wb_search_is(s, from - 1, ";") || wb_search_is(s, from - 1, "{") ||
                wb_search_is(s, from - 1, "}") || wb_search_is(s, from - 1, ")") ||
                (wb_search_is(s, i - 1, "]") && !wb_search_is(s, from - 1, ";"));
  if (begins && !wb_search_is_type(s, from - 1) && !wb_search_is_type(s, from - 2))
    wb_search_change(s, i, i + 1, 4, "+=");
}

// atomicCAS(p, a, b): b and a.
static void change_swap(wb_search *s, size_t i) {
  char text[WB_EDIT_BYTES], name[NAME_BYTES];
  if (!wb_search_is(s, i, "atomicCAS") || !wb_search_is(s, i + 1, "(")) return;
  size_t end = i + 2, commas[2] = {0, 0}, n = 0;
  for (int depth = 0; end < s->list->n && (depth > 0 || !wb_search_is(s, end, ")")); end++) {
    depth += wb_search_is(s, end, "(") - wb_search_is(s, end, ")");
    if (depth == 0 && wb_search_is(s, end, ",") && n < 2) commas[n++] = end;
  }
  if (n < 2 || !wb_search_is_simple(s, end - 1)) return;
  const wb_token *first = wb_search_token(s, commas[0] + 1),
                 *last = wb_search_token(s, commas[1] - 1);
  wb_search_spell(s, end - 1, name);
  snprintf(text, sizeof text, "%s, %.*s", name, (int)(last->text + last->whole - first->text),
           first->text);
  wb_search_change(s, commas[0] + 1, end, 3, text);
}

// left / 2 loses the odd one.
static void change_half(wb_search *s, size_t i) {
  char name[NAME_BYTES], text[WB_EDIT_BYTES];
  if (!wb_search_is(s, i, "/") || !wb_search_is(s, i + 1, "2") || !wb_search_is_simple(s, i - 1))
    return;
  wb_search_spell(s, i - 1, name);
  snprintf(text, sizeof text, "(%s + 1)", name);
  wb_search_change(s, i - 1, i, 4, text);
}

// (float)bits, (unsigned)value.
static void change_conversion(wb_search *s, size_t i) {
  char name[WB_EDIT_BYTES], text[WB_EDIT_BYTES];
  if (!wb_search_is(s, i, "(") || !wb_search_is(s, i + 2, ")") || !wb_search_is_type(s, i + 1))
    return;
  const bool is_element = wb_search_token(s, i + 3)->is_word && wb_search_is(s, i + 4, "[") &&
                          wb_search_is(s, i + 6, "]");
  const size_t end = i + (is_element ? 7 : 4);
  if (!is_element && !wb_search_is_simple(s, i + 3)) return;
  if (!wb_search_copy(s, i + 3, end, name)) return;
  const char *call = wb_search_is(s, i + 1, "float")      ? "__uint_as_float"
                     : wb_search_is(s, i + 1, "unsigned") ? "__float_as_uint"
                                                          : "__float_as_int";
  const size_t n = s->out->n;
  if (snprintf(text, sizeof text, "%s(%s)", call, name) < (int)sizeof text)
    wb_search_change(s, i, end, 1, text);
  if (s->out->n > n) s->out->at[n].takes_bits = !wb_search_is(s, i + 1, "float");
}

void wb_search_change_token(wb_search *s, size_t i, int brackets) {
  if (is_number(s, i)) change_number(s, i);
  swap_token(s, i);
  change_infinity(s, i);
  change_thread(s, i);
  change_half(s, i);
  change_conversion(s, i);
  change_summand(s, i);
  change_assignment(s, i);
  change_swap(s, i);
  change_name(s, i, brackets);
}
