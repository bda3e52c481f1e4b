// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/rehearsal/system.hpp"

#include <algorithm>
#include <vector>

#include "device/rehearsal/control.hpp"
#include "device/rehearsal/current_device.hpp"
#include "device/rehearsal/faults.hpp"

namespace skerry::rehearsal {

namespace {

constinit std::atomic<int> requested_count{1};
constinit std::atomic<System*> system_instance{nullptr};

}  // namespace

System::System(int count) : count_(count) {
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    devices_[static_cast<std::size_t>(ordinal)] = std::make_unique<SimulatedDevice>(ordinal);
  }
}

System& System::instance() {
  static System* const created = [] {
    auto* new_system = new System(requested_count.load());
    system_instance.store(new_system);
    return new_system;
  }();
  return *created;
}

int System::owner(const void* data) noexcept {
  for (int ordinal = 0; ordinal < count_; ++ordinal) {
    if (device(ordinal).memory.contains(data)) return ordinal;
  }
  return mapped.contains(data) ? std::max(0, mapped.owner(data)) : -1;
}

bool System::covers(const void* data, std::size_t nbytes, bool retired_too) noexcept {
  if (mapped.contains(data)) return mapped.covers(data, nbytes);
  const int ordinal = owner(data);
  return ordinal >= 0 && device(ordinal).memory.covers(data, nbytes, retired_too);
}

MemoryBlock System::find(const void* data, bool retired_too) noexcept {
  if (mapped.contains(data)) return mapped.find(data);
  const int ordinal = owner(data);
  return ordinal >= 0 ? device(ordinal).memory.find(data, retired_too) : MemoryBlock{};
}

std::shared_ptr<Queue> System::stream(void* handle) noexcept {
  if (reinterpret_cast<std::uintptr_t>(handle) <= 2) return device(current_ordinal()).default_queue;
  const std::shared_lock lock(streams_mutex_);
  const auto entry = streams_.find(handle);
  return entry == streams_.end() ? nullptr : entry->second;
}

void* System::add_stream(int ordinal, const StreamOptions& options) {
  auto queue = std::make_shared<Queue>(ordinal, options);
  void* handle = queue.get();
  const std::unique_lock lock(streams_mutex_);
  streams_.emplace(handle, std::move(queue));
  if (options.is_blocking) blocking_streams_.fetch_add(1);
  return handle;
}

std::vector<std::shared_ptr<Queue>> System::blocking_streams(int ordinal) {
  std::vector<std::shared_ptr<Queue>> queues;
  if (blocking_streams_.load() == 0) return queues;
  const std::shared_lock lock(streams_mutex_);
  for (const auto& [handle, queue] : streams_) {
    if (queue->options().is_blocking && queue->ordinal() == ordinal) queues.push_back(queue);
  }
  return queues;
}

std::shared_ptr<Queue> System::remove_stream(void* handle) noexcept {
  const std::unique_lock lock(streams_mutex_);
  const auto entry = streams_.find(handle);
  if (entry == streams_.end()) return nullptr;
  std::shared_ptr<Queue> removed = std::move(entry->second);
  streams_.erase(entry);
  if (removed->options().is_blocking) blocking_streams_.fetch_sub(1);
  return removed;
}

std::vector<std::shared_ptr<Queue>> System::streams_of(int ordinal) {
  std::vector<std::shared_ptr<Queue>> all{device(ordinal).default_queue};
  const std::shared_lock lock(streams_mutex_);
  for (const auto& [handle, queue] : streams_) {
    if (queue->ordinal() == ordinal) all.push_back(queue);
  }
  return all;
}

void System::drain(int ordinal) noexcept {
  for (const auto& queue : streams_of(ordinal)) queue->wait(queue->here().ticket);
}

void System::drain_all() noexcept {
  for (int ordinal = 0; ordinal < count_; ++ordinal) drain(ordinal);
}

void System::wait_for_device(int ordinal) noexcept {
  for (const auto& queue : streams_of(ordinal)) queue->wait_all();
}

bool System::is_idle(int ordinal) noexcept {
  return std::ranges::all_of(
      streams_of(ordinal), [](const auto& queue) { return queue->reached(queue->here().ticket); });
}

void System::stop() noexcept {
  std::vector<std::shared_ptr<Queue>> all;
  all.reserve(static_cast<std::size_t>(count_));
  for (int ordinal = 0; ordinal < count_; ++ordinal) all.push_back(device(ordinal).default_queue);
  {
    const std::shared_lock lock(streams_mutex_);
    for (const auto& [handle, queue] : streams_) all.push_back(queue);
  }
  // Drop the work of all streams first, since streams wait for each other. Keep their threads: work
  // that another thread is about to submit must still run, since others may wait for it.
  for (const auto& queue : all) queue->drop_work();
  for (const auto& queue : all) queue->wait_all();
}

void System::reset_device(int ordinal) noexcept {
  wait_for_device(ordinal);
  {
    const std::unique_lock lock(streams_mutex_);
    std::erase_if(streams_, [&](const auto& one) {
      if (one.second->ordinal() != ordinal) return false;
      if (one.second->options().is_blocking) blocking_streams_.fetch_sub(1);
      one.second->close();
      return true;
    });
  }
  {
    const std::lock_guard lock(events_mutex_);
    std::erase_if(events_, [&](const auto& one) { return one.second.ordinal == ordinal; });
  }
  {
    const std::lock_guard lock(pooled_mutex_);
    std::erase_if(pooled_, [&](void* data) { return device(ordinal).memory.contains(data); });
  }
  {
    const std::lock_guard lock(peers_mutex_);
    const auto index = static_cast<std::size_t>(ordinal);
    for (auto* const access_matrix : {&enabled_, &pool_readers_}) {
      (*access_matrix)[index].reset();
      for (auto& owners : *access_matrix) owners.reset(index);
    }
  }
  device(ordinal).memory.release_all();
}

void* System::add_event(int ordinal, bool is_timed) {
  return add_event({.ordinal = ordinal, .is_timed = is_timed});
}

void* System::add_event(int ordinal, std::shared_ptr<InterprocessEvent> shared) {
  return add_event({.ordinal = ordinal, .shared = std::move(shared)});
}

void* System::add_event(const SimulatedEvent& event) {
  const std::lock_guard lock(events_mutex_);
  // Handles are numbers, not addresses: they are never reused, so a stale handle is always
  // detected.
  void* handle = reinterpret_cast<void*>(next_event_);
  events_.emplace(handle, event);
  next_event_ += 16;
  return handle;
}

bool System::remove_event(void* handle) noexcept {
  const std::lock_guard lock(events_mutex_);
  return events_.erase(handle) == 1;
}

bool System::read_event(void* handle, SimulatedEvent& event) noexcept {
  const std::lock_guard lock(events_mutex_);
  const auto entry = events_.find(handle);
  if (entry == events_.end()) return false;
  event = entry->second;
  return true;
}

bool System::set_event(void* handle, const SimulatedEvent& event) noexcept {
  const std::lock_guard lock(events_mutex_);
  const auto entry = events_.find(handle);
  if (entry == events_.end()) return false;
  entry->second = event;
  return true;
}

void System::note_pooled(void* data) {
  const std::lock_guard lock(pooled_mutex_);
  pooled_.insert(data);
}

bool System::discard_pooled(void* data) noexcept {
  const std::lock_guard lock(pooled_mutex_);
  return pooled_.erase(data) == 1;
}

bool System::is_pooled(void* data) noexcept {
  const std::lock_guard lock(pooled_mutex_);
  return pooled_.contains(data);
}

bool System::enable_peer(int reader, int owner) noexcept {
  const std::lock_guard lock(peers_mutex_);
  auto bit = enabled_[static_cast<std::size_t>(reader)][static_cast<std::size_t>(owner)];
  if (bit) return false;
  bit = true;
  return true;
}

bool System::disable_peer(int reader, int owner) noexcept {
  const std::lock_guard lock(peers_mutex_);
  auto bit = enabled_[static_cast<std::size_t>(reader)][static_cast<std::size_t>(owner)];
  if (!bit) return false;
  bit = false;
  return true;
}

bool System::peer_enabled(int reader, int owner) noexcept {
  const std::lock_guard lock(peers_mutex_);
  return enabled_[static_cast<std::size_t>(reader)][static_cast<std::size_t>(owner)];
}

void System::allow_pool_reader(int reader, int owner) noexcept {
  const std::lock_guard lock(peers_mutex_);
  pool_readers_[static_cast<std::size_t>(reader)].set(static_cast<std::size_t>(owner));
}

bool System::is_accessible(int reader, int owner, void* data) noexcept {
  if (mapped.contains(data)) return mapped.may_access(reader, data);
  if (reader == owner) return true;
  {
    const std::lock_guard lock(pooled_mutex_);
    if (!pooled_.contains(data)) return peer_enabled(reader, owner);
  }
  return is_pool_reader(reader, owner);
}

bool System::is_pool_reader(int reader, int owner) noexcept {
  const std::lock_guard lock(peers_mutex_);
  return pool_readers_[static_cast<std::size_t>(reader)][static_cast<std::size_t>(owner)];
}

void set_device_count(int count) noexcept { requested_count.store(count); }

void set_delay(int microseconds) noexcept { set_delay(microseconds, microseconds); }

void set_delay(int min_us, int max_us) noexcept {
  current_settings().min_delay_us.store(std::min(min_us, max_us));
  current_settings().max_delay_us.store(max_us);
}

void set_memory(std::size_t nbytes) noexcept { current_settings().memory_bytes.store(nbytes); }

std::size_t live_blocks(int ordinal) noexcept {
  System& all = System::instance();
  return ordinal < 0 ? all.pinned.live_blocks() : all.device(ordinal).memory.live_blocks();
}

std::size_t live_bytes(int ordinal) noexcept {
  System& all = System::instance();
  return ordinal < 0 ? all.pinned.live_bytes() : all.device(ordinal).memory.live_bytes();
}

std::uint64_t waits() noexcept { return System::instance().traffic.waits.load(); }
std::uint64_t host_to_device_bytes() noexcept {
  return System::instance().traffic.host_to_device_bytes.load();
}
std::uint64_t device_to_host_bytes() noexcept {
  return System::instance().traffic.device_to_host_bytes.load();
}
std::uint64_t device_to_device_bytes() noexcept {
  return System::instance().traffic.device_to_device_bytes.load();
}
std::uint64_t direct_copies() noexcept { return System::instance().direct_copies.load(); }
std::uint64_t staged_copies() noexcept { return System::instance().staged_copies.load(); }

void finish() noexcept {
  mark_finished();
  if (System* running = system_instance.load(); running != nullptr) running->stop();
}

}  // namespace skerry::rehearsal
