// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device/emulator/nccl/board.hpp"
#include "device/emulator/nccl/calls.hpp"

namespace skerry::emulation::nccl {

/// A reduction of a program (ncclRedOpCreatePreMulSum): a sum of products with a factor.
struct CustomReduction {
  int type = 0;
  std::array<std::byte, 8> factor = {};
  const void* device_factor = nullptr;  ///< read in stream order instead, if not null
};

/// Tasks on streams that have not ended.
class TaskCount {
 public:
  void increase();
  void decrease();
  /// Waits as for a lock, so that the monitor sees that this thread can't act.
  void wait_for_zero();

 private:
  std::mutex mutex_;
  std::condition_variable is_zero_;
  int count_ = 0;
};

struct Communicator {
  Communicator(Board* shared_board, int own_rank, int rank_count, int ordinal)
      : board(shared_board), rank(own_rank), ranks(rank_count), device(ordinal) {}

  Board* board;
  int rank;
  int ranks;
  int device;
  /// Shared with the tasks: the last one wakes the thread that deletes the communicator.
  std::shared_ptr<TaskCount> tasks = std::make_shared<TaskCount>();
  std::array<std::uint64_t, max_ranks> sends_to_peer = {};
  std::array<std::uint64_t, max_ranks> receives_from_peer = {};
  std::vector<std::unique_ptr<CustomReduction>> reductions;
  std::map<std::string, int> shrinkages;  ///< how many, by the excluded ranks
  std::uint64_t growths = 0;
  std::atomic<bool> is_revoked{false};
  std::atomic<bool> is_suspended{false};
  /// False after the end; shared with captured calls, which may be launched after it.
  std::shared_ptr<std::atomic<bool>> is_open = std::make_shared<std::atomic<bool>>(true);

  [[nodiscard]] RankState& state() const { return board->state(rank); }
};

/// A call with its operands.
struct Operation {
  Communicator* communicator = nullptr;
  void* stream = nullptr;
  const void* source = nullptr;
  void* destination = nullptr;
  Call call;
  PostedCall* posted_call = nullptr;
  const CustomReduction* custom_reduction = nullptr;
  std::string line{};  ///< of a captured call
};

/// The text of this thread's last error.
[[nodiscard]] std::string& last_error();
/// Sets the text, and the result of this thread's group if one is open. Returns the code.
int reject(Result code, const std::string& text);
/// Returns the result that a communicator's failure has for its rank, or success.
[[nodiscard]] Result failure_code_of(const Communicator& communicator);
/// As failure_code_of(), and rejects the call if the communicator has failed.
[[nodiscard]] int failure_of(const Communicator& communicator);

/// Makes a device's primary context current.
class CurrentDevice {
 public:
  explicit CurrentDevice(int ordinal);
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  ~CurrentDevice();

 private:
  bool is_set_;
};

}  // namespace skerry::emulation::nccl
