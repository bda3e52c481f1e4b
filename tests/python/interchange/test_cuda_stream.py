# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Exchange of streams with other libraries: __cuda_stream__, and the attributes of older libraries."""

import ctypes
import types
import weakref

import numpy as np
import pytest
import skerry as sk
from skerry.testing import count_cuda_calls, instruments

from tests.python.oracle import to_numpy
from tests.python.session import HAS_GPU


class Foreign:
    """A stream object of another library with these attributes."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class Binding:
    """Like CUstream of cuda.bindings."""

    def __init__(self, handle):
        self.handle = handle

    def __int__(self):
        return self.handle


def kinds(handle):
    """Return the kinds of objects with which libraries pass a handle."""

    class Protocol:  # cuda.core, PyTorch, CuPy, Numba, RMM today
        def __cuda_stream__(self):
            return (0, handle)

    return {
        "int": handle,
        "numpy int": np.int64(handle),
        "method": Protocol(),
        "attribute": Foreign(__cuda_stream__=(0, handle)),
        "ptr": Foreign(ptr=handle),
        "cuda_stream": Foreign(cuda_stream=handle),
        "handle": Foreign(handle=handle),
        "c_void_p, Numba": Foreign(handle=ctypes.c_void_p(handle)),
        "CUstream, Numba": Foreign(handle=Binding(handle)),
    }


KINDS = list(kinds(1))


@pytest.fixture
def stream(cuda_device):
    return sk.Stream(cuda_device)


def test_streams_export_the_protocol(stream, cuda_device):
    assert stream.__cuda_stream__() == (0, stream.handle)
    assert type(stream.__cuda_stream__()) is tuple
    # The default stream is exported as 1, though 0 would be valid too.
    assert sk.current_stream(cuda_device).__cuda_stream__() == (0, 1)
    assert sk.Stream.from_handle(cuda_device, 1).__cuda_stream__() == (0, 1)
    assert sk.Stream.from_handle(cuda_device, 2).__cuda_stream__() == (0, 2)


@pytest.mark.two_gpus
@pytest.mark.parametrize("kind", KINDS)
def test_all_functions_accept_all_kinds_of_streams(kind, stream, cuda_device):
    other = kinds(stream.handle)[kind]
    assert sk.Stream.from_handle(cuda_device, other) == stream
    with sk.stream(other) as entered:
        assert entered == stream
        assert entered.device == sk.Device(cuda_device)
        assert sk.current_stream(cuda_device) == stream
        x = sk.arange(100, device=cuda_device)
    assert sk.current_stream(cuda_device).handle == 1
    with sk.stream(other, device=cuda_device) as entered:
        assert entered == stream
    assert x.to_device("cpu", stream=other).tolist() == list(range(100))
    event = sk.Event(cuda_device)
    event.record(other)
    event.wait(other)
    event.synchronize()
    later = sk.Stream(cuda_device)
    later.wait(other)
    later.synchronize()
    np.testing.assert_array_equal(np.from_dlpack(x, device="cpu"), to_numpy(x))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("handle", [1, 2])
def test_default_streams(kind, handle, cuda_device):
    other = kinds(handle)[kind]
    assert sk.Stream.from_handle(cuda_device, other).handle == handle
    with sk.stream(other, device=cuda_device) as entered:
        assert entered.handle == handle
        assert float(sk.sum(sk.ones((10,), device=cuda_device))) == 10.0
    with sk.device(cuda_device), sk.stream(other) as entered:
        assert entered.device == sk.Device(cuda_device)
    with pytest.raises(ValueError, match="device="):
        sk.stream(other)


@pytest.mark.parametrize("kind", KINDS)
def test_handle_0_is_the_default_stream_of_an_object_and_ambiguous_as_an_int(kind, cuda_device):
    other = kinds(0)[kind]
    if kind in ("int", "numpy int"):
        with pytest.raises(ValueError, match="ambiguous"):
            sk.Stream.from_handle(cuda_device, other)
    else:
        assert sk.Stream.from_handle(cuda_device, other).handle == 1


def test_foreign_stream_object_is_kept_alive(stream, cuda_device):
    other = kinds(stream.handle)["method"]
    seen = weakref.ref(other)
    imported_stream = sk.Stream.from_handle(cuda_device, other)
    del other
    assert seen() is not None
    scope = sk.stream(imported_stream)
    del imported_stream
    with scope:
        assert seen() is not None
        sk.current_stream(cuda_device)
    del scope
    instruments.set_current_stream(sk.Stream.from_handle(cuda_device, 1))
    assert seen() is None


def test_objects_that_are_not_streams_are_rejected(cuda_device):
    for bad in (
        None,
        "1",
        1.0,
        object(),
        True,
        [1],
        Foreign(ptr="x"),
        Foreign(handle=None),
        Foreign(ptr=1.0),
    ):
        with pytest.raises(TypeError):
            sk.Stream.from_handle(cuda_device, bad)
        with pytest.raises(TypeError):
            sk.stream(bad)
    for bad in (-1, 2**64, 10**30):
        with pytest.raises(ValueError):
            sk.Stream.from_handle(cuda_device, bad)
    for pair in (1, (0,), (0, 1, 2), [0, 1], (0, "1"), ("0", 1), (0, True), None):
        with pytest.raises(TypeError):
            sk.Stream.from_handle(cuda_device, Foreign(__cuda_stream__=lambda pair=pair: pair))
    with pytest.raises(ValueError, match="version 1"):
        sk.Stream.from_handle(cuda_device, Foreign(__cuda_stream__=(1, 1)))
    with pytest.raises(ValueError):
        sk.Stream.from_handle("cpu:0", 1)


def test_exceptions_of_stream_objects_propagate(cuda_device):
    def fail():
        raise RuntimeError("no such stream any more")

    with pytest.raises(RuntimeError, match="any more"):
        sk.Stream.from_handle(cuda_device, Foreign(__cuda_stream__=fail))

    class Property:
        @property
        def ptr(self):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        sk.stream(Property())


@pytest.mark.skipif(HAS_GPU, reason="needs two GPUs, or rehearsal")
@pytest.mark.parametrize("kind", KINDS)
def test_a_stream_of_another_device_is_an_error(kind):
    other = kinds(sk.Stream("cuda:1").handle)[kind]
    x = sk.ones((3,), device="cuda:0")
    with pytest.raises(ValueError, match="cuda:0"):
        sk.Stream.from_handle("cuda:0", other)
    with pytest.raises(ValueError, match="cuda:0"):
        sk.stream(other, device="cuda:0")
    with pytest.raises(ValueError, match="cuda:0"):
        x.to_device("cpu", stream=other)
    with pytest.raises(ValueError, match="cuda:0"):
        sk.Event("cuda:0").record(other)
    # Without device=, the driver is queried.
    with sk.stream(other) as entered:
        assert entered.device == sk.Device("cuda:1")


@pytest.mark.skipif(HAS_GPU, reason="a driver may crash on an invalid handle")
def test_unknown_handles_are_rejected(cuda_device):
    for other in kinds(0x1234567).values():
        with pytest.raises(ValueError, match="not a stream"):
            sk.Stream.from_handle(cuda_device, other)
        with pytest.raises(ValueError, match="not a stream"):
            sk.stream(other)


def test_driver_queries_keep_the_current_device_and_leave_no_error(stream):
    with count_cuda_calls() as calls:
        sk.Stream.from_handle(stream.device, stream.handle)
    assert calls["stream_device"] == 1
    assert calls.get("push_device") == calls.get("pop_device")
    with pytest.raises(ValueError):
        sk.stream(types.SimpleNamespace(ptr=0x1234567)) if not HAS_GPU else sk.stream(0)
    assert float(sk.sum(sk.ones((3,), device=stream.device))) == 3.0
