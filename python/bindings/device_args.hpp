// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <optional>

#include "core/device.hpp"
#include "device/stream.hpp"

namespace skerry::python {

/// Returns the skerry.Device object of a device: borrowed, the same one each time.
[[nodiscard]] PyObject* device_object(Device device);
/// Parses `device=`: a Device, its name, or another library's device with `__dlpack_device__`. Does
/// not check that the device exists. Throws
/// TypeError, ValueError.
[[nodiscard]] Device parse_device_argument(PyObject* object);
/// Like parse_device_argument, but throws DeviceUnavailableError if the device can't be used.
[[nodiscard]] Device usable_device(PyObject* object);
/// Returns the device of creation functions without `device=`: that of the context's
/// `with skerry.device(…)`, else the one set by set_default_device. Empty if the program asked for
/// no default.
[[nodiscard]] std::optional<Device> find_default_device();
/// The same, but throws TypeError if there is no default: `device` is required then.
[[nodiscard]] Device default_device();
/// Returns the default device if it is a CPU, else cpu:0, for host memory of other libraries.
[[nodiscard]] Device default_host_device();
/// Returns `device=`, or the default if it is absent or None.
[[nodiscard]] Device device_or_default(PyObject* object);

/// Parses `stream=`: a Stream, an int handle, or an object with `__cuda_stream__` or an attribute
/// ptr, cuda_stream or handle, which the result keeps alive. Throws TypeError, and ValueError for
/// 0, which is ambiguous as an int, and for a stream of another device.
[[nodiscard]] Stream parse_stream(PyObject* object, Device device);
/// Returns the CUDA runtime's ordinal, by which other libraries identify the device.
[[nodiscard]] int physical_index(Device device);
/// Returns the first device with that ordinal; empty if there is none.
[[nodiscard]] std::optional<Device> device_of_physical(int ordinal);

}  // namespace skerry::python
