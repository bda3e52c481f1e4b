// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "both.hpp"
#include "core/scalar.hpp"
#include "ops/elementwise/apply.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/views.hpp"

namespace skerry::testing {
namespace {

/// Layouts that select different kernels: dense with a tail, transposed, with a broadcast operand,
/// every other element.
enum class Form { dense, transposed, broadcast, strided };

NdArray every_other(const NdArray& x) {
  const Layout layout{Dims{x.size() / 2}, Dims{2 * x.itemsize()}, 0};
  return {x.memory(), layout, x.dtype()};
}

NdArray operand_of(Dtype type, Form operand_form, Device device, int seed) {
  switch (operand_form) {
    case Form::dense:
      return sample(type, Dims{1027}, device, seed);
    case Form::transposed:
      return seed == 0 ? transpose(sample(type, Dims{29, 33}, device, seed))
                       : sample(type, Dims{33, 29}, device, seed);
    case Form::broadcast:
      return sample(type, seed == 0 ? Dims{33, 29} : Dims{29}, device, seed);
    case Form::strided:
      return every_other(sample(type, Dims{2054}, device, seed));
  }
  return {};
}

class ElementwiseKernelsOf : public ::testing::TestWithParam<Dtype> {};
INSTANTIATE_TEST_SUITE_P(dtypes, ElementwiseKernelsOf, ::testing::ValuesIn(every_dtype),
                         [](const auto& about) { return std::string(name(about.param)); });

TEST_P(ElementwiseKernelsOf, match_the_cpu) {
  const Dtype type = GetParam();
  const auto table = op_table();
  for (std::size_t id = 0; id < table.size(); ++id) {
    const auto result = table[id].result[static_cast<int>(type)];
    if (!result) continue;
    // Results have the same bits, except for functions of libm, and complex products and quotients.
    const bool exact = !table[id].expensive && kind(type) != DtypeKind::complex_floating;
    for (const Form operand_form :
         {Form::dense, Form::transposed, Form::broadcast, Form::strided}) {
      const auto compute = [&](Device device) {
        NdArray arrays[3];
        Operand operands[3];
        for (int i = 0; i < table[id].arity; ++i) {
          arrays[i] = operand_of(type, operand_form, device, i);
          operands[i] = {.array = &arrays[i]};
        }
        return apply(static_cast<op_id>(id),
                     std::span<const Operand>(operands, static_cast<std::size_t>(table[id].arity)));
      };
      compare(case_label(table[id].name, type), compute,
              exact ? 1e-6 * tolerance_of(*result) : tolerance_of(type));
    }
  }
}

TEST_P(ElementwiseKernelsOf, take_scalars) {
  const Dtype type = GetParam();
  // An int is valid for every kind but bool, and 1 is exact as a factor, divisor or exponent.
  const Scalar one =
      type == Dtype::bool_ ? Scalar::from_value(true) : Scalar::from_value(std::int64_t{1});
  const auto table = op_table();
  for (std::size_t id = 0; id < table.size(); ++id) {
    if (table[id].arity != 2 || !table[id].result[static_cast<int>(type)]) continue;
    const Dtype result = *table[id].result[static_cast<int>(type)];
    for (const bool is_first : {false, true}) {
      compare(
          case_label(table[id].name, type) + (is_first ? ", 1 first" : " and 1"),
          [&](Device device) {
            const NdArray x = sample(type, Dims{1027}, device);
            Operand operands[] = {{.array = &x}, {.value = &one}};
            if (is_first) std::swap(operands[0], operands[1]);
            return apply(static_cast<op_id>(id), operands);
          },
          tolerance_of(result));
    }
  }
}

TEST_P(ElementwiseKernelsOf, accept_slices_at_any_offset) {
  const Dtype type = GetParam();
  const auto add = find_op("add");
  if (!op_table()[static_cast<std::size_t>(*add)].result[static_cast<int>(type)]) return;
  const Scalar one = Scalar::from_value(std::int64_t{1});
  for (const std::int64_t first : {1, 4, 8}) {
    const auto compute = [&](Device device, const Scalar* value) {
      const NdArray x = without_first(sample(type, Dims{5003}, device), first);
      const NdArray y = sample(type, Dims{5003 - first}, device, 1);
      const Operand operands[] = {
          {.array = &x}, value != nullptr ? Operand{.value = value} : Operand{.array = &y}};
      return apply(*add, operands);
    };
    compare(case_label("add of x[1:]", type),
            [&](Device device) { return compute(device, nullptr); });
    compare(case_label("add of x[1:] and 1", type),
            [&](Device device) { return compute(device, &one); });
  }
}

TEST_P(ElementwiseKernelsOf, convert_between_dtypes) {
  const Dtype type = GetParam();
  for (const Dtype destination : every_dtype) {
    const bool is_real =
        kind(destination) != DtypeKind::complex_floating && destination != Dtype::bool_;
    if (kind(type) == DtypeKind::complex_floating && is_real) continue;
    // Converting a negative float to an unsigned integer is undefined.
    const bool of_either_sign =
        kind(destination) != DtypeKind::unsigned_integer || kind(type) != DtypeKind::real_floating;
    const auto converted = [&](Device device, const Dims& shape) {
      return of_either_sign ? sample(type, shape, device)
                            : astype(sample(Dtype::uint8, shape, device), type, true);
    };
    const std::string label = case_label("astype", type) + " to " + std::string(name(destination));
    compare(label, [&](Device device) {
      return astype(converted(device, Dims{1027}), destination, true);
    });
    compare(label + ", every other", [&](Device device) {
      return astype(every_other(converted(device, Dims{1028})), destination, true);
    });
  }
}

TEST_P(ElementwiseKernelsOf, where_and_clip_match_the_cpu) {
  const Dtype type = GetParam();
  compare(case_label("where", type), [&](Device device) {
    const NdArray condition = sample(Dtype::bool_, Dims{33, 29}, device);
    const NdArray x1 = sample(type, Dims{33, 29}, device, 1);
    const NdArray x2 = transpose(sample(type, Dims{29, 33}, device, 2));
    return skerry::where({.array = &condition}, {.array = &x1}, {.array = &x2});
  });
}

}  // namespace
}  // namespace skerry::testing
