# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Stacks of small matrices, which CPU devices vectorize with a matrix per lane: as accurate as LAPACK, with its pivots."""

import numpy as np
import pytest
import skerry as sk
from skerry import linalg
from skerry.exceptions import LinAlgError
from skerry.testing import instruments

from tests.python.linear.matrices import adjoint, assert_close, dtypes, random, real_of
from tests.python.loops import loop_over
from tests.python.oracle import to_device, to_numpy

#: Stack sizes around the smallest vectorized stacks, and the numbers of lanes of vectors of 16, 32 and 64 bytes.
COUNTS = (1, 3, 4, 5, 8, 9, 16, 17, 33)
#: Sides around blocks of four sums, and around the largest sides for vectors of 16, 32 and 64 bytes.
SIDES = (1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 32, 33)
#: Maximum ratio of our errors to LAPACK's, which uses this machine's instructions and may fuse where ours do not.
WORSE = 1.25 if instruments.instruction_set() == "x86-64-v2" else 1.06
sides = loop_over("n", SIDES)


def ill_conditioned(dtype, count, n):
    """Returns matrices with rows of very different sizes, in random order, so that every pivot requires a search."""
    a = random(dtype, (count, n, n), n)
    scales = np.logspace(-3, 3, n).astype(real_of(dtype))
    for i, order in enumerate(
        np.random.default_rng(n).permuted(np.tile(np.arange(n), (count, 1)), axis=1)
    ):
        a[i] = a[i] * scales[order][:, None]
    return a


def permutations(dtype, count, n):
    """Returns permutation matrices, whose pivots are all 1."""
    orders = np.random.default_rng(n).permuted(np.tile(np.arange(n), (count, 1)), axis=1)
    return np.eye(n, dtype=dtype)[orders]


def backward_errors(a, x, b):
    """Returns the residuals relative to the products that they are computed from, in extended precision."""
    a, x, b = (operand.astype("complex256") for operand in (a, x, b))
    return (
        (np.abs(a @ x - b) / (np.abs(a) @ np.abs(x) + np.abs(b)))
        .max(axis=(-2, -1))
        .astype("float64")
    )


def solved_one_by_one(a, b):
    """Solves by LAPACK, one system at a time. NumPy would solve float32 in float64."""
    pairs = zip(a, b, strict=True)
    return np.stack(
        [to_numpy(linalg.solve(to_device("cpu:0", x), to_device("cpu:0", y))) for x, y in pairs]
    )


@dtypes
@sides
def test_solutions_are_as_accurate_as_lapack(dtype, n):
    count = 2000  # of 500, the quantile varies by a tenth
    for a in (random(dtype, (count, n, n), 7), ill_conditioned(dtype, count, n)):
        b = random(dtype, (count, n, 2), 3)
        ours = backward_errors(
            a, to_numpy(linalg.solve(to_device("cpu:0", a), to_device("cpu:0", b))), b
        )
        lapack_s = backward_errors(a, solved_one_by_one(a, b), b)
        assert np.median(ours) <= WORSE * np.median(lapack_s)
        assert np.quantile(ours, 0.95) <= (WORSE + 0.04) * np.quantile(lapack_s, 0.95)


@dtypes
@sides
def test_stacks_of_every_size_equal_numpy(dtype, n, device):
    for count in COUNTS:
        a = random(dtype, (count, n, n), 11) + (n + 2) * permutations(dtype, count, n)
        x = to_device(device, a)
        assert_close(to_numpy(linalg.inv(x)), np.linalg.inv(a), dtype)
        sign, logarithm = map(to_numpy, linalg.slogdet(x))
        want = np.linalg.slogdet(a)
        assert_close(sign, want.sign, dtype)
        assert_close(logarithm, want.logabsdet, real_of(dtype))
        if n < 16:  # within the range of float32
            assert_close(
                to_numpy(linalg.det(x)) / want.sign, np.exp(want.logabsdet), dtype, scale=10
            )
        for columns in (1, n + 1):
            b = random(dtype, (count, n, columns), 13)
            assert_close(
                to_numpy(linalg.solve(x, to_device(device, b))), np.linalg.solve(a, b), dtype
            )
        square = a @ adjoint(a)
        for upper in (False, True):
            factor = to_numpy(linalg.cholesky(to_device(device, square), upper=upper))
            assert_close(
                adjoint(factor) @ factor if upper else factor @ adjoint(factor),
                square,
                dtype,
                scale=300,
            )
            assert not (np.tril(factor, -1) if upper else np.triu(factor, 1)).any()


@dtypes
@sides
def test_inverses_of_permutations_are_exact(dtype, n, device):
    a = permutations(dtype, 40, n)
    np.testing.assert_array_equal(
        to_numpy(linalg.inv(to_device(device, a))), np.swapaxes(a, -1, -2)
    )
    # Not by numpy.linalg.det, which warns of complex matrices on aarch64.
    orders = a.real.argmax(axis=-1)
    inversions = np.triu(orders[:, :, np.newaxis] > orders[:, np.newaxis], 1).sum(axis=(-2, -1))
    np.testing.assert_array_equal(
        to_numpy(linalg.det(to_device(device, a))), np.where(inversions % 2, -1, 1)
    )


@dtypes
def test_singular_matrix_of_a_stack_is_named(dtype, device):
    for n in (2, 3, 8):
        a = random(dtype, (37, n, n), 17) + n * np.eye(n, dtype=dtype)
        a[21, :, 1] = 0
        x = to_device(device, a)
        for call in (lambda x: linalg.inv(x), lambda x: linalg.solve(x, x)):
            with pytest.raises(LinAlgError, match=r"singular: matrix 21 of the stack .*info: "):
                call(x)
        determinants = to_numpy(linalg.det(x))
        assert determinants[21] == 0
        assert_close(
            np.delete(determinants, 21), np.delete(np.linalg.det(a), 21), dtype, scale=n**n
        )
        sign, logarithm = map(to_numpy, linalg.slogdet(x))
        assert (sign[21], logarithm[21]) == (0, -np.inf)
        square = a @ adjoint(a) + np.eye(n, dtype=dtype)
        square[30, n - 1, n - 1] = -1
        with pytest.raises(LinAlgError, match=rf"positive definite: matrix 30 .*info: {n}"):
            linalg.cholesky(to_device(device, square))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_determinants_do_not_overflow_in_between(dtype, device):
    huge = np.finfo(dtype).max / 2
    diagonals = [
        (huge, huge, 1 / huge, 1 / huge),
        (1 / huge, 1 / huge, huge, huge),
        (huge, huge, huge, 0),
        (2, 3, 4, 5),
        (huge, huge, 1, 1),
        (-1 / huge, 1 / huge, 1, 1),
    ]
    a = np.array([np.diag(diagonal) for diagonal in diagonals], dtype)
    determinants = to_numpy(linalg.det(to_device(device, a)))
    assert_close(determinants[:3], np.array([1, 1, 0], dtype), dtype)
    assert determinants[3:5].tolist() == [120, np.inf]
    assert determinants[5] == 0


@dtypes
def test_results_do_not_depend_on_other_matrices_of_the_stack(dtype):
    a = random(dtype, (50, 5, 5), 19)
    whole = to_numpy(linalg.inv(to_device("cpu:0", a)))
    for part in (slice(3, 20), slice(41, 46), slice(0, 50, 7)):
        np.testing.assert_array_equal(
            to_numpy(linalg.inv(to_device("cpu:0", a[part]))), whole[part]
        )
    count = sk.get_num_threads()
    try:
        sk.set_num_threads(1)
        np.testing.assert_array_equal(to_numpy(linalg.inv(to_device("cpu:0", a))), whole)
    finally:
        sk.set_num_threads(count)
