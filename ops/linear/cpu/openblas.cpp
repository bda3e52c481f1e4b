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
  std::string path;  ///< as set by set_library()
  Openblas entries{};
  std::atomic<bool> is_open{false};
  std::atomic<int> threads{0};        ///< as set in OpenBLAS
  std::atomic<int> ready_threads{0};  ///< number of threads that have stacks and buffers
};

/// Counts running calls, and can block new ones.
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
  void exit() noexcept {
    if (state_.fetch_sub(1) == shut_bit + 1) state_.notify_all();
  }
  /// Blocks new calls and waits for running ones.
  void shut() noexcept {
    std::uint32_t now = state_.fetch_or(shut_bit) | shut_bit;
    for (; now != shut_bit; now = state_.load()) state_.wait(now);
  }
  void open() noexcept {
    state_.fetch_and(~shut_bit);
    state_.notify_all();
  }
  /// Like shut(), but later calls of the exiting thread pass: destructors of static objects must
  /// not block forever.
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
  // OpenBLAS ends its threads before a fork, in the parent, too.
  the_library().ready_threads.store(0);
  calls.open();
}

/// Registers handlers for fork and exit. Called after OpenBLAS was opened, so that they run before
/// its own.
void register_handlers() {
  pthread_atfork([] { calls.shut(); }, open_after_fork, open_after_fork);
  // shut_down() waits for kernels of rehearsed streams, which may still call the library.
  std::atexit([] {
    shut_down();
    calls.shut_for_ever();
  });
}

/// Never destroyed: arrays may be used after main() has returned.
Library& the_library() {
  static auto* one = new Library;
  return *one;
}

template <class F>
void find(void* handle, const char* cblas, char type_prefix, const char* name, F*& function) {
  std::string symbol = std::string("scipy_") + cblas + type_prefix + name;
  if (*cblas == '\0') symbol += '_';
  function = reinterpret_cast<F*>(dlsym(handle, symbol.c_str()));
  if (function == nullptr) throw std::runtime_error("it lacks the function " + symbol);
}

template <class T>
void fill(void* handle, char type_prefix, EntryPoints<T>& entry_points) {
  constexpr bool is_complex = EntryPoints<T>::is_complex;
  find(handle, "cblas_", type_prefix, "gemm", entry_points.gemm);
  find(handle, "cblas_", type_prefix, "gemv", entry_points.gemv);
  find(handle, "cblas_", type_prefix, "syrk", entry_points.syrk);
  find(handle, "", type_prefix, "getrf", entry_points.getrf);
  find(handle, "", type_prefix, "getrs", entry_points.getrs);
  find(handle, "", type_prefix, "potrf", entry_points.potrf);
  find(handle, "", type_prefix, "geqrf", entry_points.geqrf);
  find(handle, "", type_prefix, is_complex ? "ungqr" : "orgqr", entry_points.orgqr);
  find(handle, "", type_prefix, "gesdd", entry_points.gesdd);
  find(handle, "", type_prefix, is_complex ? "heevd" : "syevd", entry_points.heevd);
  find(handle, "", type_prefix, "geev", entry_points.geev);
}

void* open(const std::string& named) {
  const char* from_environment = environment_text("SKERRY_OPENBLAS");
  for (const char* path :
       {named.empty() ? nullptr : named.c_str(), from_environment, "libscipy_openblas.so"}) {
    if (path == nullptr) continue;
    if (void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)) return handle;
  }
  const char* error_message = dlerror();
  throw std::runtime_error(error_message != nullptr ? error_message : "unknown reason");
}

Openblas load(const std::string& named) {
  void* handle = open(named);
  Openblas openblas{};
  fill(handle, 's', openblas.s);
  fill(handle, 'd', openblas.d);
  fill(handle, 'c', openblas.c);
  fill(handle, 'z', openblas.z);
  openblas.set_num_threads =
      reinterpret_cast<void (*)(int)>(dlsym(handle, "scipy_openblas_set_num_threads"));
  if (openblas.set_num_threads == nullptr)
    throw std::runtime_error("it lacks the function scipy_openblas_set_num_threads");
  return openblas;
}

/// Throws OutOfMemoryError unless `nbytes` of address space can be mapped (RLIMIT_AS): OpenBLAS
/// terminates the process if it lacks memory for a thread or a buffer.
void require_address_space(std::size_t nbytes) {
  void* const got =
      mmap(nullptr, nbytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) {
    throw OutOfMemoryError("OpenBLAS may need " + byte_text(nbytes) +
                               " of address space for its threads and buffers, more than the "
                               "process may map; raise the "
                               "limit (ulimit -v), or lower the number of threads",
                           Device{}, nbytes);
  }
  munmap(got, nbytes);
}

constexpr std::size_t library_bytes = std::size_t{128} << 20;
/// A stack, a buffer (32 MiB) and malloc's arena of a thread.
constexpr std::size_t thread_bytes = std::size_t{64} << 20;

void open_library(Library& library) {
  if (library.is_open.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(library.opening);
  if (library.is_open.load(std::memory_order_relaxed)) return;
  require_address_space(library_bytes +
                        thread_bytes * std::max(std::thread::hardware_concurrency(), 1u));
  try {
    library.entries = load(library.path);
    register_handlers();
  } catch (const std::runtime_error& error) {
    throw LibraryError(std::string("OpenBLAS can't be opened: ") + error.what() +
                       "; pip install scipy-openblas32, or set SKERRY_OPENBLAS to the path "
                       "of the library");
  }
  library.is_open.store(true, std::memory_order_release);
}

/// Makes OpenBLAS start its threads and allocate all buffers while a failure can still be reported.
void prepare_threads(Library& library, int threads) {
  struct InsideGate {
    InsideGate() noexcept { calls.enter(); }
    ~InsideGate() { calls.exit(); }
  };
  const InsideGate no_fork;
  const std::lock_guard lock(library.opening);
  if (library.ready_threads.load() >= threads) return;
  require_address_space(thread_bytes * static_cast<std::size_t>(threads));
  library.entries.set_num_threads(threads);
  library.threads.store(threads);
  // Larger than what OpenBLAS multiplies without a buffer.
  constexpr integer n = 128;
  const std::vector<float32> zeros(static_cast<std::size_t>(n * n));
  std::vector<float32> product(zeros.size());
  library.entries.s.gemm(row_major, not_transposed, not_transposed, n, n, n, 1, zeros.data(), n,
                         zeros.data(), n, 0, product.data(), n);
  library.ready_threads.store(threads);
}

}  // namespace

void set_library(const char* path) {
  Library& library = the_library();
  const std::lock_guard lock(library.opening);
  library.path = path;
}

void require() {
  Library& library = the_library();
  const int threads = cpu::thread_count();
  if (library.ready_threads.load(std::memory_order_acquire) >= threads) return;
  open_library(library);
  prepare_threads(library, threads);
}

OneCall use() noexcept { return OneCall(cpu::thread_count()); }

OneCall::OneCall(int threads) noexcept {
  calls.enter();
  Library& library = the_library();
  if (library.threads.load(std::memory_order_relaxed) != threads) {
    const std::lock_guard lock(library.opening);
    library.entries.set_num_threads(threads);
    library.threads.store(threads, std::memory_order_relaxed);
  }
  library_ = &library.entries;
}

OneCall::~OneCall() { calls.exit(); }

}  // namespace skerry::blas
