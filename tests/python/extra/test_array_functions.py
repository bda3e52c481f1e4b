# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Functions written in Python: what their callables are, and which calls skip the conversion of arguments."""

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


def test_array_functions_are_shown_as_functions():
    assert inspect.isroutine(sk.hstack)
    assert list(inspect.signature(sk.hstack).parameters) == ["tup", "dtype", "casting"]
    assert sk.hstack.__name__ == "hstack"
    assert repr(sk.hstack) == "<function skerry.hstack>"
    assert "join along axis 1; vectors along their only axis" in pydoc.render_doc(sk.hstack)


def test_array_functions_are_copied_and_pickled_by_name():
    assert copy.deepcopy(sk.hstack) is sk.hstack
    assert pickle.loads(pickle.dumps(sk.hstack)) is sk.hstack


def test_array_functions_bind_as_methods():
    class Holder(list):
        joined = sk.hstack

    assert Holder([sk.ones(1), sk.ones(2)]).joined().shape == (3,)


def test_array_function_type_is_not_callable():
    with pytest.raises(TypeError):
        type(sk.hstack)()


@pytest.fixture
def seen():
    """A function of an array, the same one without a parameter for arrays, and their calls with converted arguments."""
    calls = []

    def function(a, *rest, **more):
        return a

    def converting(*args, **kwargs):
        calls.append(args)
        return function(*args, **kwargs)

    callable_of = functools.partial(instruments.array_function, function, converting, False, None)
    return (
        functools.wraps(function)(callable_of(("a",))),
        functools.wraps(function)(callable_of(())),
        calls,
    )


X = sk.ones((2,), device="cpu:0")
OTHER = sk.ones((2,), device="cpu:1")
HOST = np.ones(2)
DIRECT = [
    (X,), (X, OTHER), (X, 1.0, "text", None), (X, (X, X)), (X, [X, 1.0]), (X, (2, 3)), (X, [1, 2]), (X, {"a": 1}),
    (X, ()), (1.0, X),
]  # fmt: skip
DIRECT_WITHOUT_ARRAYS = [
    (2.5,),
    ((X, X),),
    ([X, X], X),
    ([X, 1.0],),
    ((2, 3),),
    ([1, 2],),
    ((),),
    ([],),
]
CONVERTED = [
    (HOST,), (X, HOST), ((X, HOST),), ([1, 2],), ((1, 2), X), (1.5,), ([[X]],), ([X, OTHER],), ([X], OTHER), ([],),
    (X, (1, [2])), (X, [X, OTHER]),
]  # fmt: skip


@pytest.mark.parametrize("args", DIRECT, ids=repr)
def test_calls_without_conversions_are_direct(seen, args):
    function, _, calls = seen
    function(*args)
    function(X, more=args[-1])
    assert not calls


@pytest.mark.parametrize("args", DIRECT_WITHOUT_ARRAYS, ids=repr)
def test_calls_of_functions_without_array_parameters_are_direct(seen, args):
    _, function, calls = seen
    function(*args)
    with pytest.raises(TypeError, match="missing"):
        function()
    assert not calls


@pytest.mark.parametrize("args", CONVERTED, ids=repr)
def test_arguments_that_may_need_conversion_are_converted(seen, args):
    function, _, calls = seen
    function(*args)
    assert len(calls) == 1


def test_keyword_arguments_are_checked_for_conversion(seen):
    function, _, calls = seen
    function(X, more=[X, 1])
    assert not calls
    function(X, more=HOST)
    function(a=[1, 2])
    function(a=1)
    assert len(calls) == 3


def test_writing_into_a_list_raises():
    with pytest.raises(TypeError, match="writes into an array"):
        sk.put([1.0, 2.0], X, X)
    with pytest.raises(TypeError, match="writes into an array"):
        sk.put((X,), X, X)


def test_arrays_of_mixed_devices_in_sequences_raise():
    with pytest.raises(DeviceMismatchError):
        sk.hstack([X, OTHER])
    with pytest.raises(DeviceMismatchError, match=r"numpy\.ndarray"):
        sk.hstack([OTHER, HOST])


def test_array_functions_leak_no_references():
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
