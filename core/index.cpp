// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/checked.hpp"
#include "core/errors.hpp"
#include "core/layout.hpp"
#include "core/view.hpp"

namespace skerry {
namespace {

struct ResolvedSlice {
  std::int64_t start;
  std::int64_t step;
  std::int64_t length;
};

/// Clamps a bound as Python does: negative bounds count from the end, the result is clamped to
/// [lowest, highest].
std::int64_t clamp_bound(std::int64_t bound, std::int64_t n, std::int64_t lowest,
                         std::int64_t highest) {
  if (bound < 0) bound += n;
  return std::clamp(bound, lowest, highest);
}

ResolvedSlice resolve_slice(const IndexItem& item, std::int64_t n) {
  if (item.step == 0) {
    throw ValueError("slice step is 0; use a positive or negative step");
  }
  // Clamped as in CPython, so that -step does not overflow.
  const std::int64_t step = std::max(item.step, -INT64_MAX);
  const bool forward = step > 0;
  const std::int64_t lowest = forward ? 0 : -1;
  const std::int64_t highest = forward ? n : n - 1;
  const std::int64_t start =
      item.has_start ? clamp_bound(item.start, n, lowest, highest) : (forward ? lowest : highest);
  const std::int64_t stop =
      item.has_stop ? clamp_bound(item.stop, n, lowest, highest) : (forward ? highest : lowest);
  const std::int64_t distance = forward ? stop - start : start - stop;
  return {start, step, distance > 0 ? (distance - 1) / (forward ? step : -step) + 1 : 0};
}

void check_counts(const Layout& layout, const IndexCounts& counts) {
  if (counts.ellipses > 1) {
    throw IndexError(std::to_string(counts.ellipses) + " ellipses in one index; use '...' once");
  }
  if (counts.consumed > layout.rank()) {
    throw IndexError("too many indices: " + std::to_string(counts.consumed) +
                     " for an array of rank " + std::to_string(layout.rank()) + ", shape " +
                     to_string(layout.shape));
  }
  const std::int64_t rank_after = layout.rank() - counts.consumed + counts.result_axes;
  if (rank_after > max_rank) {
    throw ShapeError("too many axes: " + std::to_string(rank_after) + "; at most " +
                     std::to_string(max_rank) + " are possible");
  }
}

/// Consumes the axes of a layout from the front and builds those of its view.
class ViewBuilder {
 public:
  ViewBuilder(const Layout& layout, int rank, Layout& result) : layout_(layout), result_(result) {
    result_.shape.assign(rank, 1);
    result_.strides.assign(rank, 0);
    result_.offset = layout.offset;
  }

  void take_integer(std::int64_t index) {
    const std::int64_t n = layout_.shape[source_];
    if (index < -n || index >= n) {
      throw IndexError(
          "index " + std::to_string(index) + " is out of bounds: axis " + std::to_string(source_) +
          " has size " + std::to_string(n) +
          (n > 0 ? "; use " + std::to_string(-n) + " to " + std::to_string(n - 1) : ""));
    }
    result_.offset += (index < 0 ? index + n : index) * layout_.strides[source_++];
  }

  void take_slice(const IndexItem& item) {
    const ResolvedSlice slice = resolve_slice(item, layout_.shape[source_]);
    const std::int64_t stride = layout_.strides[source_++];
    if (slice.length > 0) result_.offset += slice.start * stride;
    // The stride overflows only if the step selects a single element, as x[::2**62] does; the
    // stride of one element is never used.
    keep(slice.length, checked_multiply(stride, slice.step).value_or(stride));
  }

  void take_whole(std::int64_t axes) {
    for (; axes > 0; --axes, ++source_) keep(layout_.shape[source_], layout_.strides[source_]);
  }

  void new_axis() { ++target_; }

  /// An empty view keeps the original offset: the computed one may be outside the memory.
  void finish() {
    if (result_.size() == 0) result_.offset = layout_.offset;
  }

 private:
  void keep(std::int64_t n, std::int64_t stride) {
    result_.shape[target_] = n;
    result_.strides[target_++] = stride;
  }

  const Layout& layout_;
  Layout& result_;
  int source_ = 0;
  int target_ = 0;
};

}  // namespace

Layout index_view(const Layout& layout, std::span<const IndexItem> items) {
  IndexCounts counts;
  for (const IndexItem& item : items) counts.add(item.kind);
  return index_view(layout, items, counts);
}

Layout index_view(const Layout& layout, std::span<const IndexItem> items,
                  const IndexCounts& counts) {
  check_counts(layout, counts);
  const std::int64_t untouched = layout.rank() - counts.consumed;
  Layout result;  // returned without a move (NRVO)
  ViewBuilder view(layout, static_cast<int>(untouched + counts.result_axes), result);
  for (const IndexItem& item : items) {
    switch (item.kind) {
      case IndexKind::integer:
        view.take_integer(item.start);
        break;
      case IndexKind::slice:
        view.take_slice(item);
        break;
      case IndexKind::ellipsis:
        view.take_whole(untouched);
        break;
      case IndexKind::new_axis:
        view.new_axis();
        break;
    }
  }
  if (counts.ellipses == 0) view.take_whole(untouched);
  view.finish();
  return result;
}

}  // namespace skerry
