# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Functions written in Python: what their callables are, and which calls go past the conversion of arguments."""

import copy
import functools
import gc
import inspect
import pickle
import pydoc
import sys
import weakref

import numpy as np
import pytest
import skerry as sk
from skerry import _arrays
from skerry.exceptions import DeviceMismatchError
from skerry.testing import instruments


def test_they_are_shown_as_functions():
    assert inspect.isroutine(sk.hstack)
    assert list(inspect.signature(sk.hstack).parameters) == ["tup", "dtype"]
    assert sk.hstack.__name__ == "hstack"
    assert repr(sk.hstack) == "<function skerry.hstack>"
    assert "Join along axis 1" in pydoc.render_doc(sk.hstack)


def test_they_are_copied_and_pickled_by_name():
    assert copy.deepcopy(sk.hstack) is sk.hstack
    assert pickle.loads(pickle.dumps(sk.hstack)) is sk.hstack


def test_in_a_class_they_are_methods():
    class Holder(list):
        joined = sk.hstack

    assert Holder([sk.ones(1), sk.ones(2)]).joined().shape == (3,)


def test_types_of_them_can_not_be_made():
    with pytest.raises(TypeError):
        type(sk.hstack)()


@pytest.fixture
def seen():
    """A function, and how often its arguments were converted before it was called."""
    calls = []

    def function(a, *rest, **more):
        return a

    def converting(*args, **kwargs):
        calls.append(args)
        return function(*args, **kwargs)

    return functools.wraps(function)(instruments.array_function(function, converting, False)), calls


X = sk.ones((2,), device="cpu:0")
OTHER = sk.ones((2,), device="cpu:1")
HOST = np.ones(2)
DIRECT = [
    (X,), (X, OTHER), (X, 1.0, "text", None), ((X, X),), ([X, X], X), ([X, 1.0],), ((2, 3),),
    (X, [1, 2]), (), (X, {"a": 1}), ((),),
]  # fmt: skip
CONVERTED = [
    (HOST,), (X, HOST), ((X, HOST),), ([1, 2],), ([[X]],), ([X, OTHER],), ([X], OTHER), ([],),
    (X, (1, [2])),
]  # fmt: skip


@pytest.mark.parametrize("args", DIRECT, ids=repr)
def test_calls_with_nothing_to_convert_are_direct(seen, args):
    function, calls = seen
    if args:
        function(*args)
        function(X, more=args[-1])
    else:
        with pytest.raises(TypeError, match="missing"):
            function()
    assert not calls


@pytest.mark.parametrize("args", CONVERTED, ids=repr)
def test_what_may_have_to_be_converted_goes_the_other_way(seen, args):
    function, calls = seen
    function(*args)
    assert len(calls) == 1


def test_keywords_are_looked_at(seen):
    function, calls = seen
    function(X, more=[X, 1])
    assert not calls
    function(X, more=HOST)
    assert len(calls) == 1


def test_lists_in_the_place_of_what_is_written_into_are_refused():
    with pytest.raises(TypeError, match="writes into an array"):
        sk.put([1.0, 2.0], X, X)
    with pytest.raises(TypeError, match="writes into an array"):
        sk.put((X,), X, X)


def test_arrays_in_sequences_are_of_one_device():
    with pytest.raises(DeviceMismatchError):
        sk.hstack([X, OTHER])
    with pytest.raises(DeviceMismatchError, match=r"numpy\.ndarray"):
        sk.hstack([OTHER, HOST])


def test_nothing_is_leaked():
    def function(a):
        return a

    wrapper = _arrays.accept_numpy_arrays(function, "function")
    old_refcount = sys.getrefcount(X)
    for _ in range(100):
        wrapper(X)
        wrapper([X, X])
        with pytest.raises(TypeError):
            wrapper()
    assert sys.getrefcount(X) == old_refcount
    gone = weakref.ref(function)
    del wrapper, function
    gc.collect()
    assert gone() is None
