// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "both.hpp"
#include "core/scalar.hpp"
#include "device/memory.hpp"
#include "ops/create/create.hpp"
#include "ops/elementwise/apply.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/join.hpp"
#include "ops/move/rearrange.hpp"
#include "ops/move/views.hpp"
#include "ops/select/masks.hpp"
#include "ops/select/selection.hpp"
#include "ops/select/take.hpp"

namespace skerry::testing {
namespace {

// One dtype per item size.
constexpr Dtype sizes[] = {Dtype::int8, Dtype::int16, Dtype::float32, Dtype::int64,
                           Dtype::complex128};

class MovingKernelsOf : public ::testing::TestWithParam<Dtype> {};
INSTANTIATE_TEST_SUITE_P(sizes, MovingKernelsOf, ::testing::ValuesIn(sizes),
                         [](const auto& about) { return std::string(name(about.param)); });

TEST_P(MovingKernelsOf, copy) {
  const Dtype type = GetParam();
  compare(case_label("copy of a transposed matrix", type), [&](Device device) {
    return copy_c_order(transpose(sample(type, Dims{67, 131}, device)));
  });
  compare(case_label("copy of permuted axes", type), [&](Device device) {
    const std::int64_t order[] = {2, 0, 1};
    return copy_c_order(permute_dims(sample(type, Dims{7, 11, 13}, device), order));
  });
  compare(case_label("copy of a reversed array", type), [&](Device device) {
    return copy_c_order(flip(sample(type, Dims{1031}, device), std::nullopt));
  });
  for (const std::int64_t first : {1, 4}) {
    compare(case_label("copy of x[1:]", type), [&](Device device) {
      return copy_c_order(without_first(sample(type, Dims{5003}, device), first));
    });
    compare(case_label("choice of x[1:]", type), [&](Device device) {
      const NdArray condition = sample(Dtype::bool_, Dims{5003 - first}, device);
      const NdArray x1 = without_first(sample(type, Dims{5003}, device, 1), first);
      const NdArray x2 = sample(type, Dims{5003 - first}, device, 2);
      return skerry::where({.array = &condition}, {.array = &x1}, {.array = &x2});
    });
  }
  compare(case_label("full", type), [&](Device device) {
    return full(Dims{31, 33}, Scalar::from_value(std::int64_t{1}), type, device);
  });
}

/// Returns a copy that is misaligned by one byte.
NdArray misaligned(const NdArray& x) {
  const auto bytes = static_cast<std::size_t>(x.size() * itemsize(x.dtype()));
  const Layout layout{x.shape(), x.strides(), 1};
  NdArray moved(allocate(x.device(), bytes + 1), layout, x.dtype());
  assign(moved, x);
  return moved;
}

TEST_P(MovingKernelsOf, select_by_masks) {
  const Dtype type = GetParam();
  compare(case_label("x[mask] of misaligned items", type), [&](Device device) {
    return compress(misaligned(sample(type, Dims{9001}, device)),
                    sample(Dtype::bool_, Dims{9001}, device, 1));
  });
  compare(case_label("x[mask]", type), [&](Device device) {
    return compress(sample(type, Dims{97, 101}, device),
                    sample(Dtype::bool_, Dims{97, 101}, device, 1));
  });
  compare(case_label("nonzero", type),
          [&](Device device) { return nonzero(sample(type, Dims{97, 101}, device)).back(); });
}

TEST_P(MovingKernelsOf, take_and_put) {
  const Dtype type = GetParam();
  compare(case_label("take", type), [&](Device device) {
    return skerry::take(sample(type, Dims{53, 17}, device), sample_indices(53, Dims{211}, device),
                        0);
  });
  compare(case_label("take_along_axis", type), [&](Device device) {
    return take_along_axis(sample(type, Dims{53, 17}, device),
                           sample_indices(17, Dims{53, 5}, device), 1);
  });
  compare(case_label("x[indices] = y", type), [&](Device device) {
    const NdArray target = sample(type, Dims{211}, device);
    Selection selection;
    selection.layout = {.shape = Dims{53}, .strides = Dims{0}, .offset = 0};
    selection.index_shape = Dims{53};
    // The indices step modulo the prime 211, and 53 < 211: no element is written twice.
    selection.axes.push_back({sample_indices(211, Dims{53}, device), 211, itemsize(type), 0});
    scatter(target, selection, sample(type, Dims{53}, device, 2), true);
    return target;
  });
  compare(case_label("repeat", type), [&](Device device) {
    return repeat(sample(type, Dims{53, 3}, device), sample_indices(4, Dims{53}, device), 0);
  });
}

TEST_P(MovingKernelsOf, join) {
  const Dtype type = GetParam();
  compare(case_label("concat", type), [&](Device device) {
    const NdArray parts[] = {sample(type, Dims{7, 31}, device),
                             sample(type, Dims{5, 31}, device, 1)};
    return concat(parts, 0);
  });
  compare(case_label("stack", type), [&](Device device) {
    const NdArray parts[] = {sample(type, Dims{1031}, device), sample(type, Dims{1031}, device, 1)};
    return stack(parts, 1);
  });
  compare(case_label("roll", type), [&](Device device) {
    const std::int64_t shifts[] = {3};
    return roll(sample(type, Dims{1031}, device), shifts, std::nullopt);
  });
  compare(case_label("tile", type), [&](Device device) {
    const std::int64_t repetitions[] = {2, 3};
    return tile(sample(type, Dims{33, 17}, device), repetitions);
  });
}

TEST_P(MovingKernelsOf, keep_triangles) {
  const Dtype type = GetParam();
  compare(case_label("tril", type),
          [&](Device device) { return tril(sample(type, Dims{3, 33, 29}, device), 1); });
  compare(case_label("triu", type),
          [&](Device device) { return triu(sample(type, Dims{33, 29}, device), -2); });
}

class SequenceKernelsOf : public ::testing::TestWithParam<Dtype> {};
INSTANTIATE_TEST_SUITE_P(dtypes, SequenceKernelsOf, ::testing::ValuesIn(every_dtype),
                         [](const auto& about) { return std::string(name(about.param)); });

TEST_P(SequenceKernelsOf, match_the_cpu) {
  const Dtype type = GetParam();
  if (type == Dtype::bool_) return;
  if (kind(type) != DtypeKind::complex_floating) {
    compare(case_label("arange", type), [&](Device device) {
      return arange(Scalar::from_value(std::int64_t{1}), Scalar::from_value(std::int64_t{120}),
                    Scalar::from_value(std::int64_t{3}), type, device);
    });
  }
  if (is_floating(type)) {
    compare(
        case_label("linspace", type),
        [&](Device device) {
          return linspace(Scalar::from_value(-1.0), Scalar::from_value(2.0), 1031, type, device,
                          true);
        },
        tolerance_of(type));
  }
  compare(case_label("eye", type), [&](Device device) { return eye(33, 29, 2, type, device); });
}

}  // namespace
}  // namespace skerry::testing
