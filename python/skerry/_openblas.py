# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The location of OpenBLAS.

It is imported with the package, so that the first matrix product imports nothing: that may run in any thread, and a
fork while another thread imports a module leaves that module's import lock held in the child for ever.
"""

from __future__ import annotations

import os
import sys


def library() -> str | None:
    """Return the path of the library in the package scipy-openblas32, without importing it; None if not installed."""
    for folder in sys.path:
        path = os.path.join(folder, "scipy_openblas32", "lib", "libscipy_openblas.so")
        if os.path.exists(path):
            return path
    return None
