// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/runtime/device_resources.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "device/cuda/api.hpp"
#include "device/rehearsal/control.hpp"

namespace skerry::emulation {

namespace {

/// CUDA's default.
constexpr std::size_t usual_heap_bytes = 8 << 20;

struct Resources {
  DeviceHeap heap{usual_heap_bytes};
  std::atomic<std::uint32_t> stack_bytes{0};
  PrintfOutput printf_output;
};

Resources& resources_of(int ordinal) noexcept {
  // leaked: kernels may run at process exit
  static auto* const all = new std::array<Resources, cuda::max_devices>;
  return (*all)[static_cast<std::size_t>(ordinal)];
}

void show_printf_output() noexcept {
  for (int ordinal = 0; ordinal < cuda::max_devices; ++ordinal)
    resources_of(ordinal).printf_output.show();
}

}  // namespace

DeviceHeap& heap_of(int ordinal) noexcept { return resources_of(ordinal).heap; }

bool set_heap_limit(int ordinal, std::size_t nbytes) {
  return resources_of(ordinal).heap.resize(nbytes);
}

std::uint32_t stack_limit(int ordinal) noexcept { return resources_of(ordinal).stack_bytes.load(); }

void set_stack_limit(int ordinal, std::size_t nbytes) noexcept {
  // A GPU's thread has at most 512 KiB of local memory.
  constexpr std::size_t max_bytes = 512 << 10;
  resources_of(ordinal).stack_bytes.store(static_cast<std::uint32_t>(std::min(nbytes, max_bytes)));
}

PrintfOutput& printf_output_of(int ordinal) noexcept { return resources_of(ordinal).printf_output; }

void set_printf_limit(int ordinal, std::size_t nbytes) {
  resources_of(ordinal).printf_output.set_limit(nbytes);
}

void follow_printf_output() { rehearsal::call_after_waiting(show_printf_output); }

}  // namespace skerry::emulation
