// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/memory_use.hpp"
#include "core/storage.hpp"
#include "device/cuda/graph_memory.hpp"
#include "device/deferred.hpp"
#include "device/graph.hpp"
#include "device/host_action.hpp"
#include "device/stream.hpp"

namespace skerry::cuda {

struct DeviceState;

/// A CUDA graph. Its capture begins on a new stream of the first device; new streams of the other
/// devices join it. They are the thread's current streams until the end.
class DeviceGraph final : public Graph {
 public:
  DeviceGraph() = default;
  ~DeviceGraph() override;

  /// Returns the graph that this thread captures; null if there is none.
  [[nodiscard]] static DeviceGraph* captured() noexcept {
    return static_cast<DeviceGraph*>(Graph::captured());
  }

  /// See Graph::begin_capture(). Must be called once, on a new graph.
  void begin_capture(const std::vector<DeviceState*>& device_states);
  void end_capture() override;
  void abandon_capture() noexcept override;
  [[nodiscard]] bool writes_to(const Storage& memory) const override;
  void replay() override;

  // During the capture.

  /// Throws ValueError unless the device takes part in the capture.
  void require_member(const DeviceState& device_state) const;
  [[nodiscard]] StorageRef allocate(DeviceState& device_state, std::size_t nbytes);
  void add_use(Storage& memory, Access access);
  /// Notes that captured work of another library may access the memory.
  void add_export(Storage& memory);
  [[nodiscard]] std::int64_t* add_deferred(DeviceState& device_state, const DeferredError& error);
  /// Orders later work of a device after the work of another one. Does nothing for one device.
  void order(DeviceState& later, DeviceState& earlier);

 private:
  struct Member {
    DeviceState* device_state;
    Stream stream;
    Stream previous_stream;  ///< current before the capture
  };
  struct Word {
    DeviceState* device_state;
    DeferredError error;
    std::int64_t* word;
  };

  [[nodiscard]] const Member& member(const DeviceState& device_state) const;
  [[nodiscard]] DeviceState& origin() const noexcept { return *members_.front().device_state; }
  void exit_capture() noexcept;
  void collect_uses();

  std::vector<Member> members_;
  std::shared_ptr<GraphMemory> memory_ = std::make_shared<GraphMemory>();
  std::optional<HostActionRejection> rejection_;  ///< during the capture
  /// Memory of others that the work accesses.
  std::unordered_map<Storage*, Access> accesses_;
  /// Memory of this graph that it writes.
  std::unordered_set<const Storage*> written_;
  std::vector<Word> words_;

  std::vector<StorageRef> referenced_;  ///< all memory that the work accesses
  std::vector<MemoryUse> uses_;         ///< of `referenced_`
  std::mutex mutex_;                    ///< held by a replay
  void* executable_ = nullptr;
};

}  // namespace skerry::cuda
