// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/call/device_dtypes.hpp"

#include <string>

#include "core/errors.hpp"
#include "device/backend.hpp"

namespace skerry {

bool has_dtype(Device device, Dtype type) noexcept {
  const bool is_double = type == Dtype::float64 || type == Dtype::complex128;
  return !is_double || capabilities_of(device).has_float64;
}

void require_dtype(Device device, Dtype type) {
  if (has_dtype(device, type)) return;
  const Dtype single = default_dtype_on(device, type);
  throw DtypeError(to_string(device) + " has no " + name(type) + "; use " + name(single) +
                   ", or another device");
}

Dtype default_dtype_on(Device device, Dtype type) noexcept {
  if (has_dtype(device, type)) return type;
  return type == Dtype::float64 ? Dtype::float32 : Dtype::complex64;
}

}  // namespace skerry
