# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Arrow's arrays of skerry's: ``pyarrow.array(x)`` asks for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from skerry import _core


def arrow_array(x: _core.Array, type: Any) -> Any:
    """Return what ``Array.__arrow_array__`` gives: Arrow's array over the memory of one on a CPU device."""
    import pyarrow

    return pyarrow.array(np.asarray(x), type=type)
