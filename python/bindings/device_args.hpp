// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <optional>

#include "core/device.hpp"
#include "device/stream.hpp"

namespace skerry::python {

/// The skerry.Device for a device; borrowed, one object for each.
[[nodiscard]] PyObject* device_object(device where);
/// Reads what `device=` may be: a Device or its name. Throws dtype_error, value_error. Says nothing
/// about whether it exists.
[[nodiscard]] device parse_device_argument(const char* op, PyObject* from);
/// The same, and throws device_unavailable_error unless it can be used.
[[nodiscard]] device usable_device(const char* op, PyObject* from);
/// Where a creation function without `device=` goes: the `with skerry.device(…)` of this context,
/// else the one set by set_default_device.
[[nodiscard]] device default_device();
/// `device=`, or the default where it is absent or None.
[[nodiscard]] device device_or_default(const char* op, PyObject* from);

/// Reads what `stream=` may be: a Stream, an int handle, an object with `__cuda_stream__`, or with
/// the attribute ptr, cuda_stream or handle; the object lives as long as the result. Throws
/// dtype_error, and value_error for 0, which is ambiguous as an int, and for a stream of another
/// device.
[[nodiscard]] stream parse_stream(const char* op, PyObject* from, device where);
/// The ordinal of the CUDA runtime, by which other libraries know the device.
[[nodiscard]] int physical_index(device where);
/// The first device whose ordinal is that; empty if there is none.
[[nodiscard]] std::optional<device> device_of_physical(int ordinal);

}  // namespace skerry::python
