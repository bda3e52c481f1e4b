# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Requirements of the standard that the official suite does not test: devices of results, copies, kinds, ranks, errors."""

import array
import inspect
import operator

import numpy as np
import pytest
import skerry as sk

from tests.python.devices.test_faults import OPERATIONS
from tests.python.loops import loop_over
from tests.python.oracle import (
    BEYOND_THE_STANDARD,
    DTYPES,
    STANDARD_NAMES,
    assert_same,
    kind_of,
    to_device,
    to_numpy,
)

pytestmark = pytest.mark.usefixtures("strict_promotion")

DEVICES = ["cpu:0", "cpu:1", "cuda:0", "cuda:1"]
# DLPack capsules name physical devices, so an array of cpu:1 is imported on the default CPU device. Managed memory is
# created on cuda:0 and read on the host.
MOVES = {"to other device", "to host", "managed memory"} | {
    name for name in OPERATIONS if "DLPack" in name
}


def arrays_in(result):
    if isinstance(result, sk.Array):
        yield result
    elif isinstance(result, tuple):
        for part in result:
            yield from arrays_in(part)


@pytest.mark.parametrize("name", sorted(set(OPERATIONS) - MOVES))
def test_results_are_on_the_device_of_the_arguments(name):
    rng = np.random.default_rng(0)
    values = rng.uniform(0.1, 0.9, (2, 6, 5))
    for device, other in zip(DEVICES, reversed(DEVICES), strict=True):
        x, y = (to_device(device, value) for value in values)
        with sk.device(other):  # the default must not matter
            results = list(arrays_in(OPERATIONS[name](x, y)))
        assert results, name
        assert all(part.device == sk.Device(device) for part in results), name


CREATION = {
    "arange": lambda **more: sk.arange(3, **more),
    "asarray": lambda **more: sk.asarray([1.0, 2.0], **more),
    "empty": lambda **more: sk.empty((2,), **more),
    "eye": lambda **more: sk.eye(2, **more),
    "fft.fftfreq": lambda **more: sk.fft.fftfreq(4, **more),
    "fft.rfftfreq": lambda **more: sk.fft.rfftfreq(4, **more),
    "full": lambda **more: sk.full((2,), 3.0, **more),
    "linspace": lambda **more: sk.linspace(0, 1, 3, **more),
    "ones": lambda **more: sk.ones((2,), **more),
    "zeros": lambda **more: sk.zeros((2,), **more),
}


@pytest.mark.parametrize("name", CREATION)
def test_new_arrays_are_on_the_given_or_default_device(name, device):
    make = CREATION[name]
    for named in (device, sk.Device(device)):
        assert make(device=named).device == sk.Device(device)
    assert make().device == make(device=None).device == sk.Device("cpu:0")
    with sk.device(device):
        assert make().device == sk.Device(device)
        assert make(device="cpu:1").device == sk.Device("cpu:1")
    assert make(dtype=sk.float32, device=device).dtype == sk.float32
    if name != "asarray":
        with pytest.raises((ValueError, TypeError)):
            make(device="tpu")


@pytest.mark.parametrize("name", ["empty_like", "full_like", "ones_like", "zeros_like"])
def test_like_functions_use_the_device_of_their_argument(name, device):
    function = getattr(sk, name)
    arguments = (1.5,) if name == "full_like" else ()
    x = sk.ones((2, 3), dtype=sk.float32, device=device)
    with sk.device("cpu:1"):
        result = function(x, *arguments)
        assert (result.device, result.dtype, result.shape) == (x.device, x.dtype, x.shape)
        moved = function(x, *arguments, device="cpu:1", dtype=sk.float64)
    assert (moved.device, moved.dtype) == (sk.Device("cpu:1"), np.dtype("float64"))


def test_namespaces_are_found_by_version(device):
    x = sk.ones((1,), device=device)
    for version in (None, "2021.12", "2022.12", "2023.12", "2024.12", "2025.12"):
        assert x.__array_namespace__(api_version=version) is sk
    for version in ("", "2020.12", "2025.1", "2026.12", "2025.12 ", 2025.12, ("2025.12",)):
        with pytest.raises((ValueError, TypeError)):
            x.__array_namespace__(api_version=version)
    with pytest.raises(TypeError):
        x.__array_namespace__("2025.12")


@loop_over("dtype", DTYPES)
def test_kinds_of_dtypes_convert_to_python_scalars(dtype, device):
    kind = kind_of(dtype)
    x = sk.ones((), dtype=dtype, device=device)
    assert bool(x) is True
    assert complex(x) == 1 + 0j
    for function, allowed in [(int, "biuf"), (float, "biuf"), (operator.index, "iu")]:
        if kind in allowed:
            assert function(x) == 1
            assert type(function(x)) in (int, float)
        else:
            with pytest.raises(TypeError):
                function(x)
        with pytest.raises((TypeError, ValueError)):
            function(sk.ones((2,), dtype=dtype, device=device))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_int_of_nan_and_infinity_raises(dtype, device):
    for value, error in [
        (float("nan"), ValueError),
        (float("inf"), OverflowError),
        (-float("inf"), OverflowError),
    ]:
        with pytest.raises(error):
            int(sk.asarray(value, dtype=dtype, device=device))


def changes_with(x, source):
    """True if a change of ``source`` is visible in ``x``, as they share memory."""
    old_value = to_numpy(x).ravel()[0]
    source[0] = old_value + 1
    changed = to_numpy(x).ravel()[0] != old_value
    source[0] = old_value
    return bool(changed)


def test_asarray_of_an_array_copies_on_demand(device):
    x = to_device(device, np.arange(4.0))
    for copy in (None, False):
        assert changes_with(sk.asarray(x, copy=copy), x)
        assert changes_with(sk.asarray(x, copy=copy, dtype=sk.float64, device=device), x)
    assert not changes_with(sk.asarray(x, copy=True), x)
    converted = sk.asarray(x, dtype=sk.float32)
    assert converted.dtype == sk.float32
    assert not changes_with(converted, x)
    other = "cpu:1" if device != "cpu:1" else "cuda:0"
    for arguments in ({"dtype": sk.float32}, {"device": other}):
        with pytest.raises(ValueError, match="copy"):
            sk.asarray(x, copy=False, **arguments)


@pytest.mark.parametrize(
    "make",
    [
        lambda: np.arange(4.0),
        lambda: array.array("d", range(4)),
        lambda: memoryview(array.array("d", range(4))),
    ],
)
def test_asarray_of_a_buffer_copies_on_demand(make):
    for copy in (None, False):
        buffer = make()
        assert changes_with(sk.asarray(buffer, copy=copy, device="cpu:0"), buffer)
    buffer = make()
    assert not changes_with(sk.asarray(buffer, copy=True, device="cpu:0"), buffer)
    for arguments in ({"dtype": sk.float32}, {"device": "cuda:0"}):
        assert not changes_with(sk.asarray(buffer, **arguments), buffer)
        with pytest.raises(ValueError, match="copy"):
            sk.asarray(buffer, copy=False, **arguments)


def test_astype_and_reshape_copy_on_demand(device):
    x = to_device(device, np.arange(6.0))
    assert sk.astype(x, sk.float64, copy=False) is x
    assert not changes_with(sk.astype(x, sk.float64, copy=True), x)
    assert not changes_with(sk.astype(x, sk.float32, copy=False), x)
    for copy in (None, False):
        assert changes_with(sk.reshape(x, (2, 3), copy=copy), x)
    assert not changes_with(sk.reshape(x, (2, 3), copy=True), x)
    transposed = sk.reshape(x, (2, 3)).T
    with pytest.raises(ValueError, match="copy"):
        sk.reshape(transposed, (6,), copy=False)
    assert_same(sk.reshape(transposed, (6,)), np.arange(6.0).reshape(2, 3).T.reshape(6), device)


def test_from_dlpack_copies_on_demand(device):
    x = to_device(device, np.arange(4.0))
    for copy in (None, False):
        assert changes_with(sk.from_dlpack(x, copy=copy), x)
    copied = sk.from_dlpack(x, copy=True)
    assert copied.device == x.device
    assert not changes_with(copied, x)
    host_copy = sk.from_dlpack(x, device="cpu:0", copy=True)
    assert host_copy.device == sk.Device("cpu:0")
    if device.startswith("cuda"):
        # The standard allows either error.
        for error in (BufferError, ValueError):
            with pytest.raises(error):
                sk.from_dlpack(x, device="cpu:0", copy=False)
    with pytest.raises(AttributeError):
        sk.from_dlpack([1.0, 2.0])


def test_to_device_returns_the_array_itself_or_a_copy(device):
    x = to_device(device, np.arange(4.0))
    assert x.to_device(x.device) is x
    other = "cpu:1" if device != "cpu:1" else "cuda:0"
    moved = x.to_device(other)
    assert not changes_with(moved, x)
    assert_same(moved, np.arange(4.0), other)


KINDS = {
    "bool": "bool",
    "signed integer": "int8 int16 int32 int64",
    "unsigned integer": "uint8 uint16 uint32 uint64",
    "integral": "int8 int16 int32 int64 uint8 uint16 uint32 uint64",
    "real floating": "float16 bfloat16 float32 float64",
    "complex floating": "complex64 complex128",
    "numeric": "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 "
    "complex128",
}


@pytest.mark.parametrize("dtype", DTYPES)
def test_isdtype_and_dtypes_by_kind(dtype):
    info = sk.__array_namespace_info__()
    dtype_object = getattr(sk, dtype)
    for kind, names in KINDS.items():
        assert sk.isdtype(dtype_object, kind) is (dtype in names.split())
        assert sk.isdtype(sk.ones((1,), dtype=dtype_object).dtype, (kind, dtype_object)) is True
        listed = [name for name in names.split() if name not in BEYOND_THE_STANDARD]
        assert list(info.dtypes(kind=kind)) == listed
    assert sk.isdtype(dtype_object, ("bool", "integral")) is (
        dtype == "bool" or dtype in KINDS["integral"].split()
    )
    assert info.dtypes().get(dtype) == (None if dtype in BEYOND_THE_STANDARD else dtype_object)
    assert [other for other in DTYPES if sk.isdtype(dtype_object, getattr(sk, other))] == [dtype]
    for wrong in ("float", "Bool", "", "int"):
        with pytest.raises(ValueError):
            sk.isdtype(dtype_object, wrong)
        with pytest.raises(ValueError):
            info.dtypes(kind=wrong)
    for wrong in (3, None, ["bool"]):
        with pytest.raises((TypeError, ValueError)):
            sk.isdtype(dtype_object, wrong)


@pytest.mark.parametrize("rank", [33, 48, 64])
def test_arrays_of_more_than_32_axes(rank, device):
    shape = (1,) * (rank - 4) + (2, 3, 1, 2)
    values = np.arange(12.0).reshape(2, 3, 1, 2)
    x = sk.reshape(to_device(device, values), shape)
    assert x.ndim == rank
    want = values * 2 + values.transpose(0, 1, 2, 3)[..., ::-1]
    assert_same(sk.reshape(x * 2 + sk.flip(x, axis=-1), values.shape), want, device)
    assert_same(sk.sum(x, axis=(-1, 0)), values.sum(axis=-1).reshape(shape[1:-1]), device)
    assert_same(sk.max(x), np.asarray(11.0), device)
    assert_same(sk.squeeze(x, tuple(range(rank - 4))), values, device)
    assert_same(
        sk.reshape(sk.moveaxis(x, -1, 0), (2, 2, 3)), np.moveaxis(values[:, :, 0], -1, 0), device
    )
    assert_same(x[..., 1, 2, 0, 1], np.full((1,) * (rank - 4), 11.0), device)
    assert repr(x).startswith("Array(")
    row = to_device(device, np.arange(2.0))
    assert_same(sk.reshape(x + row, values.shape), values + np.arange(2.0), device)
    x[..., 0] = 0.0
    assert float(sk.sum(x)) == values[..., 1].sum()
    assert sk.expand_dims(row, tuple(range(63))).ndim == 64
    with pytest.raises(ValueError):
        sk.expand_dims(row, tuple(range(64)))


def test_transposes_need_matrices(device):
    for shape in ((), (3,), (2, 3, 4)):
        with pytest.raises(ValueError):
            sk.ones(shape, device=device).T
    for shape in ((), (3,)):
        with pytest.raises(ValueError):
            sk.ones(shape, device=device).mT
        with pytest.raises(ValueError):
            sk.matrix_transpose(sk.ones(shape, device=device))
    assert sk.ones((2, 3, 4), device=device).mT.shape == (2, 4, 3)


def test_indexing_of_0d_arrays_and_iteration(device):
    x = sk.ones((), device=device)
    for key in ((), ...):
        assert_same(x[key], np.ones(()), device)
    assert x[None].shape == (1,)
    with pytest.raises(IndexError):
        x[0]
    parts = list(sk.arange(3, device=device))
    assert [part.shape for part in parts] == [()] * 3
    assert [int(part) for part in parts] == [0, 1, 2]


def functions_with_axis():
    """Yields public functions of one array that take an axis and require nothing else."""
    for name in STANDARD_NAMES:
        function = getattr(sk, name)
        if inspect.isclass(function) or not callable(function):
            continue
        parameters = inspect.signature(function).parameters
        required_parameters = [p for p in parameters.values() if p.default is p.empty]
        if "axis" in parameters and [p.name for p in required_parameters] in (["x"], ["x", "axis"]):
            yield name


@pytest.mark.parametrize("name", list(functions_with_axis()))
def test_axes_out_of_bounds_raise(name, device):
    function = getattr(sk, name)
    x = sk.ones((1, 1), device=device)
    for axis in (5, -6, 2**40):
        with pytest.raises((IndexError, ValueError)):
            function(x, axis=axis)
    with pytest.raises(TypeError):
        function(x, axis=0.5)
    with pytest.raises(TypeError):
        function(x, axis="0")


@pytest.mark.parametrize(
    "symbol", ["iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow"]
)
def test_in_place_operators_keep_dtype_and_shape_or_raise(symbol, device):
    function = getattr(operator, symbol)
    x = sk.ones((3,), dtype="float32", device=device)
    for other in (
        sk.ones((3,), dtype="float64", device=device),
        sk.ones((3,), dtype="complex64", device=device),
        sk.ones((2, 3), dtype="float32", device=device),
        sk.ones((3,), dtype="int32", device=device),
        1j,
        "1",
        None,
    ):
        with pytest.raises((TypeError, ValueError)):
            function(x, other)
        assert_same(x, np.ones(3, dtype="float32"), device)
    n = sk.full((3,), 4, dtype="int8", device=device)
    for other in (1.5, sk.ones((3,), dtype="int16", device=device), 128):
        with pytest.raises((TypeError, OverflowError)):
            function(n, other)
        assert_same(n, np.full(3, 4, dtype="int8"), device)


def test_assignment_promotes_to_the_dtype_of_the_target_or_raises(device):
    targets = {
        "int32": [(7, True), (1.5, False), (2j, False), (2**40, False)],
        "float32": [(7, True), (1.5, True), (2j, False)],
        "complex64": [(7, True), (1.5, True), (2j, True)],
        "bool": [(True, True), (1.5, False), (2j, False)],
    }
    for dtype, values in targets.items():
        for value, allowed in values:
            x = sk.zeros((3,), dtype=dtype, device=device)
            if allowed:
                x[1] = value
                assert_same(x, np.array([0, value, 0], dtype=dtype), device)
            else:
                with pytest.raises((TypeError, OverflowError)):
                    x[1] = value
                assert_same(x, np.zeros(3, dtype=dtype), device)
    x = sk.zeros((3,), dtype="int16", device=device)
    x[:] = sk.ones((3,), dtype="int8", device=device)
    assert_same(x, np.ones(3, dtype="int16"), device)
    for dtype in ("int32", "uint16", "float32", "bool"):
        with pytest.raises(TypeError):
            x[:] = sk.zeros((3,), dtype=dtype, device=device)
    with pytest.raises(ValueError):
        x[:2] = sk.zeros((3,), dtype="int16", device=device)
    assert_same(x, np.ones(3, dtype="int16"), device)


def test_linspace_includes_its_ends_exactly(device):
    for dtype in ("float32", "float64"):
        for start, stop in [(0.1, 0.7), (-1e30, 1e30), (3.0, 3.0), (1.0, -1 / 3)]:
            for n in (1, 2, 3, 7, 50, 1001):
                x = to_numpy(sk.linspace(start, stop, n, dtype=dtype, device=device))
                assert x[0] == np.dtype(dtype).type(start)
                assert n == 1 or x[-1] == np.dtype(dtype).type(stop)
                cut = sk.linspace(start, stop, n, dtype=dtype, device=device, endpoint=False)
                whole = sk.linspace(start, stop, n + 1, dtype=dtype, device=device)
                assert np.array_equal(to_numpy(cut), to_numpy(whole)[:-1])
