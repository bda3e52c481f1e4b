# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""take, take_along_axis, nonzero and repeat by an array against NumPy; indices out of bounds on every device."""

import os
import subprocess
import sys

import numpy as np
import pytest
import skerry as sk
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.python.loops import loop_over
from tests.python.oracle import (
    BASE_SHAPE,
    DTYPES,
    assert_same,
    layouts_of,
    sample,
    to_device,
    to_numpy,
)

WHERE = ["cpu:0", "cpu:1", "cuda:0"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@pytest.mark.parametrize("device", WHERE)
@loop_over("dtype", DTYPES)
def test_take_of_every_dtype_and_layout(dtype, device):
    x = sample(dtype, BASE_SHAPE, 3)
    rng = np.random.default_rng(4)
    for name, array, want in layouts_of(x, device):
        for axis in range(want.ndim):
            n = want.shape[axis]
            index = rng.integers(-n, n, 2 * n)
            got = sk.take(array, to_device(device, index), axis=axis)
            assert_same(got, np.take(want, index, axis), device, label=name)
            shape = list(want.shape)
            shape[axis] = 5
            index = rng.integers(-n, n, shape)
            got = sk.take_along_axis(array, to_device(device, index), axis=axis)
            assert_same(got, np.take_along_axis(want, index, axis), device, label=name)
        if want.ndim > 0:
            for got, expected in zip(sk.nonzero(array), np.nonzero(want), strict=True):
                assert_same(got, expected, device, dtype="int64", label=name)


@pytest.mark.parametrize("device", WHERE)
@loop_over("dtype", INTEGERS)
def test_take_by_indices_of_every_integer_dtype(dtype, device):
    x = np.arange(10.0)
    index = np.array([3, 0, 9, 9], dtype=dtype)
    array = to_device(device, x)
    assert_same(sk.take(array, to_device(device, index)), x[index], device)
    assert_same(array[to_device(device, index)], x[index], device)
    along = sk.take_along_axis(array, to_device(device, index))
    assert_same(along, x[index], device)
    counts = np.array([1, 0, 2, 3, 0, 0, 1, 1, 5, 0], dtype=dtype)
    assert_same(
        sk.repeat(array, to_device(device, counts)), np.repeat(x, counts.astype(int)), device
    )
    if dtype == "uint64":
        huge = to_device(device, np.array([2**64 - 1], dtype=dtype))
        with pytest.raises(IndexError):
            to_numpy(sk.take(array, huge))


def test_take_keeps_the_shape_of_indices(device):
    x = np.arange(24).reshape(2, 3, 4)
    for index in (np.array(1), np.array([[0, 2], [1, -1]]), np.empty((0, 2), np.int64)):
        got = sk.take(to_device(device, x), to_device(device, index), axis=1)
        assert_same(got, np.take(x, index, 1), device)
    stretched = sk.broadcast_to(to_device(device, np.array([1])), (5,))
    assert_same(sk.take(to_device(device, x), stretched, axis=2), np.take(x, [1] * 5, 2), device)


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_take_along_axis_broadcasts(data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=4))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    n = shape[axis]
    sides = [1 if data.draw(st.booleans()) else side for side in shape]
    other = [1 if data.draw(st.booleans()) else side for side in shape]
    sides[axis], other[axis] = data.draw(st.integers(0, 5)), n
    index = data.draw(hnp.arrays(np.int32, tuple(sides), elements=st.integers(-n, n - 1)))
    x = sample("float32", tuple(other), 1)
    for device in ("cpu:0", "cuda:0"):
        got = sk.take_along_axis(to_device(device, x), to_device(device, index), axis=axis)
        assert_same(got, np.take_along_axis(x, index, axis), device)


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_nonzero_of_any_shape(data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=5, min_side=0, max_side=40))
    shape = shape if np.prod(shape) < 100_000 else shape[:3]
    density = data.draw(st.sampled_from([0.0, 0.02, 0.5, 1.0]))
    x = np.random.default_rng(data.draw(st.integers(0, 99))).random(shape) < density
    for device in ("cpu:0", "cuda:0"):
        got = sk.nonzero(to_device(device, x))
        assert type(got) is tuple
        for actual, want in zip(got, np.nonzero(x), strict=True):
            assert_same(actual, want, device, dtype="int64")


@pytest.mark.parametrize("device", WHERE)
@pytest.mark.parametrize("shape", [(100_003,), (1001, 100), (40_000, 3), (2, 70_000), (33, 34, 35)])
def test_nonzero_of_large_arrays(shape, device):
    x = np.random.default_rng(1).integers(0, 3, shape).astype(np.float32)
    for actual, want in zip(sk.nonzero(to_device(device, x)), np.nonzero(x), strict=True):
        assert_same(actual, want, device, dtype="int64")


def test_nonzero_of_nan_and_negative_zero(device):
    x = to_device(device, np.array([0.0, -0.0, np.nan, 1.0]))
    assert to_numpy(sk.nonzero(x)[0]).tolist() == [2, 3]
    (index,) = sk.nonzero(to_device(device, np.array([0j, 1j, complex(0, np.nan)])))
    assert to_numpy(index).tolist() == [1, 2]


@pytest.mark.parametrize("device", WHERE)
def test_repeat_by_an_array(device):
    x = np.arange(24).reshape(4, 6)
    array = to_device(device, x)
    rng = np.random.default_rng(2)
    for axis in (None, 0, 1, -1):
        counts = rng.integers(0, 4, x.size if axis is None else x.shape[axis])
        assert_same(
            sk.repeat(array, to_device(device, counts), axis=axis),
            np.repeat(x, counts, axis),
            device,
        )
        one = np.array([3], dtype=np.int8)
        assert_same(
            sk.repeat(array, to_device(device, one), axis=axis), np.repeat(x, one, axis), device
        )
        assert_same(
            sk.repeat(array.T, to_device(device, one), axis=axis), np.repeat(x.T, 3, axis), device
        )
    nothing = sk.empty((0,), dtype=sk.int64, device=device)
    assert sk.repeat(array[:0], nothing, axis=0).shape == (0, 6)
    long_counts = rng.integers(0, 5, 50_000)
    values = np.arange(50_000)
    assert_same(
        sk.repeat(to_device(device, values), to_device(device, long_counts)),
        np.repeat(values, long_counts),
        device,
    )


def test_take_and_assignment_with_several_threads():
    x = np.random.default_rng(3).random((3000, 70), dtype=np.float32)
    array = sk.asarray(x, device="cpu:0", copy=True)
    index = np.random.default_rng(4).integers(-3000, 3000, 10_000)
    assert_same(sk.take(array, sk.asarray(index), axis=0), x[index], "cpu:0")
    assert_same(sk.take(array.T, sk.asarray(index), axis=1), x.T[:, index], "cpu:0")
    target, want = sk.asarray(x, copy=True), x.copy()
    values = np.random.default_rng(5).random((10_000, 70), dtype=np.float32)
    target[sk.asarray(index)] = sk.asarray(values)
    want[index] = values
    assert_same(target, want, "cpu:0")
    sideways = sk.asarray(np.ascontiguousarray(x.T))
    sideways[:, sk.asarray(index)] = sk.asarray(values).T
    assert_same(sideways, want.T, "cpu:0")


OUT_OF_BOUNDS = {
    "take": lambda x, i: sk.take(x, i, axis=0),
    "take_along_axis": lambda x, i: sk.take_along_axis(x, sk.reshape(i, (-1, 1)), axis=0),
    "__getitem__": lambda x, i: x[i],
    "two arrays": lambda x, i: x[i, i * 0],
    "no elements": lambda x, i: x[:, :0][i],
}


@pytest.mark.parametrize("name", OUT_OF_BOUNDS)
@pytest.mark.parametrize("bad", [3, -4, 2**40, -(2**63)])
def test_index_out_of_bounds_raises_and_changes_nothing(name, bad, device):
    values = np.arange(12.0).reshape(3, 4)
    x = to_device(device, values)
    index = to_device(device, np.array([0, 2, bad, 1]))
    if device.startswith("cpu"):
        with pytest.raises(IndexError, match=rf"index {bad} .*axis 0 has size 3"):
            OUT_OF_BOUNDS[name](x, index)
    else:
        result = OUT_OF_BOUNDS[name](x, index)
        with pytest.raises(IndexError, match=rf"index {bad} .*axis 0 has size 3"):
            sk.synchronize(device)
        del result
    sk.synchronize(device)  # raised once
    assert np.array_equal(to_numpy(x + 1.0), values + 1.0)


def test_one_of_several_index_arrays_out_of_bounds(cuda_device):
    values = np.arange(60.0).reshape(3, 4, 5)
    for dtype in ("int8", "float16", "float32", "float64", "complex128"):
        x = to_device(cuda_device, values.astype(dtype))
        index = to_device(cuda_device, np.array([0, 9, 2]))
        rows = x[index, index * 0]
        with pytest.raises(IndexError, match=r"index 9 .*axis 0 has size 3"):
            sk.synchronize(cuda_device)
        # Index 0 replaces the invalid one.
        assert np.array_equal(to_numpy(rows), values[[0, 0, 2], [0, 0, 0]].astype(dtype))


def test_assignment_out_of_bounds_changes_nothing_on_a_cpu_device():
    for device in ("cpu:0", "cpu:1"):
        x = sk.zeros((3,), device=device)
        index = sk.asarray([0, 1, 5], device=device)
        with pytest.raises(IndexError, match=r"__setitem__: index 5 .*axis 0 has size 3"):
            x[index] = 1.0
        assert to_numpy(x).tolist() == [0, 0, 0]


def test_assignment_out_of_bounds_on_a_cuda_device(cuda_device):
    x = sk.zeros((3,), device=cuda_device)
    index = sk.asarray([0, 1, 5], device=cuda_device)
    x[index] = 1.0
    with pytest.raises(IndexError, match=r"__setitem__: index 5 .*axis 0 has size 3"):
        to_numpy(x)
    assert to_numpy(x).tolist() == [1, 1, 0]


@pytest.mark.one_stream("a wait for another stream may end before the failing kernel starts")
def test_deferred_index_error_is_raised_by_any_wait(cuda_device):
    x = sk.ones((3,), device=cuda_device)
    index = sk.asarray([9], device=cuda_device)
    waits = [
        lambda: sk.synchronize(cuda_device),
        lambda: float(x[0]),
        lambda: to_numpy(x),
        lambda: repr(x),
        lambda: sk.nonzero(x),
    ]
    for wait in waits:
        sk.take(x, index)
        with pytest.raises(IndexError, match="take: index 9"):
            wait()
        wait()


def test_deferred_index_error_is_not_raised_on_another_device():
    x = sk.ones((3,), device="cuda:0")
    sk.take(x, sk.asarray([9], device="cuda:0"))
    sk.synchronize("cuda:1")
    with pytest.raises(IndexError):
        sk.synchronize("cuda:0")


def test_deferred_index_error_after_many_calls(cuda_device):
    x = sk.ones((3,), device=cuda_device)
    good = sk.asarray([1], device=cuda_device)
    for _ in range(3000):
        sk.take(x, good)
    sk.take(x, sk.asarray([3], device=cuda_device))
    with pytest.raises(IndexError):
        sk.synchronize(cuda_device)


def test_index_errors_are_immediate_with_skerry_sync():
    code = """
import skerry as sk
x = sk.ones((3,), device="cuda:0")
index = sk.asarray([7], device="cuda:0")
try:
    sk.take(x, index)
except IndexError as error:
    assert "take: index 7" in str(error), error
else:
    raise SystemExit("no error")
assert float(sk.sum(x)) == 3.0
"""
    environment = {**os.environ, "SKERRY_SYNC": "1"}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, timeout=120)


CASES = {
    "take_float": (lambda x, a: sk.take(x, a([0.0]), axis=0), TypeError, ["float64"]),
    "take_bool": (lambda x, a: sk.take(x, a([True]), axis=0), TypeError, ["bool"]),
    "take_true": (lambda x, a: sk.take(x, True, axis=0), TypeError, ["bool"]),
    "take_numpy_true": (lambda x, a: sk.take(x, np.True_, axis=0), TypeError, ["bool"]),
    "take_list_of_bools": (lambda x, a: x.take([True], axis=0), TypeError, ["bool"]),
    "take_method_true": (lambda x, a: x.take(False), TypeError, ["bool"]),
    "take_list_of_floats": (lambda x, a: sk.take(x, [0.0], axis=0), TypeError, ["float64"]),
    "take_mode": (lambda x, a: sk.take(x, a([0]), mode="none"), ValueError, ["'wrap'", "'none'"]),
    "take_no_index": (lambda x, a: sk.take(x, 1.5), TypeError, ["indices"]),
    "take_axis": (lambda x, a: sk.take(x, a([0]), axis=2), IndexError, ["2"]),
    "take_empty": (lambda x, a: sk.take(x[:0], a([0]), axis=0), IndexError, ["size 0"]),
    "along_rank": (lambda x, a: sk.take_along_axis(x, a([0])), ValueError, ["(1,)"]),
    "along_shape": (lambda x, a: sk.take_along_axis(x, a([[0]] * 2)), ValueError, ["2"]),
    "along_axis": (lambda x, a: sk.take_along_axis(x, a([[0]]), axis=-3), ValueError, ["-3"]),
    "along_float": (lambda x, a: sk.take_along_axis(x, a([[0.0]])), TypeError, []),
    "nonzero_0d": (lambda x, a: sk.nonzero(x[0, 0]), ValueError, ["0-d"]),
    "repeat_count": (lambda x, a: sk.repeat(x, a([1, 2]), axis=0), ValueError, ["(2,)", "3"]),
    "repeat_rank": (lambda x, a: sk.repeat(x, a([[1]] * 3), axis=0), ValueError, ["(3, 1)"]),
    "repeat_float": (lambda x, a: sk.repeat(x, a([1.0]), axis=0), TypeError, ["float64"]),
    "repeat_negative": (lambda x, a: sk.repeat(x, a([1, -2, 1]), axis=0), ValueError, ["-2"]),
    "repeat_negative_one": (lambda x, a: sk.repeat(x, a([-2])), ValueError, ["-2"]),
    "repeat_huge": (lambda x, a: sk.repeat(x, a([2**62] * 3), axis=0), ValueError, []),
}


@pytest.mark.parametrize("name", CASES)
def test_invalid_take_and_repeat_arguments_raise(name, device):
    call, error, words = CASES[name]
    values = np.arange(12.0).reshape(3, 4)
    x = to_device(device, values)
    with pytest.raises(error) as caught:
        call(x, lambda part: to_device(device, np.asarray(part)))
    for word in words:
        assert word in str(caught.value), str(caught.value)
    assert np.array_equal(to_numpy(x), values)


@loop_over("dtype", DTYPES)
def test_take_in_cache_and_out_of_cache(dtype, device):
    """Indices count from the start and from the end."""
    rng = np.random.default_rng(5)
    for n in (1, 100, 70_000):
        host = sample(dtype, n)
        x = to_device(device, host)
        for low in (0, -n):
            indices = rng.integers(low, n, 1000)
            for host_indices in (indices, indices[::-3]):
                device_indices = to_device(device, indices)[
                    :: -3 if len(host_indices) < len(indices) else 1
                ]
                assert_same(
                    sk.take(x, device_indices), host[host_indices], device, label=f"{n}, from {low}"
                )
        for bad in (n, -n - 1):
            indices[500] = bad
            with pytest.raises(IndexError, match=str(bad)):
                to_numpy(sk.take(x, to_device(device, indices)))
