// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/layout.hpp"
#include "core/plan.hpp"
#include "ops/elementwise/all.hpp"
#include "ops/kernels/cpu/cast.hpp"
#include "ops/kernels/cpu/fill.hpp"
#include "ops/kernels/table.hpp"

// The kernels of every level that this machine runs, against scalar loops over the same functors:
// random plans of every rank and kind of stride, and sizes around the edges of blocks.

namespace skerry {
namespace {

using indices = std::vector<std::int64_t>;

struct level {
  const char* name;
  void (*fill)(kernel_table&);
};

std::vector<level> levels() {
  std::vector<level> all;
#if defined(SKERRY_WITH_CPU_v2)
  all.push_back({"v2", cpu::fill_v2});
#endif
#if defined(SKERRY_WITH_CPU_v3)
  if (__builtin_cpu_supports("x86-64-v3")) all.push_back({"v3", cpu::fill_v3});
#endif
#if defined(SKERRY_WITH_CPU_v4)
  if (__builtin_cpu_supports("x86-64-v4")) all.push_back({"v4", cpu::fill_v4});
#endif
  return all;
}

/// An array somewhere in a block of bytes whose rest must stay untouched.
struct array {
  layout at;
  std::int64_t itemsize = 0;
  std::vector<char> bytes;

  char* data() { return bytes.data() + at.offset; }
  char* item(const indices& index) {
    char* place = data();
    for (int a = 0; a < at.rank(); ++a) {
      const auto from_end = static_cast<std::size_t>(at.rank() - a);
      if (at.shape[a] > 1) place += index[index.size() - from_end] * at.strides[a];
    }
    return place;
  }
  plan_operand operand() {
    return {.data = data(), .where = &at, .itemsize = itemsize, .value = {}};
  }
};

template <class T>
T random_value(std::mt19937_64& random) {
  const auto small = static_cast<int>(random() % 41) - 20;
  if constexpr (std::is_same_v<T, bool>) {
    return random() % 2 == 0;
  } else if constexpr (ops::complex_floating<T>) {
    using R = typename T::value_type;
    return {random_value<R>(random), random_value<R>(random)};
  } else if constexpr (ops::real_floating<T>) {
    if (random() % 64 == 0) return std::numeric_limits<T>::quiet_NaN();
    return static_cast<T>(small) / T(8);
  } else {
    return static_cast<T>(random() % 16 == 0 ? static_cast<int>(random()) : small);
  }
}

enum class kind { output, input };

/// Axes in any order, with gaps, backwards, and for inputs broadcast or missing; at an odd address.
template <class T>
array random_array(std::mt19937_64& random, const indices& shape, kind what) {
  array result{.at = {}, .itemsize = sizeof(T), .bytes = {}};
  int rank = static_cast<int>(shape.size());
  if (what == kind::input && random() % 8 == 0)
    rank = static_cast<int>(random() % (shape.size() + 1));
  std::vector<int> order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  if (random() % 3 == 0) std::shuffle(order.begin(), order.end(), random);
  result.at.shape = dims(rank);
  result.at.strides = dims(rank);
  std::int64_t stride = sizeof(T);
  if (random() % 4 == 0) stride *= 2;
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    const std::int64_t n = shape[shape.size() - static_cast<std::size_t>(rank - *axis)];
    const bool repeats = what == kind::input && random() % 5 == 0;
    result.at.shape[*axis] = repeats ? 1 : n;
    result.at.strides[*axis] = stride;
    if (repeats) continue;
    stride *= n;
    if (random() % 4 == 0) stride += static_cast<std::int64_t>(sizeof(T) * (random() % 4));
    if (random() % 8 == 0) {
      result.at.offset += (n - 1) * result.at.strides[*axis];
      result.at.strides[*axis] *= -1;
    }
  }
  const std::int64_t margin = 64 + static_cast<std::int64_t>(random() % 2);
  result.at.offset += margin;
  result.bytes.resize(static_cast<std::size_t>(stride + 2 * margin));
  for (std::int64_t at = margin; at + result.itemsize <= stride + margin; at += result.itemsize) {
    const T value = random_value<T>(random);
    std::memcpy(result.bytes.data() + at, &value, sizeof value);
  }
  return result;
}

indices random_shape(std::mt19937_64& random) {
  static constexpr std::int64_t sizes[] = {1,  2,  3,  4,  5,   7,   8,   15,   16,   17,    31,
                                           32, 33, 63, 65, 127, 128, 129, 1000, 4097, 100003};
  indices shape;
  std::int64_t left = 130000;
  for (auto rank = random() % 6; rank > 0; --rank) {
    std::int64_t n = sizes[random() % std::size(sizes)];
    if (n > left) n = sizes[random() % 4];
    shape.push_back(n);
    left = std::max<std::int64_t>(left / n, 1);
  }
  std::shuffle(shape.begin(), shape.end(), random);
  return shape;
}

template <class F>
void for_each_index(const indices& shape, F&& f) {
  std::int64_t size = 1;
  for (const auto n : shape) size *= n;
  indices index(shape.size(), 0);
  for (std::int64_t i = 0; i < size; ++i) {
    f(index);
    for (auto a = shape.size(); a-- > 0;) {
      if (++index[a] < shape[a]) break;
      index[a] = 0;
    }
  }
}

template <class T>
T read(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Equal, or both NaN, or as near as two implementations of a function are.
template <class T>
bool near(T a, T b, double tolerance) {
  if constexpr (ops::complex_floating<T>) {
    if (std::hypot(a.re - b.re, a.im - b.im) <= tolerance * std::hypot(b.re, b.im)) return true;
    return near(a.re, b.re, tolerance) && near(a.im, b.im, tolerance);
  } else if constexpr (ops::real_floating<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b || std::abs(a - b) <= tolerance * std::abs(b);
  } else {
    return a == b;
  }
}

template <class T>
constexpr double tolerance_of(bool expensive) {
  if (!expensive) return 0;
  return sizeof(ops::real_part_t<T>) == 4 ? 1e-6 : 2e-15;
}

/// Runs `kernel` over random plans of an output R and inputs T...; `scalar` computes one element.
template <class R, class... T, class F>
void check_plans(const kernel& tested, std::uint64_t seed, int rounds, double tolerance,
                 F&& scalar) {
  ASSERT_NE(tested.host, nullptr);
  std::mt19937_64 random(seed);
  for (int round = 0; round < rounds; ++round) {
    const indices shape = random_shape(random);
    array out = random_array<R>(random, shape, kind::output);
    array in[] = {random_array<T>(random, shape, kind::input)...};
    const std::vector<char> before = out.bytes;
    std::vector<plan_operand> operands = {out.operand()};
    for (array& x : in) operands.push_back(x.operand());
    if (random() % 4 == 0) {  // the last one by value
      plan_operand& last = operands.back();
      std::memcpy(last.value.bytes, last.data, static_cast<std::size_t>(last.itemsize));
      std::memset(&std::end(in)[-1].at.strides[0], 0,
                  sizeof(std::int64_t) * static_cast<std::size_t>(std::end(in)[-1].at.rank()));
      last.data = nullptr;
      last.where = nullptr;
    }
    plan_parts parts(out.at.shape, operands);
    parts.for_each([&](const plan& part) { tested.host(&part); });
    std::vector<char> expected = before;
    int wrong = 0;
    for_each_index(shape, [&](const indices& index) {
      const R want = [&]<std::size_t... K>(std::index_sequence<K...>) {
        return scalar(read<T>(in[K].item(index))...);
      }(std::index_sequence_for<T...>{});
      char* place = out.item(index);
      if (!near(read<R>(place), want, tolerance)) ++wrong;
      std::memcpy(expected.data() + (place - out.bytes.data()), place, sizeof(R));
    });
    ASSERT_EQ(wrong, 0) << "round " << round << ", shape " << to_string(out.at.shape);
    ASSERT_EQ(expected, out.bytes) << "round " << round << ": wrote beside the output";
  }
}

class cpu_kernels : public testing::TestWithParam<level> {
 protected:
  void SetUp() override { GetParam().fill(*table_); }
  std::unique_ptr<kernel_table> table_ = std::make_unique<kernel_table>();
};

template <class Op, class T>
void check_operation(const kernel_table& table, int index, int rounds) {
  SCOPED_TRACE(std::string(Op::info.name) + " of " + name(dtype_of<T>));
  const kernel& tested = table.elementwise.loop[index][static_cast<int>(dtype_of<T>)];
  // The modulus of a complex number is vectorised hypot, as inexact as the functions that say so.
  constexpr bool is_modulus = ops::same_v<Op, ops::abs> && ops::complex_floating<T>;
  const double tolerance = tolerance_of<T>(Op::info.expensive || is_modulus);
  if constexpr (ops::supports<Op, T, 1>) {
    check_plans<ops::result_t<Op, T>, T>(tested, 1, rounds, tolerance, Op{});
  } else if constexpr (ops::supports<Op, T, 2>) {
    check_plans<ops::result_t<Op, T, T>, T, T>(tested, 2, rounds, tolerance, Op{});
  } else if constexpr (ops::supports<Op, T, 3>) {
    check_plans<ops::result_t<Op, T, T, T>, T, T, T>(tested, 3, rounds, tolerance, Op{});
  } else {
    EXPECT_EQ(tested.host, nullptr);
  }
}

TEST_P(cpu_kernels, cover_random_plans_of_every_arity_and_item_size) {
  constexpr int add = unary_count + ops::index_of<ops::add, ops::binary_ops>;
  constexpr int less = unary_count + ops::index_of<ops::less, ops::binary_ops>;
  constexpr int clip = unary_count + binary_count;
  constexpr int abs = ops::index_of<ops::abs, ops::unary_ops>;
  constexpr int exp = ops::index_of<ops::exp, ops::unary_ops>;
  check_operation<ops::add, int8>(*table_, add, 40);
  check_operation<ops::add, uint16>(*table_, add, 40);
  check_operation<ops::add, float32>(*table_, add, 80);
  check_operation<ops::add, float64>(*table_, add, 40);
  check_operation<ops::add, complex64>(*table_, add, 30);
  check_operation<ops::add, complex128>(*table_, add, 40);
  check_operation<ops::less, float32>(*table_, less, 40);
  check_operation<ops::less, int64>(*table_, less, 30);
  check_operation<ops::clip, int16>(*table_, clip, 40);
  check_operation<ops::clip, float64>(*table_, clip, 40);
  check_operation<ops::abs, complex128>(*table_, abs, 30);
  check_operation<ops::abs, int32>(*table_, abs, 40);
  check_operation<ops::exp, float32>(*table_, exp, 20);
}

template <class T, class... Ops>
void check_list(const kernel_table& table, int first, ops::type_list<Ops...>) {
  (check_operation<Ops, T>(table, first++, 2), ...);
}
template <class T>
void check_all(const kernel_table& table) {
  check_list<T>(table, 0, ops::unary_ops{});
  check_list<T>(table, unary_count, ops::binary_ops{});
  check_list<T>(table, unary_count + binary_count, ops::ternary_ops{});
}

TEST_P(cpu_kernels, compute_what_the_functors_say) {
  check_all<bool>(*table_);
  check_all<int8>(*table_);
  check_all<uint64>(*table_);
  check_all<float32>(*table_);
  check_all<float64>(*table_);
  check_all<complex64>(*table_);
}

TEST_P(cpu_kernels, work_in_place) {
  constexpr int add = unary_count + ops::index_of<ops::add, ops::binary_ops>;
  for (const std::int64_t n : {1, 31, 33, 4097, 100003}) {
    std::vector<float> x(static_cast<std::size_t>(2 * n));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 1000);
    for (const std::int64_t step : {4, 8}) {
      std::vector<float> y = x;
      const layout at{.shape = dims{n}, .strides = dims{step}};
      const plan_operand all = {reinterpret_cast<char*>(y.data()), &at, 4, {}};
      const plan_operand operands[] = {all, all, all};
      const plan_parts parts(at.shape, operands);
      table_->elementwise.loop[add][static_cast<int>(dtype::float32)].host(&parts.first());
      for (std::int64_t i = 0; i < n; ++i) {
        const auto k = static_cast<std::size_t>(i * step / 4);
        ASSERT_EQ(y[k], 2 * x[k]) << n << ' ' << i;
      }
    }
  }
}

template <class T>
void check_moves(const kernel_table& table, int rounds) {
  SCOPED_TRACE(name(dtype_of<T>));
  const int size = size_class(sizeof(T));
  check_plans<T, T>(table.moves.copy[size], 4, rounds, 0, [](T x) { return x; });
  check_plans<T, bool, T, T>(table.moves.where[size], 5, rounds, 0,
                             [](bool condition, T a, T b) { return condition ? a : b; });
}

TEST_P(cpu_kernels, move_items_of_every_size) {
  check_moves<uint8>(*table_, 40);
  check_moves<int16>(*table_, 40);
  check_moves<float32>(*table_, 40);
  check_moves<int64>(*table_, 40);
  check_moves<complex128>(*table_, 40);
}

template <class From, class To>
void check_cast(const kernel_table& table) {
  const kernel& tested =
      table.elementwise.cast[static_cast<int>(dtype_of<From>)][static_cast<int>(dtype_of<To>)];
  SCOPED_TRACE(std::string(name(dtype_of<From>)) + " to " + name(dtype_of<To>));
  if constexpr (ops::complex_floating<From> && ops::real_numeric<To>) {
    EXPECT_EQ(tested.host, nullptr);
  } else {
    check_plans<To, From>(tested, 6, 3, 0, [](From x) { return kernels::convert<To>{}(x); });
  }
}
template <class From>
void check_casts(const kernel_table& table) {
#define SKERRY_CHECK(name, type, kind, typestr) check_cast<From, type>(table);
  SKERRY_FOR_EACH_DTYPE(SKERRY_CHECK)
#undef SKERRY_CHECK
}

TEST_P(cpu_kernels, cast_between_all_dtypes) {
#define SKERRY_CHECK(name, type, kind, typestr) check_casts<type>(*table_);
  SKERRY_FOR_EACH_DTYPE(SKERRY_CHECK)
#undef SKERRY_CHECK
}

TEST_P(cpu_kernels, casts_of_unfit_floats_give_the_least_integer) {
  const double unfit[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300};
  const plan_operand from = {reinterpret_cast<const char*>(unfit), nullptr, 8, {}};
  for (const double value : unfit) {
    std::int64_t to = 0;
    const layout one{};
    const plan_operand operands[] = {{reinterpret_cast<char*>(&to), &one, 8, {}},
                                     plan_operand::of(element::of(value), from.itemsize)};
    const plan_parts parts(one.shape, operands);
    table_->elementwise.cast[static_cast<int>(dtype::float64)][static_cast<int>(dtype::int64)].host(
        &parts.first());
    EXPECT_EQ(to, INT64_MIN) << value;
  }
}

/// Coalescing isn't needed for a right result, so axes are only ordered.
struct reduction_case {
  reduce_params params{};
  std::vector<std::pair<std::int64_t, std::int64_t>> kept, reduced;  ///< (stride, extent)

  void split(const layout& at, std::mt19937_64& random, std::size_t most_reduced) {
    for (int a = 0; a < at.rank(); ++a) {
      if (at.shape[a] == 1) continue;
      const bool is_kept = random() % 2 == 0 || reduced.size() == most_reduced;
      (is_kept ? kept : reduced).emplace_back(at.strides[a], at.shape[a]);
    }
    const auto by_stride = [](const auto& a, const auto& b) {
      return std::abs(a.first) < std::abs(b.first);
    };
    std::sort(kept.begin(), kept.end(), by_stride);
    std::sort(reduced.begin(), reduced.end(), by_stride);
  }

  void describe(const char* input, std::int64_t output_step) {
    params.input = input;
    params.kept_size = params.reduced_size = 1;
    for (const auto& [stride, n] : kept) {
      params.kept_shape[params.kept_rank] = n;
      params.kept_strides[params.kept_rank] = stride;
      params.output_strides[params.kept_rank++] = params.kept_size * output_step;
      params.kept_size *= n;
    }
    for (const auto& [stride, n] : reduced) {
      params.reduced_shape[params.reduced_rank] = n;
      params.reduced_strides[params.reduced_rank++] = stride;
      params.reduced_size *= n;
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

/// One after the other, floating sums in double.
template <class Op, class T>
auto reduce_plainly(const reduce_params& p, std::int64_t output) {
  using K = ops::kernel_of_t<Op>;
  using A = ops::accumulator_t<K, T>;
  const char* base = p.input + offset_of(output, p.kept_rank, p.kept_shape, p.kept_strides);
  A total = K::template identity<A>();
  complex128 exact;
  for (std::int64_t i = 0; i < p.reduced_size; ++i) {
    const T x = read<T>(base + offset_of(i, p.reduced_rank, p.reduced_shape, p.reduced_strides));
    if constexpr (rounds_sums<Op, T>) {
      exact = exact + complex128(kernels::convert<complex128>{}(x));
    } else {
      total = K::combine(total, ops::load_at<K>(x, i));
    }
  }
  if constexpr (rounds_sums<Op, T>) total = kernels::convert<A>{}(A(exact.re));
  if constexpr (rounds_sums<Op, T> && ops::complex_floating<T>) total = A(exact);
  return Op::finish(total, ops::reduced{p.reduced_size, p.correction, p.is_other});
}

template <class Op, class T>
void check_reduction(const kernel_table& table, int rounds) {
  SCOPED_TRACE(std::string(Op::info.name) + " of " + name(dtype_of<T>));
  const kernel& tested =
      table.reduce.loop[ops::index_of<Op, ops::reductions>][static_cast<int>(dtype_of<T>)];
  ASSERT_NE(tested.host, nullptr);
  using R = decltype(reduce_plainly<Op, T>(reduce_params{}, 0));
  std::mt19937_64 random(7);
  for (int round = 0; round < rounds; ++round) {
    array x = random_array<T>(random, random_shape(random), kind::input);
    if constexpr (std::is_same_v<Op, ops::all> || rounds_sums<Op, T>) {
      // No NaN to hide a wrong sum; mostly true elements for `all`.
      for (char& byte : x.bytes) byte = static_cast<char>(byte & 0x3f);
      if constexpr (std::is_same_v<T, bool>) std::fill(x.bytes.begin(), x.bytes.end(), 1);
    }
    reduction_case work;
    work.split(x.at, random, ops::takes_index<Op> ? 1 : 64);
    work.params.is_other = !std::is_same_v<Op, ops::kernel_of_t<Op>>;
    const std::int64_t step = static_cast<std::int64_t>(sizeof(R)) * (1 + round % 2);
    work.describe(x.data(), step);
    std::vector<char> out(static_cast<std::size_t>(work.params.kept_size * step));
    work.params.output = out.data();
    tested.host(&work.params);
    for (std::int64_t i = 0; i < work.params.kept_size; ++i) {
      const R want = reduce_plainly<Op, T>(work.params, i);
      const R got = read<R>(out.data() + i * step);
      const double tolerance = rounds_sums<Op, T> ? 100 * tolerance_of<T>(true) : 0;
      ASSERT_TRUE(near(got, want, tolerance))
          << "round " << round << ", shape " << to_string(x.at.shape) << ", output " << i;
    }
  }
}

TEST_P(cpu_kernels, reduce_over_any_axes) {
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

TEST_P(cpu_kernels, reduce_runs_of_every_length) {
  for (const std::int64_t n :
       {0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 4095, 4096, 4097, 100003, 1000003}) {
    std::vector<std::int64_t> x(static_cast<std::size_t>(n + 1));
    std::iota(x.begin(), x.end(), 0);
    std::int64_t total = -1;
    reduce_params p{};
    p.input = reinterpret_cast<const char*>(x.data());
    p.output = reinterpret_cast<char*>(&total);
    p.kept_size = 1;
    p.reduced_size = n;
    p.reduced_rank = n == 1 ? 0 : 1;
    p.reduced_shape[0] = n;
    p.reduced_strides[0] = 8;
    table_->reduce.loop[ops::index_of<ops::sum, ops::reductions>][static_cast<int>(dtype::int64)]
        .host(&p);
    EXPECT_EQ(total, n * (n - 1) / 2) << n;
  }
}

TEST_P(cpu_kernels, fill_sequences_and_bands) {
  std::vector<std::int16_t> x(70001);
  sequence_params s{};
  s.output = reinterpret_cast<char*>(x.data());
  s.size = static_cast<std::int64_t>(x.size());
  s.start = element::of<std::int64_t>(-5);
  s.step = element::of<std::int64_t>(-3);
  table_->sequence.loop[static_cast<int>(dtype::int16)].host(&s);
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(x[i], static_cast<std::int16_t>(-5 - 3 * static_cast<std::int64_t>(i))) << i;
  }
  const std::int64_t far = INT64_MAX;
  for (const auto& [lower, upper] : {std::pair{-far, std::int64_t{0}},
                                     {-1L, 1L},
                                     {2L, far},
                                     {-far - 1, far},
                                     {3L, 1L},
                                     {100L, far},
                                     {-far, -100L}}) {
    std::vector<char> band(7 * 5, 9);
    const band_params b{band.data(), 7, 5, lower, upper};
    table_->moves.band.host(&b);
    for (std::int64_t i = 0; i < 35; ++i) {
      const std::int64_t diagonal = i % 5 - i / 5;
      EXPECT_EQ(band[static_cast<std::size_t>(i)], lower <= diagonal && diagonal <= upper)
          << lower << ' ' << upper << ' ' << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(levels, cpu_kernels, testing::ValuesIn(levels()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace skerry
