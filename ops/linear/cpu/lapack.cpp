// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/linear/cpu/lapack.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "device/cpu/thread_pool.hpp"
#include "ops/linear/cpu/lapack_scratch.hpp"
#include "ops/linear/cpu/openblas.hpp"
#include "ops/linear/library.hpp"

namespace skerry::blas {
namespace {

constexpr integer query = -1;

/// Returns the library, limited to one thread if the slots of a stack already run in parallel.
OneCall library_for(const LinAlgRequest& p) { return p.slots > 1 ? OneCall(1) : use(); }

// Each routine is a struct with `plan`, which sets the sizes of the scratch memory, and `run`,
// which processes one matrix.

template <class T>
struct getrf {
  static void plan(LinAlgRequest& p) { plan_lanes<T>(p, p.rows * p.rows); }
  static void run(const LinAlgParams& p, std::int64_t i, const WorkspaceParts<T>&) {
    const integer m = positive(p.rows);
    const integer n = positive(p.columns);
    const std::int64_t count = std::min(p.rows, p.columns);
    library_for(p).entry_points<T>().getrf(&m, &n, matrix_at<T>(p.a, i, p.rows, p.columns), &m,
                                           p.pivots + i * count, p.info + i);
  }
};

template <class T>
struct getrs {
  static void plan(LinAlgRequest& p) {
    plan_lanes<T>(p, p.rows * (p.rows + std::min(p.rows, p.right_columns)));
  }
  static void run(const LinAlgParams& p, std::int64_t i, const WorkspaceParts<T>&) {
    const integer n = positive(p.rows);
    const integer count = positive(p.right_columns);
    library_for(p).entry_points<T>().getrs(
        p.is_transposed ? "T" : "N", &n, &count, matrix_at<T>(p.a, i, p.rows, p.rows), &n,
        p.pivots + i * p.rows, matrix_at<T>(p.b, i, p.rows, p.right_columns), &n, p.info + i, 1);
  }
};

/// A product stored as mantissa and exponent, so that intermediate results cannot overflow.
template <class R>
struct WideProduct {
  R mantissa = 1;
  std::int64_t exponent = 0;

  void times(R factor) {
    int shift = 0;
    mantissa = std::frexp(mantissa * factor, &shift);
    exponent += shift;
  }
  [[nodiscard]] int clamped() const {
    return static_cast<int>(std::clamp<std::int64_t>(exponent, -100000, 100000));
  }
};

/// Computes the product of the diagonal, its sign (a number of modulus 1 if complex) and the
/// logarithm of its absolute value.
template <class T>
struct Determinant {
  using R = real_t<T>;
  static void plan(LinAlgRequest& p) {
    if (!is_complex<T>) plan_lanes<T>(p, p.rows);
  }

  static bool is_odd(const LinAlgParams& p, std::int64_t i) {
    bool odd = false;
    for (std::int64_t k = 0; k < p.rows; ++k) odd ^= p.pivots[i * p.rows + k] != k + 1;
    return odd;
  }

  static void run(const LinAlgParams& p, std::int64_t i, const WorkspaceParts<T>&) {
    const T* factors = matrix_at<T>(p.a, i, p.rows, p.rows);
    T sign(is_odd(p, i) ? R(-1) : R(1));
    WideProduct<R> modulus;
    R logarithm = 0;
    for (std::int64_t k = 0; k < p.rows; ++k) {
      const T d = factors[k * p.rows + k];
      R size = 0;
      if constexpr (is_complex<T>) {
        size = std::hypot(d.re, d.im);
        sign = size > 0 ? sign * T(d.re / size, d.im / size) : T(size);
      } else {
        size = std::abs(d);
        sign = d > 0 ? sign : d < 0 ? 0 - sign : size;  // +0 or NaN
      }
      modulus.times(size);
      logarithm += std::log(size);
    }
    const R value = std::ldexp(modulus.mantissa, modulus.clamped());
    reinterpret_cast<T*>(p.c.get())[i] = sign;
    reinterpret_cast<R*>(p.values.get())[i] = logarithm;
    if constexpr (is_complex<T>) {
      reinterpret_cast<T*>(p.b.get())[i] =
          T(sign.re == 0 ? R(0) : sign.re * value, sign.im == 0 ? R(0) : sign.im * value);
    } else {
      reinterpret_cast<T*>(p.b.get())[i] = sign == 0 ? R(0) : sign * value;
    }
  }
};

template <class T>
struct potrf {
  static void plan(LinAlgRequest& p) { plan_lanes<T>(p, p.rows * p.rows); }
  static void run(const LinAlgParams& p, std::int64_t i, const WorkspaceParts<T>&) {
    const integer n = positive(p.rows);
    library_for(p).entry_points<T>().potrf(p.is_upper ? "U" : "L", &n,
                                           matrix_at<T>(p.a, i, p.rows, p.rows), &n, p.info + i, 1);
  }
};

template <class T>
struct geqrf {
  static void call(const LinAlgRequest& p, T* a, T* tau, T* workspace, integer length,
                   integer* info) {
    const integer m = positive(p.rows);
    const integer n = positive(p.columns);
    library_for(p).entry_points<T>().geqrf(&m, &n, a, &m, tau, workspace, &length, info);
  }
  static void plan(LinAlgRequest& p) {
    T optimal_length(0);
    integer info = 0;
    call(p, nullptr, nullptr, &optimal_length, query, &info);
    p.workspace_size = length_of(optimal_length);
  }
  static void run(const LinAlgParams& p, std::int64_t i, const WorkspaceParts<T>& has) {
    call(p, matrix_at<T>(p.a, i, p.rows, p.columns),
         matrix_at<T>(p.b, i, std::min(p.rows, p.columns), 1), has.workspace,
         positive(p.workspace_size), p.info + i);
  }
};

template <class T>
struct orgqr {
  static void call(const LinAlgRequest& p, T* a, T* tau, T* workspace, integer length,
                   integer* info) {
    const integer m = positive(p.rows);
    const integer n = positive(p.columns);
    const integer k = positive(p.reflector_count);
    library_for(p).entry_points<T>().orgqr(&m, &n, &k, a, &m, tau, workspace, &length, info);
  }
  static void plan(LinAlgRequest& p) {
    T optimal_length(0);
    integer info = 0;
    call(p, nullptr, nullptr, &optimal_length, query, &info);
    p.workspace_size = length_of(optimal_length);
  }
  static void run(const LinAlgParams& p, std::int64_t i, const WorkspaceParts<T>& has) {
    call(p, matrix_at<T>(p.a, i, p.rows, p.columns), matrix_at<T>(p.b, i, p.reflector_count, 1),
         has.workspace, positive(p.workspace_size), p.info + i);
  }
};

template <class T>
struct gesdd {
  static void call(const LinAlgRequest& p, T* a, real_t<T>* s, T* u, T* vh,
                   const WorkspaceParts<T>& has, integer length, integer* info) {
    const integer m = positive(p.rows);
    const integer n = positive(p.columns);
    const integer min_extent = std::min(m, n);
    const integer vh_rows = p.vectors == SingularVectors::full      ? n
                            : p.vectors == SingularVectors::reduced ? min_extent
                                                                    : 1;
    const char* jobz = p.vectors == SingularVectors::full      ? "A"
                       : p.vectors == SingularVectors::reduced ? "S"
                                                               : "N";
    if constexpr (is_complex<T>) {
      library_for(p).entry_points<T>().gesdd(jobz, &m, &n, a, &m, s, u, &m, vh, &vh_rows,
                                             has.workspace, &length, has.reals, has.integers, info,
                                             1);
    } else {
      library_for(p).entry_points<T>().gesdd(jobz, &m, &n, a, &m, s, u, &m, vh, &vh_rows,
                                             has.workspace, &length, has.integers, info, 1);
    }
  }
  static void plan(LinAlgRequest& p) {
    const std::int64_t min_extent = std::min(p.rows, p.columns);
    const std::int64_t max_extent = std::max(p.rows, p.columns);
    p.integer_work = 8 * min_extent;
    if (is_complex<T>) {
      p.real_work =
          p.vectors == SingularVectors::none
              ? 7 * min_extent
              : std::max(5 * min_extent * min_extent + 5 * min_extent,
                         2 * max_extent * min_extent + 2 * min_extent * min_extent + min_extent);
    }
    T optimal_length(0);
    integer info = 0;
    WorkspaceParts<T> none;
    none.workspace = &optimal_length;
    call(p, nullptr, nullptr, nullptr, nullptr, none, query, &info);
    p.workspace_size = length_of(optimal_length);
  }
  static void run(const LinAlgParams& p, std::int64_t i, const WorkspaceParts<T>& has) {
    const std::int64_t min_extent = std::min(p.rows, p.columns);
    const std::int64_t u_columns = p.vectors == SingularVectors::full ? p.rows : min_extent;
    const std::int64_t vh_rows = p.vectors == SingularVectors::full ? p.columns : min_extent;
    call(p, matrix_at<T>(p.a, i, p.rows, p.columns),
         matrix_at<real_t<T>>(p.values, i, min_extent, 1),
         p.vectors == SingularVectors::none ? has.workspace
                                            : matrix_at<T>(p.b, i, p.rows, u_columns),
         p.vectors == SingularVectors::none ? has.workspace
                                            : matrix_at<T>(p.c, i, vh_rows, p.columns),
         has, positive(p.workspace_size), p.info + i);
  }
};

template <class T>
struct syevd {
  static void call(const LinAlgRequest& p, T* a, real_t<T>* w, const WorkspaceParts<T>& has,
                   const integer (&lengths)[3], integer* info) {
    const integer n = positive(p.rows);
    const char* jobz = p.wants_eigenvectors ? "V" : "N";
    if constexpr (is_complex<T>) {
      library_for(p).entry_points<T>().heevd(jobz, "L", &n, a, &n, w, has.workspace, lengths,
                                             has.reals, lengths + 1, has.integers, lengths + 2,
                                             info, 1, 1);
    } else {
      library_for(p).entry_points<T>().heevd(jobz, "L", &n, a, &n, w, has.workspace, lengths,
                                             has.integers, lengths + 2, info, 1, 1);
    }
  }
  static void plan(LinAlgRequest& p) {
    T optimal_length(0);
    real_t<T> optimal_real_length = 0;
    integer optimal_integer_length = 0;
    integer info = 0;
    WorkspaceParts<T> none;
    none.workspace = &optimal_length;
    none.reals = &optimal_real_length;
    none.integers = &optimal_integer_length;
    call(p, nullptr, nullptr, none, {query, query, query}, &info);
    p.workspace_size = length_of(optimal_length);
    p.real_work = is_complex<T> ? length_of(optimal_real_length) : 0;
    p.integer_work = optimal_integer_length;
  }
  static void run(const LinAlgParams& p, std::int64_t i, const WorkspaceParts<T>& has) {
    call(p, matrix_at<T>(p.a, i, p.rows, p.rows), matrix_at<real_t<T>>(p.values, i, p.rows, 1), has,
         {positive(p.workspace_size), positive(p.real_work), positive(p.integer_work)}, p.info + i);
  }
};

template <class T>
struct geev {
  using R = real_t<T>;
  using Z = complex<R>;

  /// For a real matrix, `w` is wr followed by wi.
  static void call(const LinAlgRequest& p, T* a, T* w, T* v, const WorkspaceParts<T>& has,
                   integer length, integer* info) {
    const integer n = positive(p.rows);
    const char* jobvr = p.wants_eigenvectors ? "V" : "N";
    if constexpr (is_complex<T>) {
      library_for(p).entry_points<T>().geev("N", jobvr, &n, a, &n, w, has.workspace, &n, v, &n,
                                            has.workspace, &length, has.reals, info, 1, 1);
    } else {
      library_for(p).entry_points<T>().geev("N", jobvr, &n, a, &n, w, w + p.rows, has.workspace, &n,
                                            v, &n, has.workspace, &length, info, 1, 1);
    }
  }
  static void plan(LinAlgRequest& p) {
    const std::int64_t vectors = p.wants_eigenvectors ? p.rows * p.rows : 0;
    p.real_work = is_complex<T> ? 2 * p.rows : 2 * p.rows + vectors;
    T optimal_length(0);
    R written = 0;  // the workspace query writes it
    integer info = 0;
    WorkspaceParts<T> none;
    none.workspace = &optimal_length;
    none.reals = &written;
    call(p, nullptr, nullptr, nullptr, none, query, &info);
    p.workspace_size = length_of(optimal_length);
  }
  static void run(const LinAlgParams& p, std::int64_t i, const WorkspaceParts<T>& has) {
    const std::int64_t n = p.rows;
    T* a = matrix_at<T>(p.a, i, n, n);
    Z* values = matrix_at<Z>(p.values, i, n, 1);
    Z* vectors = p.wants_eigenvectors ? matrix_at<Z>(p.b, i, n, n) : nullptr;
    if constexpr (is_complex<T>) {
      call(p, a, values, p.wants_eigenvectors ? vectors : has.workspace, has,
           positive(p.workspace_size), p.info + i);
    } else {
      T* pairs = has.reals;
      T* columns = p.wants_eigenvectors ? has.reals + 2 * n : has.workspace;
      call(p, a, pairs, columns, has, positive(p.workspace_size), p.info + i);
      for (std::int64_t k = 0; k < n; ++k) values[k] = Z(pairs[k], pairs[n + k]);
      if (p.wants_eigenvectors) join(values, columns, vectors, n);
    }
  }
  /// Converts the eigenvectors of a real matrix to complex. For a conjugate pair, LAPACK's two
  /// columns are the real and imaginary parts of the first eigenvector.
  static void join(const Z* values, const R* columns, Z* vectors, std::int64_t n) {
    for (std::int64_t k = 0; k < n; ++k) {
      const R* real = columns + k * n;
      const bool is_pair = values[k].im > 0 && k + 1 < n;
      for (std::int64_t j = 0; j < n; ++j) {
        vectors[k * n + j] = is_pair ? Z(real[j], real[n + j]) : Z(real[j]);
        if (is_pair) vectors[(k + 1) * n + j] = Z(real[j], -real[n + j]);
      }
      if (is_pair) ++k;
    }
  }
};

template <template <class> class Routine, class T>
void run(const LinAlgParams& p) {
  std::memset(p.info, 0, static_cast<std::size_t>(p.batch) * sizeof(integer));
  const auto body = [&](std::int64_t begin, std::int64_t end) noexcept {
    for (std::int64_t slot = begin; slot < end; ++slot) {
      const WorkspaceParts<T> has(p, slot);
      const std::int64_t past = p.batch * (slot + 1) / p.slots;
      for (std::int64_t i = p.batch * slot / p.slots; i < past; ++i) Routine<T>::run(p, i, has);
    }
  };
  cpu::parallel_for(p.slots, 1, body);
}

struct HostRoutine {
  void (*function)(const LinAlgParams&);
  void (*plan)(LinAlgRequest&);
};

template <class T>
HostRoutine find(LinAlgRoutine routine) {
  switch (routine) {
    case LinAlgRoutine::getrf:
      return {run<getrf, T>, getrf<T>::plan};
    case LinAlgRoutine::getrs:
      return {run<getrs, T>, getrs<T>::plan};
    case LinAlgRoutine::determinant:
      return {run<Determinant, T>, Determinant<T>::plan};
    case LinAlgRoutine::potrf:
      return {run<potrf, T>, potrf<T>::plan};
    case LinAlgRoutine::geqrf:
      return {run<geqrf, T>, geqrf<T>::plan};
    case LinAlgRoutine::orgqr:
      return {run<orgqr, T>, orgqr<T>::plan};
    case LinAlgRoutine::gesdd:
      return {run<gesdd, T>, gesdd<T>::plan};
    case LinAlgRoutine::syevd:
      return {run<syevd, T>, syevd<T>::plan};
    case LinAlgRoutine::geev:
      return {run<geev, T>, geev<T>::plan};
  }
  __builtin_unreachable();
}

HostRoutine find(LinAlgRoutine routine, Dtype type) {
  return visit(type, [&]<class T>(type_identity<T>) -> HostRoutine {
    if constexpr (std::is_same_v<T, float32> || std::is_same_v<T, float64> ||
                  std::is_same_v<T, complex64> || std::is_same_v<T, complex128>) {
      return find<T>(routine);
    } else {
      return {};
    }
  });
}

}  // namespace

std::int64_t plan_scratch(LinAlgRoutine routine, Dtype type, LinAlgRequest& request) {
  request.workspace_size = 0;
  request.real_work = 0;
  request.integer_work = 0;
  find(routine, type).plan(request);
  const std::int64_t items = request.workspace_size * itemsize(type) +
                             request.real_work * itemsize(real_part(type)) +
                             request.integer_work * static_cast<std::int64_t>(sizeof(integer));
  return (items + 63) / 64 * 64;
}

auto routine_of(LinAlgRoutine routine, Dtype type) noexcept -> void (*)(const LinAlgParams&) {
  return find(routine, type).function;
}

template <class T>
void find_determinant(const LinAlgParams& p, std::int64_t i) {
  Determinant<T>::run(p, i, {});
}

template void find_determinant<float32>(const LinAlgParams&, std::int64_t);
template void find_determinant<float64>(const LinAlgParams&, std::int64_t);

}  // namespace skerry::blas
