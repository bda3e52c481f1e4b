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

/// The work of one stream, cut into stretches by the points that others waited for. No two
/// stretches of the process have the same number and later ones have higher ones, so that one
/// comparison tells work that is in order by itself: of the same stream, with nobody waiting in
/// between.
///
/// Never destroyed: memory remembers by which stream_states it was used. That of a stream which may
/// be gone is closed, with an event behind all its work, and taken for another stream when that has
/// passed.
class StreamState {
 public:
  StreamState(DeviceState& device_state, void* handle);
  StreamState(const StreamState&) = delete;
  StreamState& operator=(const StreamState&) = delete;

  [[nodiscard]] DeviceState& device_state() const noexcept { return device_state_; }
  [[nodiscard]] void* handle() const noexcept { return handle_.load(std::memory_order_relaxed); }
  /// No stretch of the process has a higher number yet.
  [[nodiscard]] static std::uint64_t newest() noexcept;
  /// The stretch of work that is submitted now, if it is still the same afterwards.
  [[nodiscard]] std::uint64_t now() const noexcept {
    return epoch_.load(std::memory_order_acquire);
  }
  /// Whether the host has seen the end of a stretch.
  [[nodiscard]] bool known_done(std::uint64_t epoch) const noexcept {
    return epoch <= done_.load(std::memory_order_acquire);
  }

  /// Begins another stretch, before a wait of the host for the stream; returns the last that ended.
  [[nodiscard]] std::uint64_t end_epoch() noexcept;
  /// The host has waited for all stretches up to this one.
  void note_done(std::uint64_t last) noexcept;

  /// Before work is submitted. A stream that holds too much of it makes the driver's call wait, and
  /// that with the outer lock: no stream gets so far ahead of the host's last wait for it.
  void limit_work() noexcept {
    const std::uint32_t submissions = submissions_.load(std::memory_order_relaxed) + 1;
    submissions_.store(submissions, std::memory_order_relaxed);
    if (submissions % submissions_between_checkpoints == 0) [[unlikely]]
      pass_checkpoint();
  }

  /// Work submitted to `later` from now on comes after a stretch of this timeline, by an event.
  /// Calls nothing where that is so already. Throws DeviceError, ValueError where the stream is
  /// captured.
  void precede(StreamState& later, std::uint64_t epoch);
  /// The same for a stream that has no timeline. Where this one is captured nothing can wait for
  /// it.
  void precede(DeviceState& waiting, void* stream, std::uint64_t epoch);
  /// Where that fails the host waits. False if it could not: this device is lost then, or the
  /// stream is captured.
  [[nodiscard]] bool try_precede(DeviceState& waiting, void* stream, std::uint64_t epoch) noexcept;

  /// Sees to an event behind a stretch; where that fails the host waits, unless it is for the
  /// stream's being captured.
  void mark(std::uint64_t epoch) noexcept;
  [[nodiscard]] bool is_done(std::uint64_t epoch) noexcept;
  /// The host waits for it, without the lock. False if it could not, as above.
  [[nodiscard]] bool wait(std::uint64_t epoch) noexcept;
  /// The host waits for all work on the device. False if it could not.
  [[nodiscard]] bool finish() noexcept;

  /// Puts an event behind all work: the stream is not touched again. One that is captured into a
  /// graph stays open. False where that fails: finish() does as well.
  [[nodiscard]] bool close() noexcept;
  /// A timeline that is closed, and whose work is done, begins anew for another stream.
  [[nodiscard]] bool try_reopen(void* handle) noexcept;
  /// The same stream goes on.
  void reopen() noexcept;

 private:
  /// A point that others can wait for.
  struct Marked {
    std::uint64_t last = 0;  ///< it comes behind this stretch and all before
    SharedEvent* event = nullptr;
  };
  struct Waited {
    const StreamState* stream_state;
    std::uint64_t last;
  };
  /// What came of calls on one or two devices.
  struct Outcome {
    int code = 0;
    DeviceState* device_state = nullptr;  ///< where it failed
    bool is_captured = false;             ///< nothing was called, as a graph would keep it
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

  /// Two of these are less than the thousand launches that a stream of CUDA holds.
  static constexpr std::uint32_t submissions_between_checkpoints = 480;

  DeviceState& device_state_;
  std::atomic<void*> handle_;
  std::atomic<std::uint64_t> epoch_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::uint32_t> submissions_{0};  ///< of work; two threads may miss one
  std::atomic<std::uint64_t> checkpoint_{0};   ///< the stretch before the last one
  std::mutex mutex_;
  bool closed_ = false;
  std::vector<Marked> marks_;   ///< oldest first
  std::vector<Waited> waited_;  ///< what later work comes after already
};

/// A use of memory by the work of a stream; by nobody if there is none.
struct StreamUse {
  StreamState* stream_state = nullptr;
  std::uint64_t epoch = 0;
  bool is_foreign = false;  ///< work of others, which the stream waits for

  [[nodiscard]] bool known_done() const noexcept {
    return stream_state == nullptr || stream_state->known_done(epoch);
  }
};

/// What may still be in flight on memory: the last write, and what has read since.
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
