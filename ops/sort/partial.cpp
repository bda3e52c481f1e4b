// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/sort/partial.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/view.hpp"
#include "ops/call/host_scratch.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/limits.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/call/result.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/views.hpp"
#include "ops/sort/partial_kernels.hpp"
#include "ops/sort/sort.hpp"

namespace skerry {
namespace {

using kernels_by_dtype = Kernel<PartialParams> (PartialKernels::*)[dtype_count];

const Kernel<PartialParams>& kernel_for(kernels_by_dtype kernel_table, const NdArray& x) {
  if (kind(x.dtype()) == DtypeKind::complex_floating) {
    throw DtypeError(std::string(name(x.dtype())) + " has no order; use a bool or real dtype");
  }
  const Device device = x.device();
  const auto& all = kernels<PartialKernels>(device).*kernel_table;
  return require_kernel(all[static_cast<int>(x.dtype())], x.dtype(), device);
}

std::int64_t row_length(const NdArray& x) { return x.shape()[x.rank() - 1]; }

/// What to find in each row.
struct RowRequest {
  std::span<const std::int64_t> ranks = {};
  std::int64_t best = 0;
  bool largest = false;
};

/// Launches over the rows along the last axis of x, which is C-contiguous and not empty. One of the
/// outputs may be null.
void launch_rows(const Kernel<PartialParams>& kernel, const NdArray& x, const RowRequest& request,
                 const NdArray* values, const NdArray* indices) {
  const std::int64_t length = row_length(x);
  require_count<PartialParams>(x.device(), length, "elements of a row");
  const std::int64_t rows = x.size() / length;
  const std::int64_t slots = host_slots(rows);
  const std::int64_t slot_bytes = partial_scratch(length, x.itemsize(), request.best);
  launch(x.device(), kernel, [&](OperandList& operands) {
    PartialParams params{.input = operands(x),
                         .values = operands(values),
                         .indices = operands(indices),
                         .scratch = operands.workspace(slots * slot_bytes),
                         .slots = slots,
                         .rows = rows,
                         .length = length,
                         .rank_count = static_cast<std::int32_t>(request.ranks.size()),
                         .ranks = {},
                         .best = request.best,
                         .largest = request.largest};
    std::ranges::copy(request.ranks, params.ranks);
    return params;
  });
}

/// Returns the ranks ascending, distinct and non-negative.
std::vector<std::int64_t> checked_ranks(std::span<const std::int64_t> requested_ranks,
                                        std::int64_t length) {
  std::vector<std::int64_t> ranks(requested_ranks.begin(), requested_ranks.end());
  for (std::int64_t& rank : ranks) {
    if (rank < -length || rank >= length) {
      throw ValueError("kth is out of bounds: " + std::to_string(rank) + " for an axis of size " +
                       std::to_string(length));
    }
    if (rank < 0) rank += length;
  }
  std::ranges::sort(ranks);
  const auto doubles = std::ranges::unique(ranks);
  ranks.erase(doubles.begin(), doubles.end());
  return ranks;
}

NdArray partition_rows(const Kernel<PartialParams>& kernel, const NdArray& x,
                       std::span<const std::int64_t> ranks, bool indices) {
  NdArray out = empty(x.shape(), indices ? default_integer : x.dtype(), x.device());
  launch_rows(kernel, x, {.ranks = ranks}, indices ? nullptr : &out, indices ? &out : nullptr);
  return out;
}

BestItems best_of_rows(const Kernel<PartialParams>& kernel, const NdArray& x, std::int64_t count,
                       bool largest) {
  Dims shape = x.shape();
  shape[x.rank() - 1] = count;
  BestItems best_items{.values = empty(shape, x.dtype(), x.device()),
                       .indices = empty(shape, default_integer, x.device())};
  if (best_items.values.size() == 0) return best_items;
  launch_rows(kernel, x, {.best = count, .largest = largest}, &best_items.values,
              &best_items.indices);
  return best_items;
}

/// True if sorting is faster than selecting: for short rows, and for items of one byte, which are
/// sorted by counting.
bool is_sorted_first(const NdArray& x) { return row_length(x) <= 1024 || x.itemsize() == 1; }

NdArray pick_sorted(const NdArray& x, std::span<const std::int64_t> ranks, const NdArray& out) {
  const int last = x.rank() - 1;
  const NdArray sorted = sort(x, last, false);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    assign(slice_of(out, last, static_cast<std::int64_t>(i), 1),
           slice_of(sorted, last, ranks[i], 1));
  }
  return out;
}

}  // namespace

NdArray order_statistics(const NdArray& x, std::span<const std::int64_t> requested_ranks) {
  const Kernel<PartialParams>& kernel = kernel_for(&PartialKernels::statistics, x);
  const int last = normalize_axis(-1, x.rank());
  const std::vector<std::int64_t> ranks = checked_ranks(requested_ranks, row_length(x));
  if (ranks.empty() || ranks.size() > max_ranks) {
    throw ValueError("needs 1 to " + std::to_string(max_ranks) + " ranks, not " +
                     std::to_string(ranks.size()));
  }
  Dims shape = x.shape();
  shape[last] = static_cast<std::int64_t>(ranks.size());
  NdArray out = empty(shape, x.dtype(), x.device());
  if (out.size() == 0) return out;
  if (is_sorted_first(x)) return pick_sorted(x, ranks, out);
  const NdArray rows = contiguous(x);
  launch_rows(kernel, rows, {.ranks = ranks}, &out, nullptr);
  return out;
}

NdArray partition(const NdArray& x, std::span<const std::int64_t> requested_ranks,
                  std::int64_t axis, bool indices) {
  const Kernel<PartialParams>& kernel = kernel_for(&PartialKernels::partition, x);
  const int along = normalize_axis(axis, x.rank());
  // No element is at a rank then, as NumPy has it.
  if (x.size() == 0) return empty(x.shape(), indices ? default_integer : x.dtype(), x.device());
  const std::vector<std::int64_t> ranks = checked_ranks(requested_ranks, x.shape()[along]);
  // Finding several ranks takes as long as sorting.
  if (ranks.size() != 1 || x.itemsize() == 1) {
    return indices ? argsort(x, axis, false) : sort(x, axis, false);
  }
  if (along == x.rank() - 1) return partition_rows(kernel, contiguous(x), ranks, indices);
  const AxesAtEnd order(x.rank(), Dims{along}.span());
  const NdArray rows = contiguous(permute_dims(x, order.forward));
  return contiguous(permute_dims(partition_rows(kernel, rows, ranks, indices), order.back));
}

BestItems topk(const NdArray& x, std::int64_t count, std::int64_t axis, bool largest) {
  const Kernel<PartialParams>& kernel = kernel_for(&PartialKernels::topk, x);
  const int along = normalize_axis(axis, x.rank());
  const std::int64_t length = x.shape()[along];
  if (count < 0 || count > length) {
    throw ValueError("k is out of bounds: " + std::to_string(count) + " for an axis of size " +
                     std::to_string(length));
  }
  if (along == x.rank() - 1) return best_of_rows(kernel, contiguous(x), count, largest);
  const AxesAtEnd order(x.rank(), Dims{along}.span());
  const NdArray rows = contiguous(permute_dims(x, order.forward));
  const BestItems best_items = best_of_rows(kernel, rows, count, largest);
  return {.values = contiguous(permute_dims(best_items.values, order.back)),
          .indices = contiguous(permute_dims(best_items.indices, order.back))};
}

}  // namespace skerry
