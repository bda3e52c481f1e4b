# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""How arrays are handed over: ``with skerry.cuda_array_interface_version(...)``."""

from __future__ import annotations

import contextvars

from skerry import _core

_variable: contextvars.ContextVar[int] = contextvars.ContextVar(
    "skerry.cuda_array_interface_version"
)


class cuda_array_interface_version:  # noqa: N801 - a verb in `with ...`, as `skerry.device`
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
        self._version = version
        self._tokens: list[contextvars.Token[int]] = []

    def __enter__(self) -> int:
        # From the first use on, and not before, an access looks into the context.
        _core.use_version_context(_variable)
        self._tokens.append(_variable.set(self._version))
        return self._version

    def __exit__(self, *error: object) -> None:
        _variable.reset(self._tokens.pop())
