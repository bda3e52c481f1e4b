# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Functions beyond the standard against NumPy's, called by both names, on every device and with mixed devices."""

import contextlib
import dataclasses
import functools
import inspect
import pathlib

import numpy as np
import pytest
import skerry as sk
from skerry import _extra
from skerry._extra import _operands
from skerry.exceptions import DeviceMismatchError
from skerry.testing import instruments

from tests.python.extra import extra_calls
from tests.python.loops import loop_over
from tests.python.oracle import to_device, to_numpy

CALLS = extra_calls.all_calls()
EACH = [(name, call) for name, calls in CALLS.items() for call in calls]
OTHER = {"cpu:0": "cuda:0", "cpu:1": "cpu:0", "cuda:0": "cuda:1", "cuda:1": "cpu:0"}


def test_every_function_has_calls():
    apart = extra_calls.tested_apart()
    assert sorted([*CALLS, *apart]) == sorted(_extra.__all__)
    assert all(CALLS.values())
    for name, module in apart.items():
        text = (pathlib.Path(__file__).parent / f"{module}.py").read_text()
        is_used = f"sk.{name}" in text or f'"{name}"' in text
        assert is_used, f"{module}.py does not use {name}"


def assert_alike(got, want, stated, device):
    """The results have the same structure and values, with arrays on ``device``."""
    if isinstance(want, tuple | list):
        assert len(got) == len(want)
        for pair in zip(got, want, strict=True):
            assert_alike(*pair, stated, device)
        return
    if callable(want):
        assert got is want
        return
    if isinstance(want, str | dict | slice | None | type(Ellipsis)):
        assert got == want or isinstance(want, dict)
        return
    if isinstance(got, sk.Array):
        assert got.device == sk.Device(device)
        assert got.shape == np.shape(want)
        assert got.dtype == np.dtype(stated.dtype or np.asarray(want).dtype)
        got = to_numpy(got)
    else:
        assert not isinstance(want, np.ndarray), "NumPy returns an array"
    if stated.rtol is None and stated.atol == 0:
        np.testing.assert_array_equal(got, want)
    else:
        np.testing.assert_allclose(got, want, rtol=stated.rtol or 0, atol=stated.atol)


def run(name, function, stated, device):
    args, kwargs = stated.move_arguments(device)
    if stated.raises is not None:
        with pytest.raises(stated.raises):
            function(*args, **kwargs)
        return
    oracle = stated.oracle or getattr(np, name)
    their_args, their_kwargs = extra_calls.mapped((stated.args, stated.kwargs), np.copy)
    with np.errstate(all="ignore"), sk.device(device):
        want = oracle(*their_args, **their_kwargs)
        assert_alike(function(*args, **kwargs), want, stated, device)
    # Both functions leave equal values in their arguments.
    stated = dataclasses.replace(stated, dtype=None)
    assert_alike((*args, *kwargs.values()), (*their_args, *their_kwargs.values()), stated, device)


@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
@loop_over(("name", "stated"), EACH, items="name")
def test_values_equal_numpy(name, stated, device):
    run(name, getattr(sk, name), stated, device)


@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
@loop_over(("name", "stated"), EACH, items="name")
def test_values_through_numpy_dispatch(name, stated, device):
    """``numpy.f`` dispatches to skerry's function, if NumPy dispatches f and accepts these arguments."""
    function = getattr(np, name, None)
    if hasattr(function, "_implementation") and stated.oracle is None:
        arrays = []
        extra_calls.mapped((stated.args, stated.kwargs), arrays.append)
        if arrays:
            run(name, function, stated, device)


@pytest.mark.parametrize("name", CALLS)
def test_docstrings_state_reads_from_the_device(name):
    """Functions that copy elements to the host say so. The others do not wait for the device."""
    function, read = getattr(sk, name), 0
    for stated in CALLS[name]:
        args, kwargs = stated.move_arguments("cuda:0")
        sk.synchronize()
        old_bytes = instruments.transfers()["device_to_host_bytes"]
        with sk.device("cuda:0"), contextlib.suppress(Exception):
            function(*args, **kwargs)
        read += instruments.transfers()["device_to_host_bytes"] - old_bytes
    text = inspect.getdoc(function).lower()
    assert (read > 0) == ("from the device" in text), f"{read} bytes"


@pytest.mark.parametrize(("name", "other"), [("radians", "deg2rad"), ("degrees", "rad2deg")])
def test_functions_with_two_names_give_the_same_bits(name, other):
    x = sk.asarray([0.0, 0.1, 90.0, -1e300, np.inf, np.nan])
    results = [np.asarray(getattr(sk, function)(x)).tobytes() for function in (name, other)]
    assert results[0] == results[1]


BY_PIECES = {
    "i0": lambda x: sk.i0(x),
    "angle": lambda x: sk.angle(x),
    "interp": lambda x: sk.interp(x, sk.arange(5.0), sk.arange(5.0) ** 2, left=-1.0),
}


@pytest.mark.parametrize("name", BY_PIECES)
def test_results_do_not_depend_on_the_block_size(name, monkeypatch):
    x = sk.asarray(np.linspace(-9, 9, 7 * 11).reshape(7, 11), copy=True)
    whole = BY_PIECES[name](x), BY_PIECES[name](x.T)
    monkeypatch.setattr(_operands, "PIECE", 10)
    parts = BY_PIECES[name](x), BY_PIECES[name](x.T)
    for one, other in zip(whole, parts, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(to_numpy(one), to_numpy(other))


def moved_in_turn(devices, x):
    return to_device(next(devices), x)


@pytest.mark.parametrize("name", CALLS)
def test_mixed_devices_raise_for_each_argument(name, device):
    """In turn, each array of a call is on another device than the others."""
    for stated in CALLS[name]:
        arrays = []
        extra_calls.mapped((stated.args, stated.kwargs), arrays.append)
        if stated.raises is not None or len(arrays) < 2:
            continue
        for odd in range(len(arrays)):
            devices = [OTHER[device] if i == odd else device for i in range(len(arrays))]
            move = functools.partial(moved_in_turn, iter(devices))
            args, kwargs = extra_calls.mapped((stated.args, stated.kwargs), move)
            with pytest.raises(DeviceMismatchError, match="to_device"):
                getattr(sk, name)(*args, **kwargs)


def test_numpy_arrays_are_on_cpu_0():
    host = np.asarray([1.0, 2.0])
    for call in (
        lambda x: sk.outer(x, host),
        lambda x: sk.einsum("i,i->i", host, x),
        lambda x: sk.interp(x, host, x),
        lambda x: sk.vstack([host, x]),
    ):
        got = call(sk.asarray([0.5, 1.5], device="cpu:0"))
        assert got.device == sk.Device("cpu:0")
        for device in ("cpu:1", "cuda:0"):
            with pytest.raises(DeviceMismatchError):
                call(sk.asarray([0.5, 1.5], device=device))


def test_lists_that_hold_no_numbers_raise():
    with pytest.raises(TypeError, match=r"^outer: every element must be a Python scalar, not str"):
        sk.outer([1, "2"], sk.ones((2,)))


@pytest.mark.parametrize("name", extra_calls.own_callables())
def test_signatures_follow_numpy(name):
    """Shared parameters have NumPy's order and defaults. Others, such as device=, are keyword-only or default to None."""
    theirs = getattr(np, name, None)
    if theirs is None:
        return
    try:
        numpy_parameters = inspect.signature(theirs).parameters
    except ValueError:
        return
    ours = inspect.signature(getattr(sk, name)).parameters
    shared = [parameter for parameter in ours if parameter in numpy_parameters]
    assert shared == [parameter for parameter in numpy_parameters if parameter in ours]
    for parameter in shared:
        default, its = ours[parameter].default, numpy_parameters[parameter].default
        if its is not np._NoValue and not isinstance(its, type):
            assert default is its or default == its, f"{parameter}={default}, NumPy has {its}"
    for parameter in set(ours) - set(numpy_parameters):
        assert (
            ours[parameter].kind
            in (
                inspect.Parameter.KEYWORD_ONLY,
                inspect.Parameter.VAR_POSITIONAL,
                inspect.Parameter.VAR_KEYWORD,
            )
            or ours[parameter].default is None
        ), parameter
