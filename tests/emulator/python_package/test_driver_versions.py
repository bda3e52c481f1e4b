# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Names of the driver are found for every version for which CUDA's headers declare a variant, as real drivers do."""

import ctypes
import importlib.util
import os
import pathlib
import re

import pytest
import skerry_emulator

from tests.python.libraries import installed

VARIANT = re.compile(r"\*PFN_(cu\w+?)_v(\d+)(?:_ptds|_ptsz)?\)\(")
# CUdriverProcAddressQueryResult
FOUND, NO_SYMBOL, NEWER = 0, 1, 2


def look_up(name, version):
    """Returns the status, the function's address and CUdriverProcAddressQueryResult."""
    driver = ctypes.CDLL(os.path.join(skerry_emulator.folder(), "libcuda.so.1"))
    function, symbol_status = ctypes.c_void_p(), ctypes.c_int(-1)
    status = driver.cuGetProcAddress_v2(
        name.encode(),
        ctypes.byref(function),
        version,
        ctypes.c_uint64(0),
        ctypes.byref(symbol_status),
    )
    return status, function.value, symbol_status.value


def test_every_declared_variant_is_found_for_its_version():
    installed("nvidia.cu13")
    (folder,) = importlib.util.find_spec("nvidia.cu13").submodule_search_locations
    header = pathlib.Path(folder, "include", "cudaTypedefs.h")  # of nvidia-cuda-runtime
    variants = sorted(
        {(name, int(version)) for name, version in VARIANT.findall(header.read_text())}
    )
    assert len(variants) > 500
    assert not [one for one in variants if look_up(*one)[2] != FOUND]
    assert all(look_up(*one)[1] for one in variants)


@pytest.mark.parametrize("version", [7000, 10020, 11000])
def test_primary_contexts_are_released_for_callers_of_any_version(version):
    """numba-cuda-mlir asks for the functions of CUDA 7."""
    newest = look_up("cuDevicePrimaryCtxRelease", 13000)
    assert newest[1] is not None
    assert look_up("cuDevicePrimaryCtxRelease", version) == newest == (0, newest[1], FOUND)


def test_functions_newer_than_the_version_are_not_found():
    """The call succeeds without a function, as cuda.h documents: numba-cuda-mlir then looks for an exported symbol."""
    assert look_up("cuLibraryLoadData", 11080) == (0, None, NEWER)
    assert look_up("cuFuncSetAttribute", 2000) == (0, None, NEWER)
    assert look_up("cuNoSuchFunction", 13000) == (0, None, NO_SYMBOL)


@pytest.mark.parametrize("name", ["cuLogicalEndpointCreate", "cuDeviceGetCliqueCount"])
def test_functions_that_are_not_emulated_are_refused_by_name(name, capfd):
    status, address, _ = look_up(name, 13030)
    assert status == 0
    assert ctypes.CFUNCTYPE(ctypes.c_int)(address)() == 801
    assert capfd.readouterr().err == f"skerry: emulated GPU: {name}: not supported\n"
