# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Orders of elements in memory: ``array``, ``copy``, ``asfortranarray``, ``ascontiguousarray`` and ``require``."""

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import ReadOnlyError

from tests.python.oracle import to_device

T = np.arange(24.0).reshape(2, 3, 4)
LAYOUTS = {
    "C": T, "F": np.asfortranarray(T), "permuted": T.transpose(1, 0, 2), "strided": T[:, ::2], "reversed": T[::-1],
    "one axis": T[0, 0], "no axis": T[0, 0, 0:1].reshape(()), "empty": T[:0],
}  # fmt: skip


def move(device, layout):
    """Return the array of a layout on a device, with the same strides."""
    whole = to_device(device, T)
    return {
        "C": lambda: whole, "F": lambda: whole.copy("F"), "permuted": lambda: whole.transpose(1, 0, 2),
        "strided": lambda: whole[:, ::2], "reversed": lambda: whole[::-1], "one axis": lambda: whole[0, 0],
        "no axis": lambda: whole[0, 0, 0], "empty": lambda: whole[:0],
    }[layout]()  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("order", ["A", "C", "F", "a", "c", "f"])
def test_orders_equal_numpy(layout, order, device):
    x, host = move(device, layout), LAYOUTS[layout]
    for got, want in (
        (sk.array(x, order=order), np.array(host, order=order)),
        (sk.asarray(x, order=order), np.asarray(host, order=order)),
        (sk.asarray(x, order=order, copy=True), np.array(host, order=order)),
        (sk.array(x, order=order, copy=None), np.array(host, order=order, copy=None)),
        (sk.copy(x, order), np.copy(host, order)),
    ):
        assert (got.strides, got.shape) == (want.strides, want.shape) or got.size == 0
        assert got.device == sk.Device(device)
        np.testing.assert_array_equal(got.to_device("cpu:0").to_numpy(), want)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_contiguous_arrays_are_not_copied(layout, device):
    x, host = move(device, layout), LAYOUTS[layout]
    for name in ("ascontiguousarray", "asfortranarray"):
        got, want = getattr(sk, name)(x), getattr(np, name)(host)
        assert got.shape == want.shape
        assert got.strides == want.strides or got.size == 0
        assert sk.shares_memory(got, x) == np.shares_memory(want, host)


def test_array_copies_unless_told_not_to(device):
    x = to_device(device, T)
    assert not sk.shares_memory(sk.array(x), x)
    assert not sk.shares_memory(sk.copy(x), x)
    assert sk.array(x, copy=None) is x
    assert sk.array(x, copy=False) is x
    host = np.arange(3)
    with sk.device("cpu:0"):
        assert not np.shares_memory(np.asarray(sk.array(host)), host)


def test_objects_without_a_device_go_to_the_default_device(device):
    with sk.device(device):
        for make in (
            sk.array,
            sk.copy,
            sk.asfortranarray,
            sk.ascontiguousarray,
            sk.asarray_chkfinite,
            sk.require,
        ):
            for item in (np.arange(3), [1, 2], 5):
                assert make(item).device == sk.Device(device)
            assert make(sk.ones(2, device="cpu:1")).device == sk.Device("cpu:1")
    assert sk.array([1, 2], device=device).device == sk.Device(device)


def test_strided_views_share_memory_and_are_written_to_without_overlap(device):
    x = sk.arange(6, device=device)
    view = sk.lib.stride_tricks.as_strided(x, (3,), (16,))
    assert view.device == x.device
    view[...] = 9
    assert x.tolist() == [9, 1, 9, 3, 9, 5]
    assert sk.as_strided(x[3:], (2,), (-16,)).tolist() == [3, 1]  # before x[3:], in its base
    assert sk.as_strided(x, 2).tolist() == [9, 1]
    for fixed in (sk.as_strided(x, (3,), (16,), writeable=False), sk.as_strided(x, (4, 3), (8, 8))):
        with pytest.raises(ReadOnlyError):
            fixed[...] = 1


def test_views_whose_elements_overlap_stay_read_only(device):
    """The windows of every third element have gaps: their elements overlap, though they fill less than their extent."""
    x = sk.arange(12, device=device)
    for view in (
        sk.sliding_window_view(x[::3], 2),
        sk.sliding_window_view(x, 2),
        sk.broadcast_to(x, (2, 12)),
        sk.as_strided(x, (2, 2), (24, 24), writeable=False),
    ):
        with pytest.raises(
            ValueError, match=r"can't become writable: .* its elements share memory"
        ):
            view.setflags(write=True)
        assert not view.flags.writeable
    for view in (
        x[::3],
        x.reshape(3, 4)[::-1, ::2],
        sk.as_strided(x, (3, 2), (16, 40), writeable=False),
    ):
        view.setflags(write=False)
        view.setflags(write=True)
        assert view.flags.writeable


def test_requirements(device):
    x = to_device(device, T)
    assert sk.require(x, requirements="C") is x
    assert not sk.shares_memory(sk.require(x, requirements="O"), x)
    assert sk.require(x, requirements=["F", "W"]).strides == (8, 16, 48)
    fixed = sk.sliding_window_view(x[0, 0], 2)
    assert sk.require(fixed) is fixed
    assert sk.require(fixed, requirements="W") is not fixed
    sk.require(fixed, requirements="W")[...] = 1.0
