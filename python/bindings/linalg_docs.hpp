// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The docstrings of skerry.linalg: all but factors and eigenvalues.
namespace skerry::python::docs {

inline constexpr const char* cross = R"(The vector products of vectors of three elements.

Parameters
----------
x1, x2 : Array
    Numeric; of size 3 along axis, the other axes broadcast.
axis : int
    Counted from the end of both, so negative.

Returns
-------
Array
    In the dtype that those of x1 and x2 promote to; integers wrap around.

Raises
------
AxisError, DeviceMismatchError, TypeError, ValueError

Examples
--------
>>> import skerry as sk
>>> sk.linalg.cross(sk.asarray([1, 0, 0]), sk.asarray([0, 1, 0])).tolist()
[0, 0, 1]

Source: array API 2025.12, linear algebra extension.)";

inline constexpr const char* det = R"(The determinants of matrices, from their LU factors.

Parameters
----------
x : Array
    Of shape (..., M, M) and a floating dtype other than float16.

Returns
-------
Array
    Of shape (...) and the dtype of x; 1 for a 0 x 0 matrix, NaN for one with NaN or infinity.
    What overflows on the way only is not lost.

Raises
------
TypeError, ValueError

Examples
--------
>>> import skerry as sk
>>> sk.linalg.det(sk.asarray([[2.0, 0.0], [0.0, 3.0]])).item()
6.0

Source: array API 2025.12, linear algebra extension.)";

inline constexpr const char* diagonal = R"(The diagonals of matrices, a view.

Parameters
----------
x : Array
    Of shape (..., M, N) and any dtype.
offset : int
    Above (positive) or below the main diagonal.

Returns
-------
Array
    Of shape (..., K); it shares the memory of x.

Raises
------
ValueError
    Below 2-D.

Examples
--------
>>> import skerry as sk
>>> sk.linalg.diagonal(sk.asarray([[1, 2], [3, 4]])).tolist()
[1, 4]

Source: array API 2025.12, linear algebra extension.)";

inline constexpr const char* inv = R"(The inverses of matrices, by LU factors.

The call waits for the result of the factoring, on CUDA devices too.

Parameters
----------
x : Array
    Of shape (..., M, M) and a floating dtype other than float16.

Returns
-------
Array
    Of the shape and dtype of x; NaN for a matrix with NaN or infinity.

Raises
------
LinAlgError
    (a ValueError) if a matrix is singular.
TypeError, ValueError

Examples
--------
>>> import skerry as sk
>>> sk.linalg.inv(sk.asarray([[2.0, 0.0], [0.0, 4.0]])).tolist()
[[0.5, 0.0], [0.0, 0.25]]

Source: array API 2025.12, linear algebra extension.)";

inline constexpr const char* matrix_norm = R"(The norms of matrices.

Parameters
----------
x : Array
    Of shape (..., M, N) and a floating dtype; other than float16 for orders of singular values.
keepdims : bool
    Keep the last two axes with size 1.
ord : {'fro', 'nuc', 1, 2, inf, -1, -2, -inf}
    Frobenius; the sum of the singular values; the largest (negative: least) sum of magnitudes
    of a column (1) or row (inf), singular value (2).

Returns
-------
Array
    Of shape (...) and the real dtype; 0 without elements, infinite for negative orders.

Raises
------
LinAlgError
    (a ValueError) for NaN and infinities where singular values are needed.
TypeError, ValueError

Examples
--------
>>> import skerry as sk
>>> sk.linalg.matrix_norm(sk.asarray([[3.0, 0.0], [0.0, 4.0]])).item()
5.0

Source: array API 2025.12, linear algebra extension.)";

inline constexpr const char* matrix_power = R"(Matrices to an integer power, by squaring.

Parameters
----------
x : Array
    Of shape (..., M, M) and a floating dtype, other than float16 for negative n.
n : int
    Of the inverses if negative; 0 gives the identity.

Returns
-------
Array
    Of the shape and dtype of x.

Raises
------
LinAlgError
    (a ValueError) for negative n and a singular matrix.
TypeError, ValueError

Examples
--------
>>> import skerry as sk
>>> sk.linalg.matrix_power(sk.asarray([[1.0, 1.0], [0.0, 1.0]]), 5).tolist()
[[1.0, 5.0], [0.0, 1.0]]

Source: array API 2025.12, linear algebra extension.)";

inline constexpr const char* matrix_rank =
    R"(The ranks of matrices: how many singular values exceed a tolerance.

The call waits for the result of the factoring, on CUDA devices too.

Parameters
----------
x : Array
    Of shape (..., M, N) and a floating dtype other than float16.
rtol : float or Array, optional
    The tolerance as a part of the largest singular value, a real floating array of shape (...);
    max(M, N) times the epsilon of the dtype by default.

Returns
-------
Array
    int64, of shape (...).

Raises
------
LinAlgError
    (a ValueError) for NaN and infinities.
DeviceMismatchError, TypeError, ValueError

Examples
--------
>>> import skerry as sk
>>> sk.linalg.matrix_rank(sk.asarray([[1.0, 2.0], [2.0, 4.0]])).item()
1

Source: array API 2025.12, linear algebra extension.)";

inline constexpr const char* outer = R"(The products of each element of x1 with each of x2.

Parameters
----------
x1, x2 : Array
    Numeric, 1-D, of sizes M and N.

Returns
-------
Array
    Of shape (M, N), in the dtype that those of x1 and x2 promote to.

Raises
------
DeviceMismatchError, TypeError, ValueError

Examples
--------
>>> import skerry as sk
>>> sk.linalg.outer(sk.asarray([1, 2]), sk.asarray([3, 4])).tolist()
[[3, 4], [6, 8]]

Source: array API 2025.12, linear algebra extension.)";

inline constexpr const char* pinv =
    R"(The pseudo-inverses (Moore-Penrose) of matrices, by singular values.

The call waits for the result of the factoring, on CUDA devices too.

Parameters
----------
x : Array
    Of shape (..., M, N) and a floating dtype other than float16.
rtol : float or Array, optional
    Singular values not above this part of the largest one count as 0: a real floating array of
    shape (...); max(M, N) times the epsilon of the dtype by default.

Returns
-------
Array
    Of shape (..., N, M) and the dtype of x.

Raises
------
LinAlgError
    (a ValueError) for NaN and infinities.
DeviceMismatchError, TypeError, ValueError

Examples
--------
>>> import skerry as sk
>>> sk.linalg.pinv(sk.asarray([[2.0, 0.0], [0.0, 0.0]])).tolist()
[[0.5, 0.0], [0.0, 0.0]]

Source: array API 2025.12, linear algebra extension.)";

inline constexpr const char* slogdet =
    R"(The signs of determinants and the logarithms of their moduli, from LU factors.

Parameters
----------
x : Array
    Of shape (..., M, M) and a floating dtype other than float16.

Returns
-------
SlogdetResult
    A named tuple of arrays of shape (...): sign, of the dtype of x (a complex one has modulus 1),
    logabsdet, real; 0 and -inf for a singular matrix, NaN for one with NaN or infinity.

Raises
------
TypeError, ValueError

Examples
--------
>>> import skerry as sk
>>> sign, logarithm = sk.linalg.slogdet(sk.asarray([[0.0, 1.0], [1.0, 0.0]]))
>>> sign.item(), logarithm.item()
(-1.0, 0.0)

Source: array API 2025.12, linear algebra extension.)";

inline constexpr const char* solve = R"(The solutions of x1 @ x = x2, by LU factors.

The call waits for the result of the factoring, on CUDA devices too.

Parameters
----------
x1 : Array
    Of shape (..., M, M) and a floating dtype other than float16.
x2 : Array
    Of shape (M,), one right-hand side, or (..., M, K). Stacks broadcast.

Returns
-------
Array
    Of shape (..., M) or (..., M, K), in the dtype that those of x1 and x2 promote to; NaN for a
    matrix or a right-hand side with NaN or infinity.

Raises
------
LinAlgError
    (a ValueError) if a matrix is singular.
DeviceMismatchError, TypeError, ValueError

Examples
--------
>>> import skerry as sk
>>> sk.linalg.solve(sk.asarray([[2.0, 0.0], [0.0, 4.0]]), sk.asarray([2.0, 2.0])).tolist()
[1.0, 0.5]

Source: array API 2025.12, linear algebra extension.)";

inline constexpr const char* trace = R"(The sums along the diagonals of matrices.

Parameters
----------
x : Array
    Of shape (..., M, N) and a numeric dtype.
offset : int
    Above (positive) or below the main diagonal.
dtype : dtype, optional
    Of the result; by default as in sum: int64 or uint64 for integers.

Returns
-------
Array
    Of shape (...).

Raises
------
TypeError, ValueError

Examples
--------
>>> import skerry as sk
>>> sk.linalg.trace(sk.asarray([[1, 2], [3, 4]])).item()
5

Source: array API 2025.12, linear algebra extension.)";

inline constexpr const char* vector_norm = R"(The norms of vectors.

Parameters
----------
x : Array
    Of any shape and a floating dtype.
axis : int or tuple of ints, optional
    Along which the vectors lie; all of x is one vector by default.
keepdims : bool
    Keep these axes with size 1.
ord : int or float
    sum(abs(x) ** ord) ** (1 / ord); the largest magnitude for inf, the least for -inf, how many
    elements are not 0 for 0.

Returns
-------
Array
    Of the real dtype. Finite elements don't overflow on the way to a finite norm.

Raises
------
AxisError, TypeError, ValueError

Examples
--------
>>> import skerry as sk
>>> sk.linalg.vector_norm(sk.asarray([3.0, 4.0])).item()
5.0

Source: array API 2025.12, linear algebra extension.)";

}  // namespace skerry::python::docs
