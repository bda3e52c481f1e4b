# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Interoperability with array-api-compat, all public functions of array-api-extra, and array-api-strict by DLPack."""

import array_api_compat as compat
import array_api_extra as xpx
import array_api_strict as strict
import numpy as np
import pytest
import skerry as sk
from array_api_extra.testing import assert_close, assert_equal

from tests.python.loops import loop_over
from tests.python.oracle import BEYOND_THE_STANDARD, DTYPES, HALVES, to_device, to_numpy


@pytest.fixture(params=["cpu:0", "cpu:1", "cuda:0"])
def array_device(request):
    return request.param


# array-api-compat


def test_compat_finds_the_namespace(array_device):
    x, y = sk.ones((2, 3), device=array_device), sk.arange(3, device=array_device)
    assert compat.is_array_api_obj(x)
    assert compat.array_namespace(x) is sk
    for version in (None, "2021.12", "2025.12"):
        assert compat.array_namespace(x, y, 1.0, None, api_version=version) is sk
    assert compat.device(x) == sk.Device(array_device)
    assert compat.size(x) == 6
    assert compat.is_writeable_array(x)
    assert not compat.is_lazy_array(x)
    assert not compat.is_lazy_array(sk.ones((0,), device=array_device))
    for name in dir(compat):
        if name.startswith("is_") and name.endswith("_namespace"):
            assert not getattr(compat, name)(sk), name
        elif name.startswith("is_") and name not in ("is_array_api_obj", "is_writeable_array"):
            assert name.endswith("_namespace") or not getattr(compat, name)(x), name
    with pytest.raises(TypeError, match="Multiple namespaces"):
        compat.array_namespace(x, np.ones(2))


def test_compat_moves_arrays(device):
    for source in ("cpu:0", "cuda:1"):
        x = sk.asarray([1.0, 2.0], device=source)
        y = compat.to_device(x, device)
        assert y.device == sk.Device(device)
        assert y.tolist() == [1.0, 2.0]
        assert compat.to_device(x, x.device) is x


# array-api-extra

RNG = np.random.default_rng(11)
HOST = {
    "x": RNG.uniform(-2, 2, (3, 4)),
    "y": RNG.uniform(-2, 2, (3, 4)),
    "v": np.array([3.0, 1.0, 2.0, 0.0]),
    "w": np.array([3.0, 5.0, 2.0, 2.0]),
    "u": np.array([[np.nan, 1.0, 3.0], [2.0, np.nan, -1.0]]),
    "n": np.array([4, 2, 7, 2, 1]),
    "i": np.array([0, 2, 1, 0]),
    "b": np.array([True, False, True, True]),
    "z": RNG.uniform(-1, 1, 4) + 1j * RNG.uniform(-1, 1, 4),
    "inf": np.array([np.inf, -np.inf, np.nan, 1.0]),
}


def apply_lazily(xp, a):
    return xpx.lazy_apply(lambda x: x * 2, a["x"], shape=a["x"].shape, dtype=a["x"].dtype, xp=xp)


def apply_twice(xp, a):
    both = xpx.lazy_apply(
        lambda x, y: (x + y, xp.sum(x)),
        a["x"],
        a["y"],
        shape=((3, 4), ()),
        dtype=(a["x"].dtype,) * 2,
    )
    assert isinstance(both, tuple)
    return both


# Name -> pairs: the call with a namespace and its arrays, and NumPy's result.
CASES = {
    "angle": [
        (lambda xp, a: xpx.angle(a["z"]), lambda a: np.angle(a["z"])),
        (lambda xp, a: xpx.angle(a["z"], deg=True), lambda a: np.angle(a["z"], deg=True)),
        (lambda xp, a: xpx.angle(a["x"]), lambda a: np.angle(a["x"])),
    ],
    "apply_where": [
        (
            lambda xp, a: xpx.apply_where(
                a["w"] > 2, (a["v"], a["w"]), lambda v, w: v / w, fill_value=-1.0
            ),
            lambda a: np.where(a["w"] > 2, a["v"] / a["w"], -1.0),
        ),
        (
            lambda xp, a: xpx.apply_where(a["b"], a["v"], lambda v: v + 1, lambda v: v - 1),
            lambda a: np.where(a["b"], a["v"] + 1, a["v"] - 1),
        ),
    ],
    "argpartition": [
        (
            lambda xp, a: xp.sort(xp.take(a["v"], xpx.argpartition(a["v"], 2)[:2])),
            lambda a: np.sort(a["v"])[:2],
        ),
        (
            lambda xp, a: xp.take_along_axis(a["x"], xpx.argpartition(a["x"], 1, axis=0), axis=0)[
                1, :
            ],
            lambda a: np.sort(a["x"], axis=0)[1],
        ),
    ],
    "atleast_nd": [
        (lambda xp, a: xpx.atleast_nd(a["v"], ndim=3), lambda a: a["v"].reshape(1, 1, 4))
    ],
    "broadcast_shapes": [(lambda xp, a: xpx.broadcast_shapes((2, 1), (3,), ()), lambda a: (2, 3))],
    "cov": [
        (lambda xp, a: xpx.cov(a["x"]), lambda a: np.cov(a["x"])),
        (lambda xp, a: xpx.cov(a["x"], axis=0, correction=0), lambda a: np.cov(a["x"].T, ddof=0)),
        (lambda xp, a: xpx.cov(a["x"], fweights=a["i"]), lambda a: np.cov(a["x"], fweights=a["i"])),
        (lambda xp, a: xpx.cov(a["x"], aweights=a["w"]), lambda a: np.cov(a["x"], aweights=a["w"])),
    ],
    "create_diagonal": [
        (lambda xp, a: xpx.create_diagonal(a["v"]), lambda a: np.diag(a["v"])),
        (lambda xp, a: xpx.create_diagonal(a["v"], offset=-2), lambda a: np.diag(a["v"], -2)),
        (
            lambda xp, a: xpx.create_diagonal(a["x"]),
            lambda a: np.stack([np.diag(row) for row in a["x"]]),
        ),
    ],
    "deg2rad": [(lambda xp, a: xpx.deg2rad(a["x"]), lambda a: np.deg2rad(a["x"]))],
    "rad2deg": [(lambda xp, a: xpx.rad2deg(a["x"]), lambda a: np.rad2deg(a["x"]))],
    "expand_dims": [
        (
            lambda xp, a: xpx.expand_dims(a["x"], axis=(0, -1)),
            lambda a: np.expand_dims(a["x"], (0, -1)),
        )
    ],
    "isclose": [
        (
            lambda xp, a: xpx.isclose(a["u"], a["u"], equal_nan=True),
            lambda a: np.isclose(a["u"], a["u"], equal_nan=True),
        ),
        (
            lambda xp, a: xpx.isclose(a["x"], 1.0, rtol=0.5),
            lambda a: np.isclose(a["x"], 1.0, rtol=0.5),
        ),
        (lambda xp, a: xpx.isclose(a["n"], a["n"]), lambda a: np.isclose(a["n"], a["n"])),
    ],
    "isin": [
        (lambda xp, a: xpx.isin(a["n"], a["i"]), lambda a: np.isin(a["n"], a["i"])),
        (
            lambda xp, a: xpx.isin(a["n"], a["i"], invert=True),
            lambda a: np.isin(a["n"], a["i"], invert=True),
        ),
    ],
    "kron": [
        (lambda xp, a: xpx.kron(a["x"], a["v"]), lambda a: np.kron(a["x"], a["v"])),
        (lambda xp, a: xpx.kron(a["x"], a["y"]), lambda a: np.kron(a["x"], a["y"])),
    ],
    "lazy_apply": [
        (apply_lazily, lambda a: a["x"] * 2),
        (apply_twice, lambda a: (a["x"] + a["y"], np.sum(a["x"]))),
    ],
    "nan_to_num": [
        (lambda xp, a: xpx.nan_to_num(a["inf"]), lambda a: np.nan_to_num(a["inf"])),
        (
            lambda xp, a: xpx.nan_to_num(a["inf"], fill_value=2.0),
            lambda a: np.nan_to_num(a["inf"], nan=2.0),
        ),
    ],
    **{
        name: [
            (
                lambda xp, a, name=name: getattr(xpx, name)(a["u"]),
                lambda a, name=name: getattr(np, name)(a["u"]),
            ),
            (
                lambda xp, a, name=name: getattr(xpx, name)(a["u"], axis=0),
                lambda a, name=name: getattr(np, name)(a["u"], axis=0),
            ),
        ]
        for name in ("nanmax", "nanmin", "nanmean", "nansum")
    },
    "nunique": [(lambda xp, a: xpx.nunique(a["n"]), lambda a: np.asarray(4))],
    "one_hot": [
        (lambda xp, a: xpx.one_hot(a["i"], 3), lambda a: np.eye(3)[a["i"]]),
        (
            lambda xp, a: xpx.one_hot(a["i"], 3, axis=0, dtype=a["n"].dtype),
            lambda a: np.eye(3, dtype=int)[:, a["i"]],
        ),
    ],
    "pad": [
        (lambda xp, a: xpx.pad(a["x"], 2), lambda a: np.pad(a["x"], 2)),
        (
            lambda xp, a: xpx.pad(a["x"], ((1, 0), (0, 2)), constant_values=7.0),
            lambda a: np.pad(a["x"], ((1, 0), (0, 2)), constant_values=7.0),
        ),
    ],
    "partition": [
        (lambda xp, a: xpx.partition(a["v"], 1)[1], lambda a: np.partition(a["v"], 1)[1])
    ],
    "searchsorted": [
        (
            lambda xp, a: xpx.searchsorted(xp.sort(a["v"]), a["w"], side="right"),
            lambda a: np.searchsorted(np.sort(a["v"]), a["w"], side="right"),
        ),
        (
            lambda xp, a: xpx.searchsorted(xp.sort(a["x"], axis=-1), a["y"]),
            lambda a: np.stack(
                [np.searchsorted(np.sort(x), y) for x, y in zip(a["x"], a["y"], strict=True)]
            ),
        ),
    ],
    "setdiff1d": [
        (lambda xp, a: xpx.setdiff1d(a["n"], a["i"]), lambda a: np.setdiff1d(a["n"], a["i"]))
    ],
    "sinc": [(lambda xp, a: xpx.sinc(a["x"]), lambda a: np.sinc(a["x"]))],
    "union1d": [(lambda xp, a: xpx.union1d(a["n"], a["i"]), lambda a: np.union1d(a["n"], a["i"]))],
    "unravel_index": [
        (
            lambda xp, a: xpx.unravel_index(a["n"], (3, 4)),
            lambda a: np.unravel_index(a["n"], (3, 4)),
        )
    ],
}
# These take no array and have separate tests below.
WITHOUT_ARRAYS = {"at", "default_dtype", "diag_indices", "tril_indices", "triu_indices", "testing"}


def operands(device):
    return {name: to_device(device, host) for name, host in HOST.items()}


def assert_alike(got, want, device):
    if isinstance(want, tuple):
        assert isinstance(got, tuple)
        assert len(got) == len(want)
        for actual, theirs in zip(got, want, strict=True):
            if isinstance(theirs, int):
                assert actual == theirs
            else:
                assert_alike(actual, theirs, device)
        return
    assert type(got) is sk.Array
    assert got.device == sk.Device(device)
    assert got.shape == np.shape(want)
    assert got.dtype == want.dtype
    np.testing.assert_allclose(to_numpy(got), want, rtol=1e-12, atol=1e-12)


@pytest.mark.filterwarnings("ignore:`xpx")
@pytest.mark.parametrize("name", CASES)
def test_extra_functions(name, array_device):
    for call, oracle in CASES[name]:
        assert_alike(call(sk, operands(array_device)), oracle(HOST), array_device)


def test_every_function_of_extra_has_a_case():
    public = {name for name in xpx.__all__ if not name.startswith("_")}
    assert public == set(CASES) | WITHOUT_ARRAYS


def test_extra_functions_that_make_indices(array_device):
    for name, arguments in (("diag_indices", (4,)), ("tril_indices", (4,)), ("triu_indices", (4,))):
        got = getattr(xpx, name)(*arguments, xp=sk, device=array_device)
        assert_alike(tuple(got), getattr(np, name)(*arguments), array_device)
    assert xpx.default_dtype(sk) == np.float64
    assert xpx.default_dtype(sk, "indexing", device=array_device) == np.int64


@pytest.mark.parametrize(
    "operation", ["set", "add", "subtract", "multiply", "divide", "power", "min", "max"]
)
def test_extra_at(operation, array_device):
    host = np.abs(HOST["x"])
    for index in (np.s_[1], np.s_[:, ::2], "mask"):
        x, want = to_device(array_device, host), host.copy()
        key, device_key = (host > 1, x > 1) if isinstance(index, str) else (index, index)
        want[key] = {
            "set": lambda y: 2.0,
            "add": lambda y: y + 2,
            "subtract": lambda y: y - 2,
            "multiply": lambda y: y * 2,
            "divide": lambda y: y / 2,
            "power": lambda y: y**2,
            "min": lambda y: np.minimum(y, 2),
            "max": lambda y: np.maximum(y, 2),
        }[operation](want[key])
        # Scalars of min and max become arrays on the default device.
        two = 2.0 if operation not in ("min", "max") else sk.asarray(2.0, device=array_device)
        got = getattr(xpx.at(x, device_key), operation)(two, copy=True)
        assert_alike(got, want, array_device)
        assert np.array_equal(to_numpy(x), host)
        assert getattr(xpx.at(x)[device_key], operation)(two, copy=False) is x
        assert_alike(x, want, array_device)


@pytest.mark.xfail(
    reason="array-api-extra 0.11.5: at().min and at().max call asarray(y) without device=",
    strict=True,
    raises=sk.exceptions.DeviceMismatchError,
)
@pytest.mark.parametrize("operation", ["min", "max"])
def test_extra_at_with_a_scalar_and_an_array_on_a_gpu(operation):
    x = sk.ones((3,), device="cuda:0")
    getattr(xpx.at(x)[0], operation)(2.0)


def test_extra_goes_through_the_host_only_on_request():
    def on_host(x):
        assert type(x) is np.ndarray
        return x + 1

    x = sk.ones((3,))
    got = xpx.lazy_apply(on_host, x, shape=x.shape, dtype=x.dtype, as_numpy=True)
    assert_alike(got, np.full(3, 2.0), "cpu:0")
    with pytest.raises(TypeError, match="to_device"):
        xpx.lazy_apply(on_host, x.to_device("cuda:0"), shape=x.shape, dtype=x.dtype, as_numpy=True)


def test_extra_does_not_mix_devices():
    x, y = sk.ones((3,), device="cpu:0"), sk.ones((3,), device="cuda:0")
    for call in (
        lambda: xpx.kron(x, y),
        lambda: xpx.isclose(x, y),
        lambda: xpx.setdiff1d(x, y),
        lambda: xpx.apply_where(x > 0, y, lambda a: a, fill_value=0.0),
    ):
        with pytest.raises(sk.exceptions.DeviceMismatchError):
            call()


def test_the_assertions_of_extra_compare_skerry_arrays():
    x = sk.asarray([1.0, 2.0])
    assert_close(x, sk.asarray([1.0, 2.0 + 1e-12]))
    assert_equal(x, sk.asarray([1.0, 2.0]))
    with pytest.raises(AssertionError):
        assert_equal(x, sk.asarray([1.0, 3.0]))
    with pytest.raises(AssertionError):
        assert_equal(x, sk.asarray([1.0, 2.0], device="cpu:1"))


@pytest.mark.xfail(
    reason="array-api-extra 0.11.5 calls np.from_dlpack without device='cpu'",
    strict=True,
    raises=(RuntimeError, TypeError),  # TypeError with NumPy >= 2.5, where asarray is tried next
)
def test_the_assertions_of_extra_compare_arrays_on_a_gpu():
    x = sk.asarray([1.0, 2.0], device="cuda:0")
    assert_equal(x, sk.asarray([1.0, 2.0], device="cuda:0"))


# array-api-strict

STANDARD = [name for name in DTYPES if name not in BEYOND_THE_STANDARD]


@pytest.mark.parametrize("dtype", HALVES)
def test_strict_has_no_dtype_beyond_the_standard(dtype):
    # NumPy, on which it is built, takes no bfloat16 by DLPack: RuntimeError up to 2.4, then BufferError.
    refusals = (RuntimeError, BufferError)
    error, match = (refusals, "dtype") if dtype == "bfloat16" else (TypeError, dtype)
    with pytest.raises(error, match=match):
        strict.from_dlpack(sk.ones((3,), dtype=dtype))


@pytest.mark.parametrize("dtype", STANDARD)
def test_strict_imports_skerry_arrays_by_dlpack(dtype):
    x = sk.astype(sk.arange(6, device="cpu:1"), dtype)
    y = strict.from_dlpack(x)
    assert str(y.dtype).endswith(dtype)
    one, zero = (True, False) if dtype == "bool" else (1, 0)
    x[0] = one
    assert bool(y[0])
    copied = strict.from_dlpack(x, copy=True)
    x[0] = zero
    assert bool(copied[0])
    assert not bool(y[0])
    view = sk.reshape(x, (2, 3)).T
    assert np.array_equal(np.asarray(strict.from_dlpack(view)), to_numpy(view))


@loop_over("dtype", STANDARD)
def test_skerry_imports_strict_arrays_by_dlpack(dtype, array_device):
    host = strict.astype(strict.arange(6), getattr(strict, dtype))
    for take in (sk.from_dlpack, sk.asarray):
        x = take(host, device=array_device)
        assert x.device == sk.Device(array_device)
        assert x.dtype == np.dtype(dtype)
        assert np.array_equal(to_numpy(x), np.asarray(host))
        if array_device.startswith("cpu"):
            shared = take(host, device=array_device, copy=False)
            one, zero = (True, False) if dtype == "bool" else (1, 0)
            shared[0] = one
            assert bool(host[0])
            copied = take(host, device=array_device, copy=True)
            host[0] = zero
            assert bool(copied[0])
            assert not bool(shared[0])


def test_strict_devices_are_host_memory_by_dlpack_only():
    """Its simulated devices reject ``np.asarray``; in DLPack they are all CPU."""
    x = strict.asarray([1.0, 2.0], device=strict.Device("device1"))
    assert sk.from_dlpack(x).tolist() == [1.0, 2.0]
    assert sk.asarray(x).tolist() == [1.0, 2.0]


def test_strict_imports_gpu_arrays_through_the_host_only(cuda_device):
    x = sk.asarray([1.0, 2.0], device=cuda_device)
    with pytest.raises((BufferError, RuntimeError)):
        strict.from_dlpack(x)
    with pytest.raises(TypeError, match="to_device"):
        strict.asarray(x)
    assert np.asarray(strict.from_dlpack(x.to_device("cpu"))).tolist() == [1.0, 2.0]


@pytest.mark.xfail(
    reason="array-api-strict 2.6.1 does not pass device= on to __dlpack__",
    strict=True,
    raises=(RuntimeError, BufferError),
)
def test_strict_imports_gpu_arrays_to_its_cpu(cuda_device):
    x = sk.asarray([1.0, 2.0], device=cuda_device)
    strict.from_dlpack(x, device=strict.Device("CPU_DEVICE"))


def test_strict_arrays_are_not_mixed_with_skerry_arrays():
    x, y = sk.ones((2,)), strict.ones((2,))
    for call in (
        lambda: x + y,
        lambda: y + x,
        lambda: sk.add(x, y),
        lambda: x == y,
        lambda: np.add(x, y),
    ):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(TypeError):
        compat.array_namespace(x, y)
