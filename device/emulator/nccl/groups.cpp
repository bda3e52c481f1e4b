// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/nccl/groups.hpp"

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "device/emulator/nccl/python_line.hpp"
#include "device/emulator/nccl/submission.hpp"
#include "device/emulator/runtime/library_tasks.hpp"

namespace skerry::emulation::nccl {

namespace {

struct Group {
  int depth = 0;
  int result = success;
  std::string line;  ///< of ncclGroupStart
  std::vector<Operation> operations;
  int device = 0;  ///< of the first operation, whose communicator may be destroyed before the end
  std::vector<std::function<int()>> first_functions;
  std::vector<std::function<int()>> second_functions;

  /// Reports a group without an end: its calls would never run.
  void report_if_open() {
    if (depth == 0 || operations.empty()) return;
    report_collective(device, "ncclGroupStart at " + line +
                                  " has no ncclGroupEnd: " + std::to_string(operations.size()) +
                                  " calls never run, the first is " +
                                  text_of(operations.front().call));
    operations.clear();
  }
  ~Group() { report_if_open(); }
};

Group& group() {
  thread_local Group the_group;
  return the_group;
}

void check_open_group() { group().report_if_open(); }

/// Splits calls into tasks: one for each communicator and stream, in order.
std::vector<std::vector<Operation>> tasks_of(const std::vector<Operation>& operations) {
  std::vector<std::vector<Operation>> tasks;
  for (const Operation& operation : operations) {
    const auto task = std::ranges::find_if(tasks, [&](const std::vector<Operation>& other) {
      return other.front().communicator == operation.communicator &&
             other.front().stream == operation.stream;
    });
    if (task == tasks.end()) {
      tasks.push_back({operation});
    } else {
      task->push_back(operation);
    }
  }
  return tasks;
}

}  // namespace

void start_group() {
  static std::once_flag is_registered;
  std::call_once(is_registered, [] { call_at_end(check_open_group); });
  if (group().depth++ == 0) group().line = python_line();
}

bool is_group_open() noexcept { return group().depth != 0; }

void add_to_group(const Operation& operation) {
  if (group().operations.empty()) group().device = operation.communicator->device;
  group().operations.push_back(operation);
}

void fail_group(Result code) noexcept {
  if (is_group_open()) group().result = code;
}

int end_group() {
  if (!is_group_open()) return reject(invalid_usage, "ncclGroupEnd without ncclGroupStart");
  if (--group().depth != 0) return success;
  int code = std::exchange(group().result, success);
  // Taken before anything may throw: the next group has its own functions.
  const auto first_functions = std::exchange(group().first_functions, {});
  const auto second_functions = std::exchange(group().second_functions, {});
  for (std::vector<Operation>& task : tasks_of(std::exchange(group().operations, {}))) {
    if (code == success) code = enqueue(std::move(task));
  }
  for (const auto* const functions : {&first_functions, &second_functions}) {
    for (const std::function<int()>& function : *functions) {
      const int status = code == success ? function() : code;
      if (code == success) code = status;
    }
  }
  return code;
}

int call_at_group_end(std::function<int()> first, std::function<int()> second) {
  if (is_group_open()) {
    if (first) group().first_functions.push_back(std::move(first));
    if (second) group().second_functions.push_back(std::move(second));
    return success;
  }
  const int code = first ? first() : static_cast<int>(success);
  return code == success && second ? second() : code;
}

}  // namespace skerry::emulation::nccl
