# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``__array_namespace_info__``: the standard's inspection API."""

from __future__ import annotations

from typing import Any

import numpy as np

from skerry import _core
from skerry._data_types import KINDS, Dtype

#: Dtypes that the standard does not have.
_BEYOND_THE_STANDARD = {"bfloat16", "float16"}


class NamespaceInfo:
    """Result of ``skerry.__array_namespace_info__()``: the functions of the standard's inspection API."""

    def capabilities(self) -> dict[str, Any]:
        """Return whether boolean indexing and data-dependent shapes are supported, and the maximum rank."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> _core.Device:
        """Return the device that creation functions use by default."""
        return _core.default_device()

    def default_dtypes(self, *, device: _core.Device | str | None = None) -> dict[str, Dtype]:
        """Return the default dtypes by kind; they are the same on every device."""
        if device is not None:
            _core.as_device(device)
        return {
            "real floating": np.dtype("float64"),
            "complex floating": np.dtype("complex128"),
            "integral": np.dtype("int64"),
            "indexing": np.dtype("int64"),
        }

    def dtypes(
        self,
        *,
        device: _core.Device | str | None = None,
        kind: str | tuple[str, ...] | None = None,
    ) -> dict[str, Dtype]:
        """Return the standard's dtypes by name, all or those of the given kinds; they are the same on every device.

        float16 and bfloat16 are not listed because the standard does not have them; code that iterates over all dtypes,
        such as the standard's test suite, relies on that.
        """
        if device is not None:
            _core.as_device(device)
        if kind is None:
            kind = ("bool", "numeric")
        kinds = (kind,) if isinstance(kind, str) else kind
        for one in kinds:
            if one not in KINDS:
                raise ValueError(f"dtypes: unknown kind: {one!r}; known are {', '.join(KINDS)}")
        names = [name for one in kinds for name in KINDS[one] if name not in _BEYOND_THE_STANDARD]
        return {name: np.dtype(name) for name in names}

    def devices(self) -> tuple[_core.Device, ...]:
        """Return the devices that can be used now."""
        return _core.devices()


def __array_namespace_info__() -> NamespaceInfo:  # noqa: N807 - the standard's name
    """Return an object to inspect the namespace: capabilities, default_device, default_dtypes, dtypes, devices.

    Source: array API 2025.12, inspection.
    """
    return NamespaceInfo()
