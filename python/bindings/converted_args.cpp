// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/converted_args.hpp"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "ops/call/promotion.hpp"
#include "ops/move/copy.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/method_table.hpp"
#include "python/bindings/sequence.hpp"
#include "python/bindings/value_args.hpp"

namespace skerry::python {
namespace {

/// Device of NumPy's arrays.
constexpr Device numpy_device{};

Device device_of(PyObject* array) {
  return is_array(array) ? header_of(array).device() : numpy_device;
}

std::string described(const std::string& name, PyObject* array) {
  if (is_array(array)) {
    const NdArray& x = header_of(array);
    return name + " (" + skerry::name(x.dtype()) + ' ' + to_string(x.shape()) + ") on " +
           to_string(x.device());
  }
  const Object type(PyObject_GetAttrString(array, "dtype"));
  const Object shape(PyObject_GetAttrString(array, "shape"));
  const Object text(
      PyUnicode_FromFormat("%s (numpy.ndarray %S %S)", name.c_str(), type.get(), shape.get()));
  return std::string(utf8(text.get())) + " on " + to_string(numpy_device);
}

bool holds_positions(std::string_view name) {
  return name == "indices" || name == "repeats" || name.starts_with("key");
}

/// Converts a list of positions; an empty list becomes int64.
NdArray positions_of(PyObject* object, Device device) {
  NdArray positions = from_sequence(object, std::nullopt, std::nullopt, device);
  return positions.size() == 0 ? astype(positions, Dtype::int64, false) : positions;
}

}  // namespace

bool may_become_array(PyObject* object) noexcept {
  return is_numpy_array(object) || is_list_or_tuple(object);
}

void ConvertedArgs::add(std::string name, PyObject* value) {
  names_.push_back(std::move(name));
  values_.push_back(value);
}

void ConvertedArgs::add(const Arguments& arguments) {
  original_values_ = arguments.values;
  original_rest_ = arguments.rest;
  for (int i = 0; i < arguments.signature->count(); ++i) {
    add(utf8(arguments.signature->name(i)), arguments[i]);
  }
  for (Py_ssize_t i = 0; i < arguments.rest_count; ++i) {
    add("arrays[" + std::to_string(i) + "]", arguments.rest[i]);
  }
}

void ConvertedArgs::restore(const Arguments& arguments) const noexcept {
  arguments.values = original_values_;
  arguments.rest = original_rest_;
}

void ConvertedArgs::look_at(const std::string& name, PyObject* value, int depth) {
  if (value == nullptr || depth > max_rank) return;
  if (is_array(value) || is_numpy_array(value)) {
    arrays_.push_back({name, value});
  } else if (is_list_or_tuple(value)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i) {
      PyObject* const item = PySequence_Fast_GET_ITEM(value, i);
      if (is_array(item) || may_become_array(item)) {
        look_at(name + '[' + std::to_string(i) + ']', item, depth + 1);
      }
    }
  }
}

void ConvertedArgs::look_at_arrays() {
  if (looked_) return;
  looked_ = true;
  if (self_ != nullptr && is_array(self_)) arrays_.push_back({"x", self_});
  for (std::size_t i = 0; i < values_.size(); ++i) look_at(names_[i], values_[i]);
  const auto is_numpys = [](const NamedArray& array) { return !is_array(array.value); };
  const auto is_elsewhere = [](const NamedArray& array) {
    return device_of(array.value) != numpy_device;
  };
  if (std::any_of(arrays_.begin(), arrays_.end(), is_numpys) &&
      std::any_of(arrays_.begin(), arrays_.end(), is_elsewhere)) {
    reject_devices();
  }
}

void ConvertedArgs::require_one_device() {
  look_at_arrays();
  require_own_on_one_device();
}

void ConvertedArgs::require_own_on_one_device() const {
  std::vector<Operand> own_arrays;
  for (const NamedArray& array : arrays_) {
    if (!is_array(array.value)) continue;
    own_arrays.push_back({.array = &value_of(array.value), .name = array.name.c_str()});
  }
  if (own_arrays.size() > 1) static_cast<void>(common_device(own_arrays));
}

void ConvertedArgs::reject_devices() const {
  std::string text = "arguments are on different devices: ";
  std::vector<Device> devices;
  const NamedArray* host = nullptr;
  const NamedArray* other = nullptr;
  for (const NamedArray& array : arrays_) {
    text += (devices.empty() ? "" : ", ") + described(array.name, array.value);
    devices.push_back(device_of(array.value));
    if (!is_array(array.value)) {
      host = &array;
    } else if (devices.back() != numpy_device) {
      other = &array;
    }
  }
  throw DeviceMismatchError(text + "; NumPy's arrays are on " + to_string(numpy_device) +
                                ": copy one explicitly, " + "skerry.asarray(" + host->name +
                                ", device=\"" + to_string(device_of(other->value)) + "\") or " +
                                other->name + ".to_device(\"" + to_string(numpy_device) + "\")",
                            devices);
}

Object ConvertedArgs::array_of(const std::string& name, PyObject* object) const {
  if (is_numpy_array(object)) return Object(wrap(share_numpy_array(name.c_str(), object)));
  if (arrays_.empty()) {
    return Object(wrap(from_sequence(object, std::nullopt, std::nullopt, default_device())));
  }
  const Device device = device_of(arrays_.front().value);
  require_own_on_one_device();  // before reading arrays inside the list
  if (holds_positions(name)) return Object(wrap(positions_of(object, device)));
  if (name == "x2" && std::string_view(current_operation()) == "isin" &&
      is_array(arrays_.front().value)) {
    return Object(wrap(values_to_find(object, value_of(arrays_.front().value))));
  }
  if (target_ != nullptr && name == "value") {
    return Object(wrap(values_to_assign(object, *target_)));
  }
  throw TypeError(name + " is a " + type_name(object) +
                  ", which has no device; convert it with skerry.asarray(" + name +
                  ", device=x.device)");
}

/// Returns a list in which numpy.ndarray items are converted, and list items if `lists`.
Object ConvertedArgs::sequence_of(const std::string& name, PyObject* object, bool lists) {
  Object result(PySequence_List(object));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(result.get()); ++i) {
    PyObject* const item = PyList_GET_ITEM(result.get(), i);
    if (!is_numpy_array(item) && !(lists && is_list_or_tuple(item))) continue;
    Object array = array_of(name + '[' + std::to_string(i) + ']', item);
    converted_objects_.push_back({Object::borrow(item), array.get()});
    PyList_SetItem(result.get(), i, array.release());
  }
  return result;
}

void ConvertedArgs::put(std::size_t index, Object array) {
  converted_values_.push_back(std::move(array));
  values_[index] = converted_values_.back().get();
}

PyObject* ConvertedArgs::convert(PyObject* object) {
  look_at_arrays();
  PyObject* array = nullptr;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    PyObject* const value = values_[i];
    if (value == nullptr) continue;
    if (value == object) {
      put(i, array_of(names_[i], value));
      array = values_[i];
      converted_objects_.push_back({Object::borrow(value), array});
    } else if (is_list_or_tuple(value)) {
      PyObject* const* items = PySequence_Fast_ITEMS(value);
      PyObject* const* end = items + PySequence_Fast_GET_SIZE(value);
      PyObject* const* item = std::find(items, end, object);
      if (item == end) continue;
      const std::ptrdiff_t position = item - items;
      put(i, sequence_of(names_[i], value, is_list_or_tuple(*item)));
      array = PyList_GET_ITEM(values_[i], position);
    }
  }
  if (array != nullptr) return array;
  // The caller may still iterate over the original sequence, whose items are converted already.
  for (const ConvertedObject& converted_object : converted_objects_) {
    if (converted_object.original.get() == object) return converted_object.array;
  }
  return nullptr;
}

void ConvertedArgs::convert_all() {
  look_at_arrays();
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (values_[i] != nullptr && may_become_array(values_[i])) {
      put(i, array_of(names_[i], values_[i]));
    }
  }
}

PyObject* convert_argument(const Arguments& arguments, PyObject* object) {
  const Signature& signature = *arguments.signature;
  if (!signature.allows_conversion() || !may_become_array(object)) return nullptr;
  if (arguments.converted_args == nullptr) {
    arguments.converted_args = new ConvertedArgs(arguments.self);
    arguments.converted_args->add(arguments);
  }
  PyObject* const array = arguments.converted_args->convert(object);
  arguments.values = arguments.converted_args->values();
  arguments.rest = arguments.values + signature.count();
  return array;
}

void end_conversion(const Arguments& arguments) noexcept {
  const std::unique_ptr<ConvertedArgs> owner(std::exchange(arguments.converted_args, nullptr));
  owner->restore(arguments);
}

PyObject* call_into_out(const Arguments& arguments,
                        PyObject* (*function)(const Arguments& arguments)) {
  return call_with_conversion(arguments, [function](const Arguments& bound) {
    const int position = bound.signature->out();
    PyObject* const out = bound[position];
    require_device_of_call(bound, position, require_out(out));
    return store_result(Object(function(bound)), out);
  });
}

PyObject* operate_converted(const char* name, PyObject* left, PyObject* right,
                            binaryfunc operation) {
  PyObject* const array = is_array(left) ? left : right;
  PyObject* const other = is_array(left) ? right : left;
  // For a 0-d integer array, `[0] * x` repeats the list.
  const bool is_list = is_list_or_tuple(other) && header_of(array).rank() > 0;
  if (!is_list && !is_base_numpy_array(other)) Py_RETURN_NOTIMPLEMENTED;
  return translate_exceptions(name, [&] {
    ConvertedArgs converted_args(nullptr);
    converted_args.add("x1", left);
    converted_args.add("x2", right);
    converted_args.convert_all();
    return operation(converted_args.values()[0], converted_args.values()[1]);
  });
}

}  // namespace skerry::python
