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

int failure_of(const Communicator& communicator) {
  Board& board = *communicator.board;
  const BoardLock lock(board);
  if (board.error == success) return success;
  const bool is_guilty = board.guilty_rank < 0 || board.guilty_rank == communicator.rank;
  return reject(is_guilty ? static_cast<Result>(board.error.load()) : remote_error,
                board.error_text.data());
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
