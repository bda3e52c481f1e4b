// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/interchange.hpp"

#include "device/cuda/functions.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/stream_uses.hpp"
#include "device/cuda/streams.hpp"
#include "device/stream.hpp"

namespace skerry::cuda {

namespace {

bool is_capturing(device_state& on, void* stream) {
  int capturing = 0;
  check(call<&api::stream_is_capturing>(stream, &capturing), on, "interchange");
  return capturing != 0;
}

/// The uses of memory on streams of its device other than these two, and on other devices.
unfinished_uses uses_elsewhere(storage& memory, const void* one, const void* other) {
  stream_uses* const known = memory.uses();
  if (known == nullptr) return {};
  unfinished_uses all = known->unfinished();
  all.forget_if([&](const stream_use& each) {
    const void* const by = each.by->handle();
    return (by == one || by == other) && each.by->on().where == memory.where();
  });
  return all;
}

void wait_for(const unfinished_uses& uses, device_state& waiting, void* stream) {
  uses.for_each(
      [&](const stream_use& each) { each.by->come_before(waiting, stream, each.stretch); });
}

}  // namespace

void* make_ready(storage& memory) {
  const device where = memory.where();
  device_state& on = use(where);
  const timeline& work = current_timeline(on);
  void* const current = work.handle();
  const bool is_usual = current == legacy_stream;
  stream_uses* const known = memory.uses();
  if (known != nullptr) known->note_export(on.streams->legacy());
  if (is_usual && (known == nullptr || known->are_all_on(work))) return current;
  const unfinished_uses pending = uses_elsewhere(memory, legacy_stream, current);
  if (is_usual && pending.empty()) return current;
  const device_guard guard(on);
  if (is_capturing(on, current)) return current;
  // True where any stream that the legacy one would wait for is captured.
  if (is_capturing(on, legacy_stream)) return current;
  wait_for(pending, on, legacy_stream);
  if (!is_usual) join(on, legacy_stream, on, current);
  return legacy_stream;
}

void make_ready_on(storage& memory, void* stream) {
  const device where = memory.where();
  device_state& on = use(where);
  const timeline& work = current_timeline(on);
  void* const current = work.handle();
  stream_uses* const known = memory.uses();
  if (known != nullptr) {
    known->note_export(on.streams->legacy());
    if (timeline* const by = on.streams->find(stream)) known->note_export(*by);
  }
  if (current != stream) {
    join(on, stream, on, current);
  } else if (known == nullptr || known->are_all_on(work)) {
    return;
  }
  wait_for(uses_elsewhere(memory, stream, current), on, stream);
}

void make_ready_on_current(storage& memory) {
  if (stream_uses* const known = memory.uses()) {
    known->come_before(current_timeline(use(memory.where())));
  }
}

void come_after_current(storage& memory) {
  if (stream_uses* const known = memory.uses()) {
    known->come_after(current_timeline(use(memory.where())));
  }
}

pointer_facts inspect_pointer(const void* data) {
  device_state& any = use(first_device);
  pointer_attributes about{};
  const int code = call<&api::get_pointer_attributes>(&about, data);
  if (code == invalid_value) {
    // Left in the runtime's error slot it would be blamed on somebody else's launch.
    forget_last_error();
    return {};
  }
  check(code, any, "asking for a pointer");
  pointer_facts facts{.ordinal = about.device,
                      .allocation = about.allocation,
                      .allocation_bytes = about.allocation_bytes};
  switch (about.type) {
    case memory_type::unregistered:
      break;
    case memory_type::host:
      facts.kind = pointer_kind::host;
      facts.data = about.host_pointer;
      break;
    case memory_type::device:
      facts.kind = pointer_kind::device;
      break;
    case memory_type::managed:
      facts.kind = pointer_kind::managed;
      break;
  }
  return facts;
}

int ordinal_of_stream(device where, void* handle) {
  device_state& on = use(where);
  const device_guard guard(on);
  int ordinal = -1;
  const int code = call<&api::stream_device>(handle, &ordinal);
  if (code == invalid_resource_handle || code == invalid_value) {
    forget_last_error();
    return -1;
  }
  check(code, on, "asking for a stream");
  return ordinal;
}

std::shared_ptr<void> make_current(device where) {
  return std::make_shared<device_guard>(use(where));
}

}  // namespace skerry::cuda
