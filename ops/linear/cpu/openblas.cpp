// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/linear/cpu/openblas.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>

#include "core/errors.hpp"
#include "device/cpu/thread_pool.hpp"
#include "device/environment.hpp"
#include "device/memory_pressure.hpp"
#include "device/registry.hpp"
#include "ops/linear/library.hpp"

namespace skerry::blas {
namespace {

struct Library {
  std::mutex opening;
  std::string path;  ///< as set_library() named it
  Openblas entries{};
  std::atomic<bool> is_open{false};
  std::atomic<int> threads{0};        ///< as OpenBLAS was told
  std::atomic<int> ready_threads{0};  ///< so many threads have their stacks and buffers
};

/// Counts the calls that run, and keeps others from beginning.
class Gate {
 public:
  void enter() noexcept {
    std::uint32_t now = state_.load(std::memory_order_relaxed);
    for (;;) {
      if ((now & shut_bit) != 0 && !is_exiting_thread()) {
        state_.wait(now);
        now = state_.load();
      } else if (state_.compare_exchange_weak(now, now + 1)) {
        return;
      }
    }
  }
  void leave() noexcept {
    if (state_.fetch_sub(1) == shut_bit + 1) state_.notify_all();
  }
  /// Returns when no call runs.
  void shut() noexcept {
    std::uint32_t now = state_.fetch_or(shut_bit) | shut_bit;
    for (; now != shut_bit; now = state_.load()) state_.wait(now);
  }
  void open() noexcept {
    state_.fetch_and(~shut_bit);
    state_.notify_all();
  }
  /// The one thread that goes on: what static objects do in the end must not wait for ever.
  void shut_for_ever() noexcept {
    shut();
    exiting_.store(pthread_self());
    is_exiting_.store(true);
  }

 private:
  static constexpr std::uint32_t shut_bit = std::uint32_t{1} << 31;

  [[nodiscard]] bool is_exiting_thread() const noexcept {
    return is_exiting_.load() && pthread_equal(exiting_.load(), pthread_self()) != 0;
  }

  std::atomic<std::uint32_t> state_{0};
  std::atomic<bool> is_exiting_{false};
  std::atomic<pthread_t> exiting_{};
};
constinit Gate calls;

Library& the_library();

void open_after_fork() {
  the_library().ready_threads.store(
      0);  // OpenBLAS ends its threads before a fork, in the parent too
  calls.open();
}

/// After the library was opened: these run before its own handlers.
void register_handlers() {
  pthread_atfork([] { calls.shut(); }, open_after_fork, open_after_fork);
  // Rehearsed streams end the kernels that run, which may call again.
  std::atexit([] {
    shut_down();
    calls.shut_for_ever();
  });
}

/// Never destroyed: arrays may be worked on after main() has ended.
Library& the_library() {
  static auto* one = new Library;
  return *one;
}

template <class F>
void find(void* handle, const char* cblas, char letter, const char* name, F*& to) {
  std::string symbol = std::string("scipy_") + cblas + letter + name;
  if (*cblas == '\0') symbol += '_';
  to = reinterpret_cast<F*>(dlsym(handle, symbol.c_str()));
  if (to == nullptr) throw std::runtime_error("it lacks the function " + symbol);
}

template <class T>
void fill(void* handle, char letter, EntryPoints<T>& to) {
  constexpr bool is_complex = EntryPoints<T>::is_complex;
  find(handle, "cblas_", letter, "gemm", to.gemm);
  find(handle, "cblas_", letter, "gemv", to.gemv);
  find(handle, "cblas_", letter, "syrk", to.syrk);
  find(handle, "", letter, "getrf", to.getrf);
  find(handle, "", letter, "getrs", to.getrs);
  find(handle, "", letter, "potrf", to.potrf);
  find(handle, "", letter, "geqrf", to.geqrf);
  find(handle, "", letter, is_complex ? "ungqr" : "orgqr", to.orgqr);
  find(handle, "", letter, "gesdd", to.gesdd);
  find(handle, "", letter, is_complex ? "heevd" : "syevd", to.heevd);
  find(handle, "", letter, "geev", to.geev);
}

void* open(const std::string& named) {
  const char* from_environment = environment_text("SKERRY_OPENBLAS");
  for (const char* path :
       {named.empty() ? nullptr : named.c_str(), from_environment, "libscipy_openblas.so"}) {
    if (path == nullptr) continue;
    if (void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)) return handle;
  }
  const char* problem = dlerror();
  throw std::runtime_error(problem != nullptr ? problem : "unknown reason");
}

Openblas load(const std::string& named) {
  void* handle = open(named);
  Openblas found{};
  fill(handle, 's', found.s);
  fill(handle, 'd', found.d);
  fill(handle, 'c', found.c);
  fill(handle, 'z', found.z);
  found.set_num_threads =
      reinterpret_cast<void (*)(int)>(dlsym(handle, "scipy_openblas_set_num_threads"));
  if (found.set_num_threads == nullptr) throw std::runtime_error("it can't set its threads");
  return found;
}

/// Throws OutOfMemoryError unless so much may be mapped (RLIMIT_AS): OpenBLAS ends the process
/// where it lacks memory for a thread or a buffer.
void require_room(const char* op, std::size_t nbytes) {
  void* const got =
      mmap(nullptr, nbytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) {
    throw OutOfMemoryError(
        std::string(op) + ": OpenBLAS may need " + byte_text(nbytes) +
            " of addresses for its threads and buffers, more than the process may map; raise the "
            "limit (ulimit -v), or lower the number of threads",
        Device{}, nbytes);
  }
  munmap(got, nbytes);
}

constexpr std::size_t library_bytes = std::size_t{128} << 20;
/// A stack, a buffer (32 MiB) and what malloc keeps for a thread.
constexpr std::size_t thread_bytes = std::size_t{64} << 20;

void open_library(const char* op, Library& mine) {
  if (mine.is_open.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(mine.opening);
  if (mine.is_open.load(std::memory_order_relaxed)) return;
  require_room(op,
               library_bytes + thread_bytes * std::max(std::thread::hardware_concurrency(), 1u));
  try {
    mine.entries = load(mine.path);
    register_handlers();
  } catch (const std::runtime_error& problem) {
    throw LibraryError(std::string(op) + ": OpenBLAS can't be opened: " + problem.what() +
                       "; pip install scipy-openblas32, or name the file of its library in "
                       "SKERRY_OPENBLAS");
  }
  mine.is_open.store(true, std::memory_order_release);
}

/// Lets OpenBLAS start its threads and get their buffers and the caller's, while that can be
/// refused.
void prepare_threads(const char* op, Library& mine, int threads) {
  struct InsideGate {
    InsideGate() noexcept { calls.enter(); }
    ~InsideGate() { calls.leave(); }
  };
  const InsideGate no_fork;
  const std::lock_guard lock(mine.opening);
  if (mine.ready_threads.load() >= threads) return;
  require_room(op, thread_bytes * static_cast<std::size_t>(threads));
  mine.entries.set_num_threads(threads);
  mine.threads.store(threads);
  // Larger than what OpenBLAS multiplies without a buffer.
  constexpr integer n = 128;
  const std::vector<float32> zeros(static_cast<std::size_t>(n * n));
  std::vector<float32> product(zeros.size());
  mine.entries.s.gemm(row_major, plain, plain, n, n, n, 1, zeros.data(), n, zeros.data(), n, 0,
                      product.data(), n);
  mine.ready_threads.store(threads);
}

}  // namespace

void set_library(const char* path) {
  Library& mine = the_library();
  const std::lock_guard lock(mine.opening);
  mine.path = path;
}

void require(const char* op) {
  Library& mine = the_library();
  const int threads = cpu::thread_count();
  if (mine.ready_threads.load(std::memory_order_acquire) >= threads) return;
  open_library(op, mine);
  prepare_threads(op, mine, threads);
}

OneCall use() noexcept { return OneCall(cpu::thread_count()); }

OneCall::OneCall(int threads) noexcept {
  calls.enter();
  Library& mine = the_library();
  if (mine.threads.load(std::memory_order_relaxed) != threads) {
    const std::lock_guard lock(mine.opening);
    mine.entries.set_num_threads(threads);
    mine.threads.store(threads, std::memory_order_relaxed);
  }
  library_ = &mine.entries;
}

OneCall::~OneCall() { calls.leave(); }

}  // namespace skerry::blas
