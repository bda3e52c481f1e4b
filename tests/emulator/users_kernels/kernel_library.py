# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The library that compiles the kernels written in Python: numba-cuda, or the one that TESTED_NUMBA names."""

import importlib
import os

NAME = os.environ.get("TESTED_NUMBA", "numba")
cuda = importlib.import_module(f"{NAME}.cuda")
_types = importlib.import_module("numba.core.types" if NAME == "numba" else f"{NAME}.types")
float32, float64, int32, int64 = (
    getattr(_types, name) for name in ("float32", "float64", "int32", "int64")
)
