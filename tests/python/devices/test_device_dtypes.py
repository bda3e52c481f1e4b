# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Devices without float64 and complex128 (array-api #1005), which rehearsed devices can be."""

import os
import subprocess
import sys

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import DTypeError
from skerry.testing import instruments

from tests.python.session import HAS_GPU

pytestmark = pytest.mark.skipif(HAS_GPU, reason="a GPU has all dtypes; rehearsed devices may not")
DOUBLES = ("float64", "complex128")


@pytest.fixture
def limited_device():
    """Return a device without float64 and complex128."""
    with instruments.devices_without_float64():
        yield sk.Device("cuda:1")


def test_the_inspection_lists_the_dtypes_of_a_device(limited_device):
    info = sk.__array_namespace_info__()
    all_dtypes = info.dtypes(device="cpu:0")
    assert set(all_dtypes) - set(info.dtypes(device=limited_device)) == set(DOUBLES)
    assert info.dtypes(device=limited_device, kind="real floating") == {"float32": sk.float32}
    assert info.dtypes() == all_dtypes
    with sk.device(limited_device):
        assert info.dtypes() == info.dtypes(device=limited_device)
        assert info.default_dtypes() == info.default_dtypes(device=limited_device)
    with sk.device(None):
        assert info.dtypes() == all_dtypes
    assert info.default_dtypes(device=limited_device) == {
        "real floating": sk.float32, "complex floating": sk.complex64,
        "integral": sk.int64, "indexing": sk.int64,
    }  # fmt: skip


CALLS = {
    "asarray": lambda dtype, device: sk.asarray([1, 2], dtype=dtype, device=device),
    "asarray of a number": lambda dtype, device: sk.asarray(1, dtype=dtype, device=device),
    "asarray of numpy.ndarray": lambda dtype, device: sk.asarray(np.ones(2, dtype), device=device),
    "astype": lambda dtype, device: sk.asarray([1, 2], device=device).astype(dtype),
    "astype device=": lambda dtype, device: sk.astype(sk.asarray([1, 2]), dtype, device=device),
    "to_device": lambda dtype, device: sk.asarray([1, 2], dtype=dtype).to_device(device),
    "from_dlpack": lambda dtype, device: sk.from_dlpack(np.ones(2, dtype), device=device),
    "view": lambda dtype, device: sk.zeros((4,), dtype="int64", device=device).view(dtype),
    "empty": lambda dtype, device: sk.empty((2,), dtype=dtype, device=device),
    "empty of no elements": lambda dtype, device: sk.empty((0,), dtype=dtype, device=device),
    "eye": lambda dtype, device: sk.eye(2, dtype=dtype, device=device),
    "full": lambda dtype, device: sk.full((2,), 1, dtype=dtype, device=device),
    "linspace": lambda dtype, device: sk.linspace(0, 1, 3, dtype=dtype, device=device),
    "ones": lambda dtype, device: sk.ones((2,), dtype=dtype, device=device),
    "zeros": lambda dtype, device: sk.zeros((2,), dtype=dtype, device=device),
    "zeros_like": lambda dtype, device: sk.zeros_like(sk.ones(2, device=device), dtype=dtype),
    "sum": lambda dtype, device: sk.sum(sk.ones(2, device=device), dtype=dtype),
    "result_type": lambda dtype, device: sk.result_type(sk.ones(2, device=device), dtype),
    "random": lambda _, device: sk.random.default_rng(0, device=device).random(2),
    "true divide": lambda _, device: sk.asarray([1], device=device) / 2,
    "add a float": lambda _, device: sk.asarray([1], device=device) + 0.5,
    "compare with a float": lambda _, device: sk.asarray([1], device=device) < 0.5,
    "fused": lambda _, device: sk.fuse(lambda x: (x * 0.5) > 1)(sk.asarray([1], device=device)),
}  # fmt: skip


@pytest.mark.parametrize("dtype", DOUBLES)
@pytest.mark.parametrize("name", CALLS)
def test_a_dtype_that_the_device_lacks_raises(name, dtype, limited_device):
    with pytest.raises(
        DTypeError, match=r"cuda:1 has no (float64|complex128); use (float32|complex64)"
    ):
        CALLS[name](dtype, limited_device)


def test_the_error_names_device_and_dtype(limited_device):
    with pytest.raises(DTypeError) as caught:
        sk.zeros((2,), dtype="complex128", device=limited_device)
    text = "zeros: cuda:1 has no complex128; use complex64, or another device"
    assert str(caught.value) == text


def test_can_cast_of_an_array_accounts_for_its_device(limited_device):
    x = sk.ones((2,), device=limited_device)
    assert not sk.can_cast(x, sk.float64)
    assert not sk.can_cast(x, sk.complex128, casting="unsafe")
    assert sk.can_cast(x, sk.complex64)
    assert sk.can_cast(x.dtype, sk.float64)


DEFAULTS = {
    "asarray": lambda device: sk.asarray([1.0, 2.0], device=device),
    "asarray of a number": lambda device: sk.asarray(1.5, device=device),
    "asarray of nothing": lambda device: sk.asarray([], device=device),
    "arange": lambda device: sk.arange(0.0, 1.0, 0.25, device=device),
    "empty": lambda device: sk.empty((2,), device=device),
    "eye": lambda device: sk.eye(2, device=device),
    "fftfreq": lambda device: sk.fft.fftfreq(4, device=device),
    "rfftfreq": lambda device: sk.fft.rfftfreq(4, device=device),
    "full": lambda device: sk.full((2,), 0.5, device=device),
    "linspace": lambda device: sk.linspace(0, 1, 3, device=device),
    "ones": lambda device: sk.ones((2,), device=device),
    "zeros": lambda device: sk.zeros((2,), device=device),
}


@pytest.mark.parametrize("name", DEFAULTS)
def test_default_dtypes_of_creation_are_single(name, limited_device):
    assert DEFAULTS[name](limited_device).dtype == sk.float32
    assert DEFAULTS[name]("cpu:0").dtype == sk.float64


def test_complex_numbers_are_complex64_by_default(limited_device):
    for x in (
        sk.asarray([1j], device=limited_device),
        sk.asarray(1j, device=limited_device),
        sk.linspace(0, 1j, 3, device=limited_device),
        sk.full((2,), 1j, device=limited_device),
    ):
        assert x.dtype == sk.complex64


def test_other_dtypes_work(limited_device):
    x = sk.linspace(1, 2, 5, device=limited_device)
    for y in (x + 0.5, sk.sin(x), sk.mean(x), sk.std(x), x @ x, sk.cumulative_sum(x), sk.sort(x)):
        assert y.dtype == sk.float32
        assert y.device == limited_device
    assert sk.fft.fft(x).dtype == sk.complex64
    assert sk.fuse(lambda x: sk.exp(x) * 2 + 1)(x).dtype == sk.float32
    generator = sk.random.default_rng(0, device=limited_device)
    assert generator.random(3, dtype="float32").dtype == sk.float32
    assert x.to_device("cpu:0").astype("float64").dtype == sk.float64


def test_existing_arrays_stay_as_they_are():
    x = sk.ones((2,), device="cuda:1")
    with instruments.devices_without_float64():
        assert x.tolist() == [1.0, 1.0]
        assert x.to_device("cpu:0").dtype == sk.float64
        with pytest.raises(DTypeError, match="cuda:1 has no float64"):
            x + 1
        with pytest.raises(DTypeError, match="cuda:1 has no float64"):
            x += 1
        assert x.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("kernels", ["0", "1"])
def test_the_environment_requests_such_devices(kernels):
    if kernels == "1":
        pytest.importorskip("skerry_emulator", reason="skerry-emulator is not installed")
    code = (
        "import skerry as sk; print(sk.ones(2, device='cuda:0').dtype, sk.ones(2).dtype,"
        " 'float64' in sk.__array_namespace_info__().dtypes(device='cuda:0'))"
    )
    environment = {
        "SKERRY_REHEARSE": "1",
        "SKERRY_REHEARSE_KERNELS": kernels,
        "SKERRY_REHEARSE_FLOAT64": "0",
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert done.stdout.split() == ["float32", "float64", "False"], done.stderr
