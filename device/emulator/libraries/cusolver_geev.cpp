// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// cusolverDnXgeev for complex matrices; the front end converts real ones.

#include <cstring>
#include <type_traits>

#include "device/emulator/libraries/cusolver_call.hpp"
#include "device/emulator/libraries/lapack_calls.hpp"

namespace skerry::emulation::cusolver {

namespace {

constexpr int complex_32 = 4;  // CUDA_C_32F
constexpr int complex_64 = 5;  // CUDA_C_64F

/// Common arguments of geev and its bufferSize.
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

void check(Call& call, const GeevRequest& request) {
  call.require(request.settings != nullptr && request.settings->mark == LibraryHandle::alive,
               "invalid params");
  call.require(request.left == no_vectors, "left eigenvectors are not supported");
  call.require(is_flag(request.right), "invalid jobvr");
  call.require(request.n >= 0 && request.lda >= max_with_1(request.n) && request.ldvl >= 1 &&
                   request.ldvr >= (request.right == vectors ? max_with_1(request.n) : 1),
               "negative extent, or leading dimension less than the number of rows");
  for (const int type : request.types) {
    const bool is_known = type == complex_32 || type == complex_64;
    if (!is_known || type != request.types[0])
      call.reject(not_supported, "unsupported combination of types");
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

int geev_size(Handle* handle, RoutineSettings* settings, int left, int right, std::int64_t n,
              int type_a, const void*, std::int64_t lda, int type_w, const void*, int type_vl,
              const void*, std::int64_t ldvl, int type_vr, const void*, std::int64_t ldvr,
              int compute, std::size_t* device_nbytes, std::size_t* host_nbytes) {
  Call call("cusolverDnXgeev_bufferSize", handle);
  check(call,
        {settings, left, right, n, {type_a, type_w, type_vl, type_vr, compute}, lda, ldvl, ldvr});
  if (call.status() != success) return call.status();
  *device_nbytes = static_cast<std::size_t>(length_for(n, n));
  *host_nbytes = static_cast<std::size_t>(length_for(n, n)) + 1;
  return success;
}

int geev(Handle* handle, RoutineSettings* settings, int left, int right, std::int64_t n, int type_a,
         void* a, std::int64_t lda, int type_w, void* w, int type_vl, void*, std::int64_t ldvl,
         int type_vr, void* vr, std::int64_t ldvr, int compute, void* device_work,
         std::size_t device_nbytes, void* host_work, std::size_t host_nbytes, int* info) {
  constexpr int garbage = 0xa5;
  Call call("cusolverDnXgeev", handle);
  check(call,
        {settings, left, right, n, {type_a, type_w, type_vl, type_vr, compute}, lda, ldvl, ldvr});
  const auto required_nbytes = static_cast<std::size_t>(length_for(n, n));
  call.require(host_nbytes > required_nbytes && host_work != nullptr,
               "host workspace null or smaller than bufferSize returned");
  call.workspace(static_cast<char*>(device_work), static_cast<std::int64_t>(device_nbytes),
                 static_cast<std::int64_t>(required_nbytes));
  const auto touch = [&](auto* item) {
    using T = std::remove_pointer_t<decltype(item)>;
    call.matrix(static_cast<const T*>(a), n, n, lda);
    call.vector(static_cast<const T*>(w), n);
    if (right == vectors) call.matrix(static_cast<const T*>(vr), n, n, ldvr);
  };
  if (type_a == complex_32) {
    touch(static_cast<complex64*>(nullptr));
  } else {
    touch(static_cast<complex128*>(nullptr));
  }
  call.vector(info, 1);
  return call.run([=] {
    std::memset(host_work, garbage, host_nbytes);
    const auto function = type_a == complex_32 ? run_geev<complex64> : run_geev<complex128>;
    function(right, n, a, lda, w, vr, ldvr, info);
  });
}

}  // namespace skerry::emulation::cusolver
