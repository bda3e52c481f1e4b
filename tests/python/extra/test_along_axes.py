# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Results of the functions that ``apply_along_axis`` and ``apply_over_axes`` call."""

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import DeviceMismatchError

from tests.python.oracle import to_device, to_numpy


def test_slices_are_arrays_on_the_device(device):
    kinds = []
    x = to_device(device, np.ones((2, 3)))
    sk.apply_along_axis(lambda part: kinds.append((type(part), part.device, part.shape)) or 1, 0, x)
    assert kinds == [(sk.Array, sk.Device(device), (2,))] * 3


def test_the_first_result_determines_the_dtype(device):
    values = [[1, 2.75, 3.25], [1.5, 2, 3]]
    for results in values:
        host, x = np.ones((2, 3)), to_device(device, np.ones((2, 3)))
        ours, theirs = iter(results), iter(results)
        got = sk.apply_along_axis(lambda part, items=ours: next(items), 0, x)
        want = np.apply_along_axis(lambda part, items=theirs: next(items), 0, host)
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(to_numpy(got), want)


def test_results_of_different_shapes_raise():
    lengths = iter([1, 2])
    with pytest.raises(ValueError) as raised:
        sk.apply_along_axis(lambda x: x[: next(lengths)], 1, sk.ones((2, 3)))
    assert str(raised.value) == "apply_along_axis: results of func1d differ in shape: (1,) and (2,)"


def test_results_on_another_device_raise():
    for other in ("cuda:0", "cpu:1"):
        with pytest.raises(DeviceMismatchError, match="apply_along_axis"):
            sk.apply_along_axis(lambda x, target=other: x.to_device(target), 0, sk.ones((2, 3)))
    with pytest.raises(DeviceMismatchError, match="apply_along_axis"):
        sk.apply_along_axis(lambda x: np.ones(2), 0, sk.ones((2, 3), device="cuda:0"))


def test_errors_state_what_is_wrong():
    with pytest.raises(ValueError) as raised:
        sk.apply_along_axis(sk.sum, 0, sk.ones((2, 0)))
    assert str(raised.value) == (
        "apply_along_axis: arr of shape (2, 0) has no slices along axis 0; make the result with zeros"
    )
    with pytest.raises(ValueError) as raised:
        sk.apply_over_axes(lambda x, axis: sk.sum(x), sk.ones((2, 3)), 0)
    assert (
        str(raised.value) == "apply_over_axes: func returned an array of 0 axes; return 1 or 2 axes"
    )


def test_functions_errors_are_raised_as_they_are():
    with pytest.raises(ZeroDivisionError):
        sk.apply_along_axis(lambda x: 1 // 0, 0, sk.ones((2, 3)))
