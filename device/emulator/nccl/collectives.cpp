// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/nccl/collectives.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <string>

#include "device/emulator/nccl/links.hpp"
#include "device/emulator/nccl/meetings.hpp"
#include "device/emulator/nccl/positions.hpp"
#include "device/emulator/nccl/reduction.hpp"
#include "device/emulator/nccl/waits.hpp"

namespace skerry::emulation::nccl {

namespace {

Reduction reduction_of(const Operation& operation) {
  const Communicator& communicator = *operation.communicator;
  const Call& call = operation.call;
  Reduction reduction{.type = call.type, .operation = call.reduction, .factor = {}, .order = {}};
  reduction.order.resize(static_cast<std::size_t>(communicator.ranks));
  std::iota(reduction.order.begin(), reduction.order.end(), 0);
  if (const auto seed = current_settings().order_seed) {
    // All ranks use the same numbers, hence the same order.
    std::mt19937_64 numbers(*seed * 1'000'003 + operation.posted_call->number);
    std::shuffle(reduction.order.begin(), reduction.order.end(), numbers);
    reduction.rounds_partial_results = true;
  }
  if (const CustomReduction* const custom = operation.custom_reduction; custom != nullptr) {
    reduction.operation = premultiplied_sum;
    reduction.factor = custom->factor;
    if (custom->device_factor != nullptr)
      std::memcpy(reduction.factor.data(), custom->device_factor, size_of(custom->type));
  }
  return reduction;
}

/// True if a requested fault ends the rank's part in this call.
bool inject_fault(const Operation& operation) {
  const Communicator& communicator = *operation.communicator;
  Board& board = *communicator.board;
  for (const Fault& fault : current_settings().faults) {
    if (fault.kind == Fault::Kind::slow || fault.rank != communicator.rank ||
        fault.call != operation.posted_call->number + 1) {
      continue;
    }
    std::string text = "requested fault: rank " + std::to_string(fault.rank) +
                       (fault.kind == Fault::Kind::dead ? " is dead in" : " aborts") +
                       " collective call number " + std::to_string(fault.call);
    {
      const BoardLock lock(board);
      if (board.error == success) board.is_aborted = true;
      if (fault.kind == Fault::Kind::abort) fail(board, remote_error, -1, text);
    }
    static_cast<void>(wait(board, communicator.device,
                           {.is_met = [] { return false; },
                            .missing_ranks = [&] { return std::vector<int>{fault.rank}; },
                            .description = [&] { return text; }}));
    return true;
  }
  return false;
}

/// One rank's part in a collective call: where its results are read from and written to.
class Collective {
 public:
  explicit Collective(const Operation& operation)
      : operation_(operation),
        communicator_(*operation.communicator),
        reader_(communicator_),
        ranks_(static_cast<std::size_t>(communicator_.ranks)),
        own_rank_(static_cast<std::size_t>(communicator_.rank)),
        count_(operation.call.count),
        itemsize_(size_of(operation.call.type)),
        nbytes_(count_ * itemsize_) {}

  /// Reads the other ranks' memory. Writes only memory that no other rank reads.
  void read() {
    const int root = operation_.call.peer;
    const bool is_root = communicator_.rank == root;
    switch (operation_.call.function) {
      case Function::all_reduce:
        return reduce_to_scratch(segment_begin(own_rank_), segment_begin(own_rank_ + 1));
      case Function::reduce_scatter:
        return reduce_to_scratch(own_rank_ * count_, (own_rank_ + 1) * count_);
      case Function::reduce:
        if (is_root) reduce_to_scratch(0, count_);
        return;
      case Function::all_to_all:
        scratch_.resize(ranks_ * nbytes_);
        for (std::size_t rank = 0; rank < ranks_; ++rank) {
          copy(rank, scratch_.data() + rank * nbytes_, own_rank_ * nbytes_, nbytes_);
        }
        return;
      case Function::broadcast:
        return copy(static_cast<std::size_t>(root), destination(), 0, nbytes_);
      case Function::scatter:
        return copy(static_cast<std::size_t>(root), destination(), own_rank_ * nbytes_, nbytes_);
      case Function::gather:
        if (is_root) gather();
        return;
      default:
        return gather();
    }
  }

  [[nodiscard]] const void* scratch() const { return scratch_.data(); }

  /// Writes the results of which other ranks have read the inputs.
  void write() {
    if (operation_.call.function != Function::all_reduce) {
      if (!scratch_.empty()) std::memcpy(destination(), scratch_.data(), scratch_.size());
      return;
    }
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      const std::size_t begin = segment_begin(rank);
      reader_.copy(static_cast<int>(rank), destination() + begin * itemsize_, post_of(rank).scratch,
                   (segment_begin(rank + 1) - begin) * itemsize_);
    }
  }

 private:
  [[nodiscard]] const PostedCall& post_of(std::size_t rank) const {
    return communicator_.board->states[rank].post(collectives, operation_.posted_call->number);
  }
  [[nodiscard]] const std::byte* data_of(std::size_t rank) const {
    return static_cast<const std::byte*>(post_of(rank).data);
  }
  [[nodiscard]] std::byte* destination() const {
    return static_cast<std::byte*>(operation_.destination);
  }
  /// Rank k reduces segment k of an all-reduce.
  [[nodiscard]] std::size_t segment_begin(std::size_t rank) const {
    return count_ / ranks_ * rank + std::min(rank, count_ % ranks_);
  }

  void copy(std::size_t rank, std::byte* target, std::size_t offset, std::size_t nbytes) {
    const std::byte* const source = data_of(rank) + offset;
    if (source != target) reader_.copy(static_cast<int>(rank), target, source, nbytes);
  }

  void gather() {
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      copy(rank, destination() + rank * nbytes_, 0, nbytes_);
    }
  }

  void reduce_to_scratch(std::size_t first, std::size_t last) {
    scratch_.resize((last - first) * itemsize_);
    const ElementReader elements = [&](int rank, std::size_t begin, std::size_t count) {
      return reader_.view(rank, data_of(static_cast<std::size_t>(rank)) + begin * itemsize_,
                          count * itemsize_);
    };
    reduce_range(reduction_of(operation_), elements, first, last, scratch_.data());
  }

  const Operation& operation_;
  const Communicator& communicator_;
  RankReader reader_;
  std::size_t ranks_;
  std::size_t own_rank_;
  std::size_t count_;
  std::size_t itemsize_;
  std::size_t nbytes_;
  std::vector<std::byte> scratch_;
};

}  // namespace

bool run_collective(const Operation& operation) {
  if (inject_fault(operation)) return false;
  Board& board = *operation.communicator->board;
  advance(board, *operation.posted_call, arrived, operation.source);
  if (!meet(operation, collectives, arrived)) return false;
  // Deleted when all ranks have read its scratch memory. After a failure, which a communicator has
  // once, nothing tells when those that still read it have ended: it is leaked.
  auto* const collective = new Collective(operation);
  collective->read();
  advance(board, *operation.posted_call, computed, collective->scratch());
  if (!meet(operation, collectives, computed)) return false;
  collective->write();
  advance(board, *operation.posted_call, done, nullptr);
  if (!meet(operation, collectives, done)) return false;
  delete collective;
  const BoardLock lock(board);
  operation.communicator->state().finished[collectives] = operation.posted_call->number + 1;
  notify(board);
  return true;
}

std::vector<AccessedRange> ranges_of(const Operation& operation) {
  const auto ranks = static_cast<std::size_t>(operation.communicator->ranks);
  const std::size_t nbytes = operation.call.count * size_of(operation.call.type);
  const bool is_root = operation.call.peer == operation.communicator->rank;
  std::size_t read_nbytes = nbytes;
  std::size_t written_nbytes = nbytes;
  switch (operation.call.function) {
    case Function::all_gather:
      written_nbytes *= ranks;
      break;
    case Function::reduce_scatter:
      read_nbytes *= ranks;
      break;
    case Function::all_to_all:
      read_nbytes *= ranks;
      written_nbytes *= ranks;
      break;
    case Function::reduce:
      if (!is_root) written_nbytes = 0;
      break;
    case Function::broadcast:
      if (!is_root) read_nbytes = 0;
      break;
    case Function::gather:
      written_nbytes = is_root ? written_nbytes * ranks : 0;
      break;
    case Function::scatter:
      read_nbytes = is_root ? read_nbytes * ranks : 0;
      break;
    case Function::send:
      written_nbytes = 0;
      break;
    case Function::receive:
      read_nbytes = 0;
      break;
    default:
      break;
  }
  std::vector<AccessedRange> ranges;
  if (read_nbytes != 0) ranges.push_back({operation.source, read_nbytes, RangeAccess::read});
  if (written_nbytes != 0)
    ranges.push_back({operation.destination, written_nbytes, RangeAccess::write});
  return ranges;
}

}  // namespace skerry::emulation::nccl
