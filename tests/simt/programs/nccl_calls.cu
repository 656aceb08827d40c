// SPDX-License-Identifier: MIT
// env: SIMT_DEVICES=4
// flags: -lnccl
// nvcc: skip
// unmeasured: by NCCL's reference, not yet run on GPUs
//
// Every collective of NCCL between four devices: what it stores where, by hand; in place and not;
// of one thread with groups, and of a thread for each rank; sends and receives.
#include <nccl.h>

#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

enum { N = 4, COUNT = 6 };

#define NCCL(call)                                                                                 \
  do {                                                                                             \
    ncclResult_t r_ = (call);                                                                      \
    if (r_ != ncclSuccess) printf("%s: %s\n", #call, ncclGetErrorString(r_));                      \
  } while (0)

static ncclComm_t comms[N];
static cudaStream_t streams[N];

template <typename T> struct on_all { // an array on each device
  T *at[N];
  size_t n;
  explicit on_all(size_t n) : n(n) {
    for (int d = 0; d < N; d++) {
      cudaSetDevice(d);
      cudaMalloc(&at[d], n * sizeof(T));
      std::vector<T> values(n);
      for (size_t i = 0; i < n; i++) values[i] = (T)((d + 1) * 10 + (int)i);
      cudaMemcpy(at[d], values.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    }
  }
  ~on_all() {
    for (int d = 0; d < N; d++) cudaFree(at[d]);
  }
  void show(const char *what) {
    for (int d = 0; d < N; d++) {
      std::vector<T> values(n);
      cudaSetDevice(d);
      cudaStreamSynchronize(streams[d]);
      cudaMemcpy(values.data(), at[d], n * sizeof(T), cudaMemcpyDeviceToHost);
      printf("%s, rank %d:", what, d);
      for (T v : values) printf(" %g", (double)v);
      printf("\n");
    }
  }
};

template <typename F> static void grouped(F call) {
  NCCL(ncclGroupStart());
  for (int r = 0; r < N; r++) call(r);
  NCCL(ncclGroupEnd());
}

template <typename T> static void reductions(ncclDataType_t type, const char *name) {
  static const char *const ops[] = {"sum", "product", "maximum", "minimum", "average"};
  for (int op = ncclSum; op <= ncclAvg; op++) {
    on_all<T> a(2), b(2);
    grouped([&](int r) {
      NCCL(ncclAllReduce(a.at[r], b.at[r], 2, type, (ncclRedOp_t)op, comms[r], streams[r]));
    });
    T value[2];
    cudaMemcpy(value, b.at[3], sizeof value, cudaMemcpyDeviceToHost);
    printf("%s %s: %.10g %.10g\n", name, ops[op], (double)value[0], (double)value[1]);
  }
}

static void collectives() {
  on_all<float> a(COUNT), all(N * COUNT), part(2);
  grouped([&](int r) {
    NCCL(ncclAllReduce(a.at[r], a.at[r], COUNT, ncclFloat, ncclSum, comms[r], streams[r]));
  });
  a.show("all-reduce in place");
  on_all<float> b(COUNT);
  grouped([&](int r) {
    NCCL(ncclReduce(b.at[r], b.at[r], COUNT, ncclFloat, ncclMax, 2, comms[r], streams[r]));
  });
  b.show("reduce to rank 2");
  grouped([&](int r) {
    NCCL(ncclBroadcast(r == 2 ? b.at[r] : nullptr, b.at[r], COUNT, ncclFloat, 2, comms[r],
                       streams[r]));
  });
  b.show("broadcast from rank 2");
  on_all<float> c(COUNT);
  grouped([&](int r) {
    NCCL(ncclAllGather(c.at[r], all.at[r], COUNT, ncclFloat, comms[r], streams[r]));
  });
  all.show("all-gather");
  on_all<float> d(2 * N);
  grouped([&](int r) {
    NCCL(ncclReduceScatter(d.at[r], part.at[r], 2, ncclFloat, ncclSum, comms[r], streams[r]));
  });
  part.show("reduce-scatter");
  on_all<int> e(3), from(3);
  grouped([&](int r) {
    NCCL(ncclSend(e.at[r], 3, ncclInt, (r + 1) % N, comms[r], streams[r]));
    NCCL(ncclRecv(from.at[r], 3, ncclInt, (r + 3) % N, comms[r], streams[r]));
  });
  from.show("from the rank before");
}

// As bits: 1.5 and 0.5 of four ranks.
static void halves(ncclDataType_t type, const char *name, unsigned one_and_a_half, unsigned half) {
  uint16_t *a[N], *b[N];
  printf("%s:", name);
  for (int r = 0; r < N; r++) {
    const uint16_t value[2] = {(uint16_t)one_and_a_half, (uint16_t)half};
    cudaSetDevice(r);
    cudaMalloc(&a[r], sizeof value);
    cudaMalloc(&b[r], sizeof value);
    cudaMemcpy(a[r], value, sizeof value, cudaMemcpyHostToDevice);
  }
  for (int op = ncclSum; op <= ncclAvg; op++) {
    uint16_t value[2];
    grouped([&](int r) {
      NCCL(ncclAllReduce(a[r], b[r], 2, type, (ncclRedOp_t)op, comms[r], streams[r]));
    });
    cudaMemcpy(value, b[1], sizeof value, cudaMemcpyDeviceToHost);
    printf(" %04x %04x", value[0], value[1]);
  }
  printf("\n");
}

// The order of additions is the ring's: 1 + 2^24 + 1 depends on it.
static void order() {
  const float values[N] = {16777216.f, 1.f, 1.f, 1.f};
  float *a[N], sums[N];
  for (int r = 0; r < N; r++) {
    cudaSetDevice(r);
    cudaMalloc(&a[r], sizeof sums);
    const float four[N] = {values[r], values[r], values[r], values[r]};
    cudaMemcpy(a[r], four, sizeof four, cudaMemcpyHostToDevice);
  }
  grouped(
      [&](int r) { NCCL(ncclAllReduce(a[r], a[r], N, ncclFloat, ncclSum, comms[r], streams[r])); });
  for (int r = 0; r < N; r++) {
    cudaMemcpy(sums, a[r], sizeof sums, cudaMemcpyDeviceToHost);
    printf("order, rank %d: %.1f %.1f %.1f %.1f\n", r, sums[0], sums[1], sums[2], sums[3]);
    cudaFree(a[r]);
  }
}

// A thread for each rank, as programs with OpenMP have it: no groups.
static void threads() {
  ncclUniqueId id;
  NCCL(ncclGetUniqueId(&id));
  on_all<double> a(3);
  std::thread ranks[N];
  for (int r = 0; r < N; r++)
    ranks[r] = std::thread([&, r] {
      ncclComm_t comm;
      int n = 0, device = -1, rank = -1;
      cudaSetDevice(r);
      NCCL(ncclCommInitRank(&comm, N, id, r));
      for (int i = 0; i < 5; i++)
        NCCL(ncclAllReduce(a.at[r], a.at[r], 3, ncclDouble, i ? ncclMax : ncclSum, comm, 0));
      NCCL(ncclCommCount(comm, &n));
      NCCL(ncclCommCuDevice(comm, &device));
      NCCL(ncclCommUserRank(comm, &rank));
      if (n != N || device != r || rank != r) printf("rank %d is %d of %d\n", r, rank, n);
      NCCL(ncclCommDestroy(comm));
    });
  for (auto &t : ranks) t.join();
  a.show("threads");
}

int main() {
  int version = 0;
  NCCL(ncclGetVersion(&version));
  printf("NCCL 2: %d\n", version / 10000 == 2 && version == NCCL_VERSION_CODE);
  NCCL(ncclCommInitAll(comms, N, nullptr));
  for (int d = 0; d < N; d++) {
    cudaSetDevice(d);
    cudaStreamCreate(&streams[d]);
  }
  collectives();
  reductions<int8_t>(ncclInt8, "int8");
  reductions<uint8_t>(ncclUint8, "uint8");
  reductions<int>(ncclInt32, "int32");
  reductions<unsigned>(ncclUint32, "uint32");
  reductions<long long>(ncclInt64, "int64");
  reductions<unsigned long long>(ncclUint64, "uint64");
  reductions<float>(ncclFloat32, "float32");
  reductions<double>(ncclFloat64, "float64");
  halves(ncclFloat16, "float16", 0x3e00, 0x3800);
  halves(ncclBfloat16, "bfloat16", 0x3fc0, 0x3f00);
  order();
  threads();
  for (int r = 0; r < N; r++) NCCL(ncclCommDestroy(comms[r]));
}
