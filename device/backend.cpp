// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/backend.hpp"

#include "device/cpu/backend.hpp"
#include "device/cuda/backend.hpp"

namespace skerry {

namespace detail {

constinit std::array<std::atomic<const backend*>, most_device_kinds> backends{
    &cpu::backend_in_use, &cuda::native_backend};

}  // namespace detail

device first_cuda_interface_device() noexcept {
  device where;
  while (!capabilities_of(where).has_cuda_interface) {
    where.kind = static_cast<device_kind>(static_cast<int>(where.kind) + 1);
  }
  return where;
}

}  // namespace skerry
