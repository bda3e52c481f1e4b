// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/driver/copies.hpp"

#include "device/emulator/driver/calls.hpp"
#include "device/emulator/driver/captures.hpp"
#include "device/emulator/driver/contexts.hpp"
#include "device/emulator/driver/memory.hpp"

namespace skerry::emulation::driver {

namespace {

/// True for device memory and for host memory that devices can access.
[[nodiscard]] bool is_reachable(address data) noexcept {
  return static_cast<bool>(memory_at(data));
}
[[nodiscard]] bool is_devices(const void* data) noexcept {
  return memory_at(address_of(data)).ordinal >= 0;
}

/// Enqueues an asynchronous copy, or captures it.
template <class Copy>
int copy_in_order(void* stream, Copy make) noexcept {
  return in_context([&] { return on_stream(stream, NodeKind::copy, make); });
}

int to_device(address target, const void* source, std::size_t nbytes, void* stream) {
  if (nbytes == 0) return code::success;
  if (has_null(source) || !is_reachable(target) || is_devices(source)) return code::invalid_value;
  return enqueue_copy(pointer(target), source, nbytes, stream);
}

int to_host(void* target, address source, std::size_t nbytes, void* stream) {
  if (nbytes == 0) return code::success;
  if (has_null(target) || !is_reachable(source) || is_devices(target)) return code::invalid_value;
  return enqueue_copy(target, pointer(source), nbytes, stream);
}

int on_device(address target, address source, std::size_t nbytes, void* stream) {
  if (nbytes == 0) return code::success;
  if (!is_reachable(target) || !is_reachable(source)) return code::invalid_value;
  return enqueue_copy(pointer(target), pointer(source), nbytes, stream);
}

int between(address target, void* target_context, address source, void* source_context,
            std::size_t nbytes, void* stream) {
  if (ordinal_of(target_context) < 0 || ordinal_of(source_context) < 0) {
    return code::invalid_context;
  }
  return on_device(target, source, nbytes, stream);
}

}  // namespace

int enqueue_copy(void* target, const void* source, std::size_t nbytes, void* stream) {
  return driver_api().copy_async(target, source, nbytes, cuda::CopyKind::automatic, stream);
}

int wait_for_legacy_stream(int status) {
  return status != code::success ? status : driver_api().stream_synchronize(cuda::legacy_stream);
}

int copy(address target, address source, std::size_t nbytes) {
  return in_context([&] {
    return wait_for_legacy_stream(
        enqueue_copy(pointer(target), pointer(source), nbytes, cuda::legacy_stream));
  });
}
int copy_async(address target, address source, std::size_t nbytes, void* stream) {
  return copy_in_order(stream, [=](void* launch_stream) {
    return enqueue_copy(pointer(target), pointer(source), nbytes, launch_stream);
  });
}

int copy_to_device(address target, const void* source, std::size_t nbytes) {
  return in_context([&] {
    return wait_for_legacy_stream(to_device(target, source, nbytes, cuda::legacy_stream));
  });
}
int copy_to_device_async(address target, const void* source, std::size_t nbytes, void* stream) {
  return copy_in_order(stream, [=](void* launch_stream) {
    return to_device(target, source, nbytes, launch_stream);
  });
}

int copy_to_host(void* target, address source, std::size_t nbytes) {
  return in_context(
      [&] { return wait_for_legacy_stream(to_host(target, source, nbytes, cuda::legacy_stream)); });
}
int copy_to_host_async(void* target, address source, std::size_t nbytes, void* stream) {
  return copy_in_order(
      stream, [=](void* launch_stream) { return to_host(target, source, nbytes, launch_stream); });
}

// Asynchronous with respect to the host, as on a GPU.
int copy_on_device(address target, address source, std::size_t nbytes) {
  return in_context([&] { return on_device(target, source, nbytes, cuda::legacy_stream); });
}
int copy_on_device_async(address target, address source, std::size_t nbytes, void* stream) {
  return copy_in_order(stream, [=](void* launch_stream) {
    return on_device(target, source, nbytes, launch_stream);
  });
}

// Ignores the attributes' location hints and access order: sources are always read in stream order.
int copy_batch(const address* targets, const address* sources, const std::size_t* sizes,
               std::size_t count, const abi::CopyAttributes*, const std::size_t*, std::size_t,
               void* stream) {
  return in_context([&]() -> int {
    if (count == 0 || has_null(targets, sources, sizes)) return code::invalid_value;
    for (std::size_t i = 0; i < count; ++i) {
      const int status = copy_async(targets[i], sources[i], sizes[i], stream);
      if (status != code::success) return status;
    }
    return code::success;
  });
}
int copy_batch_v1(const address* targets, const address* sources, const std::size_t* sizes,
                  std::size_t count, const abi::CopyAttributes* attributes,
                  const std::size_t* first, std::size_t attribute_count, std::size_t*,
                  void* stream) {
  return copy_batch(targets, sources, sizes, count, attributes, first, attribute_count, stream);
}

int copy_peer(address target, void* target_context, address source, void* source_context,
              std::size_t nbytes) {
  return in_context([&] {
    return between(target, target_context, source, source_context, nbytes, cuda::legacy_stream);
  });
}
int copy_peer_async(address target, void* target_context, address source, void* source_context,
                    std::size_t nbytes, void* stream) {
  return copy_in_order(stream, [=](void* launch_stream) {
    return between(target, target_context, source, source_context, nbytes, launch_stream);
  });
}

}  // namespace skerry::emulation::driver
