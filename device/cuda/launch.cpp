// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/launch.hpp"

#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "device/backend.hpp"
#include "device/cuda/functions.hpp"
#include "device/cuda/pool.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/stream_uses.hpp"
#include "device/cuda/streams.hpp"
#include "device/environment.hpp"
#include "device/stream.hpp"

namespace skerry::cuda {

namespace {

/// SKERRY_SYNC=1: waits after each launch, so that an error is reported by the call that made it.
bool waits_after_launch() noexcept {
  static const bool is_chosen = flag_from_environment("SKERRY_SYNC", false);
  return is_chosen;
}

/// Scratch memory of one launch. It goes back to the pool in order with the stream, so the end of
/// the call may be before the kernel's.
struct PooledContext : LaunchContext {
  explicit PooledContext(Timeline& by) noexcept
      : LaunchContext{.stream = by.handle(), .workspace = allocate_scratch, .explanation = nullptr},
        work(by) {}

  static void* allocate_scratch(LaunchContext* self, std::size_t nbytes) noexcept {
    auto& mine = *static_cast<PooledContext*>(self);
    try {
      mine.scratch.push_back(mine.work.on().memory->allocate(nbytes, mine.work));
      return mine.scratch.back()->data();
    } catch (...) {
      mine.problem = std::current_exception();
      return nullptr;
    }
  }

  Timeline& work;
  std::vector<StorageRef> scratch;
  std::exception_ptr problem;  ///< says more than the status that the kernel returns for it
};

/// A rehearsed device refuses what the library on a GPU would.
void require_accepted(Device where, const Kernel& entry, const void* params) {
  const char* const refusal = entry.refusal != nullptr ? entry.refusal(params) : nullptr;
  if (refusal == nullptr) return;
  throw DeviceError("launch: " + to_string(where) +
                        " (a rehearsal device): the library on a GPU would refuse " + refusal +
                        "; please report this",
                    where, invalid_value, false);
}

void launch_native(Timeline& work, const Kernel& entry, const void* params) {
  DeviceState& on = work.on();
  if (entry.native == nullptr) throw_no_form(on.where);
  if (!on.has_kernels) {
    throw DeviceUnavailableError(
        "launch: the CUDA module has no kernels for the compute capability of " +
            to_string(on.where) + " (" + on.properties.name + "); install a build for it",
        UnavailableReason::no_kernel_image);
  }
  PooledContext context(work);
  const int code = entry.native(params, &context);
  if (context.problem && code != success) {
    forget_last_error();
    std::rethrow_exception(context.problem);
  }
  if (context.explanation != nullptr && code != success && !is_fatal(code)) {
    forget_last_error();
    throw DeviceError("launch: " + to_string(on.where) + ": " + context.explanation, on.where, code,
                      false);
  }
  check(code, on, "launch");
}

/// What a kernel's host form may touch, for a simulation that looks at it.
std::vector<KernelOperand> operands_of(std::span<const MemoryUse> uses) {
  std::vector<KernelOperand> operands;
  if (kernels_of_rehearsal() == RehearsedKernels::none) return operands;
  operands.reserve(uses.size());
  for (const MemoryUse& each : uses) {
    char* const memory = each.memory().data();
    const bool is_written = each.mode() == Access::write;
    if (const NdArray* const array = each.array()) {
      const auto [begin, end] = extent(array->layout(), array->itemsize());
      if (begin == end) continue;
      // Fewer elements leave bytes out; as many may lie on each other, which is rare.
      const bool is_whole =
          array->nbytes() == end - begin && !overlaps_itself(array->layout(), array->itemsize());
      operands.push_back(
          {memory + begin, static_cast<std::size_t>(end - begin), is_written, is_whole});
    } else if (each.memory().nbytes() != 0) {
      operands.push_back({memory, each.memory().nbytes(), is_written, false});
    }
  }
  return operands;
}

}  // namespace

void launch(Device where, const Kernel& entry, const void* params, std::size_t params_size,
            std::span<const MemoryUse> uses) {
  DeviceState& on = use(where);
  Timeline& work = current_timeline(on);
  work.limit_work();
  const DeviceGuard guard(on);
  refuse_capture(on, work.handle(), "launch");
  {
    // Before the work: if it fails to start, others wait for nothing, which does no harm.
    const OrderedWork ordered(work, uses);
    const auto rehearse_kernel = calls().launch_host_kernel;
    if (rehearse_kernel != nullptr) {
      if (entry.host == nullptr) throw_no_form(where, " (a rehearsal device)");
      require_accepted(where, entry, params);
      check(rehearse_kernel(entry.host, params, params_size, operands_of(uses), work.handle()), on,
            "launch");
    } else {
      launch_native(work, entry, params);
    }
  }
  if (waits_after_launch()) cuda::current_stream(where).synchronize();
}

}  // namespace skerry::cuda
