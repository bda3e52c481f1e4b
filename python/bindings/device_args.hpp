// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <optional>

#include "core/device.hpp"
#include "device/stream.hpp"

namespace skerry::python {

/// The skerry.Device for a device; borrowed, one object for each.
[[nodiscard]] PyObject* device_object(Device device);
/// Reads what `device=` may be: a Device or its name. Throws DtypeError, ValueError. Says nothing
/// about whether it exists.
[[nodiscard]] Device parse_device_argument(PyObject* object);
/// The same, and throws DeviceUnavailableError unless it can be used.
[[nodiscard]] Device usable_device(PyObject* object);
/// Where a creation function without `device=` goes: the `with skerry.device(…)` of this context,
/// else the one set by set_default_device.
[[nodiscard]] Device default_device();
/// `device=`, or the default where it is absent or None.
[[nodiscard]] Device device_or_default(PyObject* object);

/// Reads what `stream=` may be: a Stream, an int handle, an object with `__cuda_stream__`, or with
/// the attribute ptr, cuda_stream or handle; the object lives as long as the result. Throws
/// DtypeError, and ValueError for 0, which is ambiguous as an int, and for a stream of another
/// device.
[[nodiscard]] Stream parse_stream(PyObject* object, Device device);
/// The ordinal of the CUDA runtime, by which other libraries know the device.
[[nodiscard]] int physical_index(Device device);
/// The first device whose ordinal is that; empty if there is none.
[[nodiscard]] std::optional<Device> device_of_physical(int ordinal);

}  // namespace skerry::python
