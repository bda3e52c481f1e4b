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

// One dtype of each size that items have.
constexpr Dtype sizes[] = {Dtype::int8, Dtype::int16, Dtype::float32, Dtype::int64,
                           Dtype::complex128};

class MovingKernelsOf : public ::testing::TestWithParam<Dtype> {};
INSTANTIATE_TEST_SUITE_P(sizes, MovingKernelsOf, ::testing::ValuesIn(sizes),
                         [](const auto& about) { return std::string(name(about.param)); });

TEST_P(MovingKernelsOf, copy) {
  const Dtype type = GetParam();
  compare(of("copy of a transposed matrix", type), [&](Device where) {
    return copy_c_order(transpose(sample(type, Dims{67, 131}, where)));
  });
  compare(of("copy of permuted axes", type), [&](Device where) {
    const std::int64_t order[] = {2, 0, 1};
    return copy_c_order(permute_dims(sample(type, Dims{7, 11, 13}, where), order));
  });
  compare(of("copy of a reversed array", type), [&](Device where) {
    return copy_c_order(flip(sample(type, Dims{1031}, where), std::nullopt));
  });
  for (const std::int64_t first : {1, 4}) {
    compare(of("copy of x[1:]", type), [&](Device where) {
      return copy_c_order(without_first(sample(type, Dims{5003}, where), first));
    });
    compare(of("choice of x[1:]", type), [&](Device where) {
      const NdArray condition = sample(Dtype::bool_, Dims{5003 - first}, where);
      const NdArray x1 = without_first(sample(type, Dims{5003}, where, 1), first);
      const NdArray x2 = sample(type, Dims{5003 - first}, where, 2);
      return skerry::where({.array = &condition}, {.array = &x1}, {.array = &x2});
    });
  }
  compare(of("full", type), [&](Device where) {
    return full(Dims{31, 33}, Scalar::of(std::int64_t{1}), type, where);
  });
}

/// The same elements one byte further on than their type wants.
NdArray misaligned(const NdArray& x) {
  const auto bytes = static_cast<std::size_t>(x.size() * itemsize(x.dtype()));
  const Layout where{x.shape(), x.strides(), 1};
  NdArray moved(allocate(x.device(), bytes + 1), where, x.dtype());
  assign("misaligned", moved, x);
  return moved;
}

TEST_P(MovingKernelsOf, select_by_masks) {
  const Dtype type = GetParam();
  compare(of("x[mask] of misaligned items", type), [&](Device where) {
    return compress("x[mask]", misaligned(sample(type, Dims{9001}, where)),
                    sample(Dtype::bool_, Dims{9001}, where, 1));
  });
  compare(of("x[mask]", type), [&](Device where) {
    return compress("x[mask]", sample(type, Dims{97, 101}, where),
                    sample(Dtype::bool_, Dims{97, 101}, where, 1));
  });
  compare(of("nonzero", type),
          [&](Device where) { return nonzero(sample(type, Dims{97, 101}, where)).back(); });
}

TEST_P(MovingKernelsOf, take_and_put) {
  const Dtype type = GetParam();
  compare(of("take", type), [&](Device where) {
    return skerry::take(sample(type, Dims{53, 17}, where), sample_indices(53, Dims{211}, where), 0);
  });
  compare(of("take_along_axis", type), [&](Device where) {
    return take_along_axis(sample(type, Dims{53, 17}, where),
                           sample_indices(17, Dims{53, 5}, where), 1);
  });
  compare(of("x[indices] = y", type), [&](Device where) {
    const NdArray target = sample(type, Dims{211}, where);
    Selection chosen;
    chosen.place = {.shape = Dims{53}, .strides = Dims{0}, .offset = 0};
    chosen.index_shape = Dims{53};
    // 53 < 211 of a multiplicative order: no place is written twice.
    chosen.axes.push_back({sample_indices(211, Dims{53}, where), 211, itemsize(type), 0});
    scatter("x[indices] = y", target, chosen, sample(type, Dims{53}, where, 2), true);
    return target;
  });
  compare(of("repeat", type), [&](Device where) {
    return repeat(sample(type, Dims{53, 3}, where), sample_indices(4, Dims{53}, where), 0);
  });
}

TEST_P(MovingKernelsOf, join) {
  const Dtype type = GetParam();
  compare(of("concat", type), [&](Device where) {
    const NdArray parts[] = {sample(type, Dims{7, 31}, where), sample(type, Dims{5, 31}, where, 1)};
    return concat(parts, 0);
  });
  compare(of("stack", type), [&](Device where) {
    const NdArray parts[] = {sample(type, Dims{1031}, where), sample(type, Dims{1031}, where, 1)};
    return stack(parts, 1);
  });
  compare(of("roll", type), [&](Device where) {
    const std::int64_t shifts[] = {3};
    return roll(sample(type, Dims{1031}, where), shifts, std::nullopt);
  });
  compare(of("tile", type), [&](Device where) {
    const std::int64_t repetitions[] = {2, 3};
    return tile(sample(type, Dims{33, 17}, where), repetitions);
  });
}

TEST_P(MovingKernelsOf, cut_triangles) {
  const Dtype type = GetParam();
  compare(of("tril", type),
          [&](Device where) { return tril(sample(type, Dims{3, 33, 29}, where), 1); });
  compare(of("triu", type),
          [&](Device where) { return triu(sample(type, Dims{33, 29}, where), -2); });
}

class SequenceKernelsOf : public ::testing::TestWithParam<Dtype> {};
INSTANTIATE_TEST_SUITE_P(dtypes, SequenceKernelsOf, ::testing::ValuesIn(every_dtype),
                         [](const auto& about) { return std::string(name(about.param)); });

TEST_P(SequenceKernelsOf, create) {
  const Dtype type = GetParam();
  if (type == Dtype::bool_) return;
  if (kind(type) != DtypeKind::complex_floating) {
    compare(of("arange", type), [&](Device where) {
      return arange(Scalar::of(std::int64_t{1}), Scalar::of(std::int64_t{120}),
                    Scalar::of(std::int64_t{3}), type, where);
    });
  }
  if (is_floating(type)) {
    compare(
        of("linspace", type),
        [&](Device where) {
          return linspace(Scalar::of(-1.0), Scalar::of(2.0), 1031, type, where, true);
        },
        tolerance_of(type));
  }
  compare(of("eye", type), [&](Device where) { return eye(33, 29, 2, type, where); });
}

}  // namespace
}  // namespace skerry::testing
