# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Objects that are indexed, ``mgrid``, ``ogrid``, ``r_`` and ``c_``, against NumPy's, on every device."""

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import DeviceMismatchError

from tests.python.extra.extra_calls import mapped
from tests.python.oracle import to_device, to_numpy

s_ = np.s_
GRIDS = [
    s_[0:], s_[:], s_[3:], s_[3::2],
    s_[0:5], s_[:3], s_[0:1:0.25], s_[-1:1:5j], s_[0:1:1j], s_[5:0:-1], s_[3:0], s_[0:2.5], s_[0:5, 0:4],
    s_[-1:1:5j, -1:1:3j], s_[0:3:2, 1:5:1.5], s_[0:1:3j, 2:4], s_[0:0, 0:3], s_[0:2, 0:3, 0:4], s_[0:1:1j, 0:2],
    s_[:2, 5:1:-2], (slice(0, 4),), s_[np.float32(0) : np.float32(2), 0:2], s_[0 : 1 : np.complex64(3j), 0:1],
]  # fmt: skip
A, F, M, B = np.arange(3), np.arange(3.0), np.ones((2, 3)), np.array([True, False, True])
JOINED = [
    (A, A), slice(0, 3), (1, 2, 3), (1, 2.5), (A, 0, 0, A), s_[-1:1:6j, [0, 0], 5, 6], (M, M), ("-1", M, M),
    ("0,2", A, A), ("0,2,0", A, A), ("1,2,0", A, A), (A, F), (B, A), (F, 1j), ([1, 2], A), ("0,3,1", M, M),
    ("0,3,0", slice(0, 4)), ("0,3", A), ("0,3,0", M), (F, True), (A[::-1], M[0]), ((1, 2), [3.5]), (A[:0], A),
]  # fmt: skip
COLUMNS = [
    (A, A), slice(0, 3), (A, F), (A[:, None], M.T), (1, 2), ([1, 2], (3, 4)), ("0", A, A), ("-1,3", M, M),
    s_[0:2, 0:1:2j], (F[::-1], A),
]  # fmt: skip


def assert_alike(got, want, device):
    if isinstance(want, tuple):
        assert isinstance(got, tuple)
        for pair in zip(got, want, strict=True):
            assert_alike(*pair, device)
        return
    assert got.device == sk.Device(device)
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    np.testing.assert_array_equal(to_numpy(got), want)


@pytest.mark.parametrize("key", GRIDS, ids=str)
def test_grids_equal_numpy(key, device):
    with sk.device(device):
        assert_alike(sk.mgrid[key], np.mgrid[key], device)
        assert_alike(sk.ogrid[key], np.ogrid[key], device)


@pytest.mark.parametrize("key", [3, (slice(0, 2), 3), (slice(1, None),)], ids=str)
def test_grid_without_an_end_raises(key):
    with pytest.raises(
        TypeError, match=r"^mgrid: takes slices with an end, such as mgrid\[0:2, 0:1:5j\], not "
    ):
        sk.mgrid[key]


def test_bounds_may_be_arrays(device):
    low, high = np.asarray([[0.0], [1.0], [2.0]]), np.asarray([[3.0], [4.0], [8.0]])
    x, y = to_device(device, low), to_device(device, high)
    want = np.mgrid[low:high:3j, 0 : high[0, 0] : 4j]
    assert_alike(sk.mgrid[x:y:3j, 0 : y[0, 0] : 4j], want, device)
    assert_alike(sk.ogrid[0 : y[0, 0] : 4j, :2], np.ogrid[0 : high[0, 0] : 4j, :2], device)
    with pytest.raises(DeviceMismatchError, match="mgrid"):
        sk.mgrid[x : y.to_device("cpu:1" if device != "cpu:1" else "cpu:0") : 3j, 0:2]


def test_grid_with_a_step_of_0_raises():
    for key in (s_[0:3:0], s_[0:1, 0:3:0j]):
        with pytest.raises(ValueError, match=r"^ogrid: step must not be 0$"):
            sk.ogrid[key]


@pytest.mark.parametrize(
    ("name", "key"), [("r_", k) for k in JOINED] + [("c_", k) for k in COLUMNS], ids=str
)
def test_joined_items_equal_numpy(name, key, device):
    with sk.device(device):
        got = getattr(sk, name)[mapped(key, lambda x: to_device(device, x))]
    assert_alike(got, getattr(np, name)[key], device)


def test_literals_go_to_the_device_of_the_arrays():
    x = sk.ones((2,), device="cuda:1")
    assert sk.r_[0:3, x, [1, 2], 5].device == sk.Device("cuda:1")
    assert sk.c_[x, 0:2].device == sk.Device("cuda:1")
    assert [i.device for i in sk.ix_([0, 1], sk.asarray([0], device="cuda:1"))] == [
        sk.Device("cuda:1")
    ] * 2


def test_arrays_on_different_devices_raise():
    x, y = sk.ones((2,), device="cpu:1"), sk.ones((2,), device="cuda:0")
    for join in (lambda: sk.r_[x, y], lambda: sk.c_[x, y], lambda: sk.r_[np.ones(2), y]):
        with pytest.raises(DeviceMismatchError, match="to_device"):
            join()


def test_numpy_arrays_are_on_cpu_0():
    with sk.device("cuda:0"):
        assert sk.r_[np.ones(2), 3].device == sk.Device("cpu:0")


def test_a_literal_does_not_change_a_dtype_of_its_kind():
    x = sk.ones((2,), dtype=sk.float32)
    assert sk.r_[x, 2.5].dtype == sk.r_[x, [2.5, 1.0]].dtype == np.float32
    assert sk.r_[x, [1j]].dtype == np.complex64
    with pytest.raises(
        TypeError, match=r"^r_: takes arrays, numbers and lists of numbers, not set$"
    ):
        sk.r_[x, {1}]
    assert sk.r_[x, sk.ones((2,), dtype=sk.int64)].dtype == np.float32


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (("x", A), "r_: unknown directive 'x'; use one to three integers, such as '0,2'"),
        (("0,1,2,3", A), "r_: unknown directive '0,1,2,3'; use one to three integers, such as '0,2'"),
        ((A, "0"), "r_: the directive '0' must be the first item"),
        ((), "r_: nothing to join; index with arrays, numbers or slices"),
        (("0,3,5", A), "r_: no place 5 for the axes of an array of 1 axes among 3"),
    ],
    ids=str,
)  # fmt: skip
def test_errors(key, text):
    with pytest.raises(ValueError) as raised:
        sk.r_[key]
    assert str(raised.value) == text


def test_names():
    assert [repr(x) for x in (sk.mgrid, sk.ogrid, sk.r_, sk.c_)] == [
        "<skerry.mgrid>", "<skerry.ogrid>", "<skerry.r_>", "<skerry.c_>",
    ]  # fmt: skip
