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

class Queue;

/// A point in the work of a stream; empty if nothing was recorded.
struct Mark {
  std::shared_ptr<Queue> queue;
  std::uint64_t ticket = 0;
  OrderPoint order{};
};

/// A piece of work with memory of its own, that other code than this folder's defines: a kernel of
/// the emulated GPU.
class Task {
 public:
  Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  virtual ~Task() = default;
  /// On the stream's thread. A status: what fails here is the device's sticky error.
  virtual int run(int ordinal) noexcept = 0;
};

/// Told of kernels of the host: who launches one, on whose thread, and the thread that runs it.
struct LaunchMonitor {
  std::shared_ptr<const void> (*launched)();
  void (*began)(const void* note) noexcept;
  void (*ended)() noexcept;
};
/// Null as long as nobody wants to know.
inline constinit std::atomic<const LaunchMonitor*> launch_watcher{nullptr};

/// One piece of work. Parameters of kernels lie inside, so that enqueueing one allocates nothing.
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
  bool is_the_threads = false;  ///< the stream's own thread alone runs it
  int delay_us = 0;             ///< as set when the work was submitted
  Mark wait_for;
  OrderPoint order;                                 ///< where it was submitted
  std::shared_ptr<std::atomic<std::int64_t>> time;  ///< to be set
  std::unique_ptr<std::byte[]> heap;                ///< what does not fit into `bytes`
  std::unique_ptr<Task> task;
  std::vector<cuda::KernelOperand> operands;  ///< of a kernel, for who watches memory
  std::shared_ptr<const void> note;           ///< what LaunchMonitor::launched() gave
  alignas(64) std::byte bytes[inline_size];

  /// Nothing that others could wait for, or count, is alive in a piece of work that is done.
  void clear() noexcept {
    heap.reset();
    task.reset();
    operands.clear();
    note.reset();
    wait_for = {};
    order = {};
    time.reset();
    is_immediate = false;
    is_the_threads = false;
    delay_us = 0;
  }
  [[nodiscard]] const void* payload() const noexcept { return heap ? heap.get() : bytes; }
};

/// As a stream was asked for.
struct StreamOptions {
  /// Its work waits for the legacy stream's that was submitted before, and that one's for its.
  bool is_blocking = false;
  int priority = 0;  ///< all run alike
};

/// A stream: a thread, started with the first work, that runs what is submitted in that order.
class Queue : public std::enable_shared_from_this<Queue> {
 public:
  explicit Queue(int ordinal, const StreamOptions& options = {}) noexcept
      : ordinal_(ordinal), options_(options) {}
  ~Queue();

  [[nodiscard]] int ordinal() const noexcept { return ordinal_; }
  [[nodiscard]] const StreamOptions& options() const noexcept { return options_; }
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

  /// An empty piece of work to be filled and submitted; throws bad_alloc.
  [[nodiscard]] WorkItem* prepare();
  /// Throws system_error if the thread can't be started.
  std::uint64_t submit(WorkItem* item);
  void give_back(WorkItem* item) noexcept;

  [[nodiscard]] Mark here() noexcept { return mark_at(submitted_.load()); }
  /// The point behind a piece of work that was submitted.
  [[nodiscard]] Mark mark_at(std::uint64_t ticket) noexcept;
  [[nodiscard]] bool reached(std::uint64_t ticket) const noexcept {
    return done_.load(std::memory_order_acquire) >= ticket;
  }
  /// The device's sticky error if the work up to a point, which was reached, met it; else success.
  [[nodiscard]] int error_of(std::uint64_t ticket) const noexcept;
  /// Runs the work before it on the calling thread where the stream's own has not begun with it,
  /// which may have to be woken first.
  void wait(std::uint64_t ticket) noexcept;
  /// The host waits for all that was submitted.
  void wait_all() noexcept;

  /// The thread ends after the work submitted so far; no more may be submitted.
  void close() noexcept;
  /// Work that has not begun is dropped from now on; it still counts as done.
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
  /// Somebody has taken work, and nobody else takes any until it is done. Set under the lock.
  std::atomic<bool> running_{false};
  // Each in a cache line of its own: one thread writes it, the other looks at it all the time.
  alignas(64) std::atomic<std::uint64_t> submitted_{0};
  alignas(64) std::atomic<std::uint64_t> done_{0};
  std::atomic<int> waiters_{0};
  /// The first piece of work that met a sticky error of the device; 0: none since it was repaired.
  std::atomic<std::uint64_t> first_failed_{0};
};

}  // namespace skerry::rehearsal
