// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/converted_args.hpp"

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>

#include "ops/call/promotion.hpp"
#include "ops/move/copy.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/method_table.hpp"
#include "python/bindings/sequence.hpp"
#include "python/bindings/sequence_items.hpp"
#include "python/bindings/value_args.hpp"

namespace skerry::python {
namespace {

/// Device of NumPy's arrays.
constexpr Device numpy_device{};

Device device_of(PyObject* array) { return is_array(array) ? header_device(array) : numpy_device; }

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
  return name.starts_with("indices") || name.starts_with("repeats") || name.starts_with("sorter") ||
         name.starts_with("key");
}
bool is_one_of(std::string_view name, std::initializer_list<std::string_view> choices) {
  return std::ranges::find(choices, name) != choices.end();
}

/// True for weights, which promote with values, but have no range in common with integers.
bool holds_weights(std::string_view name) {
  return is_one_of(name, {"weights", "fweights", "aweights", "w"});
}
/// True if an array's dtype decides the dtype of literals.
bool holds_values(std::string_view name) {
  return !holds_positions(name) && !holds_weights(name) && !name.starts_with("condition");
}

/// Returns what an int out of range does in an argument of the current operation.
IntOutOfRange effect_of(std::string_view name) {
  const std::string_view operation = current_operation();
  if (is_one_of(operation, {"minimum", "fmin"}) || (operation == "clip" && name == "max")) {
    return IntOutOfRange::no_effect_above;
  }
  if (is_one_of(operation, {"maximum", "fmax"}) || (operation == "clip" && name == "min")) {
    return IntOutOfRange::no_effect_below;
  }
  if (operation == "searchsorted") {
    return name == "x1" ? IntOutOfRange::widens : IntOutOfRange::compared;
  }
  // These only compare values, or compute in float64.
  const bool widens =
      is_one_of(operation, {"interp", "digitize", "isclose", "allclose", "array_equal",
                            "array_equiv", "intersect1d", "setdiff1d", "setxor1d", "union1d"});
  if (widens) return IntOutOfRange::widens;
  const bool is_compared = is_one_of(
      operation, {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "isin"});
  return is_compared ? IntOutOfRange::compared : IntOutOfRange::error;
}

/// Returns an int out of the range of every dtype.
Object out_of_range_int(int side) {
  const Object one(PyLong_FromLong(side));
  const Object bits(PyLong_FromLong(2000));
  return Object(PyNumber_Lshift(one.get(), bits.get()));
}

/// Returns the dtype of a numpy.ndarray; empty if its memory can't be shared.
std::optional<Dtype> dtype_of_numpy_array(PyObject* array) {
  return numpy_dtype(Object(PyObject_GetAttrString(array, "dtype")).get());
}

bool is_scalar(PyObject* object) {
  Scalar value;
  if (is_array(object) || may_become_array(object)) return false;
  const Parsed result = parse_scalar(object, value);
  if (result == Parsed::error) throw PythonError{};
  return result == Parsed::yes;
}

/// Converts positions; an empty list becomes int64.
NdArray positions_of(PyObject* object, std::optional<Device> device) {
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
    SequenceItems items(value);
    for (Py_ssize_t i = 0; i < items.size(); ++i) {
      if (is_array(items[i]) || may_become_array(items[i])) {
        look_at(name + '[' + std::to_string(i) + ']', items[i], depth + 1);
      }
    }
    Object copy = items.release();
    if (copy.get() != nullptr) copied_sequences_.push_back(std::move(copy));
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
    if (is_array(array.value)) {
      own_arrays.push_back({.array = &header_of(array.value), .name = array.name.c_str()});
    }
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

/// Returns the dtype of the arrays that literals are combined with; empty if there is none.
std::optional<Dtype> ConvertedArgs::dtype_of_values() const {
  Promotion promotion;
  for (const NamedArray& array : arrays_) {
    if (!holds_values(array.name)) continue;
    const std::optional<Dtype> type =
        is_array(array.value) ? header_of(array.value).dtype() : dtype_of_numpy_array(array.value);
    if (type) promotion.add(*type);
  }
  return promotion.is_empty() ? std::nullopt : promotion.result();
}

Object ConvertedArgs::array_of(const std::string& name, PyObject* object) {
  if (is_numpy_array(object)) return Object(wrap(share_numpy_array(name.c_str(), object)));
  const bool has_arrays = !arrays_.empty();
  std::optional<Device> device;
  if (has_arrays) device = device_of(arrays_.front().value);
  if (has_arrays) require_own_on_one_device();  // before reading arrays inside the list
  if (target_ != nullptr && name == "value") {
    return Object(wrap(values_to_assign(object, *target_)));
  }
  if (holds_positions(name)) return Object(wrap(positions_of(object, device)));
  std::optional<Dtype> type;
  if (holds_values(name) || holds_weights(name)) type = dtype_of_values();
  if (type && holds_weights(name) && !is_floating(*type)) type.reset();
  // Coordinates stay real beside complex values.
  const bool has_coordinates = std::string_view(current_operation()) == "interp";
  if (type && has_coordinates && kind(*type) == DtypeKind::complex_floating) type.reset();
  if (!type) return Object(wrap(from_sequence(object, std::nullopt, std::nullopt, device)));
  if (name == "x2" && std::string_view(current_operation()) == "isin") {
    return Object(wrap(values_to_find(object, *type, *device)));
  }
  LiteralArray literal = literal_array(object, type, *device, effect_of(name));
  if (literal.above || literal.below) {
    out_of_range_ = {name, std::move(literal.above), std::move(literal.below)};
  }
  return Object(wrap(std::move(literal.array)));
}

/// Returns a list in which the items that may become arrays are converted: those of numpy.ndarray,
/// and those like `requested`, if that is a list or a scalar.
Object ConvertedArgs::sequence_of(const std::string& name, PyObject* object, PyObject* requested) {
  Object result(PySequence_List(object));
  const bool lists = is_list_or_tuple(requested);
  const bool scalars = is_scalar(requested);
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(result.get()); ++i) {
    PyObject* const item = PyList_GET_ITEM(result.get(), i);
    const bool is_converted =
        is_numpy_array(item) || (lists && is_list_or_tuple(item)) || (scalars && is_scalar(item));
    if (!is_converted) continue;
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

PyObject* ConvertedArgs::convert(PyObject* object, std::size_t first, std::size_t last) {
  look_at_arrays();
  PyObject* array = nullptr;
  for (std::size_t i = first; i < last; ++i) {
    PyObject* const value = values_[i];
    if (value != nullptr && value == object) {
      put(i, array_of(names_[i], value));
      array = values_[i];
      converted_objects_.push_back({Object::borrow(value), array});
    }
  }
  if (array != nullptr) return array;
  // The caller may still iterate over the original sequence, whose items are converted already.
  for (const ConvertedObject& converted_object : converted_objects_) {
    if (converted_object.original.get() == object) return converted_object.array;
  }
  for (std::size_t i = first; array == nullptr && i < last; ++i) {
    PyObject* const value = values_[i];
    if (value != nullptr && is_list_or_tuple(value)) {
      const SequenceItems items(value);
      PyObject* const* const item = std::find(items.begin(), items.end(), object);
      if (item == items.end()) continue;
      const std::ptrdiff_t position = item - items.begin();
      put(i, sequence_of(names_[i], items.sequence(), object));
      array = PyList_GET_ITEM(values_[i], position);
    }
  }
  return array;
}

void ConvertedArgs::convert_all(bool scalars) {
  look_at_arrays();
  std::vector<NamedArray> arrays_of_lists;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (values_[i] == nullptr || !may_become_array(values_[i])) continue;
    put(i, array_of(names_[i], values_[i]));
    arrays_of_lists.push_back({names_[i], values_[i]});
  }
  if (!scalars) return;
  if (arrays_.empty()) arrays_ = std::move(arrays_of_lists);
  std::vector<std::size_t> positions;
  std::vector<PyObject*> objects;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (values_[i] == nullptr || !is_scalar(values_[i])) continue;
    positions.push_back(i);
    objects.push_back(values_[i]);
  }
  if (arrays_.empty() && !objects.empty()) {
    for (const std::size_t i : placed_scalars(objects)) {
      put(positions[i], placed_scalar(objects[i]));
      arrays_.push_back({names_[positions[i]], values_[positions[i]]});
    }
  }
  for (const std::size_t i : positions) {
    if (!is_array(values_[i])) put(i, array_of(names_[i], values_[i]));
  }
}

const NdArray& ConvertedArgs::keep(Object array) {
  converted_values_.push_back(std::move(array));
  return header_of(converted_values_.back().get());
}

PyObject* ConvertedArgs::complete(PyObject* result, const std::function<PyObject*()>& call) {
  if (result == nullptr || !out_of_range_) return result;
  Object completed(result);
  const OutOfRange out_of_range = *std::exchange(out_of_range_, std::nullopt);
  const auto position =
      static_cast<std::size_t>(std::ranges::find(names_, out_of_range.name) - names_.begin());
  PyObject* const list = values_[position];
  const RegisteredFunction& selection = find_function("where");
  for (const int side : {1, -1}) {
    const std::optional<NdArray>& marks = side > 0 ? out_of_range.above : out_of_range.below;
    if (!marks) continue;
    const Object large_int = out_of_range_int(side);
    values_[position] = large_int.get();
    const Object side_result(call());
    const Object mask(wrap(NdArray(*marks)));
    PyObject* const choices[] = {mask.get(), side_result.get(), completed.get()};
    completed =
        Object(selection.implementation({nullptr, choices, nullptr, 0, &selection.signature}));
  }
  values_[position] = list;
  return completed.release();
}

namespace {

ConvertedArgs& converted_args_of(const Arguments& arguments) {
  if (arguments.converted_args == nullptr) {
    const bool is_method = arguments.self != nullptr && arguments.self == arguments[0];
    arguments.converted_args = new ConvertedArgs(is_method ? nullptr : arguments.self);
    arguments.converted_args->add(arguments);
  }
  return *arguments.converted_args;
}

PyObject* convert(const Arguments& arguments, PyObject* object, std::size_t first,
                  std::size_t last) {
  PyObject* const array = converted_args_of(arguments).convert(object, first, last);
  arguments.values = arguments.converted_args->values();
  arguments.rest = arguments.values + arguments.signature->count();
  return array;
}

}  // namespace

PyObject* convert_argument(const Arguments& arguments, PyObject* object) {
  if (!arguments.signature->allows_conversion() || !may_become_array(object)) return nullptr;
  const Py_ssize_t count = arguments.signature->count() + arguments.rest_count;
  return convert(arguments, object, 0, static_cast<std::size_t>(count));
}

PyObject* convert_literal(const Arguments& arguments, int parameter, PyObject* object) {
  const Signature& signature = *arguments.signature;
  if (!signature.allows_conversion()) return nullptr;
  if (!may_become_array(object) && !is_scalar(object)) return nullptr;
  const auto first = static_cast<std::size_t>(parameter >= 0 ? parameter : signature.count());
  const auto count =
      static_cast<std::size_t>(parameter >= 0 ? 1 : std::max<Py_ssize_t>(arguments.rest_count, 0));
  return convert(arguments, object, first, first + count);
}

std::vector<std::size_t> placed_scalars(std::span<PyObject* const> scalars) {
  std::vector<std::size_t> positions;
  std::optional<ScalarKind> highest;
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    if (numpy_scalar_dtype(scalars[i])) positions.push_back(i);
  }
  if (!positions.empty()) return positions;
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    const ScalarKind kind = require_scalar("an argument", scalars[i]).kind;
    if (highest && kind <= *highest) continue;
    highest = kind;
    positions.assign(1, i);
  }
  return positions;
}

Object placed_scalar(PyObject* scalar) {
  return Object(wrap(from_sequence(scalar, std::nullopt, std::nullopt)));
}

void place_scalars(const Arguments& arguments, std::span<Operand> operands, int first) {
  const auto is_array_operand = [](const Operand& x) { return x.array != nullptr; };
  if (std::ranges::any_of(operands, is_array_operand)) return;
  const std::span<PyObject* const> objects(arguments.values + first, operands.size());
  for (const std::size_t i : placed_scalars(objects)) {
    operands[i].array = &converted_args_of(arguments).keep(placed_scalar(objects[i]));
    operands[i].value = nullptr;
  }
}

PyObject* end_conversion(const Arguments& arguments, PyObject* result,
                         PyObject* (*function)(const Arguments&)) noexcept {
  const std::unique_ptr<ConvertedArgs> owner(arguments.converted_args);
  result = translate_exceptions(arguments.signature->function(), [&] {
    return owner->complete(result, [&] { return function(arguments); });
  });
  arguments.converted_args = nullptr;
  owner->restore(arguments);
  return result;
}

PyObject* call_into_out(const Arguments& arguments,
                        PyObject* (*function)(const Arguments& arguments)) {
  const int position = arguments.signature->out();
  PyObject* const out = arguments[position];
  const char* name = arguments.signature->function();
  Object output;
  const auto accept_output = [&]() -> PyObject* {
    output = output_argument(name, out);
    require_device_of_call(arguments, position, value_of(output.get()));
    return output.get();
  };
  if (translate_exceptions(name, accept_output) == nullptr) return name_failed_call(arguments);
  PyObject* const result = call_with_conversion(arguments, function);
  if (result == nullptr) return nullptr;
  PyObject* const stored =
      translate_exceptions(name, [&] { return store_result(name, Object(result), output, out); });
  return stored != nullptr ? stored : name_failed_call(arguments);
}

PyObject* operate_converted(const char* name, PyObject* left, PyObject* right,
                            binaryfunc operation) {
  PyObject* const array = is_array(left) ? left : right;
  PyObject* const other = is_array(left) ? right : left;
  // A 0-d integer array is an int for `[0] * x`, which repeats the list.
  const NdArray& x = header_of(array);
  const bool is_repeated =
      x.rank() == 0 && is_integer(x.dtype()) && std::string_view(name) == "multiply";
  const bool is_list = is_list_or_tuple(other) && !is_repeated;
  if (!is_list && !is_base_numpy_array(other)) Py_RETURN_NOTIMPLEMENTED;
  return translate_exceptions(name, [&] {
    ConvertedArgs converted_args(nullptr);
    converted_args.add("x1", left);
    converted_args.add("x2", right);
    converted_args.convert_all();
    const auto run = [&] {
      return operation(converted_args.values()[0], converted_args.values()[1]);
    };
    return converted_args.complete(run(), run);
  });
}

}  // namespace skerry::python
