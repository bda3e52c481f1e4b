// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/thread_pool.hpp"

#include "device/environment.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device/guard/note.hpp"

namespace skerry::cpu {

namespace {

using range_body = void (*)(void* context, std::int64_t begin, std::int64_t end) noexcept;

constexpr int max_threads = 1024;
constexpr int chunks_per_thread = 4;         // balances cores of unequal speed
constexpr std::int64_t chunk_multiple = 64;  // no two threads write one cache line
constexpr auto spin_time = std::chrono::microseconds(50);

void pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");  // takes about as long as x86's pause; `yield` does nothing on most cores
#endif
}

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void futex_wake(std::atomic<std::uint32_t>& word, int threads) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
}

/// Spins until `done` returns true; returns false after `spin_time`.
template <class Predicate>
bool spin_until(Predicate done) noexcept {
  const auto start = std::chrono::steady_clock::now();
  do {
    for (int i = 0; i < 32; ++i) {
      if (done()) return true;
      pause();
    }
  } while (std::chrono::steady_clock::now() - start < spin_time);
  return done();
}

// Layout of the gate: bit 0 is set while workers may join the task, the next 11 bits count the
// workers inside, and the remaining bits are the task number. A worker that wakes up late finds the
// gate shut, so the caller waits only for workers inside, never for sleeping ones. A task's fields
// are written only while the gate is shut and no worker is inside.
constexpr std::uint32_t gate_open = 1;
constexpr std::uint32_t one_inside = 2;
constexpr std::uint32_t inside_mask = 0x7ff << 1;
constexpr std::uint32_t one_task = 1u << 12;

struct Pool {
  alignas(64) std::atomic<std::uint32_t> gate{0};
  std::atomic<int> sleepers{0};
  alignas(64) std::atomic<std::int64_t> next_chunk{0};
  alignas(64) std::atomic<std::uint32_t> finished{0};
  std::atomic<bool> caller_sleeps{false};
  alignas(64) std::atomic<bool> busy{false};
  // Written by the thread that set `busy`.
  int workers = 0;
  int allowed = 0;  ///< workers with a smaller number may join this task
  int useful = 0;   ///< how many of them can get a chunk
  range_body body = nullptr;
  void* context = nullptr;
  std::int64_t count = 0;
  std::int64_t chunk = 0;
  const guard::CallNote* note = nullptr;  ///< the caller's

  void run_chunks() noexcept;
  void run_worker(int number) noexcept;
  void exit_gate() noexcept;
  std::uint32_t wait_for_task(std::uint32_t last_gate_value) noexcept;
  void start_workers(int worker_count) noexcept;
  void open() noexcept;
  void shut() noexcept;
};

struct WorkerArguments {
  Pool* pool;
  int number;
};

constinit std::atomic<Pool*> current{nullptr};
constinit std::atomic<int> requested_threads{0};  // 0: not yet determined

void Pool::run_chunks() noexcept {
  for (;;) {
    const std::int64_t index = next_chunk.fetch_add(1, std::memory_order_relaxed);
    // Compare by division: index * chunk could overflow past the end.
    if (index > (count - 1) / chunk) return;
    const std::int64_t begin = index * chunk;
    body(context, begin, count - begin < chunk ? count : begin + chunk);
  }
}

/// Waits until the gate opens for a task newer than that of `last_gate_value`; returns the gate's
/// new value.
std::uint32_t Pool::wait_for_task(std::uint32_t last_gate_value) noexcept {
  std::uint32_t gate_value = 0;
  const auto is_new = [&] {
    gate_value = gate.load();
    return (gate_value & gate_open) != 0 && gate_value / one_task != last_gate_value / one_task;
  };
  while (!spin_until(is_new)) {
    sleepers.fetch_add(1);
    if (!is_new()) futex_wait(gate, gate_value);
    sleepers.fetch_sub(1);
  }
  return gate_value;
}

void Pool::exit_gate() noexcept {
  const std::uint32_t old_gate_value = gate.fetch_sub(one_inside);
  if ((old_gate_value & inside_mask) == one_inside && caller_sleeps.load()) {
    finished.fetch_add(1);
    futex_wake(finished, 1);
  }
}

void Pool::run_worker(int number) noexcept {
  std::uint32_t gate_value = 0;
  for (;;) {
    gate_value = wait_for_task(gate_value);
    if (!gate.compare_exchange_strong(gate_value, gate_value + one_inside)) {
      // Another worker entered or left, or the gate was shut: check the same task again.
      gate_value -= one_task;
      continue;
    }
    if (number < allowed) {
      guard::current_note = note;
      run_chunks();
      guard::current_note = nullptr;
    }
    exit_gate();
  }
}

void* worker_main(void* raw) {
  const WorkerArguments arguments = *static_cast<WorkerArguments*>(raw);
  std::free(raw);
  arguments.pool->run_worker(arguments.number);
  return nullptr;
}

bool start_worker(Pool* pool, int number) noexcept {
  void* memory = std::malloc(sizeof(WorkerArguments));
  if (memory == nullptr) return false;
  auto* arguments = new (memory) WorkerArguments{pool, number};
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  const bool started = pthread_create(&thread, &attributes, worker_main, arguments) == 0;
  pthread_attr_destroy(&attributes);
  if (!started) std::free(memory);
  return started;
}

void Pool::start_workers(int worker_count) noexcept {
  if (workers >= worker_count) return;
  // Block signals in workers, so that the program's own threads receive them, Ctrl-C in particular.
  // Not those of a worker's own faults: while they are blocked, the kernel ends the process without
  // calling the handlers of faulthandler and of the guard allocator.
  sigset_t blocked;
  sigset_t old_mask;
  sigfillset(&blocked);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS})
    sigdelset(&blocked, signal);
  pthread_sigmask(SIG_SETMASK, &blocked, &old_mask);
  while (workers < worker_count && start_worker(this, workers)) ++workers;
  pthread_sigmask(SIG_SETMASK, &old_mask, nullptr);
}

void Pool::open() noexcept {
  next_chunk.store(0, std::memory_order_relaxed);
  gate.store((gate.load() & ~inside_mask) + one_task + gate_open);
  // A worker increments `sleepers` before the futex compares the gate, so no wake-up is lost.
  if (sleepers.load() > 0) futex_wake(gate, workers > allowed ? INT_MAX : useful);
}

/// Closes the gate and waits until no worker is inside.
void Pool::shut() noexcept {
  gate.fetch_and(~gate_open);
  const auto is_empty = [&] { return (gate.load() & inside_mask) == 0; };
  if (spin_until(is_empty)) return;
  caller_sleeps.store(true);
  for (;;) {
    const std::uint32_t ticket = finished.load();
    if (is_empty()) break;
    futex_wait(finished, ticket);
  }
  caller_sleeps.store(false);
}

Pool* current_pool() noexcept {
  Pool* pool = current.load(std::memory_order_acquire);
  if (pool != nullptr) return pool;
  void* memory = std::aligned_alloc(alignof(Pool), sizeof(Pool));
  if (memory == nullptr) return nullptr;
  auto* new_pool = new (memory) Pool;
  if (current.compare_exchange_strong(pool, new_pool, std::memory_order_acq_rel)) return new_pool;
  std::free(memory);
  return pool;
}

/// The pool that a forked child abandons: the parent's threads do not exist in the child, and one
/// of them may have been using the pool. The pointer keeps it reachable for leak checkers.
[[maybe_unused]] constinit Pool* abandoned = nullptr;
void discard_pool_in_child() { abandoned = current.exchange(nullptr); }

[[maybe_unused]] const int fork_handler = pthread_atfork(nullptr, nullptr, discard_pool_in_child);

int usable_cores() noexcept {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) return CPU_COUNT(&cores);
  return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
}

int default_thread_count() noexcept {
  int n = 0;
  if (const char* value = environment_text("SKERRY_NUM_THREADS")) {
    const char* end = value + std::strlen(value);
    const auto [stop, error_code] = std::from_chars(value, end, n);
    if (error_code != std::errc{} || stop != end || n < 1 || n > max_threads) n = 0;
  }
  return std::clamp(n > 0 ? n : usable_cores(), 1, max_threads);
}

/// Returns the chunk length: `chunks_per_thread` chunks per thread, but at least `grain_size`.
std::int64_t chunk_length(std::int64_t count, std::int64_t grain_size, int threads) noexcept {
  const std::int64_t chunks = static_cast<std::int64_t>(threads) * chunks_per_thread;
  std::int64_t length = std::max(count / chunks + (count % chunks != 0), grain_size);
  if (length >= chunk_multiple && length % chunk_multiple != 0) {
    length += chunk_multiple - length % chunk_multiple;
  }
  return length;
}

}  // namespace

int thread_count() noexcept {
  int n = requested_threads.load(std::memory_order_relaxed);
  if (n != 0) return n;
  requested_threads.compare_exchange_strong(n, default_thread_count());
  return requested_threads.load();
}

void set_thread_count(int n) noexcept { requested_threads.store(std::clamp(n, 1, max_threads)); }

void parallel_for(std::int64_t count, std::int64_t grain_size, range_body body,
                  void* context) noexcept {
  if (count <= 0) return;
  grain_size = std::max<std::int64_t>(grain_size, 1);
  const int threads = count <= grain_size ? 1 : thread_count();
  Pool* pool = threads == 1 ? nullptr : current_pool();
  if (pool == nullptr || pool->busy.load(std::memory_order_relaxed) ||
      pool->busy.exchange(true, std::memory_order_acquire)) {
    return body(context, 0, count);
  }
  pool->start_workers(threads - 1);
  pool->chunk = chunk_length(count, grain_size, threads);
  pool->allowed = threads - 1;
  pool->useful = static_cast<int>(std::min<std::int64_t>(threads - 1, (count - 1) / pool->chunk));
  pool->body = body;
  pool->context = context;
  pool->count = count;
  pool->note = guard::current_note;
  pool->open();
  pool->run_chunks();
  pool->shut();
  pool->busy.store(false, std::memory_order_release);
}

}  // namespace skerry::cpu
