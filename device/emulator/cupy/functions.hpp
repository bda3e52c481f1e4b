// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/emulator/cupy/table.hpp"

// The functions of CuPy's module that are not one call of CUDA. Those that return a status are
// CUDA's functions with their result first, for Adapter.

namespace skerry::emulation::cupy {

/// Makes the context of the thread's device current: the driver's functions need one.
int ensure_context();

PyObject* check_status(int status, int);
PyObject* ensure_context_of_cupy();
int cuda_major_version(int);

// Devices
PyObject* device_properties(int device, int);
int enable_peer_access(int owner);
PyObject* ensure_peer_access(int owner, int);
PyObject* device_bus_id(int device, int);
int device_by_bus_id(PyObject* text, int);

// Memory, pools
PyObject* memory_info(int);
std::intptr_t allocate_managed(std::size_t nbytes, int, const OptionalArgument<unsigned>* flags);
PointerAttributesObject* pointer_attributes(std::intptr_t data, int);
int memory_type(std::intptr_t data, int);
PyObject* copy_peer(std::intptr_t target, int target_device, std::intptr_t source,
                    int source_device, std::size_t nbytes, int);
int prefetch(driver::address data, std::size_t nbytes, int device, void* stream);
int advise(driver::address data, std::size_t nbytes, int advice, int device);
int allocate_from_pool(driver::address* data, std::size_t nbytes, void* pool, void* stream);
std::intptr_t create_pool(MemPoolPropsObject* object, int);
PyObject* pool_attribute(std::intptr_t pool, int attribute, int);
PyObject* set_pool_attribute(std::intptr_t pool, int attribute, PyObject* number, int);

// Streams, events, graphs
int stream_flags(unsigned* flags, void* stream);
int stream_priority(int* priority, void* stream);
int stream_end_capture(void** graph, void* stream);
int stream_is_capturing(int* status, void* stream);
PyObject* stream_query(std::intptr_t stream, int);
PyObject* stream_wait_event(std::intptr_t stream, std::intptr_t event, int,
                            const OptionalArgument<unsigned>* flags);
PyObject* stream_begin_capture(std::intptr_t stream, int, const OptionalArgument<int>* mode);
PyObject* event_query(std::intptr_t event, int);
std::intptr_t instantiate_graph(std::intptr_t graph, int);

}  // namespace skerry::emulation::cupy
