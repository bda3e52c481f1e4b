# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The forms of the elementwise loop on a CPU: the form that computes an item does not affect its bits.

A fast form computes blocks of 512 items (`fast_form_block` of ops/kernel/cpu/loops.hpp) without arguments that it gets
wrong; a scalar form needs 32 items or more (`min_scalar_form_size`). Each array is compared with its items one at a time,
which are separate blocks and too few for a scalar form, and those with NumPy.
"""

import dataclasses
import functools

import numpy as np
import skerry as sk

from tests.python.loops import loop_over

SIZES = (1, 33, 511, 512, 513, 1025)
MOST = 1025
FLOATS = ("float16", "float32", "float64")
INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")


@dataclasses.dataclass(frozen=True)
class Case:
    """A function, ranges of its arguments, and arguments that its fast form gets wrong."""

    function: str
    dtype: str
    ranges: tuple  # of each argument
    slow: tuple  # tuples of arguments

    def __str__(self):
        return f"{self.function} {self.dtype}"

    def ordinary(self):
        """Returns arrays of arguments that the fast form takes."""
        rng = np.random.default_rng(5)
        if np.dtype(self.dtype).kind in "iu":
            return [rng.integers(*ends, MOST).astype(self.dtype) for ends in self.ranges]
        arrays = [rng.uniform(*ends, MOST) for ends in self.ranges]
        if np.dtype(self.dtype).kind == "c":
            arrays = [x + 1j * rng.uniform(0.1, 2, MOST) for x in arrays]
        return [x.astype(self.dtype) for x in arrays]


def cases_of(functions, dtypes, ranges, slow):
    return [Case(name, dtype, ranges, slow) for name in functions for dtype in dtypes]


INF, NAN = float("inf"), float("nan")
SINGLES = ("float32", "float64")
FAST = [
    *cases_of(["exp", "exp2"], FLOATS, ((-2, 2),), ((-2000.0,), (2000.0,), (INF,), (NAN,))),
    *cases_of(["log", "log2", "log10"], FLOATS, ((0.1, 9),), ((0.0,), (-1.0,), (INF,), (NAN,))),
    # float32 has another form from 2^17 to 2^40.
    *cases_of(["sin", "cos", "tan"], SINGLES, ((-9, 9),), ((3e5,), (2e12,), (-INF,), (NAN,))),
    *cases_of(["pow"], FLOATS, ((0.1, 2),) * 2, ((-2.0, 5.0), (0.5, 2.0), (2.0, 9999.0), (NAN, 1.5))),
    *cases_of(["logaddexp"], FLOATS, ((1, 9),) * 2, ((-0.25, -1.5), (-0.5, -0.9325), (NAN, -1.0))),
    *cases_of(["remainder", "fmod"], SINGLES, ((-99, 99), (0.1, 9)), ((1e30, 3.0), (1.0, INF), (1.0, 0.0))),
    *cases_of(["floor_divide", "remainder", "fmod"], ["int64", "uint64"], ((1, 10**6), (1, 99)),
              ((2**62 + 1, 7), (5, 2**52), (2**51, 3))),
    *cases_of(["pow"], ["int32", "uint32", "int64", "uint64"], ((0, 99), (0, 20)), ((3, 128), (1, 999))),
    *cases_of(["divide"], ["complex64", "complex128"], ((0.1, 2),) * 2,
              ((1e38 + 1e38j, 1e38 - 1e37j), (1 + 0j, 0j), (complex(INF, 1), 1 + 1j))),
]  # fmt: skip


def bits(x):
    """Returns the bits of an array, with all NaNs equal."""
    values = np.ascontiguousarray(x)
    parts = values.view(values.real.dtype)
    return np.where(np.isnan(parts), 0, parts.view(f"u{parts.itemsize}"))


def one_by_one(function, *arrays):
    """Returns the results of items one at a time."""
    rows = zip(*arrays, strict=True)
    results = [function(*(sk.asarray(np.asarray([item])) for item in row)) for row in rows]
    return np.concatenate([np.asarray(result) for result in results])


def assert_near(values, name, arrays):
    """Compares with NumPy, in higher precision if there is one."""
    dtype = arrays[0].dtype
    wide = {"f": "longdouble", "c": "clongdouble"}.get(dtype.kind, dtype)
    with np.errstate(all="ignore"):
        want = getattr(np, name)(*(x.astype(wide) for x in arrays)).astype(values.dtype)
    if dtype.kind in "iu":
        np.testing.assert_array_equal(values, want)
    else:
        np.testing.assert_allclose(values, want, rtol=4 * np.finfo(dtype).eps, atol=0)


@functools.cache
def expected(case):
    """Returns arguments, fast ones followed by slow ones, and their results one at a time."""
    slow = [np.asarray(values).astype(case.dtype) for values in zip(*case.slow, strict=True)]
    arrays = [np.concatenate(pair) for pair in zip(case.ordinary(), slow, strict=True)]
    return arrays, one_by_one(getattr(sk, case.function), *arrays)


@loop_over("case", FAST)
def test_single_items_equal_numpy(case):
    with np.errstate(all="ignore"):
        arrays, results = expected(case)
    if case.function in ("remainder", "fmod") and np.dtype(case.dtype).kind == "f":
        arrays = [x.astype("float64") for x in arrays]  # NumPy's long double is not exact
        with np.errstate(all="ignore"):
            want = getattr(np, case.function)(*arrays).astype(case.dtype)
        np.testing.assert_array_equal(results, want)
    elif case.function == "divide":
        finite = slice(0, MOST)  # infinities of complex numbers differ from NumPy's
        assert_near(results[finite], case.function, [x[finite] for x in arrays])
    else:
        assert_near(results, case.function, arrays)


@loop_over("case", FAST)
def test_slow_items_at_any_position(case):
    with np.errstate(all="ignore"):
        arrays, results = expected(case)
    function = getattr(sk, case.function)
    for n in SIZES:
        for k, position in enumerate((None, 0, n - 1, min(n - 1, 511), min(n - 1, 512))):
            chosen = np.arange(n)
            if position is not None:
                chosen[position] = MOST + k % len(case.slow)
            operands = [sk.asarray(x[chosen]) for x in arrays]
            want = bits(results[chosen])
            np.testing.assert_array_equal(bits(function(*operands)), want, f"{n}, {position}")
            backwards = function(*(x[::-1] for x in operands))
            np.testing.assert_array_equal(bits(backwards[::-1]), want, f"{n}, {position}, [::-1]")
            # The output may be an input.
            target = sk.asarray(operands[0], copy=True)
            target[:] = function(target, *operands[1:])
            np.testing.assert_array_equal(bits(target), want, f"{n}, {position}, in place")


@loop_over("case", [case for case in FAST if len(case.ranges) == 2])
def test_scalar_operands_with_blocks(case):
    with np.errstate(all="ignore"):
        arrays, _ = expected(case)
    function = getattr(sk, case.function)
    for side in (0, 1):
        others = arrays[1 - side]  # the slow ones are last
        for value in (arrays[side][0], arrays[side][MOST]):
            same = np.full(len(others), value)
            pair = (same, others) if side == 0 else (others, same)
            want = bits(one_by_one(function, *pair)).reshape(len(others), -1)
            for n in SIZES:
                rest = sk.asarray(others[-n:])
                single = sk.broadcast_to(sk.asarray(np.asarray([value])), rest.shape)
                for operand in (single, sk.asarray(value)):
                    pair = (operand, rest) if side == 0 else (rest, operand)
                    got = bits(function(*pair)).reshape(n, -1)
                    np.testing.assert_array_equal(got, want[-n:], f"{n}, {side}, {value}")


SCALAR = [
    *[(name, dtype, scalar) for name in ("floor_divide", "remainder") for dtype in INTEGERS
      for scalar in (1, 2, 7, 100, *((-3, -128) if dtype[0] == "i" else ()))],
    *[("bitwise_right_shift", dtype, scalar) for dtype in ("int8", "uint8") for scalar in (0, 3, 7, 9)],
    *[("divide", dtype, scalar) for dtype in FLOATS for scalar in (4.0, 0.5, -2.0, 3.0)],
    *[("pow", dtype, 3) for dtype in (*FLOATS, *INTEGERS)],
]  # fmt: skip


@loop_over(("name", "dtype", "scalar"), SCALAR)
def test_scalar_forms_around_their_minimum_size(name, dtype, scalar):
    rng = np.random.default_rng(7)
    ends = (-100 if dtype[0] != "u" else 0, 100)
    host = (rng.uniform(*ends, 100) if dtype[0] == "f" else rng.integers(*ends, 100)).astype(dtype)
    function = getattr(sk, name)
    with np.errstate(all="ignore"):
        want = one_by_one(function, host, np.full_like(host, scalar))
        numpys = getattr(np, name)(host, np.asarray(scalar, dtype))
    if dtype[0] == "f":
        np.testing.assert_allclose(want, numpys, rtol=4 * np.finfo(dtype).eps)
    else:
        np.testing.assert_array_equal(want, numpys)
    for n in (1, 31, 32, 33, 100):
        x = sk.asarray(host[:n])
        np.testing.assert_array_equal(bits(function(x, scalar)), bits(want[:n]), f"{n}")
        np.testing.assert_array_equal(bits(function(x[::-1], scalar)[::-1]), bits(want[:n]), f"{n}")
        same = sk.broadcast_to(x[:1], (n,))
        np.testing.assert_array_equal(bits(function(same, scalar)), bits(want[[0] * n]), f"{n}")
