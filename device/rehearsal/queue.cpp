// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/rehearsal/queue.hpp"

#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <utility>

#include "device/rehearsal/control.hpp"
#include "device/rehearsal/faults.hpp"
#include "device/rehearsal/settings.hpp"

namespace skerry::rehearsal {

namespace {

using clock = std::chrono::steady_clock;

// Long enough that a burst of small work items never sleeps, short enough that an idle stream costs
// nothing.
constexpr std::chrono::microseconds spin_time{20};

// Maximum time that submitted work waits for a napping thread, unless another thread waits for the
// work and runs it. Submitting does not wake the thread: that takes 5 µs, or 20 in a virtual
// machine.
constexpr std::chrono::microseconds nap_time{50};
constexpr int naps_before_sleep = 20;

/// A CUDA stream queues about a thousand launches before the next one blocks.
constexpr std::uint64_t max_in_flight = 1024;

constinit std::atomic<void (*)() noexcept> after_waiting{nullptr};

void pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");  // takes about as long as x86's pause; `yield` does nothing on most cores
#endif
}

template <class Condition>
bool spin_until(Condition condition) noexcept {
  const auto end = clock::now() + spin_time;
  do {
    for (int i = 0; i < 32; ++i) {
      if (condition()) return true;
      pause();
    }
  } while (clock::now() < end);
  return condition();
}

/// Locks, spinning first: the other side releases the lock within nanoseconds, and waking a
/// sleeping thread costs a system call.
std::unique_lock<std::mutex> lock_soon(std::mutex& mutex) {
  for (int i = 0; i < 64; ++i) {
    if (std::unique_lock lock(mutex, std::try_to_lock); lock) return lock;
    pause();
  }
  return std::unique_lock(mutex);
}

/// Returns a delay in microseconds, random between the two bounds and seeded by the clock.
int next_delay() noexcept {
  const Settings& now = current_settings();
  const int max_us = now.max_delay_us.load(std::memory_order_relaxed);
  const int min_us = now.min_delay_us.load(std::memory_order_relaxed);
  if (max_us <= min_us) return max_us;
  thread_local std::minstd_rand numbers(
      static_cast<unsigned>(clock::now().time_since_epoch().count()));
  return std::uniform_int_distribution(min_us, max_us)(numbers);
}

}  // namespace

Queue::~Queue() {
  discard_order_of(number_);
  while (first_ != nullptr) delete std::exchange(first_, first_->next);
  while (free_items_ != nullptr) delete std::exchange(free_items_, free_items_->next);
}

WorkItem* Queue::prepare() {
  {
    const auto lock = lock_soon(mutex_);
    if (free_items_ != nullptr) {
      WorkItem* item = std::exchange(free_items_, free_items_->next);
      item->next = nullptr;
      return item;
    }
  }
  return new WorkItem;
}

void Queue::give_back(WorkItem* item) noexcept {
  item->clear();
  const std::lock_guard lock(mutex_);
  item->next = free_items_;
  free_items_ = item;
}

std::uint64_t Queue::submit(WorkItem* item) {
  const std::uint64_t submitted = submitted_.load(std::memory_order_relaxed);
  if (submitted > max_in_flight && !reached(submitted - max_in_flight))
    wait(submitted - max_in_flight);

  if (!item->is_immediate) item->delay_us = next_delay();
  std::shared_ptr<const void> note;
  if (const auto take_note = submission_notes.load(); follows_order && take_note != nullptr) {
    if (!item->is_immediate && !item->wait_for.queue) note = take_note();
  }
  const auto lock = lock_soon(mutex_);
  if (!started_) {
    // Detached: the thread shares ownership of its queue, and a process may exit with work pending.
    std::thread([self = shared_from_this()] { self->loop(); }).detach();
    started_ = true;
  }
  item->next = nullptr;
  if (last_ == nullptr) {
    first_ = item;
  } else {
    last_->next = item;
  }
  last_ = item;
  const std::uint64_t ticket = submitted_.load(std::memory_order_relaxed) + 1;
  item->order = order_submitted(number_, ticket, item->own_clock);
  item->order.note = std::move(note);
  submitted_.store(ticket, std::memory_order_release);
  if (asleep_) arrived_.notify_one();
  return ticket;
}

Mark Queue::mark_at(std::uint64_t ticket) noexcept {
  return {shared_from_this(), ticket, order_here(number_, ticket)};
}

void Queue::wait(std::uint64_t ticket) noexcept {
  if (!reached(ticket)) run_here(ticket);
  if (!spin_until([&] { return reached(ticket); })) {
    std::unique_lock lock(mutex_);
    waiters_.fetch_add(1);
    progressed_.wait(lock, [&] { return done_.load() >= ticket; });
    waiters_.fetch_sub(1);
  }
  if (const auto call = after_waiting.load(std::memory_order_acquire)) call();
}

void call_after_waiting(void (*function)() noexcept) noexcept { after_waiting.store(function); }

int Queue::error_of(std::uint64_t ticket) const noexcept {
  const std::uint64_t first = first_failed_.load();
  return first != 0 && first <= ticket ? sticky_error(ordinal_) : cuda::success;
}

void Queue::wait_all() noexcept {
  const Mark end = here();
  wait(end.ticket);
  order_observed(end.order);
}

void Queue::close() noexcept {
  const std::lock_guard lock(mutex_);
  closing_ = true;
  arrived_.notify_one();
}

/// Returns all work submitted since the last call, in order; null when the queue is closed and
/// empty. Finished items are kept for prepare() under the same lock, which avoids most of the
/// contention with submitting threads.
WorkItem* Queue::take(const DoneItems& used) noexcept {
  // A thread that has just started has run nothing, so `running_` may be set by another thread.
  if (used.first != nullptr) running_.store(false, std::memory_order_release);
  const auto arrives = [&] { return has_work(); };
  bool has_some = spin_until(arrives);
  for (int naps = 0; !has_some && naps < naps_before_sleep; ++naps) {
    std::this_thread::sleep_for(nap_time);
    has_some = has_work();
  }
  std::unique_lock lock = lock_soon(mutex_);
  if (used.first != nullptr) used.last->next = std::exchange(free_items_, used.first);
  asleep_ = true;
  arrived_.wait(lock, [&] { return !running_ && (first_ != nullptr || closing_); });
  asleep_ = false;
  running_ = true;
  last_ = nullptr;
  return std::exchange(first_, nullptr);
}

bool Queue::has_work() const noexcept {
  const std::uint64_t submitted = submitted_.load(std::memory_order_acquire);
  return submitted > done_.load(std::memory_order_acquire) &&
         !running_.load(std::memory_order_acquire);
}

/// Runs work in order on this thread; while it does, no other thread takes work.
void Queue::run_here(std::uint64_t ticket) noexcept {
  std::unique_lock lock = lock_soon(mutex_);
  if (running_) return;
  running_ = true;
  while (first_ != nullptr && !reached(ticket) && !first_->is_the_threads &&
         first_->delay_us == 0) {
    WorkItem* const item = first_;
    first_ = item->next;
    if (first_ == nullptr) last_ = nullptr;
    lock.unlock();
    run(*item);
    if (follows_order) set_current_order({});  // this thread's own work is on no stream
    count_done();
    lock = lock_soon(mutex_);
    item->next = std::exchange(free_items_, item);
  }
  running_ = false;
  if (asleep_ && (first_ != nullptr || closing_)) arrived_.notify_one();
}

void Queue::count_done() noexcept {
  done_.fetch_add(1);
  if (waiters_.load() == 0) return;
  {
    const std::lock_guard lock(mutex_);
  }
  progressed_.notify_all();
}

void Queue::run(WorkItem& item) noexcept {
  if (item.delay_us > 0 && !stopping_) {
    std::this_thread::sleep_for(std::chrono::microseconds(item.delay_us));
  }
  // A device with a sticky error runs no more work.
  if (!stopping_ && sticky_error(ordinal_) == 0) {
    if (follows_order) set_current_order(item.order);
    item.action(item, ordinal_);
  }
  if (sticky_error(ordinal_) == 0) {
    first_failed_.store(0, std::memory_order_relaxed);
  } else if (first_failed_.load(std::memory_order_relaxed) == 0) {
    first_failed_.store(done_.load() + 1);
  }
  // Clear the item before it counts as done: nothing that it owns may outlive a wait for it.
  item.clear();
}

void Queue::loop() noexcept {
  DoneItems used;
  for (WorkItem* batch = take(used); batch != nullptr; batch = take(used)) {
    used = {.first = nullptr, .last = batch};
    while (batch != nullptr) {
      WorkItem* const item = std::exchange(batch, batch->next);
      run(*item);
      item->next = std::exchange(used.first, item);
      count_done();
    }
  }
}

}  // namespace skerry::rehearsal
