// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "device/cuda/api.hpp"

// Memory and events that other processes of the machine open. Both are anonymous files of the
// process that made them, and are opened by its /proc/PID/fd: only a process of the same user may,
// and nothing is left when all processes have ended.

namespace skerry::rehearsal {

/// The state of an event in all processes that have it.
struct InterprocessState {
  std::uint64_t token = 0;                 ///< of the handle
  std::atomic<std::uint64_t> recorded{0};  ///< number of records
  std::atomic<std::uint64_t> done{0};      ///< the last record whose work is done
  std::atomic<int> recorder{0};            ///< process of the last record
};

/// A process's mapping of an event's state, and its file.
class InterprocessEvent {
 public:
  /// Return null if the system has no memory, or there is no such event.
  [[nodiscard]] static std::shared_ptr<InterprocessEvent> create();
  [[nodiscard]] static std::shared_ptr<InterprocessEvent> open(const cuda::IpcHandle& handle);
  InterprocessEvent(const InterprocessEvent&) = delete;
  InterprocessEvent& operator=(const InterprocessEvent&) = delete;
  ~InterprocessEvent();

  [[nodiscard]] cuda::IpcHandle handle() const noexcept;
  /// Begins a record; returns its number.
  [[nodiscard]] std::uint64_t begin_record() noexcept;
  /// Notes that the work before a record is done.
  void end_record(std::uint64_t number) noexcept;
  /// Returns the number of the last record.
  [[nodiscard]] std::uint64_t last_record() const noexcept { return state_->recorded.load(); }
  [[nodiscard]] bool is_done(std::uint64_t number) const noexcept;
  /// Waits for a record. Returns early if the process that recorded has ended.
  void wait(std::uint64_t number) const noexcept;

 private:
  InterprocessEvent(int file, InterprocessState* state) noexcept : file_(file), state_(state) {}
  /// Owns `file`, which may be negative; returns null then, and if there is no memory.
  [[nodiscard]] static std::shared_ptr<InterprocessEvent> map(int file);
  int file_;
  InterprocessState* state_;
};

/// True for a block that ipc_open_memory() has opened, which only ipc_close_memory() frees.
[[nodiscard]] bool is_opened(void* data) noexcept;

// Entry points of cuda::Api in ipc.cpp.
int ipc_export_memory(cuda::IpcHandle* handle, void* data);
int ipc_open_memory(void** data, const cuda::IpcHandle* handle);
int ipc_close_memory(void* data);
int event_create_shared(void** event);
int ipc_export_event(cuda::IpcHandle* handle, void* event);
int ipc_open_event(void** event, const cuda::IpcHandle* handle);

}  // namespace skerry::rehearsal
