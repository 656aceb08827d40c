// SPDX-License-Identifier: MIT
//
// nvstd::function and other things that hold a function. nvcc: its header is not in every toolkit.
// nvcc: skip
#include <nvfunctional>
#include <cstdio>
#include <utility>
__device__ int twice(int x) { return 2 * x; }
struct Acc {
  int base;
  __device__ int operator()(int x) const { return base + x; }
};
__device__ nvstd::function<int(int)> adder(int n) {
  return [n](int x) { return x + n; };
}
template <typename F> struct Defer {
  F f;
  __device__ Defer(F g) : f(g) {}
  __device__ ~Defer() { f(); }
};
template <typename F, typename... A>
__device__ auto call(F &&f, A &&...a) -> decltype(f(std::forward<A>(a)...)) {
  return f(std::forward<A>(a)...);
}
struct Mat {
  float m[2][2];
  __host__ __device__ constexpr float det() const { return m[0][0] * m[1][1] - m[0][1] * m[1][0]; }
  __host__ __device__ Mat operator*(const Mat &o) const {
    Mat r{};
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++)
        for (int k = 0; k < 2; k++) r.m[i][j] += m[i][k] * o.m[k][j];
    return r;
  }
  __host__ __device__ explicit operator bool() const { return det() != 0; }
  __device__ float &operator()(int i, int j) { return m[i][j]; }
};
template <typename T, int N> struct Stack {
  T d[N];
  int n = 0;
  __device__ bool push(T v) {
    if (n == N) return false;
    d[n++] = std::move(v);
    return true;
  }
  __device__ T pop() { return d[--n]; }
  struct It {
    T *p;
    __device__ T &operator*() { return *p; }
    __device__ It &operator++() {
      p++;
      return *this;
    }
    __device__ bool operator!=(It o) const { return p != o.p; }
  };
  __device__ It begin() { return {d}; }
  __device__ It end() { return {d + n}; }
};
__global__ void k() {
  nvstd::function<int(int)> f = twice;
  printf("%d ", f(21));
  f = Acc{100};
  printf("%d ", f(1));
  f = adder(7);
  printf("%d ", f(1));
  nvstd::function<int(int)> g;
  printf("%d %d\n", (bool)g, (bool)f);
  g = [&](int x) { return f(f(x)); };
  printf("%d\n", g(0));
  nvstd::function<int(int)> tab[3] = {twice, Acc{5}, [](int x) { return -x; }};
  for (auto &h : tab) printf("%d ", h(10));
  printf("\n");
  int x = 0;
  {
    Defer d([&] {
      x++;
      printf("deferred %d\n", x);
    });
    x = 41;
  }
  printf("%d\n", call([](int a, float b) { return a * b; }, 3, 1.5f) > 4);
  Mat a{{{1, 2}, {3, 4}}}, b = a * a;
  printf("%g %g %d\n", b(1, 1), b.det(), (bool)Mat{});
  constexpr Mat c{{{2, 0}, {0, 3}}};
  static_assert(c.det() == 6);
  Stack<int, 4> s;
  for (int i = 0; i < 6; i++) printf("%d", s.push(i * i));
  int t = 0;
  for (int v : s) t += v;
  printf(" %d %d %d\n", t, s.pop(), s.n);
  auto rec = [](auto self, int n) -> int { return n <= 1 ? 1 : n * self(self, n - 1); };
  printf("%d\n", rec(rec, 6));
  auto cnt = [n = 0]() mutable { return ++n; };
  cnt();
  cnt();
  printf("%d\n", cnt());
  auto compose = [](auto f, auto g) { return [=](auto x) { return f(g(x)); }; };
  printf("%d\n", compose([](int a) { return a + 1; }, [](int a) { return a * 10; })(4));
}
int main() {
  k<<<1, 1>>>();
  printf("%d\n", cudaDeviceSynchronize());
}
