# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Errors about the shapes of matrices are ShapeErrors, and LinAlgErrors as in NumPy."""

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import MatrixShapeError, ShapeError

CALLS = {
    "cholesky": lambda m, x: m.linalg.cholesky(x),
    "cond": lambda m, x: m.linalg.cond(x, 1),
    "det": lambda m, x: m.linalg.det(x),
    "eig": lambda m, x: m.linalg.eig(x),
    "eigh": lambda m, x: m.linalg.eigh(x),
    "eigvals": lambda m, x: m.linalg.eigvals(x),
    "eigvalsh": lambda m, x: m.linalg.eigvalsh(x),
    "inv": lambda m, x: m.linalg.inv(x),
    "matrix_power": lambda m, x: m.linalg.matrix_power(x, 2),
    "slogdet": lambda m, x: m.linalg.slogdet(x),
    "solve": lambda m, x: m.linalg.solve(x, x),
    "tensorinv": lambda m, x: m.linalg.tensorinv(x, ind=1),
}
OF_VECTORS = {
    **{name: call for name, call in CALLS.items() if name != "tensorinv"},
    "lstsq": lambda m, x: m.linalg.lstsq(x, x),
    "qr": lambda m, x: m.linalg.qr(x),
    "svd": lambda m, x: m.linalg.svd(x),
    "svdvals": lambda m, x: m.linalg.svdvals(x),
    "multi_dot": lambda m, x: m.linalg.multi_dot([x, x, x]),
}


def rejected(call, shape, device):
    with pytest.raises(np.linalg.LinAlgError):
        call(np, np.ones(shape))
    with pytest.raises(np.linalg.LinAlgError) as caught:
        call(sk, sk.ones(shape, device=device))
    return caught.value


@pytest.mark.parametrize("name", CALLS)
def test_matrices_that_are_not_square(name, device):
    error = rejected(CALLS[name], (2, 3), device)
    assert isinstance(error, ShapeError)
    assert isinstance(error, sk.linalg.LinAlgError)
    assert type(error) is MatrixShapeError
    assert str(error).startswith(f"{name}: ")


@pytest.mark.parametrize("name", OF_VECTORS)
def test_arrays_of_one_axis(name, device):
    error = rejected(OF_VECTORS[name], (3,), device)
    assert type(error) is MatrixShapeError
    assert str(error).startswith(f"{name}: ")


def test_texts():
    with pytest.raises(MatrixShapeError) as caught:
        sk.linalg.inv(sk.ones((2, 3)))
    assert str(caught.value).startswith("inv: x must have square matrices in its last two axes: ")
    with pytest.raises(MatrixShapeError) as caught:
        sk.linalg.inv(sk.ones(3))
    assert str(caught.value).startswith("inv: x must have at least two axes: ")
