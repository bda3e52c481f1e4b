# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""skerry.linalg with huge and special values, invalid input, a forked child, without OpenBLAS, and on two devices."""

import contextlib
import inspect
import math
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import skerry as sk
from skerry import linalg
from skerry.exceptions import AxisError, DeviceMismatchError, LinAlgError

from tests.python.linear.matrices import assert_close, dtypes, random
from tests.python.oracle import to_device, to_numpy


def test_huge_finite_values_stay_finite(device):
    for dtype, huge in [
        ("float64", 1e154),
        ("complex128", 1e154 + 1e154j),
        ("float32", 1e19),
        ("complex64", 1e19j),
    ]:
        a = (random(dtype, (4, 3), 15) * huge).astype(dtype)
        x = to_device(device, a)
        for result in [
            *linalg.svd(x),
            *linalg.qr(x),
            linalg.svdvals(x),
            linalg.pinv(x),
            linalg.matrix_norm(x),
        ]:
            assert np.isfinite(to_numpy(result)).all()
        assert to_numpy(linalg.matrix_rank(x)) == 3


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@dtypes
def test_nan_and_infinity_neither_hang_nor_crash(dtype, bad, device):
    for n in (2, 30, 80):
        a = random(dtype, (n, n), 16)
        a[n // 2, n // 3] = bad
        x = to_device(device, a)
        for call in (
            linalg.svd,
            linalg.svdvals,
            linalg.eigh,
            linalg.eigvalsh,
            linalg.eig,
            linalg.eigvals,
        ):
            with pytest.raises(LinAlgError, match="NaN or infinity"):
                call(x)
        for call in (linalg.pinv, linalg.matrix_rank):
            with pytest.raises(LinAlgError):
                call(x)
        (
            linalg.qr(x),
            linalg.det(x),
            linalg.slogdet(x),
            linalg.matrix_power(x, 3),
            linalg.matrix_norm(x),
        )
        for call in (linalg.inv, linalg.cholesky, lambda y: linalg.solve(y, y)):
            with contextlib.suppress(LinAlgError):
                call(x)


def test_singular_and_indefinite_matrices_raise_in_the_call(device):
    singular = np.array([[1.0, 2.0], [2.0, 4.0]])
    x = to_device(device, singular)
    stack = to_device(device, np.stack([np.eye(2), singular, np.eye(2)]))
    ones = sk.ones((2,), device=device)
    for call in (
        lambda: linalg.inv(x),
        lambda: linalg.solve(x, ones),
        lambda: linalg.matrix_power(x, -2),
        lambda: linalg.inv(sk.zeros((3, 3), device=device)),
        lambda: linalg.cholesky(to_device(device, np.array([[1.0, 2.0], [2.0, 1.0]]))),
        lambda: linalg.cholesky(to_device(device, -np.eye(3, dtype="complex64"))),
    ):
        with pytest.raises(LinAlgError):
            call()
        with pytest.raises(ValueError):
            call()
        with pytest.raises(np.linalg.LinAlgError):
            call()
    with pytest.raises(LinAlgError, match="matrix 1 of the stack"):
        linalg.inv(stack)
    with pytest.raises(LinAlgError, match="matrix 1 of the stack"):
        linalg.solve(stack, ones)


@pytest.mark.usefixtures("strict_promotion")
def test_invalid_shapes_and_dtypes_raise(device):
    def ones(*shape, dtype=sk.float64):
        return sk.ones(shape, dtype=dtype, device=device)

    of_squares = [linalg.det, linalg.slogdet, linalg.inv, linalg.cholesky, linalg.eig, linalg.eigvals, linalg.eigh,
                  linalg.eigvalsh, lambda x: linalg.matrix_power(x, 2), lambda x: linalg.solve(x, x)]  # fmt: skip
    of_matrices = [*of_squares, linalg.qr, linalg.svd, linalg.svdvals, linalg.pinv, linalg.matrix_rank,
                   linalg.matrix_norm, linalg.diagonal, linalg.trace]  # fmt: skip
    for call in of_squares:
        for shape in [(2, 3), (3, 2, 1), (0, 2)]:
            with pytest.raises(ValueError):
                call(ones(*shape))
    for call in of_matrices:
        for shape in [(), (3,)] if call is not linalg.matrix_rank else []:
            with pytest.raises(ValueError):
                call(ones(*shape))
        if call not in (linalg.diagonal, linalg.trace):
            for dtype in (sk.int64, sk.bool, sk.uint8):
                with pytest.raises(TypeError):
                    call(ones(2, 2, dtype=dtype))
        with pytest.raises(TypeError):
            call(np.ones((2, 2), dtype=object))
    for call in (
        lambda: linalg.solve(ones(2, 2), ones(3)),
        lambda: linalg.solve(ones(2, 2), ones()),
        lambda: linalg.solve(ones(2, 2), ones(2, 3, 1)),
        lambda: linalg.solve(ones(2, 2, 2), ones(3, 2, 1)),
        lambda: linalg.cross(ones(2), ones(2)),
        lambda: linalg.cross(ones(3), ones(1)),
        lambda: linalg.cross(ones(2, 3), ones(4, 3)),
        lambda: linalg.cross(ones(3), ones(3), axis=0),
        lambda: linalg.outer(ones(2, 2), ones(2)),
        lambda: linalg.outer(ones(), ones(2)),
        lambda: linalg.qr(ones(2, 2), mode="full"),
        lambda: linalg.matrix_norm(ones(2, 2), ord=3),
        lambda: linalg.matrix_norm(ones(2, 2), ord="max"),
        lambda: linalg.vector_norm(ones(2, 2), ord=math.nan),
        lambda: linalg.vector_norm(ones(2, 2), axis=(0, 0)),
    ):
        with pytest.raises(ValueError):
            call()
    for axis in (2, -3, (0, 5)):
        with pytest.raises(AxisError):
            linalg.vector_norm(ones(2, 2), axis=axis)
    for call in (
        lambda: linalg.vector_norm(ones(2, dtype=sk.int32)),
        lambda: linalg.vector_norm(ones(2), ord="fro"),
        lambda: linalg.cross(ones(3, dtype=sk.bool), ones(3, dtype=sk.bool)),
        lambda: linalg.outer(ones(3, dtype=sk.bool), ones(3, dtype=sk.bool)),
        lambda: linalg.trace(ones(3, 3, dtype=sk.bool)),
        lambda: linalg.solve(ones(2, 2), ones(2, dtype=sk.int64)),
        lambda: linalg.matrix_rank(ones(2, 2), rtol="x"),
        lambda: linalg.matrix_rank(ones(2, 2), rtol=ones(dtype=sk.int64)),
        lambda: linalg.matrix_power(ones(2, 2), 1.5),
    ):
        with pytest.raises(TypeError):
            call()


def test_linalg_results_are_named_tuples_that_pickle():
    x = sk.asarray([[2.0, 1.0], [1.0, 2.0]])
    for call, name, fields in [
        (linalg.eig, "EigResult", ("eigenvalues", "eigenvectors")),
        (linalg.eigh, "EighResult", ("eigenvalues", "eigenvectors")),
        (linalg.qr, "QRResult", ("Q", "R")),
        (linalg.slogdet, "SlogdetResult", ("sign", "logabsdet")),
        (linalg.svd, "SVDResult", ("U", "S", "Vh")),
    ]:
        result = call(x)
        assert isinstance(result, tuple)
        assert type(result).__name__ == name
        assert type(result) is getattr(linalg, name)
        assert result._fields == fields
        assert all(result[i] is getattr(result, field) for i, field in enumerate(fields))
        assert type(pickle.loads(pickle.dumps(result))) is type(result)
    with pytest.raises(AttributeError):
        _ = linalg.LstsqResult


def test_linalg_functions_are_documented_and_pickle():
    assert set(linalg.__all__) == {
        name
        for name in dir(linalg)
        if callable(getattr(linalg, name)) and name[0] != "_" and name != "Any"
    }
    for name in linalg.__all__:
        function = getattr(linalg, name)
        assert function.__doc__
        assert pickle.loads(pickle.dumps(function)) is function
    assert linalg.inv.__module__ == "skerry.linalg"
    assert linalg.matmul is sk.matmul


def python(code, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_lapack_works_in_a_forked_child():
    out = python(
        "import os, skerry as sk\n"
        "x = sk.astype(sk.reshape(sk.arange(40000), (200, 200)) % 97, sk.float64) + 200 * sk.eye(200)\n"
        "before = float(sk.linalg.det(x @ x) > 0), float(sk.linalg.svdvals(x)[0])\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    sk.linalg.inv(x) @ x\n"
        "    os._exit(0 if abs(float(sk.linalg.svdvals(x)[0]) - before[1]) < 1e-6 else 3)\n"
        "print(os.waitpid(child, 0)[1])"
    )
    assert out.strip() == "0"


def test_error_without_openblas_names_the_remedy():
    code = (
        "import skerry as sk, skerry._openblas as o\n"
        "o.library = lambda: None\n"
        "x = sk.ones((2, 2))\n"
        "print(sk.astype(x, sk.int64) @ sk.astype(x, sk.int64))\n"
        "for call in (lambda: x @ x, lambda: sk.linalg.inv(x)):\n"
        "    try: call()\n"
        "    except RuntimeError as error: print(error)\n"
        "    else: raise SystemExit('found')\n"
    )
    out = python(code, SKERRY_OPENBLAS="/nowhere/libopenblas.so")
    assert out.count("pip install scipy-openblas32") == 2


@pytest.mark.usefixtures("restore_threads")
def test_products_are_right_for_any_number_of_threads(device):
    a = random("float64", (300, 300), 17)
    x = to_device(device, a)
    for threads in (1, 3, 2):
        sk.set_num_threads(threads)
        assert_close(to_numpy(x @ x), a @ a, "float64", 100)


TWO_ARRAYS = {
    "cross": linalg.cross,
    "matmul": linalg.matmul,
    "outer": linalg.outer,
    "solve": lambda a, b: linalg.solve(sk.reshape(a, (1, 3))[:, :1], b[:1]),
    "tensordot": lambda a, b: linalg.tensordot(a, b, axes=1),
    "vecdot": linalg.vecdot,
    "matrix_rank": lambda a, b: linalg.matrix_rank(sk.reshape(a, (3, 1)), rtol=b[0]),
    "pinv": lambda a, b: linalg.pinv(sk.reshape(a, (3, 1)), rtol=b[0]),
}


@pytest.mark.parametrize("name", TWO_ARRAYS)
def test_linalg_of_mixed_devices_raises(name):
    pairs = [("cpu:0", "cpu:1"), ("cpu:0", "cuda:0"), ("cuda:1", "cpu:1"), ("cuda:0", "cuda:1")]
    for first, second in pairs:
        with pytest.raises(DeviceMismatchError) as caught:
            TWO_ARRAYS[name](sk.ones((3,), device=first), sk.ones((3,), device=second))
        assert first in str(caught.value)
        assert second in str(caught.value)


def test_every_linalg_function_of_two_arrays_is_covered():
    for name in linalg.__all__:
        if inspect.isclass(getattr(linalg, name)):
            continue
        parameters = set(inspect.signature(getattr(linalg, name)).parameters)
        if parameters & {"x2", "rtol"}:
            assert name in TWO_ARRAYS, name
