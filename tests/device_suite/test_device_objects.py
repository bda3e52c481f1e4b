# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The objects that ``x.device`` returns: https://data-apis.org/array-api/2025.12/design_topics/device_support.html."""

import copy
import operator
import pickle

import pytest

from .report import not_offered


def two_arrays(library, device):
    return library.array([1.0], "float32", device), library.array([[0] * 2] * 2, "int64", device)


@pytest.mark.recommendation("device-attribute")
def test_array_has_a_device_attribute(library, device):
    for x in two_arrays(library, device):
        assert hasattr(x, "device")
        assert x.device is not None


@pytest.mark.recommendation("device-attribute")
def test_device_attribute_is_not_changed_by_reading(library, device):
    x, _ = two_arrays(library, device)
    assert library.device_of(x) == library.device_of(x)


@pytest.mark.recommendation("device-equality")
def test_devices_of_two_arrays_on_one_device_are_equal(library, device):
    x, y = (library.device_of(x) for x in two_arrays(library, device))
    assert x == y
    assert y == x
    assert not operator.ne(x, y)


@pytest.mark.recommendation("device-equality")
def test_a_device_equals_the_one_requested(library, device):
    x, _ = two_arrays(library, device)
    assert library.device_of(x) == device
    assert not operator.ne(device, library.device_of(x))


@pytest.mark.recommendation("device-equality")
def test_different_devices_are_unequal(library):
    for one, another in library.pairs:
        x, y = (library.device_of(library.array([1.0], "float32", d)) for d in (one, another))
        assert x != y
        assert not operator.eq(x, y)


@pytest.mark.recommendation("device-hash")
def test_equal_devices_have_equal_hashes(library, device):
    x, y = (library.device_of(x) for x in two_arrays(library, device))
    try:
        hashes = hash(x), hash(y)
    except TypeError:
        not_offered("devices are not hashable")
    assert hashes[0] == hashes[1]
    assert len({x, y}) == 1


def copies(value):
    try:
        text = pickle.dumps(value)
    except Exception as error:
        not_offered(f"pickle raises {type(error).__name__}: {error}")
    return pickle.loads(text), copy.copy(value), copy.deepcopy(value)


@pytest.mark.recommendation("device-pickle")
def test_pickled_and_copied_devices_are_equal(library, device):
    x, _ = two_arrays(library, device)
    for result in copies(library.device_of(x)):
        assert result == library.device_of(x)


@pytest.mark.recommendation("device-pickle")
def test_pickled_and_copied_arrays_are_on_an_equal_device(library, device):
    x, _ = two_arrays(library, device)
    for result in copies(x):
        assert library.device_of(result) == library.device_of(x)
        assert library.values(result) == [1.0]
