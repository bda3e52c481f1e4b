# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Scopes: ``with skerry.device(...)`` and ``with skerry.stream(...)``."""

from __future__ import annotations

import contextvars
from typing import Any

from skerry import _core

_variable: contextvars.ContextVar[_core.Device] = contextvars.ContextVar("skerry.device")


class device:  # noqa: N801 - a verb in `with device(...)`, as in torch and CuPy
    """Context manager: the device of creation functions without ``device=`` inside a ``with`` block.

    Local to the thread or asyncio task. Arrays that exist stay where they are, and operations still run where their
    arrays are.

    Parameters
    ----------
    device : Device or str

    Raises
    ------
    DeviceUnavailableError
        On entry, if the device can't be used.

    """

    def __init__(self, device: _core.Device | str, /) -> None:
        self._device = _core.as_device(device)
        self._tokens: list[contextvars.Token[_core.Device]] = []

    def __enter__(self) -> _core.Device:
        self._device.info  # noqa: B018 - raises if it can't be used
        # From the first use on, and not before, defaults are looked up in the context.
        _core.use_device_context(_variable)
        self._tokens.append(_variable.set(self._device))
        return self._device

    def __exit__(self, *error: object) -> None:
        _variable.reset(self._tokens.pop())


class stream:  # noqa: N801 - as `device` above
    """Context manager: send this thread's work on the stream's device to it inside a ``with`` block.

    Parameters
    ----------
    stream : Stream, int, or object with ``__cuda_stream__``
        A stream of another library too (torch, CuPy, Numba, cuda.core): by ``__cuda_stream__``, or the attribute
        ``ptr``, ``cuda_stream`` or ``handle``. It is kept while the block runs; the handles 1 and 2 are the legacy
        and the per-thread default stream.
    device : Device or str, optional
        Of the stream; asked of the driver otherwise. The default streams of several devices can't be told apart.

    Raises
    ------
    TypeError, ValueError
        For what is no stream, and a stream of another device.

    """

    def __init__(self, stream: Any, /, *, device: _core.Device | str | None = None) -> None:
        self._stream = _core.as_stream(stream, device)

    def __enter__(self) -> _core.Stream:
        return self._stream.__enter__()

    def __exit__(self, *error: object) -> None:
        self._stream.__exit__(*error)
