// SPDX-License-Identifier: MIT
// Objects with constructors and destructors that are passed by value: the function has the object
// that its caller has made and destroys.
#include <cstdio>
#include <utility>

struct counted {
  int *alive;
  __device__ counted(int *n) : alive(n) { ++*alive; }
  __device__ counted(const counted &other) : alive(other.alive) { ++*alive; }
  __device__ counted(counted &&other) : alive(other.alive) { other.alive = nullptr; }
  __device__ ~counted() {
    if (alive) --*alive;
  }
};
template <class T> class list {
  T *items = nullptr;
  int n = 0;

public:
  __device__ list() {}
  __device__ list(const list &other) {
    for (int i = 0; i < other.n; i++) push(other.items[i]);
  }
  __device__ ~list() { delete[] items; }
  __device__ void push(T value) {
    T *more = new T[n + 1];
    for (int i = 0; i < n; i++) more[i] = items[i];
    more[n++] = value;
    delete[] items;
    items = more;
  }
  __device__ T sum() const {
    T s = 0;
    for (int i = 0; i < n; i++) s += items[i];
    return s;
  }
};
namespace space {
struct self {
  int value = 3;
  int *own = &value;
  __device__ self() {}
  __device__ self(const self &other) : value(other.value + 1), own(&value) {}
  __device__ ~self() { *own = 0; }
};
} // namespace space

__device__ counted pass(counted c) { return c; }
__device__ __noinline__ int hold(counted c) {
  counted mine = std::move(c);
  return *mine.alive;
}
__device__ __noinline__ float extended(list<float> l, int n) {
  for (int i = 0; i < n; i++) l.push(i + 0.5f);
  return l.sum();
}
__device__ __noinline__ int depth(counted c, int n) { return n ? depth(c, n - 1) : *c.alive; }
__device__ int own(space::self s) { return *s.own * 10 + (s.own == &s.value); }
struct base {
  __device__ virtual int take(counted c) = 0;
};
struct derived : base {
  __device__ int take(counted c) override { return hold(std::move(c)); }
};
__device__ base *volatile held;
struct plain {
  int a[5];
};
__device__ __noinline__ int change(plain p, int i) {
  p.a[i] += 100;
  return p.a[i];
}

__global__ void count(int *out) {
  int alive = 0;
  {
    counted a(&alive);
    counted b = pass(std::move(a));
    out[0] = alive;
    counted c = pass(b);
    out[1] = hold(c) * 10 + alive;
    out[2] = depth(c, 4) * 10 + alive;
    derived d;
    held = &d;
    out[3] = held->take(c) * 10 + alive;
    auto keeps = [c]() { return *c.alive; };
    out[4] = [](auto f) { return f(); }(keeps)*10 + alive;
    int (*volatile pointer)(counted) = hold;
    out[5] = pointer(c) * 10 + alive;
  }
  out[6] = alive;
  out[7] = own(space::self());
}
__global__ void others(int n) {
  list<float> l;
  l.push(1);
  const float more = extended(l, n);
  printf("%g %g\n", more, l.sum());
  plain p = {{1, 2, 3, 4, 5}};
  const int changed = change(p, n);
  printf("%d %d\n", changed, p.a[n]);
}

int main() {
  int *out;
  cudaMallocManaged(&out, 8 * sizeof *out);
  count<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 8; i++) printf("%d%c", out[i], i < 7 ? ' ' : '\n');
  others<<<1, 1>>>(3);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(out);
}
