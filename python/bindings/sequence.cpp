// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/sequence.hpp"

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/promotion.hpp"
#include "core/scalar_conversion.hpp"
#include "core/scalar_range.hpp"
#include "device/backend.hpp"
#include "ops/call/device_dtypes.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/math/concepts.hpp"
#include "ops/move/copy.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/asarray.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/sequence_items.hpp"

namespace skerry::python {
namespace {

/// Reads nested sequences in one pass: the first branch determines the shape, and every leaf is
/// checked against it.
class Reader {
 public:
  void read(PyObject* object, int depth) {
    if (PyList_Check(object) || PyTuple_Check(object)) {
      read_items(object, depth);
    } else if (is_other_sequence(object)) {
      read_items(Object(PySequence_List(object)).get(), depth);
    } else if (is_array(object)) {
      arrays_.push_back(value_of(object));
      read_block(value_of(object), depth);
    } else if (is_numpy_array(object)) {
      const Conversion as_is{.type = {}, .device = {}, .copied = {}};
      numpy_.push_back(take_numpy_array(as_is, object, Device{}).array);
      read_block(numpy_.back(), depth);
    } else {
      values_.push_back(require_scalar("every element", object));
      kind_ = std::max(kind_, values_.back().kind);
      has_scalars_ = true;
      look_at_scalar(object);
      end_branch(depth);
    }
  }

  [[nodiscard]] const Dims& shape() const noexcept { return shape_; }
  [[nodiscard]] const std::vector<Scalar>& values() const noexcept { return values_; }
  [[nodiscard]] Dtype type(Device device) const {
    if (arrays_promote_.is_empty()) {
      if (all_numpys_) {
        if (const std::optional<Dtype> common = numpys_promote_.result()) return *common;
      }
      return default_dtype_on(device, values_.empty() ? default_real : default_dtype(kind_));
    }
    const std::optional<Dtype> dtype = arrays_promote_.result();
    if (!dtype) {
      throw DtypeError("the dtypes of the arrays don't promote; convert one with astype");
    }
    Dtype common = *dtype;
    if (has_scalars_) {
      for (const Scalar& value : values_) common = promote_scalar(common, value);
    }
    return common;
  }
  [[nodiscard]] bool has_arrays() const noexcept { return !arrays_promote_.is_empty(); }
  [[nodiscard]] std::optional<Device> device() const {
    if (arrays_.empty()) return std::nullopt;
    // Without skerry arrays, NumPy's count as numbers without a device; else they are on cpu:0.
    std::vector<NdArray> all = arrays_;
    all.insert(all.end(), numpy_.begin(), numpy_.end());
    return common_device(all);
  }

 private:
  void read_items(PyObject* sequence, int depth) {
    if (depth >= max_rank) {
      throw ShapeError("sequences nested more than 64 deep");
    }
    const SequenceItems items(sequence);
    const Py_ssize_t count = items.size();
    enter(depth, count);
    for (Py_ssize_t i = 0; i < count; ++i) {
      // An element's __index__ may run code that shrinks the list.
      if (i >= items.size()) reject_ragged();
      const Object item = Object::borrow(items[i]);
      read(item.get(), depth + 1);
    }
    if (count == 0) end_branch(depth + 1);
  }

  /// Collects the dtypes of NumPy scalars, which count only if all scalars are NumPy's. Together
  /// with Python scalars or arrays, NumPy scalars count as Python scalars.
  void look_at_scalar(PyObject* object) {
    if (!all_numpys_) return;
    const std::optional<Dtype> scalar_dtype =
        PyFloat_CheckExact(object) || PyLong_CheckExact(object) ? std::nullopt
                                                                : numpy_scalar_dtype(object);
    all_numpys_ = scalar_dtype.has_value();
    if (scalar_dtype) numpys_promote_.add(*scalar_dtype);
  }

  /// Reads the elements of an array, copied to the host at once.
  void read_block(const NdArray& array, int depth) {
    arrays_promote_.add(array.dtype());
    if (depth + array.rank() > max_rank) {
      throw ShapeError("arrays nested more than 64 deep");
    }
    for (int axis = 0; axis < array.rank(); ++axis) enter(depth + axis, array.shape()[axis]);
    end_branch(depth + array.rank());
    NdArray host = array;
    if (!capabilities_of(array.device()).host_memory) {
      const WithoutGil waiting(true);
      host = to_device(array, Device{});
    }
    host = contiguous(host);
    visit(host.dtype(), [&]<class T>(type_identity<T>) {
      for (std::int64_t i = 0; i < host.size(); ++i) {
        T value;
        std::memcpy(&value, host.data() + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
        values_.push_back(scalar_of(value));
      }
    });
  }

  template <class T>
  static Scalar scalar_of(T value) {
    if constexpr (std::is_same_v<T, bool>) {
      return Scalar::from_value(value);
    } else if constexpr (ops::real_floating<T>) {
      return Scalar::from_value(static_cast<double>(value));
    } else if constexpr (ops::complex_floating<T>) {
      return Scalar::from_value(value.re, value.im);
    } else if constexpr (std::is_unsigned_v<T>) {
      return Scalar::of_unsigned(value);
    } else {
      return Scalar::from_value(static_cast<std::int64_t>(value));
    }
  }

  void enter(int depth, std::int64_t count) {
    if (depth < shape_.rank()) {
      if (shape_[depth] != count) reject_ragged();
    } else if (closed_) {
      reject_ragged();
    } else {
      shape_.push_back(count);
    }
  }
  void end_branch(int depth) {
    if (closed_ && depth != shape_.rank()) reject_ragged();
    closed_ = true;
  }
  [[noreturn]] void reject_ragged() const {
    throw ShapeError("the nested sequences are ragged; the first ones give shape " +
                     to_string(shape_) + ", and all must");
  }

  Dims shape_;
  bool closed_ = false;  ///< the first leaf has been read: the rank is known
  bool has_scalars_ = false;
  bool all_numpys_ = true;  ///< no Python scalar has been read
  ScalarKind kind_ = ScalarKind::boolean;
  std::vector<Scalar> values_;
  Promotion arrays_promote_;
  Promotion numpys_promote_;  ///< of the NumPy scalars, while all_numpys_
  std::vector<NdArray> arrays_;
  std::vector<NdArray> numpy_;
};

/// Creates an array of `type` from the values; casts them if `casts`, else throws if they don't
/// fit.
NdArray array_of(const Dims& shape, std::span<const Scalar> values, Dtype type, bool casts,
                 Device device) {
  const Device host = is_host(device) ? device : Device{};
  NdArray result = empty(shape, type, host);
  char* destination = result.data();
  for (const Scalar& value : values) {
    const Element one = to_element(casts ? cast_scalar(value, type) : value, type);
    std::memcpy(destination, one.bytes, static_cast<std::size_t>(itemsize(type)));
    destination += itemsize(type);
  }
  return device == host ? result : to_device(result, device);
}

}  // namespace

bool is_other_sequence(PyObject* object) {
  if (PyFloat_CheckExact(object) || PyLong_CheckExact(object) || is_array(object)) return false;
  const PySequenceMethods* const methods = Py_TYPE(object)->tp_as_sequence;
  if (methods == nullptr || methods->sq_item == nullptr || methods->sq_length == nullptr)
    return false;
  if (PyList_Check(object) || PyTuple_Check(object) || PyUnicode_Check(object) ||
      PyDict_Check(object) || PyObject_CheckBuffer(object)) {
    return false;
  }
  // Arrays of other libraries, and mappings in Python.
  for (const char* const name : {"__array__", "__dlpack__", "__array_interface__", "keys"}) {
    if (optional_attribute(object, name).get() != nullptr) return false;
  }
  return true;
}

NdArray from_number(const Scalar& value, std::optional<Dtype> type, Device device) {
  return array_of({}, {&value, 1},
                  type ? *type : default_dtype_on(device, default_dtype(value.kind)),
                  type.has_value(), device);
}

NdArray from_sequence(PyObject* object, std::optional<Dtype> type, std::optional<Device> device,
                      std::optional<Device> fallback) {
  Reader all;
  all.read(object, 0);
  const std::optional<Device> array_device = all.device();
  if (!device) device = array_device ? array_device : fallback;
  const Device target = device ? *device : default_device();
  return array_of(all.shape(), all.values(), type ? *type : all.type(target), type.has_value(),
                  target);
}

NdArray values_to_assign(PyObject* object, const NdArray& target) {
  const Device device = target.device();
  Reader all;
  all.read(object, 0);
  static_cast<void>(all.device());  // throws unless all arrays are on one device
  const bool fits =
      all.values().empty() || kind_rank(all.type(device)) <= kind_rank(target.dtype());
  return array_of(all.shape(), all.values(), fits ? target.dtype() : all.type(device), fits,
                  device);
}

LiteralArray literal_array(PyObject* object, std::optional<Dtype> type, Device device,
                           IntOutOfRange effect) {
  Reader all;
  all.read(object, 0);
  static_cast<void>(all.device());  // throws unless all arrays are on one device
  if (!type || all.has_arrays()) {
    return {array_of(all.shape(), all.values(), all.type(device), false, device), {}, {}};
  }
  for (const Scalar& value : all.values()) type = promote_scalar_kind(*type, value);
  if (effect == IntOutOfRange::error) {
    return {array_of(all.shape(), all.values(), *type, false, device), {}, {}};
  }
  std::vector<Scalar> values = all.values();
  std::vector<Scalar> above;
  std::vector<Scalar> below;
  const bool is_compared = effect == IntOutOfRange::compared;
  const int neutral_side = effect == IntOutOfRange::no_effect_above   ? 1
                           : effect == IntOutOfRange::no_effect_below ? -1
                                                                      : 0;
  int sides = 0;
  for (Scalar& value : values) {
    const int side = out_of_range_side(value, *type);
    above.push_back(Scalar::from_value(side > 0));
    below.push_back(Scalar::from_value(side < 0));
    if (side == 0) continue;
    sides |= side > 0 ? 1 : 2;
    if (is_compared) {
      value = last_value(*type, side);
    } else if (side == neutral_side) {
      value = is_integer(*type) ? last_value(*type, side) : Scalar::from_value(side * HUGE_VAL);
    }
  }
  if (effect == IntOutOfRange::widens && sides != 0) type = all.type(device);
  LiteralArray result{array_of(all.shape(), values, *type, false, device), {}, {}};
  if (!is_compared) return result;
  const auto marks = [&](const std::vector<Scalar>& marked) {
    return array_of(all.shape(), marked, Dtype::bool_, false, device);
  };
  if ((sides & 1) != 0) result.above = marks(above);
  if ((sides & 2) != 0) result.below = marks(below);
  return result;
}

NdArray values_to_find(PyObject* object, Dtype x, Device device) {
  Reader all;
  all.read(object, 0);
  const Dtype type = all.type(device);
  const bool is_of_ints = is_integer(type) && !all.has_arrays() && !all.values().empty();
  if (!is_of_ints) {
    return literal_array(object, x, device, IntOutOfRange::error).array;
  }
  // Ints take the dtype of x, unless x is bool.
  const Dtype compared = x != Dtype::bool_ ? x : type;
  std::vector<Scalar> comparable_values;
  for (const Scalar& value : all.values()) {
    if (out_of_range_side(value, compared) == 0) comparable_values.push_back(value);
  }
  return array_of(Dims{std::ssize(comparable_values)}, comparable_values, compared, false, device);
}

}  // namespace skerry::python
