// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <cstdint>
#include <optional>

#include "core/ndarray.hpp"
#include "device/interchange.hpp"
#include "device/storage_attachment.hpp"
#include "python/bindings/errors.hpp"

namespace skerry::python {

// Arrays of other libraries, taken over without a copy; each keeps its owner alive. All throw
// InterchangeError or DtypeError for what can't be taken over.

/// Memory of a buffer-protocol object (a NumPy array, say), as an array on the CPU device `device`.
/// Empty where its dtype, byte order or alignment needs a conversion first.
[[nodiscard]] std::optional<NdArray> from_buffer(PyObject* object, Device device);

/// One reading of `__cuda_array_interface__`: who chooses a protocol by its version reads the
/// attribute once for both.
struct CudaInterface {
  Object description;  ///< a dict
  std::int64_t version = 0;
};
/// Reads the attribute, once. Empty where the object does not support the protocol (no attribute,
/// or None); what else the attribute raises is passed on as PythonError. Throws DtypeError where
/// it is no dict, InterchangeError for a bad version.
[[nodiscard]] std::optional<CudaInterface> read_cuda_interface(PyObject* object);
/// The same for a description that is at hand.
[[nodiscard]] CudaInterface parse_cuda_interface(PyObject* description);

enum class ImportOrder : std::uint8_t {
  none,          ///< the caller has seen to it
  by_event,      ///< work on the array waits for the producer's stream, the host does not
  whole_device,  ///< the host waits for all work on the device
};
struct CudaImport {
  ImportOrder order = ImportOrder::by_event;
  std::optional<Device> device;  ///< must be the memory's device, if given
};
/// The memory that an interface describes, validated before use. `owner` lives as long as the
/// memory is used; null: the caller sees to that.
[[nodiscard]] NdArray from_cuda_interface(const CudaInterface& interface, PyObject* owner,
                                          const CudaImport& options = {});
/// From an object with `__cuda_array_interface__`; DtypeError without.
[[nodiscard]] NdArray from_cuda_interface(PyObject* object, const CudaImport& options = {});

/// From an object with `__dlpack__` and `__dlpack_device__`, or with the C exchange API on its
/// type, or from a DLPack capsule. `copied` is passed on; the result is where the producer says, or
/// on the host, if `to_host` and the producer is on a device of a kind that is unknown here.
[[nodiscard]] NdArray from_capsule(PyObject* object, std::optional<bool> copied,
                                   bool to_host = false);

/// Bytes from the pointer of a foreign array on; `first` is never positive.
struct ByteRange {
  std::int64_t first = 0;
  std::int64_t last = 0;

  [[nodiscard]] std::size_t nbytes() const noexcept {
    return static_cast<std::size_t>(last - first);
  }
};
/// Checks shape and strides (bytes) of a foreign array, and that the range they span around `data`
/// lies in the address space. Sets the offset of `layout`.
ByteRange check_layout(const void* data, Layout& layout, std::int64_t width);
/// Checks that the range around `data` lies inside the allocation, where the driver knows it.
void check_extent(const void* data, ByteRange range, const PointerInfo& attributes);
/// A view of foreign memory: checks it as above, and takes over `owner`, which `release` lets go on
/// any thread; at once, if this throws.
[[nodiscard]] NdArray adopt_view(Device device, void* data, Dims shape, Dims strides, Dtype type,
                                 bool read_only, void* owner,
                                 void (*release)(void* owner) noexcept);
/// Host memory under the name of another logical CPU device, without a copy.
[[nodiscard]] NdArray rehome(NdArray array, Device device);
/// Drops a reference to a Python object on any thread; leaks it once the interpreter is gone.
void drop_reference(void* object) noexcept;
/// The Python object to which such an owner is one reference; borrowed, null if there is none.
[[nodiscard]] PyObject* python_owner(const ForeignOwnership& ownership) noexcept;

/// What the methods of Array do.
[[nodiscard]] PyObject* export_capsule(const NdArray& array, PyObject* stream,
                                       PyObject* max_version, PyObject* dl_device,
                                       std::optional<bool> copied);
[[nodiscard]] PyObject* export_device(const NdArray& array);

}  // namespace skerry::python
