# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A call with NumPy arrays or lists reads and converts each of its arguments once."""

import sys

import numpy as np
import pytest
import skerry as sk

from tests.python.oracle import to_numpy

HOST = np.arange(6.0).reshape(2, 3)


class Counted:
    """An int that counts how often it is read."""

    def __init__(self, value):
        self.value = value
        self.calls = 0

    def __index__(self):
        self.calls += 1
        return self.value


def assigned(key, value):
    x = sk.zeros((2, 3))
    x[key] = value
    return x


# By name: the call, which takes a number of value 1, and its result.
CALLS = {
    "add, first": (lambda one: sk.add(one, HOST), HOST + 1),
    "add, second": (lambda one: sk.add(HOST, one), HOST + 1),
    "add, a list": (lambda one: sk.add(one, [1.0, 2.0]), [2.0, 3.0]),
    "where": (lambda one: sk.where(one, HOST, -HOST), HOST),
    "where, a list": (lambda one: sk.where([True, False], one, [5, 6]), [1, 6]),
    "clip": (lambda one: sk.clip(HOST, one, np.array(4.0)), HOST.clip(1, 4)),
    "full": (lambda one: sk.full((one, 2), np.array(7.0)), [[7.0, 7.0]]),
    "full_like": (lambda one: sk.full_like(HOST, one), np.ones_like(HOST)),
    "diff": (lambda one: sk.diff(HOST, axis=one, prepend=np.zeros((2, 1))), [[0, 1, 1], [3, 1, 1]]),
    "repeat": (lambda one: sk.repeat(HOST, np.array([1, 0, 2]), axis=one), HOST[:, [0, 2, 2]]),
    "diagonal": (lambda one: sk.linalg.diagonal(HOST, offset=one), [1.0, 5.0]),
    "searchsorted": (lambda one: sk.searchsorted(np.array([0, 2]), one, sorter=np.arange(2)), 1),
    "isin": (lambda one: sk.isin(one, np.arange(3)), True),
    "concat": (lambda one: sk.concat([HOST, HOST], axis=one), np.concatenate([HOST, HOST], 1)),
    "roll": (lambda one: sk.roll(HOST, (one, np.array(1)), axis=(0, 1)), np.roll(HOST, (1, 1), (0, 1))),
    "result_type": (lambda one: sk.full((), 3, dtype=sk.result_type(one, HOST)), 3.0),
    "a row": (lambda one: assigned((one, slice(None)), HOST[0]), [[0, 0, 0], [0, 1, 2]]),
    "elements": (lambda one: assigned((one, [0, 2]), np.array([5, 6])), [[0, 0, 0], [5, 0, 6]]),
    "elements by a list": (lambda one: assigned((one, [0, 2]), [5, 6]), [[0, 0, 0], [5, 0, 6]]),
    "equal": (lambda one: sk.asarray([0, 1]) == one, [False, True]),
    "less": (lambda one: sk.asarray([0, 1]) < one, [True, False]),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_arguments_with_numpy_arrays_and_lists_are_read_once(name):
    call, expected = CALLS[name]
    number = Counted(1)
    assert to_numpy(call(number)).tolist() == np.asarray(expected).tolist()
    assert number.calls == 1


@pytest.mark.parametrize("call", [sk.sum, sk.sqrt, lambda x: sk.astype(x, sk.float32), sk.concat])
def test_numpy_arrays_are_referenced_during_the_call_only(call):
    host = HOST.copy()
    count = sys.getrefcount(host)
    call(host)
    with pytest.raises(TypeError):
        sk.where(host, host, "a")
    assert sys.getrefcount(host) == count


def test_every_numpy_array_of_a_call_is_converted():
    """This includes an array passed as several arguments, and arrays within a sequence."""
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    assert [part.tolist() for part in sk.broadcast_arrays(x, x, y)] == [[1, 2], [1, 2], [3, 4]]
    assert sk.concat((x, y, x)).tolist() == [1, 2, 3, 4, 1, 2]
    assert sk.stack([[1, 2], [3, 4], [5, 6]]).tolist() == [[1, 2], [3, 4], [5, 6]]
    assert sk.concat(HOST).tolist() == HOST.ravel().tolist()
    assert sk.clip(x, x, x).tolist() == [1, 2]
    assert sk.result_type(np.ones(1, "int8"), sk.uint8, np.ones(1, "int8")) == sk.int16


def test_list_that_shrinks_during_conversion():
    class Shrinking:
        def __index__(self):
            items.clear()
            return 1

    items = [[Shrinking()], [2], [3]]
    assert sk.concat(items).tolist() == [1, 2, 3]
    assert items == []


def test_errors_name_the_original_argument():
    for call, text in (
        (lambda: sk.take(HOST, np.array([1.5])), r"take: .*float64"),
        (lambda: sk.concat([np.ones(2), ["a"]]), r"concat: every element must be a Python scalar, not str"),
        (lambda: sk.concat([np.ones(2), None]), r"concat: arrays\[1\] must be a skerry.Array, not NoneType"),
        (lambda: sk.where("a", HOST, HOST), r"where: condition must be .*, not str"),
        (lambda: sk.ones((2,)).take(np.array(["a"])), r"take: unsupported dtype: <U1"),
        (lambda: sk.ones((2,)).round(np.array(1)), r"round: decimals is a numpy\.ndarray"),
        (lambda: sk.ones((2, 2)).diagonal(0, np.array(1)), r"diagonal: axis1 is a numpy\.ndarray"),
    ):  # fmt: skip
        with pytest.raises(TypeError, match=text):
            call()
