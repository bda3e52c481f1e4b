# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Attributes and methods of NumPy's arrays that the standard lacks: flags, flat, base, data, partition and others."""

import gc
import weakref

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import DeviceMismatchError, ReadOnlyError

from tests.python.oracle import (
    BASE_SHAPE,
    DTYPES,
    assert_same,
    layouts_of,
    sample,
    to_device,
    to_numpy,
)


def test_flags_describe_the_layout(device):
    host = sample("float64", BASE_SHAPE)
    for name, x, want in layouts_of(host, device):
        if name == "broadcast":  # its strides are another library's choice
            assert not x.flags.writeable
            continue
        for flag in (
            "C_CONTIGUOUS",
            "F_CONTIGUOUS",
            "WRITEABLE",
            "ALIGNED",
            "FORC",
            "FNC",
            "CARRAY",
        ):
            if (
                x.strides == want.strides and want.ndim
            ):  # NumPy's element is a scalar without memory
                assert x.flags[flag] == want.flags[flag], (name, flag)
        assert x.flags.c_contiguous == x.flags["C"] == x.flags.contiguous
        assert x.flags.owndata == (x.base is None)
    assert sk.zeros((0, 3), device=device).flags.forc
    assert sk.zeros((), device=device).flags.f_contiguous


def test_flags_are_listed_compared_and_shown():
    x = sk.zeros((2, 3))
    assert repr(x.flags) == repr(np.zeros((2, 3)).flags)
    assert x.flags.num == np.zeros((2, 3)).flags.num
    assert x.flags == sk.ones((4, 5)).flags
    assert x.flags != x.T.flags
    assert len({x.flags, sk.ones((4, 5)).flags}) == 1
    assert not x.flags.writebackifcopy
    with pytest.raises(KeyError, match="flags: unknown flag 'Q'"):
        x.flags["Q"]
    with pytest.raises(ValueError, match="flags: ALIGNED can't be set, only WRITEABLE"):
        x.flags["ALIGNED"] = False
    with pytest.raises(AttributeError):
        x.flags.c_contiguous = False


def test_arrays_become_read_only_and_writable(device):
    x = sk.zeros((2, 3), device=device)
    view = x[0]
    x.flags.writeable = False
    with pytest.raises(ReadOnlyError):
        x[0, 0] = 1
    with pytest.raises(ReadOnlyError):
        x += 1
    view[0] = 1  # an array of its own
    assert not x[1].flags.writeable
    x.flags["WRITEABLE"] = True
    x[1, 1] = 2
    assert_same(x, np.array([[1.0, 0, 0], [0, 2, 0]]), device)
    x.setflags(write=False)
    assert not x.flags.writeable
    x.setflags()
    assert not x.flags.writeable
    x.setflags(True, align=True, uic=False)
    assert x.flags.writeable


def test_flags_that_have_no_counterpart_are_rejected():
    x = sk.zeros((3,))
    for view in (sk.broadcast_to(x, (2, 3)), sk.asarray(np.frombuffer(b"12345678"))):
        with pytest.raises(ValueError, match=r"setflags: .* can't become writable"):
            view.flags.writeable = True
    with pytest.raises(ValueError, match="setflags: align=False"):
        x.setflags(align=False)
    with pytest.raises(ValueError, match="setflags: uic=True"):
        x.setflags(uic=True)


def test_setflags_keeps_memory_of_another_library_alive():
    host = np.arange(3.0)
    gone = weakref.ref(host)
    x = sk.asarray(host)
    x.setflags(write=False)
    x.setflags(write=True)
    del host
    gc.collect()
    assert gone() is not None
    assert x.tolist() == [0, 1, 2]
    del x
    gc.collect()
    assert gone() is None


KEYS = [
    0,
    5,
    -1,
    slice(None),
    slice(1, 9, 3),
    slice(None, None, -2),
    slice(4, 4),
    ...,
    [0, 3, 3],
    np.int64(2),
]


@pytest.mark.parametrize("dtype", ["float32", "int8", "complex128", "bool"])
def test_flat_reads_elements_in_c_order(dtype, device):
    host = sample(dtype, BASE_SHAPE)
    for name, x, want in layouts_of(host, device):
        assert len(x.flat) == want.size
        assert x.flat.base is x
        if want.size == 0:
            assert list(x.flat) == []
            continue
        for key in KEYS if want.ndim else [0, -1, ..., slice(None)]:
            assert_same(x.flat[key], want.flat[key], device, label=f"{name} {key}")
        assert_same(x.flat.copy(), want.flat.copy(), device, label=name)
        if device == "cpu:0":
            assert [v.item() for v in x.flat] == [v.item() for v in want.flat], name
            assert np.array_equal(np.asarray(x.flat), np.asarray(want.flat)), name


@pytest.mark.parametrize(
    "key", [0, -1, slice(None), slice(1, 20, 3), slice(None, None, -2), ..., [0, 7, 3]], ids=str
)
@pytest.mark.parametrize("values", [5, [1, 2], list(range(50)), np.float32(3), "array"], ids=str)
def test_flat_assigns_in_c_order(key, values, device):
    host = sample("float32", BASE_SHAPE)
    array_values = np.arange(4, dtype="float32")
    for name, x, _ in layouts_of(host, device):
        if not x.flags.writeable or x.size < 21:
            continue
        want = to_numpy(x).copy()
        host_values = array_values if isinstance(values, str) else values
        assigned = to_device(device, array_values) if isinstance(values, str) else values
        if isinstance(key, int) and np.size(host_values) > 1:
            with pytest.raises(ValueError, match="flat: one value is needed, not"):
                x.flat[key] = assigned
            continue
        want.flat[key] = host_values
        x.flat[key] = assigned
        assert_same(x, want, device, label=name)


def test_flat_assigns_by_masks_and_as_an_attribute(device):
    host = sample("float64", (4, 5))
    x, transposed = to_device(device, host), to_device(device, host).T
    mask = host.ravel() > 0
    for array, want in ((x, host.copy()), (transposed, host.T.copy())):
        array.flat[to_device(device, mask)] = [1, 2, 3]
        want.flat[mask] = [1, 2, 3]
        assert_same(array, want, device)
        array.flat = [7, 8]
        want.flat = [7, 8]
        assert_same(array, want, device)


def test_flat_is_an_iterator(device):
    host = np.arange(6).reshape(2, 3)
    x = to_device(device, host).T
    items, expected = x.flat, host.T.flat
    for _ in range(3):
        assert (items.index, items.coords) == (expected.index, expected.coords)
        assert next(items).item() == next(expected)
    assert [v.item() for v in items] == [v.item() for v in expected]
    assert_same(x.flat > 2, np.asarray(host.T.flat) > 2, device)
    assert_same(x.flat == x.flat, np.ones(6, bool), device)
    assert_same(sk.asarray(x.flat, device=device), np.asarray(host.T.flat), device)


def test_wrong_keys_and_values_of_flat(device):
    x = sk.zeros((2, 3), device=device)
    other = sk.ones((6,), device="cuda:1" if device == "cuda:0" else "cuda:0")
    for key in (6, -7):
        with pytest.raises(IndexError, match=f"flat: index {key} is out of bounds for 6 elements"):
            x.flat[key]
        with pytest.raises(IndexError, match=f"flat: index {key} is out of bounds for 6 elements"):
            x.flat[key] = 1
    with pytest.raises(ValueError, match="flat: no values to assign"):
        x.flat[:] = []
    for key, values in ((slice(None), other), (0, other[:1]), ([0, 1], other)):
        with pytest.raises(DeviceMismatchError):
            x.flat[key] = values
    with pytest.raises(TypeError, match="flat: the attribute can't be deleted"):
        del x.flat
    x.setflags(write=False)
    with pytest.raises(ReadOnlyError):
        x.flat[:] = 1
    assert not to_numpy(x).any()


def test_base_is_the_whole_memory(device):
    x = sk.arange(12, device=device)
    assert x.base is None
    assert x.reshape(3, 4).base is None
    for view in (x[3:5], x.reshape(3, 4)[::2], x[:0]):
        assert_same(view.base, np.arange(12), device)
        assert view.base.base is None
        view.base[11] = 11
    assert_same(sk.broadcast_to(x, (2, 12)).base, to_numpy(x), device)
    assert_same(sk.broadcast_to(x[:1], (12,)).base, to_numpy(x), device)
    assert sk.zeros((0,), device=device).base is None
    assert x[1:].view("uint8").base.dtype == np.dtype("uint8")


def test_data_has_the_address(device):
    x = sk.arange(12, device=device)
    assert x.data.ptr % 8 == 0
    assert x[2:].data.ptr == x.data.ptr + 16
    assert x.reshape(3, 4).data.ptr == x.data.ptr
    assert (x.data.device, x[2:].data.nbytes) == (x.device, 80)
    assert sk.zeros((0,), device=device).data.ptr == 0
    assert repr(x.data) == f"<memory of int64 (12,) on {device}>"
    if device.startswith("cuda"):
        assert x.data.ptr == x.__cuda_array_interface__["data"][0]
        with pytest.raises(BufferError, match="data: an array on cuda"):
            memoryview(x.data)
    else:
        assert x.data.ptr == x.__array_interface__["data"][0]


# The buffer protocol has no format for bfloat16.
@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "bfloat16"])
def test_data_is_a_buffer_on_the_host(dtype):
    host = sample(dtype, (3, 4))
    x = sk.asarray(host.copy())
    for array, want in (
        (x, host),
        (x.T, host.T),
        (x[::2, 1:], host[::2, 1:]),
        (x[0, 0], host[0, 0, ...]),
    ):
        buffer, expected = memoryview(array.data), memoryview(np.asarray(want))
        assert (buffer.format, buffer.shape, buffer.nbytes) == (
            expected.format,
            expected.shape,
            expected.nbytes,
        )
        assert buffer.tobytes() == expected.tobytes()
    assert bytes(x.data) == host.tobytes()
    memoryview(x.data).cast("B")[:1] = b"\1"
    assert x.tobytes()[:1] == b"\1"
    x.setflags(write=False)
    assert memoryview(x.data).readonly


@pytest.mark.parametrize("dtype", DTYPES)
def test_byteswap_reverses_the_bytes_of_each_element(dtype, device):
    for shape in ((3, 4), (), (0, 2)):
        host = sample(dtype, shape)
        x = to_device(device, host)
        want = host.byteswap().tobytes()
        swapped = x.byteswap()
        assert swapped.tobytes() == want
        assert (swapped.shape, swapped.dtype, swapped.device) == (x.shape, x.dtype, x.device)
        assert x.tobytes() == host.tobytes()
        assert x.byteswap(inplace=True) is x
        assert x.tobytes() == want
    transposed = to_device(device, sample(dtype, (3, 4))).T
    assert transposed.byteswap(True).byteswap().tobytes() == sample(dtype, (3, 4)).T.tobytes()


def test_partition_and_argpartition(device):
    host = sample("float64", (4, 9))
    for axis in (0, 1, -1):
        x = to_device(device, host)
        order = to_numpy(x.argpartition(2, axis))
        want = np.sort(host, axis).take(2, axis)
        assert np.array_equal(np.take_along_axis(host, order, axis).take(2, axis), want)
        assert x.partition(2, axis, kind="introselect") is None
        assert_same(x, to_numpy(sk.partition(to_device(device, host), 2, axis)), device)
        assert np.array_equal(to_numpy(x).take(2, axis), want)
    x = to_device(device, host)
    assert x.argpartition((1, 3), None).shape == (36,)
    for method in (x.partition, x.argpartition):
        with pytest.raises(ValueError, match=f"{method.__name__}: order= is for fields"):
            method(1, order="a")
    x.setflags(write=False)
    with pytest.raises(ReadOnlyError):
        x.partition(1)


def test_choose(device):
    host = np.array([[0, 1], [1, 2]])
    choices = [np.full((2, 2), value) for value in (10.0, 20.0, 30.0)]
    x = to_device(device, host)
    arrays = [to_device(device, choice) for choice in choices]
    assert_same(x.choose(arrays), host.choose(choices), device)
    assert_same(
        (x + 5).choose(arrays, mode="wrap"), (host + 5).choose(choices, mode="wrap"), device
    )
    out = sk.zeros((2, 2), device=device)
    assert x.choose(arrays, out) is out
    assert_same(out, host.choose(choices), device)
    with pytest.raises(ValueError, match="choose: out has shape"):
        x.choose(arrays, out=sk.zeros((3,), device=device))


def test_numpy_bools_index_as_those_of_python(device):
    host = np.arange(4.0)
    x = to_device(device, host)
    assert_same(x[np.True_], host[True], device)
    assert_same(x[np.False_], host[False], device)
    assert_same(x[np.True_, 1:], host[True, 1:], device)
    x[np.False_] = 9
    x[np.True_, :2] = 7
    host[True, :2] = 7
    assert_same(x, host, device)


def test_divmod_of_arrays_and_scalars(device):
    for dtype in ("int32", "float64"):
        host = np.arange(1, 7, dtype=dtype)
        x = to_device(device, host)
        for pair, want in (
            (divmod(x, 4), divmod(host, 4)),
            (divmod(7, x), divmod(7, host)),
            (divmod(x, x[::-1]), divmod(host, host[::-1])),
            (divmod(x, np.int64(3)), divmod(host, 3)),
        ):
            assert isinstance(pair, tuple)
            for got, expected in zip(pair, want, strict=True):
                assert_same(got, expected, device)


def test_axis_error_is_also_that_of_numpy():
    with pytest.raises(np.exceptions.AxisError, match="sum: axis 3 is out of bounds"):
        sk.sum(sk.ones((2,)), axis=3)
    with pytest.raises(sk.exceptions.AxisError):
        sk.permute_dims(sk.ones((2,)), (1,))
    assert issubclass(sk.exceptions.AxisError, (ValueError, IndexError))


def test_assigned_values_may_have_leading_axes_of_length_1(device):
    host = np.zeros((3, 4))
    x = to_device(device, host)
    for key, shape in (
        (..., (1, 1, 3, 4)),
        (..., (1, 1, 1)),
        (0, (1, 4)),
        ((0, 0), (1, 1)),
        ([0, 2], (1, 2, 4)),
        (np.ones((3, 4), bool), (1, 12)),
        ((slice(1), [0, 2]), (1, 1, 2)),
    ):
        values = np.arange(np.prod(shape), dtype=float).reshape(shape) + 1
        rank = np.ndim(host[key])
        host[key] = values.reshape(
            values.shape[values.ndim - rank :]
        )  # NumPy rejects some of these
        x[to_device(device, key) if isinstance(key, np.ndarray) else key] = to_device(
            device, values
        )
        assert_same(x, host, device, label=str(key))
    with pytest.raises(ValueError, match=r"does not broadcast to \(3, 4\)"):
        x[...] = sk.ones((2, 3, 4), device=device)
    with pytest.raises(
        ValueError, match=r"does not broadcast to \(2,\)"
    ):  # of several index arrays
        x[[0, 1], [1, 2]] = sk.ones((1, 1), device=device)


def test_transpose_attribute_names_the_functions():
    with pytest.raises(
        ValueError, match=r"T: needs two axes: .*; use x\.transpose\(\), permute_dims or mT"
    ):
        sk.ones((2, 3, 4)).T


def test_iteration_visits_views_along_the_first_axis(device):
    host = sample("float64", BASE_SHAPE)
    for name, x, want in layouts_of(host, device):
        if want.ndim == 0:
            with pytest.raises(TypeError, match="iter: a 0-d array"):
                iter(x)
            continue
        items = iter(x)
        assert items.__length_hint__() == len(want)
        for expected in want:
            assert_same(next(items), expected, device, label=name)
        assert next(items, None) is None
        assert next(items, None) is None
        assert items.__length_hint__() == 0
    x = sk.zeros((3, 2), device=device)
    for row in x:
        row[0] = 1
    assert_same(x, np.array([[1.0, 0]] * 3), device)


def test_an_iterator_keeps_its_array_alive():
    items = iter(sk.asarray(np.arange(3)))
    gc.collect()
    assert [item.item() for item in items] == [0, 1, 2]
    assert list(reversed(sk.arange(3))) is not None


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float32", "complex64"])
def test_in_compares_every_element(dtype, device):
    host = np.asarray([[0, 1, 2], [3, 4, 5]]).astype(dtype)
    for want in (host, host[::-1, ::2], host[0], host[:0], host[1, 1, ...]):
        x = to_device(device, want)
        for value in (0, 1, 3, 7, True, 2.5, np.float32(4), [0, 1, 2], host[1].copy()):
            try:
                expected = value in want
            except ValueError:  # shapes that don't broadcast
                continue
            if isinstance(value, np.ndarray):
                value = to_device(device, value)
            assert (value in x) is expected, (want, value)
    x = to_device(device, host)
    assert ("text" in x, None in x) == (False, False)
    elsewhere = "cuda:1" if device == "cuda:0" else "cuda:0"
    with pytest.raises(DeviceMismatchError):
        _ = sk.asarray(1, device=elsewhere) in x


def test_partition_of_no_elements_takes_any_kth(device):
    host = np.empty((3, 2, 1, 0), dtype="float32")
    x = to_device(device, host)
    for axis in (*range(-4, 4), None):
        assert_same(sk.partition(x, 0, axis=axis), np.partition(host, 0, axis=axis), device)
        assert_same(sk.argpartition(x, 0, axis=axis), np.argpartition(host, 0, axis=axis), device)
