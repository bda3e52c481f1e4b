# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Other libraries that tests need: without one a test is skipped and says so, or fails where all must be there."""

import importlib
import importlib.util
import os
import warnings

import pytest


def missing(reason):
    """Skip, unless SKERRY_ALL_CONSUMERS=1 says that everything is installed, as in CI."""
    if os.environ.get("SKERRY_ALL_CONSUMERS") == "1":
        pytest.fail(f"SKERRY_ALL_CONSUMERS=1, but {reason}")
    pytest.skip(reason, allow_module_level=True)


def library(name):
    try:
        with warnings.catch_warnings():  # its own, about others: numba-cuda's about NumPy 2.5
            warnings.simplefilter("ignore")
            return importlib.import_module(name)
    except ImportError as error:
        missing(f"{name} can't be imported: {error}")


def installed(name):
    """Say if a package is missing, without importing it."""
    package = name.partition(".")[0]  # whose submodules are looked for by importing it
    if importlib.util.find_spec(package) is None or importlib.util.find_spec(name) is None:
        missing(f"{name} is not installed")
