# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Provisional: devices in the draft of the standard's next edition, and in open proposals (column ``proposal``)."""

import ctypes

import pytest

from .calls import calls_of, make_call
from .report import not_offered
from .standard import DTYPES, creation_functions
from .test_defaults import CREATION
from .test_dlpack import device_pair, vector

is_capsule_named = ctypes.pythonapi.PyCapsule_IsValid
is_capsule_named.argtypes = (ctypes.py_object, ctypes.c_char_p)
WITH_DTYPE = [f for f in creation_functions() if "dtype" in f.signature.parameters]


class OtherDevice:
    """A device of another library."""

    def __init__(self, pair):
        self.pair = pair

    def __dlpack_device__(self):
        return self.pair


class OtherDtype:
    """float32 of another library."""

    def __dlpack_data_type__(self):
        return 2, 32, 1


def lacking(library):
    """Return pairs of a device and the name of a dtype that it lacks and another device has."""
    listed = {device: library.info().dtypes(device=device) for device in library.devices}
    names = set().union(*listed.values())
    pairs = [(d, name) for d in listed for name in DTYPES if name in names - set(listed[d])]
    return pairs or not_offered("all devices have all dtypes")


def dtypes_of_the_library(library):
    return {name: getattr(library.namespace, name) for name in DTYPES}


def device_with(library, dtype):
    return next(d for d in library.devices if dtype in library.info().dtypes(device=d))


@pytest.mark.recommendation("dtype-or-error")
@pytest.mark.parametrize("function", WITH_DTYPE, ids=str)
def test_creation_of_a_dtype_that_the_device_lacks_raises(library, function, deviations):
    with library.limited_devices():
        for device, name in lacking(library):
            dtype = dtypes_of_the_library(library)[name]
            call = make_call(function, {})
            if function.extension and not name.startswith("float"):
                continue  # fftfreq and rfftfreq take real dtypes only
            try:
                library.run_at(call, device, dtype=dtype, device=device)
            except Exception:
                continue
            deviations.append(f"{function}(dtype={name}, device={device}) did not raise")


def convert_list(library, dtype, device):
    library.namespace.asarray([1, 2], dtype=dtypes_of_the_library(library)[dtype], device=device)


def convert_dtype(library, dtype, device):
    x = library.array([1.0, 2.0], "float32", device)
    library.namespace.astype(x, dtypes_of_the_library(library)[dtype])


def move_array(library, dtype, device):
    library.to_device(library.array([1, 2], dtype, device_with(library, dtype)), device)


@pytest.mark.recommendation("dtype-or-error")
@pytest.mark.parametrize("convert", [convert_list, convert_dtype, move_array])
def test_conversion_to_a_dtype_that_the_device_lacks_raises(library, convert, deviations):
    with library.limited_devices():
        for device, dtype in lacking(library):
            try:
                convert(library, dtype, device)
            except Exception:
                continue
            deviations.append(f"{convert.__name__}: {dtype} on {device} did not raise")


@pytest.mark.recommendation("dtype-or-error")
def test_default_dtypes_are_those_that_the_device_has(library):
    with library.limited_devices():
        for device, _ in lacking(library):
            listed = library.info().dtypes(device=device)
            x = library.namespace.ones((2,), device=device)
            assert x.dtype in listed.values()
            assert x.dtype == library.info().default_dtypes(device=device)["real floating"]


@pytest.mark.recommendation("default-or-error")
def test_no_default_device_is_none(library):
    with library.no_default_device():
        assert library.info().default_device() is None


@pytest.mark.recommendation("default-or-error")
@CREATION
def test_creation_without_device_raises(library, function):
    call = make_call(function, {})
    with library.no_default_device():
        try:
            library.run(call, iter(()))
        except Exception:
            return
    pytest.fail(f"{function} did not raise; {function.link}")


@pytest.mark.recommendation("default-or-error")
@CREATION
def test_explicit_device_needs_no_default(library, function, deviations):
    with library.no_default_device():
        for device in library.devices:
            (x,) = library.run(make_call(function, {}), iter(()), device=device)
            if library.device_of(x) != device:
                deviations.append(f"device={device}: on {library.device_of(x)}")


@pytest.mark.recommendation("default-or-error")
@pytest.mark.parametrize(
    "call", [c for f in creation_functions() if "x" in f.signature.parameters for c in calls_of(f)], ids=str
)  # fmt: skip
def test_input_array_needs_no_default(library, call, device):
    with library.no_default_device():
        (x,) = library.run_at(call, device)
        assert library.device_of(x) == device


@pytest.mark.recommendation("device-exchange")
def test_device_has_the_dlpack_device_of_its_arrays(library, device):
    attribute = library.device_of(vector(library, device))
    if not hasattr(attribute, "__dlpack_device__"):
        not_offered("devices have no __dlpack_device__")
    assert device_pair(attribute) == device_pair(vector(library, device))


@pytest.mark.recommendation("device-exchange")
def test_device_of_another_library_is_taken(library, device):
    if not hasattr(library.device_of(vector(library, device)), "__dlpack_device__"):
        not_offered("devices have no __dlpack_device__")
    pair = device_pair(vector(library, device))
    x = library.namespace.zeros((2,), device=OtherDevice(pair))
    assert device_pair(x) == pair


@pytest.mark.recommendation("dtype-exchange")
@pytest.mark.parametrize("function", WITH_DTYPE, ids=str)
def test_dtype_of_another_library_is_taken(library, function):
    try:
        library.namespace.zeros((2,), dtype=OtherDtype())
    except (TypeError, ValueError) as error:
        not_offered(f"zeros raises {type(error).__name__}: {error}")
    (x,) = library.run_at(make_call(function, {}), library.devices[0], dtype=OtherDtype())
    assert x.dtype == library.namespace.float32


@pytest.mark.recommendation("c-exchange")
def test_type_of_arrays_has_the_exchange_api(library, device):
    x = vector(library, device)
    capsule = getattr(type(x), "__dlpack_c_exchange_api__", None)
    if capsule is None:
        not_offered("the type of arrays has no __dlpack_c_exchange_api__")
    assert is_capsule_named(capsule, b"dlpack_exchange_api")
    assert type(x[:0]).__dlpack_c_exchange_api__ is capsule
