# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Transfers between host memory and CUDA devices: layouts, sizes, and page-locking of large host arrays."""

import os
import subprocess
import sys

import numpy as np
import pytest
import skerry as sk
from skerry.testing import count_cuda_calls, instruments

from tests.python.oracle import to_numpy
from tests.python.session import HAS_GPU

rng = np.random.default_rng(5)
WIDE = rng.integers(0, 255, (700, 2300), dtype=np.uint8)
LONG = rng.standard_normal(1_500_001)
DEEP = rng.standard_normal((3, 40, 50, 60)).astype(np.float32)

#: NumPy arrays to transfer, by name. Some take several chunks of 4 MiB.
SOURCES = {
    "empty": LONG[:0],
    "one element": LONG[7:8],
    "3 chunks": LONG,
    "3 chunks, reversed": LONG[::-1],
    "2 chunks, every second": LONG[1::2],
    "transposed": WIDE.T,
    "columns": WIDE[:, 5:-3],
    "every third column, reversed": WIDE[:, ::-3],
    "broadcast rows": np.broadcast_to(LONG[:300_000], (5, 300_000)),
    "broadcast columns": np.broadcast_to(WIDE[:, :1], (700, 9000)),
    "four axes permuted": DEEP.transpose(2, 0, 3, 1),
    "four axes, slices": DEEP[::-1, 1::3, :, ::2],
    "F order": np.asfortranarray(DEEP),
    "one row of more than a chunk": np.broadcast_to(LONG[::2], (2, 750_001)),
    "0-d": np.array(3.5),
}


@pytest.mark.parametrize("name", SOURCES)
def test_any_layout_round_trips(name, cuda_device):
    source = SOURCES[name]
    device_array = sk.asarray(source, device=cuda_device)
    assert str(device_array.device) == cuda_device
    assert device_array.shape == source.shape
    assert np.array_equal(to_numpy(device_array), source)
    view = sk.asarray(source).to_device(cuda_device)
    assert np.array_equal(to_numpy(view), source)


@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "complex128"])
def test_strided_sources_of_any_dtype_are_packed(dtype, cuda_device):
    source = (rng.standard_normal((301, 211)) * 9).astype(dtype)[::2, ::-3]
    assert np.array_equal(to_numpy(sk.asarray(source, device=cuda_device)), source)


def test_source_has_been_read_when_transfer_returns(cuda_device):
    for shape in ((10,), (700_000,), (1000, 700)):
        source = np.ones(shape)
        device_array = sk.asarray(source, device=cuda_device)
        strided = sk.asarray(source[::2], device=cuda_device)
        source[...] = 2
        assert to_numpy(device_array).min() == 1
        assert to_numpy(strided).max() == 1


def test_packing_allocates_no_host_array():
    source = sk.asarray(WIDE).T
    sk.asarray(source, device="cuda:0")
    old_allocations = sk.memory_statistics("cpu:0").allocations
    device_array = source.to_device("cuda:0")
    assert sk.memory_statistics("cpu:0").allocations == old_allocations
    assert device_array.shape == WIDE.T.shape


# Large host arrays.

CHUNK = 1 << 20


def test_large_host_arrays_are_page_locked_transparently():
    keep = sk.ones((1,), device="cuda:0")
    x = sk.ones((CHUNK // 8,))
    assert instruments.is_page_locked(x)
    assert not instruments.is_pinned(x)
    assert not hasattr(x, "__cuda_array_interface__")
    assert x.__dlpack_device__() == (1, 0)
    assert np.shares_memory(np.from_dlpack(x), np.asarray(x))
    assert not instruments.is_page_locked(sk.ones((CHUNK // 8 - 1,)))
    pinned = sk.ones((5,), pinned=True)
    assert instruments.is_page_locked(pinned)
    assert hasattr(pinned, "__cuda_array_interface__")
    del keep


def test_large_skerry_arrays_are_copied_without_chunks(cuda_device):
    x = sk.reshape(sk.arange(CHUNK), (2, -1))
    device_array = x.to_device(cuda_device)
    with count_cuda_calls() as calls:
        device_array = x.to_device(cuda_device)
        back = device_array.to_device("cpu:0")
    assert calls["copy_async"] == 2
    assert "event_record" not in calls
    assert instruments.is_page_locked(back)
    assert np.array_equal(np.asarray(back), np.asarray(x))


@pytest.mark.not_guarded("memory is not cached, so each array is page-locked anew")
def test_loop_over_large_host_arrays_makes_no_runtime_call():
    sk.ones((1,), device="cuda:0")
    x = sk.ones((CHUNK,))
    y = x + x
    y = x + x  # computed while the first one is alive
    with count_cuda_calls() as calls:
        for _ in range(10):
            y = x + x
    assert calls == {}
    del y


def run(code, **environment):
    environment = {**os.environ, "SKERRY_REHEARSE": "1", **environment}
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import skerry as sk; from skerry.testing import instruments\n" + code,
        ],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


LARGE = "x = sk.ones((1 << 18,)); print(instruments.is_page_locked(x), instruments.is_pinned(x))\n"
USE = "keep = sk.ones((1,), device='cuda:0')\n"


def test_host_programs_make_no_cuda_call():
    code = (
        LARGE + "sk.sum(x + x)\nprint(instruments.cuda_was_used(), instruments.rehearsed_calls())"
    )
    assert run(code) == ["False", "False", "False", "0"]


@pytest.mark.skipif(HAS_GPU, reason="other processes would use the GPU")
def test_listing_devices_does_not_page_lock():
    assert run("sk.devices()\n" + LARGE) == ["False", "False"]


@pytest.mark.skipif(HAS_GPU, reason="other processes would use the GPU")
@pytest.mark.parametrize(
    ("value", "answer"), [("0", "False"), ("auto", "True"), ("", "True"), ("2", "True")]
)
def test_environment_switches_page_locking(value, answer):
    assert run(USE + LARGE, SKERRY_PINNED_HOST=value) == [answer, "False"]


@pytest.mark.skipif(HAS_GPU, reason="other processes would use the GPU")
def test_environment_pins_all_host_arrays():
    code = (
        "x = sk.ones((3,)); print(instruments.is_pinned(x), hasattr(x, '__cuda_array_interface__'))"
    )
    assert run(code, SKERRY_PINNED_HOST="1") == ["True", "True"]
    # Falls back to pageable memory if the driver fails.
    failing = f"sk.devices()\nwith instruments.failing_cuda_call(1, 2, is_sticky=True):\n    {code}"
    assert run(failing, SKERRY_PINNED_HOST="1") == ["False", "False"]
    assert run(code, SKERRY_PINNED_HOST="1", SKERRY_REHEARSE="0") == ["False", "False"]


@pytest.mark.skipif(HAS_GPU, reason="failures are injected into rehearsed devices only")
def test_failed_page_locking_falls_back_to_pageable_memory():
    code = (
        USE
        + "instruments.fail_cuda_call(2, 2)\n"  # get_device, host_register
        + LARGE
        + "print(instruments.page_locks()['refusals'], float(sk.sum(x.to_device('cuda:0'))))"
    )
    assert run(code) == ["False", "False", "1", "262144.0"]


def test_released_host_memory_is_unlocked():
    sk.ones((1,), device="cuda:0")
    x = sk.ones((3 * CHUNK,))
    assert instruments.is_page_locked(x)
    locked = instruments.page_locks()["nbytes"]
    assert locked >= 24 * CHUNK
    del x
    sk.trim("cpu:0")
    assert instruments.page_locks()["nbytes"] <= locked - 24 * CHUNK
