# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``device=`` of the functions that create or convert arrays."""

import pytest

from .calls import make_call
from .report import not_offered
from .standard import creation_functions, functions

CREATION = creation_functions()
CREATION_LIKE = [f for f in CREATION if "x" in f.signature.parameters]
WITH_DEVICE = [f for f in functions() if f.has_device]


class NoDevice:
    """A value that no library takes for a device."""


def creation_call(name):
    return pytest.mark.parametrize("function", name, ids=str)


@pytest.mark.recommendation("explicit-device")
@creation_call(CREATION)
def test_creation_function_places_the_array_on_the_explicit_device(library, function, deviations):
    for device in library.devices:
        (x,) = library.run_at(make_call(function, {}), library.devices[0], device=device)
        if library.device_of(x) != device:
            deviations.append(f"device={device}: on {library.device_of(x)}; {function.link}")


@pytest.mark.recommendation("explicit-device")
@creation_call(CREATION)
def test_creation_function_takes_the_device_attribute_of_an_array(library, function, deviations):
    for device in library.devices:
        source = library.device_of(library.array([1.0], "float32", device))
        (x,) = library.run_at(make_call(function, {}), device, device=source)
        if library.device_of(x) != source:
            deviations.append(f"device={source}: on {library.device_of(x)}; {function.link}")


@pytest.mark.recommendation("explicit-device-or-error")
@creation_call([f for f in WITH_DEVICE if f.name != "from_dlpack"])
def test_function_with_device_raises_for_what_is_no_device(library, function):
    call = make_call(function, {})
    library.run_at(call, library.devices[0])
    try:
        library.run_at(call, library.devices[0], device=NoDevice())
    except Exception:
        return
    pytest.fail(f"{function}(device=<no device>) did not raise; {function.link}")


@pytest.mark.recommendation("like-follows-input")
@creation_call(CREATION_LIKE)
def test_like_function_follows_its_input(library, function, deviations):
    for device in library.devices:
        (x,) = library.run_at(make_call(function, {}), device)
        if library.device_of(x) != device:
            deviations.append(
                f"input on {device}: result on {library.device_of(x)}; {function.link}"
            )


@pytest.mark.recommendation("asarray-device")
def test_asarray_of_an_array_stays_on_its_device(library, device):
    x = library.array([1.0, 2.0], "float32", device)
    for options in ({}, {"copy": True}, {"dtype": library.namespace.int32}, {"device": device}):
        assert library.device_of(library.namespace.asarray(x, **options)) == device


@pytest.mark.recommendation("asarray-device")
def test_asarray_with_device_moves_an_array(library, deviations):
    for source, destination in library.pairs:
        x = library.array([1.0, 2.0], "float32", source)
        y = library.namespace.asarray(x, device=destination)
        if library.device_of(y) != destination or library.values(y) != [1.0, 2.0]:
            deviations.append(f"{source} to {destination}: on {library.device_of(y)}")
        assert library.device_of(x) == source


@pytest.mark.recommendation("asarray-device")
def test_asarray_places_scalars_and_lists(library, device):
    for value in (1.5, True, [1, 2], [[1.0], [2.0]]):
        assert library.device_of(library.namespace.asarray(value, device=device)) == device


@pytest.mark.recommendation("asarray-copy")
def test_asarray_with_copy_true_copies(library, device):
    x = library.array([1.0, 2.0], "float32", device)
    y = library.namespace.asarray(x, copy=True)
    write(x)
    assert library.values(y) == [1.0, 2.0]


@pytest.mark.recommendation("asarray-copy")
def test_asarray_with_copy_false_to_another_device_raises(library, deviations):
    for source, destination in library.pairs:
        x = library.array([1.0, 2.0], "float32", source)
        try:
            y = library.namespace.asarray(x, device=destination, copy=False)
        except ValueError:
            continue
        except Exception as error:
            deviations.append(
                f"{source} to {destination}: {type(error).__name__} instead of ValueError"
            )
        else:
            deviations.append(
                f"{source} to {destination}: no error, result on {library.device_of(y)}"
            )


def write(x):
    try:
        x[0] = 7.0
    except TypeError as error:
        not_offered(f"arrays are immutable: {error}")


@pytest.mark.recommendation("astype-device")
def test_astype_stays_on_the_device(library, device):
    x = library.array([1.0, 2.0], "float32", device)
    for options in ({}, {"copy": False}, {"copy": True}, {"device": device}):
        for dtype in (library.namespace.float32, library.namespace.int32):
            assert library.device_of(library.namespace.astype(x, dtype, **options)) == device


@pytest.mark.recommendation("astype-device")
def test_astype_with_device_moves_the_array(library, deviations):
    for source, destination in library.pairs:
        x = library.array([1.0, 2.0], "float32", source)
        for dtype in (library.namespace.float32, library.namespace.int32):
            y = library.namespace.astype(x, dtype, device=destination)
            if library.device_of(y) != destination or library.values(y) != [1.0, 2.0]:
                deviations.append(f"{source} to {destination}: on {library.device_of(y)}")
