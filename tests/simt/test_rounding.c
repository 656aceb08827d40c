// SPDX-License-Identifier: MIT
// Directed rounding by software gives the bits that the processor's rounding modes give.
#include <check.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "lanes/rounding.h"
#include "run_suite.h"

static const simt_operation operations[] = {SIMT_OP_ADD, SIMT_OP_SUB, SIMT_OP_MUL,
                                            SIMT_OP_FMA, SIMT_OP_DIV, SIMT_OP_SQRT};
static const isa_rounding roundings[] = {ISA_RN, ISA_RZ, ISA_RM, ISA_RP};
enum { N_ROUNDS = 20000 };

static uint64_t state = 88172645463325252u;
static uint64_t next_bits(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static bool same_f32(float a, float b) {
  return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}
static bool same_f64(double a, double b) {
  return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static void compare_f32(float a, float b, float c) {
  for (size_t i = 0; i < 6; i++) {
    for (size_t r = 0; r < 4; r++) {
      const float hard = simt_rounded_f32(operations[i], roundings[r], a, b, c);
      const float soft = simt_soft_rounded_f32(operations[i], roundings[r], a, b, c);
      ck_assert_msg(same_f32(hard, soft), "op %zu rounding %zu of %a %a %a: %a and %a", i, r,
                    (double)a, (double)b, (double)c, (double)hard, (double)soft);
    }
  }
}

static float any_float(void) {
  static const float special[] = {0.0f,          -0.0f,    1.0f,      -1.0f,           0x1p-149f,
                                  -0x1p-149f,    INFINITY, -INFINITY, 0x1.fffffep127f, 0x1p-126f,
                                  0x1.000002p0f, 3.0f};
  const uint64_t bits = next_bits();
  const uint32_t low = (uint32_t)bits;
  float value;
  if (bits >> 60 == 0) return special[(bits >> 32) % 12];
  memcpy(&value, &low, sizeof value);
  // Half of them within a few binades of each other, so that sums cancel.
  return bits >> 63 ? value : ldexpf((float)(int32_t)low, (int)(bits >> 40 & 15) - 20);
}

START_TEST(floats)
{
  for (int i = 0; i < N_ROUNDS; i++) compare_f32(any_float(), any_float(), any_float());
}
END_TEST

// Doubles of moderate size: what software cannot decide traps, and is not asked here.
static double any_double(void) {
  const uint64_t bits = next_bits();
  if (bits >> 59 == 0) return (double)(int64_t)(bits >> 50) - 16.0;
  return ldexp((double)(int64_t)next_bits(), (int)(bits % 120) - 120);
}

START_TEST(doubles)
{
  for (int n = 0; n < N_ROUNDS; n++) {
    const double a = any_double(), b = any_double(), c = any_double();
    for (size_t i = 0; i < 6; i++) {
      for (size_t r = 0; r < 4; r++) {
        const double hard = simt_rounded_f64(operations[i], roundings[r], a, b, c);
        const double soft = simt_soft_rounded_f64(operations[i], roundings[r], a, b, c);
        ck_assert_msg(same_f64(hard, soft), "op %zu rounding %zu of %a %a %a: %a and %a", i, r, a,
                      b, c, hard, soft);
      }
    }
  }
}
END_TEST

START_TEST(overflow)
{
  const double most = 0x1.fffffffffffffp1023;
  ck_assert_double_eq(simt_soft_rounded_f64(SIMT_OP_ADD, ISA_RZ, most, most, 0), most);
  ck_assert_double_eq(simt_soft_rounded_f64(SIMT_OP_ADD, ISA_RM, most, most, 0), most);
  ck_assert(isinf(simt_soft_rounded_f64(SIMT_OP_ADD, ISA_RP, most, most, 0)));
  ck_assert(isinf(simt_soft_rounded_f64(SIMT_OP_DIV, ISA_RZ, 1, 0, 0)));
}
END_TEST

int main(void) {
  Suite *suite = suite_create("rounding");
  TCase *c = tcase_create("rounding");
  tcase_add_test(c, floats);
  tcase_add_test(c, doubles);
  tcase_add_test(c, overflow);
  suite_add_tcase(suite, c);
  return run_suite(suite);
}
