// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "device/emulator/driver/graphs.hpp"

namespace skerry::emulation::driver {

// Stream capture: work on a captured stream is added to a graph instead of being executed. A stream
// that waits for an event of a captured stream joins the capture.

/// Number of captured streams. It is usually zero, which makes is_captured cheap.
inline constinit std::atomic<int> captured_streams{0};

[[nodiscard]] bool is_in_capture(void* stream) noexcept;
[[nodiscard]] inline bool is_captured(void* stream) noexcept {
  return captured_streams.load(std::memory_order_relaxed) != 0 && is_in_capture(stream);
}

/// Returns the device of the stream that began the capture of a stream; -1: it is not captured.
[[nodiscard]] int device_of_capture(void* stream) noexcept;

/// The status of calls that a graph can't contain.
inline constexpr int capture_unsupported = 900;
/// Ends the capture of a stream as invalid, for a call that a graph can't contain. Returns that
/// call's status.
[[nodiscard]] int invalidate_capture(void* stream) noexcept;

/// Adds a node that depends on the stream's last nodes. Returns a status.
[[nodiscard]] int capture(void* stream, NodeKind kind, node_operation operation);
/// Adds an allocation node, whose memory the graph owns. Returns a status.
[[nodiscard]] int capture_allocation(void* stream, address* data, std::size_t nbytes);

/// Makes the graph of a captured stream own `resource`. Returns a status.
[[nodiscard]] int capture_retain(void* stream, std::shared_ptr<void> resource);

/// Calls `operation` with the stream, or adds it to the graph if the stream is captured.
/// `operation` must own copies of its data.
template <class Operation>
[[nodiscard]] int on_stream(void* stream, NodeKind kind, Operation operation) {
  return is_captured(stream) ? capture(stream, kind, node_operation(std::move(operation)))
                             : operation(stream);
}

/// Implement cuEventRecord and cuStreamWaitEvent during captures. Return false if the call is not
/// part of a capture, otherwise write its status to `status`.
[[nodiscard]] bool capture_record(void* event, void* stream, int* status);
[[nodiscard]] bool capture_wait(void* stream, void* event, int* status);

}  // namespace skerry::emulation::driver
