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

bool is_capturing(DeviceState& on, void* stream) {
  int capturing = 0;
  check(call<&Api::stream_is_capturing>(stream, &capturing), on, "interchange");
  return capturing != 0;
}

/// The uses of memory on streams of its device other than these two, and on other devices.
UnfinishedUses uses_elsewhere(Storage& memory, const void* one, const void* other) {
  StreamUses* const known = memory.uses();
  if (known == nullptr) return {};
  UnfinishedUses all = known->unfinished();
  all.forget_if([&](const StreamUse& each) {
    const void* const by = each.by->handle();
    return (by == one || by == other) && each.by->on().where == memory.where();
  });
  return all;
}

void wait_for(const UnfinishedUses& uses, DeviceState& waiting, void* stream) {
  uses.for_each(
      [&](const StreamUse& each) { each.by->come_before(waiting, stream, each.stretch); });
}

}  // namespace

void* make_ready(Storage& memory) {
  const Device where = memory.where();
  DeviceState& on = use(where);
  const Timeline& work = current_timeline(on);
  void* const current = work.handle();
  const bool is_usual = current == legacy_stream;
  StreamUses* const known = memory.uses();
  if (known != nullptr) known->note_export(on.streams->legacy());
  if (is_usual && (known == nullptr || known->are_all_on(work))) return current;
  const UnfinishedUses pending = uses_elsewhere(memory, legacy_stream, current);
  if (is_usual && pending.empty()) return current;
  const DeviceGuard guard(on);
  if (is_capturing(on, current)) return current;
  // True where any stream that the legacy one would wait for is captured.
  if (is_capturing(on, legacy_stream)) return current;
  wait_for(pending, on, legacy_stream);
  if (!is_usual) join(on, legacy_stream, on, current);
  return legacy_stream;
}

void make_ready_on(Storage& memory, void* stream) {
  const Device where = memory.where();
  DeviceState& on = use(where);
  const Timeline& work = current_timeline(on);
  void* const current = work.handle();
  StreamUses* const known = memory.uses();
  if (known != nullptr) {
    known->note_export(on.streams->legacy());
    if (Timeline* const by = on.streams->find(stream)) known->note_export(*by);
  }
  if (current != stream) {
    join(on, stream, on, current);
  } else if (known == nullptr || known->are_all_on(work)) {
    return;
  }
  wait_for(uses_elsewhere(memory, stream, current), on, stream);
}

void make_ready_on_current(Storage& memory) {
  if (StreamUses* const known = memory.uses()) {
    known->come_before(current_timeline(use(memory.where())));
  }
}

void come_after_current(Storage& memory) {
  if (StreamUses* const known = memory.uses()) {
    known->come_after(current_timeline(use(memory.where())));
  }
}

PointerFacts inspect_pointer(const void* data) {
  DeviceState& any = use(first_device);
  PointerAttributes about{};
  const int code = call<&Api::get_pointer_attributes>(&about, data);
  if (code == invalid_value) {
    // Left in the runtime's error slot it would be blamed on somebody else's launch.
    forget_last_error();
    return {};
  }
  check(code, any, "asking for a pointer");
  PointerFacts facts{.ordinal = about.device,
                     .allocation = about.allocation,
                     .allocation_bytes = about.allocation_bytes};
  switch (about.type) {
    case MemoryType::unregistered:
      break;
    case MemoryType::host:
      facts.kind = PointerKind::host;
      facts.data = about.host_pointer;
      break;
    case MemoryType::device:
      facts.kind = PointerKind::device;
      break;
    case MemoryType::managed:
      facts.kind = PointerKind::managed;
      break;
  }
  return facts;
}

int ordinal_of_stream(Device where, void* handle) {
  DeviceState& on = use(where);
  const DeviceGuard guard(on);
  int ordinal = -1;
  const int code = call<&Api::stream_device>(handle, &ordinal);
  if (code == invalid_resource_handle || code == invalid_value) {
    forget_last_error();
    return -1;
  }
  check(code, on, "asking for a stream");
  return ordinal;
}

std::shared_ptr<void> make_current(Device where) {
  return std::make_shared<DeviceGuard>(use(where));
}

}  // namespace skerry::cuda
