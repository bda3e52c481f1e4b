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

    def default_device(self) -> _core.Device | None:
        """Return the device that creation functions use by default; None after ``set_default_device(None)``."""
        return _core.default_device()

    def default_dtypes(self, *, device: _core.Device | str | None = None) -> dict[str, Dtype]:
        """Return the default dtypes by kind, on a device or the default device.

        They are float64, complex128 and int64; float32 and complex64 on a device without double precision.
        """
        is_double = "float64" in self.dtypes(device=device)
        return {
            "real floating": np.dtype("float64" if is_double else "float32"),
            "complex floating": np.dtype("complex128" if is_double else "complex64"),
            "integral": np.dtype("int64"),
            "indexing": np.dtype("int64"),
        }

    def dtypes(
        self,
        *,
        device: _core.Device | str | None = None,
        kind: str | tuple[str, ...] | None = None,
    ) -> dict[str, Dtype]:
        """Return the standard's dtypes that a device has, by name: all, or those of the given kinds.

        Without ``device``, those of the default device. All devices have all of them, except rehearsed ones without
        float64 and complex128 (``SKERRY_REHEARSE_FLOAT64``).

        float16 and bfloat16 are not listed because the standard does not have them; code that iterates over all dtypes,
        such as the standard's test suite, relies on that.
        """
        resolved_device = _core.default_device() if device is None else _core.as_device(device)
        if kind is None:
            kind = ("bool", "numeric")
        kinds = (kind,) if isinstance(kind, str) else kind
        for one in kinds:
            if one not in KINDS:
                raise ValueError(f"dtypes: unknown kind: {one!r}; known are {', '.join(KINDS)}")
        names = [name for one in kinds for name in KINDS[one] if name not in _BEYOND_THE_STANDARD]
        return {
            name: np.dtype(name)
            for name in names
            if resolved_device is None or _core.has_dtype(resolved_device, name)
        }

    def devices(self) -> tuple[_core.Device, ...]:
        """Return the devices that can be used now."""
        return _core.devices()


def __array_namespace_info__() -> NamespaceInfo:  # noqa: N807 - the standard's name
    """Return an object to inspect the namespace: capabilities, default_device, default_dtypes, dtypes, devices.

    Source: array API 2025.12, inspection.
    """
    return NamespaceInfo()
