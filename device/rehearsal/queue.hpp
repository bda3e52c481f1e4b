// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "device/cuda/api.hpp"
#include "device/rehearsal/stream_order.hpp"

namespace skerry::rehearsal {

struct CapturedWork;
class InterprocessEvent;
class Queue;

/// A point in a stream's work; empty if nothing was recorded.
struct Mark {
  std::shared_ptr<Queue> queue;
  std::uint64_t ticket = 0;
  OrderPoint order{};
};

/// A work item with its own state, defined outside this folder: a kernel of the emulated GPU.
class Task {
 public:
  Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  virtual ~Task() = default;
  /// Called before the task is submitted again, by a launch of a graph that contains it.
  virtual void note_submission() noexcept {}
  /// Runs on the stream's thread. Returns a status; a failure becomes the device's sticky error.
  virtual int run(int ordinal) noexcept = 0;
};

/// Observes launches of host kernels: on the launching thread, and on the thread that runs them.
struct LaunchMonitor {
  std::shared_ptr<const void> (*launched)();
  void (*began)(const void* note) noexcept;
  void (*ended)() noexcept;
};
/// Null without a monitor.
inline constinit std::atomic<const LaunchMonitor*> launch_watcher{nullptr};

/// A work item. Kernel parameters are stored inside, so that enqueueing allocates nothing.
struct WorkItem {
  static constexpr std::size_t inline_size = 512;

  WorkItem* next = nullptr;
  void (*action)(WorkItem& self, int ordinal) noexcept = nullptr;
  void (*kernel)(const void*) = nullptr;
  void (*function)(void*) = nullptr;
  void* target = nullptr;
  const void* source = nullptr;
  std::size_t nbytes = 0;
  int value = 0;
  bool is_immediate = false;    ///< no delay before it
  bool is_the_threads = false;  ///< only the stream's own thread may run it
  int delay_us = 0;             ///< the setting when the work was submitted
  Mark wait_for;
  OrderPoint order;                                 ///< set by its submission
  std::shared_ptr<const stream_clock> own_clock;    ///< order that later work does not have
  std::shared_ptr<std::atomic<std::int64_t>> time;  ///< set when it runs
  std::shared_ptr<InterprocessEvent> shared_event;
  std::uint64_t record_number = 0;    ///< of shared_event
  std::unique_ptr<std::byte[]> heap;  ///< payload larger than `bytes`
  std::unique_ptr<Task> task;
  std::vector<cuda::KernelOperand> operands;  ///< the kernel's, for MemoryMonitor
  std::shared_ptr<const void> note;           ///< result of LaunchMonitor::launched()
  std::shared_ptr<CapturedWork> captured;     ///< run by a graph's launch
  alignas(64) std::byte bytes[inline_size];

  /// Releases everything that other code could wait for or count.
  void clear() noexcept {
    heap.reset();
    task.reset();
    operands.clear();
    note.reset();
    captured.reset();
    wait_for = {};
    order = {};
    own_clock.reset();
    time.reset();
    shared_event.reset();
    is_immediate = false;
    is_the_threads = false;
    delay_us = 0;
  }
  [[nodiscard]] const void* payload() const noexcept { return heap ? heap.get() : bytes; }
};

/// Options of cudaStreamCreateWithPriority.
struct StreamOptions {
  /// The stream and the legacy stream wait for each other's earlier work.
  bool is_blocking = false;
  int priority = 0;  ///< ignored
};

/// A stream: a thread, started by the first work item, that runs items in order of submission.
class Queue : public std::enable_shared_from_this<Queue> {
 public:
  explicit Queue(int ordinal, const StreamOptions& options = {}) noexcept
      : ordinal_(ordinal), options_(options) {}
  ~Queue();

  [[nodiscard]] int ordinal() const noexcept { return ordinal_; }
  [[nodiscard]] const StreamOptions& options() const noexcept { return options_; }
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

  /// Returns an empty work item to be filled and submitted; throws bad_alloc.
  [[nodiscard]] WorkItem* prepare();
  /// Throws system_error if the thread can't be started.
  std::uint64_t submit(WorkItem* item);
  void give_back(WorkItem* item) noexcept;

  [[nodiscard]] Mark here() noexcept { return mark_at(submitted_.load()); }
  /// Returns the point after a submitted work item.
  [[nodiscard]] Mark mark_at(std::uint64_t ticket) noexcept;
  [[nodiscard]] bool reached(std::uint64_t ticket) const noexcept {
    return done_.load(std::memory_order_acquire) >= ticket;
  }
  /// Returns the device's sticky error if work up to this point failed with it; otherwise success.
  [[nodiscard]] int error_of(std::uint64_t ticket) const noexcept;
  /// Waits for a point. The calling thread itself runs work that the stream's thread has not begun,
  /// since that thread may have to be woken first.
  void wait(std::uint64_t ticket) noexcept;
  /// Waits for all submitted work.
  void wait_all() noexcept;

  /// Ends the thread after the work submitted so far; no more may be submitted.
  void close() noexcept;
  /// From now on, drops work that has not begun; dropped work counts as done.
  void drop_work() noexcept { stopping_.store(true); }

 private:
  struct DoneItems {
    WorkItem* first = nullptr;
    WorkItem* last = nullptr;
  };

  void loop() noexcept;
  WorkItem* take(const DoneItems& used) noexcept;
  [[nodiscard]] bool has_work() const noexcept;
  void run(WorkItem& item) noexcept;
  void run_here(std::uint64_t ticket) noexcept;
  void count_done() noexcept;

  const int ordinal_;
  const StreamOptions options_;
  const std::uint64_t number_ = next_stream_number();
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::condition_variable progressed_;
  WorkItem* first_ = nullptr;
  WorkItem* last_ = nullptr;
  WorkItem* free_items_ = nullptr;  ///< used items, for the next prepare()
  bool started_ = false;
  bool asleep_ = false;
  bool closing_ = false;
  std::atomic<bool> stopping_{false};
  /// True while a thread runs work; other threads take none meanwhile. Set under the lock.
  std::atomic<bool> running_{false};
  // In separate cache lines: one thread writes each, the other polls it.
  alignas(64) std::atomic<std::uint64_t> submitted_{0};
  alignas(64) std::atomic<std::uint64_t> done_{0};
  std::atomic<int> waiters_{0};
  /// Ticket of the first work item that met a sticky error of the device; 0: none since it was
  /// cleared.
  std::atomic<std::uint64_t> first_failed_{0};
};

}  // namespace skerry::rehearsal
