// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/interchange.hpp"

#include "device/cuda/runtime.hpp"
#include "device/cuda/stream_uses.hpp"
#include "device/cuda/streams.hpp"
#include "device/stream.hpp"

namespace skerry {

namespace {

bool is_capturing(cuda::device_state& on, void* stream) {
  int capturing = 0;
  cuda::check(cuda::calls().stream_is_capturing(stream, &capturing), on, "interchange");
  return capturing != 0;
}

/// The uses of memory on streams of its device other than these two, and on other devices.
cuda::unfinished_uses uses_elsewhere(storage& memory, const void* one, const void* other) {
  stream_uses* const known = memory.uses();
  if (known == nullptr) return {};
  cuda::unfinished_uses all = known->unfinished();
  all.forget_if([&](const cuda::stream_use& each) {
    const void* const by = each.by->handle();
    return (by == one || by == other) && each.by->on().where == memory.where();
  });
  return all;
}

void wait_for(const cuda::unfinished_uses& uses, cuda::device_state& waiting, void* stream) {
  uses.for_each(
      [&](const cuda::stream_use& each) { each.by->come_before(waiting, stream, each.stretch); });
}

}  // namespace

void* make_ready(storage& memory) {
  const device where = memory.where();
  cuda::device_state& on = cuda::use(where);
  const cuda::timeline& work = cuda::current_timeline(on);
  void* const current = work.handle();
  const bool is_usual = current == cuda::legacy_stream;
  stream_uses* const known = memory.uses();
  if (is_usual && (known == nullptr || known->are_all_on(work))) return current;
  const cuda::unfinished_uses pending = uses_elsewhere(memory, cuda::legacy_stream, current);
  if (is_usual && pending.empty()) return current;
  const cuda::device_guard guard(on);
  if (is_capturing(on, current)) return current;
  // True where any stream that the legacy one would wait for is captured.
  if (is_capturing(on, cuda::legacy_stream)) return current;
  wait_for(pending, on, cuda::legacy_stream);
  if (!is_usual) cuda::join(on, cuda::legacy_stream, on, current);
  return cuda::legacy_stream;
}

void make_ready_on(storage& memory, void* stream) {
  const device where = memory.where();
  cuda::device_state& on = cuda::use(where);
  const cuda::timeline& work = cuda::current_timeline(on);
  void* const current = work.handle();
  stream_uses* const known = memory.uses();
  if (current != stream) {
    cuda::join(on, stream, on, current);
  } else if (known == nullptr || known->are_all_on(work)) {
    return;
  }
  wait_for(uses_elsewhere(memory, stream, current), on, stream);
}

void make_ready_on_current(storage& memory) {
  if (stream_uses* const known = memory.uses()) {
    known->come_before(cuda::current_timeline(cuda::use(memory.where())));
  }
}

void come_after_current(storage& memory) {
  if (stream_uses* const known = memory.uses()) {
    known->come_after(cuda::current_timeline(cuda::use(memory.where())));
  }
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
