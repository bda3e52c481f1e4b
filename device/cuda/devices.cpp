// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>

#include "device/cuda/functions.hpp"
#include "device/cuda/runtime.hpp"
#include "device/registry.hpp"

namespace skerry {
namespace cuda {

namespace {

std::string uuid_text(const unsigned char (&bytes)[16]) {
  bool known = false;
  std::string text = "GPU-";
  for (std::size_t i = 0; i < std::size(bytes); ++i) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", bytes[i]);
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += two;
    known = known || bytes[i] != 0;
  }
  return known ? text : std::string();
}

bool reads_directly(DeviceState& reader, const DeviceState& owner) {
  if (reader.ordinal == owner.ordinal) return true;
  int can = 0;
  check(call<&Api::can_access_peer>(&can, reader.ordinal, owner.ordinal), reader, "describe");
  return can != 0;
}

}  // namespace

DeviceInfo describe(Device where) {
  DeviceState& on = look_at(where);
  DeviceInfo info;
  info.where = where;
  info.name = on.properties.name;
  info.rehearsal = rehearsing();
  info.physical_index = on.ordinal;
  info.compute_capability = on.properties.compute_capability;
  info.uuid = uuid_text(on.properties.uuid);
  // For a lost one what was found when it was well.
  info.total_bytes = on.properties.total_bytes;
  if (on.lost()) return info;
  const DeviceGuard guard(on);
  check(call<&Api::memory_info>(&info.free_bytes, &info.total_bytes), on, "describe");
  for (int i = 0; i < count(); ++i) {
    if (i != where.index && reads_directly(on, *detail::states[i])) info.peers.push_back(i);
  }
  return info;
}

int count_devices() {
  probe();
  return count();
}

void require_device(Device where) { static_cast<void>(use(where)); }
int ordinal_of(Device where) { return look_at(where).ordinal; }

}  // namespace cuda

std::optional<CudaProblem> why_no_cuda() { return cuda::problem(); }

void rehearse(int count, RehearsedKernels which) {
  if (count < 1 || count > cuda::most_devices) {
    throw ValueError("rehearse: cuda must be 1 to 64 devices, not " + std::to_string(count));
  }
  // To have looked for a GPU in vain is no use.
  if (cuda::used() && cuda::count() > 0) {
    throw ValueError(
        "rehearse: CUDA devices were already found in this process; call it before the first use "
        "of "
        "one, or of skerry.devices()");
  }
  cuda::plan_rehearsal(count, which);
}

RehearsedKernels kernels_of_rehearsal() noexcept { return cuda::kernels_of_rehearsal(); }
bool is_rehearsing() noexcept { return cuda::rehearsing(); }
bool cuda_was_used() noexcept { return cuda::used(); }
bool cuda_is_alive() noexcept { return cuda::alive(); }
int cuda_driver_version() noexcept { return cuda::driver_version(); }
int cuda_runtime_version() noexcept { return cuda::runtime_version(); }

}  // namespace skerry
