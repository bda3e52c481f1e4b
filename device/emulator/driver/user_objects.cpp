// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// User objects: objects of the program that live at least as long as the graphs that use them.

#include <unordered_map>

#include "device/emulator/driver/calls.hpp"
#include "device/emulator/driver/graphs.hpp"

namespace skerry::emulation::driver {

namespace {

struct UserObject {
  void* data = nullptr;
  void (*destroy)(void* data) = nullptr;
  unsigned reference_count = 0;
};

std::unordered_map<const void*, std::unique_ptr<UserObject>>& objects() noexcept {
  static auto* const all = new std::unordered_map<const void*, std::unique_ptr<UserObject>>;
  return *all;
}

/// Calls the destructor without the lock: it may be Python code that waits for the GIL.
int release(void* handle, unsigned count) noexcept {
  std::unique_ptr<UserObject> ended;
  {
    const std::lock_guard lock(graphs_mutex());
    const auto entry = objects().find(handle);
    if (entry == objects().end() || entry->second->reference_count < count)
      return code::invalid_value;
    entry->second->reference_count -= count;
    if (entry->second->reference_count != 0) return code::success;
    ended = std::move(entry->second);
    objects().erase(entry);
  }
  ended->destroy(ended->data);
  return code::success;
}

int retain(void* handle, unsigned count) noexcept {
  const std::lock_guard lock(graphs_mutex());
  const auto entry = objects().find(handle);
  if (entry == objects().end()) return code::invalid_value;
  entry->second->reference_count += count;
  return code::success;
}

}  // namespace

int user_object_create(void** object, void* data, void (*destroy)(void*), unsigned count,
                       unsigned flags) {
  constexpr unsigned no_destructor_sync = 1;
  return run_entry_point([&]() -> int {
    if (has_null(object) || destroy == nullptr || count == 0 || flags != no_destructor_sync) {
      return code::invalid_value;
    }
    auto new_object = std::make_unique<UserObject>(UserObject{data, destroy, count});
    *object = new_object.get();
    const std::lock_guard lock(graphs_mutex());
    objects().emplace(*object, std::move(new_object));
    return code::success;
  });
}

int user_object_retain(void* object, unsigned count) {
  return run_entry_point([&] { return count != 0 ? retain(object, count) : code::invalid_value; });
}
int user_object_release(void* object, unsigned count) {
  return run_entry_point([&] { return count != 0 ? release(object, count) : code::invalid_value; });
}

int graph_retain_object(void* handle, void* object, unsigned count, unsigned flags) {
  constexpr unsigned move = 1;  // moves the caller's references to the graph
  return run_entry_point([&]() -> int {
    const std::lock_guard lock(graphs_mutex());
    Graph* const graph = find_graph(handle);
    if (graph == nullptr || count == 0 || flags > move) return code::invalid_value;
    if (flags != move) {
      if (const int status = retain(object, count); status != code::success) return status;
    }
    graph->resources.emplace_back(
        object, [count](void* user_object) { static_cast<void>(release(user_object, count)); });
    return code::success;
  });
}

int graph_release_object(void* handle, void* object, unsigned) {
  std::shared_ptr<void> released;  // released after the lock
  return run_entry_point([&]() -> int {
    const std::lock_guard lock(graphs_mutex());
    Graph* const graph = find_graph(handle);
    if (graph == nullptr) return code::invalid_value;
    for (auto& resource : graph->resources) {
      if (resource.get() != object) continue;
      released = std::move(resource);
      std::erase(graph->resources, nullptr);
      return code::success;
    }
    return code::invalid_value;
  });
}

}  // namespace skerry::emulation::driver
