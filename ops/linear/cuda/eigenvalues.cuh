// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/complex.hpp"
#include "ops/linear/cuda/linalg_stacks.cuh"
#include "ops/math/concepts.hpp"

#include <vector>

namespace skerry::native {

/// How cuSOLVER's 64-bit forms call a dtype.
template <class T>
inline constexpr cudaDataType data_type = ops::same_v<T, float32>     ? CUDA_R_32F
                                          : ops::same_v<T, float64>   ? CUDA_R_64F
                                          : ops::same_v<T, complex64> ? CUDA_C_32F
                                                                      : CUDA_C_64F;

inline cusolverEigMode_t vectors_if(bool wanted) {
  return wanted ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
}

#ifdef SKERRY_HAS_CUSOLVER_11701
/// Eigenvalues of a stack of small Hermitian matrices.
template <class T>
void decompose_stack(const LinAlgParams& p, Session& on, cusolverDnParams_t settings) {
  constexpr cudaDataType type = data_type<T>;
  constexpr cudaDataType value_type = data_type<ops::real_part_t<T>>;
  constexpr cublasFillMode_t part = CUBLAS_FILL_MODE_LOWER;
  const auto& mine = cusolver();
  const cusolverEigMode_t job = vectors_if(p.flag);
  const std::int64_t n = p.rows;
  std::size_t device_nbytes = 0;
  std::size_t host_nbytes = 0;
  for_each_part_size(p.batch, [&](std::int64_t count) {
    std::size_t device_needed = 0;
    std::size_t host_needed = 0;
    on.note(mine.syev_batched_size(on.handle, settings, job, part, n, type, p.a, n, value_type,
                                   p.values, type, &device_needed, &host_needed, count));
    if (device_needed > device_nbytes) device_nbytes = device_needed;
    if (host_needed > host_nbytes) host_nbytes = host_needed;
  });
  char* const work = on.scratch<char>(static_cast<std::int64_t>(device_nbytes));
  std::vector<char> host_work(host_nbytes);
  for_each_part(p.batch, [&](std::int64_t first, std::int64_t count) {
    if (!on.ok()) return;
    on.note(mine.syev_batched(on.handle, settings, job, part, n, type, at<T>(p.a, first, n, n), n,
                              value_type, at<ops::real_part_t<T>>(p.values, first, n, 1), type,
                              work, device_nbytes, host_work.data(), host_nbytes, p.info + first,
                              count));
  });
  // Nothing says whether host_work may go before.
  if (host_nbytes > 0) on.note(cudaStreamSynchronize(stream_of(on.context)));
}
#endif

template <class T>
struct syevd {
  static void run(const LinAlgParams& p, Session& on) {
#ifdef SKERRY_HAS_CUSOLVER_11701
    const auto& mine = cusolver();
    if (is_stack_of_small(p) && mine.syev_batched != nullptr && mine.syev_batched_size != nullptr) {
      return with_settings(on, mine.create_params, mine.destroy_params,
                           [&](cusolverDnParams_t made) { decompose_stack<T>(p, on, made); });
    }
#endif
    decompose_each(p, on);
  }

 private:
  static void decompose_each(const LinAlgParams& p, Session& on) {
    using own = typename typed_entries<T>::own;
    using real = typename typed_entries<T>::real;
    const auto& call = cusolver().of<T>();
    const cusolverEigMode_t job = vectors_if(p.flag);
    constexpr cublasFillMode_t part = CUBLAS_FILL_MODE_LOWER;
    const int n = narrow(p.rows);
    int length = 0;
    on.note(call.syevd_size(on.handle, job, part, n, at<own>(p.a, 0, n, n), n,
                            reinterpret_cast<real*>(p.values), &length));
    own* work = on.scratch<own>(length);
    for (std::int64_t i = 0; i < p.batch && on.ok(); ++i) {
      on.note(call.syevd(on.handle, job, part, n, at<own>(p.a, i, p.rows, p.rows), n,
                         at<real>(p.values, i, p.rows, 1), work, length, p.info + i));
    }
  }
};

#ifdef SKERRY_HAS_CUSOLVER_11701
/// For complex matrices; the front end converts real ones. Waits for the device: cuSOLVER does part
/// of the work on the host.
template <class T>
struct geev {
  static void run(const LinAlgParams& p, Session& on) {
    const auto& mine = cusolver();
    with_settings(on, mine.create_params, mine.destroy_params,
                  [&](cusolverDnParams_t settings) { decompose(p, on, settings); });
  }

 private:
  static void decompose(const LinAlgParams& p, Session& on, cusolverDnParams_t settings) {
    constexpr cudaDataType type = data_type<T>;
    const auto& mine = cusolver();
    const cusolverEigMode_t left = CUSOLVER_EIG_MODE_NOVECTOR;
    const cusolverEigMode_t right = vectors_if(p.flag);
    const std::int64_t n = p.rows;
    T* vectors = p.flag ? reinterpret_cast<T*>(p.b) : nullptr;
    std::size_t device_nbytes = 0;
    std::size_t host_nbytes = 0;
    on.note(mine.geev_size(on.handle, settings, left, right, n, type, p.a, n, type, p.values, type,
                           nullptr, n, type, vectors, n, type, &device_nbytes, &host_nbytes));
    char* work = on.scratch<char>(static_cast<std::int64_t>(device_nbytes));
    std::vector<char> host_work(host_nbytes);
    for (std::int64_t i = 0; i < p.batch && on.ok(); ++i) {
      on.note(mine.geev(on.handle, settings, left, right, n, type, at<T>(p.a, i, n, n), n, type,
                        at<T>(p.values, i, n, 1), type, nullptr, n, type,
                        p.flag ? at<T>(p.b, i, n, n) : nullptr, n, type, work, device_nbytes,
                        host_work.data(), host_nbytes, p.info + i));
    }
    on.note(cudaStreamSynchronize(stream_of(on.context)));  // host_work goes
  }
};
#endif

}  // namespace skerry::native
