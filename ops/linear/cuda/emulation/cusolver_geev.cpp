// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// cusolverDnXgeev, of complex matrices, which the front end makes of real ones.

#include <cstring>
#include <type_traits>

#include "ops/linear/cuda/emulation/cusolver_call.hpp"
#include "ops/linear/cuda/emulation/lapack_calls.hpp"

namespace skerry::emulation::cusolver {

namespace {

constexpr int complex_32 = 4;  // CUDA_C_32F
constexpr int complex_64 = 5;  // CUDA_C_64F

/// What both calls of geev ask for.
struct GeevRequest {
  const RoutineSettings* settings;
  int left;
  int right;
  std::int64_t n;
  int types[5];
  std::int64_t lda;
  std::int64_t ldvl;
  std::int64_t ldvr;
};

void check(Call& of, const GeevRequest& asked) {
  of.require(asked.settings != nullptr && asked.settings->mark == LibraryHandle::alive,
             "settings that are none");
  of.require(asked.left == no_vectors, "left eigenvectors, which it does not compute");
  of.require(is_flag(asked.right), "a mode that is none");
  of.require(asked.n >= 0 && asked.lda >= at_least_1(asked.n) && asked.ldvl >= 1 &&
                 asked.ldvr >= (asked.right == vectors ? at_least_1(asked.n) : 1),
             "an extent below 0 or a leading dimension below the rows of its matrix");
  for (const int type : asked.types) {
    const bool is_known = type == complex_32 || type == complex_64;
    if (!is_known || type != asked.types[0])
      of.refuse(not_supported, "such a combination of types");
  }
}

template <class T>
void run_geev(int right, std::int64_t n, void* a, std::int64_t lda, void* w, void* vr,
              std::int64_t ldvr, int* info) {
  lapack::geev<T>(right == vectors ? 'V' : 'N', static_cast<int>(n), static_cast<T*>(a),
                  static_cast<int>(lda), static_cast<T*>(w), static_cast<T*>(vr),
                  static_cast<int>(ldvr), info);
}

}  // namespace

int geev_size(Handle* on, RoutineSettings* settings, int left, int right, std::int64_t n,
              int type_a, const void*, std::int64_t lda, int type_w, const void*, int type_vl,
              const void*, std::int64_t ldvl, int type_vr, const void*, std::int64_t ldvr,
              int compute, std::size_t* device_nbytes, std::size_t* host_nbytes) {
  Call of("cusolverDnXgeev_bufferSize", on);
  check(of,
        {settings, left, right, n, {type_a, type_w, type_vl, type_vr, compute}, lda, ldvl, ldvr});
  if (of.status() != success) return of.status();
  *device_nbytes = static_cast<std::size_t>(length_for(n, n));
  *host_nbytes = static_cast<std::size_t>(length_for(n, n)) + 1;
  return success;
}

int geev(Handle* on, RoutineSettings* settings, int left, int right, std::int64_t n, int type_a,
         void* a, std::int64_t lda, int type_w, void* w, int type_vl, void*, std::int64_t ldvl,
         int type_vr, void* vr, std::int64_t ldvr, int compute, void* device_work,
         std::size_t device_nbytes, void* host_work, std::size_t host_nbytes, int* info) {
  constexpr int garbage = 0xa5;
  Call of("cusolverDnXgeev", on);
  check(of,
        {settings, left, right, n, {type_a, type_w, type_vl, type_vr, compute}, lda, ldvl, ldvr});
  const auto needed = static_cast<std::size_t>(length_for(n, n));
  of.require(host_nbytes > needed && host_work != nullptr,
             "memory of the host that is smaller than bufferSize said");
  of.work(static_cast<char*>(device_work), static_cast<std::int64_t>(device_nbytes),
          static_cast<std::int64_t>(needed));
  const auto touch = [&](auto* item) {
    using T = std::remove_pointer_t<decltype(item)>;
    of.matrix(static_cast<const T*>(a), n, n, lda);
    of.vector(static_cast<const T*>(w), n);
    if (right == vectors) of.matrix(static_cast<const T*>(vr), n, n, ldvr);
  };
  if (type_a == complex_32) {
    touch(static_cast<complex64*>(nullptr));
  } else {
    touch(static_cast<complex128*>(nullptr));
  }
  of.vector(info, 1);
  return of.run([=] {
    std::memset(host_work, garbage, host_nbytes);
    const auto run = type_a == complex_32 ? run_geev<complex64> : run_geev<complex128>;
    run(right, n, a, lda, w, vr, ldvr, info);
  });
}

}  // namespace skerry::emulation::cusolver
