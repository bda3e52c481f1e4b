# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""dask arrays with skerry chunks: registration, the array backend, and dask's functions compared with NumPy."""

import importlib
import os
import pathlib
import re
import subprocess
import sys
import textwrap
import tomllib

import numpy as np
import pytest
import skerry as sk

from tests.python.libraries import library
from tests.python.oracle import to_numpy
from tests.python.session import HAS_GPU

da = library("dask.array")
dask = library("dask")
tokenize = library("dask.base").tokenize
sizeof = library("dask.sizeof").sizeof

ROOT = pathlib.Path(__file__).parents[3]
HOST = np.random.default_rng(5).standard_normal((12, 8))


def blocks(host, device, chunks=(4, 4)):
    """Return a dask array with skerry chunks and an equal one with NumPy chunks."""
    theirs = da.from_array(sk.asarray(host, device=device), chunks=chunks, asarray=False)
    return theirs, da.from_array(host, chunks=chunks)


def check(got, want, device):
    """Check that the result matches the metadata: type, dtype, shape, device, values."""
    assert type(got._meta) is sk.Array, got
    assert "chunktype=skerry.Array" in repr(got)
    result = got.compute(scheduler="sync")
    assert type(result) is sk.Array
    assert result.device == sk.Device(device)
    assert result.dtype == got.dtype
    assert result.shape == want.shape
    np.testing.assert_allclose(to_numpy(result), want, rtol=1e-10, atol=1e-10)


# Registration


def python(code):
    paths = os.pathsep.join(sys.path)
    environment = {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


USE = """
x = skerry.asarray([[1.0, 2.0], [3.0, 4.0]], device="cuda:0")
print(dask.array.from_array(x, chunks=1, asarray=False).mean(axis=0).compute().device)
"""


@pytest.mark.parametrize("order", ["skerry, dask.array", "dask.array, skerry"])
def test_skerry_and_dask_can_be_imported_in_any_order(order):
    assert python(f"import {order}{USE}") == "cuda:0\n"


def test_skerry_and_dask_do_not_import_each_other():
    assert python("import sys, skerry; print('dask' in sys.modules)") == "False\n"
    assert python("import sys, dask.array; print('skerry' in sys.modules)") == "False\n"


def test_the_import_hook_does_not_change_modules():
    code = """
import skerry, dask.sizeof, inspect, sys
module = sys.modules["dask.sizeof"]
print("exec_module" in vars(module.__spec__.loader), "Dispatch" in inspect.getsource(module))
"""
    assert python(code) == "False True\n"


def test_the_entry_point_is_the_backend():
    about = tomllib.loads((ROOT / "pyproject.toml").read_text())
    module, name = about["project"]["entry-points"]["dask.array.backends"]["skerry"].split(":")
    backend = getattr(importlib.import_module(module), name)
    assert isinstance(backend(), library("dask.array.backends").ArrayBackendEntrypoint)


# What dask needs of an array


def test_sizeof_counts_memory_not_elements(device):
    x = sk.ones((1000,), device=device)
    assert sizeof(x) == x.nbytes
    assert sizeof(sk.broadcast_to(x[:1], (1000, 1000))) == x.itemsize
    assert sizeof(sk.broadcast_to(x, (0, 1000))) == 0


def test_equal_arrays_on_one_device_have_one_token(device):
    x = sk.asarray(HOST, device=device)
    assert tokenize(x) == tokenize(x.copy())
    assert tokenize(x) == tokenize(sk.asarray(np.asfortranarray(HOST), device=device))
    assert tokenize(x) != tokenize(x + 1)
    assert tokenize(x) != tokenize(sk.astype(x, sk.float32))
    assert tokenize(x) != tokenize(x.to_device("cpu:1" if device == "cpu:0" else "cpu:0"))
    assert tokenize(x[0, 0]) == tokenize(x[0, 0].copy())


def test_devices_have_deterministic_tokens():
    assert tokenize(sk.Device("cuda:0")) == tokenize(sk.Device("cuda:0"))
    assert tokenize(sk.Device("cuda:0")) != tokenize(sk.Device("cuda:1"))


# Functions

CALLS = {
    "as it is": lambda d: d,
    "arithmetic": lambda d: 2 * d + d / 3 - d * d,
    "power": lambda d: abs(d) ** 0.5,
    "comparison": lambda d: d > 0.5,
    "ufunc": lambda d: np.exp(d),
    "dask's ufunc": lambda d: da.sqrt(abs(d)),
    "where": lambda d: da.where(d > 0, d, -d),
    "astype": lambda d: d.astype("float32"),
    "transpose": lambda d: d.T,
    "reshape": lambda d: d.rechunk((12, 8)).reshape(24, 4),
    "rechunk": lambda d: d.rechunk((3, 8)),
    "concatenate": lambda d: da.concatenate([d, d], axis=1),
    "stack": lambda d: da.stack([d, d]),
    "broadcast_to": lambda d: da.broadcast_to(d, (2, 12, 8)),
    "map_blocks": lambda d: d.map_blocks(lambda x: x * 2),
    "map_overlap": lambda d: d.map_overlap(lambda x: x + 1, depth=1, boundary="none"),
    "sum": lambda d: d.sum(),
    "sum over an axis": lambda d: d.sum(axis=1),
    "prod": lambda d: d.prod(axis=0),
    "mean": lambda d: d.mean(),
    "mean over an axis": lambda d: d.mean(axis=0, keepdims=True),
    "var": lambda d: d.var(axis=1, ddof=1),
    "std": lambda d: d.std(),
    "moment": lambda d: d.moment(order=3, axis=0),
    "max": lambda d: d.max(axis=0),
    "argmax": lambda d: d.argmax(axis=1),
    "any": lambda d: (d > 2).any(axis=0),
    "cumsum": lambda d: d.cumsum(axis=0),
    "nanmean": lambda d: da.nanmean(d, axis=0),
    "topk": lambda d: d.topk(3, axis=0),
    "diff": lambda d: da.diff(d, axis=0),
    "clip": lambda d: d.clip(-1, 1),
    "dot": lambda d: d @ d.T,
    "tensordot": lambda d: da.tensordot(d, d, axes=((0, 1), (0, 1))),
    "einsum": lambda d: da.einsum("ij,kj->ik", d, d),
    "norm": lambda d: da.linalg.norm(d),
    "svd": lambda d: da.linalg.svd(d.rechunk((4, 8)))[1],
    "qr": lambda d: abs(da.linalg.qr(d.rechunk((4, 8)))[1]),
    "tsqr": lambda d: abs(da.linalg.tsqr(d.rechunk((4, 8)))[1]),
    "percentile": lambda d: da.percentile(d[:, 0].rechunk(12), [25, 50, 75]),
}

# dask calls scipy.linalg for the blocks of these, which accepts host arrays only and returns NumPy's.
BY_SCIPY = {
    "cholesky": lambda d: da.linalg.cholesky((d.T @ d).rechunk(4)),
    "inv": lambda d: da.linalg.inv((d.T @ d).rechunk(4)),
    "lu": lambda d: da.linalg.lu((d.T @ d).rechunk(4))[1],
    "solve": lambda d: da.linalg.solve((d.T @ d).rechunk(4), d[0].rechunk(4)),
}


@pytest.mark.parametrize("name", BY_SCIPY)
def test_functions_of_scipy_raise_instead_of_copying_silently(name):
    library("scipy.linalg")
    ours, _ = blocks(HOST, "cuda:0")
    with pytest.raises(TypeError, match="host"):
        BY_SCIPY[name](ours).compute(scheduler="sync")


def test_argtopk_creates_its_indices_on_the_host():
    """They are NumPy arrays, so take_along_axis gets arrays on different devices."""
    ours, theirs = blocks(HOST, "cpu:0")
    check(ours.argtopk(2, axis=1), theirs.argtopk(2, axis=1).compute(), "cpu:0")
    ours, _ = blocks(HOST, "cuda:0")
    with pytest.raises(sk.exceptions.DeviceMismatchError):
        ours.argtopk(2, axis=1).compute(scheduler="sync")


@pytest.mark.parametrize("name", CALLS)
def test_chunks_stay_on_their_device(name, device):
    ours, theirs = blocks(HOST, device)
    check(CALLS[name](ours), CALLS[name](theirs).compute(scheduler="sync"), device)


KEYS = {
    "slices": np.s_[1:7, ::2],
    "an int": np.s_[3],
    "backwards": np.s_[::-1, 2:],
    "a list": np.s_[[3, 1, 7]],
    "a list along the second axis": np.s_[:, [5, 0, 5]],
    "a NumPy array": np.s_[np.array([0, 11, 4])],
    "a NumPy mask": np.s_[np.arange(12) % 3 == 0],
    "a new axis": np.s_[None, :, 3],
}


@pytest.mark.parametrize("name", KEYS)
def test_slicing_by_keys_without_a_device(name, device):
    ours, theirs = blocks(HOST, device)
    check(ours[KEYS[name]], theirs[KEYS[name]].compute(), device)


def test_slicing_by_dask_arrays(device):
    ours, _ = blocks(HOST, device)
    index = da.from_array(sk.asarray([7, 0, 2], device=device), chunks=2, asarray=False)
    check(ours[index], HOST[[7, 0, 2]], device)
    positive = ours[ours > 0].compute(scheduler="sync")
    assert positive.device == sk.Device(device)
    assert sorted(positive.tolist()) == sorted(HOST[HOST > 0].tolist())


def test_assignment(device):
    ours, _ = blocks(HOST, device)
    want = HOST.copy()
    ours[2:5, ::2] = -1
    want[2:5, ::2] = -1
    ours[ours > 1] = 0
    want[want > 1] = 0
    ours[[1, 9]] = 7
    want[[1, 9]] = 7
    check(ours, want, device)


def test_numpy_index_of_user_code_is_rejected_on_another_device():
    """Only indices of dask itself are copied to the device of the chunk."""
    ours, _ = blocks(HOST, "cuda:0", chunks=(12, 8))
    picked = ours.map_blocks(lambda x: x[np.array([1, 0])], meta=ours._meta)
    with pytest.raises((sk.exceptions.DeviceMismatchError, IndexError)):
        picked.compute(scheduler="sync")


def test_two_devices_are_rejected():
    one, _ = blocks(HOST, "cuda:0")
    other, _ = blocks(HOST, "cuda:1")
    with pytest.raises(sk.exceptions.DeviceMismatchError):
        (one + other).compute(scheduler="sync")


def test_threads_compute_chunks(device):
    ours, theirs = blocks(HOST, device, chunks=(2, 2))
    result = (ours @ ours.T).sum(axis=0).compute(scheduler="threads")
    np.testing.assert_allclose(to_numpy(result), (theirs @ theirs.T).sum(axis=0).compute())


def test_store_persist_and_asarray(device):
    ours, _ = blocks(HOST, device)
    target = sk.zeros(HOST.shape, device=device)
    da.store(ours + 1, target, scheduler="sync")
    assert np.array_equal(to_numpy(target), HOST + 1)
    check(ours.persist(scheduler="sync"), HOST, device)
    assert type(da.asarray(sk.asarray(HOST, device=device))._meta) is sk.Array
    check(ours + sk.asarray(HOST, device=device), HOST + HOST, device)
    check(sk.asarray(HOST, device=device) + ours, HOST + HOST, device)


# The array backend

MADE = {
    "ones": lambda **k: da.ones((5, 4), chunks=2, **k),
    "zeros": lambda **k: da.zeros((5, 4), chunks=2, dtype="float32", **k),
    "full": lambda **k: da.full((5,), 2.5, chunks=2, **k),
    "arange": lambda **k: da.arange(1, 20, 3, chunks=4, **k),
    "arange of floats": lambda **k: da.arange(0.0, 1.0, 0.25, chunks=2, **k),
}


@pytest.mark.parametrize("name", MADE)
def test_backend_creates_chunks_on_the_default_or_given_device(name, device):
    want = MADE[name]().compute()
    with dask.config.set({"array.backend": "skerry"}):
        with sk.device(device):
            check(MADE[name](), want, device)
        check(MADE[name](device=device), want, device)
        check(MADE[name](like=sk.empty((0,), device=device)) if "arange" in name else
              MADE[name](meta=sk.empty((0,), device=device)), want, device)  # fmt: skip
    assert type(MADE[name]()._meta) is np.ndarray


def test_backend_creates_empty_chunks_and_ones_like(device):
    with dask.config.set({"array.backend": "skerry"}):
        empty_array = da.empty((5, 4), chunks=2, device=device)
        assert empty_array.compute().device == sk.Device(device)
        check(da.ones_like(empty_array), np.ones((5, 4)), device)


def test_arrays_change_their_backend_on_request(device):
    _, theirs = blocks(HOST, device)
    moved = theirs.to_backend("skerry", device=device)
    check(moved, HOST, device)
    back = moved.to_backend("numpy")
    assert type(back._meta) is np.ndarray
    assert np.array_equal(back.compute(), HOST)
    assert moved.to_backend("skerry") is moved
    check(moved.to_backend("skerry", device="cpu:1"), HOST, "cpu:1")


RANDOM = pytest.mark.skipif(not hasattr(sk, "random"), reason="this build has no skerry.random")


@RANDOM
def test_random_chunks_depend_on_the_seed_only(device):
    with dask.config.set({"array.backend": "skerry"}), sk.device(device):
        first = da.random.default_rng(7).standard_normal((6, 4), chunks=3)
        second_draw = da.random.default_rng(7).standard_normal((6, 4), chunks=3)
        other = da.random.default_rng(8).standard_normal((6, 4), chunks=3)
    assert type(first._meta) is sk.Array
    got = first.compute()
    assert got.device == sk.Device(device)
    assert got.tolist() == second_draw.compute().tolist() != other.compute().tolist()
    assert len(set(to_numpy(got).ravel())) == 24, "each chunk has its own random stream"


@RANDOM
def test_random_chunks_are_the_same_on_every_device():
    arrays = []
    with dask.config.set({"array.backend": "skerry"}):
        for device in ("cpu:0", "cuda:0"):
            with sk.device(device):
                arrays.append(da.random.default_rng(7).random((10,), chunks=4))
    assert arrays[0].compute().tolist() == arrays[1].compute().tolist()


# The page


PAGE = (ROOT / "python" / "docs" / "dask.rst").read_text()
PARTS = [part.split("\n\n", 1)[1] for part in PAGE.split(".. code-block:: python")[1:]]
BLOCKS = [re.split(r"\n(?=\S)", part)[0] for part in PARTS]


@pytest.mark.skipif(HAS_GPU, reason="names rehearsed devices")
@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_blocks_of_the_page_run(number, tmp_path):
    library("distributed")
    library("xarray")
    script = tmp_path / "block.py"
    script.write_text(textwrap.dedent(BLOCKS[number]))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
