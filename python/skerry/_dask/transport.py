# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Serialization of arrays between dask workers.

The memory of a CPU array is the frame, without a copy on the sending side. An array on another device is copied to the
host by one ``to_device``. If the transport supports GPU memory (the serializer ``cuda``), its memory is the frame. A
broadcast axis is sent once. The receiver places the array on the device of the same name and raises an error if it has
none: the transfer never changes the device of an array.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from distributed.protocol.cuda import cuda_deserialize, cuda_serialize
from distributed.protocol.numpy import deserialize_numpy_ndarray, serialize_numpy_ndarray
from distributed.protocol.serialize import dask_deserialize, dask_serialize

import skerry as sk
from skerry import _core
from skerry._dask.missing import Missing
from skerry._data_types import as_dtype
from skerry._pickle import device_here, in_dask_worker
from skerry.exceptions import DeviceUnavailableError

Array = _core.Array
Header = dict[str, Any]


def _once(x: Array) -> Array:
    """Return a view with length 1 along broadcast axes, or ``x`` itself."""
    if 0 not in x.strides or x.size == 0:
        return x
    return x[tuple(slice(None) if stride else slice(0, 1) for stride in x.strides)]


def _header(x: Array) -> Header:
    return {"device": str(x.device), "dtype": x.dtype.name, "shape": x.shape}


def serialize(x: Array) -> tuple[Header, list[Any]]:
    """Return a header and one frame of host memory."""
    host = np.asarray(_once(x).to_device("cpu")) if x.device.kind != "cpu" else np.asarray(_once(x))
    layout, frames = serialize_numpy_ndarray(host)
    return {**_header(x), "layout": layout}, frames


def deserialize(header: Header, frames: list[Any]) -> Array | Missing:
    """Restore an array from a header and a frame of host memory, which is not copied for a CPU device."""
    try:
        device = device_here(header["device"])
    except DeviceUnavailableError as error:
        if in_dask_worker():
            return Missing(str(error))
        raise
    host = deserialize_numpy_ndarray(header["layout"], frames)
    x = _core.asarray(host, device=device if device.kind == "cpu" else "cpu:0")
    if x.device != device:
        x = x.to_device(device)
    shape = tuple(header["shape"])
    return x if x.shape == shape else sk.broadcast_to(x, shape)


def serialize_for_cuda(x: Array) -> tuple[Header, list[Any]]:
    """Return a header and one frame on the GPU: the array's memory if it is contiguous, else a copy."""
    if x.device.kind != "cuda":
        raise NotImplementedError("host memory is serialized by `dask`, not `cuda`")
    once = _once(x)
    flat = sk.reshape(once, (-1,))
    if flat.size > 1 and flat.strides != (flat.itemsize,):
        flat = sk.concat([flat])
    return {**_header(x), "sent": once.shape}, [flat.view(sk.uint8)]


def deserialize_for_cuda(header: Header, frames: list[Any]) -> Array:
    """Restore an array from a frame in GPU memory, which is only copied if it is on another device."""
    (frame,) = frames
    sent = tuple(header["sent"])
    x = sk.reshape(_core.asarray(frame).view(as_dtype(header["dtype"])), sent)
    device = device_here(header["device"])
    x = x if x.device == device else x.to_device(device)
    shape = tuple(header["shape"])
    return x if sent == shape else sk.broadcast_to(x, shape)


def register() -> None:
    dask_serialize.register(Array, serialize)
    dask_deserialize.register(Array, deserialize)
    cuda_serialize.register(Array, serialize_for_cuda)
    cuda_deserialize.register(Array, deserialize_for_cuda)
