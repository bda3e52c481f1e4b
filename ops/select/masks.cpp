// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/select/masks.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "core/item_size.hpp"
#include "device/backend.hpp"
#include "device/stream.hpp"
#include "device/transfer.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/result.hpp"
#include "ops/move/copy.hpp"
#include "ops/select/kernels.hpp"

namespace skerry {
namespace {

/// A mask in C order, and how many of it are true before each block.
struct CountedMask {
  NdArray mask;
  NdArray starts;
  std::int64_t count = 0;

  CountedMask(const char* op, const NdArray& source_mask) : mask(contiguous(source_mask)) {
    const Device device = mask.device();
    const AnyKernel& kernel =
        require_kernel(op, kernels<IndexKernels>(device).count, Dtype::bool_, device);
    const std::int64_t blocks = mask_blocks(mask.size());
    const bool is_native = capabilities_of(device).kernel_form == KernelForm::native;
    starts = empty({count_words(mask.size(), is_native)}, Dtype::int64, device);
    if (mask.size() == 0) return;
    auto* const starts_data = reinterpret_cast<std::int64_t*>(starts.data());
    const MemoryUse uses[] = {reads(mask), writes(starts)};
    launch(device, kernel, CountParams{mask.data(), mask.size(), starts_data}, uses);
    read_bytes(&count, starts.memory(), static_cast<std::size_t>(blocks) * sizeof count,
               sizeof count);
  }
  [[nodiscard]] const std::int64_t* begins() const {
    return reinterpret_cast<const std::int64_t*>(starts.data());
  }
};

}  // namespace

NdArray compress(const char* op, const NdArray& x, const NdArray& mask) {
  const Device device = x.device();
  const AnyKernel& kernel = require_kernel(
      op, kernels<IndexKernels>(device).compress[size_class(x.itemsize())], x.dtype(), device);
  const CountedMask counted_mask(op, mask);
  NdArray out = empty({counted_mask.count}, x.dtype(), device);
  if (counted_mask.count == 0) return out;
  const NdArray source = contiguous(x);
  const MemoryUse uses[] = {reads(counted_mask.mask), reads(source.memory()), writes(out),
                            reads(counted_mask.starts)};
  launch(device, kernel,
         CompressParams{counted_mask.mask.data(), source.data(), out.data(), x.size(),
                        counted_mask.begins()},
         uses);
  return out;
}

std::vector<NdArray> true_indices(const char* op, const NdArray& mask) {
  const Device device = mask.device();
  const AnyKernel& kernel =
      require_kernel(op, kernels<IndexKernels>(device).nonzero, Dtype::bool_, device);
  const CountedMask counted_mask(op, mask);
  const int rank = mask.rank();
  const std::int64_t shape[] = {rank, counted_mask.count};
  check_shape(op, shape, sizeof(std::int64_t));
  const NdArray all = empty(Dims(shape), Dtype::int64, device);
  if (counted_mask.count > 0) {
    NonzeroParams params{};
    params.mask = counted_mask.mask.data();
    params.output = reinterpret_cast<std::int64_t*>(all.data());
    params.size = mask.size();
    params.count = counted_mask.count;
    params.starts = counted_mask.begins();
    params.rank = rank;
    std::copy(mask.shape().begin(), mask.shape().end(), params.shape);
    const MemoryUse uses[] = {reads(counted_mask.mask), writes(all), reads(counted_mask.starts)};
    launch(device, kernel, params, uses);
  }
  std::vector<NdArray> columns;
  columns.reserve(static_cast<std::size_t>(rank));
  for (int axis = 0; axis < rank; ++axis) {
    columns.push_back(all.view({Dims{counted_mask.count}, Dims{8}, axis * counted_mask.count * 8}));
  }
  return columns;
}

}  // namespace skerry
