// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <optional>

#include "core/errors.hpp"
#include "ops/move/copy.hpp"
#include "ops/select/index_key.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/converted_args.hpp"
#include "python/bindings/index_key.hpp"

namespace skerry::python {
namespace {

/// Returns the offset of the element selected by ints, one for each axis. Empty for other keys, or
/// if an int is out of bounds.
std::optional<std::int64_t> element_offset(const NdArray& x, const IndexKey& key) {
  const std::int64_t rank = x.rank();
  if (std::ssize(key.items) != rank || key.counts.consumed != rank || key.counts.result_axes != 0) {
    return std::nullopt;
  }
  std::int64_t offset = x.layout().offset;
  for (int axis = 0; axis < rank; ++axis) {
    std::int64_t index = key.items[static_cast<std::size_t>(axis)].start;
    const std::int64_t n = x.shape()[axis];
    if (index < 0) index += n;
    if (index < 0 || index >= n) return std::nullopt;
    offset += index * x.strides()[axis];
  }
  return offset;
}

NdArray view_of(const NdArray& x, const IndexKey& key) {
  return x.view(index_view(x.layout(), key.items, key.counts));
}

/// True if indexing may take long enough to release the GIL. Uses an upper bound of the result's
/// size: each index selects at most as many elements as the array has.
bool takes_long(const NdArray& x, const IndexKey& key) {
  auto element_count = static_cast<double>(x.size());
  for (const AdvancedItem& item : key.advanced) {
    if (item.array != nullptr) element_count *= static_cast<double>(item.array->size());
  }
  return element_count > min_size_without_gil;
}

PyObject* subscript(PyObject* self, PyObject* key) {
  return translate_exceptions("__getitem__", [&] {
    const ParsedKey parsed(self, key);
    const NdArray& x = parsed.x();
    const IndexKey& index = parsed.key();
    if (const auto offset = element_offset(x, index)) {
      return wrap_result(false, [&] { return x.view({{}, {}, *offset}); });
    }
    if (index.advanced.empty()) return wrap_result(false, [&] { return view_of(x, index); });
    return wrap_result(takes_long(x, index), [&] { return get_item(x, index); });
  });
}

/// Converts a one-element array that dask or xarray created from a number back to the number;
/// returns other values unchanged.
Object array_of_library_number(PyObject* self, PyObject* value) {
  if (!is_numpy_array(value)) return Object::borrow(value);
  const Object size(PyObject_GetAttrString(value, "size"));
  if (PyLong_AsLong(size.get()) != 1) return Object::borrow(value);
  const Object function = package_function("skerry._library_keys", "number_again");
  return Object(PyObject_CallFunctionObjArgs(function.get(), self, value, nullptr));
}

/// Fast path of x[i, j] = Python scalar on the host. False for all other assignments.
bool assign_element(PyObject* self, const NdArray& x, const IndexKey& key, PyObject* value) {
  const std::optional<std::int64_t> offset = element_offset(x, key);
  if (!offset || !is_host(x.device()) || is_array(value)) return false;
  Scalar scalar_value;
  const Parsed result = parse_scalar(value, scalar_value);
  if (result == Parsed::error) throw PythonError{};
  if (result == Parsed::no) return false;
  set_element(target_of(self), *offset, scalar_value);
  return true;
}

/// Converts a value that is neither an array nor a scalar to an array and assigns it.
template <class Assign>
[[gnu::noinline, gnu::cold]] void assign_converted(PyObject* self, PyObject* value,
                                                   Assign assign_operand) {
  if (PyErr_Occurred() != nullptr) throw PythonError{};
  if (!may_become_array(value)) reject_operand("value", value);
  const Object own_value = array_of_library_number(self, value);
  ConvertedArgs converted_args(self);
  converted_args.assign_to(value_of(self));
  converted_args.add("value", own_value.get());
  converted_args.convert_all();
  assign_operand(Operand{.array = &value_of(converted_args.values()[0]), .name = "value"});
}

template <class Assign>
void assign_value(PyObject* self, PyObject* value, Assign assign_operand) {
  Scalar scalar_value;
  Operand operand{.name = "value"};
  if (parse_operand(value, operand, scalar_value) == Parsed::yes) [[likely]] {
    assign_operand(operand);
  } else {
    assign_converted(self, value, assign_operand);
  }
}

/// Returns a view without leading axes of length 1 as long as it has more than `rank` axes: NumPy
/// accepts them in assigned values.
NdArray without_leading_axes(const NdArray& x, int rank) {
  int dropped = 0;
  while (x.rank() - dropped > rank && x.shape()[dropped] == 1) ++dropped;
  const auto rest = static_cast<std::size_t>(x.rank() - dropped);
  return x.view({Dims({x.shape().data() + dropped, rest}),
                 Dims({x.strides().data() + dropped, rest}), x.layout().offset});
}

void assign_by_key(PyObject* self, const NdArray& x, const IndexKey& key, PyObject* value) {
  if (!key.advanced.empty()) {
    return assign_value(self, value, [&](const Operand& source) {
      static_cast<void>(target_of(self));
      const WithoutGil working(takes_long(x, key));
      // With several index arrays the error remains: xarray passes the indices of an outer product.
      if (key.advanced.size() == 1 && source.array != nullptr && source.array->rank() > 1 &&
          source.array->shape()[0] == 1) {
        const NdArray values = without_leading_axes(*source.array, 1);
        return set_item(x, key, {.array = &values, .name = source.name});
      }
      set_item(x, key, source);
    });
  }
  const NdArray target = view_of(x, key);
  assign_value(self, value, [&](const Operand& source) {
    static_cast<void>(target_of(self));
    const WithoutGil working(target.size() > min_size_without_gil);
    if (source.array != nullptr && source.array->rank() > target.rank()) [[unlikely]] {
      assign(target, without_leading_axes(*source.array, target.rank()));
    } else if (source.array != nullptr) {
      assign(target, *source.array);
    } else {
      fill(target, *source.value);
    }
  });
}

int assign_subscript(PyObject* self, PyObject* key, PyObject* value) {
  return translate_exceptions(
      value == nullptr ? "__delitem__" : "__setitem__",
      [&] {
        if (value == nullptr) throw TypeError("elements of an array can't be deleted");
        const ParsedKey parsed(self, key);
        const NdArray& x = parsed.x();
        if (assign_element(self, x, parsed.key(), value)) return 0;
        assign_by_key(self, x, parsed.key(), value);
        return 0;
      },
      -1);
}

Py_ssize_t length(PyObject* self) {
  const NdArray& x = header_of(self);
  if (x.rank() == 0) {
    PyErr_SetString(PyExc_TypeError, "len: a 0-d array has no length");
    return -1;
  }
  return x.shape()[0];
}

/// `value in x`: true if an element equals the value, which is read from the device.
int contains(PyObject* self, PyObject* value) {
  PyObject* const equals = PyObject_RichCompare(self, value, Py_EQ);
  if (equals == nullptr) return -1;
  if (!is_array(equals)) {
    Py_DECREF(equals);
    return 0;
  }
  PyObject* const any = PyObject_CallMethod(equals, "any", nullptr);
  Py_DECREF(equals);
  if (any == nullptr) return -1;
  const int result = PyObject_IsTrue(any);
  Py_DECREF(any);
  return result;
}

PyObject* item_at(PyObject* self, Py_ssize_t index) {
  const NdArray& header = header_of(self);
  if (header.rank() > 0 && (index < 0 || index >= header.shape()[0])) {
    PyErr_SetString(PyExc_IndexError, "__getitem__: index out of bounds");
    return nullptr;
  }
  return translate_exceptions([&] {
    const NdArray& x = value_of(self);
    const std::int64_t* const shape = x.shape().data();
    const std::int64_t* const strides = x.strides().data();
    const auto rest = static_cast<std::size_t>(std::max(x.rank() - 1, 0));
    Layout layout{Dims({shape + 1, rest}), Dims({strides + 1, rest}), x.layout().offset};
    if (x.rank() > 0) layout.offset += index * strides[0];
    return wrap(x.view(std::move(layout)));
  });
}

}  // namespace

PyType_Slot indexing_slots[] = {
    {Py_mp_subscript, slot(with_call_note<subscript>("getitem"))},
    {Py_mp_ass_subscript, slot(with_call_note<assign_subscript>("setitem"))},
    {Py_mp_length, slot(length)},
    {Py_sq_length, slot(length)},
    {Py_sq_contains, slot(contains)},
    {Py_sq_item, slot(with_call_note<item_at>("getitem"))},
    {Py_tp_iter, slot(iterate)},
    {},
};

}  // namespace skerry::python
