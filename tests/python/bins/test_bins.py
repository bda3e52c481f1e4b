# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Counts equal NumPy's exactly; weighted sums do not depend on the number of threads."""

import subprocess
import sys

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import to_device, to_numpy

SUMS = """
import numpy as np, skerry as sk
rng = np.random.default_rng(3)
x, w = rng.integers(0, 300, 400_000), rng.normal(size=400_000)
print(np.asarray(sk.bincount(sk.asarray(x), weights=sk.asarray(w))).tobytes().hex())
"""


@loop_over("bins", [1, 2, 7, 100, 3000, 5000])
@loop_over("dtype", ["float16", "float32", "float64", "int16"])
def test_items_at_edges_are_in_the_same_bins_as_in_numpy(dtype, bins, device):
    """Items on computed edges, and next to them, show whether an estimated bin is corrected."""
    edges = np.linspace(-3, 11, min(bins, 500) + 1).astype(dtype)
    neighbours = [edges, np.nextafter(edges, edges + 1), np.nextafter(edges, edges - 1)]
    x = np.concatenate(neighbours) if np.dtype(dtype).kind == "f" else edges
    for limits in (None, (-3, 11), (-2.5, 10.1)):
        try:
            want, want_edges = np.histogram(x, bins, limits)
        except ValueError:
            with pytest.raises(ValueError, match="too many bins"):
                sk.histogram(to_device(device, x), bins, limits)
            continue
        counts, got_edges = sk.histogram(to_device(device, x), bins, limits)
        np.testing.assert_array_equal(to_numpy(got_edges), want_edges)
        np.testing.assert_array_equal(to_numpy(counts), want)


@pytest.mark.parametrize("bins", [1, 10, 5000])
def test_counts_of_many_random_items_equal_numpy(bins, device):
    rng = np.random.default_rng(1)
    x = rng.normal(size=200_000 if device.startswith("cpu") else 20_000)
    np.testing.assert_array_equal(
        to_numpy(sk.histogram(to_device(device, x), bins)[0]), np.histogram(x, bins)[0]
    )
    numbers = np.abs(x * bins).astype("int64")
    np.testing.assert_array_equal(
        to_numpy(sk.bincount(to_device(device, numbers))), np.bincount(numbers)
    )
    np.testing.assert_allclose(
        to_numpy(sk.bincount(to_device(device, numbers), to_device(device, x))),
        np.bincount(numbers, x),
        rtol=1e-9,
        atol=1e-9,
    )


def test_weighted_sums_do_not_depend_on_the_number_of_threads(monkeypatch):
    outputs = set()
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("SKERRY_NUM_THREADS", threads)
        run = subprocess.run(
            [sys.executable, "-c", SUMS], capture_output=True, text=True, check=True
        )
        outputs.add(run.stdout)
    assert len(outputs) == 1


def test_bincount_names_a_uint64_that_needs_too_many_bins(device):
    """It was reported as a negative number."""
    x = sk.asarray([1, 2**63 + 5], dtype=sk.uint64, device=device)
    with pytest.raises(
        ValueError, match="bincount: x has the number 9223372036854775813, which would need"
    ):
        sk.bincount(x)
