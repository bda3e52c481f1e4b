# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""concat, stack, unstack, tile, roll, repeat and diff against NumPy."""

import itertools

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


@pytest.mark.parametrize("device", WHERE)
@loop_over("dtype", DTYPES)
def test_joining_of_every_dtype_and_layout(dtype, device):
    x = sample(dtype, BASE_SHAPE, 3)
    other = to_device(device, sample(dtype, (2, 3), 4))
    for name, array, want in layouts_of(x, device):
        if want.ndim > 0:
            assert_same(
                sk.concat([array, array], axis=-1), np.concatenate([want, want], -1), device
            )
            assert_same(sk.repeat(array, 3, axis=0), np.repeat(want, 3, axis=0), device)
        flat = np.concatenate([want, to_numpy(other)], axis=None)
        assert_same(sk.concat((array, other), axis=None), flat, device, label=name)
        assert_same(
            sk.stack([array, array], axis=-1), np.stack([want, want], -1), device, label=name
        )
        assert_same(sk.tile(array, (2, 1, 3)), np.tile(want, (2, 1, 3)), device, label=name)
        assert_same(sk.repeat(array, 2), np.repeat(want, 2), device, label=name)
        assert_same(sk.roll(array, 5), np.roll(want, 5), device, label=name)
        axes = tuple(range(want.ndim))
        rolled = np.roll(want, -3, axes) if axes else want
        assert_same(sk.roll(array, -3, axis=axes), rolled, device, label=name)


@pytest.mark.parametrize("device", WHERE)
def test_concat_and_stack_promote(device):
    pairs = [("int8", "uint8"), ("float32", "float64"), ("int32", "int8"), ("float32", "complex64")]
    for a, b in pairs:
        x, y = sample(a, (2, 3)), sample(b, (4, 3))
        want = np.concatenate([x, y])
        assert_same(sk.concat([to_device(device, x), to_device(device, y)]), want, device)
        assert_same(
            sk.stack([to_device(device, x), to_device(device, y[:2])]), np.stack([x, y[:2]]), device
        )


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_concat_and_stack_of_any_shape(data):
    shape = list(data.draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=5)))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    lengths = data.draw(st.lists(st.integers(0, 5), min_size=1, max_size=4))
    parts = []
    for seed, length in enumerate(lengths):
        shape[axis] = length
        parts.append(sample("float32", tuple(shape), seed))
    for device in ("cpu:1", "cuda:0"):
        arrays = [to_device(device, x) for x in parts]
        assert_same(sk.concat(arrays, axis=axis), np.concatenate(parts, axis), device)
        assert_same(sk.concat(arrays, axis=None), np.concatenate(parts, None), device)
        same, mine_same = [parts[0]] * 3, [arrays[0]] * 3
        stack_axis = axis - 1 if axis < 0 else axis
        assert_same(sk.stack(mine_same, axis=stack_axis), np.stack(same, stack_axis), device)
        views = sk.unstack(arrays[0], axis=axis)
        assert type(views) is tuple
        assert len(views) == parts[0].shape[axis]
        for i, view in enumerate(views):
            assert_same(view, np.take(parts[0], i, axis), device)


@pytest.mark.parametrize("device", WHERE)
def test_concat_keeps_the_order_of_axes(device):
    host = sample("float32", (3, 4, 5))
    for axes in itertools.permutations(range(3)):
        array, want = sk.permute_dims(to_device(device, host), axes), np.transpose(host, axes)
        for part in (..., np.s_[:-1, 1:], np.s_[::2, ::-1]):
            for axis in range(3):
                joined = sk.concat([array[part], array[part]], axis=axis)
                expected = np.concatenate([want[part], want[part]], axis)
                assert_same(joined, expected, device)
                assert joined.strides == expected.strides
        mixed = [array, sk.asarray(array, copy=True)[::1]]
        assert_same(sk.concat(mixed), np.concatenate([want, want]), device)


# Functions whose results keep x's order of axes in memory, and whether NumPy's do so too, at least for C and F.
IN_ORDER = {
    "concat with what has no order": (
        lambda xp, x: xp.concat([x[:1], xp.broadcast_to(x[:1, :1], (2, *x.shape[1:])), x[:0], x]),
        False,
    ),
    "cumulative_prod": (lambda xp, x: xp.cumulative_prod(x, axis=0, dtype=x.dtype), True),
    "cumulative_sum": (
        lambda xp, x: xp.cumulative_sum(x, axis=1, dtype=x.dtype, include_initial=True),
        False,
    ),
    "delete": (lambda xp, x: xp.delete(x, 1, axis=1), True),
    "delete some": (lambda xp, x: xp.delete(x, [0, 2], axis=-1), False),
    "fix": (lambda xp, x: xp.fix(x), True),
    "fix of bool": (lambda xp, x: xp.fix(x > 0), True),
    "gradient": (lambda xp, x: xp.gradient(x, axis=-1), False),
    "gradient along the first": (lambda xp, x: xp.gradient(x, axis=0), False),
    "insert": (lambda xp, x: xp.insert(x, 1, 1, axis=0), True),
    "insert at the front": (lambda xp, x: xp.insert(x, 0, 1, axis=2), True),
    "insert behind the first": (lambda xp, x: xp.insert(x, 1, 1, axis=2), True),
    "insert some": (lambda xp, x: xp.insert(x, [0, 1, 1], 1, axis=1), True),
    "pad": (lambda xp, x: xp.pad(x, ((1, 0), (2, 1), (0, 2))), True),
    "pad by the edge": (lambda xp, x: xp.pad(x, 1, mode="edge"), True),
    "repeat": (lambda xp, x: xp.repeat(x, 3, axis=1), False),
    "roll": (lambda xp, x: xp.roll(x, 2, axis=-1), True),
    "roll of four": (lambda xp, x: xp.roll(x, (1, 2, 1, -1), axis=(0, 1, 2, 0)), True),
}


@pytest.mark.parametrize("device", WHERE)
@pytest.mark.parametrize("name", IN_ORDER)
def test_results_keep_the_order_of_axes_of_x(name, device):
    function, is_numpys = IN_ORDER[name]
    host = sample("float32", (5, 6, 7))
    for axes in itertools.permutations(range(3)):
        array, want = sk.permute_dims(to_device(device, host), axes), np.transpose(host, axes)
        for part in (..., np.s_[1:, :-1], np.s_[::-1, ::2]):
            actual, expected = function(sk, array[part]), function(np, want[part])
            assert_same(actual, expected, device)
            by_length = [sorted(range(3), key=x.strides.__getitem__) for x in (array, actual)]
            assert by_length[0] == by_length[1]
            if is_numpys and part is ... and axes in ((0, 1, 2), (2, 1, 0)):
                assert actual.strides == expected.strides


@pytest.mark.parametrize("device", WHERE)
def test_stack_keeps_the_order_of_axes(device):
    """Each array is then copied in one run."""
    host = sample("float32", (3, 4, 5))
    for axes in itertools.islice(itertools.permutations(range(3)), 1, None):
        array, want = sk.permute_dims(to_device(device, host), axes), np.transpose(host, axes)
        for axis in range(4):
            joined = sk.stack([array, array], axis=axis)
            assert_same(joined, np.stack([want, want], axis), device)
            assert sk.unstack(joined, axis=axis)[1].strides == array.strides


@pytest.mark.parametrize("dtype", ["int8", "int16", "float32", "float64", "complex128"])
def test_stack_along_the_last_axis(dtype):
    for size in (1, 5, 4097, 150_001):
        for count in (2, 3, 8, 9):
            parts = [sample(dtype, (size,), seed) for seed in range(count)]
            arrays = [sk.asarray(part, device="cpu:0", copy=True) for part in parts]
            assert_same(sk.stack(arrays, axis=-1), np.stack(parts, -1), "cpu:0")
            parts[1], arrays[1] = parts[1][::-1], arrays[1][::-1]
            assert_same(sk.stack(arrays, axis=-1), np.stack(parts, -1), "cpu:0")


def test_unstack_makes_views(device):
    x = to_device(device, np.arange(6.0).reshape(2, 3))
    first, _ = sk.unstack(x)
    x[0, 1] = 9.0
    assert float(first[1]) == 9.0
    assert sk.unstack(x[:0]) == ()


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_tile_repeat_and_roll_of_any_shape(data):
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
    counts = tuple(data.draw(st.lists(st.integers(0, 3), max_size=5)))
    x = sample("int32", shape, 7)
    shifts = tuple(
        data.draw(st.lists(st.integers(-9, 9), min_size=len(shape), max_size=len(shape)))
    )
    for device in ("cpu:0", "cuda:1"):
        array = to_device(device, x)
        assert_same(sk.tile(array, counts), np.tile(x, counts), device)
        assert_same(sk.roll(array, 2**40 + 3), np.roll(x, 2**40 + 3), device)
        axes = tuple(range(len(shape)))
        want = np.roll(x, shifts, axes) if shape else x
        assert_same(sk.roll(array, shifts, axis=axes), want, device)
        for axis in (None, *range(-len(shape), len(shape))):
            repeats = counts[0] if counts else 2
            assert_same(sk.repeat(array, repeats, axis=axis), np.repeat(x, repeats, axis), device)


def test_roll_pairs_shifts_and_axes(device):
    x = np.arange(60).reshape(3, 4, 5)
    array = to_device(device, x)
    for shift, axis in [(1, (0, 2)), ((1, 2), (0, 2)), ((1, 2), (1, 1)), (-7, 1), ((3, 4), None)]:
        assert_same(sk.roll(array, shift, axis=axis), np.roll(x, shift, axis), device)
    assert_same(sk.roll(array, (), axis=()), x, device)
    reshaped_input = x.reshape(3, 2, 2, 5)
    assert_same(
        sk.roll(to_device(device, reshaped_input), (1, 1, 1, 2), axis=(0, 1, 2, 3)),
        np.roll(reshaped_input, (1, 1, 1, 2), (0, 1, 2, 3)),
        device,
    )


def test_joined_results_do_not_share_memory(device):
    x = to_device(device, np.arange(4.0))
    for fresh in (
        sk.concat([x]),
        sk.roll(x, 0),
        sk.roll(x, 4),
        sk.tile(x, 1),
        sk.tile(x, ()),
        sk.repeat(x, 1),
        sk.diff(x, n=0),
        sk.stack([x])[0, :],
    ):
        fresh[0] = 7.0
        assert float(x[0]) == 0.0


def test_joining_keeps_signed_zeros_and_nan(device):
    x = np.array([-0.0, np.nan, 0.0, -np.inf], dtype=np.float32)
    array = to_device(device, x)
    for got in (sk.concat([array]), sk.stack([array])[0, :], sk.roll(array, 0), sk.tile(array, 1)):
        assert to_numpy(got).tobytes() == x.tobytes()
    assert to_numpy(sk.repeat(array, 2)).tobytes() == np.repeat(x, 2).tobytes()


@pytest.mark.parametrize("device", WHERE)
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64", "float32", "complex128"])
def test_diff(dtype, device):
    x = sample(dtype, (4, 6), 2)
    array = to_device(device, x)
    edge, mine_edge = x[:, :2], array[:, :2]
    for n, axis in itertools.product((0, 1, 2, 3, 7, 2**40), (0, 1, -1)):
        want = np.diff(x, n=min(n, 10), axis=axis)
        assert_same(sk.diff(array, n=n, axis=axis), want, device, label=f"{n} {axis}")
    for n in (1, 2, 8, 9, 12):
        got = sk.diff(array, n=n, prepend=mine_edge, append=array)
        assert_same(got, np.diff(x, n=n, prepend=edge, append=x), device)
    assert_same(sk.diff(array[:0, :], axis=0), np.diff(x[:0], axis=0), device)
    assert_same(sk.diff(array[:0, :], n=2), np.diff(x[:0], n=2), device)


def test_diff_takes_scalars_and_0d_arrays_as_slices(device):
    x = sample("float32", (4, 6), 2)
    array = to_device(device, x)
    for axis in (0, 1, -2):
        want = np.diff(x, axis=axis, prepend=np.float32(2), append=np.float32(0.5))
        got = sk.diff(array, axis=axis, prepend=2, append=0.5)
        assert_same(got, want, device)
        assert_same(sk.diff(array, axis=axis, prepend=array[0, 0], append=array[1, 1]),
                    np.diff(x, axis=axis, prepend=x[0, 0], append=x[1, 1]), device)  # fmt: skip
    counts = to_device(device, np.asarray([1, 4]))
    assert_same(sk.diff(counts, append=9.5), np.diff(np.asarray([1, 4]), append=9.5), device)
    with pytest.raises(sk.exceptions.AxisError):
        sk.diff(array, axis=2, append=0)
    with pytest.raises(TypeError, match="diff: append"):
        sk.diff(array, append="no")


def test_diff_promotes_with_append(device):
    x, y = np.arange(4, dtype=np.float32), np.ones(2)
    got = sk.diff(to_device(device, x), append=to_device(device, y))
    assert_same(got, np.diff(x.astype(np.float64), append=y), device)
    got = sk.diff(to_device(device, x), n=0, append=to_device(device, y))
    assert_same(got, x.astype(np.float64), device)


def test_joining_of_64_axes(device):
    x = np.arange(12.0)
    array = sk.reshape(to_device(device, x), (3, *(1,) * 62, 4))
    tiled = sk.tile(array, (2,) + (1,) * 62 + (3,))
    assert_same(sk.reshape(tiled, (6, 12)), np.tile(x.reshape(3, 4), (2, 3)), device)
    doubled = sk.repeat(array, 2, axis=63)
    assert_same(sk.reshape(doubled, (3, 8)), np.repeat(x.reshape(3, 4), 2, 1), device)
    with pytest.raises(ValueError, match="stack"):
        sk.stack([array])


def test_joining_of_many_axes_that_do_not_coalesce(device):
    x = np.arange(2**12, dtype=np.int16).reshape((2,) * 12)
    array = to_device(device, x)
    ones = (1,) * 12
    axes = tuple(range(12))
    assert_same(sk.roll(array, ones, axis=axes), np.roll(x, ones, axes), device)
    assert_same(sk.tile(array, (2,) * 5), np.tile(x, (2,) * 5), device)


CASES = {
    "concat_nothing": (lambda x: sk.concat([]), ValueError, ["concat"]),
    "stack_nothing": (lambda x: sk.stack(()), ValueError, ["stack"]),
    "concat_0d": (lambda x: sk.concat([x[0, 0], x[0, 0]]), ValueError, ["0-d"]),
    "concat_shapes": (lambda x: sk.concat([x, x[:, 1:]]), ValueError, ["(3, 4)", "(3, 3)"]),
    "concat_ranks": (lambda x: sk.concat([x, x[0]]), ValueError, ["(4,)"]),
    "concat_axis": (lambda x: sk.concat([x, x], axis=2), IndexError, ["2"]),
    "concat_dtypes": (lambda x: sk.concat([x, x > 0]), TypeError, ["bool"]),
    "concat_list": (lambda x: sk.concat([x, ["a"]]), TypeError, ["element", "str"]),
    "concat_int": (lambda x: sk.concat(3), TypeError, ["sequence"]),
    "stack_shapes": (lambda x: sk.stack([x, x[:1]]), ValueError, ["(1, 4)"]),
    "stack_axis": (lambda x: sk.stack([x], axis=3), ValueError, ["3"]),
    "unstack_axis": (lambda x: sk.unstack(x, axis=-3), IndexError, ["-3"]),
    "unstack_0d": (lambda x: sk.unstack(x[0, 0]), IndexError, []),
    "tile_negative": (lambda x: sk.tile(x, (1, -1)), ValueError, ["-1"]),
    "tile_huge": (lambda x: sk.tile(x, 2**62), ValueError, []),
    "tile_axes": (lambda x: sk.tile(x, (1,) * 65), ValueError, ["64"]),
    "tile_float": (lambda x: sk.tile(x, 1.5), TypeError, []),
    "repeat_negative": (lambda x: sk.repeat(x, -1), ValueError, ["-1"]),
    "repeat_huge": (lambda x: sk.repeat(x, 2**62, axis=0), ValueError, []),
    "repeat_float": (lambda x: sk.repeat(x, 2.0), TypeError, []),
    "repeat_axis": (lambda x: sk.repeat(x, 2, axis=2), IndexError, ["2"]),
    "roll_counts": (lambda x: sk.roll(x, (1, 2, 3), axis=(0, 1)), ValueError, ["3", "2"]),
    "roll_axis": (lambda x: sk.roll(x, 1, axis=5), IndexError, ["5"]),
    "roll_huge": (lambda x: sk.roll(x, 2**70), OverflowError, []),
    "roll_float": (lambda x: sk.roll(x, 1.0), TypeError, []),
    "diff_negative": (lambda x: sk.diff(x, n=-1), ValueError, ["-1"]),
    "diff_axis": (lambda x: sk.diff(x, axis=2), IndexError, ["2"]),
    "diff_0d": (lambda x: sk.diff(x[0, 0]), IndexError, []),
    "diff_shapes": (lambda x: sk.diff(x, append=x[:1]), ValueError, ["(1, 4)"]),
    "diff_text": (lambda x: sk.diff(x, append="no"), TypeError, ["append"]),
}


@pytest.mark.usefixtures("strict_promotion")
@pytest.mark.parametrize("name", CASES)
def test_invalid_joining_arguments_raise(name, device):
    call, error, words = CASES[name]
    values = np.arange(12.0).reshape(3, 4)
    x = to_device(device, values)
    with pytest.raises(error) as caught:
        call(x)
    for word in words:
        assert word in str(caught.value), str(caught.value)
    assert np.array_equal(to_numpy(x), values)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "float32", "int64", "complex128"])
def test_roll_of_long_rows(dtype, device):
    # Contiguous rows are copied in chunks of a fixed size, which may contain parts of several rows.
    for shape, axis in (((5, 1100), 1), ((3, 2, 700), 2), ((4, 130, 20), 1), ((3, 1500), 0)):
        x = sample(dtype, shape, 8)
        array = to_device(device, x)
        for shift in (1, -7, shape[axis] // 2, shape[axis] - 1):
            assert_same(sk.roll(array, shift, axis=axis), np.roll(x, shift, axis), device)
            assert_same(sk.roll(array, shift), np.roll(x, shift), device)
        transposed_array, want = sk.moveaxis(array, 0, -1), np.moveaxis(x, 0, -1)
        assert_same(sk.roll(transposed_array, 3, axis=0), np.roll(want, 3, 0), device)


@pytest.mark.usefixtures("restore_threads")
@pytest.mark.parametrize("threads", [1, 2])
def test_large_shifts_by_less_than_a_cache_line(threads):
    sk.set_num_threads(threads)
    x = np.random.default_rng(1).integers(0, 256, (4001, 8405), dtype=np.uint8)
    array = sk.asarray(x, device="cpu:0", copy=True)
    for shift, axis in ((13, 1), (-1, 1), (13, 0), (8405 * 2000 + 50, None)):
        assert_same(sk.roll(array, shift, axis=axis), np.roll(x, shift, axis), "cpu:0")
    target, want = sk.zeros(x.shape, dtype=sk.uint8), np.zeros_like(x)
    target[:, 3:], want[:, 3:] = array[:, :-3], x[:, :-3]
    assert_same(target, want, "cpu:0")


def test_joining_out_of_cache():
    # 32 MiB and more use streaming stores; odd offsets leave runs with partial cache lines at their ends.
    x = np.random.default_rng(0).random(8_400_003, dtype=np.float32)
    array = sk.asarray(x, device="cpu:0", copy=True)
    assert_same(
        sk.concat([array[:5], array, array[3:]]), np.concatenate([x[:5], x, x[3:]]), "cpu:0"
    )
    assert_same(sk.roll(array, 12_345), np.roll(x, 12_345), "cpu:0")
    assert_same(sk.tile(array[1:1002], 9000), np.tile(x[1:1002], 9000), "cpu:0")
    assert_same(sk.repeat(array[:4321], 2003), np.repeat(x[:4321], 2003), "cpu:0")
    assert_same(sk.repeat(array[:3_000_001], 3), np.repeat(x[:3_000_001], 3), "cpu:0")
    assert_same(
        sk.stack([array, array[::-1], array], axis=1), np.stack([x, x[::-1], x], 1), "cpu:0"
    )
    raw = np.zeros(40_000_004, dtype=np.uint8)
    odd = sk.asarray(raw[4:].view(np.float32), device="cpu:0", copy=False)
    odd[:] = 1.5
    assert np.all(raw[4:].view(np.float32) == np.float32(1.5))
    assert raw[:4].sum() == 0
    bytes_of = sk.asarray(raw, device="cpu:0")
    assert_same(sk.concat([bytes_of[1:], bytes_of]), np.concatenate([raw[1:], raw]), "cpu:0")


@pytest.mark.usefixtures("restore_threads")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_large_stacks_along_the_last_axis_of_any_length(count, threads):
    # More than four are written in blocks of 16 KiB, the last of which may be short.
    sk.set_num_threads(threads)
    for size in (4 * (2**20 // count) + 2, 4 * (2**20 // count) + 1003):
        parts = [sample("float64", (size,), seed) for seed in range(count)]
        arrays = [sk.asarray(part, device="cpu:0", copy=True) for part in parts]
        assert_same(sk.stack(arrays, axis=-1), np.stack(parts, -1), "cpu:0")


def test_large_fills_of_misaligned_complex_numbers():
    # NumPy aligns complex128 like its parts.
    raw = np.zeros(4_400_004)
    for start in (0, 1, 2):
        whole = slice(start, start + 4_400_000)
        raw[:] = 0
        array = sk.asarray(raw[whole].view(np.complex128), device="cpu:0", copy=False)
        array[...] = 1.5 - 2j
        assert np.all(raw[whole].view(np.complex128) == 1.5 - 2j)
        assert np.count_nonzero(raw) == 4_400_000
