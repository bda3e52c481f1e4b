// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <mutex>

namespace skerry {
namespace native {

/// One handle of a vendor's library for each device, never destroyed: at the end of the process no
/// CUDA call may be made. Whoever uses a handle holds the lock, since it has one stream at a time.
template <class Handle>
class handles {
 public:
  /// The handle of the current device; null where `create(&handle)` is false.
  template <class Create>
  Handle of_current_device(Create&& create) {
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess || device >= most_devices) return nullptr;
    if (made_[device] == nullptr && !create(&made_[device])) made_[device] = nullptr;
    return made_[device];
  }
  std::mutex& lock() { return lock_; }

 private:
  static constexpr int most_devices = 64;
  std::mutex lock_;
  Handle made_[most_devices] = {};
};

}  // namespace native
}  // namespace skerry
