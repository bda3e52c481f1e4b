// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/random_plans.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <type_traits>

#include "device/cpu/info.hpp"
#include "ops/kernel/pointer_plan.hpp"
#include "ops/math/concepts.hpp"
#include "ops/table/cpu/fill.hpp"

namespace skerry::random_plans {
namespace {

template <class T>
T random_value(std::mt19937_64& random) {
  const auto small = static_cast<int>(random() % 41) - 20;
  if constexpr (std::is_same_v<T, bool>) {
    return random() % 2 == 0;
  } else if constexpr (ops::complex_floating<T>) {
    using R = typename T::value_type;
    return {random_value<R>(random), random_value<R>(random)};
  } else if constexpr (ops::real_floating<T>) {
    using W = ops::computed_t<T>;
    if (random() % 64 == 0) return T(std::numeric_limits<W>::quiet_NaN());
    return T(static_cast<W>(small) / W(8));
  } else {
    return static_cast<T>(random() % 16 == 0 ? static_cast<int>(random()) : small);
  }
}

void put_random(std::mt19937_64& random, Dtype type, char* destination) {
  switch (type) {
#define SKERRY_PUT(name, type, kind, typestr)       \
  case Dtype::name: {                               \
    const type value = random_value<type>(random);  \
    std::memcpy(destination, &value, sizeof value); \
    break;                                          \
  }
    SKERRY_FOR_EACH_DTYPE(SKERRY_PUT)
#undef SKERRY_PUT
  }
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
bool near_values(T a, T b, double tolerance) {
  if constexpr (ops::complex_floating<T>) {
    if (std::hypot(a.re - b.re, a.im - b.im) <= tolerance * std::hypot(b.re, b.im)) return true;
    return near_values(a.re, b.re, tolerance) && near_values(a.im, b.im, tolerance);
  } else if constexpr (ops::real_floating<T>) {
    const auto x = static_cast<ops::computed_t<T>>(a);
    const auto y = static_cast<ops::computed_t<T>>(b);
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
    return x == y || std::abs(x - y) <= tolerance * std::abs(y);
  } else {
    return a == b;
  }
}

}  // namespace

std::vector<Level> levels() {
  std::vector<Level> all;
#if defined(SKERRY_WITH_CPU_generic)
  all.push_back({"generic", cpu::fill_generic});
#endif
#if defined(SKERRY_WITH_CPU_v8)
  if (cpu::supported_isa() >= cpu::Isa::v8) all.push_back({"v8", cpu::fill_v8});
#endif
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

Array random_array(std::mt19937_64& random, Dtype type, const indices& shape, Kind array_kind) {
  const std::int64_t itemsize = skerry::itemsize(type);
  Array result{.layout = {}, .itemsize = itemsize, .bytes = {}};
  int rank = static_cast<int>(shape.size());
  if (array_kind == Kind::input && random() % 8 == 0)
    rank = static_cast<int>(random() % (shape.size() + 1));
  std::vector<int> order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  if (random() % 3 == 0) std::shuffle(order.begin(), order.end(), random);
  result.layout.shape = Dims(rank);
  result.layout.strides = Dims(rank);
  std::int64_t stride = itemsize;
  if (random() % 4 == 0) stride *= 2;
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    const std::int64_t n = shape[shape.size() - static_cast<std::size_t>(rank - *axis)];
    const bool repeats = array_kind == Kind::input && random() % 5 == 0;
    result.layout.shape[*axis] = repeats ? 1 : n;
    result.layout.strides[*axis] = stride;
    if (repeats) continue;
    stride *= n;
    if (random() % 4 == 0) stride += itemsize * static_cast<std::int64_t>(random() % 4);
    if (random() % 8 == 0) {
      result.layout.offset += (n - 1) * result.layout.strides[*axis];
      result.layout.strides[*axis] *= -1;
    }
  }
  const std::int64_t margin = 64 + static_cast<std::int64_t>(random() % 2);
  result.layout.offset += margin;
  result.bytes.resize(static_cast<std::size_t>(stride + 2 * margin));
  for (std::int64_t position = margin; position + result.itemsize <= stride + margin;
       position += result.itemsize) {
    put_random(random, type, result.bytes.data() + position);
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

bool is_near(Dtype type, const char* a, const char* b, double tolerance) {
  switch (type) {
#define SKERRY_NEAR(name, type, kind, typestr) \
  case Dtype::name:                            \
    return near_values(read<type>(a), read<type>(b), tolerance);
    SKERRY_FOR_EACH_DTYPE(SKERRY_NEAR)
#undef SKERRY_NEAR
  }
  return false;
}

double tolerance_of(Dtype type) {
  if (type == Dtype::float16) return 0x1p-10;
  if (type == Dtype::bfloat16) return 0x1p-7;
  return type == Dtype::float32 || type == Dtype::complex64 ? 1e-6 : 2e-15;
}

void check_plans(const Kernel<Plan>& tested, std::uint64_t seed, int rounds, double tolerance,
                 Dtype output, std::span<const Dtype> inputs, scalar_function scalar) {
  constexpr std::size_t max_inputs = 3;
  ASSERT_LE(inputs.size(), max_inputs);
  ASSERT_TRUE(tested.has_host());
  std::mt19937_64 random(seed);
  for (int round = 0; round < rounds; ++round) {
    const indices shape = random_shape(random);
    Array out = random_array(random, output, shape, Kind::output);
    std::vector<Array> in;
    for (const Dtype type : inputs) in.push_back(random_array(random, type, shape, Kind::input));
    const std::vector<char> original_bytes = out.bytes;
    std::vector<PlanOperand> operands = {out.operand()};
    for (Array& x : in) operands.push_back(x.operand());
    if (random() % 4 == 0) {  // the last one by value
      PlanOperand& last = operands.back();
      std::memcpy(last.value.bytes, last.data, static_cast<std::size_t>(last.itemsize));
      Layout& layout = in.back().layout;
      for (int a = 0; a < layout.rank(); ++a) layout.strides[a] = 0;
      last.data = nullptr;
      last.layout = nullptr;
    }
    PlanParts parts = PointerPlan::parts(out.layout.shape, operands);
    parts.for_each([&](const Plan& plan) { run_on_host(tested, plan); });
    std::vector<char> expected = original_bytes;
    int wrong = 0;
    for_each_index(shape, [&](const indices& index) {
      const char* sources[max_inputs];
      for (std::size_t k = 0; k < in.size(); ++k) sources[k] = in[k].item(index);
      alignas(16) char want[16];
      scalar(want, sources);
      char* element = out.item(index);
      if (!is_near(output, element, want, tolerance)) ++wrong;
      std::memcpy(expected.data() + (element - out.bytes.data()), element,
                  static_cast<std::size_t>(out.itemsize));
    });
    ASSERT_EQ(wrong, 0) << "round " << round << ", shape " << to_string(out.layout.shape);
    ASSERT_EQ(expected, out.bytes) << "round " << round << ": wrote outside the output";
  }
}

}  // namespace skerry::random_plans
