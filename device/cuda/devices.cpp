// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>

#include "device/cuda/functions.hpp"
#include "device/cuda/runtime.hpp"
#include "device/registry.hpp"
#include "device/rehearsal/rehearse.hpp"

namespace skerry {
namespace cuda {

namespace {

std::string uuid_text(const unsigned char (&bytes)[16]) {
  bool has_uuid = false;
  std::string text = "GPU-";
  for (std::size_t i = 0; i < std::size(bytes); ++i) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", bytes[i]);
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += two;
    has_uuid = has_uuid || bytes[i] != 0;
  }
  return has_uuid ? text : std::string();
}

bool reads_directly(DeviceState& reader, const DeviceState& owner) {
  if (reader.ordinal == owner.ordinal) return true;
  int can = 0;
  check(call<&Api::can_access_peer>(&can, reader.ordinal, owner.ordinal), reader, "describe");
  return can != 0;
}

}  // namespace

DeviceInfo describe(Device device) {
  DeviceState& device_state = look_at(device);
  DeviceInfo info;
  info.device = device;
  info.name = device_state.properties.name;
  info.rehearsal = rehearsing();
  info.physical_index = device_state.ordinal;
  info.compute_capability = device_state.properties.compute_capability;
  info.uuid = uuid_text(device_state.properties.uuid);
  // For a lost device, the size found by the probe.
  info.total_bytes = device_state.properties.total_bytes;
  if (device_state.lost()) return info;
  const DeviceGuard guard(device_state);
  check(call<&Api::memory_info>(&info.free_bytes, &info.total_bytes), device_state, "describe");
  for (int i = 0; i < count(); ++i) {
    if (i != device.index && reads_directly(device_state, *detail::states[i]))
      info.peers.push_back(i);
  }
  return info;
}

int count_devices() {
  probe();
  return count();
}

void require_device(Device device) { static_cast<void>(usable_state(device)); }
int ordinal_of(Device device) { return look_at(device).ordinal; }

}  // namespace cuda

std::optional<CudaFailure> why_no_cuda() { return cuda::probe_failure(); }

void rehearse(int count, RehearsedKernels kernels) {
  if (count < 1 || count > cuda::max_devices) {
    throw ValueError("cuda must be 1 to 64 devices, not " + std::to_string(count));
  }
  // A failed probe does not count as use.
  if (cuda::used() && cuda::count() > 0) {
    throw ValueError(
        "CUDA devices were already found in this process; rehearse before the first use of a CUDA "
        "device or of skerry.devices()");
  }
  cuda::plan_rehearsal(count, kernels);
}

RehearsedKernels kernels_of_rehearsal() noexcept { return cuda::kernels_of_rehearsal(); }
void rehearse_float64(bool is_there) noexcept { cuda::rehearse_float64(is_there); }
void refresh_rehearsed_devices() {
  if (!is_rehearsing()) return;
  for (int i = 0; i < cuda::count(); ++i) {
    cuda::DeviceState& device_state = *cuda::detail::states[i];
    cuda::DeviceProperties properties{};
    // A lost device has no properties, and keeps those that it had.
    if (cuda::call<&cuda::Api::get_properties>(&properties, device_state.ordinal) != cuda::success)
      continue;
    device_state.properties.total_bytes = properties.total_bytes;
    device_state.properties.compute_capability = properties.compute_capability;
  }
}
bool is_rehearsing() noexcept { return cuda::rehearsing(); }
bool cuda_was_used() noexcept { return cuda::used(); }
bool cuda_is_alive() noexcept { return cuda::alive(); }
int cuda_driver_version() noexcept { return cuda::driver_version(); }
int cuda_runtime_version() noexcept { return cuda::runtime_version(); }

}  // namespace skerry
