# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Where OpenBLAS is; imported at the first call that needs it."""

from __future__ import annotations

import importlib.util
import pathlib


def library() -> str | None:
    """Path of the library in the package scipy-openblas32, which is not imported; None without it."""
    found = importlib.util.find_spec("scipy_openblas32")
    if found is None or found.origin is None:
        return None
    path = pathlib.Path(found.origin).parent / "lib" / "libscipy_openblas.so"
    return str(path) if path.exists() else None
