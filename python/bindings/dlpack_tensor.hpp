// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <optional>

#include "core/ndarray.hpp"
#include "python/bindings/dlpack.hpp"
#include "python/bindings/errors.hpp"

namespace skerry::python::dlpack {

// Conversion between arrays and DLPack's structures, shared by export, import and exchange API.

[[nodiscard]] DataType code_of(Dtype type) noexcept;
/// Empty for unsupported dtypes (several lanes, for example).
[[nodiscard]] std::optional<Dtype> dtype_of(const DataType& type) noexcept;

/// Returns DLPack's name of a device: the CUDA runtime's ordinal for a GPU; index 0 for all CPUs.
/// Throws InterchangeError for a kind that DLPack does not have.
[[nodiscard]] DeviceId id_of(Device device);
/// The same for an array's memory: host memory is `cuda_host` if GPUs can access it.
[[nodiscard]] DeviceId id_of(const NdArray& array);
/// Returns the result of an object's `__dlpack_device__`. Throws TypeError or InterchangeError if
/// it is malformed, and what the method raises.
[[nodiscard]] DeviceId id_of_object(PyObject* object);
/// Returns the first device of that name. Throws InterchangeError if there is none.
[[nodiscard]] Device device_of(DeviceId id);

/// Throws InterchangeError if a stride is not a multiple of the itemsize: DLPack can't express it.
void require_whole_strides(const NdArray& array);

/// Fills all of `tensor`; `shape` and `strides` (in elements) must outlive it. byte_offset is
/// always 0: TensorFlow rejects others, cuda.core before 1.2 ignores them.
void describe_to(Tensor& tensor, const NdArray& array, DeviceId id, std::int64_t* shape,
                 std::int64_t* strides);

/// Allocates an owning structure as one block; its deleter needs no GIL and no interpreter. Throws
/// std::bad_alloc. `Managed` is ManagedTensor or ManagedTensorVersioned.
template <class Managed>
[[nodiscard]] Managed* make_managed(const NdArray& array, DeviceId id);
/// True if make_managed created it.
template <class Managed>
[[nodiscard]] bool is_own(const Managed* managed) noexcept;
/// Returns the memory of a structure that make_managed created, else null.
template <class Managed>
[[nodiscard]] StorageRef own_memory(const Managed* managed) noexcept;

/// Calls the deleter, with the GIL held. Saves a pending Python error, as freeing memory may run
/// Python code.
template <class Managed>
void call_deleter(Managed* managed) noexcept {
  if (PyErr_Occurred() == nullptr) return managed->deleter(managed);
  const ErrorAside error_scope;
  managed->deleter(managed);
}

/// Calls the deleter, if any, on any thread: acquires the GIL and saves the error indicator. Leaks
/// a foreign structure after interpreter shutdown.
template <class Managed>
void release_managed(void* managed) noexcept;

/// Imports a foreign structure as an array, whose last view calls the deleter. Checks everything
/// first: if this throws, the caller still owns the structure. Throws InterchangeError, ShapeError,
/// DeviceUnavailableError.
template <class Managed>
[[nodiscard]] NdArray take_managed(Managed* managed);

/// Imports an unconsumed capsule of either name. Renames it only on success, or if it has another
/// major version: then calls its deleter, the only member that may be used.
[[nodiscard]] NdArray take_capsule(PyObject* capsule);

/// Returns the C exchange API of a type, or null if it has none of major version 1.
[[nodiscard]] const ExchangeTable* exchange_table_of(PyTypeObject* type);
/// Imports through such a table and orders our current stream after the producer's. Empty if the
/// object must be imported by `__dlpack__` instead.
[[nodiscard]] std::optional<NdArray> from_exchange_table(PyObject* object,
                                                         const ExchangeTable& table);

}  // namespace skerry::python::dlpack
