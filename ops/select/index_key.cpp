// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/select/index_key.hpp"

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/item_size.hpp"
#include "core/scalar_conversion.hpp"
#include "core/view.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/create/create.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/kernels.hpp"
#include "ops/move/views.hpp"
#include "ops/select/masks.hpp"
#include "ops/select/selection.hpp"
#include "ops/select/take.hpp"

namespace skerry {
namespace {

/// Checks the devices of x and value; those of the key have been checked.
void check_value_device(const NdArray& x, const IndexKey& key, const Operand& value) {
  if (value.array == nullptr || value.array->device() == x.device()) return;
  std::vector<Operand> all{{.array = &x, .name = "x"}};
  for (const AdvancedItem& item : key.advanced) {
    if (item.array != nullptr) all.push_back({.array = item.array, .name = "key"});
  }
  all.push_back(value);
  common_device(all);
}

/// Returns the number of x's axes that a key covers.
std::int64_t consumed_by(const IndexKey& key) {
  std::int64_t consumed = key.counts.consumed;
  for (const AdvancedItem& item : key.advanced) {
    if (item.kind == AdvancedKind::indices) ++consumed;
    if (item.kind == AdvancedKind::mask) consumed += item.array->rank();
  }
  return consumed;
}

void check_mask(const NdArray& x, const NdArray& mask, int axis) {
  for (int i = 0; i < mask.rank(); ++i) {
    const std::int64_t n = x.shape()[axis + i];
    if (mask.shape()[i] == n || mask.shape()[i] == 0) continue;
    throw IndexError("the mask does not fit x: axis " + std::to_string(i) +
                     " of the mask has size " + std::to_string(mask.shape()[i]) + ", axis " +
                     std::to_string(axis + i) + " of x has size " + std::to_string(n));
  }
}

/// Walks a key once and collects what it selects.
class SelectionBuilder {
 public:
  SelectionBuilder(const NdArray& x, const IndexKey& key) : x_(x) {
    if (key.counts.ellipses > 1) {
      throw IndexError(std::to_string(key.counts.ellipses) +
                       " ellipses in one index; use '...' once");
    }
    const std::int64_t consumed = consumed_by(key);
    if (consumed > x.rank()) {
      throw IndexError("too many indices: " + std::to_string(consumed) + " for an array of rank " +
                       std::to_string(x.rank()) + ", shape " + to_string(x.shape()));
    }
    untouched_ = x.rank() - static_cast<int>(consumed);
    basic_.reserve(key.items.size());
    indexed_.reserve(key.items.size());
    arrays_.reserve(key.advanced.size());
    auto next = key.advanced.begin();
    for (std::size_t i = 0; i < key.items.size(); ++i) {
      if (next != key.advanced.end() && next->position == i) {
        read_advanced(*next++);
      } else {
        read_basic(key.items[i]);
      }
    }
    if (key.counts.ellipses == 0) keep_whole(untouched_);
  }

  Selection finish() {
    find_masks();
    Selection selection;
    selection.axes.reserve(arrays_.size());
    selection.index_shape = index_shape();
    const Layout base = index_view(x_.layout(), basic_);
    selection.layout.offset = base.offset;
    selection.first = is_split_ ? 0 : index_position_;
    int rest = 0;
    for (int axis = 0; axis < base.rank(); ++axis) {
      const int array_index = indexed_[static_cast<std::size_t>(axis)];
      if (array_index >= 0) {
        const Found& index_array = arrays_[static_cast<std::size_t>(array_index)];
        selection.axes.push_back(
            {index_array.index, base.shape[axis], base.strides[axis], index_array.axis});
        continue;
      }
      if (rest++ == selection.first) add_index_axes(selection);
      selection.layout.shape.push_back(base.shape[axis]);
      selection.layout.strides.push_back(base.strides[axis]);
    }
    if (rest <= selection.first) add_index_axes(selection);
    return selection;
  }

 private:
  struct Found {
    NdArray index;  ///< the mask itself until find_masks()
    int axis;       ///< of x
  };

  /// Tracks whether the items that broadcast together (arrays and ints) are adjacent or split.
  void note_broadcast(bool does_broadcast) {
    if (does_broadcast) {
      if (state_ == State::before_arrays) index_position_ = basic_axis_count_;
      is_split_ = is_split_ || state_ == State::after_arrays;
      state_ = State::inside;
    } else if (state_ == State::inside) {
      state_ = State::after_arrays;
    }
  }

  void read_advanced(const AdvancedItem& item) {
    note_broadcast(true);
    switch (item.kind) {
      case AdvancedKind::indices:
        arrays_.push_back({as_indices(*item.array), axis_});
        index_axis();
        break;
      case AdvancedKind::mask:
        read_mask(*item.array);
        break;
      case AdvancedKind::boolean:
        booleans_.push_back(item.boolean ? 1 : 0);
        break;
    }
  }

  void read_basic(const IndexItem& item) {
    note_broadcast(item.kind == IndexKind::integer);
    if (item.kind == IndexKind::ellipsis) return keep_whole(untouched_);
    basic_.push_back(item);
    if (item.kind == IndexKind::integer) {
      ++axis_;
      return;
    }
    indexed_.push_back(-1);
    ++basic_axis_count_;
    if (item.kind == IndexKind::slice) ++axis_;
  }

  void read_mask(const NdArray& mask) {
    check_mask(x_, mask, axis_);
    masks_.push_back({mask, static_cast<int>(arrays_.size())});
    for (int i = 0; i < mask.rank(); ++i) {
      arrays_.push_back({{}, axis_});
      index_axis();
    }
  }

  void keep_whole(int axes) {
    for (; axes > 0; --axes, ++axis_, ++basic_axis_count_) {
      basic_.push_back({.kind = IndexKind::slice});
      indexed_.push_back(-1);
    }
  }

  /// Adds an axis of x that is indexed by the last array of arrays_.
  void index_axis() {
    basic_.push_back({.kind = IndexKind::slice});
    indexed_.push_back(static_cast<int>(arrays_.size()) - 1);
    ++axis_;
  }

  /// Called last, since it may wait for the device.
  void find_masks() {
    for (const Found& mask : masks_) {
      int array_index = mask.axis;
      for (NdArray& index : true_indices(mask.index)) {
        arrays_[static_cast<std::size_t>(array_index++)].index = std::move(index);
      }
    }
  }

  [[nodiscard]] Dims index_shape() const {
    std::vector<Dims> bool_shapes;
    bool_shapes.reserve(booleans_.size());
    for (const std::int64_t n : booleans_) bool_shapes.push_back(Dims{n});
    std::vector<const Dims*> shapes;
    shapes.reserve(bool_shapes.size() + arrays_.size());
    for (const Dims& shape : bool_shapes) shapes.push_back(&shape);
    for (const Found& index_array : arrays_) shapes.push_back(&index_array.index.shape());
    try {
      const OperationScope unnamed(nullptr);  // the IndexError adds the operation's name
      return broadcast_shapes(shapes);
    } catch (const ShapeError& error) {
      throw IndexError(error.what());
    }
  }

  void add_index_axes(Selection& selection) const {
    for (const std::int64_t n : selection.index_shape) {
      if (selection.layout.rank() >= max_rank) {
        throw ShapeError("the result would have more than 64 axes");
      }
      selection.layout.shape.push_back(n);
      selection.layout.strides.push_back(0);
    }
  }

  enum class State : std::uint8_t { before_arrays, inside, after_arrays };

  const NdArray& x_;
  int untouched_ = 0;         ///< axes that no item covers
  int axis_ = 0;              ///< next axis of x
  int basic_axis_count_ = 0;  ///< axes of the result from basic items so far
  int index_position_ = 0;    ///< where the index arrays' axes go among them
  bool is_split_ = false;
  State state_ = State::before_arrays;
  std::vector<IndexItem> basic_;
  std::vector<int> indexed_;  ///< for each axis of the basic view: index in arrays_, or -1
  std::vector<Found> arrays_;
  std::vector<Found> masks_;  ///< axis: its first index in arrays_
  std::vector<std::int64_t> booleans_;
};

/// Returns the array if the key consists of one array of this kind, otherwise null.
const NdArray* only_array(const IndexKey& key, AdvancedKind kind) {
  if (key.items.size() != 1 || key.advanced[0].kind != kind) return nullptr;
  return key.advanced[0].array;
}

/// Returns the mask if it is the whole key and its shape matches the first axes of x.
const NdArray* only_mask(const NdArray& x, const IndexKey& key) {
  const NdArray* mask = only_array(key, AdvancedKind::mask);
  if (mask == nullptr || mask->rank() > x.rank()) return nullptr;
  for (int axis = 0; axis < mask->rank(); ++axis) {
    if (mask->shape()[axis] != x.shape()[axis]) return nullptr;
  }
  return mask;
}

/// Builds the selection. If the key is a mask, first merges the axes that it covers, provided that
/// x needs no copy for that.
Selection find_selection(const NdArray& x, const IndexKey& key, const NdArray* mask) {
  if (mask != nullptr && mask->rank() > 1) {
    Dims merged{mask->size()};
    for (int axis = mask->rank(); axis < x.rank(); ++axis) merged.push_back(x.shape()[axis]);
    if (std::optional<Layout> view = reshape_view(x.layout(), merged, x.itemsize())) {
      const std::int64_t flat[] = {-1};
      const std::int64_t none[] = {0};
      const NdArray flat_mask = reshape(*mask, mask->size() > 0 ? flat : none, std::nullopt);
      AdvancedItem one = key.advanced[0];
      one.array = &flat_mask;
      const IndexKey flat_key{.items = key.items, .advanced = {&one, 1}, .counts = key.counts};
      return SelectionBuilder(x.view(std::move(*view)), flat_key).finish();
    }
  }
  return SelectionBuilder(x, key).finish();
}

/// Returns the value in the dtype of x, with memory that does not overlap x.
NdArray values_for(const NdArray& x, const Operand& value) {
  if (value.array == nullptr) return full({}, *value.value, x.dtype(), x.device());
  if (value.array->dtype() != x.dtype() || may_overlap(x, *value.array)) {
    return convert_operand(*value.array, x.dtype());
  }
  return *value.array;
}

void check_value(const NdArray& x, const Operand& value) {
  if (value.array == nullptr) {
    static_cast<void>(to_element(*value.value, x.dtype()));
  } else {
    check_assigned_dtype(x, value.array->dtype());
  }
}

/// Sets x[index] = value for a 1-D run on the host. Returns false if the arguments do not qualify.
bool set_run(const NdArray& x, const NdArray& index, const Operand& value) {
  if (!is_1d_on_host(x, index)) return false;
  if (value.array == nullptr) {
    scatter_run(x, index, nullptr, to_element(*value.value, x.dtype()));
    return true;
  }
  const NdArray& values = *value.array;
  const bool fits = values.rank() == 0 || (values.rank() == 1 && (values.shape() == index.shape()));
  if (!fits || values.dtype() != x.dtype() || may_overlap(x, values)) return false;
  scatter_run(x, index, &values, {});
  return true;
}

/// Returns the value's layout without the axis that counts the mask's elements, or nullopt if the
/// value differs among them.
std::optional<Layout> value_of_each(const NdArray& x, const NdArray& mask, const NdArray& value) {
  const int trailing = x.rank() - mask.rank();
  if (value.rank() <= trailing) return value.layout();
  if (value.rank() > trailing + 1 || value.shape()[0] != 1) return std::nullopt;
  Layout layout = value.layout();
  layout.shape.erase(0);
  layout.strides.erase(0);
  return layout;
}

/// Sets x[mask] = value for one value, as where(mask, value, x) in place. Counts nothing, so the
/// host need not wait for the device.
bool fill_masked(const NdArray& x, const NdArray& mask, const Operand& value) {
  std::optional<Layout> value_layout = Layout{};
  if (value.array != nullptr) value_layout = value_of_each(x, mask, *value.array);
  if (!value_layout) return false;
  const Dims trailing(x.shape().span().subspan(static_cast<std::size_t>(mask.rank())));
  static_cast<void>(broadcast_to(*value_layout, trailing));
  const Kernel<Plan>& kernel =
      require_kernel(kernels<MovesKernels>(x.device()).where_kernel[size_class(x.itemsize())],
                     x.dtype(), x.device());
  Layout mask_layout = mask.layout();
  for (int axis = mask.rank(); axis < x.rank(); ++axis) {
    mask_layout.shape.push_back(1);
    mask_layout.strides.push_back(0);
  }
  NdArray condition = mask.view(std::move(mask_layout));
  if (may_overlap(x, condition) && !same_elements(x, condition)) condition = copy(condition);
  KernelCall call(x);
  call.add(condition);
  NdArray values;
  if (value.array == nullptr) {
    call.add(to_element(*value.value, x.dtype()), x.itemsize());
  } else {
    values = values_for(x, {.array = value.array});
    if (values.rank() != value_layout->rank())
      values = values.view(*value_of_each(x, mask, values));
    call.add(values);
  }
  call.add(x);
  call.enqueue(kernel);
  return true;
}

/// Out of line, so that get_item with one index array needs no stack frame for this.
[[gnu::noinline]] NdArray select_elements(const NdArray& x, const IndexKey& key) {
  const NdArray* const mask = only_mask(x, key);
  if (mask != nullptr && mask->rank() == x.rank()) return compress(x, *mask);
  const Selection selection = find_selection(x, key, mask);
  if (selection.axes.empty()) return copy_c_order(x.view(selection.layout));
  return gather(x, selection);
}

}  // namespace

NdArray get_item(const NdArray& x, const IndexKey& key) {
  const NdArray* const indices = only_array(key, AdvancedKind::indices);
  if (indices != nullptr && x.rank() > 0) return take_first(x, *indices);
  return select_elements(x, key);
}

void set_item(const NdArray& x, const IndexKey& key, const Operand& value) {
  check_value_device(x, key, value);
  require_writable(x);
  const NdArray* const indices = only_array(key, AdvancedKind::indices);
  if (indices != nullptr && set_run(x, *indices, value)) return;
  check_value(x, value);
  const NdArray* const mask = only_mask(x, key);
  if (mask != nullptr && fill_masked(x, *mask, value)) return;
  const Selection selection = find_selection(x, key, mask);
  const NdArray values = values_for(x, value);
  if (selection.axes.empty()) {
    assign(x.view(selection.layout), values);
  } else {
    scatter(x, selection, values, mask != nullptr);
  }
}

void set_element(const NdArray& x, std::int64_t offset, const Scalar& value) {
  // Read-only memory is the only possible error here: the element's view has no axes.
  if (x.read_only()) require_writable(x.view({{}, {}, offset}));
  const Element element = to_element(value, x.dtype());
  char* const destination = x.memory()->data() + offset;
  visit(x.dtype(),
        [&]<class T>(type_identity<T>) { std::memcpy(destination, element.bytes, sizeof(T)); });
}

}  // namespace skerry
