# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``vectorize``, which runs on cpu:0 only."""

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import DeviceMismatchError

X, Y = np.asarray([[1.0, 5.0], [3.0, -2.0]]), np.asarray([2, 3])


def larger(a, b=0):
    return a if a > b else b


def check(functions, *args, **kwargs):
    """Compare a call of skerry's object with a call of NumPy's."""
    ours, theirs = functions
    arrays = [sk.asarray(x) if isinstance(x, np.ndarray) else x for x in args]
    named = {key: sk.asarray(x) if isinstance(x, np.ndarray) else x for key, x in kwargs.items()}
    got, want = ours(*arrays, **named), theirs(*args, **kwargs)
    pairs = zip(got, want, strict=True) if isinstance(want, tuple) else [(got, want)]
    for one, other in pairs:
        assert isinstance(one, sk.Array)
        assert one.device == sk.Device("cpu:0")
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(np.asarray(one), other)


def both(*args, **kwargs):
    return sk.vectorize(*args, **kwargs), np.vectorize(*args, **kwargs)


def test_results_equal_numpy():
    check(both(larger), X, 2.0)
    check(both(larger), X, Y)
    check(both(larger), X, b=Y)
    check(both(larger), X[::-1].T)
    check(both(larger, otypes="f"), X)
    check(both(larger, otypes=[complex]), np.empty((0, 2)))
    check(both(lambda a: (a, a > 2)), X)
    check(both(larger, cache=True), [1, 2], (3, 0))
    check(both(larger), 3, 5)
    check(both(lambda p, x: p[0] * x + p[1], excluded={0}), [2, 3], X)
    check(both(np.dot, signature="(n),(n)->()"), X, X)


def test_excluded_arrays_are_passed_on():
    kinds = set()
    sk.vectorize(lambda p, x: kinds.add(type(p)) or x, excluded={0})(sk.ones(2), sk.ones(3))
    assert kinds == {sk.Array}


def test_is_a_decorator():
    @sk.vectorize
    def twice(x):
        """Double."""
        return 2 * x

    @sk.vectorize(otypes=[float])
    def thrice(x):
        return 3 * x

    assert twice.__doc__ == "Double."
    assert sk.array_equal(twice(sk.arange(3)), sk.asarray([0, 2, 4]))
    assert thrice(sk.arange(3)).dtype == np.float64


@pytest.mark.parametrize("device", ["cpu:1", "cuda:0"])
def test_other_devices_raise(device):
    with pytest.raises(DeviceMismatchError) as raised:
        sk.vectorize(larger)(sk.ones(2, device=device), 1)
    assert str(raised.value) == (
        f"vectorize: an argument is on {device}, but the function runs on cpu:0; use to_device('cpu:0')"
    )


def test_results_that_are_no_numbers_raise():
    with pytest.raises(TypeError, match="dtype"):
        sk.vectorize(str)(sk.ones(2))


def test_errors_of_the_function_are_raised():
    with pytest.raises(ZeroDivisionError):
        sk.vectorize(lambda x: 1 // 0)(sk.ones(2))
