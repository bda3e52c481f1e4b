# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Reductions and scans on CUDA have equal bits in every run and on every GPU; sizes at the edges of tiles."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
import skerry as sk

from tests.python.session import EMULATED

SHAPES = [
    ((100_003,), 0),
    ((3, 20_001), 1),
    ((40, 300), 1),
    ((300, 7), 1),
    ((5_000, 3), 0),
    ((9_000, 33), 0),
]

#: Prints the bits of results. Runs in processes of its own, which read the settings once.
PROGRAM = """
import sys
import numpy as np
import skerry as sk
for shape, axis in {shapes!r}:
    for dtype in ("float32", "complex64"):
        rng = np.random.default_rng(20261122)
        host = (1 + rng.standard_normal(shape) / 1024).astype(dtype)
        x = sk.asarray(host, device="cuda:0")
        names = ["sum", "prod", "cumulative_sum", "cumulative_prod"]
        for name in names if dtype == "complex64" else [*names, "var"]:
            result = getattr(sk, name)(x, axis=axis)
            print(shape, dtype, name, hash(np.asarray(result.to_device("cpu:0")).tobytes()))
"""


def bits(**settings: int) -> list[str]:
    """Returns the output of the program on a GPU emulated with the settings."""
    environment = {**os.environ, "PYTHONHASHSEED": "0", "SKERRY_EMULATE_DEVICES": "1"}
    environment |= {f"SKERRY_EMULATE_{name.upper()}": str(n) for name, n in settings.items()}
    program = PROGRAM.format(shapes=SHAPES)
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if "target" in settings and "has no kernels for the compute capability" in done.stderr:
        pytest.skip(f"this build has no kernels for {settings['target']}: make emulate has both")
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


@pytest.mark.skipif(not EMULATED, reason="other models and schedules are emulated: make emulate")
def test_reduction_bits_do_not_depend_on_model_or_schedule() -> None:
    """An H100 has 132 multiprocessors. Eight resident blocks are interleaved in the order of the seed."""
    expected = bits(multiprocessors=1)
    assert bits(multiprocessors=4, resident=8, quantum=30, seed=1) == expected
    assert bits(multiprocessors=132) == expected
    assert bits(multiprocessors=132, resident=8, quantum=30, seed=2) == expected


@pytest.mark.skipif(not EMULATED, reason="other models are emulated: make emulate")
def test_scan_bits_do_not_depend_on_the_target() -> None:
    """CUB's scan of floats has other tiles for compute capability 9.0 and above."""
    scans = [[line for line in bits(target=target) if "cumulative" in line] for target in (80, 90)]
    assert len(scans[0]) == 2 * 2 * len(SHAPES)
    assert scans[0] == scans[1]


def on_device(host: np.ndarray, offset: int) -> sk.Array:
    """Returns a copy after ``offset`` items of the same allocation."""
    prefix = np.zeros(offset, host.dtype)
    whole = sk.asarray(np.concatenate((prefix, host.ravel())), device="cuda:0")
    return sk.reshape(whole[offset:], host.shape)


def fetched(x: sk.Array) -> np.ndarray:
    """Returns a copy on the host."""
    return np.asarray(x.to_device("cpu:0"))


# A 16-byte load, the lanes of a warp and of a block, four loads of each, and several of those.
EDGES = (4, 8, 32, 128, 512, 1024, 4096, 3 * 4096)


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
@pytest.mark.parametrize("offset", [0, 1, 7])
@pytest.mark.parametrize("rows", [1, 5])
def test_row_reductions_at_the_edges_of_tiles(dtype: str, offset: int, rows: int) -> None:
    """Sums of small integers are exact."""
    rng = np.random.default_rng(offset)
    for edge in EDGES:
        for length in (edge - 1, edge, edge + 1):
            host = rng.integers(0, 100, (rows, length)).astype(dtype)
            x = on_device(host, offset)
            label = f"{rows} x {length}"
            np.testing.assert_array_equal(fetched(sk.sum(x, axis=1)), host.sum(axis=1), label)
            np.testing.assert_array_equal(fetched(sk.max(x, axis=1)), host.max(axis=1), label)
            np.testing.assert_array_equal(fetched(sk.argmax(x, axis=1)), host.argmax(axis=1), label)
            np.testing.assert_array_equal(
                fetched(sk.cumulative_sum(x, axis=1)), host.cumsum(axis=1), label
            )


@pytest.mark.parametrize("offset", [0, 1, 7])
def test_variances_merge_parts_with_different_means(offset: int) -> None:
    """Parts of a row are merged by their sizes and means."""
    for length in (*range(4096, 12 * 4096, 4096), 5 * 4096 + 1, 100_003):
        host = (np.arange(length) // 4096).astype(np.float32)
        result = float(sk.var(on_device(host, offset)))
        assert result == pytest.approx(host.astype(np.float64).var(), rel=1e-6), length


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 8, 9, 31, 32, 33])
def test_row_reductions_of_many_short_rows(length: int) -> None:
    """Several rows per thread, and a last block with fewer rows."""
    for rows in (1023, 1024, 1025, 8193):
        host = np.random.default_rng(rows).integers(0, 9, (rows, length)).astype(np.float32)
        host[rows // 2, length // 2] = np.nan
        x = on_device(host, 0)
        np.testing.assert_array_equal(fetched(sk.max(x, axis=1)), host.max(axis=1))
        np.testing.assert_array_equal(fetched(sk.argmax(x, axis=1)), host.argmax(axis=1))
        np.testing.assert_array_equal(fetched(sk.sum(x, axis=1)), host.sum(axis=1))
