// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "core/device.hpp"
#include "core/errors.hpp"

namespace skerry {

/// Memory of another library, from which the arrays of a CUDA device are allocated. Its functions
/// are called on any thread, without a lock, with the device current. Allocations of the same
/// thread during a call come from the device's own pool.
class MemoryResource {
 public:
  MemoryResource() = default;
  MemoryResource(const MemoryResource&) = delete;
  MemoryResource& operator=(const MemoryResource&) = delete;
  virtual ~MemoryResource() = default;

  /// Allocates memory for work that is submitted to `stream` afterwards. Returns null or throws a
  /// std::exception if there is not enough; other exceptions end the operation.
  [[nodiscard]] virtual void* allocate(std::size_t nbytes, void* stream) = 0;
  /// Frees memory in order with `stream`: work submitted there before may still use it.
  virtual void deallocate(void* data, std::size_t nbytes, void* stream) noexcept = 0;
};

/// A MemoryResource has not enough memory.
class ResourceError : public OutOfMemoryError {
 public:
  ResourceError(const std::string& text, Device device, std::size_t requested,
                std::exception_ptr cause)
      : OutOfMemoryError(text, device, requested), cause_(std::move(cause)) {}
  /// The resource's exception; null if it returned null.
  [[nodiscard]] const std::exception_ptr& cause() const noexcept { return cause_; }

 private:
  std::exception_ptr cause_;
};

/// Allocates later arrays of a CUDA device from `resource`, without a cache; null restores the
/// device's pool. Existing arrays are freed by what allocated them. Throws NotImplementedError for
/// a device of another kind.
void set_memory_resource(Device device, std::shared_ptr<MemoryResource> resource);

/// Allocates from the pool of a CUDA device for another library, in order with `stream` of that
/// device; null means the legacy default stream. Returns an address to pass to free_block().
[[nodiscard]] void* allocate_block(Device device, std::size_t nbytes, void* stream);
/// Frees memory in order with `stream` and with the stream that it was allocated on. Returns false
/// if the address is not one of allocate_block().
bool free_block(void* data, void* stream) noexcept;

}  // namespace skerry
