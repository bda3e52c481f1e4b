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
struct counted_mask {
  ndarray mask;
  ndarray starts;
  std::int64_t count = 0;

  counted_mask(const char* op, const ndarray& of) : mask(contiguous(of)) {
    const device where = mask.device();
    const kernel& entry =
        require_kernel(op, kernels<index_kernels>(where).count, dtype::bool_, where);
    const std::int64_t blocks = mask_blocks(mask.size());
    const bool is_native = capabilities_of(where).form == kernel_form::native;
    starts = empty({count_words(mask.size(), is_native)}, dtype::int64, where);
    if (mask.size() == 0) return;
    auto* const to = reinterpret_cast<std::int64_t*>(starts.data());
    const memory_use uses[] = {reads(mask), writes(starts)};
    launch(where, entry, count_params{mask.data(), mask.size(), to}, uses);
    read_bytes(&count, starts.memory(), static_cast<std::size_t>(blocks) * sizeof count,
               sizeof count);
  }
  [[nodiscard]] const std::int64_t* begins() const {
    return reinterpret_cast<const std::int64_t*>(starts.data());
  }
};

}  // namespace

ndarray compress(const char* op, const ndarray& x, const ndarray& mask) {
  const device where = x.device();
  const kernel& entry = require_kernel(
      op, kernels<index_kernels>(where).compress[size_class(x.itemsize())], x.dtype(), where);
  const counted_mask chosen(op, mask);
  ndarray out = empty({chosen.count}, x.dtype(), where);
  if (chosen.count == 0) return out;
  const ndarray from = contiguous(x);
  const memory_use uses[] = {reads(chosen.mask), reads(from.memory()), writes(out),
                             reads(chosen.starts)};
  launch(where, entry,
         compress_params{chosen.mask.data(), from.data(), out.data(), x.size(), chosen.begins()},
         uses);
  return out;
}

std::vector<ndarray> true_indices(const char* op, const ndarray& mask) {
  const device where = mask.device();
  const kernel& entry =
      require_kernel(op, kernels<index_kernels>(where).nonzero, dtype::bool_, where);
  const counted_mask chosen(op, mask);
  const int rank = mask.rank();
  const std::int64_t shape[] = {rank, chosen.count};
  check_shape(op, shape, sizeof(std::int64_t));
  const ndarray all = empty(dims(shape), dtype::int64, where);
  if (chosen.count > 0) {
    nonzero_params params{};
    params.mask = chosen.mask.data();
    params.to = reinterpret_cast<std::int64_t*>(all.data());
    params.size = mask.size();
    params.count = chosen.count;
    params.starts = chosen.begins();
    params.rank = rank;
    std::copy(mask.shape().begin(), mask.shape().end(), params.shape);
    const memory_use uses[] = {reads(chosen.mask), writes(all), reads(chosen.starts)};
    launch(where, entry, params, uses);
  }
  std::vector<ndarray> columns;
  columns.reserve(static_cast<std::size_t>(rank));
  for (int axis = 0; axis < rank; ++axis) {
    columns.push_back(all.view({dims{chosen.count}, dims{8}, axis * chosen.count * 8}));
  }
  return columns;
}

}  // namespace skerry
