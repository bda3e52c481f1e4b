# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Lists as arguments of functions beyond the standard: converted to the device of the arrays, or the default device."""

import numpy as np
import pytest
import skerry as sk

CALLS = [
    ("median", [3.0, 1.0, 2.0]),
    ("quantile", [3.0, 1.0, 2.0], 0.5),
    ("percentile", [3.0, 1.0, 2.0], [50, 75]),
    ("histogram", [1.0, 2.0, 3.0]),
    ("histogramdd", [[1.0, 2.0, 5.0], [3.0, 4.0, 4.0]]),
    ("digitize", [1, 2, 3], [0, 2]),
    ("isclose", [1.0, 2.0], [1.0, 3.0]),
    ("nanmean", [1.0, float("nan")]),
    ("convolve", [1.0, 2.0, 3.0], [1.0, 1.0]),
    ("diag", [1, 2]),
    ("interp", [1.5], [1.0, 2.0], [3.0, 4.0]),
    ("cov", [1.0, 2.0, 4.0]),
    ("pad", [1, 2], 1),
    ("gradient", [1.0, 2.0, 4.0]),
    ("kron", [1, 2], [1, 1]),
    ("partition", [3, 1, 2], 1),
]


@pytest.mark.parametrize(("name", "args"), [(name, args) for name, *args in CALLS])
def test_lists_without_arrays_are_converted(name, args):
    got, want = getattr(sk, name)(*args), getattr(np, name)(*args)
    pairs = zip(got, want, strict=True) if isinstance(want, tuple) else [(got, want)]
    for ours, theirs in pairs:
        if isinstance(theirs, list | tuple):
            ours, theirs = ours[0], theirs[0]
        assert ours.device == sk.default_device()
        np.testing.assert_allclose(np.asarray(ours), theirs)


def test_lists_as_keywords_are_converted():
    assert float(sk.median(a=[3.0, 1.0, 2.0])) == 2.0


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
def test_lists_as_weights_go_to_the_device_of_the_elements(name):
    options = {"weights": [1, 1, 3], "method": "inverted_cdf"}
    want = getattr(np, name)([3.0, 1.0, 2.0], 0.5, **options)
    assert float(getattr(sk, name)([3.0, 1.0, 2.0], 0.5, **options)) == want
    got = getattr(sk, name)(sk.asarray([3.0, 1.0, 2.0], device="cpu:1"), 0.5, **options)
    assert (float(got), got.device) == (want, sk.Device("cpu:1"))


def test_lists_are_converted_on_the_default_device():
    with sk.device("cuda:0"):
        assert sk.median([3.0, 1.0, 2.0]).device == sk.Device("cuda:0")


@pytest.mark.parametrize("name", ["kron", "dot", "convolve"])
def test_list_with_an_array_has_its_dtype_and_device(name):
    x = np.asarray([3, 4], dtype="float32")
    result = getattr(sk, name)(sk.asarray(x, device="cpu:1"), [1.0, 2.0])
    assert (result.dtype, result.device) == (sk.float32, sk.Device("cpu:1"))
    assert result.tolist() == getattr(np, name)(x, [1.0, 2.0]).tolist()


@pytest.mark.parametrize(
    ("name", "args"),
    [("put", ([0], [5])), ("place", ([True, False], [5])), ("putmask", ([True, False], [5]))],
)
def test_targets_must_be_arrays(name, args):
    with pytest.raises(TypeError, match=f"{name}: writes into an array, not into list"):
        getattr(sk, name)([1, 2], *args)
