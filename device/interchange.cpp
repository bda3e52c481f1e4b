// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/interchange.hpp"

#include <algorithm>
#include <vector>

#include "device/cuda/pool.hpp"
#include "device/cuda/runtime.hpp"
#include "device/stream.hpp"

namespace skerry {

namespace {

bool is_capturing(cuda::device_state& on, void* stream) {
  int capturing = 0;
  cuda::check(cuda::calls().stream_is_capturing(stream, &capturing), on, "interchange");
  return capturing != 0;
}

}  // namespace

void* make_ready(storage& memory) {
  const device where = memory.where();
  cuda::device_state& on = cuda::use(where);
  void* const current = current_stream_handle(where);
  std::vector<void*> pending = memory.streams_in_use();
  if (current != cuda::legacy_stream &&
      std::find(pending.begin(), pending.end(), current) == pending.end()) {
    pending.push_back(current);
  }
  if (pending.empty()) return cuda::legacy_stream;
  const cuda::device_guard guard(on);
  if (is_capturing(on, current)) return current;
  // True where any stream that the legacy one would wait for is captured.
  if (is_capturing(on, cuda::legacy_stream)) return current;
  std::erase_if(pending, [&](void* stream) { return is_capturing(on, stream); });
  on.memory->join(pending, cuda::legacy_stream);
  return cuda::legacy_stream;
}

pointer_facts inspect_pointer(const void* data) {
  cuda::device_state& any = cuda::use({device_kind::cuda, 0});
  cuda::pointer_attributes about{};
  const int code = cuda::calls().get_pointer_attributes(&about, data);
  if (code == cuda::invalid_value) {
    // Left in the runtime's error slot it would be blamed on somebody else's launch.
    static_cast<void>(cuda::calls().get_last_error());
    return {};
  }
  cuda::check(code, any, "asking for a pointer");
  pointer_facts facts{.ordinal = about.device,
                      .allocation = about.allocation,
                      .allocation_bytes = about.allocation_bytes};
  switch (about.type) {
    case cuda::memory_type::unregistered:
      break;
    case cuda::memory_type::host:
      facts.what = pointer_facts::kind::host;
      facts.data = about.host_pointer;
      break;
    case cuda::memory_type::device:
      facts.what = pointer_facts::kind::device;
      break;
    case cuda::memory_type::managed:
      facts.what = pointer_facts::kind::managed;
      break;
  }
  return facts;
}

int ordinal_of_stream(device where, void* handle) {
  cuda::device_state& on = cuda::use(where);
  const cuda::device_guard guard(on);
  int ordinal = -1;
  const int code = cuda::calls().stream_device(handle, &ordinal);
  if (code == cuda::invalid_resource_handle || code == cuda::invalid_value) {
    static_cast<void>(cuda::calls().get_last_error());
    return -1;
  }
  cuda::check(code, on, "asking for a stream");
  return ordinal;
}

current_device::current_device(device where)
    : guard_(std::make_unique<cuda::device_guard>(cuda::use(where))) {}
current_device::~current_device() = default;

}  // namespace skerry
