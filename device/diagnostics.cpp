// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/diagnostics.hpp"

#include "device/allocator.hpp"
#include "device/cuda/counting.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/simulation.hpp"
#include "device/rehearsal/control.hpp"

namespace skerry {

const char* cuda_allocator() { return name(selected_allocator()); }

void count_cuda_calls(bool is_enabled) {
  if (is_enabled) {
    cuda::start_counting();
  } else {
    cuda::stop_counting();
  }
}

std::vector<CountedCall> counted_cuda_calls() { return cuda::counted_calls(); }

void slow_waiting_cuda_calls(unsigned microseconds) noexcept {
  cuda::slow_waiting_calls(microseconds);
}

void fail_rehearsed_call(std::uint64_t k, int code, bool sticky) noexcept {
  if (k == 0) {
    cuda::simulation_controls().clear();
    cuda::clear_losses();
  } else {
    cuda::simulation_controls().fail_call(k, code, sticky);
  }
}

std::uint64_t rehearsed_calls() noexcept { return cuda::simulation_controls().calls(); }
RehearsedTraffic rehearsed_traffic() noexcept {
  // The first use creates the simulated devices, so it must not be this one.
  if (!cuda::alive() || !cuda::rehearsing()) return {};
  return {.host_to_device_bytes = rehearsal::host_to_device_bytes(),
          .device_to_host_bytes = rehearsal::device_to_host_bytes(),
          .device_to_device_bytes = rehearsal::device_to_device_bytes(),
          .waits = rehearsal::waits()};
}
void delay_rehearsed_work(int min_us, int max_us) noexcept {
  cuda::simulation_controls().set_delay(min_us, max_us);
}

std::vector<int> rehearsed_contexts() {
  std::vector<int> ordinals;
  for (int ordinal = 0; ordinal < cuda::max_devices; ++ordinal) {
    if (cuda::simulation_controls().has_context(ordinal)) ordinals.push_back(ordinal);
  }
  return ordinals;
}

int set_rehearsed_device(int ordinal) noexcept {
  return cuda::simulation_controls().set_device(ordinal);
}
void capture_rehearsed_stream(void* handle) noexcept {
  cuda::simulation_controls().set_captured(handle);
}

int begin_rehearsed_capture(void* stream) noexcept {
  return cuda::simulated_calls().stream_begin_capture(stream);
}
int end_rehearsed_capture(void* stream, void** graph) noexcept {
  return cuda::simulated_calls().stream_end_capture(stream, graph);
}
int launch_rehearsed_graph(void* graph, void* stream) noexcept {
  return cuda::simulated_calls().graph_launch(graph, stream);
}
int destroy_rehearsed_graph(void* graph) noexcept {
  return cuda::simulated_calls().graph_destroy(graph);
}

}  // namespace skerry
