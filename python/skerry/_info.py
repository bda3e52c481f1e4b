# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``__array_namespace_info__``: what the namespace can do."""

from __future__ import annotations

from typing import Any

import numpy as np

from skerry import _core
from skerry._data_types import KINDS, Dtype

#: Dtypes that the standard does not have.
_BEYOND_THE_STANDARD = {"float16"}


class NamespaceInfo:
    """Answers of ``skerry.__array_namespace_info__()``, as the standard's inspection API has them."""

    def capabilities(self) -> dict[str, Any]:
        """Say whether masks and shapes that depend on data work, and the largest rank."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> _core.Device:
        """Return where creation functions without ``device=`` put arrays."""
        return _core.default_device()

    def default_dtypes(self, *, device: _core.Device | str | None = None) -> dict[str, Dtype]:
        """Return them by kind; the same on every device."""
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
        """Return the standard's dtypes by name, of one kind or several, or all; the same on every device.

        As NumPy's, it does not list float16, which the standard does not have: who goes through all dtypes, such as the
        standard's own tests, relies on that.
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
    """Say what this namespace can do: capabilities, default_device, default_dtypes, dtypes, devices.

    Source: array API 2025.12, inspection.
    """
    return NamespaceInfo()
