# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""CuPy's linear algebra, transforms and random numbers, by stand-ins: run by test_cupy.py in a new process."""

import cupy as cp
import numpy as np
import pytest

DTYPES = ["float32", "float64", "complex64", "complex128"]
BOUND = {"float32": 1e-4, "float64": 1e-12, "complex64": 1e-4, "complex128": 1e-12, "float16": 2e-2}


def values(dtype, *shape, seed=0):
    random = np.random.default_rng(seed)
    real = random.normal(size=shape)
    return (real + 1j * random.normal(size=shape) if "complex" in dtype else real).astype(dtype)


def assert_close(actual, expected, dtype):
    bound = BOUND[dtype] * max(1.0, float(np.max(np.abs(expected), initial=0)))
    np.testing.assert_allclose(cp.asnumpy(actual), expected, rtol=0, atol=bound)


@pytest.fixture(params=[0, 1], autouse=True)
def _device(request):
    with cp.cuda.Device(request.param):
        yield


@pytest.mark.parametrize("dtype", [*DTYPES, "float16"])
def test_products(dtype):
    a, b = values(dtype, 5, 7), values(dtype, 7, 3, seed=1)
    x, y = cp.asarray(a), cp.asarray(b)
    assert_close(x @ y, a @ b, dtype)
    assert_close(y.T @ x.T, b.T @ a.T, dtype)
    assert_close(cp.matmul(cp.stack([x] * 4), y), np.stack([a @ b] * 4), dtype)
    assert_close(x @ y[:, 0], a @ b[:, 0], dtype)
    assert_close(cp.vdot(x, x), np.vdot(a, a), dtype)
    assert_close(cp.tensordot(x, y, 1), a @ b, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_routines_of_cublas(dtype):
    from cupy import cublas

    a, v, w = values(dtype, 4, 4), values(dtype, 4, seed=1), values(dtype, 4, seed=2)
    x, p, q = cp.asarray(a, order="F"), cp.asarray(v), cp.asarray(w)
    assert_close(cublas.dotu(p, q), np.dot(v, w), dtype)
    assert_close(cublas.dotc(p, q), np.vdot(v, w), dtype)
    assert_close(cublas.nrm2(p), np.linalg.norm(v), dtype)
    assert_close(cublas.asum(p), np.sum(np.abs(v.real) + np.abs(v.imag)), dtype)
    magnitudes = np.abs(v.real) + np.abs(v.imag)
    assert int(cublas.iamax(p)) == np.argmax(magnitudes) + 1
    assert int(cublas.iamin(p)) == np.argmin(magnitudes) + 1
    for op, matrix in {"N": a, "T": a.T, "H": a.conj().T}.items():
        product = cp.full(4, cp.nan, dtype)
        cublas.gemv(op, 2, x, p, 0, product)
        assert_close(product, 2 * matrix @ v, dtype)
    assert_close(cublas.geam("N", "T", 2, x, 3, x), 2 * a + 3 * a.T, dtype)
    assert_close(cublas.dgmm("L", x, p), np.diag(v) @ a, dtype)
    assert_close(cublas.dgmm("R", x, p), a @ np.diag(v), dtype)
    out = cublas.syrk("N", x, lower=True)
    assert_close(cp.tril(out), np.tril(a @ a.T), dtype)
    y = q.copy()
    cublas.axpy(2, p, y)
    assert_close(y, 2 * v + w, dtype)
    cublas.scal(3, y)
    assert_close(y, 3 * (2 * v + w), dtype)
    outer = cp.zeros((4, 4), dtype, order="F")
    cublas.gerc(1, p, q, outer) if "complex" in dtype else cublas.ger(1, p, q, outer)
    assert_close(outer, np.outer(v, w.conj()), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("trans", ["N", "T", "C"])
def test_triangular_systems(dtype, lower, trans):
    from cupyx.scipy import linalg

    a = values(dtype, 5, 5) + 5 * np.eye(5, dtype=dtype)
    b = values(dtype, 5, 2, seed=1)
    triangle = np.tril(a) if lower else np.triu(a)
    matrix = {"N": triangle, "T": triangle.T, "C": triangle.conj().T}[trans]
    x = linalg.solve_triangular(cp.asarray(a), cp.asarray(b), trans=trans, lower=lower)
    assert_close(x, np.linalg.solve(matrix, b), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_systems_and_decompositions(dtype):
    a = values(dtype, 6, 6) + 6 * np.eye(6, dtype=dtype)
    b = values(dtype, 6, 2, seed=1)
    x, y = cp.asarray(a), cp.asarray(b)
    assert_close(cp.linalg.solve(x, y), np.linalg.solve(a, b), dtype)
    assert_close(cp.linalg.inv(x), np.linalg.inv(a), dtype)
    assert_close(cp.linalg.inv(cp.stack([x, 2 * x])), np.linalg.inv(np.stack([a, 2 * a])), dtype)
    assert_close(cp.linalg.det(x) / np.linalg.det(a), 1.0, dtype)
    positive = a @ a.conj().T
    assert_close(cp.linalg.cholesky(cp.asarray(positive)), np.linalg.cholesky(positive), dtype)
    values_of, vectors = cp.linalg.eigh(cp.asarray(positive))
    assert_close(values_of, np.linalg.eigvalsh(positive), dtype)
    assert_close(cp.asarray(positive) @ vectors, cp.asnumpy(vectors * values_of), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_eigenvalues_of_general_matrices(dtype):
    a = values(dtype, 2, 5, 5)  # real ones have complex eigenvalues, too
    x = cp.asarray(a)
    eigenvalues, vectors = cp.linalg.eig(x)
    assert_close(x @ vectors, cp.asnumpy(vectors * eigenvalues[:, None, :]), dtype)
    for actual, expected in zip(
        cp.asnumpy(cp.linalg.eigvals(x)), np.linalg.eigvals(a), strict=True
    ):
        assert_close(np.sort_complex(actual), np.sort_complex(expected), dtype)


def test_the_inverse_of_a_singular_matrix_in_a_stack_is_not_finite():
    inverses = cp.linalg.inv(cp.asarray([[[2.0, 0], [0, 4]], [[0, 0], [0, 0]], [[1, 1], [1, 1]]]))
    assert_close(inverses[0], np.diag([0.5, 0.25]), "float64")
    assert not cp.isfinite(inverses[1:]).all(axis=(1, 2)).any()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(6, 4), (4, 6), (2, 5, 3), (2, 3, 40)])
def test_qr_and_svd(dtype, shape):
    a = values(dtype, *shape)
    x = cp.asarray(a)
    q, r = cp.linalg.qr(x)
    assert_close(q @ r, a, dtype)
    for full in (False, True):
        u, s, v = cp.linalg.svd(x, full_matrices=full)
        assert_close(s, np.linalg.svd(a, compute_uv=False), dtype)
        count = s.shape[-1]
        assert_close((u[..., :count] * s[..., None, :]) @ v[..., :count, :], a, dtype)
    assert_close(cp.linalg.svd(x, compute_uv=False), np.linalg.svd(a, compute_uv=False), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["fft", "fft2", "fftn", "ifft", "ifft2"])
def test_complex_transforms(name, dtype):
    a = values(dtype, 3, 6, 8)
    assert_close(getattr(cp.fft, name)(cp.asarray(a)), getattr(np.fft, name)(a), dtype)
    assert_close(cp.fft.fft(cp.asarray(a), axis=0), np.fft.fft(a, axis=0), dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["rfft", "rfft2", "rfftn", "hfft"])
def test_real_transforms(name, dtype):
    a = values(dtype, 3, 6, 8)
    assert_close(getattr(cp.fft, name)(cp.asarray(a)), getattr(np.fft, name)(a), dtype)
    if name != "hfft":
        half = getattr(np.fft, name)(a)
        x = getattr(cp.fft, "i" + name)(cp.asarray(half))
        assert_close(x, a, dtype)


def test_half_transforms_are_rejected():
    from cupy.cuda import cufft

    with pytest.raises(cufft.CuFFTError, match="CUFFT_INVALID_TYPE"):
        cufft.XtPlanNd(
            (8,), None, 1, 8, "E", None, 1, 8, "E", 1, "E", order="C", last_axis=-1, last_size=None
        )


def test_random_numbers():
    cp.random.seed(5)
    x = cp.random.random(10000)
    assert 0 <= float(x.min()) < float(x.max()) <= 1
    assert abs(float(x.mean()) - 0.5) < 0.02
    y = cp.random.normal(3, 2, 10000)
    assert abs(float(y.mean()) - 3) < 0.1
    assert abs(float(y.std()) - 2) < 0.1
    z = cp.random.randint(0, 10, 1000)
    assert set(z.tolist()) == set(range(10))
    assert abs(float(cp.random.poisson(4, 2000).mean()) - 4) < 0.3
    cp.random.seed(5)
    assert (cp.random.random(10000) == x).all()
    assert not (cp.random.random(10000) == x).all()


def test_wrong_arguments_are_named(capfd):
    from cupy_backends.cuda.libs import cublas

    x = cp.ones((2, 2), "float32")
    one = np.ones(1, "float32")
    handle = cp.cuda.get_cublas_handle()
    data, factor = x.data.ptr, one.ctypes.data
    with pytest.raises(cublas.CUBLASError, match="CUBLAS_STATUS_INVALID_VALUE"):
        cublas.sgemm(handle, 0, 0, 2, 2, 2, factor, data, 1, data, 2, factor, data, 2)
    assert "lda less than the rows of A" in capfd.readouterr().err


def test_a_transform_in_a_graph_runs_when_it_is_launched():
    a = np.random.default_rng(3).normal(size=(4, 4))
    x = cp.asarray(a)
    stream = cp.cuda.Stream(non_blocking=True)
    cp.cuda.Device().synchronize()
    cp.fft.fft(x)  # plans are made outside of captures
    with stream:
        stream.begin_capture()
        y = cp.fft.fft(x)
        graph = stream.end_capture()
    x *= 2
    cp.cuda.Device().synchronize()
    graph.launch(stream)
    stream.synchronize()
    assert_close(y, np.fft.fft(2 * a), "complex128")
