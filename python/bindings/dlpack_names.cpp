// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/errors.hpp"
#include "python/bindings/dlpack_tensor.hpp"
#include "python/bindings/foreign.hpp"
#include "python/bindings/lazy_object.hpp"
#include "python/bindings/scalar_args.hpp"

// DLPack's names of devices and dtypes, which objects of other libraries give by
// `__dlpack_device__` and `__dlpack_data_type__`.

namespace skerry::python {
namespace {

constexpr const char* device_method = "__dlpack_device__";
constexpr const char* dtype_method = "__dlpack_data_type__";
constinit LazyObject device_method_name;
constinit LazyObject dtype_method_name;

/// Calls a method that must return a tuple of 32-bit integers.
template <std::size_t Count>
std::array<std::int64_t, Count> numbers_of(PyObject* object, LazyObject& method_name,
                                           const char* method, const char* contents) {
  PyObject* const name = method_name.get([&] { return PyUnicode_InternFromString(method); });
  const Object tuple(PyObject_CallMethodNoArgs(object, name));
  if (!PyTuple_Check(tuple.get()) || PyTuple_GET_SIZE(tuple.get()) != Py_ssize_t{Count}) {
    throw TypeError(std::string(method) + " of " + Py_TYPE(object)->tp_name +
                    " must return a tuple (" + contents + ")");
  }
  std::array<std::int64_t, Count> numbers{};
  for (std::size_t i = 0; i < Count; ++i) {
    numbers[i] = clamped_integer(PyTuple_GET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i)));
    if (numbers[i] != static_cast<std::int32_t>(numbers[i])) {
      throw InterchangeError(std::string(method) + " of " + Py_TYPE(object)->tp_name +
                             " is out of range");
    }
  }
  return numbers;
}

bool has_method(PyObject* object, const char* name) {
  return optional_attribute(object, name).get() != nullptr;
}

}  // namespace

dlpack::DeviceId dlpack::id_of_object(PyObject* object) {
  const auto [code, index] =
      numbers_of<2>(object, device_method_name, device_method, "device type, device id");
  return {static_cast<DeviceCode>(code), static_cast<std::int32_t>(index)};
}

std::optional<Device> device_by_dlpack(PyObject* object) {
  if (!has_method(object, device_method) || has_method(object, "__dlpack__")) return std::nullopt;
  return dlpack::device_of(dlpack::id_of_object(object));
}

std::optional<Dtype> dtype_by_dlpack(PyObject* object) {
  if (!has_method(object, dtype_method)) return std::nullopt;
  const auto [code, bits, lanes] =
      numbers_of<3>(object, dtype_method_name, dtype_method, "code, bits, lanes");
  const bool fits = code >= 0 && code <= UINT8_MAX && bits >= 0 && bits <= UINT8_MAX &&
                    lanes >= 0 && lanes <= UINT16_MAX;
  if (!fits) return std::nullopt;
  return dlpack::dtype_of({static_cast<dlpack::TypeCode>(code), static_cast<std::uint8_t>(bits),
                           static_cast<std::uint16_t>(lanes)});
}

}  // namespace skerry::python
