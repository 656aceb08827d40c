// SPDX-License-Identifier: MIT
// hip_complex.h - HIP's complex numbers: CUDA's, of cuComplex.h, under HIP's names.
#ifndef SIMT_HIP_COMPLEX_H
#define SIMT_HIP_COMPLEX_H
#include "hip_runtime.h"

#include <cuComplex.h>
#define hipComplex cuComplex
#define hipFloatComplex cuFloatComplex
#define hipDoubleComplex cuDoubleComplex
#define make_hipComplex make_cuComplex
#define make_hipFloatComplex make_cuFloatComplex
#define make_hipDoubleComplex make_cuDoubleComplex
#define hipCrealf cuCrealf
#define hipCimagf cuCimagf
#define hipCaddf cuCaddf
#define hipCsubf cuCsubf
#define hipCmulf cuCmulf
#define hipCdivf cuCdivf
#define hipCabsf cuCabsf
#define hipConjf cuConjf
#define hipCreal cuCreal
#define hipCimag cuCimag
#define hipCadd cuCadd
#define hipCsub cuCsub
#define hipCmul cuCmul
#define hipCdiv cuCdiv
#define hipCabs cuCabs
#define hipConj cuConj
#endif
