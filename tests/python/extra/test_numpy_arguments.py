# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Arguments of NumPy's functions, by position and by NumPy's names: out, where, initial, overwrite_input, kind, ..."""

import inspect

import numpy as np
import pytest
import skerry as sk
from skerry import _extra
from skerry.exceptions import DeviceMismatchError, DTypeError, ReadOnlyError, ShapeError

from tests.python.extra.extra_calls import A, R, call, mapped
from tests.python.extra.test_extra_functions import run
from tests.python.loops import loop_over
from tests.python.oracle import to_device, to_numpy

NAN = float("nan")
X = R((4, 6), seed=1)
NANS = np.where(R((4, 6), seed=2) > R((4, 6), seed=3), X, NAN)
SINGLE, INTEGERS = R((4, 6), "float32"), R((4, 6), "int16", low=-50, high=50)
MASK = R((4, 6), seed=4) > 0
FORTRAN = np.asfortranarray(NANS)
EMPTY = np.empty((0, 3))
INDICES = A([1, 0, 1])
CLOSE = {"_rtol": 1e-12, "_atol": 1e-13}
WHERE = [
    call(x, axis=axis, where=mask, **CLOSE)
    for x in (NANS, INTEGERS, FORTRAN[::-1, ::2])
    for axis in (None, 0, 1)
    for mask in (True, MASK[: x.shape[0], : x.shape[1]], MASK[0, : x.shape[1]])
]
INITIAL = [
    call(x, axis=axis, initial=2.0, where=mask, **CLOSE)
    for x in (NANS, FORTRAN[::-1, ::2])
    for axis in (None, 1)
    for mask in (True, MASK[: x.shape[0], : x.shape[1]])
]


def unmodified(name):
    """Return NumPy's function, called with copies of its arguments: ``overwrite_input`` makes it modify them."""
    return lambda *args, **kwargs: getattr(np, name)(*map(np.copy, args[:1]), *args[1:], **kwargs)


#: Calls with arguments that the tables of ``calls`` don't have.
CALLS = {
    "nansum": [*WHERE, *INITIAL, call(SINGLE, 1, "float64", None, True, 1, MASK, _rtol=1e-12)],
    "nanprod": [*WHERE, *INITIAL, call(EMPTY, 0, initial=3)],
    "nanmin": [
        *INITIAL,
        call(INTEGERS, 0, initial=3, where=MASK),
        call(EMPTY, 0, initial=3.0),
        call(NANS, 0, None, True, 9.0, MASK),
        call(A([NAN, NAN]), initial=4.0),
        call(NANS, where=MASK, _raises=ValueError),
        call(NANS + 1j, initial=1.0, _raises=DTypeError, _oracle=unmodified("sort_complex")),
    ],
    "nanmax": [*INITIAL, call(INTEGERS, 0, initial=-3, where=MASK), call(EMPTY, 0, initial=3.0)],
    "nanmean": [*WHERE, call(NANS, 0, "float64", None, True, where=MASK, **CLOSE)],
    "nanvar": [*WHERE, call(NANS, 0, None, None, 1, True, where=MASK, **CLOSE)],
    "nanstd": [
        *WHERE,
        call(NANS, 0, None, None, 1, True, where=MASK, correction=1, _raises=ValueError),
    ],
    "median": [
        call(X, 1, None, True, True, _oracle=unmodified("median")),
        call(X, overwrite_input=True, _oracle=unmodified("median")),
    ],
    "nanmedian": [
        call(NANS, 1, None, True, True, _oracle=unmodified("nanmedian")),
        call(INTEGERS, 1, None, False, True, _oracle=unmodified("nanmedian")),
    ],
    "quantile": [call(X, 0.3, 1, None, True, "lower", True, _oracle=unmodified("quantile"))],
    "percentile": [call(X, 30.0, 1, None, True, "lower", True, _oracle=unmodified("percentile"))],
    "nanquantile": [
        call(NANS, 0.3, 1, None, True, "lower", True, _oracle=unmodified("nanquantile"))
    ],
    "nanpercentile": [
        call(NANS, 30.0, 1, None, True, "lower", True, _oracle=unmodified("nanpercentile"))
    ],
    "ptp": [call(X, 1, None, True)],
    "choose": [
        call(A([5, -1, 1]), [A([1, 2, 3]), A([5, 6, 7])], None, "wrap"),
        call(A([5, -1, 1]), [A([1, 2, 3]), A([5, 6, 7])], None, "clip"),
    ],
    "partition": [
        call(A([3, 1, 2]), 1, -1, "introselect", None),
        call(A([3, 1, 2]), 1, kind="quick", _raises=ValueError),
        call(A([3, 1, 2]), 1, order="f", _raises=ValueError),
    ],
    "argpartition": [
        call(A([3, 1, 2]), 1, 0, "introselect"),
        call(A([3, 1, 2]), 1, 0, "introselect", ["f"], _raises=ValueError),
    ],
    "vstack": [
        call([SINGLE, INTEGERS], dtype="float64", casting="safe"),
        call([X, X], dtype="float32", casting="same_kind"),
        call([X, X], dtype="int32", casting="unsafe"),
        call([X, X], casting="no"),
        call([SINGLE, X], casting="no", _raises=DTypeError),
        call([X, X], dtype="int32", _raises=DTypeError),
    ],
    "hstack": [
        call([SINGLE, X], dtype="float32", casting="unsafe"),
        call([SINGLE, X], dtype="float32", casting="safe", _raises=DTypeError),
    ],
    "logspace": [
        call(0, 2, 5, True, 10.0, None, 0, _rtol=1e-13),
        call(0, 2, 5, axis=-1, _rtol=1e-13),
        call(0, 2, np.int8(5), _rtol=1e-13),
        call(0, 2, 5, axis=1, _raises=ValueError),
    ],
    "geomspace": [
        call(1, 100, 3, True, None, 0, _rtol=1e-13),
        call(1, 100, np.uint64(3), _rtol=1e-13),
        call(1, 100, 3, axis=-2, _raises=ValueError),
    ],
    "around": [call(X, np.int8(1)), call(X, decimals=np.uint8(2))],
}
EACH = [(name, stated) for name, calls in CALLS.items() for stated in calls]

#: Functions with ``out``: arguments, and the position of ``out``.
OUT = {
    "around": ((X, 1), 2),
    "choose": ((INDICES, [A([1, 2, 3]), A([4, 5, 6])]), 2),
    "compress": ((MASK[0], X, 1), 3),
    "cumprod": ((X, 0, None), 3),
    "cumsum": ((X, 0, None), 3),
    "fix": ((X,), 1),
    "isneginf": ((NANS,), 1),
    "isposinf": ((NANS,), 1),
    "median": ((X, 1), 2),
    "nanargmax": ((X, 1), 2),
    "nanargmin": ((X, 1), 2),
    "nancumprod": ((NANS, 1, None), 3),
    "nancumsum": ((NANS, 1, None), 3),
    "nanmax": ((NANS, 1), 2),
    "nanmean": ((NANS, 1, None), 3),
    "nanmedian": ((NANS, 1), 2),
    "nanmin": ((NANS, 1), 2),
    "nanpercentile": ((NANS, 30.0, 1), 3),
    "nanprod": ((NANS, 1, None), 3),
    "nanquantile": ((NANS, 0.3, 1), 3),
    "nanstd": ((NANS, 1, None), 3),
    "nansum": ((NANS, 1, None), 3),
    "nanvar": ((NANS, 1, None), 3),
    "percentile": ((X, 30.0, 1), 3),
    "ptp": ((X, 1), 2),
    "quantile": ((X, 0.3, 1), 3),
    "trace": ((R((4, 6, 3)), 1, 0, 1, None), 5),
}


@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
@loop_over(("name", "stated"), EACH, items="name")
def test_values_equal_numpy(name, stated, device):
    run(name, getattr(sk, name), stated, device)


def moved(device, values):
    return mapped(list(values), lambda x: to_device(device, x))


@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
@loop_over("name", list(OUT))
def test_out_has_the_values_of_numpy(name, device):
    args, position = OUT[name]
    want = getattr(np, name)(*args)
    arguments, function = moved(device, args), getattr(sk, name)
    assert list(inspect.signature(function).parameters)[position] == "out"
    for out in (
        sk.zeros(want.shape, dtype=want.dtype, device=device),
        sk.zeros((*want.shape, 2), dtype=want.dtype, device=device)[..., 1][::-1],
        sk.zeros(want.shape[::-1], dtype=want.dtype, device=device).transpose(),
    ):
        assert function(*arguments, out) is out
        np.testing.assert_allclose(to_numpy(out), want, rtol=1e-12, atol=1e-13)
        out[...] = 0
        assert function(*arguments, out=out) is out
        np.testing.assert_allclose(to_numpy(out), want, rtol=1e-12, atol=1e-13)


@loop_over("name", list(OUT))
def test_out_is_checked_and_unchanged_after_an_error(name, device):
    args, _ = OUT[name]
    result = getattr(sk, name)(*moved(device, args))
    arguments, function = moved(device, args), getattr(sk, name)
    other_device = {"cpu:0": "cpu:1", "cpu:1": "cuda:0", "cuda:0": "cuda:1", "cuda:1": "cpu:0"}[
        device
    ]
    longer = sk.full((*result.shape, 3), 7, dtype=result.dtype, device=device)
    with pytest.raises(ShapeError, match=f"^{name}: out has shape"):
        function(*arguments, out=longer)
    if result.dtype != bool:
        narrow = sk.ones(result.shape, dtype=bool, device=device)
        message = f"^{name}: the result is .*, which does not cast to the bool of out"
        with pytest.raises(DTypeError, match=message):
            function(*arguments, out=narrow)
        assert bool(sk.all(narrow))
    elsewhere = sk.full(result.shape, 7, dtype=result.dtype, device=other_device)
    with pytest.raises(DeviceMismatchError, match=f"^{name}: .*out "):
        function(*arguments, out=elsewhere)
    with pytest.raises(ReadOnlyError, match=f"^{name}: out is read-only"):
        function(
            *arguments,
            out=sk.broadcast_to(result[..., :1] if result.ndim else result, result.shape),
        )
    with pytest.raises(TypeError, match=f"^{name}: out must be an Array, not int"):
        function(*arguments, out=5)
    for untouched in (longer, elsewhere):
        assert bool(
            sk.all(
                untouched == sk.astype(sk.asarray(7), untouched.dtype).to_device(untouched.device)
            )
        )


def test_out_may_overlap_the_operand(device):
    x = to_device(device, X)
    assert sk.cumsum(x, 0, None, x) is x
    np.testing.assert_allclose(to_numpy(x), np.cumsum(X, 0), rtol=1e-13)
    y = to_device(device, X)
    sk.nanmax(y, 0, y[0])
    np.testing.assert_array_equal(to_numpy(y), [X.max(0), *X[1:]])


def test_out_may_have_another_dtype_of_the_kind(device):
    out = sk.zeros((4,), dtype="float32", device=device)
    assert sk.median(to_device(device, X), 1, out) is out
    np.testing.assert_array_equal(to_numpy(out), np.median(X, 1).astype("float32"))


#: Parameters of NumPy that functions lack: they are named one by one, private, or about headers, which are checked while
#: they are read. ``out`` of products has its own tests.
LACKING = {
    "einsum_path": {"einsum_call"},
    "load": {"max_header_size"},
}
PRODUCTS = {"dot", "einsum", "outer"}
PASSED_ON = {
    "genfromtxt",
    "loadtxt",
    "savetxt",
}  # their options are keywords that are passed on to NumPy


def test_functions_beyond_the_standard_take_the_parameters_of_numpy():
    """All but those of subclasses, of arrays of objects and of the protocol ``like=``.

    Ufuncs have their own tests, and so do functions of C++ under another name (tests/python/call/test_numpy_parameters.py).
    """
    missing = {}
    for name in _extra.__all__:
        theirs = getattr(np, name, None)
        if not callable(theirs) or isinstance(theirs, np.ufunc | type):
            continue
        if name in PRODUCTS | PASSED_ON or inspect.isbuiltin(getattr(sk, name)):
            continue
        try:
            names = set(inspect.signature(theirs).parameters)
        except ValueError:  # builtin functions of NumPy have no signature before 2.4
            continue
        ours = set(inspect.signature(getattr(sk, name)).parameters)
        if lacking := names - ours - {"like", "subok", "ndmax"}:
            missing[name] = lacking
    assert missing == LACKING
