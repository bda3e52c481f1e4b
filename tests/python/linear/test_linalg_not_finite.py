# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""NaN and infinities never reach LAPACK: each function of skerry.linalg raises or propagates them, and prints nothing."""

import inspect

import numpy as np
import pytest
import skerry as sk
from skerry import linalg
from skerry.exceptions import LinAlgError
from skerry.testing import instruments

from tests.python.linear.matrices import dtypes, random
from tests.python.oracle import to_device, to_numpy

RAISE = {
    "cholesky": linalg.cholesky,
    "eig": linalg.eig,
    "eigh": linalg.eigh,
    "eigvals": linalg.eigvals,
    "eigvalsh": linalg.eigvalsh,
    "matrix_norm 2": lambda x: linalg.matrix_norm(x, ord=2),
    "matrix_norm -2": lambda x: linalg.matrix_norm(x, ord=-2),
    "matrix_norm nuc": lambda x: linalg.matrix_norm(x, ord="nuc"),
    "matrix_rank": linalg.matrix_rank,
    "matrix_rank of Hermitian": lambda x: linalg.matrix_rank(x, hermitian=True),
    "norm 2": lambda x: linalg.norm(x, 2, (-2, -1)),
    "pinv": linalg.pinv,
    "pinv of Hermitian": lambda x: linalg.pinv(x, hermitian=True),
    "svd": linalg.svd,
    "svd of Hermitian": lambda x: linalg.svd(x, hermitian=True),
    "svd reduced": lambda x: linalg.svd(x, full_matrices=False),
    "svdvals": linalg.svdvals,
}
# These give NaN for a matrix that is not finite, and leave the others of the stack unchanged.
PROPAGATE = {
    "cond": lambda x: sk.where(sk.isinf(linalg.cond(x)), sk.nan, linalg.cond(x)),
    "det": linalg.det,
    "inv": linalg.inv,
    "matrix_power -2": lambda x: linalg.matrix_power(x, -2),
    "qr": linalg.qr,
    "qr complete": lambda x: linalg.qr(x, mode="complete"),
    "qr r": lambda x: linalg.qr(x, mode="r"),
    "qr raw": lambda x: linalg.qr(x, mode="raw"),
    "slogdet": linalg.slogdet,
    "solve": lambda x: linalg.solve(x, sk.ones(x.shape[-1:], dtype=x.dtype, device=x.device)),
}
# Arithmetic without a factorization.
ARITHMETIC = {"cross", "diagonal", "matmul", "matrix_transpose", "multi_dot", "outer", "tensordot", "trace", "vecdot", "vector_norm"}  # fmt: skip
# Functions of one matrix, not of stacks: a test of their own.
OF_ONE_MATRIX = {"lstsq", "tensorinv", "tensorsolve"}
BAD = [np.nan, np.inf, -np.inf]


def test_every_linalg_function_is_classified():
    named = {name.split()[0] for name in [*RAISE, *PROPAGATE]} | ARITHMETIC
    assert named | OF_ONE_MATRIX == set(linalg.__all__) - {"LinAlgError"}


def stacks(dtype, bad, n):
    """Returns a finite stack of four matrices, and a copy with ``bad`` below the diagonal of the third."""
    fine = random(dtype, (4, n, n), 5) + n * np.eye(n, dtype=dtype)
    fine = (fine + np.conj(np.swapaxes(fine, -1, -2))) / 2
    with_bad = fine.copy()
    with_bad[2, n - 1, n // 3] = bad
    return fine, with_bad


@pytest.fixture
def nothing_printed(capfd):
    yield
    sk.synchronize()
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("nothing_printed")
@pytest.mark.parametrize("name", RAISE)
@dtypes
def test_iterative_functions_raise_and_name_the_matrix(name, dtype, device):
    for bad in BAD:
        for n in (1, 2, 30):
            _, x = stacks(dtype, bad, n)
            with pytest.raises(LinAlgError, match="NaN or infinity in x: matrix 2 of the stack"):
                RAISE[name](to_device(device, x))
            with pytest.raises(LinAlgError, match=f"NaN or infinity in x: {dtype} "):
                RAISE[name](to_device(device, x[2]))


@pytest.mark.usefixtures("nothing_printed")
@pytest.mark.parametrize("name", PROPAGATE)
@dtypes
def test_direct_functions_give_nan_for_that_matrix_only(name, dtype, device):
    for bad in BAD:
        for n in (1, 2, 30):
            fine, x = stacks(dtype, bad, n)
            want = PROPAGATE[name](to_device(device, fine))
            got = PROPAGATE[name](to_device(device, x))
            alone = PROPAGATE[name](to_device(device, x[2]))
            as_tuple = [(y,) if isinstance(y, sk.Array) else y for y in (want, got, alone)]
            for one, other, single in zip(*as_tuple, strict=True):
                assert other.shape == one.shape
                assert other.dtype == one.dtype
                one, other = to_numpy(one), to_numpy(other)
                assert np.isnan(other[2]).all()
                assert np.isnan(to_numpy(single)).all()
                finite_indices = [0, 1, 3]
                np.testing.assert_array_equal(other[finite_indices], one[finite_indices])


@pytest.mark.usefixtures("nothing_printed")
def test_solve_gives_nan_for_columns_that_are_not_finite(device):
    left = to_device(device, np.array([[2.0, 0.0], [0.0, 4.0]]))
    for bad in BAD:
        right = np.ones((3, 2, 2))
        right[1, 0, 1] = bad
        got = to_numpy(linalg.solve(left, to_device(device, right)))
        want = np.broadcast_to(np.array([[0.5, 0.5], [0.25, 0.25]]), (3, 2, 2)).copy()
        want[1, :, 1] = np.nan
        np.testing.assert_array_equal(got, want)
        assert np.isnan(to_numpy(linalg.solve(left, to_device(device, right[1, :, 1])))).all()


@pytest.mark.usefixtures("nothing_printed")
@dtypes
def test_unread_triangle_may_contain_nan(dtype, device):
    fine, _ = stacks(dtype, np.nan, 5)
    rubbish = fine.copy()
    rubbish[:, *np.triu_indices(5, 1)] = np.nan
    x, y = to_device(device, fine), to_device(device, rubbish)
    for call in (linalg.cholesky, linalg.eigvalsh, lambda a: linalg.eigh(a).eigenvectors):
        np.testing.assert_array_equal(to_numpy(call(y)), to_numpy(call(x)))
    np.testing.assert_array_equal(
        to_numpy(linalg.cholesky(y.mT, upper=True)), to_numpy(linalg.cholesky(x.mT, upper=True))
    )


def test_determinants_and_qr_of_gpu_arrays_do_not_wait(cuda_device):
    """The device checks whether matrices are finite."""
    x = sk.ones((3, 2, 2), device=cuda_device)
    moved = instruments.transfers()["count"]
    linalg.det(x), linalg.slogdet(x), linalg.qr(x)
    assert instruments.transfers()["count"] == moved


@pytest.mark.usefixtures("nothing_printed")
@dtypes
def test_functions_of_one_matrix(dtype, device):
    for bad in BAD:
        x = to_device(device, stacks(dtype, bad, 6)[1][2])
        right = sk.ones((6,), dtype=dtype, device=device)
        with pytest.raises(LinAlgError, match=r"^lstsq: "):
            linalg.lstsq(x, right)
        assert bool(sk.all(sk.isnan(linalg.tensorinv(sk.reshape(x, (6, 2, 3)), 1))))
        assert bool(sk.all(sk.isnan(linalg.tensorsolve(sk.reshape(x, (6, 2, 3)), right))))


def test_docstrings_mention_nan():
    for name in [*RAISE, *PROPAGATE]:
        function = getattr(linalg, name.split()[0])
        if function is not linalg.matrix_power:
            assert "NaN" in inspect.getdoc(function), name
