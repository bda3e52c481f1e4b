// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <initializer_list>
#include <vector>

#include "device/memory.hpp"
#include "device/registry.hpp"
#include "device/rehearsal/control.hpp"
#include "device/rehearsal/rehearse.hpp"
#include "device/stream.hpp"
#include "device/transfer.hpp"

namespace skerry {

inline constexpr Device cpu0{DeviceKind::cpu, 0};
inline constexpr Device cuda0{cuda_kind, 0};
inline constexpr Device cuda1{cuda_kind, 1};

/// Tests on four rehearsal devices, which the first test creates. Each test restores their state.
class Rehearsed : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda_was_used() && !is_rehearsing()) rehearse(4);
    if (!is_rehearsing()) GTEST_SKIP() << "the process uses real CUDA devices";
    ASSERT_GE(device_count(cuda_kind), 4) << "SKERRY_REHEARSE is too small";
    restore();
  }
  void TearDown() override {
    if (is_rehearsing()) restore();
  }

 private:
  static void restore() {
    rehearsal::clear();
    rehearsal::set_delay(0);
    for (const Device device : devices(cuda_kind)) {
      set_current_stream(Stream(device));
      synchronize(device);
      set_memory_limit(device, std::nullopt);
      trim(device);
    }
  }
};

// Test kernels use atomics, because some of them race on purpose.

struct StoreParams {
  int* target;
  int value;
};
inline void store_host(const void* params) {
  const auto& p = *static_cast<const StoreParams*>(params);
  __atomic_store_n(p.target, p.value, __ATOMIC_SEQ_CST);
}
inline constexpr AnyKernel store_kernel{.host = store_host};

struct LoadParams {
  const int* source;
  int* target;
};
inline void load_host(const void* params) {
  const auto& p = *static_cast<const LoadParams*>(params);
  __atomic_store_n(p.target, __atomic_load_n(p.source, __ATOMIC_SEQ_CST), __ATOMIC_SEQ_CST);
}
inline constexpr AnyKernel load_kernel{.host = load_host};

inline int* ints(const StorageRef& block) { return reinterpret_cast<int*>(block->data()); }

inline void store(const StorageRef& target, int value) {
  const MemoryUse uses[] = {writes(target)};
  launch(target->device(), store_kernel, StoreParams{ints(target), value}, uses);
}
inline void load(const StorageRef& target, const StorageRef& source) {
  const MemoryUse uses[] = {writes(target), reads(source)};
  launch(target->device(), load_kernel, LoadParams{ints(source), ints(target)}, uses);
}
inline int read_int(const StorageRef& source) {
  int value = 0;
  read_bytes(&value, source, 0, sizeof value);
  return value;
}

}  // namespace skerry
