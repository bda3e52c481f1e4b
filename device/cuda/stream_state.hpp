// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace skerry::cuda {

struct DeviceState;
struct SharedEvent;

/// The work of one stream, divided into epochs by the points that others waited for. Epoch numbers
/// are unique in the process and increase, so two uses with equal numbers need no event: they are
/// on the same stream, and nothing waited in between.
///
/// Never destroyed: memory records which stream states used it. The state of a foreign stream that
/// may be gone is closed, with an event after all its work, and reused for another stream once that
/// event has passed.
class StreamState {
 public:
  StreamState(DeviceState& device_state, void* handle);
  StreamState(const StreamState&) = delete;
  StreamState& operator=(const StreamState&) = delete;

  [[nodiscard]] DeviceState& device_state() const noexcept { return device_state_; }
  [[nodiscard]] void* handle() const noexcept { return handle_.load(std::memory_order_relaxed); }
  /// Returns the highest epoch number in the process so far.
  [[nodiscard]] static std::uint64_t newest() noexcept;
  /// Returns the current epoch. Work submitted now belongs to it if it is still the same
  /// afterwards.
  [[nodiscard]] std::uint64_t now() const noexcept {
    return epoch_.load(std::memory_order_acquire);
  }
  /// True if the host knows that an epoch has ended.
  [[nodiscard]] bool known_done(std::uint64_t epoch) const noexcept {
    return epoch <= done_.load(std::memory_order_acquire);
  }

  /// Begins a new epoch, before the host waits for the stream; returns the epoch that ended.
  [[nodiscard]] std::uint64_t end_epoch() noexcept;
  /// Records that the host has waited for all epochs up to `last`.
  void note_done(std::uint64_t last) noexcept;

  /// Call before submitting work. When a stream's queue is full the driver's call blocks while
  /// holding the outer lock, so this bounds how far a stream runs ahead of the host's last wait for
  /// it.
  void limit_work() noexcept {
    if (count_submission() >= submissions_between_checkpoints) [[unlikely]]
      pass_checkpoint();
  }
  /// Call after submitting other work: a free, or an event. It also takes room in the queue.
  std::uint32_t count_submission() noexcept {
    const std::uint32_t submissions = submissions_.load(std::memory_order_relaxed) + 1;
    submissions_.store(submissions, std::memory_order_relaxed);
    return submissions;
  }

  /// Orders later work of `later` after an epoch of this stream, by an event; makes no call if that
  /// is already so. Throws DeviceError, and ValueError if this stream is being captured.
  void precede(StreamState& later, std::uint64_t epoch);
  /// The same for a stream without a StreamState. Does nothing if this stream is being captured,
  /// since nothing can wait for it.
  void precede(DeviceState& waiting, void* stream, std::uint64_t epoch);
  /// The same; if it fails the host waits. Returns false if that fails too: then this device is
  /// lost, or the stream is being captured.
  [[nodiscard]] bool try_precede(DeviceState& waiting, void* stream, std::uint64_t epoch) noexcept;

  /// Ensures an event after an epoch; if that fails the host waits, unless the stream is being
  /// captured.
  void mark(std::uint64_t epoch) noexcept;
  [[nodiscard]] bool is_done(std::uint64_t epoch) noexcept;
  /// Blocks the host until an epoch is done, without holding the lock. Returns false if it could
  /// not wait, for the reasons of try_precede(). Announced with its cause.
  [[nodiscard]] bool wait(std::uint64_t epoch, const char* cause = "order of work") noexcept;
  /// Blocks the host until all work on the device is done. Returns false if it could not wait.
  [[nodiscard]] bool finish() noexcept;

  /// Records an event after all work, since the stream may not be accessed again. A stream being
  /// captured stays open. Returns false on failure; the caller then calls finish().
  [[nodiscard]] bool close() noexcept;
  /// Reuses a closed state, whose work must be done, for another stream. Returns false if it can't.
  [[nodiscard]] bool try_reopen(void* handle) noexcept;
  /// Reopens a closed state for the same stream.
  void reopen() noexcept;

 private:
  /// A recorded point that others can wait for.
  struct Marked {
    std::uint64_t last = 0;  ///< covers all epochs up to this one
    SharedEvent* event = nullptr;
  };
  struct Waited {
    const StreamState* stream_state;
    std::uint64_t last;
  };
  /// Result of calls on one or two devices.
  struct Outcome {
    int code = 0;
    DeviceState* device_state = nullptr;  ///< whose call gave `code`; null without a call
    bool is_captured = false;             ///< no call was made, since a graph would record it
  };

  void pass_checkpoint() noexcept;
  [[nodiscard]] bool needs_no_event(const DeviceState& waiting, const void* stream) const noexcept;
  [[nodiscard]] bool has_waited_for(const StreamState& earlier, std::uint64_t epoch) noexcept;
  void note_wait_for(const StreamState& earlier, std::uint64_t last);
  [[nodiscard]] Outcome make_wait(DeviceState& waiting, void* stream, std::uint64_t epoch,
                                  Marked& point) noexcept;
  void require(const Outcome& outcome) const;
  [[nodiscard]] Outcome find_mark(std::uint64_t epoch, Marked& point) noexcept;
  [[nodiscard]] Outcome add_mark(Marked& added) noexcept;
  void drop_passed_marks() noexcept;
  void query_marks() noexcept;

  /// Two intervals are fewer than the thousand launches that a CUDA stream queues.
  static constexpr std::uint32_t submissions_between_checkpoints = 480;

  DeviceState& device_state_;
  std::atomic<void*> handle_;
  std::atomic<std::uint64_t> epoch_;
  std::atomic<std::uint64_t> done_{0};
  /// Since the previous checkpoint; approximate, as two threads may miss one.
  std::atomic<std::uint32_t> submissions_{0};
  std::atomic<std::uint64_t> checkpoint_{0};  ///< epoch of the previous checkpoint
  std::mutex mutex_;
  bool closed_ = false;
  std::vector<Marked> marks_;   ///< oldest first
  std::vector<Waited> waited_;  ///< epochs that later work is already ordered after
};

/// A use of memory by a stream's work; empty if `stream_state` is null.
struct StreamUse {
  StreamState* stream_state = nullptr;
  std::uint64_t epoch = 0;
  bool is_foreign = false;  ///< work of another library that the stream waits for

  [[nodiscard]] bool known_done() const noexcept {
    return stream_state == nullptr || stream_state->known_done(epoch);
  }
};

/// Uses of memory that may be unfinished: the last write and all later reads.
struct UnfinishedUses {
  StreamUse written;
  std::vector<StreamUse> reads;

  [[nodiscard]] bool empty() const noexcept {
    return written.stream_state == nullptr && reads.empty();
  }
  template <class Condition>
  void erase_if(Condition condition) {
    if (written.stream_state != nullptr && condition(written)) written = {};
    std::erase_if(reads, condition);
  }
  template <class Visit>
  void for_each(Visit visit) const {
    if (written.stream_state != nullptr) visit(written);
    for (const StreamUse& stream_use : reads) visit(stream_use);
  }
};

}  // namespace skerry::cuda
