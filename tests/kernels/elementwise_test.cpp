// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "both.hpp"
#include "core/scalar.hpp"
#include "ops/elementwise/apply.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/views.hpp"

namespace skerry::testing {
namespace {

/// The shapes by which a kernel is chosen: dense with a tail, transposed, with a broadcast operand,
/// every other element.
enum class form { dense, transposed, broadcast, stepped };

ndarray every_other(const ndarray& x) {
  const layout where{dims{x.size() / 2}, dims{2 * x.itemsize()}, 0};
  return {x.memory(), where, x.dtype()};
}

ndarray operand_of(dtype type, form which, device where, int seed) {
  switch (which) {
    case form::dense:
      return sample(type, dims{1027}, where, seed);
    case form::transposed:
      return seed == 0 ? transpose(sample(type, dims{29, 33}, where, seed))
                       : sample(type, dims{33, 29}, where, seed);
    case form::broadcast:
      return sample(type, seed == 0 ? dims{33, 29} : dims{29}, where, seed);
    case form::stepped:
      return every_other(sample(type, dims{2054}, where, seed));
  }
  return {};
}

class elementwise_kernels_of : public ::testing::TestWithParam<dtype> {};
INSTANTIATE_TEST_SUITE_P(dtypes, elementwise_kernels_of, ::testing::ValuesIn(every_dtype),
                         [](const auto& about) { return std::string(name(about.param)); });

TEST_P(elementwise_kernels_of, give_what_the_cpu_gives) {
  const dtype type = GetParam();
  const auto table = op_table();
  for (std::size_t id = 0; id < table.size(); ++id) {
    const auto result = table[id].result[static_cast<int>(type)];
    if (!result) continue;
    // Bit for bit, but for what is left to libm, and complex products and quotients.
    const bool exact = !table[id].expensive && kind(type) != dtype_kind::complex_floating;
    for (const form which : {form::dense, form::transposed, form::broadcast, form::stepped}) {
      const auto run = [&](device where) {
        ndarray arrays[3];
        operand operands[3];
        for (int i = 0; i < table[id].arity; ++i) {
          arrays[i] = operand_of(type, which, where, i);
          operands[i] = {.array = &arrays[i]};
        }
        return apply(static_cast<op_id>(id),
                     std::span<const operand>(operands, static_cast<std::size_t>(table[id].arity)));
      };
      compare(of(table[id].name, type), run,
              exact ? 1e-6 * tolerance_of(*result) : tolerance_of(type));
    }
  }
}

TEST_P(elementwise_kernels_of, take_scalars) {
  const dtype type = GetParam();
  // It has every kind but bool, and is exact as a factor, divisor or exponent.
  const scalar one = type == dtype::bool_ ? scalar::of(true) : scalar::of(std::int64_t{1});
  const auto table = op_table();
  for (std::size_t id = 0; id < table.size(); ++id) {
    if (table[id].arity != 2 || !table[id].result[static_cast<int>(type)]) continue;
    const dtype result = *table[id].result[static_cast<int>(type)];
    for (const bool is_first : {false, true}) {
      compare(
          of(table[id].name, type) + (is_first ? ", 1 first" : " and 1"),
          [&](device where) {
            const ndarray x = sample(type, dims{1027}, where);
            operand operands[] = {{.array = &x}, {.value = &one}};
            if (is_first) std::swap(operands[0], operands[1]);
            return apply(static_cast<op_id>(id), operands);
          },
          tolerance_of(result));
    }
  }
}

TEST_P(elementwise_kernels_of, take_slices_that_begin_anywhere) {
  const dtype type = GetParam();
  const auto add = find_op("add");
  if (!op_table()[static_cast<std::size_t>(*add)].result[static_cast<int>(type)]) return;
  const scalar one = scalar::of(std::int64_t{1});
  for (const std::int64_t first : {1, 4, 8}) {
    const auto run = [&](device where, const scalar* value) {
      const ndarray x = without_first(sample(type, dims{5003}, where), first);
      const ndarray y = sample(type, dims{5003 - first}, where, 1);
      const operand operands[] = {
          {.array = &x}, value != nullptr ? operand{.value = value} : operand{.array = &y}};
      return apply(*add, operands);
    };
    compare(of("add of x[1:]", type), [&](device where) { return run(where, nullptr); });
    compare(of("add of x[1:] and 1", type), [&](device where) { return run(where, &one); });
  }
}

TEST_P(elementwise_kernels_of, convert) {
  const dtype type = GetParam();
  for (const dtype to : every_dtype) {
    const bool is_real = kind(to) != dtype_kind::complex_floating && to != dtype::bool_;
    if (kind(type) == dtype_kind::complex_floating && is_real) continue;
    // A negative number of a floating dtype has no unsigned value.
    const bool of_either_sign =
        kind(to) != dtype_kind::unsigned_integer || kind(type) != dtype_kind::real_floating;
    const auto converted = [&](device where, const dims& shape) {
      return of_either_sign ? sample(type, shape, where)
                            : astype(sample(dtype::uint8, shape, where), type, true);
    };
    const std::string what = of("astype", type) + " to " + std::string(name(to));
    compare(what, [&](device where) { return astype(converted(where, dims{1027}), to, true); });
    compare(what + ", every other", [&](device where) {
      return astype(every_other(converted(where, dims{1028})), to, true);
    });
  }
}

TEST_P(elementwise_kernels_of, choose_and_clip) {
  const dtype type = GetParam();
  compare(of("where", type), [&](device where) {
    const ndarray condition = sample(dtype::bool_, dims{33, 29}, where);
    const ndarray x1 = sample(type, dims{33, 29}, where, 1);
    const ndarray x2 = transpose(sample(type, dims{29, 33}, where, 2));
    return skerry::where({.array = &condition}, {.array = &x1}, {.array = &x2});
  });
}

}  // namespace
}  // namespace skerry::testing
