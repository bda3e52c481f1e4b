// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/rehearsal/machine.hpp"

#include <algorithm>
#include <vector>

#include "device/cuda/rehearsal/control.hpp"
#include "device/cuda/rehearsal/current_device.hpp"
#include "device/cuda/rehearsal/faults.hpp"

namespace skerry::rehearsal {

namespace {

constinit std::atomic<int> wanted_count{1};
constinit std::atomic<Machine*> the_machine{nullptr};

}  // namespace

Machine::Machine(int count) : count_(count) {
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    devices_[static_cast<std::size_t>(ordinal)] = std::make_unique<SimulatedDevice>(ordinal);
  }
}

Machine& Machine::instance() {
  static Machine* const created = [] {
    auto* fresh = new Machine(wanted_count.load());
    the_machine.store(fresh);
    return fresh;
  }();
  return *created;
}

int Machine::owner(const void* data) noexcept {
  for (int ordinal = 0; ordinal < count_; ++ordinal) {
    if (at(ordinal).memory.contains(data)) return ordinal;
  }
  return mapped.contains(data) ? std::max(0, mapped.owner(data)) : -1;
}

bool Machine::covers(const void* data, std::size_t nbytes, bool retired_too) noexcept {
  if (mapped.contains(data)) return mapped.covers(data, nbytes);
  const int of = owner(data);
  return of >= 0 && at(of).memory.covers(data, nbytes, retired_too);
}

MemoryBlock Machine::find(const void* data, bool retired_too) noexcept {
  if (mapped.contains(data)) return mapped.find(data);
  const int of = owner(data);
  return of >= 0 ? at(of).memory.find(data, retired_too) : MemoryBlock{};
}

std::shared_ptr<Queue> Machine::stream(void* handle) noexcept {
  if (reinterpret_cast<std::uintptr_t>(handle) <= 2) return at(current_ordinal()).default_queue;
  const std::shared_lock lock(streams_mutex_);
  const auto found = streams_.find(handle);
  return found == streams_.end() ? nullptr : found->second;
}

void* Machine::add_stream(int ordinal, const StreamOptions& options) {
  auto fresh = std::make_shared<Queue>(ordinal, options);
  void* handle = fresh.get();
  const std::unique_lock lock(streams_mutex_);
  streams_.emplace(handle, std::move(fresh));
  if (options.is_blocking) blocking_streams_.fetch_add(1);
  return handle;
}

std::vector<std::shared_ptr<Queue>> Machine::blocking_streams(int ordinal) {
  std::vector<std::shared_ptr<Queue>> found;
  if (blocking_streams_.load() == 0) return found;
  const std::shared_lock lock(streams_mutex_);
  for (const auto& [handle, each] : streams_) {
    if (each->options().is_blocking && each->ordinal() == ordinal) found.push_back(each);
  }
  return found;
}

std::shared_ptr<Queue> Machine::remove_stream(void* handle) noexcept {
  const std::unique_lock lock(streams_mutex_);
  const auto found = streams_.find(handle);
  if (found == streams_.end()) return nullptr;
  std::shared_ptr<Queue> removed = std::move(found->second);
  streams_.erase(found);
  if (removed->options().is_blocking) blocking_streams_.fetch_sub(1);
  return removed;
}

void Machine::wait_for_device(int ordinal) noexcept {
  std::vector<std::shared_ptr<Queue>> all{at(ordinal).default_queue};
  {
    const std::shared_lock lock(streams_mutex_);
    for (const auto& [handle, each] : streams_) {
      if (each->ordinal() == ordinal) all.push_back(each);
    }
  }
  for (const auto& each : all) each->wait_all();
}

void Machine::stop() noexcept {
  std::vector<std::shared_ptr<Queue>> all;
  all.reserve(static_cast<std::size_t>(count_));
  for (int ordinal = 0; ordinal < count_; ++ordinal) all.push_back(at(ordinal).default_queue);
  {
    const std::shared_lock lock(streams_mutex_);
    for (const auto& [handle, each] : streams_) all.push_back(each);
  }
  // All at once first: streams wait for each other. Their threads stay: a thread that is about to
  // submit must not make others wait for what nobody would take.
  for (const auto& each : all) each->drop_work();
  for (const auto& each : all) each->wait_all();
}

void Machine::reset_device(int ordinal) noexcept {
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
    std::erase_if(pooled_, [&](void* data) { return at(ordinal).memory.contains(data); });
  }
  {
    const std::lock_guard lock(peers_mutex_);
    const auto of = static_cast<std::size_t>(ordinal);
    for (auto* const each : {&enabled_, &pool_readers_}) {
      (*each)[of].reset();
      for (auto& owners : *each) owners.reset(of);
    }
  }
  at(ordinal).memory.release_all();
}

void* Machine::add_event(int ordinal, bool is_timed) {
  const std::lock_guard lock(events_mutex_);
  // Numbers, not addresses: they are never used again, so a stale handle is always noticed.
  void* handle = reinterpret_cast<void*>(next_event_);
  events_.emplace(handle, SimulatedEvent{ordinal, is_timed, {}, nullptr});
  next_event_ += 16;
  return handle;
}

bool Machine::remove_event(void* handle) noexcept {
  const std::lock_guard lock(events_mutex_);
  return events_.erase(handle) == 1;
}

bool Machine::read_event(void* handle, SimulatedEvent& into) noexcept {
  const std::lock_guard lock(events_mutex_);
  const auto found = events_.find(handle);
  if (found == events_.end()) return false;
  into = found->second;
  return true;
}

bool Machine::set_event(void* handle, const SimulatedEvent& what) noexcept {
  const std::lock_guard lock(events_mutex_);
  const auto found = events_.find(handle);
  if (found == events_.end()) return false;
  found->second = what;
  return true;
}

void Machine::note_pooled(void* data) {
  const std::lock_guard lock(pooled_mutex_);
  pooled_.insert(data);
}

bool Machine::forget_pooled(void* data) noexcept {
  const std::lock_guard lock(pooled_mutex_);
  return pooled_.erase(data) == 1;
}

bool Machine::is_pooled(void* data) noexcept {
  const std::lock_guard lock(pooled_mutex_);
  return pooled_.contains(data);
}

bool Machine::enable_peer(int reader, int owner) noexcept {
  const std::lock_guard lock(peers_mutex_);
  auto bit = enabled_[static_cast<std::size_t>(reader)][static_cast<std::size_t>(owner)];
  if (bit) return false;
  bit = true;
  return true;
}

bool Machine::disable_peer(int reader, int owner) noexcept {
  const std::lock_guard lock(peers_mutex_);
  auto bit = enabled_[static_cast<std::size_t>(reader)][static_cast<std::size_t>(owner)];
  if (!bit) return false;
  bit = false;
  return true;
}

bool Machine::peer_enabled(int reader, int owner) noexcept {
  const std::lock_guard lock(peers_mutex_);
  return enabled_[static_cast<std::size_t>(reader)][static_cast<std::size_t>(owner)];
}

void Machine::allow_pool_reader(int reader, int owner) noexcept {
  const std::lock_guard lock(peers_mutex_);
  pool_readers_[static_cast<std::size_t>(reader)].set(static_cast<std::size_t>(owner));
}

bool Machine::is_accessible(int reader, int owner, void* data) noexcept {
  if (mapped.contains(data)) return mapped.may_access(reader, data);
  if (reader == owner) return true;
  {
    const std::lock_guard lock(pooled_mutex_);
    if (!pooled_.contains(data)) return peer_enabled(reader, owner);
  }
  return is_pool_reader(reader, owner);
}

bool Machine::is_pool_reader(int reader, int owner) noexcept {
  const std::lock_guard lock(peers_mutex_);
  return pool_readers_[static_cast<std::size_t>(reader)][static_cast<std::size_t>(owner)];
}

void set_device_count(int count) noexcept { wanted_count.store(count); }

void set_delay(int microseconds) noexcept { set_delay(microseconds, microseconds); }

void set_delay(int least, int most) noexcept {
  current_settings().least_delay_us.store(std::min(least, most));
  current_settings().delay_us.store(most);
}

void set_memory(std::size_t nbytes) noexcept { current_settings().memory_bytes.store(nbytes); }

std::size_t live_blocks(int ordinal) noexcept {
  Machine& all = Machine::instance();
  return ordinal < 0 ? all.pinned.live_blocks() : all.at(ordinal).memory.live_blocks();
}

std::size_t live_bytes(int ordinal) noexcept {
  Machine& all = Machine::instance();
  return ordinal < 0 ? all.pinned.live_bytes() : all.at(ordinal).memory.live_bytes();
}

std::uint64_t direct_copies() noexcept { return Machine::instance().direct_copies.load(); }
std::uint64_t staged_copies() noexcept { return Machine::instance().staged_copies.load(); }

void finish() noexcept {
  mark_finished();
  if (Machine* running = the_machine.load(); running != nullptr) running->stop();
}

}  // namespace skerry::rehearsal
