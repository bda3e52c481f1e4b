# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Context managers: ``device``, ``stream``, ``strict_promotion``, ``cuda_array_interface_version``."""

from __future__ import annotations

import contextvars
from typing import Any, Generic, TypeVar

from skerry import _core

_Value = TypeVar("_Value")
_device: contextvars.ContextVar[_core.Device | None] = contextvars.ContextVar("skerry.device")
_version: contextvars.ContextVar[int] = contextvars.ContextVar(
    "skerry.cuda_array_interface_version"
)
_strict: contextvars.ContextVar[bool] = contextvars.ContextVar("skerry.strict_promotion")


class _Scope(Generic[_Value]):
    """Sets a context variable, local to the thread or asyncio task, inside a ``with`` block."""

    def __init__(self, variable: contextvars.ContextVar[_Value], value: _Value) -> None:
        self._variable = variable
        self._value = value
        self._tokens: list[contextvars.Token[_Value]] = []

    def __enter__(self) -> _Value:
        self._tokens.append(self._variable.set(self._value))
        return self._value

    def __exit__(self, *error: object) -> None:
        self._variable.reset(self._tokens.pop())


class device(_Scope[_core.Device | None]):  # noqa: N801 - a verb in `with device(...)`, as in torch and CuPy
    """Context manager that sets the default device of creation functions.

    It is local to the thread or asyncio task. Existing arrays stay on their devices, and operations still run on the
    devices of their arrays.

    Parameters
    ----------
    device : Device or str or None
        Device of arrays created without ``device=`` inside the ``with`` block. None: no default. Functions that create
        arrays then raise TypeError without ``device=``, unless an array among their arguments determines the device.

    Raises
    ------
    DeviceUnavailableError
        On entry, if the device is unavailable.

    """

    def __init__(self, device: _core.Device | str | None, /) -> None:
        super().__init__(_device, None if device is None else _core.as_device(device))

    def __enter__(self) -> _core.Device | None:
        if self._value is not None:
            self._value.info  # noqa: B018 - raises if it can't be used
        # Creation functions look up the context variable only after the first use.
        _core.use_device_context(_device)
        return super().__enter__()


class stream:  # noqa: N801 - as `device` above
    """Context manager that makes a stream current for this thread on the stream's device.

    Parameters
    ----------
    stream : Stream, int, or object with ``__cuda_stream__``
        The stream. Streams of other libraries (PyTorch, CuPy, Numba, cuda.core) are accepted by ``__cuda_stream__``
        or the attribute ``ptr``, ``cuda_stream`` or ``handle``; the object is kept alive during the block. The
        handles 1 and 2 are the legacy and the per-thread default stream.
    device : Device or str, optional
        Device of the stream; queried from the driver by default, which can't distinguish the default streams of
        several devices.

    Raises
    ------
    TypeError, ValueError
        If ``stream`` is not a stream, or is a stream of another device.

    """

    def __init__(self, stream: Any, /, *, device: _core.Device | str | None = None) -> None:
        self._stream = _core.as_stream(stream, device)

    def __enter__(self) -> _core.Stream:
        return self._stream.__enter__()

    def __exit__(self, *error: object) -> None:
        self._stream.__exit__(*error)


class cuda_array_interface_version(_Scope[int]):  # noqa: N801 - as `device` above
    """Context manager that sets the version of ``__cuda_array_interface__`` that arrays export.

    It is local to the thread or asyncio task. The default is 3, or the value of the environment variable
    ``SKERRY_CAI_VERSION``. Versions 0 to 2 have no ``stream``: Numba then does not synchronize the stream at each
    kernel that takes the array. Pending work is ordered before the legacy default stream with all versions.

    Parameters
    ----------
    version : int
        Version, from 0 to 3.

    Raises
    ------
    TypeError
        If the version is not an int.
    ValueError
        If there is no such version.

    """

    def __init__(self, version: int, /) -> None:
        if not isinstance(version, int) or isinstance(version, bool):
            raise TypeError(
                f"cuda_array_interface_version: the version must be an int, not {type(version).__name__}"
            )
        if not 0 <= version <= 3:
            raise ValueError(
                f"cuda_array_interface_version: no such version: {version}; use 0, 1, 2 or 3"
            )
        super().__init__(_version, version)

    def __enter__(self) -> int:
        # Accesses look up the context variable only after the first use.
        _core.use_version_context(_version)
        return super().__enter__()


class strict_promotion(_Scope[bool]):  # noqa: N801 - as `device` above
    """Context manager that rejects mixed kinds of dtypes, which the standard leaves undefined.

    Use it to write programs that run with any library that follows the array API standard. Inside the ``with`` block
    TypeError is raised if bool, integer and floating-point dtypes are mixed, if a Python scalar is of a higher kind
    than the array's dtype, and if the standard doesn't define a function for a dtype. It is local to the thread or
    asyncio task. By default kinds mix, unless the environment variable ``SKERRY_PROMOTION`` is ``strict``.

    Parameters
    ----------
    enabled : bool
        If False, kinds mix inside the block, even within an outer strict block.

    Raises
    ------
    TypeError
        If ``enabled`` is not a bool.

    Examples
    --------
    >>> import skerry as sk
    >>> (sk.arange(3) * 0.5).dtype
    dtype('float64')
    >>> with sk.strict_promotion():
    ...     sk.arange(3) * 0.5
    Traceback (most recent call last):
        ...
    skerry.exceptions.DTypeError: multiply: int64 array and Python float have no common dtype; \
convert the array first, for example to float64 with astype

    """

    def __init__(self, enabled: bool = True, /) -> None:
        if not isinstance(enabled, bool):
            raise TypeError(
                f"strict_promotion: enabled must be a bool, not {type(enabled).__name__}"
            )
        super().__init__(_strict, enabled)

    def __enter__(self) -> bool:
        # Promotion of mixed kinds looks up the context variable only after the first use.
        _core.use_promotion_context(_strict)
        return super().__enter__()
