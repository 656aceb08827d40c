// SPDX-License-Identifier: MIT
// device/operands.c - see device/operands.h.
#include "device/operands.h"

#define FIELD(role, field)                                                                         \
  { SIMT_ROLE_##role, (uint8_t)offsetof(simt_instr, field) }
#define GUARD FIELD(GUARD, guard)

// clang-format off
static const simt_operand_role lanes[] = {
    FIELD(VALUE, a), FIELD(VALUE, b), FIELD(VALUE, c), FIELD(VALUE, arithmetic.fourth), GUARD,
    FIELD(RESULT, d)};
static const simt_operand_role setp[] = {
    FIELD(VALUE, a), FIELD(VALUE, b), FIELD(VALUE, c), GUARD,
    FIELD(RESULT, d), FIELD(RESULT, arithmetic.second_d)};
static const simt_operand_role pack[] = {
    FIELD(VALUE, pack.element[0]), FIELD(VALUE, pack.element[1]), FIELD(VALUE, pack.element[2]),
    FIELD(VALUE, pack.element[3]), GUARD, FIELD(RESULT, d)};
static const simt_operand_role unpack[] = {
    FIELD(VALUE, a), GUARD, FIELD(RESULT, pack.element[0]), FIELD(RESULT, pack.element[1]),
    FIELD(RESULT, pack.element[2]), FIELD(RESULT, pack.element[3])};
static const simt_operand_role load[] = { // d is data[0]
    FIELD(ADDRESS, a), GUARD, FIELD(RESULT, memory.data[0]), FIELD(RESULT, memory.data[1]),
    FIELD(RESULT, memory.data[2]), FIELD(RESULT, memory.data[3]), FIELD(RESULT, d)};
static const simt_operand_role store[] = {
    FIELD(ADDRESS, a), FIELD(STORED, memory.data[0]), FIELD(STORED, memory.data[1]),
    FIELD(STORED, memory.data[2]), FIELD(STORED, memory.data[3]), GUARD};
static const simt_operand_role atomic[] = {
    FIELD(ADDRESS, a), FIELD(STORED, b), FIELD(STORED, c), GUARD, FIELD(RESULT, d)};
static const simt_operand_role async_copy[] = { // b: the source's size, c: its address
    FIELD(ADDRESS, a), FIELD(VALUE, b), FIELD(ADDRESS, c), FIELD(STORED, memory.data[0]),
    FIELD(STORED, memory.data[1]), FIELD(STORED, memory.data[2]), FIELD(STORED, memory.data[3]),
    GUARD};
static const simt_operand_role bulk_copy[] = {
    FIELD(ADDRESS, a), FIELD(ADDRESS, b), FIELD(ADDRESS, c), GUARD};
static const simt_operand_role isspacep[] = {FIELD(VALUE, a), GUARD, FIELD(RESULT, d)};
static const simt_operand_role barrier[] = {
    FIELD(SYNC, a), FIELD(SYNC, b), FIELD(VALUE, c), GUARD, FIELD(RESULT, d)};
static const simt_operand_role warp_sync[] = {FIELD(SYNC, collective.members), GUARD};
static const simt_operand_role collective[] = { // b and c: shuffles only
    FIELD(VALUE, a), FIELD(VALUE, b), FIELD(VALUE, c), FIELD(SYNC, collective.members), GUARD,
    FIELD(RESULT, d), FIELD(RESULT, collective.second_d)};
static const simt_operand_role result_only[] = {GUARD, FIELD(RESULT, d)};
static const simt_operand_role print[] = {
    FIELD(VALUE, a), FIELD(VALUE, b), FIELD(ADDRESS, c), GUARD};
static const simt_operand_role texture[] = {
    FIELD(ADDRESS, a), FIELD(ADDRESS, b), FIELD(ADDRESS, c),
    FIELD(ADDRESS, texture.at[0]), FIELD(ADDRESS, texture.at[1]),
    FIELD(ADDRESS, texture.at[2]), FIELD(ADDRESS, texture.at[3]), GUARD,
    FIELD(RESULT, texture.data[0]), FIELD(RESULT, texture.data[1]),
    FIELD(RESULT, texture.data[2]), FIELD(RESULT, texture.data[3])};
static const simt_operand_role surface_store[] = {
    FIELD(ADDRESS, a), FIELD(ADDRESS, texture.at[0]), FIELD(ADDRESS, texture.at[1]),
    FIELD(ADDRESS, texture.at[2]), FIELD(ADDRESS, texture.at[3]), FIELD(STORED, texture.data[0]),
    FIELD(STORED, texture.data[1]), FIELD(STORED, texture.data[2]),
    FIELD(STORED, texture.data[3]), GUARD};
static const simt_operand_role call[] = {FIELD(ADDRESS, a), FIELD(ADDRESS, c), GUARD};
static const simt_operand_role heap[] = {FIELD(VALUE, a), FIELD(VALUE, b), GUARD, FIELD(RESULT, d)};
static const simt_operand_role service[] = {
    FIELD(VALUE, a), FIELD(VALUE, b), FIELD(VALUE, service.in[0]), FIELD(VALUE, service.in[1]),
    FIELD(VALUE, service.in[2]), FIELD(VALUE, service.in[3]), FIELD(VALUE, service.in[4]),
    FIELD(VALUE, service.in[5]), FIELD(VALUE, service.in[6]), FIELD(VALUE, service.in[7]), GUARD,
    FIELD(RESULT, d)};
static const simt_operand_role assertion[] = {
    FIELD(VALUE, a), FIELD(VALUE, assertion.text[0]), FIELD(VALUE, assertion.text[1]),
    FIELD(VALUE, assertion.text[2]), GUARD};
static const simt_operand_role guard_only[] = {GUARD};
// clang-format on

#define GIVE(list) return *n = sizeof(list) / sizeof *(list), (list)

const simt_operand_role *simt_roles_of(uint8_t form, uint32_t *n) {
  switch (form) {
  case ISA_LANES: GIVE(lanes);
  case ISA_SETP: GIVE(setp);
  case ISA_PACK: GIVE(pack);
  case ISA_UNPACK: GIVE(unpack);
  case ISA_LOAD: GIVE(load);
  case ISA_STORE: GIVE(store);
  case ISA_ASYNC_COPY: GIVE(async_copy);
  case ISA_ATOM:
  case ISA_RED: GIVE(atomic);
  case ISA_BULK_COPY: GIVE(bulk_copy);
  case ISA_ISSPACEP: GIVE(isspacep);
  case ISA_BARRIER:
  case ISA_BARRIER_RED:
  case ISA_BARRIER_ARRIVE: GIVE(barrier);
  case ISA_WARP_SYNC: GIVE(warp_sync);
  case ISA_SHUFFLE:
  case ISA_VOTE:
  case ISA_MATCH:
  case ISA_REDUX: GIVE(collective);
  case ISA_ACTIVEMASK:
  case SIMT_FORM_CLOCK: GIVE(result_only);
  case SIMT_FORM_PRINTF: GIVE(print);
  case SIMT_FORM_ASSERT: GIVE(assertion);
  case ISA_TEXTURE:
  case ISA_SURFACE_LOAD: GIVE(texture);
  case ISA_SURFACE_STORE: GIVE(surface_store);
  case SIMT_FORM_CALL:
  case SIMT_FORM_RETURN: GIVE(call);
  case SIMT_FORM_HEAP: GIVE(heap);
  case SIMT_FORM_DEVICE_CALL: GIVE(service);
  default: GIVE(guard_only);
  }
}

simt_instr simt_blank_instr(uint8_t form) {
  simt_instr in = {.d = SIMT_NO_SLOT,
                   .a = SIMT_NO_SLOT,
                   .b = SIMT_NO_SLOT,
                   .c = SIMT_NO_SLOT,
                   .guard = SIMT_NO_SLOT,
                   .id = ISA_ID_COUNT,
                   .form = form,
                   .loc = -1};
  uint32_t n;
  const simt_operand_role *roles = simt_roles_of(form, &n);
  for (uint32_t i = 0; i < n; i++) *simt_operand_field(&in, roles[i]) = SIMT_NO_SLOT;
  if (form == ISA_BRANCH) in.branch.target = in.branch.reconverge = SIMT_NO_PC;
  return in;
}
