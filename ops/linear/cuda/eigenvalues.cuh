// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/complex.hpp"
#include "ops/linear/cuda/linalg_stacks.cuh"
#include "ops/math/concepts.hpp"

#include <vector>

namespace skerry::native {

/// The dtype of T in cuSOLVER's 64-bit API.
template <class T>
inline constexpr cudaDataType data_type = ops::same_v<T, float32>     ? CUDA_R_32F
                                          : ops::same_v<T, float64>   ? CUDA_R_64F
                                          : ops::same_v<T, complex64> ? CUDA_C_32F
                                                                      : CUDA_C_64F;

inline cusolverEigMode_t vectors_if(bool needs_vectors) {
  return needs_vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
}

#ifdef SKERRY_HAS_CUSOLVER_11701
/// Computes the eigenvalues, and eigenvectors if requested, of a stack of small Hermitian matrices.
template <class T>
void decompose_stack(const LinAlgParams& p, CusolverCall& session, cusolverDnParams_t settings) {
  constexpr cudaDataType type = data_type<T>;
  constexpr cudaDataType value_type = data_type<ops::real_part_t<T>>;
  constexpr cublasFillMode_t uplo = CUBLAS_FILL_MODE_LOWER;
  const auto& entries = cusolver();
  const cusolverEigMode_t jobz = vectors_if(p.wants_eigenvectors);
  const std::int64_t n = p.rows;
  std::size_t device_nbytes = 0;
  std::size_t host_nbytes = 0;
  for_each_part_size(p.batch, [&](std::int64_t count) {
    std::size_t device_needed = 0;
    std::size_t host_needed = 0;
    session.note(entries.syev_batched_size(session.handle, settings, jobz, uplo, n, type, p.a, n,
                                           value_type, p.values, type, &device_needed, &host_needed,
                                           count));
    if (device_needed > device_nbytes) device_nbytes = device_needed;
    if (host_needed > host_nbytes) host_nbytes = host_needed;
  });
  char* const workspace = session.scratch<char>(static_cast<std::int64_t>(device_nbytes));
  std::vector<char> host_work(host_nbytes);
  for_each_part(p.batch, [&](std::int64_t first, std::int64_t count) {
    if (!session.ok()) return;
    session.note(entries.syev_batched(
        session.handle, settings, jobz, uplo, n, type, matrix_at<T>(p.a, first, n, n), n,
        value_type, matrix_at<ops::real_part_t<T>>(p.values, first, n, 1), type, workspace,
        device_nbytes, host_work.data(), host_nbytes, p.info + first, count));
  });
  // cuSOLVER does not document when it has finished with host_work, so wait before freeing it.
  if (host_nbytes > 0) session.note(cudaStreamSynchronize(stream_of(session.context)));
}
#endif

template <class T>
struct syevd {
  static void run(const LinAlgParams& p, CusolverCall& session) {
#ifdef SKERRY_HAS_CUSOLVER_11701
    const auto& entries = cusolver();
    if (is_stack_of_small(p) && entries.syev_batched != nullptr &&
        entries.syev_batched_size != nullptr) {
      return with_settings(
          session, entries.create_params, entries.destroy_params,
          [&](cusolverDnParams_t settings) { decompose_stack<T>(p, session, settings); });
    }
#endif
    decompose_each(p, session);
  }

 private:
  static void decompose_each(const LinAlgParams& p, CusolverCall& session) {
    using cuda_type = typename typed_entries<T>::cuda_type;
    using real = typename typed_entries<T>::real;
    const auto& call = cusolver().entry_points<T>();
    const cusolverEigMode_t jobz = vectors_if(p.wants_eigenvectors);
    constexpr cublasFillMode_t uplo = CUBLAS_FILL_MODE_LOWER;
    const int n = narrow(p.rows);
    int length = 0;
    session.note(call.syevd_size(session.handle, jobz, uplo, n, matrix_at<cuda_type>(p.a, 0, n, n),
                                 n, reinterpret_cast<real*>(p.values.get()), &length));
    cuda_type* workspace = session.scratch<cuda_type>(length);
    for (std::int64_t i = 0; i < p.batch && session.ok(); ++i) {
      session.note(
          call.syevd(session.handle, jobz, uplo, n, matrix_at<cuda_type>(p.a, i, p.rows, p.rows), n,
                     matrix_at<real>(p.values, i, p.rows, 1), workspace, length, p.info + i));
    }
  }
};

#ifdef SKERRY_HAS_CUSOLVER_11701
/// Eigenvalues of complex matrices; the front end converts real ones. Synchronizes, since cuSOLVER
/// does part of the work on the host.
template <class T>
struct geev {
  static void run(const LinAlgParams& p, CusolverCall& session) {
    const auto& entries = cusolver();
    with_settings(session, entries.create_params, entries.destroy_params,
                  [&](cusolverDnParams_t settings) { decompose(p, session, settings); });
  }

 private:
  static void decompose(const LinAlgParams& p, CusolverCall& session, cusolverDnParams_t settings) {
    constexpr cudaDataType type = data_type<T>;
    const auto& entries = cusolver();
    const cusolverEigMode_t left = CUSOLVER_EIG_MODE_NOVECTOR;
    const cusolverEigMode_t right = vectors_if(p.wants_eigenvectors);
    const std::int64_t n = p.rows;
    T* vectors = p.wants_eigenvectors ? reinterpret_cast<T*>(p.b.get()) : nullptr;
    std::size_t device_nbytes = 0;
    std::size_t host_nbytes = 0;
    session.note(entries.geev_size(session.handle, settings, left, right, n, type, p.a, n, type,
                                   p.values, type, nullptr, n, type, vectors, n, type,
                                   &device_nbytes, &host_nbytes));
    char* workspace = session.scratch<char>(static_cast<std::int64_t>(device_nbytes));
    std::vector<char> host_work(host_nbytes);
    for (std::int64_t i = 0; i < p.batch && session.ok(); ++i) {
      session.note(
          entries.geev(session.handle, settings, left, right, n, type, matrix_at<T>(p.a, i, n, n),
                       n, type, matrix_at<T>(p.values, i, n, 1), type, nullptr, n, type,
                       p.wants_eigenvectors ? matrix_at<T>(p.b, i, n, n) : nullptr, n, type,
                       workspace, device_nbytes, host_work.data(), host_nbytes, p.info + i));
    }
    session.note(cudaStreamSynchronize(stream_of(session.context)));  // before host_work is freed
  }
};
#endif

}  // namespace skerry::native
