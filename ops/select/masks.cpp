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

  CountedMask(const char* op, const NdArray& of) : mask(contiguous(of)) {
    const Device where = mask.device();
    const Kernel& entry =
        require_kernel(op, kernels<index_kernels>(where).count, Dtype::bool_, where);
    const std::int64_t blocks = mask_blocks(mask.size());
    const bool is_native = capabilities_of(where).form == KernelForm::native;
    starts = empty({count_words(mask.size(), is_native)}, Dtype::int64, where);
    if (mask.size() == 0) return;
    auto* const to = reinterpret_cast<std::int64_t*>(starts.data());
    const MemoryUse uses[] = {reads(mask), writes(starts)};
    launch(where, entry, CountParams{mask.data(), mask.size(), to}, uses);
    read_bytes(&count, starts.memory(), static_cast<std::size_t>(blocks) * sizeof count,
               sizeof count);
  }
  [[nodiscard]] const std::int64_t* begins() const {
    return reinterpret_cast<const std::int64_t*>(starts.data());
  }
};

}  // namespace

NdArray compress(const char* op, const NdArray& x, const NdArray& mask) {
  const Device where = x.device();
  const Kernel& entry = require_kernel(
      op, kernels<index_kernels>(where).compress[size_class(x.itemsize())], x.dtype(), where);
  const CountedMask chosen(op, mask);
  NdArray out = empty({chosen.count}, x.dtype(), where);
  if (chosen.count == 0) return out;
  const NdArray from = contiguous(x);
  const MemoryUse uses[] = {reads(chosen.mask), reads(from.memory()), writes(out),
                            reads(chosen.starts)};
  launch(where, entry,
         CompressParams{chosen.mask.data(), from.data(), out.data(), x.size(), chosen.begins()},
         uses);
  return out;
}

std::vector<NdArray> true_indices(const char* op, const NdArray& mask) {
  const Device where = mask.device();
  const Kernel& entry =
      require_kernel(op, kernels<index_kernels>(where).nonzero, Dtype::bool_, where);
  const CountedMask chosen(op, mask);
  const int rank = mask.rank();
  const std::int64_t shape[] = {rank, chosen.count};
  check_shape(op, shape, sizeof(std::int64_t));
  const NdArray all = empty(Dims(shape), Dtype::int64, where);
  if (chosen.count > 0) {
    NonzeroParams params{};
    params.mask = chosen.mask.data();
    params.to = reinterpret_cast<std::int64_t*>(all.data());
    params.size = mask.size();
    params.count = chosen.count;
    params.starts = chosen.begins();
    params.rank = rank;
    std::copy(mask.shape().begin(), mask.shape().end(), params.shape);
    const MemoryUse uses[] = {reads(chosen.mask), writes(all), reads(chosen.starts)};
    launch(where, entry, params, uses);
  }
  std::vector<NdArray> columns;
  columns.reserve(static_cast<std::size_t>(rank));
  for (int axis = 0; axis < rank; ++axis) {
    columns.push_back(all.view({Dims{chosen.count}, Dims{8}, axis * chosen.count * 8}));
  }
  return columns;
}

}  // namespace skerry
