// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/layout.hpp"
#include "core/storage.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/move/cpu/cast.hpp"
#include "ops/reduce/reductions.hpp"
#include "ops/table/table.hpp"
#include "tests/ops/random_plans.hpp"
#include "tests/ops/unbuilt.hpp"

// Compares the reductions of every level that this machine supports with one accumulator
// that processes one element after the other.

namespace skerry {
namespace {

using random_plans::Array;
using random_plans::Kind;
using random_plans::read;

class CpuReduce : public random_plans::OfLevel {};

/// A storage over memory that the test owns.
class BorrowedMemory final : public Storage {
 public:
  explicit BorrowedMemory(char* data) noexcept : Storage(data, 0, Device{}) {}

 private:
  void destroy() noexcept override { delete this; }
};

ReduceParams params_of(const ReductionAxes& axes, char* input, char* output) {
  MemoryUse uses[OperandList::max_uses];
  OperandList operands(Device{}, uses);
  const StorageRef input_memory(new BorrowedMemory(input));
  const StorageRef output_memory(new BorrowedMemory(output));
  return {{.input = operands(input_memory), .output = operands(output_memory)}, axes, 0, nullptr};
}

/// The axes of a reduction, sorted by stride. They are not coalesced, which does not change
/// results.
struct ReductionCase {
  ReductionAxes axes{};
  std::vector<std::pair<std::int64_t, std::int64_t>> retained_axes, reduced;  ///< (stride, extent)

  void split(const Layout& layout, std::mt19937_64& random, std::size_t max_reduced) {
    for (int a = 0; a < layout.rank(); ++a) {
      if (layout.shape[a] == 1) continue;
      const bool is_retained = random() % 2 == 0 || reduced.size() == max_reduced;
      (is_retained ? retained_axes : reduced).emplace_back(layout.strides[a], layout.shape[a]);
    }
    const auto by_stride = [](const auto& a, const auto& b) {
      return std::abs(a.first) < std::abs(b.first);
    };
    std::sort(retained_axes.begin(), retained_axes.end(), by_stride);
    std::sort(reduced.begin(), reduced.end(), by_stride);
  }

  void describe(std::int64_t output_step) {
    axes.retained_size = axes.reduced_size = 1;
    for (const auto& [stride, n] : retained_axes) {
      axes.retained_shape[axes.retained_rank] = n;
      axes.retained_strides[axes.retained_rank] = stride;
      axes.output_strides[axes.retained_rank++] = axes.retained_size * output_step;
      axes.retained_size *= n;
    }
    for (const auto& [stride, n] : reduced) {
      axes.reduced_shape[axes.reduced_rank] = n;
      axes.reduced_strides[axes.reduced_rank++] = stride;
      axes.reduced_size *= n;
    }
  }
};

std::int64_t offset_of(std::int64_t index, int rank, const std::int64_t* shape,
                       const std::int64_t* strides) {
  std::int64_t offset = 0;
  for (int a = 0; a < rank; ++a) {
    offset += index % shape[a] * strides[a];
    index /= shape[a];
  }
  return offset;
}

template <class Op, class T>
constexpr bool rounds_sums =
    ops::floating<T> && (std::is_same_v<Op, ops::sum> || std::is_same_v<Op, ops::mean>);

/// Sums of stored-only dtypes are rounded once; they may differ by one unit in the last place.
template <class Op, class T>
double tolerance_of() {
  if (!rounds_sums<Op, T>) return 0;
  return (ops::stored_only<T> ? 1 : 100) * random_plans::tolerance_of(dtype_of<T>);
}

/// Reduces one element after the other, floating-point sums in double.
template <class Op, class T>
auto reduce_plainly(const ReduceParams& p, std::int64_t output) {
  using A = ops::accumulator_t<Op, T>;
  const char* base =
      p.input + offset_of(output, p.retained_rank, p.retained_shape, p.retained_strides);
  A total = Op::template identity<A>();
  complex128 exact;
  for (std::int64_t i = 0; i < p.reduced_size; ++i) {
    const T x = read<T>(base + offset_of(i, p.reduced_rank, p.reduced_shape, p.reduced_strides));
    if constexpr (rounds_sums<Op, T>) {
      exact = exact + complex128(kernels::convert<complex128>{}(x));
    } else {
      total = Op::combine(total, ops::load_at<Op>(x, i));
    }
  }
  if constexpr (rounds_sums<Op, T>) total = kernels::convert<A>{}(A(exact.re));
  if constexpr (rounds_sums<Op, T> && ops::complex_floating<T>) total = A(exact);
  return ops::finish_as<Op, ops::reduced_t<Op, T>>(total, {p.reduced_size, p.correction});
}

template <class Op, class T>
void reduce_scalar(const ReduceParams& p, std::int64_t output, char* destination) {
  const auto result = reduce_plainly<Op, T>(p, output);
  std::memcpy(destination, &result, sizeof result);
}

/// A reduction of one dtype, and how its result is checked.
struct Subject {
  const Kernel<ReduceParams>& tested;
  Dtype input;
  Dtype result;
  bool is_one_axis;
  bool is_mostly_true;  ///< no NaN to hide a wrong sum; mostly true elements for `all`
  double tolerance;
  void (*scalar)(const ReduceParams& p, std::int64_t output, char* destination);
};

void check_round(const Subject& subject, std::mt19937_64& random, int round) {
  Array x = random_array(random, subject.input, random_plans::random_shape(random), Kind::input);
  if (subject.is_mostly_true) {
    for (char& byte : x.bytes) byte = static_cast<char>(byte & 0x3f);
    if (subject.input == Dtype::bool_) std::fill(x.bytes.begin(), x.bytes.end(), 1);
  }
  ReductionCase reduction_case;
  reduction_case.split(x.layout, random, subject.is_one_axis ? 1 : 64);
  const std::int64_t step = skerry::itemsize(subject.result) * (1 + round % 2);
  reduction_case.describe(step);
  std::vector<char> out(static_cast<std::size_t>(reduction_case.axes.retained_size * step));
  const ReduceParams params = params_of(reduction_case.axes, x.data(), out.data());
  run_on_host(subject.tested, params);
  for (std::int64_t i = 0; i < params.retained_size; ++i) {
    alignas(16) char want[16];
    subject.scalar(params, i, want);
    ASSERT_TRUE(
        random_plans::is_near(subject.result, out.data() + i * step, want, subject.tolerance))
        << "round " << round << ", shape " << to_string(x.layout.shape) << ", output " << i;
  }
}

template <class Op, class T>
void check_reduction(const KernelTable& table, int rounds) {
  SKERRY_SKIP_UNBUILT(dtype_of<T>);
  SCOPED_TRACE(std::string(Op::info.name) + " of " + name(dtype_of<T>));
  const Subject subject = {
      .tested =
          table.reduce.kernel[ops::index_of<Op, ops::reductions>][static_cast<int>(dtype_of<T>)],
      .input = dtype_of<T>,
      .result = dtype_of<decltype(reduce_plainly<Op, T>(std::declval<const ReduceParams&>(), 0))>,
      .is_one_axis = ops::takes_index<Op>,
      .is_mostly_true = std::is_same_v<Op, ops::all> || rounds_sums<Op, T>,
      .tolerance = tolerance_of<Op, T>(),
      .scalar = reduce_scalar<Op, T>};
  ASSERT_TRUE(subject.tested.has_host());
  std::mt19937_64 random(7);
  for (int round = 0; round < rounds; ++round) {
    check_round(subject, random, round);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_P(CpuReduce, reduce_over_any_axes) {
  check_reduction<ops::sum, float32>(*table_, 150);
  check_reduction<ops::sum, int8>(*table_, 60);
  check_reduction<ops::sum, bool>(*table_, 40);
  check_reduction<ops::sum, uint64>(*table_, 40);
  check_reduction<ops::mean, float64>(*table_, 60);
  check_reduction<ops::mean, complex64>(*table_, 40);
  check_reduction<ops::sum, complex128>(*table_, 40);
  check_reduction<ops::prod, int32>(*table_, 40);
  check_reduction<ops::max, float32>(*table_, 60);
  check_reduction<ops::min, float64>(*table_, 40);
  check_reduction<ops::max, uint8>(*table_, 40);
  check_reduction<ops::min, int64>(*table_, 40);
  check_reduction<ops::argmax, float32>(*table_, 60);
  check_reduction<ops::argmin, float64>(*table_, 40);
  check_reduction<ops::argmin, int8>(*table_, 40);
  check_reduction<ops::argmax, uint64>(*table_, 40);
  check_reduction<ops::count_nonzero, bool>(*table_, 40);
  check_reduction<ops::count_nonzero, int8>(*table_, 40);
  check_reduction<ops::count_nonzero, complex64>(*table_, 40);
  check_reduction<ops::any, float32>(*table_, 40);
  check_reduction<ops::all, bool>(*table_, 40);
  check_reduction<ops::all, int16>(*table_, 40);
}

template <class T>
void check_stored_only(const KernelTable& table) {
  check_reduction<ops::sum, T>(table, 100);
  check_reduction<ops::mean, T>(table, 40);
  check_reduction<ops::max, T>(table, 60);
  check_reduction<ops::argmin, T>(table, 60);
  check_reduction<ops::count_nonzero, T>(table, 40);
  check_reduction<ops::any, T>(table, 40);
  check_reduction<ops::all, T>(table, 40);
  check_reduction<ops::argmax, T>(table, 60);
  check_reduction<ops::min, T>(table, 60);
}

TEST_P(CpuReduce, reduce_stored_only_dtypes_over_any_axes) {
  check_stored_only<float16>(*table_);
  check_stored_only<bfloat16>(*table_);
}

TEST_P(CpuReduce, reduce_runs_of_every_length) {
  SKERRY_SKIP_UNBUILT(Dtype::int64);
  for (const std::int64_t n :
       {0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 4095, 4096, 4097, 100003, 1000003}) {
    std::vector<std::int64_t> x(static_cast<std::size_t>(n + 1));
    std::iota(x.begin(), x.end(), 0);
    std::int64_t total = -1;
    ReductionAxes axes{};
    axes.retained_size = 1;
    axes.reduced_size = n;
    axes.reduced_rank = n == 1 ? 0 : 1;
    axes.reduced_shape[0] = n;
    axes.reduced_strides[0] = 8;
    const auto& sums = table_->reduce.kernel[ops::index_of<ops::sum, ops::reductions>];
    run_on_host(
        sums[static_cast<int>(Dtype::int64)],
        params_of(axes, reinterpret_cast<char*>(x.data()), reinterpret_cast<char*>(&total)));
    EXPECT_EQ(total, n * (n - 1) / 2) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(levels, CpuReduce, testing::ValuesIn(random_plans::levels()),
                         random_plans::level_name);

}  // namespace
}  // namespace skerry
