// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/layout.hpp"
#include "core/plan.hpp"
#include "ops/call/kernel.hpp"
#include "ops/math/concepts.hpp"
#include "ops/table/table.hpp"
#include "tests/ops/unbuilt.hpp"

// Compares kernels with scalar functions on random arrays. Arrays have a dtype instead of a C++
// type, so that only one small function per operation is compiled.

namespace skerry::random_plans {

using indices = std::vector<std::int64_t>;

/// A level of this build that the machine supports.
struct Level {
  const char* name;
  void (*fill)(KernelTable&);
};
std::vector<Level> levels();

/// A test of the kernels of one level.
class OfLevel : public ::testing::TestWithParam<Level> {
 protected:
  void SetUp() override { GetParam().fill(*table_); }
  std::unique_ptr<KernelTable> table_ = std::make_unique<KernelTable>();
};
inline std::string level_name(const ::testing::TestParamInfo<Level>& info) {
  return info.param.name;
}

/// An array inside a block of bytes; a kernel must not write outside of the array.
struct Array {
  Layout layout;
  std::int64_t itemsize = 0;
  std::vector<char> bytes;

  char* data() { return bytes.data() + layout.offset; }
  char* item(const indices& index) {
    char* element = data();
    for (int a = 0; a < layout.rank(); ++a) {
      const auto from_end = static_cast<std::size_t>(layout.rank() - a);
      if (layout.shape[a] > 1) element += index[index.size() - from_end] * layout.strides[a];
    }
    return element;
  }
  PlanOperand operand() {
    return {.data = data(), .layout = &layout, .itemsize = itemsize, .value = {}};
  }
};

enum class Kind { output, input };

/// Returns an array whose axes are in any order and may have gaps or be reversed; inputs may also
/// be broadcast or have fewer axes. It may be misaligned.
Array random_array(std::mt19937_64& random, Dtype type, const indices& shape, Kind array_kind);
indices random_shape(std::mt19937_64& random);

template <class T>
T read(const char* source) {
  T value;
  std::memcpy(&value, source, sizeof value);
  return value;
}

/// True if the elements are equal, both NaN, or within the relative error `tolerance`.
bool is_near(Dtype type, const char* a, const char* b, double tolerance);
/// Returns the tolerance for functions that aren't exact: several units in the last place.
double tolerance_of(Dtype type);

/// Computes one element of an output from one of each input.
using scalar_function = void (*)(char* out, const char* const* in);

template <class Op, class R, class... T>
void apply_scalar(char* out, const char* const* in) {
  const R result = [in]<std::size_t... K>(std::index_sequence<K...>) -> R {
    return ops::evaluate<Op>(read<T>(in[K])...);
  }(std::index_sequence_for<T...>{});
  std::memcpy(out, &result, sizeof result);
}

/// Runs a kernel over random plans and compares every element of the output with `scalar`'s. Fails
/// if the kernel writes anything else.
void check_plans(const Kernel<Plan>& tested, std::uint64_t seed, int rounds, double tolerance,
                 Dtype output, std::span<const Dtype> inputs, scalar_function scalar);

/// The same, compared with the functor Op.
template <class Op, class R, class... T>
void check_functor(const Kernel<Plan>& tested, std::uint64_t seed, int rounds, double tolerance) {
  if (!tested.has_host()) {
    SKERRY_SKIP_UNBUILT(dtype_of<R>, dtype_of<T>...);
  }
  const Dtype inputs[] = {dtype_of<T>...};
  check_plans(tested, seed, rounds, tolerance, dtype_of<R>, inputs, apply_scalar<Op, R, T...>);
}

}  // namespace skerry::random_plans
