// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/cpu/openblas.hpp"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>

#include <dlfcn.h>

#include "core/errors.hpp"
#include "device/cpu/thread_pool.hpp"
#include "ops/kernels/cpu/blas.hpp"

namespace skerry::blas {
namespace {

struct library {
  std::mutex opening;
  std::string path;  ///< as set_library() named it
  openblas entries{};
  std::atomic<bool> is_open{false};
  std::atomic<int> threads{0};  ///< as OpenBLAS was told
};

/// Never destroyed: arrays may be worked on after main() has ended.
library& the_library() {
  static auto* one = new library;
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
void fill(void* handle, char letter, entry_points<T>& to) {
  constexpr bool is_complex = entry_points<T>::is_complex;
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
  const char* from_environment = std::getenv("SKERRY_OPENBLAS");
  for (const char* path :
       {named.empty() ? nullptr : named.c_str(), from_environment, "libscipy_openblas.so"}) {
    if (path == nullptr) continue;
    if (void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)) return handle;
  }
  const char* problem = dlerror();
  throw std::runtime_error(problem != nullptr ? problem : "unknown reason");
}

openblas load(const std::string& named) {
  void* handle = open(named);
  openblas found{};
  fill(handle, 's', found.s);
  fill(handle, 'd', found.d);
  fill(handle, 'c', found.c);
  fill(handle, 'z', found.z);
  found.set_num_threads =
      reinterpret_cast<void (*)(int)>(dlsym(handle, "scipy_openblas_set_num_threads"));
  if (found.set_num_threads == nullptr) throw std::runtime_error("it can't set its threads");
  return found;
}

}  // namespace

void set_library(const char* path) {
  library& mine = the_library();
  const std::lock_guard lock(mine.opening);
  mine.path = path;
}

void require(const char* op) {
  library& mine = the_library();
  if (mine.is_open.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(mine.opening);
  if (mine.is_open.load(std::memory_order_relaxed)) return;
  try {
    mine.entries = load(mine.path);
  } catch (const std::runtime_error& problem) {
    throw library_error(std::string(op) + ": OpenBLAS can't be opened: " + problem.what() +
                        "; pip install scipy-openblas32, or name the file of its library in "
                        "SKERRY_OPENBLAS");
  }
  mine.is_open.store(true, std::memory_order_release);
}

const openblas& use() noexcept {
  library& mine = the_library();
  const int wanted = cpu::thread_count();
  if (mine.threads.load(std::memory_order_relaxed) != wanted) {
    const std::lock_guard lock(mine.opening);
    mine.entries.set_num_threads(wanted);
    mine.threads.store(wanted, std::memory_order_relaxed);
  }
  return mine.entries;
}

}  // namespace skerry::blas
