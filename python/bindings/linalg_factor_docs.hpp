// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The docstrings of skerry.linalg: factors and eigenvalues.
namespace skerry::python::docs {

inline constexpr const char* cholesky =
    R"(The Cholesky factor of positive definite matrices: x = L @ conj(L.mT).

The call waits for the result of the factoring, on CUDA devices too.

Parameters
----------
x : Array
    Of shape (..., M, M) and a floating dtype other than float16; symmetric or
    Hermitian, of which one triangle is read, the lower one for upper=False.
upper : bool
    The upper factor U instead, x = conj(U.mT) @ U.

Returns
-------
Array
    Of the shape and dtype of x; exactly 0 in the other triangle.

Raises
------
LinAlgError
    (a ValueError) for NaN and infinities in that triangle, or if a matrix is not positive definite.
TypeError, ValueError

Examples
--------
>>> import skerry as sk
>>> sk.linalg.cholesky(sk.asarray([[4.0, 2.0], [2.0, 5.0]])).tolist()
[[2.0, 0.0], [1.0, 2.0]]

Source: array API 2025.12, linear algebra extension.)";

inline constexpr const char* eig = R"(Eigenvalues and right eigenvectors of matrices.

The call waits for the result of the factoring, on CUDA devices too.

Parameters
----------
x : Array
    Of shape (..., M, M) and a floating dtype other than float16.

Returns
-------
EigResult
    A named tuple: eigenvalues of shape (..., M), eigenvectors in the columns of (..., M, M), both
    complex; in no particular order, vectors of 2-norm 1.

Raises
------
LinAlgError
    (a ValueError) for NaN and infinities, or if the iteration does not converge.
TypeError, ValueError

Examples
--------
>>> import skerry as sk
>>> sk.linalg.eig(sk.asarray([[0.0, 1.0], [-1.0, 0.0]])).eigenvalues.tolist()
[1j, -1j]

Source: array API 2025.12, linear algebra extension.)";

inline constexpr const char* eigh =
    R"(Eigenvalues and eigenvectors of symmetric or Hermitian matrices.

The call waits for the result of the factoring, on CUDA devices too.

Parameters
----------
x : Array
    Of shape (..., M, M) and a floating dtype other than float16; the lower triangle is read.

Returns
-------
EighResult
    A named tuple: eigenvalues of shape (..., M), real and ascending; eigenvectors of the dtype of
    x in the columns of (..., M, M), orthonormal.

Raises
------
LinAlgError
    (a ValueError) for NaN and infinities in that triangle, or if the iteration does not converge.
TypeError, ValueError

Examples
--------
>>> import skerry as sk
>>> sk.linalg.eigh(sk.asarray([[2.0, 0.0], [0.0, 1.0]])).eigenvalues.tolist()
[1.0, 2.0]

Source: array API 2025.12, linear algebra extension.)";

inline constexpr const char* eigvals = R"(The eigenvalues of matrices.

The call waits for the result of the factoring, on CUDA devices too.

Parameters
----------
x : Array
    Of shape (..., M, M) and a floating dtype other than float16.

Returns
-------
Array
    Complex, of shape (..., M), in no particular order.

Raises
------
LinAlgError
    (a ValueError) for NaN and infinities, or if the iteration does not converge.
TypeError, ValueError

Examples
--------
>>> import skerry as sk
>>> sk.linalg.eigvals(sk.asarray([[1.0, 0.0], [0.0, 2.0]])).tolist()
[(1+0j), (2+0j)]

Source: array API 2025.12, linear algebra extension.)";

inline constexpr const char* eigvalsh = R"(The eigenvalues of symmetric or Hermitian matrices.

The call waits for the result of the factoring, on CUDA devices too.

Parameters
----------
x : Array
    Of shape (..., M, M) and a floating dtype other than float16; the lower triangle is read.

Returns
-------
Array
    Real, of shape (..., M), ascending.

Raises
------
LinAlgError
    (a ValueError) for NaN and infinities in that triangle, or if the iteration does not converge.
TypeError, ValueError

Examples
--------
>>> import skerry as sk
>>> sk.linalg.eigvalsh(sk.asarray([[2.0, 0.0], [0.0, 1.0]])).tolist()
[1.0, 2.0]

Source: array API 2025.12, linear algebra extension.)";

inline constexpr const char* qr =
    R"(The QR factors of matrices: orthonormal columns by an upper triangle.

Parameters
----------
x : Array
    Of shape (..., M, N) and a floating dtype other than float16.
mode : {'reduced', 'complete'}
    Q of shape (..., M, K) and R of (..., K, N) with K = min(M, N), or K = M.

Returns
-------
QRResult
    A named tuple: Q, R, of the dtype of x; R is exactly 0 below the diagonal. Both are NaN for a
    matrix with NaN or infinity.

Raises
------
ValueError
    Below 2-D, or for another mode.
TypeError

Examples
--------
>>> import skerry as sk
>>> q, r = sk.linalg.qr(sk.asarray([[0.0, 2.0], [1.0, 0.0]]))
>>> sk.matmul(q, r).tolist()
[[0.0, 2.0], [1.0, 0.0]]

Source: array API 2025.12, linear algebra extension.)";

inline constexpr const char* svd =
    R"(The singular value decompositions of matrices: x = U @ diag(S) @ Vh.

The call waits for the result of the factoring, on CUDA devices too.

Parameters
----------
x : Array
    Of shape (..., M, N) and a floating dtype other than float16.
full_matrices : bool
    U of shape (..., M, M) and Vh of (..., N, N), instead of (..., M, K) and (..., K, N) with
    K = min(M, N).

Returns
-------
SVDResult
    A named tuple: U, S, Vh; S is real, of shape (..., K), descending.

Raises
------
LinAlgError
    (a ValueError) for NaN and infinities, or if the iteration does not converge.
TypeError, ValueError

Examples
--------
>>> import skerry as sk
>>> sk.linalg.svd(sk.asarray([[0.0, 2.0], [1.0, 0.0]])).S.tolist()
[2.0, 1.0]

Source: array API 2025.12, linear algebra extension.)";

inline constexpr const char* svdvals = R"(The singular values of matrices.

The call waits for the result of the factoring, on CUDA devices too.

Parameters
----------
x : Array
    Of shape (..., M, N) and a floating dtype other than float16.

Returns
-------
Array
    Real, of shape (..., min(M, N)), descending.

Raises
------
LinAlgError
    (a ValueError) for NaN and infinities, or if the iteration does not converge.
TypeError, ValueError

Examples
--------
>>> import skerry as sk
>>> sk.linalg.svdvals(sk.asarray([[0.0, 2.0], [1.0, 0.0]])).tolist()
[2.0, 1.0]

Source: array API 2025.12, linear algebra extension.)";

}  // namespace skerry::python::docs
