// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <vector>

namespace skerry::cuda {

struct device_state;

/// The created streams of a device. They are never destroyed but used again: a cached block, and an
/// array that remembers who used it, may name a stream after its last owner has gone.
class stream_set {
 public:
  explicit stream_set(device_state& on) noexcept : on_(on) {}

  /// Comes back to the set with the last reference.
  [[nodiscard]] std::shared_ptr<void> create();
  [[nodiscard]] std::shared_ptr<void> create_event();
  /// Whether a handle is of this set, and so valid for ever.
  [[nodiscard]] bool made(void* handle) noexcept;

 private:
  void give_back(void* handle) noexcept;

  device_state& on_;
  std::mutex mutex_;
  std::vector<void*> idle_;
  std::vector<void*> all_;
};

/// Status of stream_query and event_query as a truth value; throws what check() throws.
[[nodiscard]] bool is_done(int code, device_state& on, const char* what);

}  // namespace skerry::cuda
