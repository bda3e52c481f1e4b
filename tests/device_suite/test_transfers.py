# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``to_device``: https://data-apis.org/array-api/2025.12/API_specification/generated/array_api.array.to_device.html."""

import pytest

from .report import not_offered
from .standard import DTYPES

#: Views of a 3 by 4 matrix, with their elements.
VIEWS = {
    "slice": (lambda xp, x: x[1:, 1:3], [5, 6, 9, 10]),
    "step": (lambda xp, x: x[::2, ::-1], [3, 2, 1, 0, 11, 10, 9, 8]),
    "transpose": (lambda xp, x: xp.matrix_transpose(x)[:2, :], [0, 4, 8, 1, 5, 9]),
    "broadcast": (lambda xp, x: xp.broadcast_to(x[0, :2], (2, 2)), [0, 1, 0, 1]),
    "0-d": (lambda xp, x: x[2, 3], [11]),
    "zero size": (lambda xp, x: x[:, :0], []),
    "newaxis": (lambda xp, x: x[None, 0, :2], [0, 1]),
}


def table(library, device):
    return library.array([[0.0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], "float32", device)


@pytest.mark.recommendation("to-device")
def test_to_device_places_the_elements_on_the_device(library, deviations):
    for source, destination in library.pairs:
        x = table(library, source)
        y = library.to_device(x, destination)
        if library.device_of(y) != destination or library.values(y) != list(range(12)):
            deviations.append(f"{source} to {destination}: on {library.device_of(y)}")
        if library.device_of(x) != source or library.values(x) != list(range(12)):
            deviations.append(f"{source} to {destination}: changed the source")


@pytest.mark.recommendation("to-device")
@pytest.mark.parametrize("dtype", DTYPES)
def test_to_device_there_and_back_keeps_every_dtype(library, dtype, deviations):
    for source, destination in library.pairs:
        if any(
            dtype not in library.info().dtypes(device=device) for device in (source, destination)
        ):
            continue
        x = library.array([[1, 0], [0, 1]], dtype, source)
        y = library.to_device(library.to_device(x, destination), source)
        if y.dtype != x.dtype or y.shape != x.shape or library.values(y) != [1, 0, 0, 1]:
            deviations.append(f"{source} to {destination} and back: {y.dtype}, {library.values(y)}")


@pytest.mark.recommendation("to-device")
def test_to_device_raises_for_what_is_no_device(library, device):
    x = table(library, device)
    with pytest.raises(Exception):  # noqa: B017
        library.to_device(x, object())


@pytest.mark.recommendation("to-device-same")
def test_to_device_of_the_same_device(library, device):
    x = table(library, device)
    for target in (device, library.device_of(x)):
        y = library.to_device(x, target)
        assert library.device_of(y) == device
        assert library.values(y) == list(range(12))


@pytest.mark.recommendation("to-device-independent")
def test_copy_on_another_device_shares_no_memory(library, deviations):
    for source, destination in library.pairs:
        x = table(library, source)
        y = library.to_device(x, destination)
        try:
            x[0, 0] = 50.0
            y[0, 1] = 60.0
        except TypeError as error:
            not_offered(f"arrays are immutable: {error}")
        if library.values(y)[0] != 0 or library.values(x)[1] != 1:
            deviations.append(f"{source} to {destination}: shared memory")


@pytest.mark.recommendation("to-device-views")
@pytest.mark.parametrize("name", VIEWS)
def test_to_device_takes_views(library, name, deviations):
    view, expected = VIEWS[name]
    for source in library.devices:
        for destination in library.devices:
            x = view(library.namespace, table(library, source))
            y = library.to_device(x, destination)
            if (
                library.device_of(y) != destination
                or y.shape != x.shape
                or library.values(y) != expected
            ):
                deviations.append(
                    f"{source} to {destination}: on {library.device_of(y)}, {y.shape}"
                )


@pytest.mark.recommendation("to-device-stream")
def test_to_device_takes_streams_of_the_library(library, deviations):
    if not hasattr(library.adapter, "streams"):
        not_offered("the adapter names no streams")
    for source, destination in library.pairs:
        for stream in library.adapter.streams(destination):
            y = library.to_device(table(library, source), destination, stream=stream)
            if library.device_of(y) != destination or library.values(y) != list(range(12)):
                deviations.append(
                    f"{source} to {destination} with {stream}: on {library.device_of(y)}"
                )


@pytest.mark.recommendation("to-device-stream")
def test_to_device_with_no_stream_is_the_default(library, device):
    y = library.to_device(table(library, device), device, stream=None)
    assert library.values(y) == list(range(12))


@pytest.mark.recommendation("to-device-stream")
def test_to_device_raises_for_what_is_no_stream(library, deviations):
    for source, destination in library.pairs:
        try:
            library.to_device(table(library, source), destination, stream="no stream")
        except Exception:
            continue
        deviations.append(f"{source} to {destination}: stream='no stream' is ignored")
