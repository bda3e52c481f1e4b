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
constexpr dtype sizes[] = {dtype::int8, dtype::int16, dtype::float32, dtype::int64,
                           dtype::complex128};

class moving_kernels_of : public ::testing::TestWithParam<dtype> {};
INSTANTIATE_TEST_SUITE_P(sizes, moving_kernels_of, ::testing::ValuesIn(sizes),
                         [](const auto& about) { return std::string(name(about.param)); });

TEST_P(moving_kernels_of, copy) {
  const dtype type = GetParam();
  compare(of("copy of a transposed matrix", type), [&](device where) {
    return copy_c_order(transpose(sample(type, dims{67, 131}, where)));
  });
  compare(of("copy of permuted axes", type), [&](device where) {
    const std::int64_t order[] = {2, 0, 1};
    return copy_c_order(permute_dims(sample(type, dims{7, 11, 13}, where), order));
  });
  compare(of("copy of a reversed array", type), [&](device where) {
    return copy_c_order(flip(sample(type, dims{1031}, where), std::nullopt));
  });
  for (const std::int64_t first : {1, 4}) {
    compare(of("copy of x[1:]", type), [&](device where) {
      return copy_c_order(without_first(sample(type, dims{5003}, where), first));
    });
    compare(of("choice of x[1:]", type), [&](device where) {
      const ndarray condition = sample(dtype::bool_, dims{5003 - first}, where);
      const ndarray x1 = without_first(sample(type, dims{5003}, where, 1), first);
      const ndarray x2 = sample(type, dims{5003 - first}, where, 2);
      return skerry::where({.array = &condition}, {.array = &x1}, {.array = &x2});
    });
  }
  compare(of("full", type), [&](device where) {
    return full(dims{31, 33}, scalar::of(std::int64_t{1}), type, where);
  });
}

/// The same elements one byte further on than their type wants.
ndarray misaligned(const ndarray& x) {
  const auto bytes = static_cast<std::size_t>(x.size() * itemsize(x.dtype()));
  const layout where{x.shape(), x.strides(), 1};
  ndarray moved(allocate(x.device(), bytes + 1), where, x.dtype());
  assign("misaligned", moved, x);
  return moved;
}

TEST_P(moving_kernels_of, select_by_masks) {
  const dtype type = GetParam();
  compare(of("x[mask] of misaligned items", type), [&](device where) {
    return compress("x[mask]", misaligned(sample(type, dims{9001}, where)),
                    sample(dtype::bool_, dims{9001}, where, 1));
  });
  compare(of("x[mask]", type), [&](device where) {
    return compress("x[mask]", sample(type, dims{97, 101}, where),
                    sample(dtype::bool_, dims{97, 101}, where, 1));
  });
  compare(of("nonzero", type),
          [&](device where) { return nonzero(sample(type, dims{97, 101}, where)).back(); });
}

TEST_P(moving_kernels_of, take_and_put) {
  const dtype type = GetParam();
  compare(of("take", type), [&](device where) {
    return skerry::take(sample(type, dims{53, 17}, where), sample_indices(53, dims{211}, where), 0);
  });
  compare(of("take_along_axis", type), [&](device where) {
    return take_along_axis(sample(type, dims{53, 17}, where),
                           sample_indices(17, dims{53, 5}, where), 1);
  });
  compare(of("x[indices] = y", type), [&](device where) {
    const ndarray target = sample(type, dims{211}, where);
    selection chosen;
    chosen.place = {.shape = dims{53}, .strides = dims{0}, .offset = 0};
    chosen.index_shape = dims{53};
    // 53 < 211 of a multiplicative order: no place is written twice.
    chosen.axes.push_back({sample_indices(211, dims{53}, where), 211, itemsize(type), 0});
    scatter("x[indices] = y", target, chosen, sample(type, dims{53}, where, 2), true);
    return target;
  });
  compare(of("repeat", type), [&](device where) {
    return repeat(sample(type, dims{53, 3}, where), sample_indices(4, dims{53}, where), 0);
  });
}

TEST_P(moving_kernels_of, join) {
  const dtype type = GetParam();
  compare(of("concat", type), [&](device where) {
    const ndarray parts[] = {sample(type, dims{7, 31}, where), sample(type, dims{5, 31}, where, 1)};
    return concat(parts, 0);
  });
  compare(of("stack", type), [&](device where) {
    const ndarray parts[] = {sample(type, dims{1031}, where), sample(type, dims{1031}, where, 1)};
    return stack(parts, 1);
  });
  compare(of("roll", type), [&](device where) {
    const std::int64_t shifts[] = {3};
    return roll(sample(type, dims{1031}, where), shifts, std::nullopt);
  });
  compare(of("tile", type), [&](device where) {
    const std::int64_t repetitions[] = {2, 3};
    return tile(sample(type, dims{33, 17}, where), repetitions);
  });
}

TEST_P(moving_kernels_of, cut_triangles) {
  const dtype type = GetParam();
  compare(of("tril", type),
          [&](device where) { return tril(sample(type, dims{3, 33, 29}, where), 1); });
  compare(of("triu", type),
          [&](device where) { return triu(sample(type, dims{33, 29}, where), -2); });
}

class sequence_kernels_of : public ::testing::TestWithParam<dtype> {};
INSTANTIATE_TEST_SUITE_P(dtypes, sequence_kernels_of, ::testing::ValuesIn(every_dtype),
                         [](const auto& about) { return std::string(name(about.param)); });

TEST_P(sequence_kernels_of, create) {
  const dtype type = GetParam();
  if (type == dtype::bool_) return;
  if (kind(type) != dtype_kind::complex_floating) {
    compare(of("arange", type), [&](device where) {
      return arange(scalar::of(std::int64_t{1}), scalar::of(std::int64_t{120}),
                    scalar::of(std::int64_t{3}), type, where);
    });
  }
  if (is_floating(type)) {
    compare(
        of("linspace", type),
        [&](device where) {
          return linspace(scalar::of(-1.0), scalar::of(2.0), 1031, type, where, true);
        },
        tolerance_of(type));
  }
  compare(of("eye", type), [&](device where) { return eye(33, 29, 2, type, where); });
}

}  // namespace
}  // namespace skerry::testing
