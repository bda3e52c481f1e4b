// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "core/operation.hpp"
#include "device/memory_resource.hpp"
#include "device/stream.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/errors.hpp"
#include "python/bindings/foreign.hpp"
#include "python/bindings/gil.hpp"
#include "python/bindings/pybind.hpp"

// Allocators of other libraries for skerry's arrays, and skerry's pool as an allocator of others.

namespace skerry::python {
namespace {

/// A pair of Python functions: allocate(nbytes, stream) and free(address, nbytes, stream).
class PythonResource final : public MemoryResource {
 public:
  PythonResource(Device device, const py::object& allocate_function,
                 const py::object& free_function)
      : device_(device),
        allocate_(Py_NewRef(allocate_function.ptr()), drop_reference),
        free_(Py_NewRef(free_function.ptr()), drop_reference) {}

  void* allocate(std::size_t nbytes, void* stream) override {
    const WithGil gil_guard;
    if (!gil_guard) return nullptr;
    try {
      const Object result(
          PyObject_CallFunction(allocate_.get(), "nO", static_cast<Py_ssize_t>(nbytes),
                                py::cast(Stream::from_handle(device_, stream)).ptr()));
      return address_of(result.get());
    } catch (const PythonError&) {
      // An interrupt or an exit is not a lack of memory.
      if (PyErr_ExceptionMatches(PyExc_Exception) == 0) throw;
      throw RaisedException::take();
    }
  }

  void deallocate(void* data, std::size_t nbytes, void* stream) noexcept override {
    const WithGil gil_guard;
    if (!gil_guard) return;
    const ErrorAside error_scope;
    PyObject* result = nullptr;
    try {
      result = PyObject_CallFunction(free_.get(), "NnO", PyLong_FromVoidPtr(data),
                                     static_cast<Py_ssize_t>(nbytes),
                                     py::cast(Stream::from_handle(device_, stream)).ptr());
    } catch (...) {
      set_python_error();
    }
    if (result == nullptr) PyErr_WriteUnraisable(free_.get());
    Py_XDECREF(result);
  }

 private:
  static void* address_of(PyObject* result) {
    if (result == Py_None) return nullptr;
    const Object integer(PyNumber_Index(result));
    void* const address = PyLong_AsVoidPtr(integer.get());
    if (address == nullptr && PyErr_Occurred() != nullptr) throw PythonError{};
    return address;
  }

  Device device_;
  std::shared_ptr<PyObject> allocate_;
  std::shared_ptr<PyObject> free_;
};

void set_allocator(const py::object& device_argument, const py::object& allocate_function,
                   const py::object& free_function) {
  const OperationScope scope("set_allocator");
  const Device device = usable_device(device_argument.ptr());
  std::shared_ptr<MemoryResource> resource;
  if (!allocate_function.is_none())
    resource = std::make_shared<PythonResource>(device, allocate_function, free_function);
  set_memory_resource(device, std::move(resource));
}

Device device_of_ordinal(int ordinal) {
  const std::optional<Device> device = device_of_physical(ordinal);
  if (!device) throw ValueError("there is no CUDA device of ordinal " + std::to_string(ordinal));
  return *device;
}

void* handle_or_current(const py::object& stream_argument, Device device) {
  if (stream_argument.is_none()) return current_stream_handle(device);
  return parse_stream(stream_argument.ptr(), device).handle();
}

std::uintptr_t allocate_address(const py::object& device_argument, const py::object& nbytes,
                                const py::object& stream_argument) {
  const OperationScope scope("cuda_allocator_functions");
  const Device device = usable_device(device_argument.ptr());
  const std::int64_t size = index_argument("nbytes", nbytes.ptr());
  if (size < 0) throw ValueError("nbytes must not be negative: " + std::to_string(size));
  return reinterpret_cast<std::uintptr_t>(allocate_block(
      device, static_cast<std::size_t>(size), handle_or_current(stream_argument, device)));
}

void free_address(const py::object& device_argument, std::uintptr_t address,
                  const py::object& stream_argument) {
  const OperationScope scope("cuda_allocator_functions");
  const Device device = parse_device_argument(device_argument.ptr());
  if (free_block(reinterpret_cast<void*>(address), handle_or_current(stream_argument, device)))
    return;
  throw ValueError("address " + std::to_string(address) +
                   " is not one that these functions allocated, or was freed already");
}

}  // namespace

// Found by their names in the extension module, and called by other libraries without the GIL.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {

/// Throws a std::bad_alloc, a std::invalid_argument or a std::runtime_error: a library that ignores
/// null, as PyTorch does, would use it as memory.
[[gnu::visibility("default")]] void* skerry_cuda_allocate(ssize_t size, int ordinal, void* stream) {
  const OperationScope scope("skerry_cuda_allocate");
  return allocate_block(device_of_ordinal(ordinal), static_cast<std::size_t>(size), stream);
}

[[gnu::visibility("default")]] void skerry_cuda_free(void* data, ssize_t /*size*/, int /*ordinal*/,
                                                     void* stream) {
  free_block(data, stream);
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)

void add_allocators(py::module_& module) {
  module.def("set_allocator", set_allocator, py::arg("device"), py::arg("allocate"),
             py::arg("free"), py::pos_only(),
             "Allocate later arrays of a device by a pair of functions; None for both restores the "
             "pool.");
  module.def("allocate_block", allocate_address, py::arg("device"), py::arg("nbytes"),
             py::arg("stream"), py::pos_only(),
             "Allocate from the pool of a CUDA device for another library; the address.");
  module.def("free_block", free_address, py::arg("device"), py::arg("address"), py::arg("stream"),
             py::pos_only(), "Free memory of allocate_block, in order with the stream.");
  module.def(
      "device_of_ordinal",
      [](int ordinal) { return py::handle(device_object(device_of_ordinal(ordinal))); },
      py::arg("ordinal"), py::pos_only(), "The Device with a number of the CUDA runtime.");
  module.def(
      "allocator_addresses",
      [] {
        return py::make_tuple(reinterpret_cast<std::uintptr_t>(&skerry_cuda_allocate),
                              reinterpret_cast<std::uintptr_t>(&skerry_cuda_free));
      },
      "Addresses of the C functions skerry_cuda_allocate and skerry_cuda_free.");
}

}  // namespace skerry::python
