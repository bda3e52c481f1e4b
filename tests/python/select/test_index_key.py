# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The key of ``x[key]``: each part is read once, and errors name the first invalid part."""

import numpy as np
import pytest

from tests.python.loops import loop_over
from tests.python.oracle import assert_same, to_device, to_numpy

VALUES = np.arange(60.0).reshape(3, 4, 5)


class Counted:
    """An int that counts how often its value is read."""

    def __init__(self, value):
        self.value = value
        self.reads = 0

    def __index__(self):
        self.reads += 1
        return self.value


def reads_of(make_key, use):
    """Returns how often each of two ints in a key is read."""
    first, second = Counted(1), Counted(2)
    use(make_key(first, second))
    return first.reads, second.reads


KEYS = {
    "one_int": (lambda i, j: (i, slice(j, None)), (1, slice(2, None))),
    "element": (lambda i, j: (i, j, 0), (1, 2, 0)),
    "bounds": (lambda i, j: slice(i, j), slice(1, 2)),
    "step": (lambda i, j: (slice(None), slice(None, None, j), i), np.s_[:, ::2, 1]),
    "with_a_bool": (lambda i, j: (i, True, j), (1, True, 2)),
    "with_a_list": (lambda i, j: (i, j, [0, 1]), (1, 2, [0, 1])),
    "before_a_numpy_mask": (
        lambda i, j: (i, slice(j), np.array([True] * 5)),
        (1, slice(2), np.array([True] * 5)),
    ),
    "in_a_list": (lambda i, j: [i, j], [1, 2]),
    "in_a_nested_list": (lambda i, j: (0, [[i], [j]]), (0, [[1], [2]])),
}


@pytest.mark.parametrize("name", KEYS)
def test_ints_in_a_key_are_read_once(name):
    make_key, key = KEYS[name]
    want = np.asarray(VALUES[key])
    x = to_device("cpu:0", VALUES)

    def read(key):
        assert_same(x[key], want, "cpu:0")

    assert reads_of(make_key, read) == (1, 1)
    for value in (1.5, np.full(want.shape, 2.5), np.full(want.shape, 3.5).tolist(), x[0, 0, 0] + 0):
        assert reads_of(make_key, lambda key, value=value: x.__setitem__(key, value)) == (1, 1)
        assert_same(x[key], np.broadcast_to(np.asarray(value), want.shape), "cpu:0")


def test_key_is_read_before_the_value(device):
    x = to_device(device, VALUES)
    index = Counted(3)
    with pytest.raises(IndexError, match="index 3 is out of bounds: axis 0"):
        x[index] = [[1.0], "not a number"]
    assert index.reads == 1


def test_numpy_ints_and_subclasses_are_ints(device):
    class Own(int):
        pass

    x = to_device(device, VALUES)
    for one in (np.int64(1), np.uint8(1), Own(1)):
        assert_same(x[one], VALUES[1], device)
        assert_same(x[one, ..., one], VALUES[1, :, 1], device)
        assert_same(x[one, one, one], np.asarray(VALUES[1, 1, 1]), device)
        assert_same(x[one:, :one, ::one], VALUES[1:, :1], device)
        target, want = to_device(device, VALUES), VALUES.copy()
        target[one, one, one] = 7
        target[one, 0] = 8
        want[1, 1, 1], want[1, 0] = 7, 8
        assert_same(target, want, device)
        with pytest.raises(IndexError, match="too many indices: 4"):
            x[one, one, one, one]
        with pytest.raises(IndexError, match="index 5 is out of bounds: axis 2"):
            x[one, one, one * 5]


@loop_over("bound", [2**63 - 1, -(2**63), 2**63, -(2**63) - 1, 2**200, -(2**200)])
def test_ints_beyond_int64_are_bounds_but_not_indices(bound, device):
    x = to_device(device, VALUES)
    assert_same(x[:bound], VALUES[:bound], device)
    assert_same(x[bound:], VALUES[bound:], device)
    assert_same(x[::bound], VALUES[::bound], device)
    with pytest.raises(IndexError):
        x[bound]
    with pytest.raises(IndexError):
        x[0, bound, 0] = 1.0
    with pytest.raises(IndexError):
        x[bound, to_device(device, np.array([0]))]


def test_keys_of_many_parts(device):
    values = np.arange(2.0**7).reshape((2,) * 7)
    x = to_device(device, values)
    index = np.array([1, 0])
    on_device = to_device(device, index)
    for key in ((1,) * 7, (1,) * 6, (slice(1),) * 5, (None, 0) * 6, (..., *(0,) * 5)):
        assert_same(x[key], np.asarray(values[key]), device)
    for parts in (5, 6, 7):
        assert_same(x[(on_device,) * parts], values[(index,) * parts], device)
        assert_same(x[(True, on_device, 0) * 3], values[(True, index, 0) * 3], device)
    target, want = to_device(device, values), values.copy()
    target[(0, on_device, slice(None)) * 2] = 7
    want[(0, index, slice(None)) * 2] = 7
    assert_same(target, want, device)


def test_0d_integer_arrays_are_ints_in_basic_indexing(device):
    x = to_device(device, VALUES)
    one = to_device(device, np.asarray(1))
    x[one, ..., one][0] = -1
    assert float(x[1, 0, 1]) == -1
    for part, numpy_part in (
        (True, True),
        (to_device(device, np.array([0, 2])), np.array([0, 2])),
        ([0, 2], [0, 2]),
        (to_device(device, np.array([True] * 4)), np.array([True] * 4)),
    ):
        result = x[one, part]
        assert_same(result, to_numpy(x)[np.asarray(1), numpy_part], device, label=str(numpy_part))
        result[...] = 0
        assert float(x[1, 0, 1]) == -1


def elsewhere(device):
    return "cpu:1" if device != "cpu:1" else "cuda:0"


def test_errors_name_the_first_invalid_part(device):
    x = to_device(device, VALUES)
    other = to_device(elsewhere(device), np.array([0]))
    floats = to_device(device, np.array([0.0]))
    bad = [
        (other, ValueError, f"x (.*) on {device}, key (.*) on {elsewhere(device)}"),
        (floats, IndexError, "of an integer dtype or bool, not float64"),
        ("a", IndexError, "an index must be .* not str"),
        (1.0, IndexError, "an index must be .* not float"),
        (b"a", IndexError, "an index must be .* not bytes"),
        (slice("a"), TypeError, "the bounds of a slice must be ints or None, not str"),
        (slice(other[0], None), ValueError, "different devices"),
    ]
    for first, error, text in bad:
        for second, _, _ in bad:
            for key in ((first, second), (0, first, second), (True, first, second)):
                with pytest.raises(error, match=text):
                    x[key]
                with pytest.raises(error, match=text):
                    x[key] = "no value"
        # Lists are converted to arrays before other parts are checked.
        with pytest.raises(ValueError, match="nested sequences are ragged"):
            x["a", [[0], [0, 1]]]
        with pytest.raises(error, match="different devices" if error is ValueError else text):
            x[first, [0, 1]]


def test_errors_name_a_value_on_another_device_with_the_key(device):
    x = to_device(device, VALUES)
    index = to_device(device, np.array([0]))
    value = to_device(elsewhere(device), np.array(1.0))
    text = f"x .* on {device}, key .* on {device}, key .* on {device}, value .* on "
    with pytest.raises(ValueError, match=text):
        x[index, index] = value
    with pytest.raises(ValueError, match="different devices"):
        x[index] = value
    with pytest.raises(ValueError, match="different devices"):
        x[x > 0] = value
    assert_same(x, VALUES, device)
