// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/index_key.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "ops/call/promotion.hpp"
#include "python/bindings/array_type.hpp"

namespace skerry::python {
namespace {

/// Out of line, so that the successful path of callers sets up no stack frame for it.
[[noreturn, gnu::noinline, gnu::cold]] void reject_index_array(const NdArray& x,
                                                               const NdArray& index) {
  const Operand both[] = {{.array = &x, .name = "x"}, {.array = &index, .name = "key"}};
  common_device(both);
  throw IndexError("an array index must be of an integer dtype or bool, not " + describe(index));
}

/// Rejects an array that can't be an index; checks the device first.
void check_index_array(const NdArray& x, const NdArray& index) {
  const bool is_index = is_integer(index.dtype()) || index.dtype() == Dtype::bool_;
  if (index.device() != x.device() || !is_index) reject_index_array(x, index);
}

/// True for a bool of Python or NumPy.
bool is_boolean(PyObject* part) {
  return PyBool_Check(part) || numpy_scalar_dtype(part) == Dtype::bool_;
}

/// True if a part selects by advanced indexing, so that the result is not a view.
bool is_advanced_part(PyObject* part, const NdArray* array) {
  if (array == nullptr) return is_boolean(part);
  return array->rank() > 0 || array->dtype() == Dtype::bool_;
}

const NdArray* array_or_null(PyObject* part) { return is_array(part) ? &value_of(part) : nullptr; }

std::int64_t index_of(PyObject* part) {
  const Py_ssize_t value = PyNumber_AsSsize_t(part, PyExc_IndexError);
  if (value == -1 && PyErr_Occurred()) throw PythonError{};
  return value;
}

std::int64_t bound_of(const NdArray& x, PyObject* bound) {
  if (is_numpy_array(bound)) {
    const Object shared(wrap(share_numpy_array("key", bound)));
    return bound_of(x, shared.get());
  }
  if (is_array(bound)) {
    check_index_array(x, value_of(bound));
    return clamped_integer(Object(PyNumber_Index(bound)).get());
  }
  if (!PyIndex_Check(bound)) {
    throw TypeError(std::string("the bounds of a slice must be ints or None, not ") +
                    Py_TYPE(bound)->tp_name);
  }
  return clamped_integer(bound);
}

/// False if `read_bound` failed for a bound.
template <class ReadBound>
bool read_slice(PyObject* part, IndexItem& item, ReadBound read_bound) {
  const auto* slice = reinterpret_cast<PySliceObject*>(part);
  item = {.kind = IndexKind::slice,
          .has_start = slice->start != Py_None,
          .has_stop = slice->stop != Py_None};
  return (!item.has_start || read_bound(slice->start, item.start)) &&
         (!item.has_stop || read_bound(slice->stop, item.stop)) &&
         (slice->step == Py_None || read_bound(slice->step, item.step));
}

bool read_builtin_bound(PyObject* bound, std::int64_t& value) {
  if (!PyLong_CheckExact(bound)) return false;
  int overflow = 0;
  value = PyLong_AsLongLongAndOverflow(bound, &overflow);
  if (overflow != 0) value = overflow > 0 ? INT64_MAX : INT64_MIN;
  return true;
}

/// Copies NumPy's arrays in the key to the device of `self` if dask or xarray created them; returns
/// other keys unchanged.
Object move_key_to_device(PyObject* self, PyObject* key, std::span<PyObject* const> parts) {
  if (value_of(self).device() == Device{} || std::ranges::none_of(parts, is_numpy_array)) {
    return Object::borrow(key);
  }
  const Object function = package_function("skerry._library_keys", "placed");
  return Object(PyObject_CallFunctionObjArgs(function.get(), self, key, nullptr));
}

}  // namespace

void ParsedKey::allocate_parts(std::size_t count) {
  many_.reset(new ManyParts{std::vector<IndexItem>(count), std::vector<AdvancedItem>(count)});
}

/// Reads an int, a slice of ints, ... or None without running Python code. False for other parts.
inline bool ParsedKey::read_builtin(PyObject* part, IndexItem& item) {
  if (read_int(part, item)) {
    key_.counts.add(IndexKind::integer);
    return true;
  }
  if (PySlice_Check(part)) {
    if (!read_slice(part, item, read_builtin_bound)) return false;
    key_.counts.add(IndexKind::slice);
    return true;
  }
  if (part != Py_Ellipsis && part != Py_None) return false;
  item = {.kind = part == Py_None ? IndexKind::new_axis : IndexKind::ellipsis};
  key_.counts.add(item.kind);
  return true;
}

/// Reads the parts from index `first` on. All parts before it are ints.
void ParsedKey::read_from(std::size_t first, PyObject* self, PyObject* key) {
  std::span<PyObject* const> parts = parts_of(key);
  AdvancedItem* const unread = many_ != nullptr ? many_->advanced.data() : few_advanced_;
  std::size_t unread_count = 0;
  bool is_advanced = false;
  for (std::size_t i = first; i < parts.size(); ++i) {
    if (read_builtin(parts[i], items()[i])) continue;
    const NdArray* array = array_or_null(parts[i]);
    if (array == nullptr && may_become_array(parts[i])) {
      parts = convert(self, key);
      array = array_or_null(parts[i]);
    }
    unread[unread_count++] = {.position = i, .array = array};
    is_advanced = is_advanced || is_advanced_part(parts[i], array);
  }
  if (unread_count > 0) read_rest(parts, {unread, unread_count}, is_advanced);
}

/// Reads the parts in `unread` and removes the basic ones from it. `is_advanced`: at least one part
/// is advanced.
inline void ParsedKey::read_rest(std::span<PyObject* const> parts, std::span<AdvancedItem> unread,
                                 bool is_advanced) {
  std::size_t count = 0;
  for (AdvancedItem& item : unread) {
    PyObject* const part = parts[item.position];
    IndexItem& basic = items()[item.position];
    const bool is_basic = item.array != nullptr ? read_array(part, item, basic, !is_advanced)
                                                : read_object(part, item, basic);
    if (is_basic) {
      key_.counts.add(basic.kind);
    } else {
      unread[count++] = item;
    }
  }
  key_.advanced = unread.first(count);
}

/// Converts NumPy's arrays and lists. A list has no device: it becomes an array on that of `self`.
std::span<PyObject* const> ParsedKey::convert(PyObject* self, PyObject* key) {
  conversion_.reset(
      new Conversion{move_key_to_device(self, key, parts_of(key)), ConvertedArgs(self)});
  ConvertedArgs& args = conversion_->args;
  PyObject* const moved_key = conversion_->key.get();
  const std::span<PyObject* const> parts = parts_of(moved_key);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    args.add(PyTuple_Check(moved_key) ? "key[" + std::to_string(i) + "]" : "key", parts[i]);
  }
  args.convert_all();
  return {args.values(), parts.size()};
}

/// Reads an array. Returns true if it is basic: a 0-d integer array that is read as an int
/// (`is_int`).
inline bool ParsedKey::read_array(PyObject* part, AdvancedItem& item, IndexItem& basic,
                                  bool is_int) const {
  const NdArray& index = *item.array;
  check_index_array(x_, index);
  if (index.dtype() != Dtype::bool_) {
    item.kind = AdvancedKind::indices;
    if (is_int) basic = {.kind = IndexKind::integer, .start = index_of(part)};
    return is_int;
  }
  item.kind = index.rank() > 0 ? AdvancedKind::mask : AdvancedKind::boolean;
  if (item.kind == AdvancedKind::boolean) {
    item.boolean = read_element(index).as<bool>();
    item.array = nullptr;
  }
  return false;
}

/// Reads an object that is not an array. Returns true if it is basic, that is, not a bool.
bool ParsedKey::read_object(PyObject* part, AdvancedItem& item, IndexItem& basic) const {
  if (is_boolean(part)) {
    item.kind = AdvancedKind::boolean;
    item.boolean = PyObject_IsTrue(part) == 1;
    return false;
  }
  if (PySlice_Check(part)) {
    return read_slice(part, basic, [&](PyObject* bound, std::int64_t& value) {
      value = bound_of(x_, bound);
      return true;
    });
  }
  if (PyLong_Check(part) || PyIndex_Check(part)) {
    basic = {.kind = IndexKind::integer, .start = index_of(part)};
    return true;
  }
  throw IndexError(
      std::string("an index must be an int, a slice, ..., None, a bool, or an array of integers "
                  "or bools on the same device, not ") +
      Py_TYPE(part)->tp_name);
}

}  // namespace skerry::python
