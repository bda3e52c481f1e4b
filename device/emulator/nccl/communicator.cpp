// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/nccl/communicator.hpp"

#include "device/emulator/driver/entry_points.hpp"
#include "device/emulator/nccl/groups.hpp"

namespace skerry::emulation::nccl {

std::string& last_error() {
  thread_local std::string text;
  return text;
}

int reject(Result code, const std::string& text) {
  last_error() = text;
  fail_group(code);
  return code;
}

Result failure_code_of(const Communicator& communicator) {
  Board& board = *communicator.board;
  const BoardLock lock(board);
  const auto error = static_cast<Result>(board.error.load());
  const bool is_guilty = board.guilty_rank < 0 || board.guilty_rank == communicator.rank;
  return error == success || is_guilty ? error : remote_error;
}

int failure_of(const Communicator& communicator) {
  const Result code = failure_code_of(communicator);
  // The first failure of a board is its last.
  return code == success ? success : reject(code, communicator.board->error_text.data());
}

void TaskCount::increase() {
  const std::lock_guard lock(mutex_);
  ++count_;
}
void TaskCount::decrease() {
  const std::lock_guard lock(mutex_);
  if (--count_ == 0) is_zero_.notify_all();
}
void TaskCount::wait_for_zero() {
  std::unique_lock lock(mutex_);
  is_zero_.wait(lock, [&] { return count_ == 0; });
}

CurrentDevice::CurrentDevice(int ordinal) {
  void* context = nullptr;
  is_set_ =
      driver::primary_context_retain(&context, ordinal) == 0 && driver::context_push(context) == 0;
}
CurrentDevice::~CurrentDevice() {
  void* context = nullptr;
  if (is_set_) driver::context_pop(&context);
}

}  // namespace skerry::emulation::nccl
