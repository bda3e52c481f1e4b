// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// skerry's sort by vectors beside that of x86-simd-sort, whose sources are in NumPy's source
// distribution:
//   g++ -std=c++20 -O3 -march=x86-64-v3 -fno-math-errno -fno-trapping-math -DSKERRY_TARGET=v3 -I. \
//     -isystem numpy-2.4.6/numpy/_core/src/npysort/x86-simd-sort/src bench/vector_sort.cpp &&
//     ./a.out [threads]
// Milliseconds of work, best of several in turn. More threads than one: what they would do
// together, on one of them, so that other work on the machine does not matter; the library's sorted
// runs are merged by skerry's merges.

#include "ops/sort/cpu/sort.hpp"
#include "x86simdsort-static-incl.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <utility>
#include <vector>

static int threads = 1;

namespace skerry::cpu {

int thread_count() noexcept { return threads; }

void parallel_for(std::int64_t count, std::int64_t /*grain*/,
                  void (*body)(void*, std::int64_t, std::int64_t) noexcept,
                  void* context) noexcept {
  const std::int64_t pieces = count < threads ? count : threads;
  for (std::int64_t i = 0; i < pieces; ++i) {
    body(context, count * i / pieces, count * (i + 1) / pieces);
  }
}

}  // namespace skerry::cpu

namespace {

using namespace skerry;
using namespace skerry::kernels;

template <class T>
struct Problem {
  int64 rows, length;
  std::vector<T> in, out, spare;

  Problem(int64 r, int64 n) : rows(r), length(n), in(r * n), out(r * n), spare(r * n + 64) {
    std::mt19937_64 random(42);
    std::normal_distribution<double> normal;
    for (T& x : in) x = ops::real_floating<T> ? T(normal(random)) : T(random());
  }

  void sort_by_skerry() {
    const SortParams p{reinterpret_cast<const char*>(in.data()),
                       reinterpret_cast<char*>(out.data()),
                       reinterpret_cast<char*>(spare.data()),
                       1,
                       rows,
                       length,
                       false};
    run_sort<T, false>(&p);
  }
  void sort_by_library() {
    const int64 size = sizeof(T);
    const int64 runs = rows == 1 ? parallel_runs(length) : 1;
    const int64 run = ceil_div(length, runs);
    T* from = __builtin_ctzll(static_cast<uint64>(runs)) % 2 != 0 ? spare.data() : out.data();
    T* to = from == out.data() ? spare.data() : out.data();
    std::memcpy(from, in.data(), static_cast<std::size_t>(rows * length * size));
    for (int64 at = 0; at < rows * length; at += run) {
      const int64 n = least(run, rows * length - at);
      x86simdsortStatic::qsort(from + at, static_cast<std::size_t>(n), ops::real_floating<T>);
    }
    using U = ops::unsigned_stand_in_t<T>;
    using K = typename SortKey<U>::type;
    for (int64 width = run; runs > 1 && width < length; width *= 2) {
      merge_runs<U>(reinterpret_cast<const K*>(from), reinterpret_cast<K*>(to), length, width,
                    RowOrder::of<T>(false));
      std::swap(from, to);
    }
  }
};

double now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) * 1e3 + double(time.tv_nsec) * 1e-6;
}

template <class T>
void compare(const char* dtype, int64 rows, int64 length) {
  Problem<T> work(rows, length);
  double best[2] = {1e9, 1e9};
  std::vector<T> sorted;
  for (int round = 0; round < 20; ++round) {
    for (int which = 0; which < 2; ++which) {
      const double begin = now();
      which == 0 ? work.sort_by_skerry() : work.sort_by_library();
      best[which] = std::min(best[which], now() - begin);
      if (round == 0 && which == 0) sorted = work.out;
      if (work.out != sorted) std::puts("The results differ.");
    }
  }
  std::printf("%-8s %6ld x %-8ld skerry %8.3f  library %8.3f\n", dtype, long(rows), long(length),
              best[0], best[1]);
}

}  // namespace

int main(int count, char** arguments) {
  threads = count > 1 ? std::atoi(arguments[1]) : 1;
  const int64 shapes[][2] = {{100'000, 8}, {100'000, 32},  {10'000, 100}, {1000, 1000},
                             {1, 100'000}, {1, 1'000'000}, {1, 4'000'000}};
  for (const auto& [rows, length] : shapes) {
    compare<float32>("float32", rows, length);
    compare<float64>("float64", rows, length);
    compare<int64>("int64", rows, length);
    compare<uint64>("uint64", rows, length);
  }
}
