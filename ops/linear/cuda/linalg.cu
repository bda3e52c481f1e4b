// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// LAPACK's routines by cuSOLVER, matrix by matrix, or, where there is a form for stacks of small
// ones, by one call for all.

#include "ops/linear/linalg_kernels.hpp"

#include "core/complex.hpp"
#include "enabled_dtypes.hpp"
#include "ops/kernel/cuda/launch.cuh"
#include "ops/linear/cuda/cublas.cuh"
#include "ops/linear/cuda/cusolver.cuh"
#include "ops/linear/cuda/eigenvalues.cuh"
#include "ops/linear/cuda/linalg_stacks.cuh"
#include "ops/linear/cuda/reflectors.cuh"
#include "ops/linear/cuda/singular_values.cuh"
#include "ops/math/concepts.hpp"

namespace skerry::native {
namespace {

const char* cusolver_problem(LinAlgRoutine routine) {
  CusolverEntries& mine = cusolver();
  if (const char* problem = mine.library.problem()) return problem;
  if (routine != LinAlgRoutine::geev) return nullptr;
#ifdef SKERRY_HAS_CUSOLVER_11701
  if (mine.geev != nullptr && mine.geev_size != nullptr) return nullptr;
  return "it lacks the function cusolverDnXgeev, which came with cuSOLVER 11.7.1";
#else
  return "this build is of a toolkit without cusolverDnXgeev, which came with cuSOLVER 11.7.1";
#endif
}

// Each routine is a struct whose `run` enqueues it for all matrices.

template <class T>
struct getrf {
  static void run(const LinAlgParams& p, Session& on) {
    using own = typename typed_entries<T>::own;
    if (is_stack_of_small(p) && p.rows == p.columns) return factor_all(p, on);
    const auto& call = cusolver().of<T>();
    const int m = narrow(p.rows);
    const int n = narrow(p.columns);
    int length = 0;
    on.note(call.getrf_size(on.handle, m, n, at<own>(p.a, 0, m, n), m, &length));
    own* work = on.scratch<own>(length);
    for (std::int64_t i = 0; i < p.batch && on.ok(); ++i) {
      on.note(call.getrf(on.handle, m, n, at<own>(p.a, i, p.rows, p.columns), m, work,
                         p.pivots + i * least(p.rows, p.columns), p.info + i));
    }
  }

 private:
  static void factor_all(const LinAlgParams& p, Session& on) {
    using own = typename typed_entries<T>::own;
    const int n = narrow(p.rows);
    own** const a = list_of<own>(on, p.a, p.rows * p.rows, p.batch);
    if (!on.ok()) return;
    on.note(with_cublas(on.context, [&](cublasHandle_t handle) {
      return to_cuda(cublas().of<T>().getrf(handle, n, a, n, p.pivots, p.info, narrow(p.batch)));
    }));
  }
};

template <class T>
struct getrs {
  static void run(const LinAlgParams& p, Session& on) {
    using own = typename typed_entries<T>::own;
    const cublasOperation_t op = p.flag ? CUBLAS_OP_T : CUBLAS_OP_N;
    if (is_stack_of_small(p)) return solve_all(p, on, op);
    const int n = narrow(p.rows);
    for (std::int64_t i = 0; i < p.batch && on.ok(); ++i) {
      on.note(cusolver().of<T>().getrs(on.handle, op, n, narrow(p.extra),
                                       at<own>(p.a, i, p.rows, p.rows), n, p.pivots + i * p.rows,
                                       at<own>(p.b, i, p.rows, p.extra), n, p.info + i));
    }
  }

 private:
  static void solve_all(const LinAlgParams& p, Session& on, cublasOperation_t op) {
    using own = typename typed_entries<T>::own;
    const int n = narrow(p.rows);
    own** const a = list_of<own>(on, p.a, p.rows * p.rows, p.batch);
    own** const b = list_of<own>(on, p.b, p.rows * p.extra, p.batch);
    if (!on.ok()) return;
    int wrong = 0;  // argument, which the status tells too; p.info stays 0
    on.note(with_cublas(on.context, [&](cublasHandle_t handle) {
      return to_cuda(cublas().of<T>().getrs(handle, op, n, narrow(p.extra), a, n, p.pivots, b, n,
                                            &wrong, narrow(p.batch)));
    }));
  }
};

template <class T>
struct potrf {
  static void run(const LinAlgParams& p, Session& on) {
    using own = typename typed_entries<T>::own;
    const auto& call = cusolver().of<T>();
    const cublasFillMode_t part = p.flag ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    const int n = narrow(p.rows);
    if (is_stack_of_small(p)) {
      own** const a = list_of<own>(on, p.a, p.rows * p.rows, p.batch);
      if (!on.ok()) return;
      on.note(call.potrf_batched(on.handle, part, n, a, n, p.info, narrow(p.batch)));
      return;
    }
    int length = 0;
    on.note(call.potrf_size(on.handle, part, n, at<own>(p.a, 0, n, n), n, &length));
    own* work = on.scratch<own>(length);
    for (std::int64_t i = 0; i < p.batch && on.ok(); ++i) {
      on.note(call.potrf(on.handle, part, n, at<own>(p.a, i, p.rows, p.rows), n, work, length,
                         p.info + i));
    }
  }
};

template <class T>
struct geqrf {
  static void run(const LinAlgParams& p, Session& on) {
    using own = typename typed_entries<T>::own;
    if (is_stack_of_small(p)) return factor_all(p, on);
    const auto& call = cusolver().of<T>();
    const int m = narrow(p.rows);
    const int n = narrow(p.columns);
    const std::int64_t count = least(p.rows, p.columns);
    int length = 0;
    on.note(call.geqrf_size(on.handle, m, n, at<own>(p.a, 0, m, n), m, &length));
    own* work = on.scratch<own>(length);
    for (std::int64_t i = 0; i < p.batch && on.ok(); ++i) {
      on.note(call.geqrf(on.handle, m, n, at<own>(p.a, i, p.rows, p.columns), m,
                         at<own>(p.b, i, count, 1), work, length, p.info + i));
    }
  }

 private:
  static void factor_all(const LinAlgParams& p, Session& on) {
    using own = typename typed_entries<T>::own;
    const int m = narrow(p.rows);
    own** const a = list_of<own>(on, p.a, p.rows * p.columns, p.batch);
    own** const factors = list_of<own>(on, p.b, least(p.rows, p.columns), p.batch);
    if (!on.ok()) return;
    int wrong = 0;  // as with getrs
    on.note(with_cublas(on.context, [&](cublasHandle_t handle) {
      return to_cuda(cublas().of<T>().geqrf(handle, m, narrow(p.columns), a, m, factors, &wrong,
                                            narrow(p.batch)));
    }));
  }
};

template <class T>
struct orgqr {
  static void run(const LinAlgParams& p, Session& on) {
    using own = typename typed_entries<T>::own;
    if (is_stack_of_small(p)) return multiply_reflectors_of<T>(p, on);
    const auto& call = cusolver().of<T>();
    const int m = narrow(p.rows);
    const int n = narrow(p.columns);
    const int k = narrow(p.extra);
    int length = 0;
    on.note(call.orgqr_size(on.handle, m, n, k, at<own>(p.a, 0, m, n), m, at<own>(p.b, 0, k, 1),
                            &length));
    own* work = on.scratch<own>(length);
    for (std::int64_t i = 0; i < p.batch && on.ok(); ++i) {
      on.note(call.orgqr(on.handle, m, n, k, at<own>(p.a, i, p.rows, p.columns), m,
                         at<own>(p.b, i, p.extra, 1), work, length, p.info + i));
    }
  }
};

template <template <class> class Routine, class T>
int solve(const void* params, LaunchContext* context) {
  const auto& p = *static_cast<const LinAlgParams*>(params);
  if (cusolver().library.problem() != nullptr) return launched(cudaErrorNotSupported);
  Session on(context);
  on.note(cudaMemsetAsync(p.info, 0, static_cast<std::size_t>(p.batch) * sizeof(int),
                          stream_of(context)));
  if (on.ok()) Routine<T>::run(p, on);
  return launched(on.status);
}

/// As the host form: the product as mantissa and exponent, so that nothing overflows on the way.
template <class T>
__global__ void __launch_bounds__(linalg_threads) find_determinants(const LinAlgParams p) {
  using R = ops::real_part_t<T>;
  const std::int64_t step = std::int64_t{gridDim.x} * linalg_threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * linalg_threads + threadIdx.x; i < p.batch;
       i += step) {
    const T* factors = reinterpret_cast<const T*>(p.a) + i * p.rows * p.rows;
    bool odd = false;
    T sign(1);
    R mantissa(1);
    std::int64_t exponent = 0;
    R logarithm(0);
    for (std::int64_t k = 0; k < p.rows; ++k) {
      odd ^= p.pivots[i * p.rows + k] != k + 1;
      const T d = factors[k * p.rows + k];
      R size;
      if constexpr (ops::complex_floating<T>) {
        size = hypot(d.re, d.im);
        sign = size > 0 ? sign * T(d.re / size, d.im / size) : T(size);
      } else {
        size = fabs(d);
        sign = d > 0 ? sign : d < 0 ? T(0) - sign : size;
      }
      int shift = 0;
      mantissa = frexp(mantissa * size, &shift);
      exponent += isfinite(mantissa) ? shift : 0;
      logarithm += log(size);
    }
    if (odd) sign = T(0) - sign;
    const std::int64_t clamped = exponent > 100000    ? 100000
                                 : exponent < -100000 ? -100000
                                                      : exponent;
    const R value = ldexp(mantissa, static_cast<int>(clamped));
    reinterpret_cast<T*>(p.c)[i] = sign;
    reinterpret_cast<R*>(p.values)[i] = logarithm;
    if constexpr (ops::complex_floating<T>) {
      reinterpret_cast<T*>(p.b)[i] =
          T(sign.re == 0 ? R(0) : sign.re * value, sign.im == 0 ? R(0) : sign.im * value);
    } else {
      reinterpret_cast<T*>(p.b)[i] = sign == 0 ? R(0) : sign * value;
    }
  }
}

template <class T>
int determinant(const void* params, LaunchContext* context) {
  const auto& p = *static_cast<const LinAlgParams*>(params);
  find_determinants<T><<<linalg_blocks(p.batch), linalg_threads, 0, stream_of(context)>>>(p);
  return launched(cudaGetLastError());
}

template <class T>
void fill(linalg_kernels& table) {
  if constexpr (ops::floating<T> && !ops::stored_only<T>) {
    const auto entry = [&](LinAlgRoutine routine) -> auto& {
      return table.loop[static_cast<int>(routine)][static_cast<int>(dtype_of<T>)].native;
    };
    entry(LinAlgRoutine::getrf) = &solve<getrf, T>;
    entry(LinAlgRoutine::getrs) = &solve<getrs, T>;
    entry(LinAlgRoutine::determinant) = &determinant<T>;
    entry(LinAlgRoutine::potrf) = &solve<potrf, T>;
    entry(LinAlgRoutine::geqrf) = &solve<geqrf, T>;
    entry(LinAlgRoutine::orgqr) = &solve<orgqr, T>;
    entry(LinAlgRoutine::gesdd) = &solve<gesdd, T>;
    entry(LinAlgRoutine::syevd) = &solve<syevd, T>;
#ifdef SKERRY_HAS_CUSOLVER_11701
    if constexpr (ops::complex_floating<T>) entry(LinAlgRoutine::geev) = &solve<geev, T>;
#endif
  }
}

}  // namespace

void fill_linalg(linalg_kernels& table) {
#define SKERRY_FILL(name) fill<type_of<Dtype::name>>(table);
  SKERRY_FOR_EACH_ENABLED_DTYPE(SKERRY_FILL)
#undef SKERRY_FILL
  table.library_problem = &cusolver_problem;
}

}  // namespace skerry::native
