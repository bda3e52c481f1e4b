# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Integer arrays, masks and bools as indices, for reading and assignment, against NumPy."""

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
from tests.python.session import HAS_GPU

WHERE = ["cpu:0", "cpu:1", "cuda:0"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def moved(key, device):
    """Returns the key with its NumPy arrays on a device."""
    if isinstance(key, tuple):
        return tuple(moved(part, device) for part in key)
    return to_device(device, key) if isinstance(key, np.ndarray) else key


@st.composite
def keys(draw, shape):
    """Draws a key of ints, slices, None, one ellipsis, index arrays, masks and bools that fits the shape."""
    parts, axis, seen_ellipsis = [], 0, False
    common = draw(hnp.array_shapes(min_dims=1, max_dims=2, min_side=1, max_side=3))
    while axis < len(shape):
        n = shape[axis]
        kinds = ["slice", "new", "array", "mask", "bool", "stop"]
        if n > 0:
            kinds.append("int")
        if not seen_ellipsis:
            kinds.append("ellipsis")
        kind = draw(st.sampled_from(kinds))
        if kind == "stop":
            break
        if kind == "slice":
            parts.append(draw(st.slices(n)))
            axis += 1
        elif kind == "new":
            parts.append(None)
        elif kind == "int":
            parts.append(draw(st.integers(-n, n - 1)))
            axis += 1
        elif kind == "ellipsis":
            seen_ellipsis = True
            parts.append(...)
            axis += draw(st.integers(0, len(shape) - axis))
        elif kind == "bool":
            parts.append(draw(st.sampled_from([True, np.asarray(True)])))
        elif kind == "array":
            index_shape = [draw(st.sampled_from([1, side])) for side in common]
            index_shape = (
                index_shape[draw(st.integers(0, len(index_shape) - 1)) :] if n > 0 else [0]
            )
            dtype = draw(st.sampled_from(INTEGERS))
            low = 0 if dtype.startswith("u") else -n
            values = draw(
                hnp.arrays(dtype, tuple(index_shape), elements=st.integers(low, max(n - 1, low)))
            )
            parts.append(values)
            axis += 1
        else:
            rank = draw(st.integers(1, len(shape) - axis))
            parts.append(draw(hnp.arrays(bool, tuple(shape[axis : axis + rank]))))
            axis += rank
    return tuple(parts) if len(parts) != 1 or draw(st.booleans()) else parts[0]


@settings(max_examples=1500, deadline=None)
@given(data=st.data())
def test_indexing_by_any_key_equals_numpy(data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=4))
    key = data.draw(keys(shape))
    values = np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape)
    try:
        want = values[key]
    except IndexError:
        for device in ("cpu:1", "cuda:0"):
            array = to_device(device, values)
            with pytest.raises(IndexError):
                # A CUDA device raises at a synchronization.
                sk.synchronize(device if array[moved(key, device)] is not None else None)
        return
    for device in ("cpu:1", "cuda:0"):
        assert_same(to_device(device, values)[moved(key, device)], want, device)
        reverse = tuple(reversed(range(len(shape))))
        transposed_array = sk.permute_dims(
            to_device(device, np.asarray(values.T, order="C")), reverse
        )
        assert_same(transposed_array[moved(key, device)], want, device)


@settings(max_examples=1000, deadline=None)
@given(data=st.data())
def test_assignment_by_any_key_equals_numpy(data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=4))
    key = data.draw(keys(shape))
    start = np.zeros(shape)
    try:
        selected_shape = start[key].shape
    except IndexError:
        return
    cut = data.draw(st.integers(0, len(selected_shape)))
    sides = [1 if data.draw(st.booleans()) else n for n in selected_shape[cut:]]
    new = np.arange(float(np.prod(sides))).reshape(sides) + 1
    # An element that is assigned twice has the last value on a CPU device, and either value on a GPU.
    times = np.zeros(shape, int)
    np.add.at(times, key, 1)
    for device in ("cpu:0", "cuda:1"):
        array, want = to_device(device, start), start.copy()
        array[moved(key, device)] = to_device(device, new)
        want[key] = new
        if HAS_GPU and device == "cuda:1":
            got = to_numpy(array)
            assert set(got[times > 1]) <= set(new.reshape(-1))
            want[times > 1] = got[times > 1]
        assert_same(array, want, device)
        array[moved(key, device)] = 0.5
        want[key] = 0.5
        assert_same(array, want, device)


@pytest.mark.parametrize("device", WHERE)
@loop_over("dtype", DTYPES)
def test_advanced_indexing_of_every_dtype_and_layout(dtype, device):
    x = sample(dtype, BASE_SHAPE, 5)
    for name, array, want in layouts_of(x, device):
        if want.ndim < 2:
            continue
        mask = sample("bool", want.shape, 6)
        rows = np.array([0, -1, 0])
        columns = np.array([[0], [-1]])
        for key in (mask, mask[:, 0], (slice(None), mask[0]), rows, (rows, columns), (..., rows)):
            assert_same(array[moved(key, device)], want[key], device, label=name)
        if name == "broadcast":
            continue
        for key in (mask, mask[:, 0], rows[:2], (slice(None), rows[:2] * 0)):
            fresh, changed = to_device(device, want), want.copy()
            fresh[moved(key, device)] = to_device(device, np.asarray(want[0, 0]))
            changed[key] = want[0, 0]
            assert_same(fresh, changed, device, label=name)


@pytest.mark.parametrize("device", WHERE)
@loop_over("dtype", ["bool", "int16", "float32", "float64", "complex128"])
@loop_over("size", [1, 31, 32, 33, 64, 95, 32767, 32768, 32800, 100_003])
def test_masks_of_any_density(size, dtype, device):
    x = sample(dtype, (size,), 1)
    array = to_device(device, x)
    rng = np.random.default_rng(size)
    for density in (0.0, 0.01, 0.5, 0.99, 1.0):
        mask = rng.random(size) < density
        got = array[to_device(device, mask)]
        assert_same(got, x[mask], device)
        target, want = to_device(device, x), x.copy()
        target[to_device(device, mask)] = got[::-1]
        want[mask] = x[mask][::-1]
        assert_same(target, want, device)


def test_nonzero_bytes_of_an_imported_mask_are_true():
    raw = np.array([0, 1, 2, 255, 0, 128] * 20, dtype=np.uint8)
    mask = sk.asarray(raw.view(bool), device="cpu:0", copy=False)
    x = np.arange(120)
    assert_same(sk.asarray(x, device="cpu:0")[mask], x[raw != 0], "cpu:0")
    assert_same(sk.nonzero(mask)[0], np.nonzero(raw)[0], "cpu:0")


def test_advanced_indexing_copies(device):
    x = to_device(device, np.arange(6.0))
    index = to_device(device, np.array([0, 1]))
    for fresh in (x[index], x[x >= 0], x[True]):
        sk.reshape(fresh, (-1,), copy=False)[0] = 9.0
        assert float(x[0]) == 0.0


def test_masks_with_empty_axes(device):
    x = to_device(device, np.ones((3, 4)))
    for shape in [(0, 4), (3, 0), (0, 0)]:
        mask = sk.empty(shape, dtype=sk.bool, device=device)
        assert x[mask].shape == (0,)
        x[mask] = 5.0
    short = sk.empty((0,), dtype=sk.bool, device=device)
    assert x[short].shape == (0, 4)
    assert x[:, short].shape == (3, 0)
    assert_same(x, np.ones((3, 4)), device)
    empty = sk.empty((0, 4), device=device)
    assert empty[sk.empty((0, 4), dtype=sk.bool, device=device)].shape == (0,)


def test_0d_masks_and_bools_as_indices(device):
    values = np.arange(6.0).reshape(2, 3)
    x = to_device(device, values)
    for flag in (True, False):
        zero_d = to_device(device, np.asarray(flag))
        assert_same(x[zero_d], values[flag], device)
        assert_same(x[flag], values[flag], device)
        assert_same(x[0, flag], values[0, flag], device)
        assert_same(x[x[0, 0] == (0.0 if flag else 1.0)], values[flag], device)
    scalar = to_device(device, np.asarray(3.0))
    assert_same(scalar[sk.asarray(True, device=device)], np.asarray([3.0]), device)
    scalar[scalar > 5] = 7.0
    assert float(scalar) == 3.0
    scalar[scalar < 5] = 7.0
    assert float(scalar) == 7.0


def test_assignment_keeps_the_last_value_on_a_cpu_device():
    rng = np.random.default_rng(0)
    index = rng.integers(0, 1000, 200_000)
    values = np.arange(200_000)
    want = np.zeros(1000, dtype=np.int64)
    for i, value in zip(index, values, strict=True):
        want[i] = value
    x = sk.zeros((1000,), dtype=sk.int64, device="cpu:0")
    x[sk.asarray(index, device="cpu:0")] = sk.asarray(values, device="cpu:0")
    assert_same(x, want, "cpu:0")
    rows = sk.zeros((1000, 3), dtype=sk.int64, device="cpu:0")
    rows[sk.asarray(index, device="cpu:0")] = sk.asarray(values[:, None], device="cpu:0")
    assert_same(rows, np.repeat(want[:, None], 3, 1), "cpu:0")


@pytest.mark.parametrize("device", WHERE)
def test_assignment_with_operands_that_share_memory(device):
    values = np.arange(10)
    index, mask = np.array([1, 2, 3, 4]), values % 2 == 0

    def check(change):
        array, want = to_device(device, values), values.copy()
        change(array, lambda part: to_device(device, part))
        change(want, lambda part: part)
        assert_same(array, want, device)

    check(lambda x, put: x.__setitem__(put(index), x[:4]))
    check(lambda x, put: x.__setitem__(put(mask), x[5:]))
    check(lambda x, put: x.__setitem__(put(mask), x[3]))
    check(lambda x, put: x.__setitem__(x[::-1], x))
    flags = to_device(device, np.array([True, False, True, False]))
    flags[flags] = False
    assert to_numpy(flags).tolist() == [False] * 4
    flags = to_device(device, np.array([True, False, True, True]))
    flags[:3][flags[1:]] = False
    assert to_numpy(flags).tolist() == [True, False, False, True]


@pytest.mark.parametrize("device", WHERE)
def test_assigned_values_are_promoted_and_broadcast(device):
    x = to_device(device, np.zeros((3, 4)))
    index = to_device(device, np.array([0, 2]))
    x[index] = to_device(device, np.arange(4, dtype=np.float32))
    x[index, 0] = 7
    want = np.zeros((3, 4))
    want[[0, 2]] = np.arange(4)
    want[[0, 2], 0] = 7
    assert_same(x, want, device)
    mask = to_device(device, np.array([True, False, True]))
    for value in (
        to_device(device, np.ones((1, 4), np.float32)),
        to_device(device, np.ones((2, 1))),
        1.0,
    ):
        x[mask] = value
        want[[0, 2]] = 1
        assert_same(x, want, device)


def test_advanced_indexing_of_many_axes(device):
    shape = (2,) * 12
    values = np.arange(2**12).reshape(shape)
    x = to_device(device, values)
    transposed_array = sk.permute_dims(x, tuple(reversed(range(12))))
    index = np.array([1, 0, 1])
    device_index = to_device(device, index)
    key, my_key = (slice(None),) * 5 + (index,), (slice(None),) * 5 + (device_index,)
    assert_same(transposed_array[my_key], values.T[key], device)
    transposed_array[my_key] = 5
    want = values.copy()
    want.T[key] = 5
    assert_same(x, want, device)
    deep = sk.reshape(to_device(device, np.arange(6)), (2, *(1,) * 62, 3))
    mask = sk.reshape(to_device(device, np.arange(6) % 2 == 0), deep.shape)
    assert_same(deep[mask], np.array([0, 2, 4]), device)
    assert deep[(device_index[:2] * 0,) * 64].shape == (2,)
    with pytest.raises(ValueError, match="64"):
        deep[to_device(device, np.array([[0]]))]


CASES = {
    "float_index": (lambda x, a: x[a([0.0])], IndexError, ["float64"]),
    "too_many": (lambda x, a: x[a([0]), a([0]), a([0])], IndexError, ["3"]),
    "mask_too_many": (lambda x, a: x[a([True] * 3), a([[True] * 4])], IndexError, ["too many"]),
    "two_ellipses": (lambda x, a: x[..., a([0]), ...], IndexError, ["..."]),
    "mask_shape": (lambda x, a: x[a([True, False])], IndexError, ["2", "3"]),
    "mask_shape_2d": (lambda x, a: x[a([[True] * 3] * 3)], IndexError, ["3", "4"]),
    "no_broadcast": (lambda x, a: x[a([0, 1, 2]), a([0, 1])], IndexError, ["(3,)", "(2,)"]),
    "int_with_array": (lambda x, a: x[3, a([0])], IndexError, ["3"]),
    "list_of_floats": (lambda x, a: x[[0.0]], IndexError, ["float64"]),
    "ragged_list": (lambda x, a: x[[[0], [0, 1]]], ValueError, []),
    "empty_axis": (lambda x, a: x[:0][a([0])], IndexError, ["size 0"]),
    "set_float_index": (lambda x, a: x.__setitem__(a([0.0]), 1.0), IndexError, []),
    "set_mask_shape": (lambda x, a: x.__setitem__(a([True, False]), 1.0), IndexError, []),
    "set_complex": (lambda x, a: x.__setitem__(a([0]), 1j), TypeError, []),
    "set_mask_complex": (lambda x, a: x.__setitem__(x > 0, 1j), TypeError, []),
    "set_wider": (lambda x, a: x.__setitem__(a([0]), a([1j])), TypeError, ["complex128"]),
    "set_shape": (lambda x, a: x.__setitem__(a([0, 1]), a([1.0, 2.0, 3.0])), ValueError, []),
    "set_mask_count": (lambda x, a: x.__setitem__(x > 5, a([1.0, 2.0])), ValueError, ["(2,)"]),
    "set_mask_row": (
        lambda x, a: x.__setitem__(a([True, False, True]), a([1.0, 2.0, 3.0])),
        ValueError,
        ["(3,)"],
    ),
    "set_list_of_a_higher_kind": (
        lambda x, a: x.__setitem__(a([0]), [1j]),
        TypeError,
        ["cannot be assigned", "astype"],
    ),
    "set_list_of_another_shape": (lambda x, a: x.__setitem__(0, [1.0, 2.0]), ValueError, []),
    "set_ragged_list": (lambda x, a: x.__setitem__(0, [[1.0], [2.0, 3.0]]), ValueError, []),
    "set_read_only": (
        lambda x, a: sk.broadcast_to(x, (2, 3, 4)).__setitem__(a([0]), 1.0),
        ValueError,
        ["read-only"],
    ),
    "delete": (lambda x, a: x.__delitem__(a([0])), TypeError, []),
}


@pytest.mark.parametrize("name", CASES)
def test_invalid_indices_raise(name, device):
    call, error, words = CASES[name]
    values = np.arange(12.0).reshape(3, 4)
    x = to_device(device, values)
    with pytest.raises(error) as caught:
        call(x, lambda part: to_device(device, np.asarray(part)))
    for word in words:
        assert word in str(caught.value), str(caught.value)
    assert np.array_equal(to_numpy(x), values)


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex64", "int16", "uint8"])
def test_lists_are_assigned_on_the_device_and_in_the_dtype_of_the_array(dtype, device):
    host = np.arange(12).reshape(3, 4).astype(dtype)
    x = to_device(device, host)
    for key, value in (
        (0, [1, 2, 3, 4]),
        ((slice(None), [0, 2]), [[5, 6], (7, 8), [9, 10]]),
        (([2, 0], 1), (11, 12)),
        (x[:, 0] != 0, [[1], [2]]),
        ((slice(None), slice(4, None)), []),
    ):
        x[key] = value
        host[to_numpy(key) if isinstance(key, sk.Array) else key] = value
        assert np.array_equal(to_numpy(x), host), key
    one = sk.asarray(7, dtype=dtype, device=device)
    x[0, :2] = [one, one]
    assert x[0, :2].tolist() == [7, 7]
    elsewhere = sk.asarray(7, device="cpu:1" if device != "cpu:1" else "cuda:0")
    with pytest.raises(ValueError, match="different devices"):
        x[0, :2] = [elsewhere, elsewhere]
    if dtype == "uint8":
        with pytest.raises(OverflowError):
            x[0, :2] = [1, 300]
        with pytest.raises(TypeError, match=r"values cannot be assigned to .*astype"):
            x[0, :2] = [1.5, 2]
    assert x[0, :2].tolist() == [7, 7]
