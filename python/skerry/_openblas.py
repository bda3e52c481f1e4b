# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Where OpenBLAS is.

Imported with the package, and imports nothing itself: whoever forks while another thread imports a module leaves the
child with that module's lock taken for ever, and the first product may come in any thread.
"""

from __future__ import annotations

import os
import sys


def library() -> str | None:
    """Path of the library in the package scipy-openblas32, which is not imported; None without it."""
    for folder in sys.path:
        path = os.path.join(folder, "scipy_openblas32", "lib", "libscipy_openblas.so")
        if os.path.exists(path):
            return path
    return None
