// SPDX-License-Identifier: MIT
// lanes/rounding.h - IEEE arithmetic with a chosen rounding, one value at a time.
#ifndef SIMT_ROUNDING_H
#define SIMT_ROUNDING_H

#include <stdbool.h>

#include "isa/isa.h"

typedef enum simt_operation {
  SIMT_OP_ADD,
  SIMT_OP_SUB,
  SIMT_OP_MUL,
  SIMT_OP_FMA,
  SIMT_OP_DIV,
  SIMT_OP_SQRT
} simt_operation;

// a op b (FMA: a * b + c; SQRT: of a), rounded once as `rounding` says. NaNs come out as the
// processor makes them; subnormals are kept. The caller's rounding mode is restored.
float simt_rounded_f32(simt_operation op, isa_rounding rounding, float a, float b, float c);
double simt_rounded_f64(simt_operation op, isa_rounding rounding, double a, double b, double c);

// The same by software (lanes/rounding_soft.c), for hosts without rounding modes.
float simt_soft_rounded_f32(simt_operation op, isa_rounding rounding, float a, float b, float c);
double simt_soft_rounded_f64(simt_operation op, isa_rounding rounding, double a, double b,
                             double c);

// Makes this thread's processor round as `rounding` says; returns what simt_round_back() takes to
// undo it. Only where simt_has_rounding_modes.
extern const bool simt_has_rounding_modes;
int simt_round_as(isa_rounding rounding);
void simt_round_back(int before);

#endif
