# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""What ``__array_namespace_info__()`` says of devices."""

import pytest

from .standard import DTYPES


@pytest.mark.recommendation("info-devices")
def test_devices_is_a_tuple(library):
    assert isinstance(library.info().devices(), tuple)


@pytest.mark.recommendation("info-devices")
def test_default_device_is_listed_or_none(library):
    default = library.info().default_device()
    assert default is None or default in library.info().devices()


@pytest.mark.recommendation("info-devices")
def test_listed_devices_are_usable(library, deviations):
    for device in library.info().devices():
        x = library.array([1.0], "float32", device)
        if device is not None and library.device_of(x) != device:
            deviations.append(f"{device}: array on {library.device_of(x)}")


@pytest.mark.recommendation("info-devices")
def test_device_of_an_array_is_listed(library, device):
    assert library.device_of(library.array([1.0], "float32", device)) in library.info().devices()


@pytest.mark.recommendation("info-dtypes")
@pytest.mark.parametrize("dtype", DTYPES)
def test_listed_dtypes_can_be_created_on_the_device(library, dtype, device):
    listed = library.info().dtypes(device=device)
    if dtype in listed:
        x = library.namespace.asarray([1, 1], dtype=listed[dtype], device=device)
        assert x.dtype == listed[dtype]
        assert library.device_of(x) == device


@pytest.mark.recommendation("info-dtypes")
def test_dtypes_by_kind_are_those_of_the_device(library, device):
    listed = library.info().dtypes(device=device)
    for kind in set(DTYPES.values()):
        names = {name for name in listed if DTYPES[name] == kind}
        assert set(library.info().dtypes(device=device, kind=kind)) == names


@pytest.mark.recommendation("info-dtypes")
def test_default_dtypes_are_those_of_creation_on_the_device(library, device):
    xp = library.namespace
    listed, defaults = (
        library.info().dtypes(device=device),
        library.info().default_dtypes(device=device),
    )
    assert all(dtype in listed.values() for dtype in defaults.values())
    created = {
        "real floating": xp.ones((1,), device=device),
        "integral": xp.arange(2, device=device),
    }
    created["complex floating"] = xp.asarray(1j, device=device)
    for kind, x in created.items():
        assert x.dtype == defaults[kind], kind
