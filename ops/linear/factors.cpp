// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/errors.hpp"
#include "device/host_action.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/result.hpp"
#include "ops/create/create.hpp"
#include "ops/linear/arithmetic.hpp"
#include "ops/linear/linalg.hpp"
#include "ops/linear/linalg_kernels.hpp"
#include "ops/linear/matrices.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/views.hpp"

// Cholesky and QR factorizations, eigenvalues, singular values.

namespace skerry::linalg {
namespace {

constexpr const char* not_converged = "the iteration did not converge";

NdArray reflectors_to_matrix(const NdArray& reflectors, const NdArray& factors,
                             std::int64_t columns) {
  const std::int64_t k = std::min(rows_of(reflectors), columns_of(reflectors));
  const std::int64_t m = rows_of(reflectors);
  const Dims stack = stack_of(reflectors);
  if (k == 0)
    return leading_part(identities(stack, m, reflectors.dtype(), reflectors.device()), m, columns);
  const NdArray q = empty_column_major(stack, m, columns, reflectors.dtype(), reflectors.device());
  assign(leading_part(q, m, k), leading_part(reflectors, m, k));
  if (q.size() == 0) return q;
  LapackCall call(LinAlgRoutine::orgqr, q);
  call.request.reflector_count = k;
  call.run({.b = &factors});
  return q;
}

struct SingularValues {
  NdArray u;
  NdArray s;
  NdArray vh;
};

SingularValues decompose(const NdArray& input, SingularVectors vectors) {
  const NdArray x = as_lapack_dtype("x", input);
  require_matrices("x", x);
  const Dims stack = stack_of(x);
  const std::int64_t m = rows_of(x);
  const std::int64_t n = columns_of(x);
  const std::int64_t k = std::min(m, n);
  const std::int64_t u_columns = vectors == SingularVectors::full ? m : k;
  const std::int64_t vh_rows = vectors == SingularVectors::full ? n : k;
  SingularValues result;
  if (vectors != SingularVectors::none && k == 0) {
    result.u = leading_part(identities(stack, m, x.dtype(), x.device()), m, u_columns);
    result.vh = leading_part(identities(stack, n, x.dtype(), x.device()), vh_rows, n);
  } else if (vectors != SingularVectors::none) {
    result.u = empty_column_major(stack, m, u_columns, x.dtype(), x.device());
    result.vh = empty_column_major(stack, vh_rows, n, x.dtype(), x.device());
  }
  result.s = empty(extended(stack, k), real_part(x.dtype()), x.device());
  if (result.s.size() == 0) return result;
  require_finite(x);
  LapackCall call(LinAlgRoutine::gesdd, copy_column_major(x));
  call.request.vectors = vectors;
  const bool with_vectors = vectors != SingularVectors::none;
  const NdArray info = call.run({.b = with_vectors ? &result.u : nullptr,
                                 .c = with_vectors ? &result.vh : nullptr,
                                 .values = &result.s});
  require_success(info, x, not_converged);
  return result;
}

TwoArrays decompose_hermitian(const NdArray& input, bool with_vectors, bool upper) {
  NdArray x = as_lapack_dtype("x", input);
  require_square("x", x);
  if (upper) {  // the lower triangle of the adjoint, which is the same Hermitian matrix
    x = matrix_transpose(x);
    if (kind(x.dtype()) == DtypeKind::complex_floating) x = conj(x);
  }
  const NdArray values = empty(extended(stack_of(x), rows_of(x)), real_part(x.dtype()), x.device());
  const NdArray a = copy_column_major(x);
  if (x.size() == 0) return {values, a};
  require_finite(x, Triangle::lower);
  LapackCall call(LinAlgRoutine::syevd, a);
  call.request.wants_eigenvectors = with_vectors;
  require_success(call.run({.values = &values}), x, not_converged);
  return {values, a};
}

/// Result of geqrf: R and the reflectors below its diagonal, column-major, and their factors.
struct Reflections {
  FinitePart finite;
  NdArray matrices;
  NdArray factors;
};

Reflections reflect(const NdArray& input) {
  const NdArray x = as_lapack_dtype("x", input);
  require_matrices("x", x);
  const FinitePart finite = FinitePart::of_matrices(x);
  const NdArray a = copy_column_major(finite.matrices());
  const NdArray factors =
      empty(extended(stack_of(x), std::min(rows_of(x), columns_of(x))), x.dtype(), x.device());
  if (a.size() > 0) {
    LapackCall call(LinAlgRoutine::geqrf, a);
    call.run({.b = &factors});
  }
  return {finite, a, factors};
}

TwoArrays decompose_general(const NdArray& input, bool with_vectors) {
  const NdArray x = as_lapack_dtype("x", input);
  require_square("x", x);
  const Dtype type = complex_of(x.dtype());
  const std::int64_t n = rows_of(x);
  const NdArray values = empty(extended(stack_of(x), n), type, x.device());
  const NdArray eigenvectors =
      empty_column_major(stack_of(x), n, with_vectors ? n : 0, type, x.device());
  if (x.size() == 0) return {values, eigenvectors};
  require_finite(x);
  // For a real matrix, cuSOLVER would return eigenvectors in LAPACK's packed form.
  const bool has_kernel = has_form(
      kernels<LinAlgKernels>(x.device()).kernel_of(LinAlgRoutine::geev, x.dtype()), x.device());
  const NdArray source = has_kernel ? x : astype(x, type, false);
  LapackCall call(LinAlgRoutine::geev, copy_column_major(source));
  call.request.wants_eigenvectors = with_vectors;
  // cuSOLVER does part of this routine on the host.
  const Announcement announcement(
      [&] { return library_wait("eigenvalues by cuSOLVER", x.device()); });
  require_success(call.run({.b = &eigenvectors, .values = &values}), x, not_converged);
  return {values, eigenvectors};
}

}  // namespace

NdArray cholesky(const NdArray& input, bool upper) {
  const NdArray x = as_lapack_dtype("x", input);
  require_square("x", x);
  if (x.size() == 0) return copy_c_order(x);
  require_finite(x, upper ? Triangle::upper : Triangle::lower);
  // LAPACK sees a C-order matrix as its transpose, whose factor is the transpose of the other
  // triangle. cuSOLVER takes twice as long for upper factors (H100, 2048 x 2048 of float64).
  const Kernel<LinAlgParams>& kernel =
      kernels<LinAlgKernels>(x.device()).kernel_of(LinAlgRoutine::potrf, x.dtype());
  const bool by_columns = !upper && kernel.has_native();
  const NdArray a = by_columns ? copy_column_major(x) : copy_c_order(x);
  LapackCall call(LinAlgRoutine::potrf, a);
  call.request.is_upper = !upper && !by_columns;
  require_success(call.run({}), x, "not positive definite");
  return upper ? triu(a, 0) : tril(a, 0);
}

TwoArrays qr(const NdArray& input, bool complete) {
  const Reflections reflections = reflect(input);
  const NdArray& a = reflections.matrices;
  const std::int64_t columns = complete ? rows_of(a) : std::min(rows_of(a), columns_of(a));
  const NdArray q = reflectors_to_matrix(a, reflections.factors, columns);
  const NdArray r = triu(leading_part(a, columns, columns_of(a)), 0);
  return {reflections.finite.restore_nan(q, 2), reflections.finite.restore_nan(r, 2)};
}

NdArray qr_triangle(const NdArray& input) {
  const Reflections reflections = reflect(input);
  const NdArray& a = reflections.matrices;
  const std::int64_t rows = std::min(rows_of(a), columns_of(a));
  return reflections.finite.restore_nan(triu(leading_part(a, rows, columns_of(a)), 0), 2);
}

TwoArrays qr_reflectors(const NdArray& input) {
  const Reflections reflections = reflect(input);
  return {matrix_transpose(reflections.finite.restore_nan(reflections.matrices, 2)),
          reflections.finite.restore_nan(reflections.factors, 1)};
}

ThreeArrays svd(const NdArray& x, bool full_matrices) {
  const SingularValues decomposition =
      decompose(x, full_matrices ? SingularVectors::full : SingularVectors::reduced);
  return {decomposition.u, decomposition.s, decomposition.vh};
}

NdArray svdvals(const NdArray& x) { return decompose(x, SingularVectors::none).s; }

TwoArrays eigh(const NdArray& x, bool upper) { return decompose_hermitian(x, true, upper); }
NdArray eigvalsh(const NdArray& x, bool upper) {
  return decompose_hermitian(x, false, upper).first;
}
TwoArrays eig(const NdArray& x) { return decompose_general(x, true); }
NdArray eigvals(const NdArray& x) { return decompose_general(x, false).first; }

}  // namespace skerry::linalg
