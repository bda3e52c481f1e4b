# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Scopes: ``device(...)``, ``stream(...)``, ``strict_promotion()``, ``cuda_array_interface_version(...)``."""

from __future__ import annotations

import contextvars
from typing import Any, Generic, TypeVar

from skerry import _core

_Value = TypeVar("_Value")
_device: contextvars.ContextVar[_core.Device] = contextvars.ContextVar("skerry.device")
_version: contextvars.ContextVar[int] = contextvars.ContextVar(
    "skerry.cuda_array_interface_version"
)
_strict: contextvars.ContextVar[bool] = contextvars.ContextVar("skerry.strict_promotion")


class _Scope(Generic[_Value]):
    """Sets a variable of the thread or asyncio task inside a ``with`` block."""

    def __init__(self, variable: contextvars.ContextVar[_Value], value: _Value) -> None:
        self._variable = variable
        self._value = value
        self._tokens: list[contextvars.Token[_Value]] = []

    def __enter__(self) -> _Value:
        self._tokens.append(self._variable.set(self._value))
        return self._value

    def __exit__(self, *error: object) -> None:
        self._variable.reset(self._tokens.pop())


class device(_Scope[_core.Device]):  # noqa: N801 - a verb in `with device(...)`, as in torch and CuPy
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
        super().__init__(_device, _core.as_device(device))

    def __enter__(self) -> _core.Device:
        self._value.info  # noqa: B018 - raises if it can't be used
        # From the first use on, and not before, defaults are looked up in the context.
        _core.use_device_context(_device)
        return super().__enter__()


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


class cuda_array_interface_version(_Scope[int]):  # noqa: N801 - as `device` above
    """Context manager: the version of ``__cuda_array_interface__`` that arrays export inside a ``with`` block.

    Local to the thread or asyncio task. Outside of such blocks it is 3, or what the environment variable
    ``SKERRY_CAI_VERSION`` says. Versions 0 to 2 have no ``stream``: with them Numba does not wait for the stream at
    each kernel that takes the array; pending work is ordered before the legacy default stream all the same.

    Parameters
    ----------
    version : int
        0 to 3.

    Raises
    ------
    TypeError
        If the version is no int.
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
                f"cuda_array_interface_version: no such version: {version}; there are 0 to 3"
            )
        super().__init__(_version, version)

    def __enter__(self) -> int:
        # From the first use on, and not before, an access looks into the context.
        _core.use_version_context(_version)
        return super().__enter__()


class strict_promotion(_Scope[bool]):  # noqa: N801 - as `device` above
    """Context manager: refuse mixed kinds of dtypes that the standard leaves open inside a ``with`` block.

    For programs that shall run with any library of the array API standard: bool, integer and floating dtypes don't mix
    then, Python scalars of a higher kind don't raise the dtype of an array, and functions refuse dtypes for which the
    standard defines nothing, all with TypeError. Local to the thread or asyncio task. Outside of such blocks kinds
    mix, unless the environment variable ``SKERRY_PROMOTION`` is ``strict``.

    Parameters
    ----------
    enabled : bool
        False: let kinds mix inside the block, whatever is around it.

    Raises
    ------
    TypeError
        If ``enabled`` is no bool.

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
        # From the first use on, and not before, mixed kinds look into the context.
        _core.use_promotion_context(_strict)
        return super().__enter__()
