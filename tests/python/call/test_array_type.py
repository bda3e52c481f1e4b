# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The Array object: conversion to scalars, protocols, lifetime."""

import contextlib
import copy
import gc
import math
import operator
import sys
import threading
import weakref

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import ReadOnlyError

from tests.python.loops import loop_over
from tests.python.oracle import BEYOND_THE_STANDARD, DTYPES, kind_of, to_device, to_numpy


@loop_over("dtype", DTYPES)
def test_attributes(dtype, device):
    x = sk.zeros((2, 3), dtype=dtype, device=device)
    want = np.zeros((2, 3), dtype)
    assert x.dtype is np.dtype(dtype)
    assert (x.ndim, x.shape, x.size, x.itemsize, x.nbytes, x.strides) == (
        want.ndim,
        want.shape,
        want.size,
        want.itemsize,
        want.nbytes,
        want.strides,
    )
    assert type(x.shape) is tuple
    assert x.device == sk.Device(device)
    assert sys.getsizeof(x) > x.nbytes


@loop_over("dtype", DTYPES)
def test_items_are_python_scalars(dtype, device):
    x = (
        sk.asarray(1, dtype=dtype, device=device)
        if dtype != "bool"
        else sk.asarray(True, device=device)
    )
    value = x.item()
    want = {"b": bool, "i": int, "u": int, "f": float, "c": complex}[kind_of(dtype)]
    assert type(value) is want
    assert value == 1
    assert bool(x) is True
    assert complex(x) == 1
    if want is not complex:
        assert int(x) == 1
        assert float(x) == 1.0
    if kind_of(dtype) in "iu":
        assert operator.index(x) == 1
    else:
        with pytest.raises(TypeError):
            operator.index(x)


def test_largest_integers_survive(device):
    for dtype, value in [("uint64", 2**64 - 1), ("int64", -(2**63)), ("int8", -128)]:
        assert int(sk.asarray(value, dtype=dtype, device=device)) == value
        assert sk.asarray([[value]], dtype=dtype, device=device).tolist() == [[value]]


def test_invalid_conversions_to_python_scalars_raise():
    with pytest.raises(ValueError, match="NaN"):
        int(sk.asarray(math.nan))
    with pytest.raises(OverflowError):
        int(sk.asarray(math.inf))
    for function in (int, float):
        with pytest.raises(TypeError, match="complex"):
            function(sk.asarray(1j))
        with pytest.raises(TypeError):
            function(sk.ones((1,)))
    with pytest.raises(ValueError, match="any or"):
        bool(sk.ones((2,)))
    with pytest.raises(ValueError):
        bool(sk.ones((0,)))
    with pytest.raises(ValueError):
        sk.ones((2,)).item()


@pytest.mark.parametrize(
    "value",
    [
        np.float16(2.5),
        np.float32(2.5),
        np.float64(2.5),
        np.int8(3),
        np.bool_(True),
        np.complex64(1),
    ],
)
def test_numpy_scalars_count_as_python_scalars(value):
    x = sk.ones((2,), dtype=sk.complex64)
    if isinstance(value, np.bool_):
        x = x == 1
        assert (x & value).dtype == np.bool_
        return
    assert (x * value).dtype == np.complex64
    assert (value * x).dtype == np.complex64


def test_objects_with_index_are_integers_and_arrays_are_not():
    class Three:
        def __index__(self):
            return 3

    x = sk.ones((2,))
    assert (x * Three()).tolist() == [3.0, 3.0]
    assert (x * np.ones(2)).tolist() == (np.ones(2) * x).tolist() == [1.0, 1.0]
    for foreign in (np.ones(2, dtype=object), ["a"], "a", None, object()):
        with pytest.raises(TypeError):
            x * foreign
        with pytest.raises(TypeError):
            foreign * x


def test_comparison_with_foreign_arrays_is_an_error_not_false():
    class Foreign:
        def __array__(self, dtype=None, copy=None):
            return np.ones(2)

    x = sk.ones((2,))
    with pytest.raises(TypeError, match="asarray"):
        _ = x == Foreign()
    for literal in ([1.0, 1.0], (1.0, 1.0)):
        assert (x == literal).tolist() == [True, True]
    assert (x == np.ones(2)).tolist() == [True, True]
    assert (x == None) is False  # noqa: E711
    assert (x != "a") is True


def test_arrays_are_not_hashable_and_have_no_subclasses():
    with pytest.raises(TypeError):
        hash(sk.ones((1,)))
    with pytest.raises(TypeError):
        type("Sub", (sk.Array,), {})


def test_weak_references_and_the_freelist():
    x = sk.ones((3,))
    seen = []
    reference = weakref.ref(x, lambda _: seen.append(1))
    assert reference() is x
    del x
    assert reference() is None
    assert seen == [1]
    arrays = [sk.ones((1,)) for _ in range(1000)]
    del arrays
    new_arrays = [sk.full((1,), float(i)) for i in range(1000)]
    assert [float(y[0]) for y in new_arrays] == list(range(1000))


def test_nothing_leaks():
    gc.collect()
    old_live_bytes = sk.memory_statistics("cpu:0").live_bytes
    type_references = sys.getrefcount(sk.Array)
    for _ in range(2000):
        x = sk.ones((3,))
        y = (x + 1) * x
        y += x
        y[0] = 2.0
        repr(y)
        sk.sum(y[1:])
        with contextlib.suppress(ValueError):
            x + sk.ones((4,))
    del x, y
    gc.collect()
    assert sk.memory_statistics("cpu:0").live_bytes == old_live_bytes
    # Freed objects on the freelist hold no reference to their type.
    assert sys.getrefcount(sk.Array) <= type_references + 5


def test_in_place_operators_return_the_same_object(device):
    x = sk.ones((3,), device=device)
    y = x
    y += 1
    assert y is x
    assert x.tolist() == [2.0, 2.0, 2.0]


def test_reflected_operators(device):
    x = to_device(device, np.array([1.0, 2.0, 4.0]))
    assert (1 - x).tolist() == [0.0, -1.0, -3.0]
    assert (8 / x).tolist() == [8.0, 4.0, 2.0]
    assert (2**x).tolist() == [2.0, 4.0, 16.0]
    assert (7 // x).tolist() == [7.0, 3.0, 1.0]
    assert (7 % x).tolist() == [0.0, 1.0, 3.0]
    n = to_device(device, np.array([1, 2, 3]))
    assert (6 & n).tolist() == [0, 2, 2]
    assert (1 << n).tolist() == [2, 4, 8]
    with pytest.raises(TypeError):
        pow(x, 2, 3)


@pytest.mark.parametrize("dtype", ["bool", "int64", "float16", "float32", "float64"])
def test_repr_of_0d_array_matches_numpy(dtype):
    rng = np.random.default_rng(0)
    some = rng.standard_normal(200) * 10.0 ** rng.integers(-6, 5, 200)
    some = [*some, 0.1 + 0.2, 0.12345678, 0.123456785, -2.5, 100.0, 123.00000001, 0.00012345678]
    values = np.asarray([*some, 0.0, -0.0, 1.0, 999.9999999, 1e3, 1e-4, 1 / 3]).astype(dtype)
    for value in values:
        shown = np.array2string(np.asarray(value))
        assert str(sk.asarray(value)) == f"Array({shown}, dtype={dtype}, device='cpu:0')"
    with np.printoptions(precision=3, sign="+"):
        shown = np.array2string(np.asarray(values[0]))
        assert str(sk.asarray(values[0])).startswith(f"Array({shown},")


def test_repr_of_large_arrays_shows_the_edges():
    x = sk.reshape(sk.arange(1_000_000), (1000, 1000))
    text = repr(x)
    for word in ("999999", "...", "997", "shape=(1000, 1000)", "dtype=int64"):
        assert word in text
    assert "500" not in text
    assert len(text) < 1000
    deep = sk.broadcast_to(sk.ones(()), (2,) * 30)
    assert "shape=(2, 2" in repr(deep)


@pytest.mark.parametrize("value", [1 + 2j, math.nan, -math.inf, 1e300, 2**63 - 1])
def test_repr_of_odd_values(value, device):
    assert f"device='{device}'" in repr(sk.asarray([value, value], device=device))


def test_read_only_views_stay_read_only():
    host = np.ones(3)
    host.flags.writeable = False
    x = sk.asarray(host)
    for call in (
        lambda: x.__setitem__(0, 1.0),
        lambda: x[1:].__setitem__(0, 1.0),
        lambda: x.__iadd__(1),
    ):
        with pytest.raises(ReadOnlyError):
            call()
    assert np.asarray(x).flags.writeable is False
    assert copy.copy(x)[0].item() == 1.0
    copy.copy(x)[0] = 5.0


def test_threads_share_arrays():
    x = sk.ones((200_000,))
    errors = []

    def work():
        try:
            for _ in range(20):
                y = x + x
                assert float(sk.sum(y)) == 400_000.0
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_namespace():
    x = sk.ones((1,))
    for version in (None, "2021.12", "2022.12", "2023.12", "2024.12", "2025.12"):
        assert x.__array_namespace__(api_version=version) is sk
    assert sk.__array_api_version__ == "2025.12"
    info = sk.__array_namespace_info__()
    assert info.capabilities() == {
        "boolean indexing": True,
        "data-dependent shapes": True,
        "max dimensions": 64,
    }
    assert info.default_device() == sk.Device("cpu:0")
    assert info.default_dtypes()["integral"] == np.int64
    assert set(info.dtypes()) == set(DTYPES) - BEYOND_THE_STANDARD
    assert set(info.dtypes(kind="real floating")) == {"float32", "float64"}
    assert type(info.devices()) is tuple


@pytest.mark.usefixtures("strict_promotion")
def test_data_type_functions():
    assert isinstance(sk.finfo(sk.float32).eps, float)
    assert sk.finfo(sk.ones((1,), dtype=sk.complex64)).dtype == np.float32
    assert sk.iinfo(sk.uint64).max == 2**64 - 1
    assert sk.isdtype(sk.int8, "signed integer") is True
    assert sk.isdtype(sk.int8, (sk.float32, "bool")) is False
    with pytest.raises(ValueError, match="unknown kind"):
        sk.isdtype(sk.int8, "float")
    with pytest.raises(TypeError):
        sk.finfo(sk.int32)
    assert sk.result_type(sk.int8, sk.uint8) == np.int16
    assert sk.result_type(sk.ones((1,), dtype=sk.float32), 1.5) == np.float32
    assert sk.result_type(1j, sk.float32) == np.complex64
    assert sk.can_cast(sk.int8, sk.int64)
    assert not sk.can_cast(sk.float64, sk.float32)
    assert not sk.can_cast(sk.int8, sk.float32)
    with pytest.raises(TypeError):
        sk.result_type(sk.int8, sk.float32)


@pytest.mark.parametrize("name", DTYPES)
def test_dtype_objects_equal_only_their_dtype(name):
    dtype = getattr(sk, name)
    assert dtype == np.dtype(name)
    assert sk.zeros((1,), dtype=dtype).dtype == dtype
    # numpy.dtype does not satisfy this: that of float64 equals None, and so a missing table entry.
    assert (dtype == None) is False  # noqa: E711
    assert dtype not in (None, (None,))
    assert [other for other in DTYPES if getattr(sk, other) == dtype] == [name]


def test_nested_sequences(device):
    parts = [sk.asarray(i, dtype="int32", device=device) for i in range(4)]
    x = sk.asarray([[parts[0], parts[1]], [parts[2], parts[3]]], device=device)
    assert x.dtype == np.int32
    assert to_numpy(x).tolist() == [[0, 1], [2, 3]]
    assert sk.asarray([[], []], device=device).shape == (2, 0)
    assert sk.asarray([2**64 - 1], dtype="uint64", device=device).tolist() == [2**64 - 1]
    assert sk.asarray([True, 1.5], device=device).tolist() == [1.0, 1.5]
    for ragged in ([[1], 2], [1, [2]], [[1, 2], [3]], [[], [1]], [[[]], []]):
        with pytest.raises(ValueError, match="nested sequences are ragged"):
            sk.asarray(ragged, device=device)
    endless = []
    endless.append(endless)
    with pytest.raises(ValueError, match="64"):
        sk.asarray(endless)
