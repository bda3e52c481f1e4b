# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``poly1d`` against NumPy's, on every device."""

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import DeviceMismatchError

from tests.python.oracle import to_device, to_numpy

P, Q = np.asarray([1.0, 2, 3]), np.asarray([2.0, 1])
EXPRESSIONS = [
    "p + q", "p - q", "p * q", "p / q", "p + 2", "2 + p", "p - 2", "2 - p", "p * 2", "2 * p", "p / 2", "2 / p",
    "p + [1, 2]", "[1, 2] + p", "[1, 2] - p", "p * [1, 2]", "[1, 2] * p", "p / [1, 2]", "[1, 2] / p", "p**3", "-p", "+p",
    "p(2)", "p(q)", "p([1, 2])", "p(x)", "p.deriv()", "p.deriv(2)", "p.integ()", "p.integ(2, [1, 2])", "p.integ(k=1)",
    "p.r", "p.roots", "p.c", "p.coef", "p.coefficients", "p.coeffs", "p.o", "p.order", "len(p)", "p.variable", "list(p)",
    "p[2]", "p[0]", "p[9]", "p[-1]", "p == q", "p == p * 1", "p != q", "p == 3", "str(p)", "np.polyval(p, 2.5)",
    "np.polyval([1, 2], p)", "np.polyadd(p, [1, 2])", "np.polymul([1, 2], p)", "np.polydiv(p, q)", "np.polysub(1, p)",
    "np.roots(p)", "np.polyder(p)", "np.polyint(p)", "np.poly1d(p, variable='s')", "str(np.poly1d(p, variable='s'))",
    "np.poly1d([0, 0, 1, 2])", "np.poly1d([0, 0])", "np.poly1d([1, 2], True)", "np.poly1d(3)", "np.poly1d(x)",
]  # fmt: skip


def assert_alike(got, want, device):
    if isinstance(want, np.poly1d):
        assert isinstance(got, sk.poly1d)
        assert got.variable == want.variable
        got, want = got.coeffs, want.coeffs
    if isinstance(want, tuple | list):
        for pair in zip(got, want, strict=True):
            assert_alike(*pair, device)
    elif isinstance(got, sk.Array):
        assert got.device == sk.Device(device)
        assert got.shape == np.shape(want)
        assert got.dtype == np.asarray(want).dtype
        np.testing.assert_allclose(to_numpy(got), want, rtol=1e-14)
    else:
        assert got == want
        assert not isinstance(want, np.ndarray)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_values_equal_numpy(expression, device):
    want = eval(expression, {"np": np, "p": np.poly1d(P), "q": np.poly1d(Q), "x": np.arange(4.0)})
    with sk.device(device):
        p, q, x = (to_device(device, a) for a in (P, Q, np.arange(4.0)))
        names = {"np": sk, "p": sk.poly1d(p), "q": sk.poly1d(q), "x": x}
        assert_alike(eval(expression, names), want, device)


def test_polynomials_of_numpy_are_on_cpu_0(device):
    with sk.device(device):
        for theirs in (np.poly1d(P, variable="s"), np.poly1d([0, 0])):
            got = sk.poly1d(theirs)
            assert_alike(got, theirs, "cpu:0")
        assert_alike(sk.poly1d(np.poly1d(P), True, "t"), np.poly1d(P, True, "t"), "cpu:0")


def test_coefficients_can_be_set(device):
    got, want = sk.poly1d(to_device(device, P.copy())), np.poly1d(P.copy())
    for key, value in ((0, 7.0), (2, -1.0), (4, 5.0)):
        got[key] = value
        want[key] = value
        assert_alike(got, want, device)
    with pytest.raises(ValueError, match="poly1d: no negative powers: -1"):
        got[-1] = 1.0


def test_coefficients_are_changed_in_place_only(device):
    p = sk.poly1d(to_device(device, P.copy()))
    p.coeffs += 1
    p.c[0] = 7.0
    assert to_numpy(p.coeffs).tolist() == [7.0, 3.0, 4.0]
    with pytest.raises(AttributeError, match=r"^poly1d: coeffs are changed in place only"):
        p.coeffs = to_device(device, Q)


def test_text_shows_the_device():
    assert repr(sk.poly1d([1, 2])) == "poly1d(Array([1, 2], dtype=int64, device='cpu:0'))"


def test_coefficients_are_a_numpy_array_on_the_cpu():
    np.testing.assert_array_equal(np.asarray(sk.poly1d([1.0, 2.0])), [1.0, 2.0])


def test_errors():
    p, q = sk.poly1d(sk.ones(2)), sk.poly1d(sk.ones(2, device="cuda:0"))
    for name, combine in (
        ("polyadd", lambda: p + q),
        ("polymul", lambda: p * q),
        ("polydiv", lambda: p / q),
    ):
        with pytest.raises(DeviceMismatchError, match=name):
            combine()
    with pytest.raises(ValueError, match="poly1d: power to a non-negative integer only, not -1"):
        p**-1
    with pytest.raises(ValueError, match="poly1d: coefficients must be a 1-D array, not of 2 axes"):
        sk.poly1d(sk.ones((2, 2)))
    with pytest.raises(TypeError, match="unhashable"):
        hash(p)
