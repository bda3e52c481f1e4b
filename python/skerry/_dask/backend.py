# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The array backend ``skerry`` of dask: ``dask.config.set({"array.backend": "skerry"})``."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np
from dask import config
from dask.array.backends import ArrayBackendEntrypoint
from dask.utils import Dispatch

import skerry as sk
from skerry import _core

to_skerry_dispatch = Dispatch("to_skerry_dispatch")


def _from_numpy(data: Any, device: str | _core.Device | None = None, **_: Any) -> _core.Array:
    return sk.asarray(data, device=device, copy=True)


def _from_skerry(
    data: _core.Array, device: str | _core.Device | None = None, **_: Any
) -> _core.Array:
    return data if device is None else data.to_device(device)


to_skerry_dispatch.register((np.ndarray, np.generic), _from_numpy)
to_skerry_dispatch.register(_core.Array, _from_skerry)


def _meta(meta: Any, device: str | _core.Device | None) -> Any:
    return sk.empty((0,), device=device) if meta is None else meta


def _create(maker: str, /, *args: Any, meta: Any = None, device: Any = None, **kwargs: Any) -> Any:
    """Call dask's function with chunks like ``meta``, or with chunks on ``device``."""
    meta_array = _meta(meta, device)
    with config.set({"array.backend": "numpy"}):
        return getattr(da, maker)(*args, meta=meta_array, **kwargs)


class SkerryBackendEntrypoint(ArrayBackendEntrypoint):  # type: ignore[misc]
    """Creates dask arrays with ``skerry.Array`` chunks.

    The chunks are on ``device=``, else on the device of ``meta=`` or ``like=``, else on ``skerry.default_device()`` of
    the process and thread that creates the dask array. Workers that compute the chunks need a device of that name.
    """

    @classmethod
    def to_backend_dispatch(cls) -> Dispatch:
        return to_skerry_dispatch

    @classmethod
    def to_backend(cls, data: Any, **kwargs: Any) -> Any:
        """Convert the chunks of a dask array to skerry arrays on ``device=`` or the default device."""
        device = kwargs.pop("device", None)
        if isinstance(data._meta, _core.Array) and device is None:
            return data
        target_device = (
            _core.device_or_default("to_backend", None)
            if device is None
            else _core.as_device(str(device))
        )
        meta = to_skerry_dispatch(data._meta, device=target_device)
        return data.map_blocks(to_skerry_dispatch, device=target_device, meta=meta, **kwargs)

    @property
    def RandomState(self) -> Any:  # noqa: N802 - dask's name
        from skerry._dask.random import RandomState

        return RandomState

    @property
    def default_bit_generator(self) -> Any:
        from skerry._dask.random import BitGenerator

        return BitGenerator

    @staticmethod
    def ones(*args: Any, **kwargs: Any) -> Any:
        return _create("ones", *args, **kwargs)

    @staticmethod
    def zeros(*args: Any, **kwargs: Any) -> Any:
        return _create("zeros", *args, **kwargs)

    @staticmethod
    def empty(*args: Any, **kwargs: Any) -> Any:
        return _create("empty", *args, **kwargs)

    @staticmethod
    def full(*args: Any, **kwargs: Any) -> Any:
        return _create("full", *args, **kwargs)

    @staticmethod
    def arange(*args: Any, like: Any = None, device: Any = None, **kwargs: Any) -> Any:
        with config.set({"array.backend": "numpy"}):
            return da.arange(*args, like=_meta(like, device), **kwargs)
