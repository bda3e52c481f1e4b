// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Objects of a program that live as long as a graph needs them.

#include <unordered_map>

#include "device/cuda/emulation/driver/calls.hpp"
#include "device/cuda/emulation/driver/graphs.hpp"

namespace skerry::emulation::driver {

namespace {

struct UserObject {
  void* data = nullptr;
  void (*destroy)(void* data) = nullptr;
  unsigned held = 0;
};

std::unordered_map<const void*, std::unique_ptr<UserObject>>& objects() noexcept {
  static auto* const all = new std::unordered_map<const void*, std::unique_ptr<UserObject>>;
  return *all;
}

/// Called without the lock: what destroys it may be Python, which waits for others.
int release(void* handle, unsigned count) noexcept {
  std::unique_ptr<UserObject> ended;
  {
    const std::lock_guard lock(graphs_mutex());
    const auto found = objects().find(handle);
    if (found == objects().end() || found->second->held < count) return code::invalid_value;
    found->second->held -= count;
    if (found->second->held != 0) return code::success;
    ended = std::move(found->second);
    objects().erase(found);
  }
  ended->destroy(ended->data);
  return code::success;
}

int retain(void* handle, unsigned count) noexcept {
  const std::lock_guard lock(graphs_mutex());
  const auto found = objects().find(handle);
  if (found == objects().end()) return code::invalid_value;
  found->second->held += count;
  return code::success;
}

}  // namespace

int user_object_create(void** object, void* data, void (*destroy)(void*), unsigned count,
                       unsigned flags) {
  constexpr unsigned no_destructor_sync = 1;
  return answer([&]() -> int {
    if (has_null(object) || destroy == nullptr || count == 0 || flags != no_destructor_sync) {
      return code::invalid_value;
    }
    auto fresh = std::make_unique<UserObject>(UserObject{data, destroy, count});
    *object = fresh.get();
    const std::lock_guard lock(graphs_mutex());
    objects().emplace(*object, std::move(fresh));
    return code::success;
  });
}

int user_object_retain(void* object, unsigned count) {
  return answer([&] { return count != 0 ? retain(object, count) : code::invalid_value; });
}
int user_object_release(void* object, unsigned count) {
  return answer([&] { return count != 0 ? release(object, count) : code::invalid_value; });
}

int graph_retain_object(void* handle, void* object, unsigned count, unsigned flags) {
  constexpr unsigned move = 1;  // the caller's references become the graph's
  return answer([&]() -> int {
    const std::lock_guard lock(graphs_mutex());
    Graph* const to = find_graph(handle);
    if (to == nullptr || count == 0 || flags > move) return code::invalid_value;
    if (flags != move) {
      if (const int status = retain(object, count); status != code::success) return status;
    }
    to->held.emplace_back(object, [count](void* of) { static_cast<void>(release(of, count)); });
    return code::success;
  });
}

int graph_release_object(void* handle, void* object, unsigned) {
  std::shared_ptr<void> released;  // destroyed without the lock
  return answer([&]() -> int {
    const std::lock_guard lock(graphs_mutex());
    Graph* const of = find_graph(handle);
    if (of == nullptr) return code::invalid_value;
    for (auto& each : of->held) {
      if (each.get() != object) continue;
      released = std::move(each);
      std::erase(of->held, nullptr);
      return code::success;
    }
    return code::invalid_value;
  });
}

}  // namespace skerry::emulation::driver
