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

// Zero-copy import of arrays of other libraries; each keeps its owner alive. All functions throw
// InterchangeError, TypeError or DtypeError for what can't be imported.

/// Imports the memory of a buffer-protocol object (such as a NumPy array) as an array on the CPU
/// device `device`. Empty if its dtype, byte order or alignment needs a conversion first.
[[nodiscard]] std::optional<NdArray> from_buffer(PyObject* object, Device device);

/// The value of `__cuda_array_interface__`, read once: both to choose a protocol by its version and
/// to import.
struct CudaInterface {
  Object description;  ///< a dict
  std::int64_t version = 0;
};
/// Reads the attribute, once. Empty if the object does not support the protocol (no attribute, or
/// None); other exceptions of the attribute propagate as PythonError. Throws TypeError if it is
/// not a dict, InterchangeError for a bad version.
[[nodiscard]] std::optional<CudaInterface> read_cuda_interface(PyObject* object);
/// Checks a description that was read already.
[[nodiscard]] CudaInterface parse_cuda_interface(PyObject* description);

enum class ImportOrder : std::uint8_t {
  none,          ///< no synchronization: the caller is responsible
  by_event,      ///< work on the array waits for the producer's stream; the host does not block
  whole_device,  ///< the host waits for all work on the device
};
struct CudaImport {
  ImportOrder order = ImportOrder::by_event;
  std::optional<Device> device;  ///< if set, must be the memory's device
};
/// Imports the memory that an interface describes, after validation. Keeps `owner` alive as long as
/// the memory is in use; if null, that is the caller's responsibility.
[[nodiscard]] NdArray from_cuda_interface(const CudaInterface& interface, PyObject* owner,
                                          const CudaImport& options = {});
/// Imports an object with `__cuda_array_interface__`; throws TypeError for one without.
[[nodiscard]] NdArray from_cuda_interface(PyObject* object, const CudaImport& options = {});

/// Imports an object with `__dlpack__` and `__dlpack_device__`, or with the C exchange API on its
/// type, or a DLPack capsule. Passes `copied` on to the producer. The result is on the producer's
/// device, or on the host if `to_host` and skerry does not support the producer's kind of device.
[[nodiscard]] NdArray from_capsule(PyObject* object, std::optional<bool> copied,
                                   bool to_host = false);

/// Byte range relative to the pointer of a foreign array; `first` is never positive.
struct ByteRange {
  std::int64_t first = 0;
  std::int64_t last = 0;

  [[nodiscard]] std::size_t nbytes() const noexcept {
    return static_cast<std::size_t>(last - first);
  }
};
/// Checks shape and strides (bytes) of a foreign array, and that the range they span around `data`
/// is in the address space. Sets the offset of `layout`.
ByteRange check_layout(const void* data, Layout& layout, std::int64_t width);
/// Checks that the range around `data` is inside the allocation, if the driver reports it.
void check_extent(const void* data, ByteRange range, const PointerInfo& attributes);
/// Creates a view of foreign memory, after check_layout. Takes ownership of `owner`, also if this
/// throws; `release` may be called on any thread.
[[nodiscard]] NdArray adopt_view(Device device, void* data, Dims shape, Dims strides, Dtype type,
                                 bool read_only, void* owner,
                                 void (*release)(void* owner) noexcept);
/// Returns the same host memory as an array on another logical CPU device, without a copy.
[[nodiscard]] NdArray rehome(NdArray array, Device device);
/// Drops a reference to a Python object on any thread; leaks it after interpreter shutdown.
void drop_reference(void* object) noexcept;
/// Returns the Python object that the owner holds one reference to; borrowed, null if none.
[[nodiscard]] PyObject* python_owner(const ForeignOwnership& ownership) noexcept;

/// Return the device or dtype that an object of another library names by `__dlpack_device__` or
/// `__dlpack_data_type__`; empty if it does not, is an array, or names a dtype that skerry lacks.
/// Throw TypeError or InterchangeError for a malformed name or a device that this process lacks.
[[nodiscard]] std::optional<Device> device_by_dlpack(PyObject* object);
[[nodiscard]] std::optional<Dtype> dtype_by_dlpack(PyObject* object);

/// Implement Array.__dlpack__ and Array.__dlpack_device__.
[[nodiscard]] PyObject* export_capsule(const NdArray& array, PyObject* stream,
                                       PyObject* max_version, PyObject* dl_device,
                                       std::optional<bool> copied);
[[nodiscard]] PyObject* export_device(const NdArray& array);

}  // namespace skerry::python
