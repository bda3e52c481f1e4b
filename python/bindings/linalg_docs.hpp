// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "python/bindings/function_table.hpp"

/// The docstrings of skerry.linalg.
namespace skerry::python::docs {

inline constexpr const char* square = R"(x : Array
    Of shape (..., M, M) and any dtype but float16; integers and bools are converted to float64.)";
inline constexpr const char* one_triangle = R"(x : Array
    Of shape (..., M, M) and any dtype but float16; integers and bools are converted to float64.
    Only one triangle is read.
UPLO : {'L', 'U'}
    Which one: the lower or the upper triangle.)";
inline constexpr const char* matrices = R"(x : Array
    Of shape (..., M, N) and any dtype but float16; integers and bools are converted to float64.)";
inline constexpr const char* offset = R"(offset : int
    Above (positive) or below the main diagonal.)";
inline constexpr const char* waits =
    "Blocks until the factorization is complete, also on CUDA devices.";
inline constexpr const char* square_errors = R"(TypeError
    For float16, and for integers and bools under strict promotion.
ValueError
    Below 2-D, or if the matrices are not square.)";
inline constexpr const char* not_finite = R"(LinAlgError
    (a ValueError) for NaN and infinities, or if the iteration does not converge.
TypeError
    For float16, and for integers and bools under strict promotion.
ValueError
    Below 2-D.)";
inline constexpr const char* square_not_finite = R"(LinAlgError
    (a ValueError) for NaN and infinities, or if the iteration does not converge.
TypeError
    For float16, and for integers and bools under strict promotion.
ValueError
    Below 2-D, or if the matrices are not square.)";
inline constexpr const char* triangle_not_finite = R"(LinAlgError
    (a ValueError) for NaN and infinities in that triangle, or if the iteration does not converge.
TypeError
    For float16, and for integers and bools under strict promotion.
ValueError
    Below 2-D, or if the matrices are not square.)";
inline constexpr const char* tolerance_errors = R"(LinAlgError
    (a ValueError) for NaN and infinities.
DeviceMismatchError
    If rcond or rtol is on another device than x.
TypeError
    For float16 or a complex rtol, and for integers and bools under strict promotion.
ValueError
    Below 2-D, if rcond and rtol are both set, or their shape does not broadcast to (...).)";

inline constexpr const char* rank_errors = R"(LinAlgError
    (a ValueError) for NaN and infinities.
DeviceMismatchError
    If tol or rtol is on another device than x.
TypeError
    For float16 or a complex tol or rtol, and for integers and bools under strict promotion.
ValueError
    If tol and rtol are both set, or their shape does not broadcast to (...).)";

inline constexpr DocSections cholesky = {
    .summary = "The Cholesky factor of positive definite matrices: x = L @ conj(L.mT).",
    .details = waits,
    .parameters = {R"(x : Array
    Of shape (..., M, M) and any dtype but float16; integers and bools are converted to float64.
    Symmetric or Hermitian: only one triangle is read, the lower one for upper=False.
upper : bool
    Return the upper factor U instead: x = conj(U.mT) @ U.)"},
    .returns = R"(Array
    Of the shape and dtype of x; exactly 0 in the other triangle.)",
    .raises = R"(LinAlgError
    (a ValueError) for NaN and infinities in that triangle, or if a matrix is not positive definite.
TypeError
    For float16, and for integers and bools under strict promotion.
ValueError
    Below 2-D, or if the matrices are not square.)",
    .example = R"(>>> sk.linalg.cholesky(sk.asarray([[4.0, 2.0], [2.0, 5.0]])).tolist()
[[2.0, 0.0], [1.0, 2.0]])"};

inline constexpr DocSections cross = {
    .summary = "The cross products of vectors of three elements.",
    .parameters = {R"(x1, x2 : Array
    Of size 3 along axis, the other axes broadcast; bools are converted to int64.
axis : int
    Counted from the end of both, so negative.)"},
    .returns = R"(Array
    Of the promoted dtype of x1 and x2; integers wrap around.)",
    .raises = R"(AxisError
    For an axis that is not negative, or that x1 or x2 does not have.
DeviceMismatchError
    For arrays on different devices.
TypeError
    For dtypes that don't promote, and for bools under strict promotion.
ValueError
    If the size along axis is not 3, or the other axes don't broadcast.)",
    .example = R"(>>> sk.linalg.cross(sk.asarray([1, 0, 0]), sk.asarray([0, 1, 0])).tolist()
[0, 0, 1])"};

inline constexpr DocSections det = {
    .summary = "The determinants of matrices, from their LU factors.",
    .parameters = {square},
    .returns = R"(Array
    Of shape (...) and the dtype of x; 1 for a 0 x 0 matrix, NaN for one with NaN or infinity.
    Overflow and underflow of intermediate products do not affect the result.)",
    .raises = square_errors,
    .example = R"(>>> sk.linalg.det(sk.asarray([[2.0, 0.0], [0.0, 3.0]])).item()
6.0)"};

inline constexpr DocSections diagonal = {
    .summary = "The diagonals of matrices, a view.",
    .parameters = {R"(x : Array
    Of shape (..., M, N) and any dtype.)",
                   offset},
    .returns = R"(Array
    Of shape (..., K); it shares the memory of x.)",
    .raises = R"(ValueError
    Below 2-D.)",
    .example = R"(>>> sk.linalg.diagonal(sk.asarray([[1, 2], [3, 4]])).tolist()
[1, 4])"};

inline constexpr DocSections eig = {
    .summary = "Eigenvalues and right eigenvectors of matrices.",
    .details = waits,
    .parameters = {square},
    .returns = R"(EigResult
    A named tuple: eigenvalues of shape (..., M), eigenvectors in the columns of (..., M, M), both
    complex; in no particular order, vectors of 2-norm 1.)",
    .raises = square_not_finite,
    .example = R"(>>> sk.linalg.eig(sk.asarray([[0.0, 1.0], [-1.0, 0.0]])).eigenvalues.tolist()
[1j, -1j])"};

inline constexpr DocSections eigh = {
    .summary = "Eigenvalues and eigenvectors of symmetric or Hermitian matrices.",
    .details = waits,
    .parameters = {one_triangle},
    .returns = R"(EighResult
    A named tuple: eigenvalues of shape (..., M), real and ascending; eigenvectors of the dtype of
    x in the columns of (..., M, M), orthonormal.)",
    .raises = triangle_not_finite,
    .example = R"(>>> sk.linalg.eigh(sk.asarray([[2.0, 0.0], [0.0, 1.0]])).eigenvalues.tolist()
[1.0, 2.0])"};

inline constexpr DocSections eigvals = {
    .summary = "The eigenvalues of matrices.",
    .details = waits,
    .parameters = {square},
    .returns = R"(Array
    Complex, of shape (..., M), in no particular order.)",
    .raises = square_not_finite,
    .example = R"(>>> sk.linalg.eigvals(sk.asarray([[1.0, 0.0], [0.0, 2.0]])).tolist()
[(1+0j), (2+0j)])"};

inline constexpr DocSections eigvalsh = {
    .summary = "The eigenvalues of symmetric or Hermitian matrices.",
    .details = waits,
    .parameters = {one_triangle},
    .returns = R"(Array
    Real, of shape (..., M), ascending.)",
    .raises = triangle_not_finite,
    .example = R"(>>> sk.linalg.eigvalsh(sk.asarray([[2.0, 0.0], [0.0, 1.0]])).tolist()
[1.0, 2.0])"};

inline constexpr DocSections inv = {
    .summary = "The inverses of matrices, by LU factors.",
    .details = waits,
    .parameters = {square},
    .returns = R"(Array
    Of the shape and dtype of x; NaN for a matrix with NaN or infinity.)",
    .raises = R"(LinAlgError
    (a ValueError) if a matrix is singular.
TypeError
    For float16, and for integers and bools under strict promotion.
ValueError
    Below 2-D, or if the matrices are not square.)",
    .example = R"(>>> sk.linalg.inv(sk.asarray([[2.0, 0.0], [0.0, 4.0]])).tolist()
[[0.5, 0.0], [0.0, 0.25]])"};

inline constexpr DocSections matrix_norm = {
    .summary = "The norms of matrices.",
    .parameters = {R"(x : Array
    Of shape (..., M, N), not float16 for orders of singular values; integers and bools are
    converted to float64.
keepdims : bool
    Keep the last two axes with size 1.
ord : {'fro', 'nuc', 1, 2, inf, -1, -2, -inf}
    'fro': Frobenius; 'nuc': the sum of the singular values; else the maximum (negative: minimum)
    of the sums of magnitudes of the columns (1) or rows (inf), or of the singular values (2).)"},
    .returns = R"(Array
    Of shape (...) and the real dtype; for empty matrices 0, or inf for negative orders.)",
    .raises = R"(LinAlgError
    (a ValueError) for NaN and infinities where singular values are needed.
TypeError
    For float16 where singular values are needed, and for integers and bools under strict promotion.
ValueError
    Below 2-D, or for an unknown ord.)",
    .example = R"(>>> sk.linalg.matrix_norm(sk.asarray([[3.0, 0.0], [0.0, 4.0]])).item()
5.0)"};

inline constexpr DocSections matrix_power = {
    .summary = "Matrices to an integer power, by squaring.",
    .parameters = {R"(x : Array
    Of shape (..., M, M), not float16 for negative n. Bools, and for negative n integers, are
    converted to float64.
n : int
    If negative, the inverses are raised to -n; 0 gives the identity.)"},
    .returns = R"(Array
    Of the shape and dtype of x.)",
    .raises = R"(LinAlgError
    (a ValueError) for a singular matrix if n is negative.
OverflowError
    If n does not fit into int64.
TypeError
    For float16 if n is negative, and for integers and bools under strict promotion.
ValueError
    Below 2-D, or if the matrices are not square.)",
    .example = R"(>>> sk.linalg.matrix_power(sk.asarray([[1.0, 1.0], [0.0, 1.0]]), 5).tolist()
[[1.0, 5.0], [0.0, 1.0]])"};

inline constexpr DocSections matrix_rank = {
    .summary = "The ranks of matrices: the number of singular values above a tolerance.",
    .details = waits,
    .parameters = {R"(x : Array
    Of shape (..., M, N) and any dtype but float16; integers and bools are converted to float64.
    With fewer axes, the rank is 1 if any element is not 0, else 0.)",
                   R"(tol : float or Array, optional
    The tolerance itself, a real array of shape (...).
hermitian : bool
    Use the eigenvalues of the lower triangle: the matrices are symmetric or Hermitian.
rtol : float or Array, optional
    The tolerance relative to the largest singular value, a real array of shape (...);
    max(M, N) times the epsilon of the dtype by default.)"},
    .returns = R"(Array
    int64, of shape (...).)",
    .raises = rank_errors,
    .example = R"(>>> sk.linalg.matrix_rank(sk.asarray([[1.0, 2.0], [2.0, 4.0]])).item()
1)"};

inline constexpr DocSections outer = {
    .summary = "The outer product of two vectors.",
    .parameters = {R"(x1, x2 : Array
    1-D, of sizes M and N.)"},
    .returns = R"(Array
    Of shape (M, N), of the promoted dtype of x1 and x2.)",
    .raises = R"(DeviceMismatchError
    For arrays on different devices.
TypeError
    For dtypes that don't promote, and for bools under strict promotion.
ValueError
    Unless both are 1-D.)",
    .example = R"(>>> sk.linalg.outer(sk.asarray([1, 2]), sk.asarray([3, 4])).tolist()
[[3, 4], [6, 8]])"};

inline constexpr DocSections pinv = {
    .summary = "The Moore-Penrose pseudo-inverses of matrices, by singular values.",
    .details = waits,
    .parameters = {matrices, R"(rcond : float or Array, optional
    NumPy's name of rtol.
hermitian : bool
    Use the eigenvalues of the lower triangle: the matrices are symmetric or Hermitian.
rtol : float or Array, optional
    Singular values not above rtol times the largest one count as 0: a real array of
    shape (...); max(M, N) times the epsilon of the dtype by default.)"},
    .returns = R"(Array
    Of shape (..., N, M) and the dtype of x.)",
    .raises = tolerance_errors,
    .example = R"(>>> sk.linalg.pinv(sk.asarray([[2.0, 0.0], [0.0, 0.0]])).tolist()
[[0.5, 0.0], [0.0, 0.0]])"};

inline constexpr DocSections qr = {
    .summary = "The QR factors of matrices: orthonormal columns Q times upper triangular R.",
    .parameters = {matrices, R"(mode : {'reduced', 'complete', 'r', 'raw'}
    'reduced', 'complete': Q of shape (..., M, K) and R of (..., K, N) with K = min(M, N), or K = M.
    'r': the reduced R only. 'raw': LAPACK's reflectors, transposed, and their factors.)"},
    .returns = R"(QRResult
    A named tuple: Q, R, of the dtype of x; R is exactly 0 below the diagonal. Both are NaN for a
    matrix with NaN or infinity. For 'r' an Array, R; for 'raw' a tuple of arrays of shape
    (..., N, M) and (..., min(M, N)).)",
    .raises = R"(TypeError
    For float16, and for integers and bools under strict promotion.
ValueError
    Below 2-D, or for another mode.)",
    .example = R"(>>> q, r = sk.linalg.qr(sk.asarray([[0.0, 2.0], [1.0, 0.0]]))
>>> sk.matmul(q, r).tolist()
[[0.0, 2.0], [1.0, 0.0]])"};

inline constexpr DocSections slogdet = {
    .summary = "The signs of determinants and the logarithms of their moduli, from LU factors.",
    .parameters = {square},
    .returns = R"(SlogdetResult
    A named tuple of arrays of shape (...): sign, of the dtype of x (a complex one has modulus 1),
    logabsdet, real; 0 and -inf for a singular matrix, NaN for one with NaN or infinity.)",
    .raises = square_errors,
    .example = R"(>>> sign, logarithm = sk.linalg.slogdet(sk.asarray([[0.0, 1.0], [1.0, 0.0]]))
>>> sign.item(), logarithm.item()
(-1.0, 0.0))"};

inline constexpr DocSections solve = {
    .summary = "The solutions of x1 @ x = x2, by LU factors.",
    .details = waits,
    .parameters = {R"(x1 : Array
    Of shape (..., M, M) and any dtype but float16. Integers and bools, also of x2, take the dtype
    of the other argument if that is floating, else float64.
x2 : Array
    Of shape (M,), one right-hand side, or (..., M, K). Stacks broadcast.)"},
    .returns = R"(Array
    Of shape (..., M) or (..., M, K), of the promoted dtype of x1 and x2; NaN for a
    matrix or a right-hand side with NaN or infinity.)",
    .raises = R"(LinAlgError
    (a ValueError) if a matrix is singular.
DeviceMismatchError
    For arrays on different devices.
TypeError
    For float16, and for integers and bools under strict promotion.
ValueError
    If the matrices of x1 are not square, or the shapes don't match.)",
    .example =
        R"(>>> sk.linalg.solve(sk.asarray([[2.0, 0.0], [0.0, 4.0]]), sk.asarray([2.0, 2.0])).tolist()
[1.0, 0.5])"};

inline constexpr DocSections svd = {
    .summary = "The singular value decompositions of matrices: x = U @ diag(S) @ Vh.",
    .details = waits,
    .parameters = {matrices, R"(full_matrices : bool
    If True, U is of shape (..., M, M) and Vh of (..., N, N), else (..., M, K) and (..., K, N) with
    K = min(M, N).
compute_uv : bool
    If False, return S only.
hermitian : bool
    Use the eigenvalues of the lower triangle: the matrices are symmetric or Hermitian.)"},
    .returns = R"(SVDResult
    A named tuple: U, S, Vh; S is real, of shape (..., K), descending. An Array, S, for
    compute_uv=False.)",
    .raises = not_finite,
    .example = R"(>>> sk.linalg.svd(sk.asarray([[0.0, 2.0], [1.0, 0.0]])).S.tolist()
[2.0, 1.0])"};

inline constexpr DocSections svdvals = {
    .summary = "The singular values of matrices.",
    .details = waits,
    .parameters = {matrices},
    .returns = R"(Array
    Real, of shape (..., min(M, N)), descending.)",
    .raises = not_finite,
    .example = R"(>>> sk.linalg.svdvals(sk.asarray([[0.0, 2.0], [1.0, 0.0]])).tolist()
[2.0, 1.0])"};

inline constexpr DocSections trace = {
    .summary = "The sums along the diagonals of matrices.",
    .parameters = {R"(x : Array
    Of shape (..., M, N); bools are converted to int64.)",
                   offset, R"(dtype : dtype, optional
    Dtype of the result; by default as in sum: int64 or uint64 for integers.)"},
    .returns = R"(Array
    Of shape (...).)",
    .raises = R"(TypeError
    For dtype=bool, if x does not cast to dtype, and for bools under strict promotion.
ValueError
    Below 2-D.)",
    .example = R"(>>> sk.linalg.trace(sk.asarray([[1, 2], [3, 4]])).item()
5)"};

inline constexpr DocSections vector_norm = {
    .summary = "The norms of vectors.",
    .parameters = {R"(x : Array
    Of any shape; integers and bools are converted to float64.
axis : int or tuple of ints, optional
    The axes of the vectors; by default all of x is one vector.
keepdims : bool
    Keep these axes with size 1.
ord : int or float
    sum(abs(x) ** ord) ** (1 / ord); the largest magnitude for inf, the smallest for -inf, the
    number of nonzero elements for 0.)"},
    .returns = R"(Array
    Of the real dtype. Intermediate results don't overflow if the norm is finite.)",
    .raises = R"(AxisError
    For an axis that x does not have.
TypeError
    For integers and bools under strict promotion.
ValueError
    For repeated axes, or if ord is NaN.)",
    .example = R"(>>> sk.linalg.vector_norm(sk.asarray([3.0, 4.0])).item()
5.0)"};

}  // namespace skerry::python::docs
