// SPDX-License-Identifier: MIT
// Lesson 13 over several processes: each rank of an MPI program has a GPU, and
// a share of the numbers in its memory. It adds its share up there; what is
// left goes to all ranks by MPI_Allreduce. Twice: as a float, whose last bits
// depend on the number of ranks, and as lesson 11's whole numbers, whose sum
// does not.
//
//   make run LESSON=13 RANKS=4 [N=2^24]
//
// Exit status 0 only if both sums are right. A rank that fails ends all of
// them.
#define OMPI_SKIP_MPICXX // C's interface is enough
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "exact.cuh"
#include "inputs.h"

enum { BLOCK = 256, DIGITS = number_format<float>::DIGITS };

typedef struct share { // of one rank
  unsigned first, count;
  float *host, *in; // [count]
  float *partials, *out;
  float_state *state;
} share;

static void must(bool ok) {
  if (!ok) MPI_Abort(MPI_COMM_WORLD,
                     1); // the error is printed; the other ranks must not wait
}

//! [gpu]
// The ranks of one machine take its GPUs in turn.
static void choose_gpu() {
  MPI_Comm machine;
  int place, n_gpus;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  MPI_Comm_rank(machine, &place);
  must(WB_OK(cudaGetDeviceCount(&n_gpus)) && WB_OK(cudaSetDevice(place % n_gpus)));
  MPI_Comm_free(&machine);
}
//! [gpu]

static share make_share(unsigned n, uint64_t seed, unsigned rank, unsigned n_ranks) {
  const unsigned each = n / n_ranks, rest = n % n_ranks;
  share s = {rank * each + (rank < rest ? rank : rest), each + (rank < rest ? 1 : 0), nullptr};
  const size_t bytes = s.count * sizeof *s.host;
  s.host = (float *)malloc(bytes + 1);
  must(s.host != nullptr && WB_OK(cudaMalloc(&s.in, bytes + 1)) &&
       WB_OK(cudaMalloc(&s.partials, MOST_BLOCKS * sizeof(float))) &&
       WB_OK(cudaMalloc(&s.out, sizeof(float))) && WB_OK(cudaMalloc(&s.state, sizeof *s.state)));
  wb_fill_floats_at(WB_INPUT_MIXED, s.host, s.first, s.count, n, seed);
  must(WB_OK(cudaMemcpy(s.in, s.host, bytes, cudaMemcpyHostToDevice)));
  return s;
}

//! [float]
static float sum_of_floats(const share *s) {
  const unsigned grid = blocks_for(s->count, BLOCK);
  const pointers mine = {.of = {s->partials}};
  float sum, all;
  sum_share<<<grid, BLOCK>>>(s->in, s->partials, s->count);
  add_partials<<<1, BLOCK>>>(mine, s->out, 1, grid);
  must(WB_OK(cudaMemcpy(&sum, s->out, sizeof sum, cudaMemcpyDeviceToHost)));
  MPI_Allreduce(&sum, &all, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  return all;
}
//! [float]

//! [whole]
static float sum_of_whole_numbers(const share *s) {
  const size_t bytes = BLOCK * GROUPS * sizeof(double); // a column for each thread
  const states mine = {.of = {s->state}};
  float_state state;
  float sum;
  must(WB_OK(cudaFuncSetAttribute(add_exactly, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  (int)bytes)) &&
       WB_OK(cudaMemset(s->state, 0, sizeof state)));
  add_exactly<<<blocks_for(s->count, BLOCK), BLOCK, bytes>>>(s->in, s->state, s->count);
  must(WB_OK(cudaMemcpy(&state, s->state, sizeof state, cudaMemcpyDeviceToHost)));
  MPI_Allreduce(MPI_IN_PLACE, state.digit, DIGITS, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &state.seen, 1, MPI_UNSIGNED, MPI_BOR, MPI_COMM_WORLD);
  must(WB_OK(cudaMemcpy(s->state, &state, sizeof state, cudaMemcpyHostToDevice)));
  round_states<<<1, WARP_SIZE>>>(mine, s->out, 1);
  must(WB_OK(cudaMemcpy(&sum, s->out, sizeof sum, cudaMemcpyDeviceToHost)));
  return sum;
}
//! [whole]

// Whether both are right: sums of these inputs are exact in double (inputs.h).
static bool is_right(const share *s, unsigned n, float floats, float whole) {
  wb_totals totals = {};
  wb_totals_add(&totals, s->host, s->count);
  double sums[2] = {wb_totals_sum(&totals), totals.sum_abs};
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const double error = fabs((double)floats - sums[0]);
  return whole == (float)sums[0] && error <= wb_bound_sum(wb_depth_serial(n), sums[1]);
}

static void release(share *s) {
  cudaFree(s->in);
  cudaFree(s->partials);
  cudaFree(s->out);
  cudaFree(s->state);
  free(s->host);
}

static bool read_arguments(int argc, char **argv, uint64_t *n, uint64_t *seed) {
  for (int i = 1; i < argc; i += 2) {
    uint64_t *value = strcmp(argv[i], "--n") == 0      ? n
                      : strcmp(argv[i], "--seed") == 0 ? seed
                                                       : nullptr;
    if (value == nullptr || i + 1 == argc || !wb_parse_count(argv[i + 1], 1u << 29, value))
      return false;
  }
  return true;
}

int main(int argc, char **argv) {
  int rank, n_ranks;
  uint64_t n = 1 << 20, seed = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  const bool understood = read_arguments(argc, argv, &n, &seed);
  bool right = false;
  if (!understood && rank == 0)
    fprintf(stderr, "ranks takes --n and --seed, each a whole number up to 2^29\n");
  if (understood) {
    choose_gpu();
    share s = make_share((unsigned)n, seed, (unsigned)rank, (unsigned)n_ranks);
    const float floats = sum_of_floats(&s), whole = sum_of_whole_numbers(&s);
    right = is_right(&s, (unsigned)n, floats, whole);
    if (rank == 0)
      printf("%d ranks, %u elements: floats %a, whole numbers, rounded once, "
             "%a: %s\n",
             n_ranks, (unsigned)n, (double)floats, (double)whole, right ? "right" : "WRONG");
    release(&s);
  }
  MPI_Finalize();
  return right ? 0 : understood ? 1 : 2;
}
