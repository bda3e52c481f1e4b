// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// LAPACK's routines by cuSOLVER, matrix by matrix, or, where there is a form for stacks of small
// ones, by one call for all.

#include "ops/kernels/linalg.hpp"

#include <vector>

#include "core/complex.hpp"
#include "enabled_dtypes.hpp"
#include "ops/concepts.hpp"
#include "ops/kernels/cuda/cublas.cuh"
#include "ops/kernels/cuda/cusolver.cuh"
#include "ops/kernels/cuda/launch.cuh"

namespace skerry {
namespace native {
namespace {

const char* cusolver_problem(linalg_routine routine) {
  cusolver_entries& mine = cusolver();
  if (const char* problem = mine.library.problem()) return problem;
  if (routine != linalg_routine::geev) return nullptr;
#ifdef SKERRY_HAS_GEEV
  if (mine.geev != nullptr && mine.geev_size != nullptr) return nullptr;
  return "it lacks the function cusolverDnXgeev, which came with cuSOLVER 11.7.1";
#else
  return "this build is of a toolkit without cusolverDnXgeev, which came with cuSOLVER 11.7.1";
#endif
}

// Each routine is a struct whose `run` enqueues it for all matrices.

constexpr int threads = 256;
unsigned blocks_for(std::int64_t count) {
  constexpr std::int64_t most = 1 << 16;  // more work is done in turns
  const std::int64_t blocks = (count + threads - 1) / threads;
  return static_cast<unsigned>(blocks < most ? blocks : most);
}

/// Up to this side, a stack is one call. Calls for single matrices are several launches each, which
/// a matrix of 256 x 256 (11 million operations, less than a microsecond of an H100) doesn't fill;
/// larger ones are for routines that spread one matrix over the device. Not measured.
constexpr std::int64_t small_side = 256;

[[nodiscard]] bool is_stack_of_small(const linalg_params& p) {
  constexpr std::int64_t most = 0x7fffffff;
  return p.batch > 1 && p.batch <= most && p.rows <= small_side && p.rows == p.columns;
}

/// to[i] = where matrix i of a stack begins.
__global__ void __launch_bounds__(threads)
    list_matrices(char** to, char* stack, std::int64_t nbytes, std::int64_t count) {
  const std::int64_t step = std::int64_t{gridDim.x} * threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < count; i += step) {
    to[i] = stack + i * nbytes;
  }
}

/// The list of a stack's matrices that forms for stacks take, in the device's memory.
template <class U>
U** list_of(session& on, char* stack, std::int64_t items, std::int64_t count) {
  U** const list = on.scratch<U*>(count);
  if (!on.ok()) return nullptr;
  list_matrices<<<blocks_for(count), threads, 0, stream_of(on.context)>>>(
      reinterpret_cast<char**>(list), stack, items * static_cast<std::int64_t>(sizeof(U)), count);
  on.note(cudaGetLastError());
  return list;
}

template <class T>
struct getrf {
  static void run(const linalg_params& p, session& on) {
    using own = typename typed_entries<T>::own;
    if (is_stack_of_small(p)) return factor_all(p, on);
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
  static void factor_all(const linalg_params& p, session& on) {
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
  static void run(const linalg_params& p, session& on) {
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
  static void solve_all(const linalg_params& p, session& on, cublasOperation_t op) {
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
  static void run(const linalg_params& p, session& on) {
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
  static void run(const linalg_params& p, session& on) {
    using own = typename typed_entries<T>::own;
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
};

template <class T>
struct orgqr {
  static void run(const linalg_params& p, session& on) {
    using own = typename typed_entries<T>::own;
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

/// to = conjugate transpose of from; both column-major, `to` of rows x columns.
template <class T>
__global__ void __launch_bounds__(threads)
    adjoint(T* to, const T* from, std::int64_t rows, std::int64_t columns) {
  const std::int64_t step = std::int64_t{gridDim.x} * threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < rows * columns;
       i += step) {
    const T x = from[i % rows * columns + i / rows];
    if constexpr (ops::complex_floating<T>) {
      to[i] = T(x.re, -x.im);
    } else {
      to[i] = x;
    }
  }
}

/// By Jacobi's method, which takes matrices of any shape; it gives V, not its adjoint.
template <class T>
struct gesdd {
  static void run(const linalg_params& p, session& on) {
    gesvdjInfo_t settings = nullptr;
    on.note(cusolver().create_gesvdj(&settings));
    if (on.ok()) decompose(p, on, settings);
    if (settings != nullptr) (void)cusolver().destroy_gesvdj(settings);
  }

 private:
  static void decompose(const linalg_params& p, session& on, gesvdjInfo_t settings) {
    using own = typename typed_entries<T>::own;
    using real = typename typed_entries<T>::real;
    const auto& call = cusolver().of<T>();
    const cusolverEigMode_t job =
        p.extra == 0 ? CUSOLVER_EIG_MODE_NOVECTOR : CUSOLVER_EIG_MODE_VECTOR;
    const int reduced = p.extra == 2 ? 0 : 1;
    const int m = narrow(p.rows);
    const int n = narrow(p.columns);
    const std::int64_t count = least(p.rows, p.columns);
    const std::int64_t u_columns = p.extra == 2 ? p.rows : count;
    const std::int64_t v_columns = p.extra == 2 ? p.columns : count;
    own* v = on.scratch<own>(p.columns * v_columns);
    own* unused_u = p.extra == 0 ? on.scratch<own>(p.rows * u_columns) : nullptr;
    int length = 0;
    on.note(call.gesvdj_size(
        on.handle, job, reduced, m, n, at<own>(p.a, 0, m, n), m, reinterpret_cast<real*>(p.values),
        p.extra == 0 ? unused_u : reinterpret_cast<own*>(p.b), m, v, n, &length, settings));
    own* work = on.scratch<own>(length);
    for (std::int64_t i = 0; i < p.batch && on.ok(); ++i) {
      own* u = p.extra == 0 ? unused_u : at<own>(p.b, i, p.rows, u_columns);
      on.note(call.gesvdj(on.handle, job, reduced, m, n, at<own>(p.a, i, p.rows, p.columns), m,
                          at<real>(p.values, i, count, 1), u, m, v, n, work, length, p.info + i,
                          settings));
      if (p.extra == 0 || !on.ok()) continue;
      adjoint<T><<<blocks_for(v_columns * p.columns), threads, 0, stream_of(on.context)>>>(
          at<T>(p.c, i, v_columns, p.columns), reinterpret_cast<const T*>(v), v_columns, p.columns);
      on.note(cudaGetLastError());
    }
  }
};

template <class T>
struct syevd {
  static void run(const linalg_params& p, session& on) {
    using own = typename typed_entries<T>::own;
    using real = typename typed_entries<T>::real;
    const auto& call = cusolver().of<T>();
    const cusolverEigMode_t job = p.flag ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
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

#ifdef SKERRY_HAS_GEEV
/// Of complex matrices; the front end converts real ones. Waits for the device: cuSOLVER does part
/// of the work on the host.
template <class T>
struct geev {
  static void run(const linalg_params& p, session& on) {
    cusolverDnParams_t settings = nullptr;
    on.note(cusolver().create_params(&settings));
    if (on.ok()) decompose(p, on, settings);
    if (settings != nullptr) (void)cusolver().destroy_params(settings);
  }

 private:
  static void decompose(const linalg_params& p, session& on, cusolverDnParams_t settings) {
    constexpr cudaDataType type = ops::same_v<T, complex64> ? CUDA_C_32F : CUDA_C_64F;
    const auto& mine = cusolver();
    const cusolverEigMode_t left = CUSOLVER_EIG_MODE_NOVECTOR;
    const cusolverEigMode_t right = p.flag ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
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

template <template <class> class Routine, class T>
int solve(const void* params, launch_context* context) {
  const auto& p = *static_cast<const linalg_params*>(params);
  if (cusolver().library.problem() != nullptr) return launched(cudaErrorNotSupported);
  session on(context);
  on.note(cudaMemsetAsync(p.info, 0, static_cast<std::size_t>(p.batch) * sizeof(int),
                          stream_of(context)));
  if (on.ok()) Routine<T>::run(p, on);
  return launched(on.status);
}

/// As the host form: the product as mantissa and exponent, so that nothing overflows on the way.
template <class T>
__global__ void __launch_bounds__(threads) find_determinants(const linalg_params p) {
  using R = ops::real_part_t<T>;
  const std::int64_t step = std::int64_t{gridDim.x} * threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < p.batch; i += step) {
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
int determinant(const void* params, launch_context* context) {
  const auto& p = *static_cast<const linalg_params*>(params);
  find_determinants<T><<<blocks_for(p.batch), threads, 0, stream_of(context)>>>(p);
  return launched(cudaGetLastError());
}

template <class T>
void fill(linalg_kernels& table) {
  if constexpr (ops::floating<T>) {
    const auto entry = [&](linalg_routine routine) -> auto& {
      return table.loop[static_cast<int>(routine)][static_cast<int>(dtype_of<T>)].native;
    };
    entry(linalg_routine::getrf) = &solve<getrf, T>;
    entry(linalg_routine::getrs) = &solve<getrs, T>;
    entry(linalg_routine::determinant) = &determinant<T>;
    entry(linalg_routine::potrf) = &solve<potrf, T>;
    entry(linalg_routine::geqrf) = &solve<geqrf, T>;
    entry(linalg_routine::orgqr) = &solve<orgqr, T>;
    entry(linalg_routine::gesdd) = &solve<gesdd, T>;
    entry(linalg_routine::syevd) = &solve<syevd, T>;
#ifdef SKERRY_HAS_GEEV
    if constexpr (ops::complex_floating<T>) entry(linalg_routine::geev) = &solve<geev, T>;
#endif
  }
}

}  // namespace

void fill_linalg(linalg_kernels& table) {
#define SKERRY_FILL(name) fill<type_of<dtype::name>>(table);
  SKERRY_FOR_EACH_ENABLED_DTYPE(SKERRY_FILL)
#undef SKERRY_FILL
  table.library_problem = &cusolver_problem;
}

}  // namespace native
}  // namespace skerry
