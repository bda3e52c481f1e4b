# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Devices in DLPack: https://data-apis.org/array-api/2025.12/design_topics/data_interchange.html."""

import pytest

from .capsule import read_capsule
from .report import not_offered
from .test_creation import write

CPU = (1, 0)
#: OpenCL and Vulkan: kinds that the libraries under test do not have.
OTHER_KINDS = (4, 7)


class OtherProducer:
    """An array as an object of another library: nothing but the two methods of DLPack."""

    def __init__(self, x):
        self.x = x

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()

    def __dlpack__(self, **options):
        return self.x.__dlpack__(**options)


def vector(library, device):
    return library.array([1.0, 2.0], "float32", device)


def import_array(library, producer, **options):
    if not hasattr(library.namespace, "from_dlpack"):
        not_offered("the library has no from_dlpack")
    return library.namespace.from_dlpack(producer, **options)


def export(x, **options):
    try:
        return x.__dlpack__(**options)
    except (AttributeError, TypeError) as error:
        not_offered(f"__dlpack__({', '.join(options)}) raises {type(error).__name__}: {error}")


def device_pair(x):
    if not hasattr(x, "__dlpack_device__"):
        not_offered("arrays have no __dlpack_device__")
    kind, number = x.__dlpack_device__()
    return int(kind), int(number)


@pytest.mark.recommendation("dlpack-device")
def test_dlpack_device_is_one_pair_for_all_arrays_of_a_device(library, device):
    x = vector(library, device)
    arrays = [x, x[1:], x[0], x[:0], x + 1, library.array([], "float32", device)]
    assert len({device_pair(y) for y in arrays}) == 1


@pytest.mark.recommendation("dlpack-device")
def test_capsule_has_the_dlpack_device_of_the_array(library, device):
    x = vector(library, device)
    for options in ({}, {"max_version": (1, 0)}, {"dl_device": device_pair(x)}, {"copy": True}):
        assert read_capsule(export(x, **options)).device == device_pair(x), options


@pytest.mark.recommendation("dlpack-zero-size")
def test_capsule_of_zero_size_has_the_device_and_no_pointer(library, device):
    x = vector(library, device)[:0]
    exported = read_capsule(export(x, max_version=(1, 0)))
    assert exported.device == device_pair(x)
    assert not exported.pointer


@pytest.mark.recommendation("dlpack-device")
def test_devices_other_than_the_cpu_have_different_pairs(library):
    pairs = [device_pair(vector(library, device)) for device in library.devices]
    pairs = [pair for pair in pairs if pair[0] != CPU[0]]
    assert len(set(pairs)) == len(pairs)


@pytest.mark.recommendation("dlpack-import")
def test_from_dlpack_stays_on_the_device_of_the_producer(library, device, deviations):
    x = vector(library, device)
    y = import_array(library, x)
    assert library.values(y) == [1.0, 2.0]
    assert device_pair(y) == device_pair(x)
    if device_pair(x)[0] != CPU[0]:
        assert library.device_of(y) == device


@pytest.mark.recommendation("dlpack-import")
def test_from_dlpack_of_another_producer_stays_on_its_device(library, device):
    x = vector(library, device)
    y = import_array(library, OtherProducer(x))
    assert device_pair(y) == device_pair(x)
    assert library.values(y) == [1.0, 2.0]


@pytest.mark.recommendation("dlpack-import")
def test_from_dlpack_ignores_the_default_device(library):
    for default, device in library.pairs:
        x = vector(library, device)
        with library.device_context(default):
            assert device_pair(import_array(library, x)) == device_pair(x)


@pytest.mark.recommendation("dlpack-import")
def test_from_dlpack_with_device_places_the_array_there(library, deviations):
    for source in library.devices:
        for destination in library.devices:
            x = vector(library, source)
            for producer in (x, OtherProducer(x)):
                y = import_array(library, producer, device=destination)
                if library.device_of(y) != destination or library.values(y) != [1.0, 2.0]:
                    deviations.append(f"{source} to {destination}: on {library.device_of(y)}")


@pytest.mark.recommendation("dlpack-copy")
def test_from_dlpack_with_copy_true_copies(library, device):
    for producer_type in (lambda x: x, OtherProducer):
        x = vector(library, device)
        y = import_array(library, producer_type(x), copy=True)
        write(x)
        assert library.values(y) == [1.0, 2.0]


@pytest.mark.recommendation("dlpack-copy")
def test_export_with_copy_true_is_other_memory(library, device):
    x = vector(library, device)
    pointers = [read_capsule(export(x, copy=copy)).pointer for copy in (True, False)]
    assert pointers[0] != pointers[1]


@pytest.mark.recommendation("dlpack-copy")
def test_from_dlpack_with_copy_false_to_another_device_raises(library, deviations):
    for source, destination in library.pairs:
        x = vector(library, source)
        if device_pair(x) == device_pair(vector(library, destination)):
            continue  # one memory: no copy is needed
        try:
            import_array(library, x, device=destination, copy=False)
        except (BufferError, ValueError):
            continue
        except Exception as error:
            deviations.append(
                f"{source} to {destination}: {type(error).__name__} instead of BufferError"
            )
        else:
            deviations.append(f"{source} to {destination}: no error")


@pytest.mark.recommendation("dlpack-to-cpu")
def test_export_to_the_cpu(library, device):
    x = vector(library, device)
    assert read_capsule(export(x, dl_device=CPU, max_version=(1, 0))).device == CPU
    assert read_capsule(export(x[:0], dl_device=CPU, max_version=(1, 0))).device == CPU


@pytest.mark.recommendation("dlpack-copy")
def test_export_to_the_cpu_with_copy_false_raises(library, device):
    x = vector(library, device)
    if device_pair(x)[0] == CPU[0]:
        assert read_capsule(export(x, dl_device=CPU, copy=False)).device == CPU
    else:
        with pytest.raises(BufferError):
            x.__dlpack__(dl_device=CPU, copy=False, max_version=(1, 0))


@pytest.mark.recommendation("dlpack-unsupported")
@pytest.mark.parametrize("kind", OTHER_KINDS)
def test_export_to_an_unsupported_kind_of_device_raises(library, device, kind):
    x = vector(library, device)
    device_pair(x)
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(kind, 0), max_version=(1, 0))
