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
#include <bit>
#include <cstdint>
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
  const std::int64_t chunks = count < threads ? count : threads;
  for (std::int64_t i = 0; i < chunks; ++i) {
    body(context, count * i / chunks, count * (i + 1) / chunks);
  }
}

}  // namespace skerry::cpu

namespace {

using namespace skerry;
using namespace skerry::kernels;

/// SortParams as they are laid out: only a launch makes them, of arrays, and there are none here.
struct RawParams {
  const char* input;
  char* output;
  char* scratch;
  std::int64_t slots;
  std::int64_t rows;
  std::int64_t length;
  bool descending;
};

template <class T>
struct SortCase {
  int64 rows, length;
  std::vector<T> in, out, scratch;

  SortCase(int64 r, int64 n) : rows(r), length(n), in(r * n), out(r * n), scratch(r * n + 64) {
    std::mt19937_64 random(42);
    std::normal_distribution<double> normal;
    for (T& x : in) x = ops::real_floating<T> ? T(normal(random)) : T(random());
  }

  void sort_by_skerry() {
    run_sort<T, false>(
        std::bit_cast<SortParams>(RawParams{.input = reinterpret_cast<const char*>(in.data()),
                                            .output = reinterpret_cast<char*>(out.data()),
                                            .scratch = reinterpret_cast<char*>(scratch.data()),
                                            .slots = 1,
                                            .rows = rows,
                                            .length = length,
                                            .descending = false}));
  }
  void sort_by_library() {
    const int64 size = sizeof(T);
    const int64 runs = rows == 1 ? parallel_runs(length) : 1;
    const int64 run = ceil_div(length, runs);
    T* source = __builtin_ctzll(static_cast<uint64>(runs)) % 2 != 0 ? scratch.data() : out.data();
    T* destination = source == out.data() ? scratch.data() : out.data();
    std::memcpy(source, in.data(), static_cast<std::size_t>(rows * length * size));
    for (int64 offset = 0; offset < rows * length; offset += run) {
      const int64 n = minimum(run, rows * length - offset);
      x86simdsortStatic::qsort(source + offset, static_cast<std::size_t>(n), ops::real_floating<T>);
    }
    using U = row_item_t<T>;
    using K = typename SortKey<U>::type;
    for (int64 width = run; runs > 1 && width < length; width *= 2) {
      merge_runs<U>(reinterpret_cast<const K*>(source), reinterpret_cast<K*>(destination), length,
                    width, RowOrder::create<T>(false));
      std::swap(source, destination);
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
  SortCase<T> sort_case(rows, length);
  double best[2] = {1e9, 1e9};
  std::vector<T> sorted;
  for (int round = 0; round < 20; ++round) {
    for (int implementation = 0; implementation < 2; ++implementation) {
      const double begin = now();
      implementation == 0 ? sort_case.sort_by_skerry() : sort_case.sort_by_library();
      best[implementation] = std::min(best[implementation], now() - begin);
      if (round == 0 && implementation == 0) sorted = sort_case.out;
      if (sort_case.out != sorted) std::puts("The results differ.");
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
