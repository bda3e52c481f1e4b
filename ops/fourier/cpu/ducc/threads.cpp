// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// ducc's parallel loops on skerry's threads, in place of its threading.cc: no threads of its own,
// which a forked child would miss.

#include <algorithm>
#include <atomic>
#include <exception>
#include <utility>

#include <pthread.h>

#include "device/cpu/thread_pool.hpp"
#include "ducc0/infra/threading.h"

/// Nothing in ducc is destroyed at exit: threads may still transform by its cache of plans then.
/// Only ducc's units find this one, all of whose symbols become local.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" int __cxa_atexit(void (*)(void*), void*, void*) noexcept { return 0; }

namespace DUCC0_NAMESPACE::detail_threading {
namespace {

pthread_mutex_t plans = PTHREAD_MUTEX_INITIALIZER;
[[maybe_unused]] const int fork_handler = pthread_atfork(Mutex::lock, Mutex::unlock, Mutex::unlock);

/// One of several equal shares of a loop.
class Share final : public Scheduler {
 public:
  Share(std::size_t count, std::size_t number, Range work)
      : count_(count), number_(number), work_(work) {}
  [[nodiscard]] std::size_t num_threads() const override { return count_; }
  [[nodiscard]] std::size_t thread_num() const override { return number_; }
  Range getNext() override { return std::exchange(work_, Range()); }

 private:
  std::size_t count_;
  std::size_t number_;
  Range work_;
};

/// The first exception that a share meets is the loop's.
class FirstProblem {
 public:
  void keep() noexcept {
    if (!met_.exchange(true)) problem_ = std::current_exception();
  }
  void rethrow() const {
    if (problem_) std::rethrow_exception(problem_);
  }

 private:
  std::atomic<bool> met_{false};
  std::exception_ptr problem_;
};

template <class Body>
void run_shares(std::size_t count, Body&& body) {
  FirstProblem problem;
  skerry::cpu::parallel_for(static_cast<std::int64_t>(count), 1,
                            [&](std::int64_t begin, std::int64_t end) {
                              for (std::int64_t i = begin; i < end; ++i) {
                                try {
                                  body(static_cast<std::size_t>(i));
                                } catch (...) {
                                  problem.keep();
                                }
                              }
                            });
  problem.rethrow();
}

/// Part `number` of `work` elements in `count` equal parts.
Range part_of(std::size_t work, std::size_t count, std::size_t number) {
  return {work / count * number + std::min(work % count, number),
          work / count * (number + 1) + std::min(work % count, number + 1)};
}

}  // namespace

void Mutex::lock() { pthread_mutex_lock(&plans); }
void Mutex::unlock() { pthread_mutex_unlock(&plans); }

std::size_t adjust_nthreads(std::size_t nthreads) { return std::max<std::size_t>(nthreads, 1); }

void execParallel(std::size_t nthreads, std::function<void(Scheduler&)> func) {
  run_shares(nthreads, [&](std::size_t number) {
    Share mine(nthreads, number, Range());
    func(mine);
  });
}

void execParallel(std::size_t lo, std::size_t hi, std::size_t nthreads,
                  std::function<void(std::size_t, std::size_t)> func) {
  run_shares(nthreads, [&](std::size_t number) {
    const Range mine = part_of(hi - lo, nthreads, number);
    func(lo + mine.lo, lo + mine.hi);
  });
}

void execStatic(std::size_t nwork, std::size_t nthreads, std::size_t /*chunksize: 0, equal parts*/,
                std::function<void(Scheduler&)> func) {
  run_shares(nthreads, [&](std::size_t number) {
    Share mine(nthreads, number, part_of(nwork, nthreads, number));
    func(mine);
  });
}

}  // namespace DUCC0_NAMESPACE::detail_threading
