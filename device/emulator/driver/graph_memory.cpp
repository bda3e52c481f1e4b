// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Memory that graph nodes allocate. It exists from the addition of a node until no graph can launch
// that node any more.

#include <array>
#include <atomic>

#include "device/emulator/driver/calls.hpp"
#include "device/emulator/driver/graphs.hpp"

namespace skerry::emulation::driver {

namespace {

struct GraphBytes {
  std::atomic<std::uint64_t> current{0};
  std::atomic<std::uint64_t> peak{0};
};

GraphBytes& bytes_of(int ordinal) noexcept {
  static constinit std::array<GraphBytes, cuda::max_devices> all{};
  return all[static_cast<std::size_t>(ordinal)];
}

// CUgraphMem_attribute: used and reserved bytes are equal here.
constexpr int attributes = 4;
[[nodiscard]] bool is_peak(int attribute) noexcept { return attribute % 2 == 1; }

template <class Body>
int with_bytes(int device, int attribute, const void* value, Body body) noexcept {
  return run_entry_point([&]() -> int {
    if (!exists(device)) return code::invalid_device;
    if (has_null(value) || attribute < 0 || attribute >= attributes) return code::invalid_value;
    return body(bytes_of(device));
  });
}

}  // namespace

int allocate_for_graph(Graph& graph, address* data, std::size_t nbytes) {
  const int status = memory_allocate(data, nbytes);
  if (status != code::success) return status;
  GraphBytes& counted = bytes_of(rehearsal::current_ordinal());
  const std::uint64_t now = counted.current.fetch_add(nbytes) + nbytes;
  if (now > counted.peak.load()) counted.peak.store(now);
  graph.resources.emplace_back(pointer(*data), [&counted, nbytes](void* block) {
    static_cast<void>(memory_free(address_of(block)));
    counted.current.fetch_sub(nbytes);
  });
  return code::success;
}

int graph_memory_get_attribute(int device, int attribute, void* value) {
  return with_bytes(device, attribute, value, [&](const GraphBytes& usage) {
    const std::uint64_t nbytes = is_peak(attribute) ? usage.peak.load() : usage.current.load();
    *static_cast<std::uint64_t*>(value) = nbytes;
    return code::success;
  });
}

int graph_memory_set_attribute(int device, int attribute, void* value) {
  return with_bytes(device, attribute, value, [&](GraphBytes& usage) -> int {
    if (!is_peak(attribute) || *static_cast<std::uint64_t*>(value) != 0) {
      return code::invalid_value;
    }
    usage.peak.store(usage.current.load());
    return code::success;
  });
}

int graph_memory_trim(int device) {
  return run_entry_point([&] { return exists(device) ? code::success : code::invalid_device; });
}

}  // namespace skerry::emulation::driver
