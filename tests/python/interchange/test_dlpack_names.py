# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Devices and dtypes by DLPack's names (array-api #972): ``__dlpack_device__`` of devices, ``__dlpack_data_type__``."""

import pytest
import skerry as sk
from skerry.exceptions import DTypeError, InterchangeError

from tests.python.libraries import library
from tests.python.session import DEVICES

CODES = {
    "int8": (0, 8, 1), "int64": (0, 64, 1), "uint16": (1, 16, 1), "float16": (2, 16, 1), "float32": (2, 32, 1),
    "float64": (2, 64, 1), "bfloat16": (4, 16, 1), "complex64": (5, 64, 1), "complex128": (5, 128, 1), "bool": (6, 8, 1),
}  # fmt: skip


class ForeignDevice:
    """A device of another library."""

    def __init__(self, *name):
        self.name = name

    def __dlpack_device__(self):
        return self.name


class ForeignDtype:
    """A dtype of another library."""

    def __init__(self, *name):
        self.name = name

    def __dlpack_data_type__(self):
        return self.name


@pytest.mark.parametrize("device", DEVICES)
def test_a_device_has_the_name_of_its_arrays(device):
    name = sk.Device(device).__dlpack_device__()
    assert name == sk.zeros((2,), device=device).__dlpack_device__()
    assert [type(part) for part in name] == [int, int]


def test_cpu_devices_have_one_name():
    assert sk.Device("cpu:1").__dlpack_device__() == (1, 0)


def test_devices_of_other_libraries_are_accepted(cuda_device):
    device = sk.Device(cuda_device)
    foreign = ForeignDevice(*device.__dlpack_device__())
    x = sk.ones((2,), device=foreign)
    assert x.device == device
    assert sk.ones((2,)).to_device(foreign).device == device
    assert sk.Device(foreign) == device
    assert sk.zeros((2,), device=ForeignDevice(1, 0)).device == sk.Device("cpu:0")
    with sk.device(foreign):
        assert sk.zeros((2,)).device == device


def test_pinned_host_memory_is_the_cpu():
    assert sk.zeros((2,), device=ForeignDevice(3, 0)).device == sk.Device("cpu:0")


@pytest.mark.parametrize("name", [(2, 63), (4, 0), (13, 0), (99, 0)])
def test_devices_that_this_process_lacks_are_rejected(name):
    with pytest.raises(InterchangeError, match="is not a device of this process"):
        sk.zeros((2,), device=ForeignDevice(*name))


@pytest.mark.parametrize("name", [(1,), (1, 0, 0)])
def test_malformed_names_of_devices_are_rejected(name):
    with pytest.raises(TypeError, match="must return a tuple"):
        sk.zeros((2,), device=ForeignDevice(*name))


@pytest.mark.parametrize("name", [(2**40, 0), (1, -(2**40))])
def test_names_out_of_range_are_rejected(name):
    with pytest.raises(InterchangeError, match="is out of range"):
        sk.zeros((2,), device=ForeignDevice(*name))


def test_errors_of_the_method_propagate():
    class Broken:
        def __dlpack_device__(self):
            raise KeyError("broken")

    with pytest.raises(KeyError, match="broken"):
        sk.zeros((2,), device=Broken())


def test_arrays_are_no_devices():
    for x in (sk.zeros((2,)), sk.zeros((2,)).to_numpy()):
        with pytest.raises(TypeError, match="device must be a skerry"):
            sk.zeros((2,), device=x)


@pytest.mark.parametrize("dtype", CODES)
def test_dtypes_of_other_libraries_are_accepted(dtype):
    if dtype == "bfloat16":
        library("ml_dtypes")
    foreign = ForeignDtype(*CODES[dtype])
    x = sk.zeros((2,), dtype=foreign)
    assert x.dtype == sk.zeros((2,), dtype=dtype).dtype
    assert x.astype(foreign).dtype == x.dtype
    assert sk.result_type(foreign) == x.dtype


@pytest.mark.parametrize(
    "name", [(2, 32, 4), (2, 8, 1), (3, 64, 1), (8, 8, 1), (-1, 8, 1), (2, 300, 1)]
)
def test_dtypes_that_skerry_lacks_are_rejected(name):
    with pytest.raises(DTypeError, match="unsupported dtype"):
        sk.zeros((2,), dtype=ForeignDtype(*name))


def test_malformed_names_of_dtypes_are_rejected():
    with pytest.raises(TypeError, match="must return a tuple"):
        sk.zeros((2,), dtype=ForeignDtype(2, 32))


def test_tvm_ffi_takes_devices(cuda_device):
    tvm_ffi = library("tvm_ffi")
    device = sk.Device(cuda_device)
    seen = []
    tvm_ffi.convert(seen.append)(device)
    assert seen == [tvm_ffi.device("cuda", device.__dlpack_device__()[1])]
