# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""NumPy as the oracle: samples, layouts, and the one comparison that checks value, dtype, shape and device."""

import importlib.util

import numpy as np
import skerry as sk
from skerry import _data_types, _extra

DTYPES = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]
# bfloat16 is a dtype of ml_dtypes in NumPy. Its own tests are skipped, with the reason, where that is not installed.
if importlib.util.find_spec("ml_dtypes"):
    import ml_dtypes

    BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
    DTYPES.insert(DTYPES.index("float32"), "bfloat16")
# Dtypes of NumPy's own, which have a type string for the array interfaces and which NumPy takes by DLPack.
NUMPYS = [name for name in DTYPES if name != "bfloat16"]
# Dtypes that are computed in float32 and rounded once.
HALVES = [name for name in ("float16", "bfloat16") if name in DTYPES]
# Public names, except the functions beyond the standard, which are tested in extra/.
STANDARD_NAMES = [name for name in sk.__all__ if name not in _extra.__all__]
# Dtypes that the array API standard does not have.
BEYOND_THE_STANDARD = {"float16", "bfloat16"}
SIZES = (0, 1, 31, 32, 33, 127, 128, 129, 4095, 4096, 4097, 100_003)

# Relative error allowed, per dtype, of results that need not be correctly rounded: 4 units in the last place of the
# vectorised functions, and more for complex ones, whose error is relative to the modulus. Results of ``HALVES`` are
# float32 results, rounded: `assert_within_a_unit`.
TOLERANCE = {"float32": 1e-6, "float64": 4e-15, "complex64": 4e-6, "complex128": 2e-14}


def kind_of(dtype):
    """Returns the character of NumPy's kind of a dtype or its name; "f" for bfloat16."""
    return _data_types.kind_of(np.dtype(dtype))


def comparable(x):
    """Returns float32 for bfloat16, whose NaNs NumPy's comparisons of arrays don't know; other arrays unchanged."""
    return x.astype(np.float32) if x.dtype.name == "bfloat16" else x


def to_numpy(x):
    """Returns a copy on the host of an array of any device."""
    return np.array(x.to_device("cpu:0"))


def assert_within_a_unit(values, want, *, slack=0.0, label=""):
    """Asserts a difference of at most one unit in the last place, or of ``slack``, as for rounded float32 results."""
    infinity = want.dtype.type(np.inf)
    with np.errstate(all="ignore"):
        fits = (np.nextafter(want, -infinity) <= values) & (values <= np.nextafter(want, infinity))
        fits |= np.abs(values.astype(np.float64) - want) <= slack
    fits |= np.isnan(comparable(values)) & np.isnan(comparable(want))
    assert np.all(fits), f"{label}: {values[~fits][:5]} instead of {want[~fits][:5]}"


def assert_same(got, want, device, *, dtype=None, exact=True, scale=0.0, label=""):
    """Asserts that ``got`` is a skerry array on ``device`` with the values, dtype and shape of the NumPy array ``want``.

    ``scale`` is the size of the arguments, if results may cancel: the tolerance is then relative to it.
    """
    want = np.asarray(want)
    assert isinstance(got, sk.Array), label
    assert got.device == sk.Device(device), f"{label}: on {got.device}, expected {device}"
    assert got.dtype == np.dtype(dtype or want.dtype), f"{label}: {got.dtype}"
    assert got.shape == want.shape, f"{label}: {got.shape} instead of {want.shape}"
    values = to_numpy(got)
    if exact:
        values, want = comparable(values), comparable(want)
        np.testing.assert_array_equal(values, want, err_msg=label, strict=False)
        return
    if got.dtype.name in HALVES:
        slack = TOLERANCE["float32"] * scale
        assert_within_a_unit(values, want.astype(got.dtype), slack=slack, label=label)
        return
    tolerance = TOLERANCE[got.dtype.name]
    if kind_of(got.dtype) == "c":
        finite = np.isfinite(want)
        np.testing.assert_array_equal(np.isfinite(values), finite, err_msg=label)
        error = np.abs(values[finite] - want[finite])
        bound = tolerance * np.maximum(np.abs(want[finite]), 1e-30)
        assert np.all(error <= bound), (
            f"{label}: worst {np.max(error / bound):.3g} of the tolerance"
        )
        return
    np.testing.assert_allclose(
        values, want, rtol=tolerance, atol=tolerance * scale, equal_nan=True, err_msg=label
    )


def sample(dtype, shape, seed=0, low=None, high=None):
    """Returns random values: any bool, small integers, floats in [-3, 3] unless bounded."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    kind = kind_of(dtype)
    if kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if kind in "iu":
        low = (0 if kind == "u" else -100) if low is None else low
        high = 100 if high is None else high
        return rng.integers(low, high + 1, shape).astype(dtype)
    low, high = (-3.0 if low is None else low), (3.0 if high is None else high)
    high = min(high, float(_data_types.limits_of(dtype).max))
    values = rng.uniform(low, high, shape)
    if kind == "c":
        values = values + 1j * rng.uniform(low, high, shape)
    return np.asarray(values).astype(dtype)


def _c(x):
    return x


def _transposed(x):
    return x.T


def _offset_slice(x):
    return x[1:, 2:]


def _negative_step(x):
    return x[::-1, ::-2]


def _stepped(x):
    return x[::2, 1::3]


def _column(x):
    return x[:, 3:4]


def _row(x):
    return x[2:3, :]


# Views that both libraries create from the same (9, 14) base by the same expression.
LAYOUTS = {
    "C": _c,
    "transposed": _transposed,
    "offset_slice": _offset_slice,
    "negative_step": _negative_step,
    "stepped": _stepped,
    "column": _column,
    "row": _row,
}
BASE_SHAPE = (9, 14)


def odd_bytes(nbytes):
    """Returns zeros of NumPy, as bytes, that begin at an odd address."""
    memory = np.zeros(nbytes + 1, "uint8")
    return memory[1 - memory.ctypes.data % 2 :][:nbytes]


def to_device(device, x):
    """Returns a copy of a NumPy array on ``device``, with its memory order."""
    return sk.asarray(x, device="cpu:0", copy=True).to_device(device)


def layouts_of(x, device):
    """Yields (name, skerry view, NumPy view) of the same elements for a base of ``BASE_SHAPE``."""
    array = to_device(device, x)
    for name, view in LAYOUTS.items():
        yield name, view(array), view(x)
    yield "F", to_device(device, np.asfortranarray(x)), x
    yield "0-d", array[1, 2], x[1, 2]
    stretched = np.broadcast_to(x[0], BASE_SHAPE)
    yield "broadcast", sk.broadcast_to(array[0, :], BASE_SHAPE), stretched
