// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/nccl/board.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <climits>
#include <ctime>
#include <mutex>
#include <new>
#include <set>
#include <thread>

#include "device/emulator/nccl/positions.hpp"
#include "device/emulator/nccl/settings.hpp"
#include "device/emulator/runtime/library_tasks.hpp"

namespace skerry::emulation::nccl {

namespace {

using clock = std::chrono::steady_clock;

/// How often a waiting rank looks whether the processes of the missing ones still exist.
constexpr timespec poll_interval{0, 50'000'000};
/// Programs that are right may wait longer, so this is not the time limit.
constexpr double notice_seconds = 1.5;

/// Waits for the process that creates a board. False after the time limit: it has failed or ended.
bool wait_for_creator(const std::function<bool()>& is_met) {
  const auto begin = clock::now();
  const std::chrono::duration<double> limit(current_settings().timeout_seconds);
  while (!is_met()) {
    if (clock::now() - begin > limit) return false;
    std::this_thread::yield();
  }
  return true;
}

/// True for a zombie too, whose parent has not waited for it yet.
bool has_ended(int process) {
  const auto file = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (file < 0) return errno == ESRCH;
  pollfd end{file, POLLIN, 0};
  const bool ended = poll(&end, 1, 0) == 1;
  close(file);
  return ended;
}

void create_mutex(Board& board) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&board.mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

/// Names that this process would leave in /dev/shm if it exited before all ranks have joined.
class OpenNames {
 public:
  void add(const std::string& name) {
    const std::lock_guard lock(mutex_);
    names_.insert(name);
  }
  void remove(const std::string& name) {
    const std::lock_guard lock(mutex_);
    names_.erase(name);
  }
  ~OpenNames() {
    for (const std::string& name : names_) shm_unlink(name.c_str());
  }

 private:
  std::mutex mutex_;
  std::set<std::string> names_;
};
OpenNames open_names;

/// Returns why one of the missing ranks will never come, or an empty text.
std::string reason_of(const Board& board, const std::vector<int>& missing_ranks) {
  for (const int rank : missing_ranks) {
    const RankState& state = board.state(rank);
    if (state.process != 0 && state.process != getpid() && has_ended(state.process)) {
      return "process " + std::to_string(state.process) + " of rank " + std::to_string(rank) +
             " has ended";
    }
    if (state.has_left) return "rank " + std::to_string(rank) + " has left the communicator";
  }
  return {};
}

/// Returns what a rank waits for, and the positions of the missing ones.
std::string text_of(const Board& board, const Condition& condition,
                    const std::vector<int>& missing_ranks, const std::string& reason) {
  std::string text = condition.description() + "; " + reason + ":";
  for (const int rank : missing_ranks) text += "\n  " + position_of(board, rank);
  return text;
}

/// True for the first call with a board in this process.
bool is_first_notice(const Board& board) {
  static auto* const mutex = new std::mutex;  // leaked: threads of streams may outlive main()
  static auto* const noticed_names = new std::set<std::string>;
  const std::lock_guard lock(*mutex);
  return noticed_names->insert(board.name.data()).second;
}

/// Prints what a rank waits for after some time, once for each communicator. Requires the lock.
void explain_wait(const Board& board, int device, const Condition& condition, double seconds) {
  if (seconds < notice_seconds || !is_first_notice(board)) return;
  explain_collective(device, text_of(board, condition, condition.missing_ranks(),
                                     "this takes more than 1.5 s, the call goes on waiting"));
}

/// Fails the board if the condition can't be met any more. Requires the lock.
bool is_hopeless(Board& board, int device, const Condition& condition, double seconds) {
  const std::vector<int> missing_ranks = condition.missing_ranks();
  std::string reason = reason_of(board, missing_ranks);
  const double limit = current_settings().timeout_seconds;
  if (reason.empty() && seconds > limit) {
    reason = "nothing happened for " + std::to_string(static_cast<long>(limit)) + " s";
  }
  if (reason.empty()) return false;
  fail(board, remote_error, -1, text_of(board, condition, missing_ranks, reason));
  report_failure(board, device);
  return true;
}

/// Maps a board's file and closes it. Null: it can't be mapped, or remains empty.
Board* map_board(int file, bool is_creator) {
  // Between the creator's two calls the file is empty.
  const bool has_size = is_creator ? ftruncate(file, sizeof(Board)) == 0
                                   : wait_for_creator([&] { return lseek(file, 0, SEEK_END) > 0; });
  void* const data = has_size
                         ? mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                         : MAP_FAILED;
  close(file);
  return data == MAP_FAILED ? nullptr : static_cast<Board*>(data);
}

}  // namespace

Board* open_board(const std::string& name) {
  const std::string path = "/" + name;
  open_names.add(path);
  const int created = shm_open(path.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
  const bool is_creator = created >= 0;
  const int file = is_creator ? created : shm_open(path.c_str(), O_RDWR, 0600);
  Board* const board = file < 0 ? nullptr : map_board(file, is_creator);
  if (board == nullptr) {
    if (is_creator) shm_unlink(path.c_str());
    return nullptr;
  }
  if (is_creator) {  // the file's zeros are the other members' initial state
    create_mutex(*board);
    board->guilty_rank = -1;
    set_text(board->name, name);
    board->is_ready = 1;
  }
  if (!wait_for_creator([&] { return board->is_ready != 0; })) {
    close_board(board);
    return nullptr;
  }
  return board;
}

void close_board(Board* board) { munmap(board, sizeof(Board)); }

void remove_name(const Board& board) {
  const std::string path = std::string("/") + board.name.data();
  shm_unlink(path.c_str());
  open_names.remove(path);
}

BoardLock::BoardLock(Board& board) : board_(board) {
  if (pthread_mutex_lock(&board.mutex) == EOWNERDEAD) pthread_mutex_consistent(&board.mutex);
}
BoardLock::~BoardLock() { pthread_mutex_unlock(&board_.mutex); }

void notify(Board& board) {
  board.version.fetch_add(1);
  syscall(SYS_futex, &board.version, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

bool wait(Board& board, int device, const Condition& condition) {
  const auto begin = clock::now();
  for (;;) {
    std::uint32_t version = 0;
    {
      const BoardLock lock(board);
      if (board.error != success) {
        report_failure(board, device);
        return false;
      }
      if (condition.is_met()) return true;
      version = board.version.load();
      const std::chrono::duration<double> waited = clock::now() - begin;
      if (is_hopeless(board, device, condition, waited.count())) return false;
      explain_wait(board, device, condition, waited.count());
    }
    syscall(SYS_futex, &board.version, FUTEX_WAIT, version, &poll_interval, nullptr, 0);
  }
}

void fail(Board& board, Result code, int guilty_rank, const std::string& text) {
  if (board.error != success) return;
  set_text(board.error_text, text);
  board.guilty_rank = guilty_rank;
  board.error = code;
  notify(board);
}

void report_failure(const Board& board, int device) {
  static auto* const mutex = new std::mutex;  // leaked: threads of streams may outlive main()
  static auto* const reported_names = new std::set<std::string>;
  if (board.is_aborted) return;
  {
    const std::lock_guard lock(*mutex);
    if (!reported_names->insert(board.name.data()).second) return;
  }
  report_collective(device, board.error_text.data());
}

}  // namespace skerry::emulation::nccl
