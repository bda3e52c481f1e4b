// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/registry.hpp"

#include <atomic>
#include <cstdio>

#include "device/cpu/info.hpp"
#include "device/cuda/runtime.hpp"
#include "device/environment.hpp"

namespace skerry {

namespace {

constexpr const char* cpu_variable = "SKERRY_CPU_DEVICES";
constexpr int bad_count = -1;

/// 0 before it was read; bad_count if the variable is no count, so that every use says so.
constinit std::atomic<int> cpu_count{0};

int read_cpu_count() {
  int known = cpu_count.load(std::memory_order_relaxed);
  if (known != 0) return known;
  const environment_count wanted = count_from_environment(cpu_variable, 1);
  known = wanted.problem.empty() ? wanted.value : bad_count;
  cpu_count.store(known);
  return known;
}

[[noreturn]] void throw_bad_count() {
  throw value_error("devices: " + count_from_environment(cpu_variable, 1).problem);
}

void require_cpu(device where) {
  const int n = read_cpu_count();
  if (n == bad_count) throw_bad_count();
  if (where.index >= 0 && where.index < n) return;
  throw device_unavailable_error(to_string(where) + " does not exist: there " +
                                     (n == 1 ? "is " : "are ") + std::to_string(n) +
                                     " logical CPU " + (n == 1 ? "device" : "devices") +
                                     "; set SKERRY_CPU_DEVICES to have more",
                                 unavailable_reason::out_of_range);
}

device_info describe_cpu(device where) {
  device_info info;
  info.where = where;
  info.name = cpu::processor_name();
  info.total_bytes = cpu::total_memory();
  info.free_bytes = cpu::free_memory();
  return info;
}

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

bool reads_directly(const cuda::device_state& reader, const cuda::device_state& owner) {
  if (reader.ordinal == owner.ordinal) return true;
  int can = 0;
  const int code = cuda::calls().can_access_peer(&can, reader.ordinal, owner.ordinal);
  if (code != cuda::success) static_cast<void>(cuda::calls().get_last_error());
  return code == cuda::success && can != 0;
}

device_info describe_cuda(device where) {
  cuda::device_state& on = cuda::look_at(where);
  device_info info;
  info.where = where;
  info.name = on.properties.name;
  info.rehearsal = cuda::rehearsing();
  info.physical_index = on.ordinal;
  info.compute_capability = on.properties.compute_capability;
  info.uuid = uuid_text(on.properties.uuid);
  // Of a lost one what was found when it was well.
  info.total_bytes = on.properties.total_bytes;
  if (on.lost()) return info;
  const cuda::device_guard guard(on);
  cuda::check(cuda::calls().memory_info(&info.free_bytes, &info.total_bytes), on, "describe");
  for (int i = 0; i < cuda::count(); ++i) {
    if (i != where.index && reads_directly(on, *cuda::detail::states[i])) info.peers.push_back(i);
  }
  return info;
}

}  // namespace

int device_count(device_kind kind) noexcept {
  if (kind == device_kind::cuda) {
    cuda::probe();
    return cuda::count();
  }
  try {
    const int n = read_cpu_count();
    return n == bad_count ? 1 : n;
  } catch (const std::bad_alloc&) {
    return 1;
  }
}

std::vector<device> devices(std::optional<device_kind> kind) {
  std::vector<device> all;
  for (const device_kind each : {device_kind::cpu, device_kind::cuda}) {
    if (kind && *kind != each) continue;
    if (each == device_kind::cpu && read_cpu_count() == bad_count) throw_bad_count();
    const int n = device_count(each);
    for (int i = 0; i < n; ++i) all.push_back({each, static_cast<std::int16_t>(i)});
  }
  return all;
}

void require(device where) {
  if (where.kind == device_kind::cpu) {
    if (where.index >= 0 && where.index < cpu_count.load(std::memory_order_relaxed)) [[likely]] {
      return;
    }
    return require_cpu(where);
  }
  static_cast<void>(cuda::use(where));
}

device_info describe(device where) {
  if (where.kind == device_kind::cpu) require(where);
  return where.kind == device_kind::cpu ? describe_cpu(where) : describe_cuda(where);
}

int ordinal_of(device where) {
  if (where.kind == device_kind::cuda) return cuda::look_at(where).ordinal;
  require(where);
  return 0;
}

std::optional<cuda_problem> why_no_cuda() { return cuda::problem(); }

void rehearse(int count) {
  if (count < 1 || count > cuda::most_devices) {
    throw value_error("rehearse: cuda must be 1 to 64 devices, not " + std::to_string(count));
  }
  // To have looked for a GPU in vain is no use.
  if (cuda::used() && cuda::count() > 0) {
    throw value_error(
        "rehearse: CUDA devices were already found in this process; call it before the first use "
        "of "
        "one, or of skerry.devices()");
  }
  cuda::plan_rehearsal(count);
}

bool is_rehearsing() noexcept { return cuda::rehearsing(); }
bool cuda_was_used() noexcept { return cuda::used(); }
bool cuda_is_alive() noexcept { return cuda::alive(); }
int cuda_driver_version() noexcept { return cuda::driver_version(); }
int cuda_runtime_version() noexcept { return cuda::runtime_version(); }
void shut_down() noexcept { cuda::shut_down(); }

}  // namespace skerry
