// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/device_graph.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "device/cuda/deferred.hpp"
#include "device/cuda/functions.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/stream_uses.hpp"
#include "device/cuda/streams.hpp"

namespace skerry::cuda {

namespace {

constexpr const char* capturing = "capture";
constexpr const char* replaying = "replay";

/// Returns `devices` and the other devices in use, each once; the first device if there are none.
std::vector<DeviceState*> participants(std::span<const Device> devices) {
  std::vector<DeviceState*> device_states;
  const auto add = [&](DeviceState& device_state) {
    if (std::ranges::find(device_states, &device_state) == device_states.end())
      device_states.push_back(&device_state);
  };
  for (const Device device : devices) add(usable_state(device));
  const int n = detail::usable_count.load();
  for (int i = 0; i < n; ++i) {
    DeviceState& device_state = *detail::states[i];
    if (device_state.in_use.load() && !device_state.lost()) add(device_state);
  }
  if (device_states.empty()) add(usable_state(first_device));
  return device_states;
}

}  // namespace

std::shared_ptr<Graph> begin_capture(std::span<const Device> devices) {
  auto graph = std::make_shared<DeviceGraph>();
  graph->begin_capture(participants(devices));
  return graph;
}

void DeviceGraph::begin_capture(const std::vector<DeviceState*>& device_states) {
  for (DeviceState* const device_state : device_states) {
    const Device device = device_state->device;
    members_.push_back({device_state, Stream::create(device), cuda::current_stream(device)});
  }
  {
    const DeviceGuard guard(origin());
    check(call<&Api::stream_begin_capture>(members_.front().stream.handle()), origin(), capturing);
  }
  try {
    for (const Member& joining : members_) {
      order(*joining.device_state, origin());
      cuda::set_current_stream(joining.stream);
    }
  } catch (...) {
    exit_capture();
    throw;
  }
  rejection_.emplace();
  skerry::detail::captured_graph = this;
}

/// Ends the capture of the streams, which become what they were before it.
void DeviceGraph::exit_capture() noexcept {
  if (Graph::captured() == this) skerry::detail::captured_graph = nullptr;
  rejection_.reset();
  for (const Member& exited : members_) {
    try {
      if (cuda::current_stream(exited.device_state->device) == exited.stream)
        cuda::set_current_stream(exited.previous_stream);
    } catch (...) {
      // No memory to enter a foreign stream again: the new stream stays current.
    }
  }
  if (!alive()) return;
  // Retries once: otherwise the stream would never be usable again.
  bool is_ended = executable_ != nullptr;
  for (int attempt = 0; attempt < 2 && !is_ended; ++attempt) {
    const DeviceGuard guard(origin(), std::nothrow);
    void** const no_graph = nullptr;
    const int code =
        guard.ok() ? call<&Api::stream_end_capture>(members_.front().stream.handle(), no_graph)
                   : guard.code();
    is_ended = succeeded(code, origin(), capturing) || code == illegal_state;
  }
  if (!is_ended) return;
  for (Member& exited : members_) exited.stream = Stream(exited.device_state->device);
}

void DeviceGraph::end_capture() {
  if (Graph::captured() != this) throw ValueError("this thread does not capture this graph");
  try {
    for (const Member& joining : members_) order(origin(), *joining.device_state);
    {
      const DeviceGuard guard(origin());
      check(call<&Api::stream_end_capture>(members_.front().stream.handle(), &executable_),
            origin(), capturing);
    }
    collect_uses();
  } catch (...) {
    exit_capture();
    throw;
  }
  exit_capture();
}

void DeviceGraph::abandon_capture() noexcept {
  if (Graph::captured() == this) exit_capture();
}

DeviceGraph::~DeviceGraph() {
  abandon_capture();
  if (!alive() || members_.empty()) return;
  for (const Word& used : words_) used.device_state->deferred->give_back(used.word);
  if (executable_ == nullptr || origin().lost()) return;
  const DeviceGuard guard(origin(), std::nothrow);
  if (guard.ok()) note_failure(call<&Api::graph_destroy>(executable_), origin(), capturing);
}

const DeviceGraph::Member& DeviceGraph::member(const DeviceState& device_state) const {
  const auto entry = std::ranges::find(members_, &device_state, &Member::device_state);
  if (entry != members_.end()) return *entry;
  throw ValueError(to_string(device_state.device) +
                   " takes no part in the capture of this thread, since it was not in use when "
                   "the capture began; pass an array on it as an argument");
}

void DeviceGraph::require_member(const DeviceState& device_state) const {
  static_cast<void>(member(device_state));
}

StorageRef DeviceGraph::allocate(DeviceState& device_state, std::size_t nbytes) {
  require_member(device_state);
  return memory_->allocate(device_state, nbytes);
}

void DeviceGraph::add_use(Storage& memory, Access access) {
  if (memory_->owns(memory)) {
    if (access == Access::write) written_.insert(&memory);
    return;
  }
  const auto [entry, is_new] = accesses_.try_emplace(&memory, access);
  if (access == Access::write) entry->second = access;
  if (!is_new) return;
  memory.retain();
  StorageRef reference(&memory);
  referenced_.push_back(std::move(reference));
}

void DeviceGraph::add_export(Storage& memory) {
  if (!memory_->owns(memory)) add_use(memory, Access::write);
}

bool DeviceGraph::writes_to(const Storage& memory) const { return written_.contains(&memory); }

/// Lists the accessed memory for the order of replays. All memory of the graph counts as written.
void DeviceGraph::collect_uses() {
  for (const StorageRef& memory : referenced_) {
    uses_.push_back(accesses_.at(memory.get()) == Access::write ? writes(memory) : reads(memory));
  }
  for (StorageRef& block : memory_->end_reuse()) {
    uses_.push_back(writes(block));
    referenced_.push_back(std::move(block));
  }
  accesses_.clear();
}

std::int64_t* DeviceGraph::add_deferred(DeviceState& device_state, const DeferredError& error) {
  words_.reserve(words_.size() + 1);
  std::int64_t* const word = device_state.deferred->take();
  words_.push_back({&device_state, error, word});
  return word;
}

void DeviceGraph::order(DeviceState& later, DeviceState& earlier) {
  if (&later == &earlier) return;
  join(later, member(later).stream.handle(), earlier, member(earlier).stream.handle());
}

void DeviceGraph::replay() {
  reject_in_capture("a replay of a graph");
  if (executable_ == nullptr) throw ValueError("the capture of this graph was not completed");
  for (const Member& used : members_) static_cast<void>(usable_state(used.device_state->device));
  StreamState& stream_state = current_stream_state(origin());
  stream_state.limit_work();
  {
    const DeviceGuard guard(origin());
    reject_capture(origin(), stream_state.handle(), replaying);
    const std::lock_guard lock(mutex_);
    const OrderedWork ordered(stream_state, uses_);
    check(call<&Api::graph_launch>(executable_, stream_state.handle()), origin(), replaying);
    for (const Word& used : words_) {
      used.device_state->deferred->note_replay(used.error, used.word, stream_state.handle());
      note_dependency(origin(), *used.device_state);
    }
  }
  if (waits_after_launch()) cuda::current_stream(origin().device).synchronize();
}

}  // namespace skerry::cuda
