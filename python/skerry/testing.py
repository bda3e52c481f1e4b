# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Aids for testing multi-device code on a machine without a GPU."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from skerry import _core

__all__ = ["as_simulated_cuda_array", "count_cuda_calls"]


@contextlib.contextmanager
def count_cuda_calls() -> Iterator[dict[str, int]]:
    """Count the calls of the CUDA runtime that skerry makes in the body, on all threads.

    Works on GPUs and on rehearsed devices alike: each call goes through one table, whose entries are counted. Not
    in the table are the launches of kernels on a GPU, and what CUDA's own libraries call; on a rehearsed device a
    launch is one call of ``launch_host_kernel``.

    Yields
    ------
    dict[str, int]
        Filled at the end of the body: name in the table -> calls, of those that were made at all.

    Raises
    ------
    DeviceUnavailableError
        If there is no CUDA device.

    Examples
    --------
    >>> with count_cuda_calls() as calls:
    ...     skerry.synchronize("cuda:0")
    >>> calls
    {'get_device': 1, 'device_synchronize': 1}

    """
    calls: dict[str, int] = {}
    _core.count_cuda_calls(True)
    try:
        before = _core.counted_cuda_calls()
        yield calls
    finally:
        after = _core.counted_cuda_calls()
        _core.count_cuda_calls(False)
        calls.update({name: n - before[name] for name, n in after.items() if n > before[name]})


class _HostView:
    """A CUDA array interface re-labelled as NumPy's, for memory that is really on the host; keeps its owner."""

    def __init__(self, interface: dict[str, Any], owner: object) -> None:
        self.__array_interface__ = interface
        self.owner = owner


def as_simulated_cuda_array(obj: Any) -> Any:
    """Hand an array on a rehearsed CUDA device to a kernel of Numba's CUDA simulator.

    The counterpart of ``numba.cuda.as_cuda_array`` for ``NUMBA_ENABLE_CUDASIM=1``, where Numba itself knows no CUDA
    array interface: reads ``obj.__cuda_array_interface__`` once and wraps exactly that memory, without a copy, so that
    the kernel writes through and ``obj`` stays alive.

    Parameters
    ----------
    obj
        An object with ``__cuda_array_interface__`` whose memory is host memory: a skerry array on a rehearsal device.
        Pending work on it must be done: call ``skerry.synchronize(obj.device)`` first.

    Returns
    -------
    numba.cuda.simulator.cudadrv.devicearray.FakeCUDAArray

    Raises
    ------
    TypeError
        If ``obj`` has no CUDA array interface, or is on a real GPU.
    NotImplementedError
        If the interface carries a mask.

    """
    device = getattr(obj, "device", None)
    if (
        device is not None
        and getattr(device, "kind", "cuda") == "cuda"
        and not device.info.rehearsal
    ):
        raise TypeError(
            f"as_simulated_cuda_array: the array is on a real GPU: {device}; use numba.cuda.as_cuda_array"
        )
    try:
        interface = obj.__cuda_array_interface__
    except AttributeError:
        raise TypeError(
            f"as_simulated_cuda_array: {type(obj).__name__} has no __cuda_array_interface__; "
            'move it to a rehearsed CUDA device, e.g. x.to_device("cuda:0")'
        ) from None
    if interface.get("mask") is not None:
        raise NotImplementedError("as_simulated_cuda_array: masked arrays are not supported")
    from numba.cuda.simulator.cudadrv.devicearray import FakeCUDAArray

    shape, typestr = interface["shape"], interface["typestr"]
    if 0 in shape:
        return FakeCUDAArray(np.empty(shape, dtype=typestr))
    view = {
        "shape": shape,
        "typestr": typestr,
        "data": interface["data"],
        "strides": interface.get("strides"),
        "version": 3,
    }
    return FakeCUDAArray(np.asarray(_HostView(view, obj)))
