// SPDX-License-Identifier: MIT
// ranks.cu - a sum over the ranks of an MPI program, each with a GPU of its own: element i is i %
// 7, the ranks share n elements, also when n is no multiple of their number.
//
//   ranks N [MISTAKE]   what rank 1 does instead of adding up: killed, fails, leaves, waits,
//                       never-starts
#include <mpi.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

__global__ void sum(long long first, long long end, unsigned long long *total) {
  unsigned long long mine = 0;
  for (long long i = first + blockIdx.x * blockDim.x + threadIdx.x; i < end;
       i += (long long)gridDim.x * blockDim.x)
    mine += (unsigned long long)(i % 7);
  atomicAdd(total, mine);
}

static void go_wrong(const char *how) {
  if (!strcmp(how, "killed")) raise(SIGKILL);
  if (!strcmp(how, "fails")) exit(3);
  if (!strcmp(how, "leaves")) exit(0);
  for (; !strcmp(how, "waits");) sleep(1);
}

int main(int argc, char **argv) {
  const char *mistake = argc > 2 ? argv[2] : "", *number = getenv("OMPI_COMM_WORLD_RANK");
  if (!strcmp(mistake, "never-starts") && number && !strcmp(number, "1")) return 0;
  MPI_Init(&argc, &argv);
  int rank, n_ranks, n_devices;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  if (rank == 1) go_wrong(mistake);

  const long long n = argc > 1 ? atoll(argv[1]) : 1000, share = n / n_ranks, rest = n % n_ranks;
  const long long first = rank * share + (rank < rest ? rank : rest);
  const long long end = first + share + (rank < rest);
  unsigned long long *total, mine = 0, all = 0;
  cudaGetDeviceCount(&n_devices);
  cudaSetDevice(rank % n_devices);
  cudaMalloc(&total, sizeof *total);
  cudaMemset(total, 0, sizeof *total);
  sum<<<2, 64>>>(first, end, total);
  if (cudaMemcpy(&mine, total, sizeof mine, cudaMemcpyDeviceToHost) != cudaSuccess)
    MPI_Abort(MPI_COMM_WORLD, 4);
  MPI_Allreduce(&mine, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  printf("rank %d of %d: %lld elements, sum of all %llu\n", rank, n_ranks, end - first, all);
  cudaFree(total);
  MPI_Finalize();
}
