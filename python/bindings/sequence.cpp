// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/sequence.hpp"

#include <cstring>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/promotion.hpp"
#include "core/scalar_range.hpp"
#include "device/backend.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/math/concepts.hpp"
#include "ops/move/copy.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/asarray.hpp"

namespace skerry::python {
namespace {

/// Walks nested sequences once: the first branch gives the shape, every leaf is checked against it.
class Reader {
 public:
  explicit Reader(const char* op) : op_(op) {}

  void read(PyObject* from, int depth) {
    if (PyList_Check(from) || PyTuple_Check(from)) {
      read_items(from, depth);
    } else if (is_other_sequence(from)) {
      read_items(Object(PySequence_List(from)).get(), depth);
    } else if (is_array(from)) {
      arrays_.push_back(value_of(from));
      read_block(value_of(from), depth);
    } else if (is_numpy_array(from)) {
      const Conversion as_is{.op = op_, .type = {}, .where = {}, .copied = {}};
      numpy_.push_back(take_numpy_array(as_is, from, Device{}).array);
      read_block(numpy_.back(), depth);
    } else {
      values_.push_back(require_scalar(op_, "every element", from));
      kind_ = std::max(kind_, values_.back().kind);
      has_scalars_ = true;
      look_at_scalar(from);
      end_branch(depth);
    }
  }

  [[nodiscard]] const Dims& shape() const noexcept { return shape_; }
  [[nodiscard]] const std::vector<Scalar>& values() const noexcept { return values_; }
  [[nodiscard]] Dtype type() const {
    if (arrays_promote_.is_empty()) {
      if (all_numpys_) {
        if (const std::optional<Dtype> own = numpys_promote_.result()) return *own;
      }
      return values_.empty() ? default_real : default_dtype(kind_);
    }
    const std::optional<Dtype> found = arrays_promote_.result();
    if (!found) {
      throw DtypeError(std::string(op_) +
                       ": the dtypes of the arrays don't promote; convert one with astype");
    }
    Dtype common = *found;
    if (has_scalars_) {
      for (const Scalar& value : values_) common = promote_scalar(op_, common, value);
    }
    return common;
  }
  [[nodiscard]] std::optional<Device> where() const {
    if (arrays_.empty()) return std::nullopt;
    // Alone, NumPy's arrays go where numbers go; beside arrays they are on cpu:0, as everywhere.
    std::vector<NdArray> all = arrays_;
    all.insert(all.end(), numpy_.begin(), numpy_.end());
    return common_device(op_, all);
  }

 private:
  void read_items(PyObject* from, int depth) {
    if (depth >= max_rank) {
      throw ShapeError(std::string(op_) + ": sequences nested more than 64 deep");
    }
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(from);
    enter(depth, count);
    for (Py_ssize_t i = 0; i < count; ++i) {
      // An element's __index__ may run code that shrinks the list.
      if (i >= PySequence_Fast_GET_SIZE(from)) reject_ragged();
      const Object item = Object::borrow(PySequence_Fast_GET_ITEM(from, i));
      read(item.get(), depth + 1);
    }
    if (count == 0) end_branch(depth + 1);
  }

  /// Scalars of NumPy's have dtypes, as arrays of no axes have; beside one of Python's they count
  /// as Python's, as beside arrays.
  void look_at_scalar(PyObject* from) {
    if (!all_numpys_) return;
    const std::optional<Dtype> own = PyFloat_CheckExact(from) || PyLong_CheckExact(from)
                                         ? std::nullopt
                                         : numpy_scalar_dtype(from);
    all_numpys_ = own.has_value();
    if (own) numpys_promote_.add(*own);
  }

  /// The elements of an array, brought to the host by one copy.
  void read_block(const NdArray& array, int depth) {
    arrays_promote_.add(array.dtype());
    if (depth + array.rank() > max_rank) {
      throw ShapeError(std::string(op_) + ": arrays nested more than 64 deep");
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
      return Scalar::of(value);
    } else if constexpr (ops::real_floating<T>) {
      return Scalar::of(static_cast<double>(value));
    } else if constexpr (ops::complex_floating<T>) {
      return Scalar::of(value.re, value.im);
    } else if constexpr (std::is_unsigned_v<T>) {
      return Scalar::of_unsigned(value);
    } else {
      return Scalar::of(static_cast<std::int64_t>(value));
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
    throw ShapeError(std::string(op_) +
                     ": the nested sequences have different lengths or depths; the first gives "
                     "shape " +
                     to_string(shape_));
  }

  const char* op_;
  Dims shape_;
  bool closed_ = false;  ///< the first leaf was met: the rank is known
  bool has_scalars_ = false;
  bool all_numpys_ = true;  ///< no scalar was met that is Python's
  ScalarKind kind_ = ScalarKind::boolean;
  std::vector<Scalar> values_;
  Promotion arrays_promote_;
  Promotion numpys_promote_;  ///< of scalars, while all are NumPy's
  std::vector<NdArray> arrays_;
  std::vector<NdArray> numpy_;
};

/// The values as an array of `type`, into which `casts` has them cast.
NdArray array_of(const char* op, const Dims& shape, std::span<const Scalar> values, Dtype type,
                 bool casts, Device where) {
  const Device host = is_host(where) ? where : Device{};
  NdArray made = empty(op, shape, type, host);
  char* to = made.data();
  for (const Scalar& value : values) {
    const Element one = to_element(op, casts ? cast_scalar(op, value, type) : value, type);
    std::memcpy(to, one.bytes, static_cast<std::size_t>(itemsize(type)));
    to += itemsize(type);
  }
  return where == host ? made : to_device(made, where);
}

}  // namespace

bool is_other_sequence(PyObject* from) {
  if (PyFloat_CheckExact(from) || PyLong_CheckExact(from) || is_array(from)) return false;
  const PySequenceMethods* const methods = Py_TYPE(from)->tp_as_sequence;
  if (methods == nullptr || methods->sq_item == nullptr || methods->sq_length == nullptr)
    return false;
  if (PyList_Check(from) || PyTuple_Check(from) || PyUnicode_Check(from) || PyDict_Check(from) ||
      PyObject_CheckBuffer(from)) {
    return false;
  }
  // Arrays of other libraries, and mappings in Python.
  for (const char* const name : {"__array__", "__dlpack__", "__array_interface__", "keys"}) {
    if (optional_attribute(from, name).get() != nullptr) return false;
  }
  return true;
}

NdArray from_number(const char* op, const Scalar& value, std::optional<Dtype> type, Device where) {
  return array_of(op, {}, {&value, 1}, type ? *type : default_dtype(value.kind), type.has_value(),
                  where);
}

NdArray from_sequence(const char* op, PyObject* from, std::optional<Dtype> type,
                      std::optional<Device> where, Device fallback) {
  Reader all(op);
  all.read(from, 0);
  const std::optional<Device> own = all.where();
  const Device target = where ? *where : own.value_or(fallback);
  return array_of(op, all.shape(), all.values(), type ? *type : all.type(), type.has_value(),
                  target);
}

NdArray values_to_assign(const char* op, PyObject* from, const NdArray& target) {
  const Device where = target.device();
  Reader all(op);
  all.read(from, 0);
  static_cast<void>(all.where());  // of one device
  const bool fits = all.values().empty() || kind_rank(all.type()) <= kind_rank(target.dtype());
  return array_of(op, all.shape(), all.values(), fits ? target.dtype() : all.type(), fits, where);
}

NdArray values_to_find(const char* op, PyObject* from, const NdArray& x) {
  Reader all(op);
  all.read(from, 0);
  const Dtype type = all.type();
  const bool is_of_ints = is_integer(type) && !all.values().empty();
  // Ints have a dtype of their own beside bools alone.
  const Dtype compared = !is_of_ints || x.dtype() != Dtype::bool_ ? x.dtype() : type;
  if (!is_of_ints) return array_of(op, all.shape(), all.values(), type, false, x.device());
  std::vector<Scalar> held;
  for (const Scalar& value : all.values()) {
    if (side_beyond(value, compared) == 0) held.push_back(value);
  }
  return array_of(op, Dims{std::ssize(held)}, held, compared, false, x.device());
}

}  // namespace skerry::python
