// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/view.hpp"
#include "ops/call/promotion.hpp"
#include "ops/move/copy.hpp"
#include "ops/select/index_key.hpp"
#include "ops/select/take.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/converted_args.hpp"

namespace skerry::python {
namespace {

using item_kind = IndexKind;

/// Refuses an array that can't be an index; the rule of devices first.
void check_index_array(const char* op, const NdArray& x, const NdArray& index) {
  const Operand both[] = {{.array = &x, .name = "x"}, {.array = &index, .name = "key"}};
  common_device(op, both);
  if (is_integer(index.dtype()) || index.dtype() == Dtype::bool_) return;
  throw IndexError(std::string(op) + ": an array index must be of an integer dtype or bool, not " +
                   describe(index));
}

std::int64_t bound_of(const char* op, const NdArray& x, PyObject* bound) {
  if (PyLong_CheckExact(bound)) return clamped_integer(bound);
  if (is_numpy_array(bound)) {
    const Object shared(wrap(share_numpy_array(op, "key", bound)));
    return bound_of(op, x, shared.get());
  }
  if (is_array(bound)) {
    check_index_array(op, x, value_of(bound));
    return clamped_integer(Object(PyNumber_Index(bound)).get());
  }
  if (!PyIndex_Check(bound)) {
    throw DtypeError(std::string(op) + ": the bounds of a slice must be ints or None, not " +
                     Py_TYPE(bound)->tp_name);
  }
  return clamped_integer(bound);
}

IndexItem slice_of(const char* op, const NdArray& x, PyObject* key) {
  auto* slice = reinterpret_cast<PySliceObject*>(key);
  IndexItem item{.kind = item_kind::slice};
  if (slice->start != Py_None) {
    item.has_start = true;
    item.start = bound_of(op, x, slice->start);
  }
  if (slice->stop != Py_None) {
    item.has_stop = true;
    item.stop = bound_of(op, x, slice->stop);
  }
  if (slice->step != Py_None) {
    // Negating the step must not overflow.
    item.step = std::max(bound_of(op, x, slice->step), -INT64_MAX);
  }
  return item;
}

std::int64_t index_of(PyObject* key) {
  if (PyLong_CheckExact(key)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(key, &overflow);
    if (overflow == 0) return value;
  }
  const Py_ssize_t value = PyNumber_AsSsize_t(key, PyExc_IndexError);
  if (value == -1 && PyErr_Occurred()) throw PythonError{};
  return value;
}

IndexItem item_of(const char* op, const NdArray& x, PyObject* key) {
  if (PyLong_Check(key) && !PyBool_Check(key)) {
    return {.kind = item_kind::integer, .start = index_of(key)};
  }
  if (PySlice_Check(key)) return slice_of(op, x, key);
  if (key == Py_Ellipsis) return {.kind = item_kind::ellipsis};
  if (key == Py_None) return {.kind = item_kind::new_axis};
  if (is_array(key)) check_index_array(op, x, value_of(key));
  if (PyIndex_Check(key)) return {.kind = item_kind::integer, .start = index_of(key)};
  throw IndexError(std::string(op) +
                   ": an index must be an int, a slice, ..., None, a bool, or an array of integers "
                   "or bools on the same device, not " +
                   Py_TYPE(key)->tp_name);
}

/// The parts of a key, which is one of them or a tuple.
std::span<PyObject* const> parts_of(PyObject* const& key) {
  if (!PyTuple_Check(key)) return {&key, 1};
  return {PySequence_Fast_ITEMS(key), static_cast<std::size_t>(PyTuple_GET_SIZE(key))};
}

Layout view_of(const char* op, const NdArray& x, PyObject* key) {
  if (!PyTuple_Check(key)) {
    const IndexItem item = item_of(op, x, key);
    return index_view(op, x.layout(), {&item, 1});
  }
  const std::span<PyObject* const> parts = parts_of(key);
  IndexItem few[2];
  std::vector<IndexItem> more(parts.size() > std::size(few) ? parts.size() : 0);
  IndexItem* const items = more.empty() ? few : more.data();
  for (std::size_t i = 0; i < parts.size(); ++i) items[i] = item_of(op, x, parts[i]);
  return index_view(op, x.layout(), {items, parts.size()});
}

/// The offset of the element that ints choose, one for each axis. Nothing for other keys, and where
/// an int is out of bounds.
std::optional<std::int64_t> element_offset(const NdArray& x, PyObject* key) {
  const std::span<PyObject* const> parts = parts_of(key);
  if (parts.size() != static_cast<std::size_t>(x.rank())) return std::nullopt;
  std::int64_t offset = x.layout().offset;
  for (int axis = 0; axis < x.rank(); ++axis) {
    PyObject* const key_item = parts[static_cast<std::size_t>(axis)];
    if (!PyLong_CheckExact(key_item)) return std::nullopt;
    int overflow = 0;
    std::int64_t index = PyLong_AsLongLongAndOverflow(key_item, &overflow);
    const std::int64_t n = x.shape()[axis];
    if (index < 0) index += n;
    if (overflow != 0 || index < 0 || index >= n) return std::nullopt;
    offset += index * x.strides()[axis];
  }
  return offset;
}

enum class IndexingKind : std::uint8_t {
  basic,     ///< gives a view
  advanced,  ///< a mask, a bool, an index array with axes; a 0-d integer array alone is an int
  foreign,   ///< a numpy.ndarray or a list, of which an array is to be made first
};

IndexingKind indexing_kind_of_item(PyObject* key_item) {
  if (PySlice_Check(key_item) || PyLong_CheckExact(key_item)) return IndexingKind::basic;
  if (key_item == Py_Ellipsis || key_item == Py_None) return IndexingKind::basic;
  if (PyBool_Check(key_item)) return IndexingKind::advanced;
  if (!is_array(key_item))
    return may_become_array(key_item) ? IndexingKind::foreign : IndexingKind::basic;
  const NdArray& index = value_of(key_item);
  const bool is_view =
      index.dtype() != Dtype::bool_ && (!is_integer(index.dtype()) || index.rank() == 0);
  return is_view ? IndexingKind::basic : IndexingKind::advanced;
}

IndexingKind indexing_kind_of(PyObject* key) {
  if (!PyTuple_Check(key)) return indexing_kind_of_item(key);
  IndexingKind sort = IndexingKind::basic;
  for (PyObject* key_item : parts_of(key)) sort = std::max(sort, indexing_kind_of_item(key_item));
  return sort;
}

/// A key with NumPy's arrays put beside an array of another device if dask or xarray made them,
/// else as it is.
Object move_key_to_device(PyObject* self, PyObject* key) {
  const std::span<PyObject* const> parts = parts_of(key);
  if (value_of(self).device() == Device{} || std::ranges::none_of(parts, is_numpy_array)) {
    return Object::borrow(key);
  }
  const Object function = package_function("skerry._library_keys", "placed");
  return Object(PyObject_CallFunctionObjArgs(function.get(), self, key, nullptr));
}

/// A value of one element that dask or xarray made of a number, as that number again, else as it
/// is.
Object array_of_library_number(PyObject* self, PyObject* value) {
  if (!is_numpy_array(value)) return Object::borrow(value);
  const Object size(PyObject_GetAttrString(value, "size"));
  if (PyLong_AsLong(size.get()) != 1) return Object::borrow(value);
  const Object function = package_function("skerry._library_keys", "number_again");
  return Object(PyObject_CallFunctionObjArgs(function.get(), self, value, nullptr));
}

/// The key with arrays for NumPy's arrays and for lists; a list has no device, so that its array is
/// where `self` is.
Object converted_key(const char* op, PyObject* self, PyObject* source_key) {
  const Object own_key = move_key_to_device(self, source_key);
  PyObject* const key = own_key.get();
  ConvertedArgs converted_args(op, self);
  const std::span<PyObject* const> parts = parts_of(key);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    converted_args.add(PyTuple_Check(key) ? "key[" + std::to_string(i) + "]" : "key", parts[i]);
  }
  converted_args.convert_all();
  if (!PyTuple_Check(key)) return Object::borrow(converted_args.values()[0]);
  Object result(PyTuple_New(PyTuple_GET_SIZE(key)));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    PyTuple_SET_ITEM(result.get(), static_cast<Py_ssize_t>(i),
                     Py_NewRef(converted_args.values()[i]));
  }
  return result;
}

KeyItem part_of_key(const char* op, const NdArray& x, PyObject* key_item) {
  if (PyBool_Check(key_item)) return {.kind = KeyKind::boolean, .boolean = key_item == Py_True};
  if (!is_array(key_item)) return {.basic = item_of(op, x, key_item)};
  const NdArray& index = value_of(key_item);
  check_index_array(op, x, index);
  if (is_integer(index.dtype())) return {.kind = KeyKind::indices, .array = index};
  if (index.rank() > 0) return {.kind = KeyKind::mask, .array = index};
  return {.kind = KeyKind::boolean, .boolean = read_element(index).as<bool>()};
}

/// The items of a key; one alone, which most are, is not put into a list.
class ParsedKey {
 public:
  ParsedKey(const char* op, const NdArray& x, PyObject* key) {
    const std::span<PyObject* const> parts = parts_of(key);
    if (parts.size() == 1) {
      single_ = part_of_key(op, x, parts[0]);
    } else {
      items_.reserve(parts.size());
      for (PyObject* key_item : parts) items_.push_back(part_of_key(op, x, key_item));
    }
    is_single_ = parts.size() == 1;
  }
  operator std::span<const KeyItem>() const {  // NOLINT(google-explicit-constructor)
    if (is_single_) return {&single_, 1};
    return items_;
  }

 private:
  bool is_single_;
  KeyItem single_;
  std::vector<KeyItem> items_;
};

/// Whether reading or writing by a key may take long: every index may stand for the whole array.
bool takes_long(const NdArray& x, std::span<const KeyItem> key) {
  auto element_count = static_cast<double>(x.size());
  for (const KeyItem& item : key) {
    if (item.kind != KeyKind::basic) element_count *= static_cast<double>(item.array.size());
  }
  return element_count > min_size_without_gil;
}

PyObject* get_item(PyObject* self, PyObject* key) {
  constexpr const char* op = "__getitem__";
  return translate_exceptions([&] {
    const NdArray& x = value_of(self);
    if (const auto offset = element_offset(x, key)) return wrap(x.view({{}, {}, *offset}));
    const IndexingKind sort = indexing_kind_of(key);
    if (sort == IndexingKind::basic) {
      return wrap_result(false, [&] { return x.view(view_of(op, x, key)); });
    }
    if (sort == IndexingKind::foreign) return get_item(self, converted_key(op, self, key).get());
    if (is_array(key) && is_integer(value_of(key).dtype()) && x.rank() > 0) {
      const NdArray& index = value_of(key);
      check_index_array(op, x, index);
      return wrap_result(
          static_cast<double>(x.size()) * static_cast<double>(index.size()) > min_size_without_gil,
          [&] { return take_first(op, x, index); });
    }
    const ParsedKey items(op, x, key);
    return wrap_result(takes_long(x, items), [&] { return skerry::get_item(op, x, items); });
  });
}

void set(const char* op, PyObject* self, PyObject* key, PyObject* value) {
  const NdArray& x = value_of(self);
  Scalar scalar_value;
  Operand source{.name = "value"};
  const std::optional<std::int64_t> offset = element_offset(x, key);
  if (offset && is_host(x.device()) && !is_array(value)) {
    const Parsed result = parse_scalar(value, scalar_value);
    if (result == Parsed::error) throw PythonError{};
    if (result == Parsed::yes) return set_element(op, x, *offset, scalar_value);
  }
  const IndexingKind sort = offset ? IndexingKind::basic : indexing_kind_of(key);
  if (sort == IndexingKind::foreign) {
    set(op, self, converted_key(op, self, key).get(), value);
    return;
  }
  if (sort == IndexingKind::advanced) {
    const ParsedKey items(op, x, key);
    require_operand(op, value, source, scalar_value);
    const WithoutGil working(takes_long(x, items));
    skerry::set_item(op, x, items, source);
    return;
  }
  const NdArray target = x.view(view_of(op, x, key));
  require_operand(op, value, source, scalar_value);
  const WithoutGil working(target.size() > min_size_without_gil);
  if (source.array != nullptr) {
    assign(op, target, *source.array);
  } else {
    fill(op, target, *source.value);
  }
}

int set_item(PyObject* self, PyObject* key, PyObject* value) {
  constexpr const char* op = "__setitem__";
  return translate_exceptions(
      [&] {
        if (value == nullptr)
          throw DtypeError("__delitem__: elements of an array can't be deleted");
        try {
          set(op, self, key, value);
        } catch (const NotAnArray& met) {
          ConvertedArgs converted_args(op, self);
          converted_args.assign_to(value_of(self));
          const Object own_value = array_of_library_number(self, value);
          converted_args.add("value", own_value.get());
          if (own_value.get() == value) converted_args.convert(met);
          set(op, self, key, converted_args.values()[0]);
        }
        return 0;
      },
      -1);
}

Py_ssize_t length(PyObject* self) {
  const NdArray& x = value_of(self);
  if (x.rank() == 0) {
    PyErr_SetString(PyExc_TypeError, "len: a 0-d array has no length");
    return -1;
  }
  return x.shape()[0];
}

PyObject* item_at(PyObject* self, Py_ssize_t index) {
  const NdArray& x = value_of(self);
  if (x.rank() > 0 && (index < 0 || index >= x.shape()[0])) {
    PyErr_SetString(PyExc_IndexError, "__getitem__: index out of bounds");
    return nullptr;
  }
  return translate_exceptions([&] {
    const std::int64_t* const shape = x.shape().data();
    const std::int64_t* const strides = x.strides().data();
    const auto rest = static_cast<std::size_t>(std::max(x.rank() - 1, 0));
    Layout layout{Dims({shape + 1, rest}), Dims({strides + 1, rest}), x.layout().offset};
    if (x.rank() > 0) layout.offset += index * strides[0];
    return wrap(x.view(std::move(layout)));
  });
}

PyObject* iterate(PyObject* self) {
  if (value_of(self).rank() == 0) {
    PyErr_SetString(PyExc_TypeError, "iter: a 0-d array can't be iterated over");
    return nullptr;
  }
  return PySeqIter_New(self);
}

}  // namespace

PyType_Slot indexing_slots[] = {
    {Py_mp_subscript, slot(with_call_note<get_item>("getitem"))},
    {Py_mp_ass_subscript, slot(with_call_note<set_item>("setitem"))},
    {Py_mp_length, slot(length)},
    {Py_sq_length, slot(length)},
    {Py_sq_item, slot(with_call_note<item_at>("getitem"))},
    {Py_tp_iter, slot(iterate)},
    {},
};

}  // namespace skerry::python
