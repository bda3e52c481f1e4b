// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Replaces ducc's threading.cc and runs its parallel loops on skerry's thread pool. A pool of
// ducc's own would lose its threads in a forked child.

#include <algorithm>
#include <atomic>
#include <exception>
#include <utility>

#include <pthread.h>

#include "device/cpu/thread_pool.hpp"
#include "ducc0/infra/threading.h"

/// Keeps ducc from registering destructors to run at exit, when threads may still use its plan
/// cache. Only ducc's translation units see this function, since all their symbols become local.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" int __cxa_atexit(void (*)(void*), void*, void*) noexcept { return 0; }

namespace DUCC0_NAMESPACE::detail_threading {
namespace {

pthread_mutex_t plans = PTHREAD_MUTEX_INITIALIZER;
[[maybe_unused]] const int fork_handler = pthread_atfork(Mutex::lock, Mutex::unlock, Mutex::unlock);

/// One of several equal shares of a loop.
class Share final : public Scheduler {
 public:
  Share(std::size_t count, std::size_t number, Range range)
      : count_(count), number_(number), range_(range) {}
  [[nodiscard]] std::size_t num_threads() const override { return count_; }
  [[nodiscard]] std::size_t thread_num() const override { return number_; }
  Range getNext() override { return std::exchange(range_, Range()); }

 private:
  std::size_t count_;
  std::size_t number_;
  Range range_;
};

/// Stores the first exception thrown by any share, for the loop to rethrow.
class FirstException {
 public:
  void keep() noexcept {
    if (!met_.exchange(true)) exception_ = std::current_exception();
  }
  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  std::atomic<bool> met_{false};
  std::exception_ptr exception_;
};

template <class Body>
void run_shares(std::size_t count, Body&& body) {
  FirstException first_exception;
  skerry::cpu::parallel_for(static_cast<std::int64_t>(count), 1,
                            [&](std::int64_t begin, std::int64_t end) {
                              for (std::int64_t i = begin; i < end; ++i) {
                                try {
                                  body(static_cast<std::size_t>(i));
                                } catch (...) {
                                  first_exception.keep();
                                }
                              }
                            });
  first_exception.rethrow();
}

/// Returns part `number` of `size` elements in `count` nearly equal parts.
Range part_of(std::size_t size, std::size_t count, std::size_t number) {
  return {size / count * number + std::min(size % count, number),
          size / count * (number + 1) + std::min(size % count, number + 1)};
}

}  // namespace

void Mutex::lock() { pthread_mutex_lock(&plans); }
void Mutex::unlock() { pthread_mutex_unlock(&plans); }

std::size_t adjust_nthreads(std::size_t nthreads) { return std::max<std::size_t>(nthreads, 1); }

void execParallel(std::size_t nthreads, std::function<void(Scheduler&)> func) {
  run_shares(nthreads, [&](std::size_t number) {
    Share scheduler(nthreads, number, Range());
    func(scheduler);
  });
}

void execParallel(std::size_t lo, std::size_t hi, std::size_t nthreads,
                  std::function<void(std::size_t, std::size_t)> func) {
  run_shares(nthreads, [&](std::size_t number) {
    const Range range = part_of(hi - lo, nthreads, number);
    func(lo + range.lo, lo + range.hi);
  });
}

void execStatic(std::size_t nwork, std::size_t nthreads, std::size_t /*chunksize: 0, equal parts*/,
                std::function<void(Scheduler&)> func) {
  run_shares(nthreads, [&](std::size_t number) {
    Share scheduler(nthreads, number, part_of(nwork, nthreads, number));
    func(scheduler);
  });
}

}  // namespace DUCC0_NAMESPACE::detail_threading
