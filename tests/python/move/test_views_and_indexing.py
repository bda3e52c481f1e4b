# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Basic indexing, assignment and views against NumPy."""

import numpy as np
import pytest
import skerry as sk
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.python.oracle import assert_same, to_device, to_numpy

SHAPE = (3, 4, 5)
BASE = np.arange(60, dtype=np.int32).reshape(SHAPE)


@settings(max_examples=400, deadline=None)
@given(data=st.data())
def test_basic_indexing_equals_numpy(data):
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))
    key = data.draw(hnp.basic_indices(shape, allow_newaxis=True, max_dims=8))
    values = np.arange(int(np.prod(shape)), dtype=np.int64).reshape(shape)
    for device in ("cpu:1", "cuda:0"):
        assert_same(to_device(device, values)[key], np.asarray(values[key]), device)


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_basic_assignment_equals_numpy(data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=5))
    key = data.draw(hnp.basic_indices(shape, allow_newaxis=False))
    want = np.zeros(shape)
    new = np.asarray(np.arange(float(want[key].size)).reshape(want[key].shape) + 1)
    for device in ("cpu:0", "cuda:1"):
        want = np.zeros(shape)
        array = to_device(device, want)
        array[key] = to_device(device, new)
        want[key] = new
        assert_same(array, want, device)


def test_indexing_makes_views(device):
    x = to_device(device, BASE)
    view = x[1:, ::-1, 2]
    x[2, 0, 2] = -7
    assert int(view[1, -1]) == -7
    view[0, 0] = 99
    assert int(x[1, 3, 2]) == 99


def test_zero_d_integer_arrays_are_indices_and_bounds(device):
    x = to_device(device, BASE)
    one, three = (sk.asarray(n, device=device) for n in (1, 3))
    assert_same(x[one], BASE[1], device)
    assert_same(x[0, one:three], BASE[0, 1:3], device)


def test_iteration_and_length(device):
    x = to_device(device, BASE)
    assert len(x) == 3
    assert [part.shape for part in x] == [(4, 5)] * 3
    with pytest.raises(TypeError):
        len(sk.ones((), device=device))
    with pytest.raises(TypeError):
        iter(sk.ones((), device=device))


def test_reshape_views_and_copies(device):
    x = to_device(device, BASE)
    for shape in [(60,), (12, 5), (3, -1), (2, 2, 3, 5), (1, 60, 1)]:
        assert_same(sk.reshape(x, shape), BASE.reshape(shape), device)
        assert_same(sk.reshape(x[:, ::2], (-1,)), BASE[:, ::2].reshape(-1), device)
        assert_same(
            sk.reshape(sk.permute_dims(x, (2, 0, 1)), shape),
            BASE.transpose(2, 0, 1).reshape(shape),
            device,
        )
    view = sk.reshape(x, (60,), copy=False)
    x[0, 0, 0] = 5
    assert int(view[0]) == 5
    fresh = sk.reshape(x, (60,), copy=True)
    x[0, 0, 0] = 6
    assert int(fresh[0]) == 5
    assert_same(sk.reshape(sk.empty((0, 3), device=device), (3, 0)), np.empty((3, 0)), device)


def test_permute_expand_squeeze_flip(device):
    x = to_device(device, BASE)
    assert_same(sk.permute_dims(x, (1, 2, 0)), BASE.transpose(1, 2, 0), device)
    assert_same(sk.permute_dims(x, (-1, 0, 1)), BASE.transpose(2, 0, 1), device)
    assert sk.expand_dims(x, 0).shape == (1, 3, 4, 5)
    assert sk.expand_dims(x, -1).shape == (3, 4, 5, 1)
    assert sk.expand_dims(x, (0, 2)).shape == (1, 3, 1, 4, 5)
    assert sk.squeeze(sk.expand_dims(x, (0, 2)), (0, 2)).shape == SHAPE
    for axis in (None, 0, -1, (0, 2), ()):
        assert_same(sk.flip(x, axis=axis), np.flip(BASE, axis=axis), device)
    assert_same(sk.moveaxis(x, 0, -1), np.moveaxis(BASE, 0, -1), device)


def test_transposed_views(device):
    x = to_device(device, BASE)
    assert_same(x[0].T, BASE[0].T, device)
    assert_same(x.mT, BASE.swapaxes(-1, -2), device)
    assert_same(sk.matrix_transpose(x), BASE.swapaxes(-1, -2), device)


def test_broadcasting(device):
    x = to_device(device, BASE[0, 0])
    assert_same(sk.broadcast_to(x, SHAPE), np.broadcast_to(BASE[0, 0], SHAPE), device)
    column = to_device(device, BASE[0, :, :1])
    parts = sk.broadcast_arrays(x, column)
    assert type(parts) is tuple
    for got, want in zip(parts, np.broadcast_arrays(BASE[0, 0], BASE[0, :, :1]), strict=True):
        assert_same(got, want, device)
    assert sk.broadcast_shapes((3, 1), (1, 4), ()) == (3, 4)
    with pytest.raises(ValueError, match="broadcast_shapes"):
        sk.broadcast_shapes((3,), (4,))


def test_views_of_64_axes(device):
    shape = (2, 3) + (1,) * 61 + (2,)
    values = np.arange(12.0)
    x = sk.reshape(to_device(device, values), shape)
    y = sk.permute_dims(x, tuple(reversed(range(64))))
    assert_same(sk.sum(x + 1.0), np.asarray(values.sum() + 12), device)
    assert (
        to_numpy(sk.reshape(y + y, (-1,))).tolist()
        == (2 * values.reshape(2, 3, 2).transpose(2, 1, 0)).ravel().tolist()
    )


def test_18_axes_that_do_not_coalesce(device):
    # 2**18 elements over 18 reversed axes: more axes than one plan takes.
    shape = (2,) * 18
    values = np.arange(2**18, dtype=np.float32).reshape(shape)
    x = to_device(device, values)
    got = sk.permute_dims(x, tuple(reversed(range(18)))) + x
    assert_same(got, values.transpose() + values, device)
    assert_same(
        sk.sum(x, axis=tuple(range(0, 18, 2))),
        values.sum(axis=tuple(range(0, 18, 2)), dtype=np.float64).astype(np.float32),
        device,
    )
