# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Copies in runs of few items, small transposes, and interleaved runs, on both sides of each path's thresholds."""

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import assert_same, to_device

DTYPES = ["int8", "int16", "float32", "int64", "complex128"]
ROWS = (1, 2, 31, 32, 33, 700, 5000)


def numbered(shape, dtype):
    """Returns items in ascending order, which wrap around in int8."""
    return np.arange(np.prod(shape)).astype(dtype).reshape(shape)


@loop_over("width", [1, 2, 3, 4, 5, 8, 9])
@loop_over("dtype", DTYPES)
def test_repetitions_of_short_rows(dtype, width, device):
    for rows in ROWS:
        host = numbered((rows, width + 1), dtype)
        x = to_device(device, host)
        for a, b in ((host[:, :-1], x[:, :-1]), (host[::-1, :0:-1], x[::-1, :0:-1])):
            for count in (2, 3, 5):
                label = f"{rows} x {width}, {count} times"
                assert_same(
                    sk.repeat(b, count, axis=-1), np.repeat(a, count, axis=-1), device, label=label
                )
                assert_same(
                    sk.repeat(b, count, axis=0), np.repeat(a, count, axis=0), device, label=label
                )
                assert_same(sk.tile(b, (1, count)), np.tile(a, (1, count)), device, label=label)


@loop_over("step", [-2, -1, 2, 3, 4, 5])
@loop_over("dtype", DTYPES)
def test_short_rows_at_any_step(dtype, step, device):
    # Many rows of up to 8 items are copied along the other axis.
    for n in (2, 3, 7, 8, 9):
        for rows in (4 * n, 4 * n + 1, 700):
            host = numbered((rows, n * abs(step) + 1), dtype)
            a, b = host[:, ::step][:, :n], to_device(device, host)[:, ::step][:, :n]
            label = f"{rows} x {n} by {step}"
            assert_same(sk.reshape(b, (-1,)), a.reshape(-1), device, label=label)
            assert_same(b + b, a + a, device, label=label)
            want = np.zeros((rows, n), dtype)
            out = to_device(device, want)
            want[:, ::-1] = a
            out[:, ::-1] = b
            assert_same(out, want, device, label=label)


@pytest.mark.parametrize("dtype", DTYPES)
def test_short_runs_of_five_axes(dtype, device):
    host = numbered((5, 3, 40, 2, 3), dtype)
    x = to_device(device, host)
    for axes in ((2, 0, 1, 3, 4), (0, 1, 2, 4, 3), (4, 3, 2, 1, 0), (1, 2, 0, 4, 3)):
        a, b = np.transpose(host, axes), sk.permute_dims(x, axes)
        assert_same(sk.reshape(b, (-1,)), a.reshape(-1), device, label=str(axes))
        out = to_device(device, np.zeros(a.shape, dtype))
        out[..., ::-1] = b
        assert_same(out, a[..., ::-1], device, label=str(axes))


@loop_over("dtype", DTYPES)
@loop_over(
    "shape",
    [(3, 5), (4, 4), (7, 9), (64, 64), (100, 100), (127, 129), (128, 128), (129, 127), (300, 64)],
)
def test_transposed_copies_of_many_shapes(dtype, shape, device):
    host = numbered(shape, dtype)
    x = to_device(device, host)
    assert_same(sk.reshape(x.T, (-1,)), host.T.reshape(-1), device)
    assert_same(sk.reshape(x[1:, 1:].T, (-1,)), host[1:, 1:].T.reshape(-1), device)
    assert_same(sk.reshape(x[:, ::2].T, (-1,)), host[:, ::2].T.reshape(-1), device)
    assert_same(sk.reshape(x.T[::-1], (-1,)), host.T[::-1].reshape(-1), device)


@loop_over("count", [2, 3, 4, 5])
@loop_over("dtype", DTYPES)
def test_stack_interleaves_runs(dtype, count, device):
    for n in (1, 3, 31, 100, 4097, 70_001):
        hosts = [numbered((n,), dtype) + k for k in range(count)]
        got = sk.stack([to_device(device, host) for host in hosts], axis=-1)
        assert_same(got, np.stack(hosts, axis=-1), device, label=str(n))


@pytest.mark.parametrize("step", [1, -1])
def test_copies_of_short_rows_do_not_write_gaps(step, device):
    """Such rows are copied by loads of their first and last bytes, which must stay within the row."""
    for width in (*range(1, 67), 127, 128):
        host = numbered((37, width + 3), "uint8")
        expected = np.full_like(host, 255)
        expected[:, 1:-2] = host[::step, 2:-1]
        x, out = to_device(device, host), to_device(device, np.full_like(host, 255))
        out[:, 1:-2] = x[::step, 2:-1]
        assert_same(out, expected, device, label=f"rows of {width}")


@pytest.mark.parametrize("dtype", ["int8", "float32", "complex128"])
def test_long_rows_shifted_by_few_bytes(dtype, device):
    """Where a target begins less than 64 bytes after its source modulo 4 KiB, rows are copied line by line."""
    for columns in (2047, 2048, 4096, 5000, 8192):
        host = numbered((5, columns), dtype)
        x = to_device(device, host)
        for shift in (1, 3, 5, -1, 63, 64, 65):
            got = sk.roll(x, shift, axis=-1)
            assert_same(got, np.roll(host, shift, axis=-1), device, label=f"{columns}, {shift}")
        out = to_device(device, np.zeros((5, columns + 3), dtype))
        out[:, 3:] = x
        assert_same(out[:, 3:], host, device, label=f"{columns} into wider rows")


@pytest.mark.parametrize("dtype", DTYPES)
def test_runs_shifted_by_few_bytes(dtype, device):
    # Runs of 2 KiB and more are then copied line by line: copy_bytes() in ops/kernel/cpu/copy_2d.hpp.
    for size in (2047, 2500, 5000, 200_000):
        host = numbered((size,), dtype)
        for shift in (1, 2, 3, 7, 63, 64):
            want = np.zeros(size + 64, dtype)
            want[shift : shift + size] = host
            x = to_device(device, np.zeros(size + 64, dtype))
            x[shift : shift + size] = to_device(device, host)
            assert_same(x, want, device, label=f"{size}, {shift} further on")


@pytest.mark.parametrize("dtype", DTYPES)
def test_transposed_copy_interleaves_few_runs(dtype, device):
    for runs in (2, 3, 4):
        for size in (1, 3, 5, 31, 32, 33, 1000, 20_001):
            host = numbered((runs, size + 3), dtype)
            got = sk.reshape(to_device(device, host)[:, 2:-1].mT, (size, runs), copy=True)
            assert_same(got, host[:, 2:-1].T, device, label=f"{runs} runs of {size}")


@loop_over("dtype", DTYPES)
@loop_over("count", [2, 3, 4, 5, 7, 8, 11, 16, 17, 33, 64, 65, 257])
def test_repeated_items_do_not_write_outside(dtype, count, device):
    """A vector store may extend into the next row, which is written later, but not past the last one."""
    for n in (1, 2, 3, 9, 64, 700):
        host = numbered((3 * n + 1,), dtype)
        x = to_device(device, host)
        for part in (np.s_[:n], np.s_[1 : 2 * n + 1 : 2], np.s_[n - 1 :: -1]):
            want = np.full((n * count + 20,), 77).astype(dtype)
            actual = to_device(device, want)
            want[10 : 10 + n * count] = np.repeat(host[part], count)
            sk.reshape(actual[10 : 10 + n * count], (n, count), copy=False)[...] = x[part][:, None]
            assert_same(actual, want, device, label=f"{n} {part}")
            assert_same(sk.repeat(x[part], count), np.repeat(host[part], count), device)


@loop_over("nbytes", [63, 64, 2047, 2048, 2049, 2303, 2304, 2367, 4096, 16384, 16385, 70000])
def test_runs_at_any_offset_in_a_cache_line(nbytes, device):
    host = (np.arange(nbytes + 8400) * 7 % 251).astype(np.uint8)
    x = to_device(device, host)
    for start in (0, 1, 8, 63):
        for end in (0, 1, 2, 9, 63, 64, 65, 4096, 4097, 4160, 8191):
            want = np.full(host.shape, 255, np.uint8)
            actual = to_device(device, want)
            want[end : end + nbytes] = host[start : start + nbytes]
            actual[end : end + nbytes] = x[start : start + nbytes]
            assert_same(actual, want, device, label=f"{start} to {end}")


@pytest.mark.parametrize("nbytes", [2048, 5000, 16384, 70000])
def test_overlapping_runs_within_one_array(nbytes, device):
    for start, end in ((0, 1), (1, 0), (0, 63), (70, 3), (0, 4097), (4097, 0)):
        want = (np.arange(nbytes + 4200) * 7 % 251).astype(np.uint8)
        actual = to_device(device, want)
        want[end : end + nbytes] = want[start : start + nbytes].copy()
        actual[end : end + nbytes] = actual[start : start + nbytes]
        assert_same(actual, want, device, label=f"{start} to {end}")
