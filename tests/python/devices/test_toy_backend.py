# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A kind of device added by an extension module behaves like the library's own devices.

The module is ``tests/toy_backend``, compiled here. It does not link to skerry: a capsule holds the function that registers
a backend.
"""

import copy
import importlib.util
import itertools
import pathlib
import pickle
import shlex
import subprocess
import sysconfig

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import DeviceMismatchError, DeviceUnavailableError, InterchangeError
from skerry.testing import instruments

from tests.python.loops import loop_over
from tests.python.oracle import assert_same, to_numpy

ROOT = pathlib.Path(__file__).resolve().parents[3]
TOYS = ["toy:0", "toy:1", "shown_toy:0"]
OTHERS = ["cpu:0", "cpu:1", "cuda:0", "cuda:1"]
ORDERED_PAIRS = list(itertools.permutations(["toy:0", "toy:1", *OTHERS], 2))
DTYPES = ["bool", "int16", "int64", "uint8", "float32", "float64", "complex64"]


@pytest.fixture(scope="module", autouse=True)
def toys(tmp_path_factory):
    """Compiles the module, which adds its kinds of devices once per process."""
    library = tmp_path_factory.mktemp("toy") / "toy_backend.so"
    compiler = shlex.split(sysconfig.get_config_var("CXX") or "c++")[0]
    subprocess.run(
        [compiler, "-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{ROOT}",
         f"-I{sysconfig.get_path('include')}", "-o", library, ROOT / "tests/toy_backend/module.cpp"],
        check=True,
    )  # fmt: skip
    spec = importlib.util.spec_from_file_location("toy_backend", library)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.add_toys(instruments.backend_registry)
    return module


@pytest.fixture(params=TOYS)
def toy(request):
    return request.param


def sample(dtype, shape=(3, 4)):
    values = np.random.default_rng(3).integers(1, 9, shape)
    return (values % 2 == 0) if dtype == "bool" else values.astype(dtype)


# Names.


def test_toy_devices_are_values_with_a_name(toy):
    one = sk.Device(toy)
    kind, index = toy.split(":")
    assert (one.kind, one.index, str(one)) == (kind, int(index), toy)
    assert repr(one) == f"Device('{toy}')"
    assert (
        one == sk.Device(kind, int(index)) == copy.deepcopy(one) == pickle.loads(pickle.dumps(one))
    )
    assert hash(one) == hash(sk.Device(toy))
    assert len({sk.Device(name) for name in TOYS + OTHERS}) == len(TOYS + OTHERS)
    assert one.info.name == kind
    assert not one.info.rehearsal


def test_devices_lists_toy_devices():
    assert [str(device) for device in sk.devices("toy")] == ["toy:0", "toy:1"]
    assert {"toy:0", "toy:1", "shown_toy:0"} <= {str(device) for device in sk.devices()}
    with pytest.raises(ValueError, match="'cpu', 'cuda', 'toy' and 'shown_toy'"):
        sk.devices("tpu")


def test_unknown_toy_device_raises():
    with pytest.raises(DeviceUnavailableError, match="toy:2 does not exist: there are 2") as caught:
        sk.ones((3,), dtype="float32", device="toy:2")
    assert caught.value.reason == "out_of_range"
    with pytest.raises(ValueError, match="'toy:N'"):
        sk.Device("toys:0")


def test_adding_a_kind_twice_raises(toys):
    with pytest.raises(ValueError, match="already"):
        toys.add_toys(instruments.backend_registry)


def test_toy_as_default_device(toy):
    with sk.device(toy):
        assert str(sk.default_device()) == toy
        assert str(sk.zeros((2,), dtype="float32").device) == toy
    assert str(sk.default_device()) == "cpu:0"


# Creation.


@pytest.mark.parametrize("dtype", DTYPES)
def test_creation_on_toy_devices(dtype, toy):
    assert_same(sk.ones((2, 3), dtype=dtype, device=toy), np.ones((2, 3), dtype), toy)
    assert_same(sk.zeros((0, 3), dtype=dtype, device=toy), np.zeros((0, 3), dtype), toy)
    assert_same(sk.asarray(sample(dtype), device=toy), sample(dtype), toy)
    assert_same(sk.ones_like(sk.zeros((4,), dtype=dtype, device=toy)), np.ones(4, dtype), toy)
    assert_same(sk.tril(sk.ones((3, 3), dtype=dtype, device=toy)), np.tri(3, dtype=dtype), toy)


def test_toy_values_reach_the_host_by_copies_only(toy):
    x = sk.asarray([1, 2, 3], device=toy)
    assert x[1].item() == int(x[1]) == 2
    assert "[1, 2, 3]" in repr(x)
    assert toy in repr(x)
    assert sk.asarray([x[0], x[2]]).device == sk.Device(toy)
    with pytest.raises(TypeError, match="not copied to the host implicitly"):
        np.array(x)
    assert not hasattr(x, "__array_struct__")
    assert not hasattr(x, "__cuda_array_interface__")
    with pytest.raises(ValueError, match="pinned=True is for CPU devices"):
        sk.empty((2,), device=toy, pinned=True)


# Operations.


@loop_over("dtype", DTYPES)
@pytest.mark.parametrize("name", ["add", "multiply", "equal"])
def test_elementwise_on_toy_devices(name, dtype, toy):
    a, b = sample(dtype), sample(dtype)[::-1, ::-1]
    if dtype == "bool" and name != "equal":
        with sk.strict_promotion(), pytest.raises(TypeError):
            getattr(sk, name)(sk.asarray(a, device=toy), sk.asarray(b, device=toy))
    function, oracle = getattr(sk, name), getattr(np, name)
    x, y = sk.asarray(a, device=toy), sk.asarray(sample(dtype), device=toy)[::-1, ::-1]
    assert_same(function(x, y), oracle(a, b), toy)
    assert_same(function(x, y[:, :1]), oracle(a, b[:, :1]), toy)
    assert_same(function(x, x), oracle(a, a), toy)


def test_float_functions_on_toy_devices(toy):
    a = np.linspace(0.1, 3, 100_003, dtype="float32")
    x = sk.asarray(a, device=toy)
    assert_same(sk.exp(x), np.exp(a), toy, exact=False)
    assert_same(x + 1.5, a + np.float32(1.5), toy)
    assert_same(sk.where(x > 1, x, 0), np.where(a > 1, a, np.float32(0)), toy)
    x += x
    assert_same(x, a + a, toy)
    assert_same(sk.astype(x, "int64"), (a + a).astype("int64"), toy)


@loop_over("axis", [None, 0, 1])
@pytest.mark.parametrize("name", ["sum", "max", "argmax", "count_nonzero", "any"])
def test_reductions_on_toy_devices(name, axis, toy):
    a = sample("int64", (31, 129))
    got = getattr(sk, name)(sk.asarray(a, device=toy), axis=axis)
    assert_same(got, np.asarray(getattr(np, name)(a, axis=axis)), toy)


def test_other_families_on_toy_devices(toy):
    a = sample("int64", (5, 7))
    x = sk.asarray(a, device=toy)
    assert_same(sk.sort(x, axis=0), np.sort(a, axis=0), toy)
    assert_same(sk.cumulative_sum(x, axis=1), np.cumsum(a, axis=1), toy)
    assert_same(sk.matmul(x, x.mT), a @ a.T, toy)
    assert_same(sk.concat([x, x], axis=1), np.concat([a, a], axis=1), toy)
    assert_same(sk.stack([x, x], axis=-1), np.stack([a, a], axis=-1), toy)
    assert_same(sk.roll(x, 2), np.roll(a, 2), toy)
    assert_same(x[x > 4], a[a > 4], toy)
    assert_same(sk.unique_values(x), np.unique(a), toy)
    assert_same(sk.take(x, sk.asarray([0, 2], device=toy), axis=0), a[[0, 2]], toy)
    x[1] = 7
    a[1] = 7
    assert_same(x, a, toy)


def test_index_out_of_bounds_raises_in_the_call(toy):
    x = sk.arange(5, device=toy)
    with pytest.raises(IndexError, match="index 9 is out of bounds"):
        sk.take(x, sk.asarray([0, 9], device=toy))
    with pytest.raises(ValueError, match="number of repetitions must not be negative"):
        sk.repeat(x, sk.asarray([1, 1, -1, 1, 1], device=toy))


# Transfers.


@pytest.mark.parametrize(("source", "back"), ORDERED_PAIRS)
def test_transfers_to_and_from_toy_devices(source, back):
    a = sample("int64", (701, 1300))
    x = sk.asarray(a.copy(), device=source)
    for view, want in [(x, a), (x[::2, ::-3], a[::2, ::-3]), (x.mT, a.T), (x[:0], a[:0])]:
        assert_same(view.to_device(back), want, back)
    one = x[3, 4].to_device(back)
    x[3, 4] = -1
    assert_same(one, a[3, 4], back)


def test_asarray_and_astype_transfer(toy):
    a = sample("float32")
    assert_same(sk.asarray(sk.asarray(a), device=toy), a, toy)
    assert_same(sk.asarray(sk.asarray(a, device=toy), device="cpu:1"), a, "cpu:1")
    assert_same(
        sk.astype(sk.asarray(a, device="cuda:0"), "int64", device=toy), a.astype("int64"), toy
    )


def test_pickles_restore_the_toy_device(toy):
    x = sk.asarray(sample("float32"), device=toy)
    assert_same(pickle.loads(pickle.dumps(x)), sample("float32"), toy)


# Strict devices.

MIXED = {
    "add": lambda a, b: a + b,
    "in place": lambda a, b: a.__iadd__(b),
    "matmul": lambda a, b: sk.matmul(a, b),
    "where": lambda a, b: sk.where(a > 1, a, b),
    "concat": lambda a, b: sk.concat([a, b]),
    "take": lambda a, b: sk.take(a, b),
    "isin": lambda a, b: sk.isin(a, b),
    "searchsorted": lambda a, b: sk.searchsorted(a, b),
    "assignment": lambda a, b: a.__setitem__(slice(None), b),
}


@pytest.mark.parametrize("name", MIXED)
@pytest.mark.parametrize("other", ["toy:1", "shown_toy:0", "cpu:0", "cuda:0"])
def test_mixing_toy_devices_raises(name, other):
    a, b = (sk.asarray([1, 2, 3], device=device) for device in ("toy:0", other))
    for x, y in [(a, b), (b, a)]:
        with pytest.raises(DeviceMismatchError) as caught:
            MIXED[name](x, y)
        assert "toy:0" in str(caught.value)
        assert other in str(caught.value)
    assert to_numpy(a).tolist() == to_numpy(b).tolist() == [1, 2, 3]


# Streams and memory.


def test_toy_devices_have_one_stream(toy):
    with pytest.raises(ValueError, match="has one stream only"):
        sk.Stream(toy)
    assert sk.current_stream(toy).handle == 0
    sk.synchronize(toy)
    sk.synchronize()
    with pytest.raises(ValueError, match="stream must be None for a copy"):
        sk.ones((2,), dtype="float32", device=toy).to_device("cpu:0", stream=1)


def test_toy_memory_has_no_statistics(toy):
    assert sk.memory_statistics(toy).live_bytes == 0
    assert sk.trim(toy) == 0
    sk.reset_peak(toy)
    with pytest.raises(NotImplementedError, match="does not track its memory"):
        sk.set_memory_limit(toy, 1 << 20)


# Interchange.


def test_dlpack_export_of_a_toy_without_a_code_raises():
    x = sk.asarray(sample("float32"), device="toy:1")
    for ask in (x.__dlpack_device__, x.__dlpack__, lambda: np.from_dlpack(x)):
        with pytest.raises(InterchangeError, match="no device type for toy:1"):
            ask()
    assert_same(sk.from_dlpack(x), sample("float32"), "toy:1")
    assert np.array_equal(np.from_dlpack(x.to_device("cpu")), sample("float32"))


def test_dlpack_export_of_a_toy_with_a_code():
    x = sk.asarray(sample("float32"), device="shown_toy:1")
    assert x.__dlpack_device__() == (12, 1)
    assert x.__dlpack__(max_version=(1, 0)) is not None
    assert x.__dlpack__(max_version=(1, 0), dl_device=(12, 1), copy=True) is not None
    with pytest.raises(InterchangeError, match="can't be exported"):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(InterchangeError, match="has no stream"):
        x.__dlpack__(stream=1)


@pytest.mark.parametrize("device", ["toy:1", "shown_toy:1"])
def test_dlpack_exports_host_copies_of_toy_arrays(device):
    class OnHost:
        """Requests host memory, as other libraries do."""

        def __init__(self, x):
            self.x = x

        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **keywords):
            return self.x.__dlpack__(max_version=(1, 0), dl_device=(1, 0), copy=True)

    x = sk.asarray(sample("float32"), device=device)
    got = np.from_dlpack(OnHost(x))
    assert np.array_equal(got, sample("float32"))
    with pytest.raises(InterchangeError, match="only by a copy"):
        x.__dlpack__(dl_device=(1, 0), copy=False)
