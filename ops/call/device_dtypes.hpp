// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/device.hpp"
#include "core/dtype.hpp"

namespace skerry {

/// True if arrays of the dtype can be on the device: float64 and complex128 need
/// Capabilities::has_float64.
[[nodiscard]] bool has_dtype(Device device, Dtype type) noexcept;
/// Throws DtypeError if the device lacks the dtype.
void require_dtype(Device device, Dtype type);
/// Returns a default dtype, in single precision if the device lacks double precision.
[[nodiscard]] Dtype default_dtype_on(Device device, Dtype type) noexcept;

}  // namespace skerry
