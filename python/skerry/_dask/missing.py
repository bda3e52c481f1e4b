# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Placeholder in a dask worker for an array whose device the worker lacks."""

from __future__ import annotations

from typing import Any

from skerry.exceptions import DeviceUnavailableError


class Missing:
    """Placeholder for an array whose device a worker lacks; any use raises DeviceUnavailableError.

    A worker that fails to deserialize a message waits for ever (dask/distributed#6705), so deserialization must not
    raise.
    """

    def __init__(self, error: str) -> None:
        self._error = error

    def __reduce__(self) -> Any:
        return Missing, (self._error,)

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise DeviceUnavailableError(self._error)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise DeviceUnavailableError(self._error)


OPERATIONS = (
    "abs", "add", "and", "array", "array_function", "array_ufunc", "bool", "complex", "contains", "eq",
    "float", "floordiv", "ge", "getitem", "gt", "index", "int", "invert", "iter", "le", "len", "lt",
    "matmul", "mod", "mul", "ne", "neg", "or", "pos", "pow", "radd", "rand", "rfloordiv", "rmatmul",
    "rmod", "rmul", "ror", "rpow", "rsub", "rtruediv", "rxor", "setitem", "sub", "truediv", "xor",
)  # fmt: skip
for _name in OPERATIONS:
    setattr(Missing, f"__{_name}__", Missing._refuse)
