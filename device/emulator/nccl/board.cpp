// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/nccl/board.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <climits>
#include <functional>
#include <mutex>
#include <new>
#include <set>
#include <thread>

#include "device/emulator/nccl/settings.hpp"
#include "device/emulator/runtime/library_tasks.hpp"

namespace skerry::emulation::nccl {

namespace {

using clock = std::chrono::steady_clock;

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
