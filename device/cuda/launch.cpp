// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/kernel.hpp"

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/backend.hpp"
#include "device/cuda/foreign_capture.hpp"
#include "device/cuda/functions.hpp"
#include "device/cuda/pool.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/stream_uses.hpp"
#include "device/cuda/streams.hpp"
#include "device/environment.hpp"
#include "device/graph.hpp"
#include "device/rehearsal/rehearse.hpp"
#include "device/stream.hpp"

namespace skerry::cuda {

namespace {

/// Scratch memory of one launch. It returns to the pool in stream order, so the call may return
/// before the kernel ends.
struct PooledContext : LaunchContext {
  explicit PooledContext(StreamState& launch_stream) noexcept
      : LaunchContext{.stream = launch_stream.handle(),
                      .workspace = allocate_scratch,
                      .explanation = nullptr},
        stream_state(launch_stream) {}

  static void* allocate_scratch(LaunchContext* self, std::size_t nbytes) noexcept {
    auto& context = *static_cast<PooledContext*>(self);
    try {
      context.scratch.push_back(cuda::allocate(context.stream_state.device_state().device, nbytes));
      return context.scratch.back()->data();
    } catch (...) {
      context.exception = std::current_exception();
      return nullptr;
    }
  }

  StreamState& stream_state;
  std::vector<StorageRef> scratch;
  std::exception_ptr exception;  ///< more specific than the status that the kernel returns
};

/// Rejects what the library on a GPU would reject.
void require_accepted(Device device, const AnyKernel& entry, const void* params) {
  const char* const reason =
      entry.unsupported_reason != nullptr ? entry.unsupported_reason(params) : nullptr;
  if (reason == nullptr) return;
  throw DeviceError(to_string(device) +
                        " (a rehearsal device): on a GPU, the library would reject " + reason +
                        "; please report this",
                    device, invalid_value, false);
}

/// Returns the scratch memory of the launch.
std::vector<StorageRef> launch_native(StreamState& stream_state, const AnyKernel& entry,
                                      const void* params) {
  DeviceState& device_state = stream_state.device_state();
  if (entry.native == nullptr) throw_no_form(device_state.device);
  if (!device_state.has_kernels) {
    throw DeviceUnavailableError("the CUDA module has no kernels for the compute capability of " +
                                     to_string(device_state.device) + " (" +
                                     device_state.properties.name + "); install a build for it",
                                 UnavailableReason::no_kernel_image);
  }
  PooledContext context(stream_state);
  const int code = entry.native(params, &context);
  if (context.exception && code != success) {
    clear_last_error();
    std::rethrow_exception(context.exception);
  }
  if (context.explanation != nullptr && code != success && !is_fatal(code)) {
    clear_last_error();
    throw DeviceError(to_string(device_state.device) + ": " + context.explanation,
                      device_state.device, code, false);
  }
  check(code, device_state, "launch");
  return std::move(context.scratch);
}

/// Returns the memory that a kernel's host form may access, for a simulation that checks it.
std::vector<KernelOperand> operands_of(std::span<const MemoryUse> uses) {
  std::vector<KernelOperand> operands;
  if (kernels_of_rehearsal() == RehearsedKernels::none) return operands;
  operands.reserve(uses.size());
  for (const MemoryUse& memory_use : uses) {
    char* const memory = memory_use.memory().data();
    const bool is_written = memory_use.mode() == Access::write;
    if (const NdArray* const array = memory_use.array()) {
      const auto [begin, end] = extent(array->layout(), array->itemsize());
      if (begin == end) continue;
      // The elements fill their extent if they have as many bytes and don't overlap.
      const bool is_whole =
          array->nbytes() == end - begin && !overlaps_itself(array->layout(), array->itemsize());
      operands.push_back(
          {memory + begin, static_cast<std::size_t>(end - begin), is_written, is_whole});
    } else if (memory_use.memory().nbytes() != 0) {
      operands.push_back({memory, memory_use.memory().nbytes(), is_written, false});
    }
  }
  return operands;
}

}  // namespace

bool waits_after_launch() noexcept {
  static const bool is_enabled = flag_from_environment("SKERRY_SYNC", false);
  return is_enabled;
}

void launch(Device device, const AnyKernel& entry, const void* params, std::size_t params_size,
            std::span<const MemoryUse> uses) {
  DeviceState& device_state = usable_state(device);
  StreamState& stream_state = current_stream_state(device_state);
  stream_state.limit_work();
  const DeviceGuard guard(device_state);
  std::vector<StorageRef> scratch;
  std::optional<ForeignCapture> capture;
  if (is_in_foreign_capture(device_state, stream_state.handle(), "launch")) [[unlikely]] {
    capture.emplace(stream_state);
    capture->wait_for_other_streams(uses);
    capture->retain(uses);
  }
  {
    // Recorded before the work: if the launch fails, later work waits without need, which is
    // harmless.
    const OrderedWork ordered(stream_state, uses);
    const auto rehearse_kernel = calls().launch_host_kernel;
    if (rehearse_kernel != nullptr) {
      if (entry.host == nullptr) throw_no_form(device, " (a rehearsal device)");
      require_accepted(device, entry, params);
      const std::vector<KernelOperand> operands = operands_of(uses);
      check(rehearse_kernel(entry.host, params, params_size, operands.data(), operands.size(),
                            stream_state.handle()),
            device_state, "launch");
    } else {
      scratch = launch_native(stream_state, entry, params);
    }
  }
  if (capture) return capture->retain(scratch);
  if (waits_after_launch() && Graph::captured() == nullptr)
    cuda::current_stream(device).synchronize();
}

}  // namespace skerry::cuda
