// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// The functions of CuPy's module `cupy_backends.cuda.api.runtime` that are not one call of CUDA.

#include "device/emulator/cupy/functions.hpp"

#include <cstring>

namespace skerry::emulation::cupy {

namespace {

constexpr int peer_access_already_enabled = 704;
/// cudaMemPoolAttr: the first ones are ints.
constexpr int last_int_attribute = 3;

void* pointer(std::intptr_t address) { return reinterpret_cast<void*>(address); }

}  // namespace

int ensure_context() { return runtime::free_memory(0); }

PyObject* check_status(int status, int) { return none_or_error(status); }
PyObject* ensure_context_of_cupy() { return none_or_error(call(ensure_context)); }
int cuda_major_version(int) {
  constexpr int major = 13;
  return major;
}

PyObject* device_properties(int device, int) {
  return PyObject_CallFunction(python_objects().device_properties, "i", device);
}
int enable_peer_access(int owner) { return entry_points::enable_peer_access(owner, 0); }
PyObject* ensure_peer_access(int owner, int) {
  const int status = call(enable_peer_access, owner);
  if (status != peer_access_already_enabled) return none_or_error(status);
  static_cast<void>(entry_points::get_last_error());
  return none_or_error(0);
}
PyObject* device_bus_id(int device, int) {
  char text[16] = {};
  const int nbytes = sizeof text;
  const int status = call(driver::device_get_pci_bus_id, static_cast<char*>(text), nbytes, device);
  return is_success(status) ? PyUnicode_FromString(text) : nullptr;
}
int device_by_bus_id(PyObject* text, int) {
  const char* const characters = PyUnicode_AsUTF8AndSize(text, nullptr);
  if (characters == nullptr) return -1;
  int device = 0;
  return is_success(call(driver::device_get_by_pci_bus_id, &device, characters)) ? device : -1;
}

PyObject* memory_info(int) {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  const int status = call(entry_points::memory_info, &free_bytes, &total_bytes);
  return is_success(status) ? Py_BuildValue("kk", free_bytes, total_bytes) : nullptr;
}
std::intptr_t allocate_managed(std::size_t nbytes, int, const OptionalArgument<unsigned>* flags) {
  constexpr unsigned attach_global = 1;
  driver::address data = 0;
  const int status = call(runtime::allocate_managed, &data, nbytes, value_of(flags, attach_global));
  return is_success(status) ? static_cast<std::intptr_t>(data) : 0;
}
PointerAttributesObject* pointer_attributes(std::intptr_t data, int) {
  abi::PointerAttributes attributes{};
  const int status = call(entry_points::get_pointer_attributes, &attributes,
                          static_cast<const void*>(pointer(data)));
  if (!is_success(status)) return nullptr;
  PyObject* const object = PyObject_CallFunction(
      python_objects().make_attributes, "inni", attributes.device,
      reinterpret_cast<std::intptr_t>(attributes.device_pointer),
      reinterpret_cast<std::intptr_t>(attributes.host_pointer), attributes.type);
  return reinterpret_cast<PointerAttributesObject*>(object);
}
int memory_type(std::intptr_t data, int) {
  abi::PointerAttributes attributes{};
  const int status = call(entry_points::get_pointer_attributes, &attributes,
                          static_cast<const void*>(pointer(data)));
  return is_success(status) ? attributes.type : -1;
}
PyObject* copy_peer(std::intptr_t target, int target_device, std::intptr_t source,
                    int source_device, std::size_t nbytes, int) {
  void* const legacy_stream = nullptr;
  const int status =
      call(entry_points::copy_peer_async, pointer(target), target_device,
           static_cast<const void*>(pointer(source)), source_device, nbytes, legacy_stream);
  return none_or_error(status != 0 ? status : call(runtime::wait_for_stream, legacy_stream));
}

int prefetch(driver::address data, std::size_t nbytes, int device, void* stream) {
  return runtime::prefetch(data, nbytes, {abi::location_of_device, device}, 0, stream);
}
int advise(driver::address data, std::size_t nbytes, int advice, int device) {
  const int status = ensure_context();
  return status != 0
             ? status
             : driver::memory_advise(data, nbytes, advice, {abi::location_of_device, device});
}
int allocate_from_pool(driver::address* data, std::size_t nbytes, void* pool, void* stream) {
  const int status = ensure_context();
  return status != 0 ? status : driver::pool_allocate_from(data, nbytes, pool, stream);
}

std::intptr_t create_pool(MemPoolPropsObject* object, int) {
  // The members of MemPoolProps: allocType, handleType, locationType, devId
  int members[4];
  std::memcpy(members, reinterpret_cast<const char*>(object) + python_objects().object_nbytes,
              sizeof members);
  abi::PoolProperties properties{};
  properties.allocation_type = members[0];
  properties.handle_types = members[1];
  properties.location = {members[2], members[3]};
  void* pool = nullptr;
  const int status =
      call(driver::pool_create, &pool, static_cast<const abi::PoolProperties*>(&properties));
  return is_success(status) ? reinterpret_cast<std::intptr_t>(pool) : 0;
}
PyObject* pool_attribute(std::intptr_t pool, int attribute, int) {
  std::uint64_t value = 0;  // little-endian: an int is its low bytes
  const int status =
      call(runtime::get_pool_attribute, pointer(pool), attribute, static_cast<void*>(&value));
  return is_success(status) ? PyLong_FromUnsignedLongLong(value) : nullptr;
}
PyObject* set_pool_attribute(std::intptr_t pool, int attribute, PyObject* number, int) {
  PyObject* const integer = PyNumber_Long(number);  // fractions of the memory are floats
  if (integer == nullptr) return nullptr;
  std::uint64_t value = attribute <= last_int_attribute
                            ? static_cast<std::uint64_t>(PyLong_AsLong(integer))
                            : PyLong_AsUnsignedLongLong(integer);
  Py_DecRef(integer);
  if (PyErr_Occurred() != nullptr) return nullptr;
  return none_or_error(
      call(driver::pool_set_attribute, pointer(pool), attribute, static_cast<void*>(&value)));
}

int stream_flags(unsigned* flags, void* stream) { return driver::stream_get_flags(stream, flags); }
int stream_priority(int* priority, void* stream) {
  return driver::stream_get_priority(stream, priority);
}
int stream_end_capture(void** graph, void* stream) { return runtime::end_capture(stream, graph); }
int stream_is_capturing(int* status, void* stream) { return runtime::is_capturing(stream, status); }
PyObject* stream_query(std::intptr_t stream, int) {
  return PyLong_FromLong(call(runtime::query_stream, pointer(stream)));
}
PyObject* stream_wait_event(std::intptr_t stream, std::intptr_t event, int,
                            const OptionalArgument<unsigned>* flags) {
  return none_or_error(
      call(runtime::stream_waits, pointer(stream), pointer(event), value_of(flags, 0U)));
}
PyObject* stream_begin_capture(std::intptr_t stream, int, const OptionalArgument<int>* mode) {
  constexpr int relaxed = 2;
  return none_or_error(call(runtime::begin_capture, pointer(stream), value_of(mode, relaxed)));
}
PyObject* event_query(std::intptr_t event, int) {
  return PyLong_FromLong(call(entry_points::event_query, pointer(event)));
}
std::intptr_t instantiate_graph(std::intptr_t graph, int) {
  void* executable = nullptr;
  const int status = call(runtime::instantiate_graph, &executable, pointer(graph), 0ULL);
  return is_success(status) ? reinterpret_cast<std::intptr_t>(executable) : 0;
}

}  // namespace skerry::emulation::cupy
