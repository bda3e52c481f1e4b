# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Stacks of small matrices, which GPUs compute in one call: at the limits of the libraries' batched functions."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from skerry import linalg
from skerry.exceptions import LinAlgError

from tests.python.linear.matrices import adjoint, assert_close, check, dtypes, random, real_of
from tests.python.loops import loop_over
from tests.python.oracle import to_device, to_numpy
from tests.python.session import EMULATED

COUNTS = (0, 1, 2, 33)
# A warp, and the largest side of gesvdjBatched.
SIDES = (1, 2, 31, 32, 33, 64)
SHAPES = [*((n, n) for n in SIDES), (33, 2), (2, 33), (32, 31), (31, 32), (64, 5), (5, 64)]
sides = loop_over("n", SIDES)
shapes = loop_over(("m", "n"), SHAPES)


def stack(dtype, count, m, n):
    """Returns random matrices. The second, if any, has rank 1, and the last of three or more is zero."""
    a = random(dtype, (count, m, n), m + n)
    if count > 1:
        a[1] = a[1][:, :1] * a[1][:1, :]
    if count > 2:
        a[-1] = 0
    return a


def units(count, n):
    return np.broadcast_to(np.eye(n), (count, n, n))


@dtypes
@shapes
def test_qr_of_stacks(dtype, m, n, device):
    for count in COUNTS:
        a = stack(dtype, count, m, n)
        for mode in ("reduced", "complete"):
            q, r = map(to_numpy, linalg.qr(to_device(device, a), mode=mode))
            k = m if mode == "complete" else min(m, n)
            assert q.shape == (count, m, k)
            assert r.shape == (count, k, n)
            assert_close(q @ r, a, dtype, scale=10)
            assert_close(adjoint(q) @ q, units(count, k), dtype)
            assert not np.tril(r, -1).any()


@dtypes
@shapes
def test_svd_of_stacks(dtype, m, n, device):
    k = min(m, n)
    for count in COUNTS:
        a = stack(dtype, count, m, n)
        x = to_device(device, a)
        want = np.linalg.svd(a.astype("complex128"), compute_uv=False)
        check(linalg.svdvals(x), want, device, real_of(dtype), scale=10)
        for full in (False, True):
            u, s, vh = map(to_numpy, linalg.svd(x, full_matrices=full))
            assert u.shape == (count, m, m if full else k)
            assert vh.shape == (count, n if full else k, n)
            assert_close(s, want.astype(s.dtype), dtype, scale=10)
            assert_close((u[..., :k] * s[..., None, :]) @ vh[..., :k, :], a, dtype, scale=10)
            for vectors in (u, adjoint(vh)):
                assert_close(adjoint(vectors) @ vectors, units(count, vectors.shape[-1]), dtype)


@dtypes
@sides
def test_eigh_of_stacks(dtype, n, device):
    for count in COUNTS:
        a = stack(dtype, count, n, n)
        a = (a + adjoint(a)).astype(dtype)
        junk = np.triu(np.full((n, n), 9), 1)
        x = to_device(device, (a + junk).astype(dtype))
        want = np.linalg.eigvalsh(a.astype("complex128"))
        check(linalg.eigvalsh(x), want, device, real_of(dtype), scale=10)
        w, v = map(to_numpy, linalg.eigh(x))
        assert_close(w, want.astype(w.dtype), dtype, scale=10)
        assert_close(a @ v, v * w[..., None, :], dtype, scale=10)
        assert_close(adjoint(v) @ v, units(count, n), dtype)


def test_more_matrices_than_one_batched_call_takes(device):
    a = random("float32", (16_384 + 3, 2, 2), 1)
    h = a + adjoint(a)
    check(linalg.eigvalsh(to_device(device, h)), np.linalg.eigvalsh(h), device, "float32", scale=10)
    tall = a.reshape(-1, 4, 1)
    u, s, vh = map(to_numpy, linalg.svd(to_device(device, tall), full_matrices=False))
    assert_close((u * s[..., None, :]) @ vh, tall, "float32")
    assert_close(s[:, 0], np.linalg.norm(tall[..., 0], axis=1), "float32")


@dtypes
def test_qr_of_one_matrix_with_nan_leaves_the_others(dtype, device):
    a = stack(dtype, 5, 33, 32)
    whole = map(to_numpy, linalg.qr(to_device(device, a)))
    a[3, 7, 0] = np.nan
    for got, fine in zip(map(to_numpy, linalg.qr(to_device(device, a))), whole, strict=True):
        assert np.isnan(got[3]).all()
        np.testing.assert_array_equal(np.delete(got, 3, 0), np.delete(fine, 3, 0))


@pytest.mark.parametrize("op", ["eigh", "eigvalsh", "svd", "svdvals"])
def test_matrix_that_is_not_finite_is_named(op, device):
    a = stack("float64", 40, 3, 3)
    a[17, 2, 0] = np.inf
    with pytest.raises(LinAlgError, match="matrix 17 of the stack"):
        getattr(linalg, op)(to_device(device, a))


#: Parts of mangled names of kernels: our own functions, and functors that CUB runs.
OWN_KERNELS = ("list_matrices", "multiply_reflectors", "write_adjoints", "copy_first_columns")
#: A program whose launches and library calls are recorded.
PROGRAM = """
import sys
import numpy as np
import skerry as sk
rng = np.random.default_rng(1)
x = sk.asarray(rng.standard_normal((int(sys.argv[1]), 4, 4)), device="cuda:0")
tall = sk.asarray(rng.standard_normal((int(sys.argv[1]), 4, 3)), device="cuda:0")
for call in (sk.linalg.inv, sk.linalg.det, sk.linalg.eigh, sk.linalg.svd, sk.linalg.svdvals):
    call(x)
sk.linalg.svd(tall, full_matrices=False)
for mode in ("reduced", "complete"):
    sk.linalg.qr(tall, mode=mode)
sk.linalg.cholesky(x @ x.mT + 4 * sk.eye(4, device="cuda:0"))
sk.synchronize("cuda:0")
"""


def calls(count, folder):
    """Returns the library calls and launches of own kernels for ``count`` matrices."""
    path = folder / f"launches{count}"
    environment = {**os.environ, "SKERRY_EMULATE_LAUNCHES": str(path)}
    command = [sys.executable, "-c", PROGRAM, str(count)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    names = [line.get("library") or line["kernel"] for line in lines]
    return [
        name
        for line, name in zip(lines, names, strict=True)
        if "library" in line or any(kernel in name for kernel in OWN_KERNELS)
    ]


@pytest.mark.skipif(not EMULATED, reason="only an emulated GPU records its calls: make emulate")
def test_number_of_calls_does_not_depend_on_the_stack(tmp_path):
    of_two = calls(2, tmp_path)
    assert any("geqrfBatched" in name for name in of_two)
    assert any("gesvdjBatched" in name for name in of_two)
    assert any("XsyevBatched" in name for name in of_two)
    for kernel in OWN_KERNELS:
        assert any(kernel in name for name in of_two), kernel
    assert calls(100, tmp_path) == of_two
