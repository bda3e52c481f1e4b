// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/device.hpp"

namespace skerry {

/// Which of a kernel's forms runs.
enum class kernel_form : std::uint8_t { host, native };

/// What the layers above have to know of a kind of device.
struct capabilities {
  kernel_form form = kernel_form::host;
  /// The host reads and writes the memory by its address.
  bool host_memory = false;
  /// Work may be under way when the call that began it has returned: there are streams, and an
  /// error in the values of an array is found by a later wait.
  bool runs_later = false;
  /// The libraries behind its kernels take whole arrays in C order, aligned to their items.
  bool dense_operands = false;
  /// The CUDA array interface and CUDA's streams describe its memory and its work.
  bool has_cuda_interface = false;
  /// Most bytes that a part of a plan may span; INT64_MAX where kernels have 64-bit indices.
  std::int64_t index_limit = INT64_MAX;
  /// DLPack's name of the kind; 0 where arrays are not handed over as they are.
  std::int32_t dlpack_code = 0;
};

/// One way in which a kind of device works: plain data and function pointers. Of a kind that can
/// work in several ways, as CUDA's devices and rehearsed ones, one object is in use at a time.
struct backend {
  const char* name;
  capabilities can;
  /// Writes the native forms into the kernel_table that ops defines; null if there are none.
  void (*fill_kernels)(void* table);
};

namespace detail {
extern std::array<std::atomic<const backend*>, most_device_kinds> backends;
}  // namespace detail

/// The backend of an existing kind of device.
[[nodiscard]] inline const backend& backend_of(device where) noexcept {
  return *detail::backends[static_cast<std::size_t>(where.kind)].load(std::memory_order_acquire);
}
[[nodiscard]] inline const capabilities& capabilities_of(device where) noexcept {
  return backend_of(where).can;
}

/// The first device of the kind that the CUDA array interface describes.
[[nodiscard]] device first_cuda_interface_device() noexcept;

}  // namespace skerry
