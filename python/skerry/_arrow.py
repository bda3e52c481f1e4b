# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Conversion to Arrow arrays, for ``pyarrow.array(x)``."""

from __future__ import annotations

from typing import Any

import numpy as np

from skerry import _core


def arrow_array(x: _core.Array, type: Any) -> Any:
    """Implement ``Array.__arrow_array__``: an Arrow array over the memory of an array on a CPU device."""
    import pyarrow

    return pyarrow.array(np.asarray(x), type=type)
