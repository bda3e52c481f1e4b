// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "core/device.hpp"
#include "core/storage.hpp"

namespace skerry {

/// Work of devices of one kind that is recorded once and repeated by one call. It keeps the memory
/// alive that it accesses; memory allocated during the capture belongs to it.
class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  virtual ~Graph() = default;

  /// Begins a capture: until its end, work of this thread on the devices is recorded instead of
  /// being run. Waits of the host and copies from or to it are rejected meanwhile (GuardError).
  /// `devices`, of one kind, take part, and so do all devices of that kind that are in use. Throws
  /// ValueError during another capture of this thread and for a kind without graphs, DeviceError,
  /// DeviceUnavailableError.
  [[nodiscard]] static std::shared_ptr<Graph> begin_capture(std::span<const Device> devices);
  /// Returns the graph that this thread captures; null if there is none.
  [[nodiscard]] static Graph* captured() noexcept;

  /// Ends the capture on the thread that began it. If it throws, the work is discarded. Throws
  /// DeviceError.
  virtual void end_capture() = 0;
  /// Ends the capture and discards the work. Does nothing after the end.
  virtual void abandon_capture() noexcept = 0;
  /// True if captured work writes to memory that was allocated during the capture.
  [[nodiscard]] virtual bool writes_to(const Storage& memory) const = 0;
  /// Enqueues the work on the current stream of its first device, ordered with other uses of the
  /// memory. Throws ValueError during a capture and before the end of its own, DeviceError.
  virtual void replay() = 0;
};

namespace detail {

/// Set by the backend that captures.
inline constinit thread_local Graph* captured_graph = nullptr;

}  // namespace detail

inline Graph* Graph::captured() noexcept { return detail::captured_graph; }

/// Throws ValueError if this thread captures a graph; `call` can't be part of one.
void reject_in_capture(const char* call);
/// Throws ValueError if another library captures the device's current stream. Its launches are not
/// seen, so they would repeat what the host has chosen for a kernel.
void reject_in_foreign_capture(Device device);

}  // namespace skerry
