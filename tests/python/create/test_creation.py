# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Creation functions and casts."""

import collections
import itertools

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import DTYPES, assert_same, kind_of, sample, to_device, to_numpy


@loop_over("dtype", DTYPES)
def test_filled_arrays(dtype, device):
    for shape in [(), (0,), (3,), (2, 0, 3), (4, 5)]:
        assert_same(sk.zeros(shape, dtype=dtype, device=device), np.zeros(shape, dtype), device)
        assert_same(sk.ones(shape, dtype=dtype, device=device), np.ones(shape, dtype), device)
        assert_same(
            sk.full(shape, 1, dtype=dtype, device=device)
            if dtype != "bool"
            else sk.full(shape, True, device=device),
            np.full(shape, 1, dtype),
            device,
        )
        assert sk.empty(shape, dtype=dtype, device=device).shape == shape
        prototype = sk.empty(shape, dtype=dtype, device=device)
        assert_same(sk.zeros_like(prototype), np.zeros(shape, dtype), device)
        assert_same(sk.ones_like(prototype), np.ones(shape, dtype), device)


def test_default_dtypes(device):
    assert sk.zeros(3, device=device).dtype == np.float64
    assert sk.full((2,), 3, device=device).dtype == np.int64
    assert sk.full((2,), 3.5, device=device).dtype == np.float64
    assert sk.full((2,), 1j, device=device).dtype == np.complex128
    assert sk.full((2,), True, device=device).dtype == np.bool_
    assert sk.arange(3, device=device).dtype == np.int64
    assert sk.arange(3.0, device=device).dtype == np.float64
    assert sk.linspace(0, 1, 3, device=device).dtype == np.float64
    assert sk.asarray([1, 2], device=device).dtype == np.int64
    assert sk.asarray([[1, 2.5]], device=device).dtype == np.float64
    assert sk.asarray([True, 2], device=device).dtype == np.int64
    assert sk.asarray([1, 2j], device=device).dtype == np.complex128


@pytest.mark.parametrize(
    "arguments",
    [
        (5,),
        (2, 7),
        (2, 7, 3),
        (7, 2, -2),
        (0,),
        (5, 2),
        (-3, 3),
        (0.5, 4.0, 0.25),
        (2**62, 2**62 + 3),
    ],
    ids=str,
)
def test_arange(arguments, device):
    assert_same(sk.arange(*arguments, device=device), np.arange(*arguments), device)


@loop_over("step", [2**30, 3 * 2**29, 2**31, 2**40, -(2**31), -(2**40)])
@loop_over("dtype", ["int64", "float32", "float64"])
def test_arange_with_a_step_beyond_int32(dtype, step, device):
    # Integers are generated in int32 where start, step and end fit.
    for start in (-(2**30), 0, 2**30):
        for stop in (start + step, start + 3 * step):
            want = np.arange(start, stop, step, dtype=dtype)
            assert_same(sk.arange(start, stop, step, dtype=dtype, device=device), want, device)


@loop_over("dtype", [name for name in DTYPES if name != "bool" and not name.startswith("complex")])
def test_arange_dtypes(dtype, device):
    assert_same(
        sk.arange(2, 20, 3, dtype=dtype, device=device), np.arange(2, 20, 3, dtype=dtype), device
    )


@pytest.mark.parametrize(
    ("start", "stop", "num"),
    [(0, 1, 5), (-2.5, 7.1, 11), (1, 0, 4), (3, 3, 3), (0, 1, 1), (0, 1, 0)],
)
def test_linspace(start, stop, num, device):
    for dtype, tolerance in (("float16", 1e-3), ("float32", 1e-6), ("float64", 1e-6)):
        got = to_numpy(sk.linspace(start, stop, num, dtype=dtype, device=device))
        np.testing.assert_allclose(
            got, np.linspace(start, stop, num, dtype=dtype), rtol=tolerance, atol=tolerance / 10
        )
        if num > 1:
            assert got[0] == np.dtype(dtype).type(start)
            assert got[-1] == np.dtype(dtype).type(stop)
        open_end = to_numpy(
            sk.linspace(start, stop, num, dtype=dtype, device=device, endpoint=False)
        )
        assert np.array_equal(
            open_end, to_numpy(sk.linspace(start, stop, num + 1, dtype=dtype, device=device))[:-1]
        )
    assert_same(
        sk.linspace(0, 1j, 3, dtype=sk.complex128, device=device), np.linspace(0, 1j, 3), device
    )


def test_eye_tril_triu(device):
    for rows, columns, k in itertools.product((0, 1, 4), (None, 3, 5), (-9, -1, 0, 2, 2**70)):
        clamped = min(k, 100)
        assert_same(
            sk.eye(rows, columns, k=k, device=device), np.eye(rows, columns, k=clamped), device
        )
    x = sample("float32", (2, 4, 5))
    for k in (-5, -1, 0, 1, 7):
        assert_same(sk.tril(to_device(device, x), k=k), np.tril(x, k), device)
        assert_same(sk.triu(to_device(device, x), k=k), np.triu(x, k), device)
    assert not np.any(np.signbit(to_numpy(sk.eye(3, device=device))))


def test_meshgrid(device):
    a, b, c = np.arange(3.0), np.arange(4.0), np.arange(2.0)
    for indexing in ("xy", "ij"):
        got = sk.meshgrid(*(to_device(device, x) for x in (a, b, c)), indexing=indexing)
        assert type(got) is tuple
        for actual, want in zip(got, np.meshgrid(a, b, c, indexing=indexing), strict=True):
            assert_same(actual, want, device)


CASTS = [
    (a, b)
    for a, b in itertools.product(DTYPES, DTYPES)
    if not a.startswith("complex") or b == "bool" or b.startswith("complex")
]


@loop_over(("source", "target"), CASTS)
def test_astype(source, target, device):
    low = 0 if kind_of(target) == "u" else None
    x = (
        sample(source, (5, 33), low=low)
        if kind_of(source) in "fc"
        else sample(source, (5, 33), low=low if kind_of(source) == "i" else None)
    )
    for array, theirs in [
        (to_device(device, x), x),
        (to_device(device, x).T, x.T),
        (to_device(device, x)[::2, ::-3], x[::2, ::-3]),
    ]:
        assert_same(sk.astype(array, np.dtype(target)), theirs.astype(target), device)


def test_astype_copies_and_transfers_as_in_the_standard(device):
    x = sk.ones((3,), device=device)
    assert sk.astype(x, sk.float64, copy=False) is x
    copied = sk.astype(x, sk.float64)
    x[0] = 5.0
    assert float(copied[0]) == 1.0
    other = "cpu:1" if device != "cpu:1" else "cuda:0"
    assert sk.astype(x, sk.float32, device=other).device == sk.Device(other)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_float_to_integer_out_of_range_raises_no_signal(dtype, device):
    x = to_device(device, np.array([np.nan, np.inf, -np.inf, 1e30, -1e30, 300.0] * 9, dtype=dtype))
    for target in DTYPES[1:9]:
        assert sk.astype(x, np.dtype(target)).shape == (54,)


def test_to_device_of_every_pair_of_devices():
    values = np.arange(200_003, dtype=np.float64)
    devices = ["cpu:0", "cpu:1", "cuda:0", "cuda:1"]
    for source, target in itertools.product(devices, devices):
        x = to_device(source, values)
        moved = x.to_device(target)
        assert_same(moved, values, target)
        assert (moved is x) == (source == target)
        x[0] = -1.0
        assert float(moved[0]) == (-1.0 if source == target else 0.0)
        strided = to_device(source, values[:7000].reshape(-1, 7))[:, ::-2]
        assert_same(strided.to_device(target), values[:7000].reshape(-1, 7)[:, ::-2], target)
        assert_same(sk.empty((0, 3), device=source).to_device(target), np.empty((0, 3)), target)


def test_asarray_copy_semantics():
    host = np.arange(4.0)
    shared = sk.asarray(host, device="cpu:0")
    host[0] = 9.0
    assert float(shared[0]) == 9.0
    copied = sk.asarray(host, device="cpu:0", copy=True)
    host[0] = 1.0
    assert float(copied[0]) == 9.0
    assert sk.asarray(shared) is shared
    assert sk.asarray(shared, copy=True) is not shared
    with pytest.raises(ValueError, match="copy"):
        sk.asarray(host, device="cuda:0", copy=False)
    with pytest.raises(ValueError, match="copy"):
        sk.asarray(host, dtype=sk.float32, device="cpu:0", copy=False)


@loop_over("dtype", DTYPES)
def test_asarray_of_a_numpy_scalar_keeps_its_dtype(dtype, device):
    value = np.ones((1,), dtype=dtype)[0]
    assert_same(sk.asarray(value, device=device), np.ones((), dtype=dtype), device)
    assert sk.asarray(value, dtype=sk.complex128, device=device).dtype == sk.complex128


@loop_over("dtype", DTYPES)
def test_asarray_of_a_list_of_numpy_scalars_keeps_their_dtype(dtype, device):
    values = np.ones((2, 3), dtype=dtype)
    assert_same(sk.asarray([list(row) for row in values], device=device), values, device)
    assert_same(sk.asarray((values[0, 0],), device=device), np.ones((1,), dtype=dtype), device)


def test_asarray_of_numpy_scalars_of_several_dtypes():
    for values, dtype in (
        ([np.int8(1), np.int16(2)], "int16"),
        ([np.int8(1), np.float32(2)], "float32"),
        ([np.uint8(1), 2], "int64"),  # like two Python integers
        ([2.0, np.float32(1)], "float64"),
        ([np.float32(1), True], "float64"),
        ([np.uint64(1), np.int8(2)], "int64"),  # no common dtype
        ([np.float64(1), sk.ones((), dtype="float32")], "float32"),  # that of the array
        ([], "float64"),
    ):
        assert sk.asarray(values).dtype == dtype, values
    with sk.strict_promotion():
        assert sk.asarray([np.int8(1), np.float32(2)]).dtype == "float64"


def test_device_argument_context_and_default_take_precedence_in_order():
    x = sk.ones((2,), device="cuda:1")
    assert sk.ones((2,)).device == sk.Device("cpu:0")
    with sk.device("cuda:0"):
        assert sk.ones((2,)).device == sk.Device("cuda:0")
        assert sk.ones((2,), device="cpu:1").device == sk.Device("cpu:1")
        assert sk.ones_like(x).device == sk.Device("cuda:1")
        assert (x + 1).device == sk.Device("cuda:1")
        assert sk.asarray(x).device == sk.Device("cuda:1")
        with sk.device("cpu:1"):
            assert sk.arange(3).device == sk.Device("cpu:1")
        assert sk.arange(3).device == sk.Device("cuda:0")
    assert sk.ones((2,)).device == sk.Device("cpu:0")
    sk.set_default_device("cuda:1")
    try:
        assert sk.default_device() == sk.Device("cuda:1")
        assert sk.zeros((2,)).device == sk.Device("cuda:1")
        with sk.device("cpu:0"):
            assert sk.zeros((2,)).device == sk.Device("cpu:0")
    finally:
        sk.set_default_device("cpu:0")


def test_arange_and_linspace_take_0d_arrays(device):
    ends = sk.asarray([1.0, 5.0], device=device)
    assert_same(sk.linspace(ends[0], ends[1], 5), np.linspace(1.0, 5.0, 5), device)
    assert_same(
        sk.linspace(0, ends[1], 3, dtype="float32"), np.linspace(0, 5, 3, dtype="f4"), device
    )
    count = sk.asarray(4, dtype="int32", device=device)
    assert_same(sk.arange(count), np.arange(4), device)
    assert_same(sk.arange(1, count, dtype="int32"), np.arange(1, 4, dtype="i4"), device)
    assert_same(
        sk.arange(ends[0], ends[1], sk.asarray(0.5, device=device)),
        np.arange(1.0, 5.0, 0.5),
        device,
    )
    with pytest.raises(TypeError, match="stop must be a Python scalar"):
        sk.arange(0, ends)


def test_arange_and_linspace_reject_arrays_of_another_device(device):
    elsewhere = sk.asarray(2.0, device="cpu:0" if str(device) == "cpu:1" else "cpu:1")
    for call in [
        lambda: sk.arange(elsewhere, device=device),
        lambda: sk.linspace(sk.asarray(1.0, device=device), elsewhere, 3),
    ]:
        with pytest.raises(sk.exceptions.DeviceMismatchError):
            call()


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_64_bit_integers_round_once_to_float64(dtype, device):
    """They round to nearest, ties to even: tested around powers of 2 and for any number of bits."""
    limits = np.iinfo(dtype)
    integers = [(1 << k) + i for k in range(65) for i in (-3, -2, -1, 0, 1, 2, 3)]
    integers += [(1 << k) + (1 << (k - 53)) + i for k in range(53, 64) for i in (-1, 0, 1)]
    integers += [-integer for integer in integers] + [limits.min, limits.max]
    ends = np.asarray(
        [integer for integer in integers if limits.min <= integer <= limits.max], dtype
    )
    rng = np.random.default_rng(1)
    drawn = rng.integers(limits.min, limits.max, 1000, dtype=dtype, endpoint=True)
    host = np.concatenate([ends, drawn >> rng.integers(0, 64, 1000).astype(dtype)])
    assert_same(sk.astype(to_device(device, host), sk.float64), host.astype("float64"), device)


@pytest.mark.parametrize(
    ("sequence", "right"),
    [
        (range(3), [0, 1, 2]),
        ([range(2), range(2, 4)], [[0, 1], [2, 3]]),
        (range(0), []),
        (collections.deque([1, 2.5]), [1.0, 2.5]),
        (collections.UserList([True, False]), [True, False]),
        ((collections.deque([1]), [2]), [[1], [2]]),
        ([collections.deque(), range(0)], [[], []]),
    ],
)
def test_asarray_takes_sequences(sequence, right, device):
    for dtype in (None, "float32"):
        x = sk.asarray(sequence, dtype=dtype, device=device)
        expected = np.asarray(right, dtype=dtype)
        assert (x.dtype, x.shape, x.tolist()) == (expected.dtype, expected.shape, expected.tolist())
    with pytest.raises(ValueError, match="copy=False"):
        sk.asarray(sequence, copy=False)


@pytest.mark.parametrize(
    "value", ["ab", {1: 2}, {1}, iter([1]), object, collections.UserDict(a=1), None]
)
def test_asarray_rejects_other_objects(value):
    for argument in (value, [value]):
        with pytest.raises(TypeError, match=r"^asarray: "):
            sk.asarray(argument)


def test_asarray_rejects_ragged_and_recursive_sequences():
    for sequence in ([range(2), range(3)], [range(1), 1], (1, collections.deque([1]))):
        with pytest.raises(ValueError, match=r"^asarray: "):
            sk.asarray(sequence)
    nested = [0]
    nested.append(nested)
    with pytest.raises(ValueError, match=r"^asarray: "):
        sk.asarray(nested)


@pytest.mark.parametrize("rank", [65, 10**9, 2**40])
@pytest.mark.parametrize(
    "create",
    [lambda rank: sk.array([1], ndmin=rank), lambda rank: sk.r_[f"0,{rank}", [1]]],
    ids=["array", "r_"],
)
def test_more_axes_than_arrays_have_are_rejected_before_memory_is_taken(create, rank):
    """Where memory is overcommitted, a tuple of that length fills it, as without the GIL."""
    with pytest.raises(sk.exceptions.ShapeError, match=f"too many axes: {rank}; at most 64"):
        create(rank)
