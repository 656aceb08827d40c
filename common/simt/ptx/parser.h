// SPDX-License-Identifier: MIT
// ptx/parser.h - inside of the parser: what ptx/parse.c, ptx/declaration.c, ptx/initialiser.c,
// ptx/function.c, ptx/operand.c, ptx/loc.c and ptx/symbols.c share. No other file includes it.
//
// Conventions: every ptx_parse_* function starts on its construct's first token (p->token), ends
// on the token after it, and returns false once something failed; the diagnostic is then filled
// and p->status set. Nothing recurses on the text's nesting except initialisers, whose depth is
// that of the declared dimensions.
//
// Three arenas share the caller's memory limit: the module's (what the caller keeps), `scratch`
// (growing arrays and tables of the module) and `body` (those of one function, freed after it).
#ifndef SIMT_PTX_PARSER_H
#define SIMT_PTX_PARSER_H

#include "ptx/ptx.h"
#include "ptx/lex.h"

enum {
  PTX_MAX_SCOPES_DEEP = 64,
  PTX_MAX_DIMENSIONS = 8,
  PTX_MAX_ITEMS = 256,       // of a vector or an argument list
  PTX_MAX_INLINE_DEPTH = 64, // longer inlined_at chains are cut
  PTX_MAX_ALIGN_BYTES = 65536
};

#define PTX_MAX_VARIABLE_BYTES (UINT64_C(1) << 40)
#define PTX_MAX_PARAM_BYTES UINT64_C(32764) // of an entry, PTX ISA 8.1 on sm_70

typedef enum ptx_symbol_kind {
  PTX_SYMBOL_REGISTER,
  PTX_SYMBOL_RANGE, // %r<12>: the name is the prefix
  PTX_SYMBOL_LABEL,
  PTX_SYMBOL_VARIABLE, // of the body or of the module, by table
  PTX_SYMBOL_PARAM,
  PTX_SYMBOL_FUNCTION,
  PTX_SYMBOL_OTHER // file-position keys and marks
} ptx_symbol_kind;

typedef struct ptx_symbol {
  simt_str name;  // at == NULL: empty slot
  simt_str alias; // the unique name that the module shows
  uint32_t scope;
  ptx_symbol_kind kind;
  uint32_t index;
  uint32_t count; // RANGE: number of registers
  ptx_type type;  // RANGE
} ptx_symbol;

// Hash table of (name, scope). A zeroed table is empty; its memory belongs to an arena.
typedef struct ptx_table {
  ptx_symbol *slots; // [capacity], a power of two
  uint32_t n, capacity;
} ptx_table;

// Scope numbers above the real ones keep name spaces apart in one table.
enum { PTX_SCOPE_RANGES = 0x40000000, PTX_SCOPE_DECLARED = 0x7fffffff };

// A SYMBOL whose meaning is known only at the end of the function (labels may follow).
typedef struct ptx_pending {
  ptx_operand *operand;
  uint32_t scope, line;
} ptx_pending;

typedef struct ptx_array { // growing array; its user knows the element type
  void *items;
  uint32_t n, capacity;
} ptx_array;

typedef struct ptx_body {
  simt_arena arena;
  ptx_table table;
  uint32_t function; // index
  bool is_discarded; // another definition of a weak function
  uint32_t scope, depth;
  uint32_t n_renamed;
  ptx_array scopes;    // uint32_t: the enclosing scope
  ptx_array registers; // ptx_register
  ptx_array variables; // ptx_variable
  ptx_array instrs;    // ptx_instr
  ptx_array labels;    // ptx_label
  ptx_array pending;   // ptx_pending
  ptx_array lists;     // ptx_target_list
} ptx_body;

typedef struct ptx_debug_label { // a label where a section holds an address
  uint32_t at;                   // byte in the section
  simt_str name;
} ptx_debug_label;

typedef struct ptx_debug_section {
  ptx_array bytes;  // uint8_t
  ptx_array labels; // ptx_debug_label, ascending
} ptx_debug_section;

typedef struct ptx_parser {
  ptx_module *module;
  const char *name; // the caller's, for diagnostics
  const ptx_unit *units;
  uint32_t n_units, unit; // of them, the one that is being parsed
  uint32_t first_line;    // of the module's text that is before this unit's
  uint32_t file_base;     // added to this unit's file numbers
  ptx_lexer lexer;
  ptx_token token;        // the current one
  uint32_t previous_line; // of the token before it
  simt_status status;
  simt_diag *diag;
  size_t limit_bytes; // 0: none
  simt_arena scratch;
  ptx_table globals;
  ptx_table positions; // .loc records by content
  ptx_array functions, variables, files, locs;
  uint32_t n_hoisted;   // variables moved from bodies to the module, and names made a unit's own
  ptx_array loc_depths; // uint32_t
  int32_t loc;          // the current record, or -1
  ptx_debug_section debug_info, debug_abbrev;
  ptx_body body;
} ptx_parser;

// What may come between a state space and the name that it declares.
typedef struct ptx_decl {
  ptx_space space;
  bool is_extern, is_visible, is_weak, is_managed;
  bool is_pointer; // .ptr: spaces and .align that follow describe the pointee
  ptx_type type;
  uint32_t align_bytes; // 0: not given
  uint32_t vector;      // 1, 2, 4
} ptx_decl;

typedef struct ptx_dimensions {
  uint64_t size[PTX_MAX_DIMENSIONS + 1]; // one more: .v2 and .v4 are a last dimension
  uint32_t n;
  bool is_open; // size[0] is not written
} ptx_dimensions;

// ptx/parse.c: tokens and errors.
bool ptx_error(ptx_parser *p, simt_status status, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool ptx_expected(ptx_parser *p, const char *what); // "expected WHAT, found 'token'"
bool ptx_advance(ptx_parser *p);
bool ptx_is_mark(const ptx_parser *p, char mark);
bool ptx_is_dotted(const ptx_parser *p, const char *word);
bool ptx_expect_mark(ptx_parser *p, char mark, const char *where);
bool ptx_expect_word(ptx_parser *p, simt_str *word, const char *what);
// `*value` is 0 after an error.
bool ptx_expect_integer(ptx_parser *p, uint64_t most, uint64_t *value, const char *what);
bool ptx_skip_statement(ptx_parser *p); // up to and including the next ';'
void *ptx_alloc(ptx_parser *p, simt_arena *arena, size_t n, size_t item_bytes);

// ptx/symbols.c
ptx_symbol *ptx_table_find(const ptx_table *table, simt_str name, uint32_t scope);
ptx_symbol *ptx_table_add(ptx_parser *p, simt_arena *arena, ptx_table *table, simt_str name,
                          uint32_t scope);
void *ptx_array_push(ptx_parser *p, simt_arena *arena, ptx_array *array, size_t item_bytes);
void *ptx_array_keep(ptx_parser *p, const ptx_array *array, size_t item_bytes);
ptx_symbol *ptx_declare(ptx_parser *p, simt_str name, ptx_symbol_kind kind, uint32_t index,
                        uint32_t line);
bool ptx_declare_registers(ptx_parser *p, simt_str name, ptx_type type, bool is_range,
                           uint32_t count, uint32_t line);
// A name of the module as the unit sees it, or NULL.
ptx_symbol *ptx_find_global_symbol(const ptx_parser *p, simt_str name);
// Enters a name of the module; one that is not linked is the unit's own.
ptx_symbol *ptx_add_global_symbol(ptx_parser *p, simt_str name, bool is_linked);
ptx_symbol *ptx_find_symbol(ptx_parser *p, simt_str name, uint32_t scope);
bool ptx_resolve_pending(ptx_parser *p);

// ptx/unit.c: the units of a module, one after the other.
bool ptx_parse_units(ptx_parser *p, bool (*parse_directives)(ptx_parser *p));
const char *ptx_unit_name(const ptx_parser *p, uint32_t unit);

// ptx/declaration.c
bool ptx_parse_decl(ptx_parser *p, ptx_decl *decl);
bool ptx_parse_dimensions(ptx_parser *p, const ptx_decl *decl, ptx_dimensions *dimensions);
bool ptx_size_of(ptx_parser *p, const ptx_decl *decl, const ptx_dimensions *dimensions,
                 uint64_t most_bytes, uint64_t *size_bytes);
uint32_t ptx_align_of(const ptx_decl *decl);
bool ptx_parse_module_variables(ptx_parser *p, ptx_decl *decl);
bool ptx_parse_body_variables(ptx_parser *p, ptx_space space);

// ptx/initialiser.c: after '='. Sets size, init and relocs of `variable`.
bool ptx_parse_initialiser(ptx_parser *p, ptx_variable *variable, const ptx_dimensions *dimensions);

bool ptx_parse_addend(ptx_parser *p, int64_t *addend); // +4, -4, +-4 or nothing

// ptx/function.c
bool ptx_parse_function(ptx_parser *p, bool is_entry, const ptx_decl *linking);

// ptx/operand.c
bool ptx_parse_instruction(ptx_parser *p, simt_str opcode, uint32_t line, int32_t guard,
                           bool guard_negated);
bool ptx_parse_targets(ptx_parser *p, ptx_target_list *list); // up to and including the ';'
bool ptx_parse_guard(ptx_parser *p, int32_t *guard, bool *negated);

// ptx/loc.c
bool ptx_parse_file(ptx_parser *p);
bool ptx_parse_loc(ptx_parser *p);
bool ptx_parse_section(ptx_parser *p);
bool ptx_add_loc(ptx_parser *p, ptx_loc loc, int32_t *index); // finds or appends a record

// ptx/inline.c: one statement of a debug section (advances past it), and, at the end, the call
// sites of inlined instructions.
bool ptx_debug_statement(ptx_parser *p, ptx_debug_section *section);
bool ptx_unwind_inlining(ptx_parser *p);

#endif
