// SPDX-License-Identifier: MIT
// env: SIMT_DEVICES=3
// env: SIMT_NCCL_SECONDS=1
// nvcc: skip
// stderr: ncclAllReduce of rank 0 waits for ranks 1, 2, and this process has no other thread
// stderr: A thread that makes the calls of several ranks puts them between ncclGroupStart()
// stderr: ncclAllReduce of rank 0 waits for ranks 1, 2, and it was not called within 1 seconds
// stderr: the id of rank 0 was not made by ncclGetUniqueId() of this process
//
// What hangs on a GPU, or is undefined there, and what NCCL refuses: each an error with a sentence.
#include <nccl.h>

#include <cstdio>
#include <thread>

static ncclComm_t comms[3];
static float *on[3], *host;

static void say(const char *what, ncclResult_t result) {
  printf("%s: %s\n", what, result ? ncclGetErrorString(result) : "fine");
  if (result) printf("  %s\n", result == ncclRemoteError ? "-" : ncclGetLastError(nullptr));
}

static ncclResult_t reduce(int r, size_t count, ncclRedOp_t op = ncclSum) {
  return ncclAllReduce(on[r], on[r], count, ncclFloat, op, comms[r], 0);
}

// A communicator whose call has failed cannot be used any more.
static void again() {
  for (ncclComm_t &c : comms) {
    ncclCommDestroy(c);
    c = nullptr;
  }
  ncclCommInitAll(comms, 3, nullptr);
}

static void without_group() {
  say("no group", reduce(0, 4));
  say("after it", reduce(1, 4));
  again();
  ncclGroupStart();
  reduce(0, 4);
  reduce(1, 4);
  say("two of three", ncclGroupEnd());
  again();
  say("a send alone", ncclSend(on[0], 4, ncclFloat, 1, comms[0], 0));
  again();
}

static void unlike() {
  ncclGroupStart();
  for (int r = 0; r < 3; r++) reduce(r, r == 2 ? 5 : 4);
  say("another count", ncclGroupEnd());
  again();
  ncclGroupStart();
  for (int r = 0; r < 3; r++) reduce(r, 4, r == 1 ? ncclMax : ncclSum);
  say("another operation", ncclGroupEnd());
  again();
  ncclGroupStart();
  ncclSend(on[0], 4, ncclFloat, 1, comms[0], 0);
  ncclRecv(on[1], 3, ncclFloat, 0, comms[1], 0);
  say("more is sent than received", ncclGroupEnd());
  again();
}

static void arguments() {
  const int twice[] = {0, 1, 1}, beyond[] = {0, 1, 7};
  ncclComm_t other[3];
  ncclUniqueId id = {"simt 1 1"};
  say("a device twice", ncclCommInitAll(other, 3, twice));
  say("no such device", ncclCommInitAll(other, 3, beyond));
  say("another's memory", ncclAllReduce(on[1], on[0], 4, ncclFloat, ncclSum, comms[0], 0));
  say("too many", reduce(0, 1000));
  say("memory of the host", ncclAllReduce(host, on[0], 4, ncclFloat, ncclSum, comms[0], 0));
  say("no such type", ncclAllReduce(on[0], on[0], 4, (ncclDataType_t)77, ncclSum, comms[0], 0));
  say("no such rank", ncclBroadcast(on[0], on[0], 4, ncclFloat, 3, comms[0], 0));
  say("no communicator", ncclAllReduce(on[0], on[0], 4, ncclFloat, ncclSum, nullptr, 0));
  cudaStream_t of_0;
  cudaSetDevice(0);
  cudaStreamCreate(&of_0);
  say("another's stream", ncclAllReduce(on[1], on[1], 4, ncclFloat, ncclSum, comms[1], of_0));
  say("no group is open", ncclGroupEnd());
  const ncclResult_t result = ncclCommInitRank(&other[0], 2, id, 0);
  printf("an id of another process: %s\n", ncclGetErrorString(result));
}

// The other thread is there, and never makes the call.
static void late() {
  std::thread idle([] { std::this_thread::sleep_for(std::chrono::seconds(2)); });
  say("a thread that never calls", reduce(0, 4));
  idle.join();
}

int main() {
  host = new float[4];
  for (int d = 0; d < 3; d++) {
    cudaSetDevice(d);
    cudaMalloc(&on[d], 5 * sizeof(float));
    cudaMemset(on[d], 0, 5 * sizeof(float));
  }
  again();
  without_group();
  unlike();
  arguments();
  ncclGroupStart();
  for (int r = 0; r < 3; r++) reduce(r, 4);
  say("all as it should be", ncclGroupEnd());
  late();
}
