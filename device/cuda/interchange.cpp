// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/interchange.hpp"

#include "device/cuda/device_graph.hpp"
#include "device/cuda/functions.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/stream_uses.hpp"
#include "device/cuda/streams.hpp"
#include "device/storage_attachment.hpp"
#include "device/stream.hpp"

namespace skerry::cuda {

namespace {

bool is_capturing(DeviceState& device_state, void* stream) {
  int capturing = 0;
  check(call<&Api::stream_is_capturing>(stream, &capturing), device_state, "interchange");
  return capturing != 0;
}

/// In a capture of this thread, notes that another library may use the memory in it, on a stream
/// that must be the current one. Returns false if there is no capture.
bool capture_use(Storage& memory, const void* current, const void* stream) {
  DeviceGraph* const graph = DeviceGraph::captured();
  if (graph == nullptr) return false;
  if (stream != current) reject_in_capture("another library's use of an array on another stream");
  graph->add_export(memory);
  return true;
}

/// Returns the unfinished uses, except those on streams `one` and `other` of the memory's device.
UnfinishedUses unfinished_uses_except(Storage& memory, const void* one, const void* other) {
  StreamUses* const storage_uses = stream_uses(memory);
  if (storage_uses == nullptr) return {};
  UnfinishedUses all = storage_uses->unfinished();
  all.erase_if([&](const StreamUse& stream_use) {
    const void* const handle = stream_use.stream_state->handle();
    return (handle == one || handle == other) &&
           stream_use.stream_state->device_state().device == memory.device();
  });
  return all;
}

void wait_for(const UnfinishedUses& uses, DeviceState& waiting, void* stream) {
  uses.for_each([&](const StreamUse& stream_use) {
    stream_use.stream_state->precede(waiting, stream, stream_use.epoch);
  });
}

}  // namespace

void* make_ready_on_legacy(Storage& memory) {
  const Device device = memory.device();
  DeviceState& device_state = usable_state(device);
  const StreamState& stream_state = current_stream_state(device_state);
  void* const current = stream_state.handle();
  if (capture_use(memory, current, current)) return current;
  const bool is_legacy = current == legacy_stream;
  StreamUses* const storage_uses = stream_uses(memory);
  if (storage_uses != nullptr) storage_uses->note_export(device_state.streams->legacy());
  if (is_legacy && (storage_uses == nullptr || storage_uses->are_all_on(stream_state)))
    return current;
  const UnfinishedUses pending = unfinished_uses_except(memory, legacy_stream, current);
  if (is_legacy && pending.empty()) return current;
  const DeviceGuard guard(device_state);
  if (is_capturing(device_state, current)) return current;
  // The legacy stream counts as capturing if any stream that it would wait for is captured.
  if (is_capturing(device_state, legacy_stream)) return current;
  wait_for(pending, device_state, legacy_stream);
  if (!is_legacy) join(device_state, legacy_stream, device_state, current);
  return legacy_stream;
}

void make_ready_on(Storage& memory, void* stream) {
  const Device device = memory.device();
  DeviceState& device_state = usable_state(device);
  const StreamState& stream_state = current_stream_state(device_state);
  void* const current = stream_state.handle();
  if (capture_use(memory, current, stream)) return;
  StreamUses* const storage_uses = stream_uses(memory);
  if (storage_uses != nullptr) {
    storage_uses->note_export(device_state.streams->legacy());
    if (StreamState* const consumer_state = device_state.streams->find(stream))
      storage_uses->note_export(*consumer_state);
  }
  if (current != stream) {
    join(device_state, stream, device_state, current);
  } else if (storage_uses == nullptr || storage_uses->are_all_on(stream_state)) {
    return;
  }
  wait_for(unfinished_uses_except(memory, stream, current), device_state, stream);
}

void make_ready_on_current(Storage& memory) {
  if (capture_use(memory, nullptr, nullptr)) return;
  if (StreamUses* const storage_uses = stream_uses(memory)) {
    storage_uses->precede(current_stream_state(usable_state(memory.device())));
  }
}

void note_import_on_current(Storage& memory) {
  if (capture_use(memory, nullptr, nullptr)) return;
  if (StreamUses* const storage_uses = stream_uses(memory)) {
    storage_uses->note_import(current_stream_state(usable_state(memory.device())));
  }
}

PointerInfo inspect_pointer(const void* data) {
  DeviceState& any = usable_state(first_device);
  PointerAttributes attributes{};
  const int code = call<&Api::get_pointer_attributes>(&attributes, data);
  if (code == invalid_value) {
    // Cleared, since it would otherwise be reported for an unrelated launch.
    clear_last_error();
    return {};
  }
  check(code, any, "querying a pointer");
  PointerInfo pointer_info{.ordinal = attributes.device,
                           .allocation = attributes.allocation,
                           .allocation_bytes = attributes.allocation_bytes};
  switch (attributes.type) {
    case MemoryType::unregistered:
      break;
    case MemoryType::host:
      pointer_info.kind = PointerKind::host;
      pointer_info.data = attributes.host_pointer;
      break;
    case MemoryType::device:
      pointer_info.kind = PointerKind::device;
      break;
    case MemoryType::managed:
      pointer_info.kind = PointerKind::managed;
      break;
  }
  return pointer_info;
}

int ordinal_of_stream(Device device, void* handle) {
  DeviceState& device_state = usable_state(device);
  const DeviceGuard guard(device_state);
  int ordinal = -1;
  const int code = call<&Api::stream_device>(handle, &ordinal);
  if (code == invalid_resource_handle || code == invalid_value) {
    clear_last_error();
    return -1;
  }
  check(code, device_state, "querying a stream");
  return ordinal;
}

std::shared_ptr<void> make_device_current(Device device) {
  return std::make_shared<DeviceGuard>(usable_state(device));
}

}  // namespace skerry::cuda
