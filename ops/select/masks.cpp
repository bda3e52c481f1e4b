// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/select/masks.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "core/item_size.hpp"
#include "core/view.hpp"
#include "device/transfer.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/call/result.hpp"
#include "ops/move/copy.hpp"
#include "ops/select/kernels.hpp"

namespace skerry {
namespace {

/// A mask in C order, its CountParams::starts and its number of true elements. The constructor
/// waits for the number.
struct CountedMask {
  NdArray mask;
  NdArray starts;
  std::int64_t count = 0;

  explicit CountedMask(const NdArray& source_mask) : mask(contiguous(source_mask)) {
    const Device device = mask.device();
    const Kernel<CountParams>& kernel =
        require_kernel(kernels<IndexKernels>(device).count, Dtype::bool_, device);
    const std::int64_t blocks = mask_blocks(mask.size());
    starts = empty({count_words(mask.size(), kernel.has_native())}, Dtype::int64, device);
    if (mask.size() == 0) return;
    launch(device, kernel, [&](OperandList& operands) {
      return CountParams{.mask = operands(mask), .size = mask.size(), .starts = operands(starts)};
    });
    read_bytes(&count, starts.memory(), static_cast<std::size_t>(blocks) * sizeof count,
               sizeof count);
  }
};

}  // namespace

NdArray compress(const NdArray& x, const NdArray& mask) {
  const Device device = x.device();
  const Kernel<CompressParams>& kernel = require_kernel(
      kernels<IndexKernels>(device).compress[size_class(x.itemsize())], x.dtype(), device);
  const CountedMask counted_mask(mask);
  NdArray out = empty({counted_mask.count}, x.dtype(), device);
  if (counted_mask.count == 0) return out;
  const NdArray source = contiguous(x);
  launch(device, kernel, [&](OperandList& operands) {
    return CompressParams{.mask = operands(counted_mask.mask),
                          .input = operands(source.memory(), source.layout().offset),
                          .output = operands(out),
                          .size = x.size(),
                          .starts = operands(counted_mask.starts)};
  });
  return out;
}

std::vector<NdArray> true_indices(const NdArray& mask) {
  const Device device = mask.device();
  const Kernel<NonzeroParams>& kernel =
      require_kernel(kernels<IndexKernels>(device).nonzero, Dtype::bool_, device);
  const CountedMask counted_mask(mask);
  const int rank = mask.rank();
  const std::int64_t shape[] = {rank, counted_mask.count};
  check_shape(shape, sizeof(std::int64_t));
  const NdArray all = empty(Dims(shape), Dtype::int64, device);
  if (counted_mask.count > 0) {
    launch(device, kernel, [&](OperandList& operands) {
      NonzeroParams params{.mask = operands(counted_mask.mask),
                           .output = operands(all),
                           .size = mask.size(),
                           .count = counted_mask.count,
                           .starts = operands(counted_mask.starts),
                           .rank = rank,
                           .shape = {}};
      std::copy(mask.shape().begin(), mask.shape().end(), params.shape);
      return params;
    });
  }
  std::vector<NdArray> columns;
  columns.reserve(static_cast<std::size_t>(rank));
  for (int axis = 0; axis < rank; ++axis) {
    columns.push_back(all.view({Dims{counted_mask.count}, Dims{8}, axis * counted_mask.count * 8}));
  }
  return columns;
}

}  // namespace skerry
