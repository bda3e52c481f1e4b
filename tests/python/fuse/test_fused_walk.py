# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Random programs with row reductions: fused and eager bits, layouts and errors are equal for any number of threads."""

import numpy as np
import pytest
import skerry as sk

from tests.python.fuse import walked_programs as walked
from tests.python.fuse.recorded_sizes import all_sizes_recorded  # noqa: F401
from tests.python.loops import loop_over

THREADS = (1, 2, 5)


def find_fault(program):
    """Returns what differs, or an empty text."""
    fused = sk.fuse(walked.run)
    want = None
    for threads in THREADS:
        sk.set_num_threads(threads)
        for function in (walked.run, fused):
            got = walked.outcome(function, program)
            want = want or got
            if faults := walked.differences(want, got):
                mode = "fused" if function is fused else "eager"
                return f"{mode} by {threads} threads, {faults[0]} ({len(faults)} in all)"
    return ""


def assert_alike(program):
    if fault := find_fault(program):
        least = walked.shrunk(program, find_fault)
        pytest.fail(f"{fault}\nshrunk to {find_fault(least)}: {least}")


def assert_rows_alike(run, *arrays):
    """Compares bits for several numbers of threads, as these change which rows share a chunk."""
    for threads in THREADS:
        sk.set_num_threads(threads)
        want, got = run(*arrays), sk.fuse(run)(*arrays)
        assert walked.bits_of(got) == walked.bits_of(want), threads


# (programs, programs with --full, maximum elements of an array, device)
WALKS = {
    "small": (700, 12_000, 30_000, "cpu:0"),
    "large": (12, 1200, 2_100_000, "cpu:0"),
    "rehearsed": (100, 2000, 30_000, "cuda:0"),
}


@pytest.mark.parametrize("walk", WALKS)
@pytest.mark.parametrize("part", range(4))
def test_random_programs_are_alike_eager_and_fused(walk, part, full, restore_threads):
    few, full_count, most_elements, device = WALKS[walk]
    count = (full_count if full else few) // 4
    for seed in range(part * count, (part + 1) * count):
        assert_alike(walked.make_program(seed, device, most_elements))


@loop_over("dtype", ["float16", "float32", "float64"])
@loop_over("length", [2, 3, 4, 5, 8, 9, 33, 64, 65])
def test_sign_of_extreme_zero_depends_on_the_row_alone(restore_threads, dtype, length):
    rng = np.random.default_rng(length)
    for rows in (8, 63, 131, 1000):
        zeros = np.where(rng.random((rows, length)) < 0.5, 0.0, -0.0).astype(dtype)
        x = sk.asarray(zeros, copy=True)
        for reduce in (sk.max, sk.min):
            assert_rows_alike(lambda x, r=reduce: r(-x, axis=1, keepdims=True) + -0.0, x)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", ["max", "min", "nanmax", "nanmin"])
def test_extrema_give_the_canonical_nan(dtype, name):
    """Its bits depend neither on the position of the row nor on the kernel."""
    width = np.dtype(dtype).itemsize
    quiet = np.array([np.nan], dtype).view(f"u{width}")[0]
    negative = quiet | np.array(1 << (8 * width - 1), f"u{width}")
    for shape in ((131, 2), (131, 3), (131, 5), (131, 64), (3, 131), (2, 70_000)):
        x = np.full(shape, negative | 5, f"u{width}").view(dtype)
        for axis in (0, 1):
            result = np.asarray(getattr(sk, name)(sk.asarray(x, copy=True), axis=axis))
            assert set(result.view(f"u{width}").ravel()) == {quiet}, (shape, axis)


@pytest.mark.parametrize("dtype", ["complex64", "complex128", "float16"])
@pytest.mark.parametrize("length", [31, 32, 33, 40, 63, 64, 65])
def test_row_sums_do_not_depend_on_adjacent_rows(restore_threads, dtype, length):
    for rows in (9, 100, 249, 511, 700):
        rng = np.random.default_rng(rows)
        x = sk.asarray(walked.sample(rng, dtype, (rows, length), "any"), copy=True)
        for reduce in (sk.sum, sk.mean, sk.prod):
            assert_rows_alike(lambda x, r=reduce: r(x * 1.5, axis=1, keepdims=True) * 2, x)


def test_numpy_scalars_and_functions_on_pending_arrays():
    def run(x):
        pending = x * 2
        return [
            np.float32(1.5) == pending,
            np.float64(3) < pending + 1,
            np.add(pending + 2, np.float32(1)),
            np.sum(pending + 3, axis=1),
            np.median(pending + 4, axis=1),
        ]

    x = sk.asarray(np.arange(12.0).reshape(3, 4), copy=True)
    for got, want in zip(sk.fuse(run)(x), run(x), strict=True):
        assert type(got) is sk.Array
        assert walked.bits_of(got) == walked.bits_of(want)


def test_invalid_in_place_update_raises_the_eager_error():
    """Of two reasons, the error names the one that an eager call checks first."""

    def run(x):
        x **= -1

    x = sk.ones((3, 4), dtype="bool")
    with pytest.raises(TypeError, match="can't be stored in place in x1") as eager:
        run(x)
    with pytest.raises(TypeError) as fused:
        sk.fuse(run)(x)
    assert str(fused.value) == str(eager.value)
