// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <cstdint>
#include <optional>

#include "core/ndarray.hpp"
#include "device/interchange.hpp"
#include "python/bindings/errors.hpp"

namespace skerry::python {

// Arrays of other libraries, taken over without a copy; each keeps its owner alive. All throw
// interchange_error or dtype_error for what can't be taken over.

/// Memory of a buffer-protocol object (a NumPy array, say), as an array on the CPU device `where`.
/// Empty where its dtype, byte order or alignment needs a conversion first.
[[nodiscard]] std::optional<ndarray> from_buffer(const char* op, PyObject* from, device where);

/// One reading of `__cuda_array_interface__`: who chooses a protocol by its version reads the
/// attribute once for both.
struct cuda_interface {
  object description;  ///< a dict
  std::int64_t version = 0;
};
/// Reads the attribute, once. Empty where the object does not support the protocol (no attribute,
/// or None); what else the attribute raises is passed on as python_error. Throws dtype_error where
/// it is no dict, interchange_error for a bad version.
[[nodiscard]] std::optional<cuda_interface> read_cuda_interface(const char* op, PyObject* from);
/// The same for a description that is at hand.
[[nodiscard]] cuda_interface parse_cuda_interface(const char* op, PyObject* description);

enum class import_order : std::uint8_t {
  none,          ///< the caller has seen to it
  by_event,      ///< work on the array waits for the producer's stream, the host does not
  whole_device,  ///< the host waits for all work on the device
};
struct cuda_import {
  import_order order = import_order::by_event;
  std::optional<device> where;  ///< must be the memory's device, if given
};
/// The memory that an interface describes, validated before use. `owner` lives as long as the
/// memory is used; null: the caller sees to that.
[[nodiscard]] ndarray from_cuda_interface(const char* op, const cuda_interface& from,
                                          PyObject* owner, const cuda_import& options = {});
/// From an object with `__cuda_array_interface__`; dtype_error without.
[[nodiscard]] ndarray from_cuda_interface(const char* op, PyObject* from,
                                          const cuda_import& options = {});

/// From an object with `__dlpack__` and `__dlpack_device__`, or with the C exchange API on its
/// type, or from a DLPack capsule. `copied` is passed on; the result is where the producer says, or
/// on the host, if `to_host` and the producer is on a device of a kind that is unknown here.
[[nodiscard]] ndarray from_capsule(const char* op, PyObject* from, std::optional<bool> copied,
                                   bool to_host = false);

/// Bytes from the pointer of a foreign array on; `first` is never positive.
struct byte_range {
  std::int64_t first = 0;
  std::int64_t last = 0;

  [[nodiscard]] std::size_t nbytes() const noexcept {
    return static_cast<std::size_t>(last - first);
  }
};
/// Checks shape and strides (bytes) of a foreign array, and that the range they span around `data`
/// lies in the address space. Sets the offset of `place`.
byte_range check_layout(const char* op, const void* data, layout& place, std::int64_t width);
/// Checks that the range around `data` lies inside the allocation, where the driver knows it.
void check_extent(const char* op, const void* data, byte_range range, const pointer_facts& facts);
/// A view of foreign memory: checks it as above, and takes over `owner`, which `release` lets go on
/// any thread; at once, if this throws.
[[nodiscard]] ndarray adopt_view(const char* op, device where, void* data, dims shape, dims strides,
                                 dtype type, bool read_only, void* owner,
                                 void (*release)(void* owner) noexcept);
/// Host memory under the name of another logical CPU device, without a copy.
[[nodiscard]] ndarray rehome(ndarray array, device where);
/// Drops a reference to a Python object on any thread; leaks it once the interpreter is gone.
void drop_reference(void* object) noexcept;
/// The Python object that a storage holds one reference to; borrowed, null if there is none.
[[nodiscard]] PyObject* python_owner(const storage& memory) noexcept;

/// What the methods of Array do.
[[nodiscard]] PyObject* export_capsule(const ndarray& array, PyObject* stream,
                                       PyObject* max_version, PyObject* dl_device,
                                       std::optional<bool> copied);
[[nodiscard]] PyObject* export_device(const ndarray& array);

}  // namespace skerry::python
