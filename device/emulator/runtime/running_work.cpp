// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/runtime/running_work.hpp"

#include <atomic>

namespace skerry::emulation {

namespace {

constinit std::atomic<std::uint64_t> begun_count{0};
constinit std::atomic<std::uint64_t> ended_count{0};

}  // namespace

WorkCounts work_counts() noexcept {
  return {.begun = begun_count.load(), .ended = ended_count.load()};
}

RunningWork::RunningWork() noexcept { begun_count.fetch_add(1); }
RunningWork::~RunningWork() { ended_count.fetch_add(1); }

}  // namespace skerry::emulation
