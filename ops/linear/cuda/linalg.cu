// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// LAPACK routines by cuSOLVER and cuBLAS: one call per matrix or, for stacks of small matrices,
// batched calls if there are any.

#include "ops/linear/linalg_kernels.hpp"

#include <cub/device/device_for.cuh>

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

const char* cusolver_error_message(LinAlgRoutine routine) {
  CusolverEntries& entries = cusolver();
  if (const char* error_message = entries.library.error_message()) return error_message;
  if (routine != LinAlgRoutine::geev) return nullptr;
#ifdef SKERRY_HAS_CUSOLVER_11701
  if (entries.geev != nullptr && entries.geev_size != nullptr) return nullptr;
  return "it lacks the function cusolverDnXgeev, which came with cuSOLVER 11.7.1";
#else
  return "skerry was built with a CUDA toolkit without cusolverDnXgeev, which came with cuSOLVER "
         "11.7.1";
#endif
}

// Each routine is a struct; its `run` enqueues the work for all matrices.

template <class T>
struct getrf {
  static void run(const LinAlgParams& p, CusolverCall& session) {
    using cuda_type = typename typed_entries<T>::cuda_type;
    if (is_stack_of_small(p) && p.rows == p.columns) return factor_all(p, session);
    const auto& call = cusolver().entry_points<T>();
    const int m = narrow(p.rows);
    const int n = narrow(p.columns);
    int length = 0;
    session.note(
        call.getrf_size(session.handle, m, n, matrix_at<cuda_type>(p.a, 0, m, n), m, &length));
    cuda_type* workspace = session.scratch<cuda_type>(length);
    for (std::int64_t i = 0; i < p.batch && session.ok(); ++i) {
      session.note(call.getrf(session.handle, m, n, matrix_at<cuda_type>(p.a, i, p.rows, p.columns),
                              m, workspace, p.pivots + i * minimum(p.rows, p.columns), p.info + i));
    }
  }

 private:
  static void factor_all(const LinAlgParams& p, CusolverCall& session) {
    using cuda_type = typename typed_entries<T>::cuda_type;
    const int n = narrow(p.rows);
    cuda_type** const a = list_of<cuda_type>(session, p.a, p.rows * p.rows, p.batch);
    if (!session.ok()) return;
    session.note(with_cublas(session.context, [&](cublasHandle_t handle) {
      return to_cuda(
          cublas().entry_points<T>().getrf(handle, n, a, n, p.pivots, p.info, narrow(p.batch)));
    }));
  }
};

template <class T>
struct getrs {
  static void run(const LinAlgParams& p, CusolverCall& session) {
    using cuda_type = typename typed_entries<T>::cuda_type;
    const cublasOperation_t op = p.is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    if (is_stack_of_small(p)) return solve_all(p, session, op);
    const int n = narrow(p.rows);
    for (std::int64_t i = 0; i < p.batch && session.ok(); ++i) {
      session.note(cusolver().entry_points<T>().getrs(
          session.handle, op, n, narrow(p.right_columns),
          matrix_at<cuda_type>(p.a, i, p.rows, p.rows), n, p.pivots + i * p.rows,
          matrix_at<cuda_type>(p.b, i, p.rows, p.right_columns), n, p.info + i));
    }
  }

 private:
  static void solve_all(const LinAlgParams& p, CusolverCall& session, cublasOperation_t op) {
    using cuda_type = typename typed_entries<T>::cuda_type;
    const int n = narrow(p.rows);
    cuda_type** const a = list_of<cuda_type>(session, p.a, p.rows * p.rows, p.batch);
    cuda_type** const b = list_of<cuda_type>(session, p.b, p.rows * p.right_columns, p.batch);
    if (!session.ok()) return;
    int wrong =
        0;  // number of an invalid argument, which the status reports as well; p.info remains 0
    session.note(with_cublas(session.context, [&](cublasHandle_t handle) {
      return to_cuda(cublas().entry_points<T>().getrs(handle, op, n, narrow(p.right_columns), a, n,
                                                      p.pivots, b, n, &wrong, narrow(p.batch)));
    }));
  }
};

template <class T>
struct potrf {
  static void run(const LinAlgParams& p, CusolverCall& session) {
    using cuda_type = typename typed_entries<T>::cuda_type;
    const auto& call = cusolver().entry_points<T>();
    const cublasFillMode_t uplo = p.is_upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    const int n = narrow(p.rows);
    if (is_stack_of_small(p)) {
      cuda_type** const a = list_of<cuda_type>(session, p.a, p.rows * p.rows, p.batch);
      if (!session.ok()) return;
      session.note(call.potrf_batched(session.handle, uplo, n, a, n, p.info, narrow(p.batch)));
      return;
    }
    int length = 0;
    session.note(
        call.potrf_size(session.handle, uplo, n, matrix_at<cuda_type>(p.a, 0, n, n), n, &length));
    cuda_type* workspace = session.scratch<cuda_type>(length);
    for (std::int64_t i = 0; i < p.batch && session.ok(); ++i) {
      session.note(call.potrf(session.handle, uplo, n, matrix_at<cuda_type>(p.a, i, p.rows, p.rows),
                              n, workspace, length, p.info + i));
    }
  }
};

template <class T>
struct geqrf {
  static void run(const LinAlgParams& p, CusolverCall& session) {
    using cuda_type = typename typed_entries<T>::cuda_type;
    if (is_stack_of_small(p)) return factor_all(p, session);
    const auto& call = cusolver().entry_points<T>();
    const int m = narrow(p.rows);
    const int n = narrow(p.columns);
    const std::int64_t count = minimum(p.rows, p.columns);
    int length = 0;
    session.note(
        call.geqrf_size(session.handle, m, n, matrix_at<cuda_type>(p.a, 0, m, n), m, &length));
    cuda_type* workspace = session.scratch<cuda_type>(length);
    for (std::int64_t i = 0; i < p.batch && session.ok(); ++i) {
      session.note(call.geqrf(session.handle, m, n, matrix_at<cuda_type>(p.a, i, p.rows, p.columns),
                              m, matrix_at<cuda_type>(p.b, i, count, 1), workspace, length,
                              p.info + i));
    }
  }

 private:
  static void factor_all(const LinAlgParams& p, CusolverCall& session) {
    using cuda_type = typename typed_entries<T>::cuda_type;
    const int m = narrow(p.rows);
    cuda_type** const a = list_of<cuda_type>(session, p.a, p.rows * p.columns, p.batch);
    cuda_type** const factors =
        list_of<cuda_type>(session, p.b, minimum(p.rows, p.columns), p.batch);
    if (!session.ok()) return;
    int wrong = 0;  // see getrs
    session.note(with_cublas(session.context, [&](cublasHandle_t handle) {
      return to_cuda(cublas().entry_points<T>().geqrf(handle, m, narrow(p.columns), a, m, factors,
                                                      &wrong, narrow(p.batch)));
    }));
  }
};

template <class T>
struct orgqr {
  static void run(const LinAlgParams& p, CusolverCall& session) {
    using cuda_type = typename typed_entries<T>::cuda_type;
    if (is_stack_of_small(p)) return multiply_reflectors_of<T>(p, session);
    const auto& call = cusolver().entry_points<T>();
    const int m = narrow(p.rows);
    const int n = narrow(p.columns);
    const int k = narrow(p.reflector_count);
    int length = 0;
    session.note(call.orgqr_size(session.handle, m, n, k, matrix_at<cuda_type>(p.a, 0, m, n), m,
                                 matrix_at<cuda_type>(p.b, 0, k, 1), &length));
    cuda_type* workspace = session.scratch<cuda_type>(length);
    for (std::int64_t i = 0; i < p.batch && session.ok(); ++i) {
      session.note(call.orgqr(
          session.handle, m, n, k, matrix_at<cuda_type>(p.a, i, p.rows, p.columns), m,
          matrix_at<cuda_type>(p.b, i, p.reflector_count, 1), workspace, length, p.info + i));
    }
  }
};

template <template <class> class Routine, class T>
int run_routine(const LinAlgParams& p, LaunchContext* context) {
  if (cusolver().library.error_message() != nullptr) return end_launch(cudaErrorNotSupported);
  CusolverCall session(context);
  session.note(cudaMemsetAsync(p.info, 0, static_cast<std::size_t>(p.batch) * sizeof(int),
                               stream_of(context)));
  if (session.ok()) Routine<T>::run(p, session);
  return end_launch(session.status);
}

/// Like the host form, keeps the product as mantissa and exponent, so that intermediate results
/// cannot overflow.
template <class T>
struct find_determinants {
  LinAlgParams p;

  __device__ void operator()(std::int64_t i) const {
    using R = ops::real_part_t<T>;
    const T* factors = reinterpret_cast<const T*>(p.a.get()) + i * p.rows * p.rows;
    bool odd = false;
    T sign(1);
    R mantissa(1);
    std::int64_t exponent = 0;
    R logarithm(0);
    for (std::int64_t k = 0; k < p.rows; ++k) {
      odd ^= p.pivots[i * p.rows + k] != k + 1;
      const T d = factors[k * p.rows + k];
      R magnitude;
      if constexpr (ops::complex_floating<T>) {
        magnitude = hypot(d.re, d.im);
        sign = magnitude > 0 ? sign * T(d.re / magnitude, d.im / magnitude) : T(magnitude);
      } else {
        magnitude = fabs(d);
        sign = d > 0 ? sign : d < 0 ? T(0) - sign : magnitude;
      }
      int shift = 0;
      mantissa = frexp(mantissa * magnitude, &shift);
      exponent += isfinite(mantissa) ? shift : 0;
      logarithm += log(magnitude);
    }
    if (odd) sign = T(0) - sign;
    const std::int64_t clamped = exponent > 100000    ? 100000
                                 : exponent < -100000 ? -100000
                                                      : exponent;
    const R value = ldexp(mantissa, static_cast<int>(clamped));
    reinterpret_cast<T*>(p.c.get())[i] = sign;
    reinterpret_cast<R*>(p.values.get())[i] = logarithm;
    if constexpr (ops::complex_floating<T>) {
      reinterpret_cast<T*>(p.b.get())[i] =
          T(sign.re == 0 ? R(0) : sign.re * value, sign.im == 0 ? R(0) : sign.im * value);
    } else {
      reinterpret_cast<T*>(p.b.get())[i] = sign == 0 ? R(0) : sign * value;
    }
  }
};

template <class T>
int determinant(const LinAlgParams& p, LaunchContext* context) {
  return end_launch(cub::DeviceFor::Bulk(p.batch, find_determinants<T>{p}, stream_of(context)));
}

template <class T>
void fill(LinAlgKernels& table) {
  if constexpr (ops::floating<T> && !ops::stored_only<T>) {
    const auto kernel_of = [&](LinAlgRoutine routine) -> Kernel<LinAlgParams>& {
      return table.kernel[static_cast<int>(routine)][static_cast<int>(dtype_of<T>)];
    };
    kernel_of(LinAlgRoutine::getrf).template set_native<run_routine<getrf, T>>();
    kernel_of(LinAlgRoutine::getrs).template set_native<run_routine<getrs, T>>();
    kernel_of(LinAlgRoutine::determinant).template set_native<determinant<T>>();
    kernel_of(LinAlgRoutine::potrf).template set_native<run_routine<potrf, T>>();
    kernel_of(LinAlgRoutine::geqrf).template set_native<run_routine<geqrf, T>>();
    kernel_of(LinAlgRoutine::orgqr).template set_native<run_routine<orgqr, T>>();
    kernel_of(LinAlgRoutine::gesdd).template set_native<run_routine<gesdd, T>>();
    kernel_of(LinAlgRoutine::syevd).template set_native<run_routine<syevd, T>>();
#ifdef SKERRY_HAS_CUSOLVER_11701
    if constexpr (ops::complex_floating<T>)
      kernel_of(LinAlgRoutine::geev).template set_native<run_routine<geev, T>>();
#endif
  }
}

}  // namespace

void fill_linalg(LinAlgKernels& table) {
#define SKERRY_FILL(name) fill<type_of<Dtype::name>>(table);
  SKERRY_FOR_EACH_ENABLED_DTYPE(SKERRY_FILL)
#undef SKERRY_FILL
  table.library_error_message = &cusolver_error_message;
}

}  // namespace skerry::native
