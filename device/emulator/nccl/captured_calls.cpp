// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/nccl/captured_calls.hpp"

#include <atomic>
#include <memory>
#include <utility>

#include "device/emulator/driver/entry_points.hpp"
#include "device/emulator/nccl/submission.hpp"
#include "device/emulator/runtime/library_tasks.hpp"

namespace skerry::emulation::nccl {

namespace {

/// CUDA's status of a launch that fails.
constexpr int launch_failure = 719;

std::string location_of(const Operation& operation) {
  return operation.line.empty() ? "" : ", captured at " + operation.line;
}

/// Returns why the operations can't run on the stream of a launch, or an empty text.
std::string find_launch_error(bool is_open, int communicator_device, int stream_device) {
  if (!is_open) return "its communicator has been destroyed";
  if (stream_device == communicator_device) return {};
  return "the graph is launched on a stream of device " + std::to_string(stream_device) +
         ", the communicator is device " + std::to_string(communicator_device) + "'s";
}

/// Posts and enqueues the operations of a node when its graph is launched. Returns CUDA's status.
int launch_calls(std::vector<Operation> operations, void* stream) {
  for (Operation& operation : operations) {
    operation.stream = stream;
    const int status = post(*operation.communicator, queue_of(operation.call), operation.call,
                            stream, operation.line, &operation.posted_call);
    if (status != success) return launch_failure;
  }
  return enqueue_posted(std::move(operations)) == success ? 0 : launch_failure;
}

}  // namespace

std::string find_capture_error(const Operation& operation) {
  const int origin = capture_device(operation.stream);
  const int device = operation.communicator->device;
  if (origin < 0) return "skerry.capture takes no calls of NCCL: capture the stream by CUDA";
  if (origin != device) {
    return "the capture began on a stream of device " + std::to_string(origin) +
           ": a graph with calls of several devices is not rehearsed; capture one for each rank";
  }
  return {};
}

void number_capture(Operation& operation, const std::string& line) {
  const BoardLock lock(*operation.communicator->board);
  operation.call.capture = ++operation.communicator->state().captured_calls;
  operation.line = line;
}

int capture_calls(std::vector<Operation> operations) {
  const Operation first = operations.front();
  // The communicator may be gone when the graph is launched.
  const int device = first.communicator->device;
  const std::shared_ptr<const std::atomic<bool>> is_open = first.communicator->is_open;
  const int status = capture_collective_call(first.stream, [operations = std::move(operations),
                                                            device, is_open](void* stream) {
    const Operation& first_call = operations.front();
    int stream_device = 0;
    const int stream_status = driver::stream_get_device(stream, &stream_device);
    if (stream_status != 0) return stream_status;
    const std::string error = find_launch_error(is_open->load(), device, stream_device);
    if (error.empty()) return launch_calls(operations, stream);
    report_collective(device, text_of(first_call.call) + location_of(first_call) + ": " + error);
    return launch_failure;
  });
  if (status == 0) return success;
  return reject(cuda_error, text_of(first.call) + ": CUDA error " + std::to_string(status));
}

}  // namespace skerry::emulation::nccl
