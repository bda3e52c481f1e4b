// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// LAPACK's routines by cuSOLVER, matrix by matrix.

#include "ops/kernels/linalg.hpp"

#include <cusolverDn.h>

#include <vector>

#include "core/complex.hpp"
#include "enabled_dtypes.hpp"
#include "ops/concepts.hpp"
#include "ops/kernels/cuda/launch.cuh"
#include "ops/kernels/cuda/library.cuh"

// cusolverDnXgeev came with cuSOLVER 11.7.1, of CUDA 12.6 update 2.
#if CUSOLVER_VERSION >= 11701
#define SKERRY_HAS_GEEV
#endif

namespace skerry {
namespace native {
namespace {

/// The entry points for one dtype, and how cuSOLVER spells its types.
template <class T>
struct typed_entries;

#define SKERRY_TYPED_ENTRIES(dtype_, own_, real_, letter_, orgqr_, syevd_)    \
  template <>                                                                 \
  struct typed_entries<dtype_> {                                              \
    using own = own_;                                                         \
    using real = real_;                                                       \
    decltype(&cusolverDn##letter_##getrf_bufferSize) getrf_size = nullptr;    \
    decltype(&cusolverDn##letter_##getrf) getrf = nullptr;                    \
    decltype(&cusolverDn##letter_##getrs) getrs = nullptr;                    \
    decltype(&cusolverDn##letter_##potrf_bufferSize) potrf_size = nullptr;    \
    decltype(&cusolverDn##letter_##potrf) potrf = nullptr;                    \
    decltype(&cusolverDn##letter_##geqrf_bufferSize) geqrf_size = nullptr;    \
    decltype(&cusolverDn##letter_##geqrf) geqrf = nullptr;                    \
    decltype(&cusolverDn##letter_##orgqr_##_bufferSize) orgqr_size = nullptr; \
    decltype(&cusolverDn##letter_##orgqr_) orgqr = nullptr;                   \
    decltype(&cusolverDn##letter_##gesvdj_bufferSize) gesvdj_size = nullptr;  \
    decltype(&cusolverDn##letter_##gesvdj) gesvdj = nullptr;                  \
    decltype(&cusolverDn##letter_##syevd_##_bufferSize) syevd_size = nullptr; \
    decltype(&cusolverDn##letter_##syevd_) syevd = nullptr;                   \
                                                                              \
    void find(shared_library& library) {                                      \
      library.find("cusolverDn" #letter_ "getrf_bufferSize", getrf_size);     \
      library.find("cusolverDn" #letter_ "getrf", getrf);                     \
      library.find("cusolverDn" #letter_ "getrs", getrs);                     \
      library.find("cusolverDn" #letter_ "potrf_bufferSize", potrf_size);     \
      library.find("cusolverDn" #letter_ "potrf", potrf);                     \
      library.find("cusolverDn" #letter_ "geqrf_bufferSize", geqrf_size);     \
      library.find("cusolverDn" #letter_ "geqrf", geqrf);                     \
      library.find("cusolverDn" #letter_ #orgqr_ "_bufferSize", orgqr_size);  \
      library.find("cusolverDn" #letter_ #orgqr_, orgqr);                     \
      library.find("cusolverDn" #letter_ "gesvdj_bufferSize", gesvdj_size);   \
      library.find("cusolverDn" #letter_ "gesvdj", gesvdj);                   \
      library.find("cusolverDn" #letter_ #syevd_ "_bufferSize", syevd_size);  \
      library.find("cusolverDn" #letter_ #syevd_, syevd);                     \
    }                                                                         \
  };
SKERRY_TYPED_ENTRIES(float32, float, float, S, orgqr, syevd)
SKERRY_TYPED_ENTRIES(float64, double, double, D, orgqr, syevd)
SKERRY_TYPED_ENTRIES(complex64, cuComplex, float, C, ungqr, heevd)
SKERRY_TYPED_ENTRIES(complex128, cuDoubleComplex, double, Z, ungqr, heevd)
#undef SKERRY_TYPED_ENTRIES

struct cusolver_entries {
  decltype(&cusolverDnCreate) create = nullptr;
  decltype(&cusolverDnSetStream) set_stream = nullptr;
  decltype(&cusolverDnCreateGesvdjInfo) create_gesvdj = nullptr;
  decltype(&cusolverDnDestroyGesvdjInfo) destroy_gesvdj = nullptr;
#ifdef SKERRY_HAS_GEEV
  decltype(&cusolverDnXgeev_bufferSize) geev_size = nullptr;
  decltype(&cusolverDnXgeev) geev = nullptr;
  decltype(&cusolverDnCreateParams) create_params = nullptr;
  decltype(&cusolverDnDestroyParams) destroy_params = nullptr;
#endif
  typed_entries<float32> s;
  typed_entries<float64> d;
  typed_entries<complex64> c;
  typed_entries<complex128> z;
  shared_library library{"libcusolver.so." SKERRY_TEXT(CUSOLVER_VER_MAJOR), "libcusolver.so"};
  handles<cusolverDnHandle_t> by_device;

  cusolver_entries() {
    library.find("cusolverDnCreate", create);
    library.find("cusolverDnSetStream", set_stream);
    library.find("cusolverDnCreateGesvdjInfo", create_gesvdj);
    library.find("cusolverDnDestroyGesvdjInfo", destroy_gesvdj);
#ifdef SKERRY_HAS_GEEV
    library.find("cusolverDnXgeev_bufferSize", geev_size, true);
    library.find("cusolverDnXgeev", geev, true);
    library.find("cusolverDnCreateParams", create_params);
    library.find("cusolverDnDestroyParams", destroy_params);
#endif
    s.find(library);
    d.find(library);
    c.find(library);
    z.find(library);
  }

  template <class T>
  [[nodiscard]] const typed_entries<T>& of() const {
    if constexpr (ops::same_v<T, float32>) return s;
    if constexpr (ops::same_v<T, float64>) return d;
    if constexpr (ops::same_v<T, complex64>) return c;
    if constexpr (ops::same_v<T, complex128>) return z;
  }
};

/// Never destroyed: handles go with the process, at whose end no CUDA call may be made.
cusolver_entries& cusolver() {
  static auto* one = new cusolver_entries;
  return *one;
}

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

cudaError_t to_cuda(cusolverStatus_t status) {
  switch (status) {
    case CUSOLVER_STATUS_SUCCESS:
      return cudaSuccess;
    case CUSOLVER_STATUS_ALLOC_FAILED:
      return cudaErrorMemoryAllocation;
    case CUSOLVER_STATUS_INVALID_VALUE:
      return cudaErrorInvalidValue;
    case CUSOLVER_STATUS_NOT_SUPPORTED:
    case CUSOLVER_STATUS_ARCH_MISMATCH:
      return cudaErrorNotSupported;
    default:
      return cudaErrorUnknown;
  }
}

/// One call: cuSOLVER's handle on the stream, with the lock on it.
struct session {
  cusolverDnHandle_t handle = nullptr;
  cudaError_t status = cudaSuccess;
  launch_context* context;
  std::lock_guard<std::mutex> lock;

  explicit session(launch_context* of) : context(of), lock(cusolver().by_device.lock()) {
    cusolver_entries& mine = cusolver();
    handle = mine.by_device.of_current_device(
        [&](cusolverDnHandle_t* made) { return mine.create(made) == CUSOLVER_STATUS_SUCCESS; });
    status = handle == nullptr ? cudaErrorInitializationError
                               : to_cuda(mine.set_stream(handle, stream_of(context)));
  }

  [[nodiscard]] bool ok() const { return status == cudaSuccess; }
  void note(cusolverStatus_t next) {
    if (ok()) status = to_cuda(next);
  }
  void note(cudaError_t next) {
    if (ok()) status = next;
  }
  /// Scratch memory for `count` items; null, with the status set, where there is none.
  template <class U>
  U* scratch(std::int64_t count) {
    if (!ok()) return nullptr;
    const std::size_t nbytes = static_cast<std::size_t>(count > 0 ? count : 1) * sizeof(U);
    void* memory = context->workspace(context, nbytes);
    if (memory == nullptr) status = cudaErrorMemoryAllocation;
    return static_cast<U*>(memory);
  }
};

int narrow(std::int64_t value) { return static_cast<int>(value); }
std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

/// Matrix `i` of a stack of rows x columns.
template <class U>
U* at(char* stack, std::int64_t i, std::int64_t rows, std::int64_t columns) {
  return reinterpret_cast<U*>(stack) + i * rows * columns;
}

// Each routine is a struct whose `run` enqueues it for all matrices.

template <class T>
struct getrf {
  static void run(const linalg_params& p, session& on) {
    using own = typename typed_entries<T>::own;
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
};

template <class T>
struct getrs {
  static void run(const linalg_params& p, session& on) {
    using own = typename typed_entries<T>::own;
    const int n = narrow(p.rows);
    for (std::int64_t i = 0; i < p.batch && on.ok(); ++i) {
      on.note(cusolver().of<T>().getrs(on.handle, p.flag ? CUBLAS_OP_T : CUBLAS_OP_N, n,
                                       narrow(p.extra), at<own>(p.a, i, p.rows, p.rows), n,
                                       p.pivots + i * p.rows, at<own>(p.b, i, p.rows, p.extra), n,
                                       p.info + i));
    }
  }
};

template <class T>
struct potrf {
  static void run(const linalg_params& p, session& on) {
    using own = typename typed_entries<T>::own;
    const auto& call = cusolver().of<T>();
    const cublasFillMode_t part = p.flag ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    const int n = narrow(p.rows);
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

constexpr int threads = 256;
unsigned blocks_for(std::int64_t count) {
  constexpr std::int64_t most = 1 << 16;  // more work is done in turns
  const std::int64_t blocks = (count + threads - 1) / threads;
  return static_cast<unsigned>(blocks < most ? blocks : most);
}

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
