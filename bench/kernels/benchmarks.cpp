// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include "bench/kernels/benchmarks.hpp"

#include <benchmark/benchmark.h>

#include <cmath>
#include <exception>
#include <type_traits>
#include <utility>

#include "device/cpu/info.hpp"
#include "device/registry.hpp"
#include "device/stream.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/result.hpp"
#include "ops/move/copy.hpp"

namespace skerry::bench {
namespace {

template <class T>
T random_element(std::uint64_t bits, std::uint64_t bound) {
  if constexpr (std::is_same_v<T, bool>) {
    return bits >> 63 != 0;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(bound == 0 ? bits >> (65 - 8 * sizeof(T)) : (bits >> 20) % bound);
  } else {
    return T(bound == 0 ? double(bits >> 11) * 0x1p-53 : double((bits >> 20) % bound));
  }
}

void measure(benchmark::State& state, const Benchmark& row, const Point& point) {
  try {
    const Arrays operands = row.operands(point);
    // Warm up: the first call compiles, loads libraries and faults in pages.
    std::int64_t nbytes = row.call(point, operands).nbytes();
    for (const NdArray& operand : operands) nbytes += operand.nbytes();
    synchronize(point.device);
    for (auto _ : state) {
      benchmark::DoNotOptimize(row.call(point, operands));
      synchronize(point.device);
    }
    state.SetItemsProcessed(state.iterations() * point.size);
    state.SetBytesProcessed(state.iterations() * nbytes);
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

void add(const std::string& family, const Benchmarks& rows, Device device) {
  for (const Benchmark& row : rows) {
    for (const Dtype dtype : row.dtypes) {
      if (!is_built(dtype)) continue;
      for (const std::int64_t size : row.sizes) {
        const std::string name = family + "/" + row.name + "/" + skerry::name(dtype) + "/" +
                                 std::to_string(size) + "/" + to_string(device);
        const Point point{.dtype = dtype, .size = size, .device = device};
        benchmark::RegisterBenchmark(name.c_str(), [row, point](benchmark::State& state) {
          measure(state, row, point);
        })->UseRealTime();
      }
    }
  }
}

}  // namespace

NdArray random_array(const Point& point, const Dims& shape, Dtype dtype, std::uint64_t bound) {
  NdArray result = empty(shape, dtype, {DeviceKind::cpu, 0});
  visit(dtype, [&]<class T>(type_identity<T> /*type_tag*/) {
    T* const elements = reinterpret_cast<T*>(result.data());
    std::uint64_t bits = 42;  // Knuth's MMIX generator: fast, with random upper bits
    for (std::int64_t i = 0; i < result.size(); ++i) {
      bits = bits * 6364136223846793005U + 1442695040888963407U;
      elements[i] = random_element<T>(bits, bound);
    }
  });
  return to_device(result, point.device);
}

std::int64_t side(const Point& point) { return std::llround(std::sqrt(double(point.size))); }

}  // namespace skerry::bench

int main(int count, char** arguments) {
  using namespace skerry;
  const std::pair<const char*, bench::Benchmarks> families[] = {
      {"bins", bench::bins_benchmarks()},
      {"create", bench::create_benchmarks()},
      {"elementwise", bench::elementwise_benchmarks()},
      {"fourier", bench::fourier_benchmarks()},
      {"linear", bench::linear_benchmarks()},
      {"move", bench::move_benchmarks()},
      {"random", bench::random_benchmarks()},
      {"reduce", bench::reduce_benchmarks()},
      {"scan", bench::scan_benchmarks()},
      {"select", bench::select_benchmarks()},
      {"sort", bench::sort_benchmarks()},
  };
  benchmark::AddCustomContext("cpu kernels", cpu::to_string(kernel_level()));
  for (const DeviceKind device_kind : {DeviceKind::cpu, cuda_kind}) {
    if (device_count(device_kind) == 0) continue;
    const Device device{device_kind, 0};
    benchmark::AddCustomContext(to_string(device), describe(device).name);
    for (const auto& [family, rows] : families) bench::add(family, rows, device);
  }
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
