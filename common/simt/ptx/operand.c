// SPDX-License-Identifier: MIT
// ptx/operand.c - instructions: guard, opcode, suffixes, operands.
//
// Registers become indices at once; variables of the body and parameters become the names that the
// module shows. All other names (labels, which may follow later; functions; module variables) are
// resolved at the function's end, see ptx_resolve_pending.
// Not modelled: a[i] as an operand, register vectors' components, tensor coordinates in addresses.
// Source: PTX ISA, sections 4.6 (instruction statements), 6 (operands), 10 (special registers).
#include "ptx/parser.h"

#include <stdio.h>
#include <string.h>

enum { PENDING = -2 }; // operand->reg of a SYMBOL that waits for the function's end

static const char *const specials[] = {"%laneid",
                                       "%warpid",
                                       "%nwarpid",
                                       "%smid",
                                       "%nsmid",
                                       "%gridid",
                                       "%lanemask_eq",
                                       "%lanemask_le",
                                       "%lanemask_lt",
                                       "%lanemask_ge",
                                       "%lanemask_gt",
                                       "%clock",
                                       "%clock_hi",
                                       "%clock64",
                                       "%globaltimer",
                                       "%globaltimer_lo",
                                       "%globaltimer_hi",
                                       "%total_smem_size",
                                       "%dynamic_smem_size",
                                       "%aggr_smem_size",
                                       "%is_explicit_cluster",
                                       "%cluster_ctarank",
                                       "%cluster_nctarank",
                                       "%current_graph_exec",
                                       "%reserved_smem_offset_begin",
                                       "%reserved_smem_offset_end",
                                       "%reserved_smem_offset_cap"};
static const char *const special_vectors[] = {"%tid",           "%ntid",          "%ctaid",
                                              "%nctaid",        "%clusterid",     "%nclusterid",
                                              "%cluster_ctaid", "%cluster_nctaid"};
static const char *const special_families[] = {"%envreg", "%pm", "%reserved_smem_offset_"};

static bool is_one_of(simt_str name, const char *const *words, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (simt_str_is(name, words[i])) return true;
  return false;
}

// %envreg12, %pm3, %pm3_64, %reserved_smem_offset_1
static bool is_numbered_special(simt_str name) {
  for (size_t i = 0; i < sizeof special_families / sizeof special_families[0]; i++) {
    size_t size = strlen(special_families[i]);
    if (simt_str_starts(name, special_families[i]) && name.size > size && name.size <= size + 4 &&
        name.at[size] >= '0' && name.at[size] <= '9')
      return true;
  }
  return false;
}

// The current token is an undeclared name that starts with '%'.
static bool parse_special(ptx_parser *p, ptx_operand *operand) {
  simt_str name = p->token.text;
  uint32_t line = p->token.line;
  bool is_vector =
      is_one_of(name, special_vectors, sizeof special_vectors / sizeof special_vectors[0]);
  if (!is_vector && !is_one_of(name, specials, sizeof specials / sizeof specials[0]) &&
      !is_numbered_special(name))
    return ptx_error(p, SIMT_SYNTAX_ERROR, line, "undeclared register '%.*s'", SIMT_STR_ARG(name));
  if (!ptx_advance(p)) return false;
  if (is_vector) {
    simt_str part = p->token.text;
    if (p->token.kind != PTX_TOKEN_DOTTED || !p->token.adjacent || part.size != 1 ||
        part.at[0] < 'w' || part.at[0] > 'z')
      return ptx_error(p, SIMT_UNSUPPORTED, line, "'%.*s' needs a component: .x, .y or .z",
                       SIMT_STR_ARG(name));
    name.size += 2;
    if (!ptx_advance(p)) return false;
  }
  operand->kind = PTX_OPERAND_SPECIAL;
  operand->name = name;
  return true;
}

// The .b1 of %r1.b1, or .h32, if there is one.
static bool parse_part(ptx_parser *p, ptx_operand *operand) {
  static const char *const parts[] = {"b0", "b1", "b2", "b3", "h0", "h1"};
  if (p->token.kind != PTX_TOKEN_DOTTED || !p->token.adjacent) return true;
  const simt_str text = p->token.text;
  const char kind = text.size > 1 ? text.at[0] : 0;
  if ((kind != 'b' || text.size > 5) && (kind != 'h' || text.size > 3)) return true;
  for (size_t i = 1; i < text.size; i++) {
    if (text.at[i] < '0' || text.at[i] > (kind == 'b' ? '7' : '3')) return true;
    operand->parts = (uint16_t)(operand->parts << 4 | (uint16_t)(text.at[i] - '0'));
  }
  operand->part_kind = kind;
  operand->n_parts = (uint8_t)(text.size - 1);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    if (!simt_str_is(p->token.text, parts[i])) continue;
    operand->part = (uint8_t)((size_t)PTX_PART_B0 + i);
  }
  return ptx_advance(p);
}

// Register, special register, _, or a symbol with its offset.
static bool parse_name(ptx_parser *p, ptx_operand *operand) {
  simt_str name = p->token.text;
  const ptx_symbol *symbol = ptx_find_symbol(p, name, p->body.scope);
  if (symbol == NULL && p->status != SIMT_OK) return false;
  if (symbol == NULL && name.at[0] == '%') return parse_special(p, operand);
  if (!ptx_advance(p)) return false;
  operand->name = name;
  if (symbol != NULL && symbol->kind == PTX_SYMBOL_REGISTER) {
    operand->kind = PTX_OPERAND_REGISTER;
    operand->reg = (int32_t)symbol->index;
    return parse_part(p, operand);
  }
  if (symbol == NULL && simt_str_is(name, "_")) {
    operand->kind = PTX_OPERAND_SINK;
    return true;
  }
  if (symbol == NULL && simt_str_is(name, "WARP_SZ")) {
    operand->kind = PTX_OPERAND_SPECIAL;
    return true;
  }
  operand->kind = PTX_OPERAND_SYMBOL;
  if (symbol == NULL || symbol->kind == PTX_SYMBOL_LABEL) {
    operand->reg = PENDING;
  } else {
    operand->name = symbol->alias;
    bool is_body_variable = symbol->kind == PTX_SYMBOL_VARIABLE && symbol->index != UINT32_MAX;
    operand->reg = is_body_variable ? (int32_t)symbol->index : -1;
  }
  return ptx_parse_addend(p, &operand->offset);
}

// A number with its sign; `sign` is '-', '~' or '+'.
static bool parse_number(ptx_parser *p, ptx_operand *operand, char sign) {
  ptx_token number = p->token;
  operand->bits = number.bits;
  if (number.kind == PTX_TOKEN_INTEGER) {
    operand->kind = PTX_OPERAND_INTEGER;
    if (sign == '-') operand->bits = 0 - number.bits;
    if (sign == '~') operand->bits = ~number.bits;
  } else if ((number.kind == PTX_TOKEN_F32 || number.kind == PTX_TOKEN_F64) && sign != '~') {
    bool is_f32 = number.kind == PTX_TOKEN_F32;
    operand->kind = is_f32 ? PTX_OPERAND_F32 : PTX_OPERAND_F64;
    if (sign == '-') operand->bits ^= UINT64_C(1) << (is_f32 ? 31 : 63);
  } else {
    return ptx_expected(p, "a number");
  }
  return ptx_advance(p);
}

static bool parse_signed(ptx_parser *p, ptx_operand *operand) {
  char sign = p->token.mark;
  if (!ptx_advance(p)) return false;
  if (sign != '-' || p->token.kind != PTX_TOKEN_WORD) return parse_number(p, operand, sign);
  operand->minus = true;
  return parse_name(p, operand) &&
         (operand->kind == PTX_OPERAND_REGISTER || ptx_expected(p, "a register after '-'"));
}

static bool parse_negated(ptx_parser *p, ptx_operand *operand) {
  if (!ptx_advance(p)) return false;
  if (p->token.kind != PTX_TOKEN_WORD) return ptx_expected(p, "a predicate after '!'");
  uint32_t line = p->token.line;
  if (!parse_name(p, operand)) return false;
  const ptx_register *registers = p->body.registers.items;
  if (operand->kind != PTX_OPERAND_REGISTER || registers[operand->reg].type != PTX_PRED)
    return ptx_error(p, SIMT_SYNTAX_ERROR, line, "'!' needs a predicate, '%.*s' is none",
                     SIMT_STR_ARG(operand->name));
  operand->negated = true;
  return true;
}

static bool parse_items(ptx_parser *p, ptx_operand *operand, char close);

// [texture, {x, y}]: the coordinates become the items of the address.
static bool parse_coordinates(ptx_parser *p, ptx_operand *operand) {
  ptx_operand vector;
  if (!ptx_advance(p)) return false;
  if (!ptx_is_mark(p, '{'))
    return ptx_error(p, SIMT_UNSUPPORTED, p->token.line,
                     "an address with more than a base and an offset is not supported");
  if (!parse_items(p, &vector, '}')) return false;
  operand->items = vector.items;
  operand->n_items = vector.n_items;
  return ptx_expect_mark(p, ']', "after the coordinates");
}

// [register+8], [symbol-4], [0x100], [register, {register, register}]
static bool parse_address(ptx_parser *p, ptx_operand *operand) {
  if (!ptx_advance(p)) return false;
  uint32_t line = p->token.line;
  bool is_number = p->token.kind == PTX_TOKEN_INTEGER;
  if (!is_number && p->token.kind != PTX_TOKEN_WORD)
    return ptx_expected(p, "a register, a variable or a number after '['");
  if (!(is_number ? parse_number(p, operand, '+') : parse_name(p, operand))) return false;
  if (!is_number && operand->kind != PTX_OPERAND_REGISTER && operand->kind != PTX_OPERAND_SYMBOL)
    return ptx_error(p, SIMT_SYNTAX_ERROR, line, "'%.*s' cannot be an address",
                     SIMT_STR_ARG(operand->name));
  operand->base = operand->kind;
  operand->kind = PTX_OPERAND_ADDRESS;
  if (!ptx_parse_addend(p, &operand->offset)) return false;
  if (ptx_is_mark(p, ',')) return parse_coordinates(p, operand);
  if (ptx_is_mark(p, '['))
    return ptx_error(p, SIMT_UNSUPPORTED, p->token.line,
                     "an address with more than a base and an offset is not supported");
  return ptx_expect_mark(p, ']', "after the address");
}

// %p|%q: `operand` is %p.
static bool parse_second(ptx_parser *p, ptx_operand *operand) {
  ptx_operand second = {.reg = -1};
  if (!ptx_advance(p)) return false;
  if (p->token.kind != PTX_TOKEN_WORD) return ptx_expected(p, "a register after '|'");
  uint32_t line = p->token.line;
  if (!parse_name(p, &second)) return false;
  bool is_first = operand->kind == PTX_OPERAND_REGISTER || operand->kind == PTX_OPERAND_SINK;
  if (!is_first || (second.kind != PTX_OPERAND_REGISTER && second.kind != PTX_OPERAND_SINK))
    return ptx_error(p, SIMT_SYNTAX_ERROR, line, "'|' joins two registers");
  operand->has_second = true;
  operand->second = second.reg;
  return true;
}

// An operand that contains no others.
static bool parse_simple(ptx_parser *p, ptx_operand *operand) {
  *operand = (ptx_operand){.reg = -1, .second = -1};
  if (p->token.kind == PTX_TOKEN_WORD)
    return parse_name(p, operand) && (!ptx_is_mark(p, '|') || parse_second(p, operand));
  if (ptx_is_mark(p, '-') || ptx_is_mark(p, '+') || ptx_is_mark(p, '~'))
    return parse_signed(p, operand);
  if (ptx_is_mark(p, '!')) return parse_negated(p, operand);
  if (ptx_is_mark(p, '[')) return parse_address(p, operand);
  if (p->token.kind == PTX_TOKEN_INTEGER || p->token.kind == PTX_TOKEN_F32 ||
      p->token.kind == PTX_TOKEN_F64)
    return parse_number(p, operand, '+');
  return ptx_expected(p, "an operand");
}

// {a,b} of a vector or (a,b) of a call; `close` ends it.
static bool parse_items(ptx_parser *p, ptx_operand *operand, char close) {
  ptx_operand items[PTX_MAX_ITEMS];
  uint32_t n = 0;
  if (!ptx_advance(p)) return false;
  while (!ptx_is_mark(p, close)) {
    if (n == PTX_MAX_ITEMS)
      return ptx_error(p, SIMT_UNSUPPORTED, p->token.line, "more than %d items in one operand",
                       PTX_MAX_ITEMS);
    if (!parse_simple(p, &items[n++])) return false;
    if (!ptx_is_mark(p, close) &&
        !ptx_expect_mark(p, ',', close == '}' ? "or '}' in the vector" : "or ')' in the list"))
      return false;
  }
  *operand = (ptx_operand){.reg = -1, .second = -1, .n_items = n};
  operand->kind = close == '}' ? PTX_OPERAND_VECTOR : PTX_OPERAND_LIST;
  operand->items = ptx_alloc(p, &p->module->arena, n, sizeof *items);
  if (operand->items == NULL) return false;
  if (n != 0) memcpy(operand->items, items, n * sizeof *items);
  return ptx_advance(p);
}

static bool parse_operand(ptx_parser *p, ptx_operand *operand) {
  if (ptx_is_mark(p, '{')) return parse_items(p, operand, '}');
  if (ptx_is_mark(p, '(')) return parse_items(p, operand, ')');
  return parse_simple(p, operand);
}

static bool note_pending(ptx_parser *p, ptx_operand *operands, uint32_t n, uint32_t line) {
  for (uint32_t i = 0; i < n; i++) {
    if (!note_pending(p, operands[i].items, operands[i].n_items, line)) return false;
    if (operands[i].reg != PENDING) continue;
    ptx_pending *pending = ptx_array_push(p, &p->body.arena, &p->body.pending, sizeof *pending);
    if (pending == NULL) return false;
    *pending = (ptx_pending){&operands[i], p->body.scope, line};
  }
  return true;
}

bool ptx_parse_targets(ptx_parser *p, ptx_target_list *list) {
  ptx_array labels = {0};
  const uint32_t line = p->token.line;
  do {
    simt_str name;
    if (!ptx_advance(p) || !ptx_expect_word(p, &name, "a label")) return false;
    ptx_operand *label = ptx_array_push(p, &p->body.arena, &labels, sizeof *label);
    if (label == NULL) return false;
    *label = (ptx_operand){.kind = PTX_OPERAND_SYMBOL, .reg = PENDING, .name = name};
  } while (ptx_is_mark(p, ','));
  list->items = ptx_array_keep(p, &labels, sizeof *list->items);
  list->n_items = labels.n;
  return list->items != NULL && note_pending(p, list->items, list->n_items, line) &&
         ptx_expect_mark(p, ';', "after the labels");
}

static bool parse_suffixes(ptx_parser *p, ptx_instr *instr) {
  for (; p->token.kind == PTX_TOKEN_DOTTED;) {
    if (instr->n_suffixes == PTX_MAX_SUFFIXES)
      return ptx_error(p, SIMT_UNSUPPORTED, instr->line, "'%.*s' with more than %d suffixes",
                       SIMT_STR_ARG(instr->opcode), PTX_MAX_SUFFIXES);
    instr->suffixes[instr->n_suffixes++] = p->token.text;
    if (!ptx_advance(p)) return false;
  }
  return true;
}

static bool parse_operands(ptx_parser *p, const ptx_instr *instr, ptx_operand *operands,
                           uint32_t *n) {
  while (!ptx_is_mark(p, ';')) {
    if (*n == PTX_MAX_OPERANDS)
      return ptx_error(p, SIMT_UNSUPPORTED, instr->line, "'%.*s' with more than %d operands",
                       SIMT_STR_ARG(instr->opcode), PTX_MAX_OPERANDS);
    if (!parse_operand(p, &operands[(*n)++])) return false;
    if (ptx_is_mark(p, ';')) break;
    char where[96];
    int size = instr->opcode.size > 40 ? 40 : (int)instr->opcode.size;
    snprintf(where, sizeof where, "after operand %u of '%.*s'", *n, size, instr->opcode.at);
    if (!ptx_is_mark(p, ',')) return ptx_expect_mark(p, ';', where);
    if (!ptx_advance(p)) return false;
    if (ptx_is_mark(p, ';')) return ptx_expected(p, "an operand after ','");
  }
  return ptx_advance(p);
}

bool ptx_parse_instruction(ptx_parser *p, simt_str opcode, uint32_t line, int32_t guard,
                           bool guard_negated) {
  ptx_operand operands[PTX_MAX_OPERANDS];
  ptx_instr instr = {.line = line,
                     .loc = p->loc,
                     .guard = guard,
                     .guard_negated = guard_negated,
                     .opcode = opcode};
  uint32_t n = 0;
  if (!parse_suffixes(p, &instr) || !parse_operands(p, &instr, operands, &n)) return false;
  instr.operands = ptx_alloc(p, &p->module->arena, n, sizeof *operands);
  if (instr.operands == NULL) return false;
  if (n != 0) memcpy(instr.operands, operands, n * sizeof *operands);
  instr.n_operands = n;
  ptx_instr *kept = ptx_array_push(p, &p->body.arena, &p->body.instrs, sizeof *kept);
  if (kept == NULL) return false;
  *kept = instr;
  return note_pending(p, instr.operands, n, line);
}

// @%p or @!%p
bool ptx_parse_guard(ptx_parser *p, int32_t *guard, bool *negated) {
  ptx_operand operand = {.reg = -1};
  if (!ptx_advance(p)) return false;
  *negated = ptx_is_mark(p, '!');
  if (*negated && !ptx_advance(p)) return false;
  if (p->token.kind != PTX_TOKEN_WORD) return ptx_expected(p, "a predicate after '@'");
  uint32_t line = p->token.line;
  if (!parse_name(p, &operand)) return false;
  const ptx_register *registers = p->body.registers.items;
  if (operand.kind != PTX_OPERAND_REGISTER || registers[operand.reg].type != PTX_PRED)
    return ptx_error(p, SIMT_SYNTAX_ERROR, line, "guard '%.*s' is not a predicate register",
                     SIMT_STR_ARG(operand.name));
  *guard = operand.reg;
  return true;
}
