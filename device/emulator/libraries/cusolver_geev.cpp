// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// cusolverDnXgeev: eigenvalues are complex, eigenvectors have the type of the matrix.

#include <cstring>

#include "device/emulator/libraries/cusolver_call.hpp"
#include "device/emulator/libraries/lapack_calls.hpp"

namespace skerry::emulation::cusolver {

namespace {

// cudaDataType
constexpr int real_32 = 0;
constexpr int real_64 = 1;
constexpr int complex_32 = 4;
constexpr int complex_64 = 5;

bool is_known(int type) {
  return type == real_32 || type == real_64 || type == complex_32 || type == complex_64;
}
int complex_type_of(int type) {
  return type == real_32 || type == complex_32 ? complex_32 : complex_64;
}

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
  const auto& [type_a, type_w, type_vl, type_vr, compute] = request.types;
  if (!is_known(type_a) || type_w != complex_type_of(type_a) || type_vl != type_a ||
      type_vr != type_a || compute != type_a) {
    call.reject(not_supported, "unsupported combination of types");
  }
}

/// Calls `function` with a null pointer to the type of a matrix.
template <class Function>
void with_type(int type, Function function) {
  switch (type) {
    case real_32:
      return function(static_cast<float32*>(nullptr));
    case real_64:
      return function(static_cast<float64*>(nullptr));
    case complex_32:
      return function(static_cast<complex64*>(nullptr));
    default:
      return function(static_cast<complex128*>(nullptr));
  }
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
  with_type(type_a, [&]<class T>(T*) {
    call.matrix(static_cast<const T*>(a), n, n, lda);
    call.vector(static_cast<const complex<lapack::real_of<T>>*>(w), n);
    if (right == vectors) call.matrix(static_cast<const T*>(vr), n, n, ldvr);
  });
  call.vector(info, 1);
  return call.run([=] {
    std::memset(host_work, garbage, host_nbytes);
    with_type(type_a, [&]<class T>(T*) {
      lapack::geev<T>(right == vectors ? 'V' : 'N', static_cast<int>(n), static_cast<T*>(a),
                      static_cast<int>(lda), static_cast<complex<lapack::real_of<T>>*>(w),
                      static_cast<T*>(vr), static_cast<int>(ldvr), info);
    });
  });
}

}  // namespace skerry::emulation::cusolver
