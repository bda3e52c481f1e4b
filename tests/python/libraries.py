# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Other libraries that tests need: a missing one skips the test with a message, or fails it if all must be installed."""

import importlib
import importlib.util
import os
import pathlib
import sys
import warnings

import pytest

# Packages that would replace or hinder others are in folders of their own.
NUMBA_CUDA, NUMBA_CUDA_MLIR, CUPY = (
    pathlib.Path(sys.prefix) / name for name in ("numba-cuda", "numba-cuda-mlir", "cupy")
)


def missing(reason):
    """Skips, unless SKERRY_ALL_CONSUMERS=1 states that everything is installed, as in CI."""
    if os.environ.get("SKERRY_ALL_CONSUMERS") == "1":
        pytest.fail(f"SKERRY_ALL_CONSUMERS=1, but {reason}")
    pytest.skip(reason, allow_module_level=True)


def library(name):
    try:
        with warnings.catch_warnings():  # such as numba-cuda's about NumPy 2.5
            warnings.simplefilter("ignore")
            return importlib.import_module(name)
    except ImportError as error:
        missing(f"{name} can't be imported: {error}")


def installed(name):
    """Skips or fails if a package is missing, without importing it."""
    package = name.partition(".")[0]  # find_spec imports it to look for submodules
    if importlib.util.find_spec(package) is None or importlib.util.find_spec(name) is None:
        missing(f"{name} is not installed")


def numba_cuda_installed():
    """Skips or fails if numba-cuda, or cuda.core, which it needs, is missing."""
    installed("cuda.core")
    if not NUMBA_CUDA.exists():
        missing(f"numba-cuda is not in {NUMBA_CUDA}")


def cupy_installed():
    """Skips or fails if CuPy is missing."""
    if not CUPY.exists():
        installed("cupy")
