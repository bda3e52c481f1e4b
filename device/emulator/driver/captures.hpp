// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "device/emulator/driver/graphs.hpp"

namespace skerry::emulation::driver {

// Streams whose work goes into a graph instead of being done. What other streams do after they have
// waited for an event of such a stream goes there, too.

/// How many streams are captured; most programs have none, and look no further.
inline constinit std::atomic<int> captured_streams{0};

[[nodiscard]] bool is_in_capture(void* stream) noexcept;
[[nodiscard]] inline bool is_captured(void* stream) noexcept {
  return captured_streams.load(std::memory_order_relaxed) != 0 && is_in_capture(stream);
}

/// Adds a node behind what the stream has last. A status.
[[nodiscard]] int capture(void* stream, NodeKind kind, node_operation operation);
/// Memory that the graph holds, in a node of the stream. A status.
[[nodiscard]] int capture_allocation(void* stream, address* data, std::size_t nbytes);

/// Does `operation`, which is called with a stream, or puts it into the graph that the stream is
/// captured for. What `operation` holds must be copies.
template <class Operation>
[[nodiscard]] int on_stream(void* stream, NodeKind kind, Operation operation) {
  return is_captured(stream) ? capture(stream, kind, node_operation(std::move(operation)))
                             : operation(stream);
}

/// Whether the call was one of captured streams; its status is in `status` then.
[[nodiscard]] bool capture_record(void* event, void* stream, int* status);
[[nodiscard]] bool capture_wait(void* stream, void* event, int* status);

}  // namespace skerry::emulation::driver
