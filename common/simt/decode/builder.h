// SPDX-License-Identifier: MIT
// decode/builder.h - private to decode/*.c: the state of decoding one kernel.
#ifndef SIMT_DECODE_BUILDER_H
#define SIMT_DECODE_BUILDER_H

#include "decode/decode.h"
#include "decode/device_calls.h"

enum {
  DECODE_MAX_INSTRUCTIONS = 1 << 21,
  DECODE_MAX_CALL_DEPTH = 64,
  DECODE_MAX_EXPANSIONS = 1 << 18 // of functions: a chain of empty ones grows without instructions
};
#define DECODE_SCRATCH_LIMIT_BYTES ((size_t)4 << 30)

// What one PTX function needs in a kernel, however often it is called: since calls never recurse,
// its registers and its stack frame can have fixed places.
typedef struct function_frame {
  const ptx_function *function;
  uint32_t register_base;    // virtual operand of its register 0
  uint64_t *variable_offset; // [n_variables] byte offset in local or shared memory
  uint32_t root;             // the kernel (0), or the body that it is expanded into
  bool active;               // being expanded right now: a call of it is recursion
  bool contraction_known;
  struct simt_contraction *contraction; // NULL: no multiplication is fused
} function_frame;

// Where a call's formal parameters live: offsets in the caller's local memory. NULL for the kernel.
typedef struct call_site {
  const uint64_t *param_offset;  // [n_params]
  const uint64_t *return_offset; // [n_returns]
} call_site;

// Where a shared variable of the module lies in the block's shared memory.
typedef struct shared_place {
  const ptx_variable *variable;
  uint64_t offset;
} shared_place;

// The kernel or a function with a body of its own, and all that is expanded into it. Their frames
// share one stretch of local memory: fixed for the kernel, behind the caller's for a body.
typedef struct code_root {
  const ptx_function *function;
  call_site site; // arguments and results within the frame
  uint64_t local_bytes;
  uint32_t signature;
  uint32_t start; // first instruction, later its marker
} code_root;

typedef struct builder {
  simt_module *module;
  simt_kernel *kernel;
  simt_arena *arena;  // lives as long as the module
  simt_arena scratch; // freed when the kernel is decoded
  simt_instr *code;   // operand fields hold virtual operand ids
  uint32_t n_code, code_capacity;
  simt_operand *operands;
  uint32_t n_operands, operand_capacity;
  uint32_t *fill_index; // hash table over fills, 0: empty, else operand id + 1
  uint32_t fill_capacity, n_fills;
  function_frame **frames; // of the functions that the kernel reaches
  uint32_t n_frames, frame_capacity;
  code_root *roots;
  uint32_t n_roots, root_capacity;
  uint32_t root;                      // being laid out or decoded
  bool reaches_taken;                 // some call goes through a pointer
  uint64_t local_bytes, shared_bytes; // laid out so far; final once every frame exists
  shared_place *shared;               // the module's shared variables in use
  uint32_t n_shared, shared_capacity;
  uint64_t dynamic_base; // where dynamic shared memory starts
  simt_str dynamic_name; // of the first extern shared variable, or empty
  uint32_t depth, n_expanded;
  simt_diag *diag;
} builder;

// The instruction being decoded and the function it belongs to.
typedef struct context {
  builder *b;
  function_frame *frame;
  const ptx_function *function;
  const call_site *site;
  const ptx_instr *instr;
  isa_op op;
} context;

// decode/builder.c ---------------------------------------------------------------------------
simt_status simt_builder_operand(builder *b, simt_operand operand, uint32_t *id);
// Room for one more item of a list of `n` in scratch memory: the list, perhaps in a new place, or
// NULL.
void *simt_builder_grow(builder *b, void *list, uint32_t n, uint32_t *capacity, size_t item_bytes);
simt_status simt_builder_fill(builder *b, simt_fill fill, uint32_t *id); // shares equal fills
simt_status simt_builder_constant(builder *b, uint64_t value, uint8_t bytes, uint32_t *id);
// The address `base` + `offset` of a symbol: knows which shared variable it is derived from.
simt_status simt_builder_address(builder *b, ptx_space space, uint64_t base, int64_t offset,
                                 uint8_t bytes, uint32_t *id);
simt_status simt_builder_frame(builder *b, const ptx_function *function, function_frame **frame);

// decode/operand.c ---------------------------------------------------------------------------
simt_status simt_decode_branch_table(const context *c); // decode/table.c
// Where a name that is used is not defined, for a sentence.
const char *simt_decode_nowhere(const context *c);
simt_status simt_decode_fail(const context *c, simt_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
uint8_t simt_decode_lane_bytes(ptx_type type); // 0 predicate, 4, 8 or 16
// Source operand `index` read as `type`; *negated (may be NULL) says !p was written.
simt_status simt_decode_source(const context *c, uint32_t index, ptx_type type, uint32_t *id,
                               bool *negated);
// One operand (of the instruction or an element of a vector) read as `type`.
simt_status simt_decode_value(const context *c, const ptx_operand *operand, ptx_type type,
                              uint32_t *id);
// Destination register of operand `index`; SIMT_NO_SLOT for `_`.
simt_status simt_decode_destination(const context *c, uint32_t index, uint32_t *id);
// Destination register of operand 0, which must be one (not `_`) and as wide as `type`.
simt_status simt_decode_result(const context *c, ptx_type type, uint32_t *id);
simt_status simt_decode_register(const context *c, int32_t reg, uint32_t *id);
uint8_t simt_decode_register_bytes(const context *c, const ptx_operand *operand); // lane bytes
// Address operand `index` into in->a, in->offset, in->address_bits; may change in->space.
simt_status simt_decode_address(const context *c, uint32_t index, simt_instr *in);
// Value of a symbol in its own space (device address, or offset in shared, local or param memory).
simt_status simt_decode_symbol(const context *c, simt_str name, ptx_space *space, uint64_t *value);

// decode/decode.c: dense instructions, blank or of the row that was looked up, appended to the
// code.
simt_status simt_decode_emit(builder *b, const simt_instr *in);
simt_instr simt_decode_blank(const context *c, uint8_t form, simt_class klass);
simt_instr simt_decode_from_op(const context *c);
// An instruction of another row, for operations that reduce to a move or an addition.
simt_instr simt_decode_as_row(const context *c, isa_id id);

// A function's body at one place in the kernel; `site`: the call, NULL for the kernel itself.
simt_status simt_decode_expand(builder *b, const ptx_function *function, const call_site *site);

// decode/arithmetic.c
simt_status simt_decode_lanes(const context *c);
simt_status simt_decode_pack(const context *c, bool pack);        // else: unpack
simt_status simt_decode_second(const context *c, uint32_t *slot); // q of d|q, a predicate
simt_status simt_decode_logic(const context *c);                  // lop3 with a predicate

// decode/video.c
bool simt_decode_is_video(const context *c);
simt_status simt_decode_video(const context *c, simt_instr *in);
// Parts of registers and signs are refused but in video instructions.
simt_status simt_decode_refuse_parts(const context *c);

// decode/texture.c
simt_status simt_decode_texture(const context *c);

// decode/async.c
simt_status simt_decode_async_copy(const context *c);
simt_status simt_decode_bulk_copy(const context *c);
simt_status simt_decode_async_group(const context *c); // commit_group, wait_group, wait_all
simt_status simt_decode_mbarrier(const context *c);
simt_status simt_decode_elect(const context *c);

// decode/call.c
simt_status simt_decode_call(const context *c);
// An argument of a call, `bytes` at stack offset `at`, into a fresh register; and a result from
// one.
simt_status simt_decode_argument(const context *c, uint64_t at, uint8_t bytes, uint32_t *id);
simt_status simt_decode_store_result(const context *c, uint64_t at, uint8_t bytes, uint32_t id);

// decode/device_calls.c: a call of CUDA's runtime, whose arguments and result lie at these stack
// offsets. A refusal with a reason where a function is one of those that are not known; else
// SIMT_OK.
simt_status simt_decode_device_call(const context *c, simt_device_call call, const uint64_t *in_at,
                                    const uint64_t *out_at);
simt_status simt_decode_refuse_device_call(const context *c, simt_str name);

// decode/bodies.c: functions with bodies of their own.
simt_status simt_builder_root(builder *b, const ptx_function *function, uint32_t *root);
// The sizes of arguments and results in one number.
uint32_t simt_signature(const ptx_param *returns, uint32_t n_returns, const ptx_param *params,
                        uint32_t n_params);
// Whether calls of a function lead to a body of its own.
static inline bool simt_is_called(const builder *b, const ptx_function *f) {
  return b->module->is_called[f - b->module->ptx->functions];
}
// A call that is not expanded; `callee` NULL: through a pointer.
simt_status simt_decode_true_call(const context *c, const ptx_function *callee);
simt_status simt_decode_bodies(builder *b);
// The kernel's table of bodies, once the code has its final places.
simt_status simt_place_bodies(builder *b, const simt_cfg *cfg);
// The lane address of local memory at `offset`: a constant, or relative to the running frame.
simt_status simt_decode_local_address(const context *c, uint64_t offset, uint8_t bytes,
                                      uint32_t *id);
// The operand that local accesses of the running code add to; SIMT_NO_SLOT: they are absolute.
simt_status simt_decode_frame_base(const context *c, uint32_t *id);
// decode/call.c: the list of arguments (behind_name) or results of a call.
const ptx_operand *simt_decode_call_list(const ptx_instr *instr, bool behind_name);

// decode/contract.c: multiplications that are fused into additions. The plan of a function, NULL
// where there is none, and one instruction according to the plan; *done is false where it is
// decoded as it is.
typedef struct simt_contraction simt_contraction;
simt_status simt_contraction_of(builder *b, const ptx_function *f, simt_contraction **out);
simt_status simt_decode_contracted(const context *c, simt_contraction *plan, bool *done);

// decode/fold.c: an approximation of a constant becomes its value; *done is false otherwise.
simt_status simt_decode_folded(const context *c, bool *done);

// decode/memory.c
simt_status simt_decode_load_store(const context *c, bool is_load);
simt_status simt_decode_atomic(const context *c, bool is_red);
simt_status simt_decode_cvta(const context *c);
simt_status simt_decode_isspacep(const context *c);

// decode/registers.c: the kernel's table of registers, when slots have been assigned.
simt_status simt_decode_registers(builder *b);

// decode/blocks.c: from b->code to the kernel's code, blocks and markers. *cfg lives in b->scratch.
simt_status simt_decode_blocks(builder *b, simt_cfg *cfg);

#define TRY(call)                                                                                  \
  do {                                                                                             \
    simt_status try_status = (call);                                                               \
    if (try_status != SIMT_OK) return try_status;                                                  \
  } while (0)

#endif
