// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <optional>

#include "core/ndarray.hpp"
#include "python/bindings/dlpack.hpp"
#include "python/bindings/errors.hpp"

namespace skerry::python::dlpack {

// What the export, the import and the exchange API share: DLPack's structures made from arrays and
// read into arrays.

[[nodiscard]] DataType code_of(Dtype type) noexcept;
/// Empty for what is no dtype of skerry (several lanes, say).
[[nodiscard]] std::optional<Dtype> dtype_of(const DataType& type) noexcept;

/// Where the memory is, in DLPack's terms: the CUDA runtime's ordinal, 0 for all host memory, which
/// is `cuda_host` where GPUs can read it.
[[nodiscard]] DeviceId id_of(const NdArray& array);

/// Throws InterchangeError where a stride is no multiple of the item, which DLPack can't say.
void require_whole_strides(const NdArray& array);

/// Fills all of `tensor`; `shape` and `strides` (in elements) must stay as long as it is used.
/// Never a byte offset: TensorFlow refuses one, cuda.core before 1.2 ignores it.
void describe_to(Tensor& tensor, const NdArray& array, DeviceId id, std::int64_t* shape,
                 std::int64_t* strides);

/// An owning structure in one block of memory; its deleter needs no GIL and no interpreter. Throws
/// std::bad_alloc. `Managed` is ManagedTensor or ManagedTensorVersioned.
template <class Managed>
[[nodiscard]] Managed* make_managed(const NdArray& array, DeviceId id);
/// Whether it was made by make_managed.
template <class Managed>
[[nodiscard]] bool is_own(const Managed* managed) noexcept;
/// The memory of one that was made by make_managed; else null.
template <class Managed>
[[nodiscard]] StorageRef own_memory(const Managed* managed) noexcept;

/// With the GIL. An error may be on its way up through the caller, and freeing memory may run
/// Python.
template <class Managed>
void call_deleter(Managed* managed) noexcept {
  if (PyErr_Occurred() == nullptr) return managed->deleter(managed);
  const ErrorAside error_scope;
  managed->deleter(managed);
}

/// Calls the deleter, if there is one, with the GIL and the error indicator put aside; on any
/// thread. A foreign structure is left alone once Python is gone.
template <class Managed>
void release_managed(void* managed) noexcept;

/// The array that a foreign structure describes, which gives it back when its last view goes. All
/// is checked before; if this throws, the structure is still the caller's. Throws
/// InterchangeError, ShapeError, DeviceUnavailableError.
template <class Managed>
[[nodiscard]] NdArray take_managed(Managed* managed);

/// An unused capsule of either name. It is renamed only if this succeeds, or if it is of another
/// major version: then its deleter is called, which is all that may be done with it.
[[nodiscard]] NdArray take_capsule(PyObject* capsule);

/// The table that a type offers for fast exchange; null if none, or none of major version 1.
[[nodiscard]] const ExchangeTable* exchange_table_of(PyTypeObject* type);
/// Through such a table; work of ours comes after the producer's. Empty where the object has one
/// but must go through `__dlpack__`.
[[nodiscard]] std::optional<NdArray> from_exchange_table(PyObject* object,
                                                         const ExchangeTable& table);

}  // namespace skerry::python::dlpack
