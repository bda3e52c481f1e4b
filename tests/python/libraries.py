# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Other libraries that tests need: a missing one skips the test with a message, or fails it if all must be installed."""

import importlib
import importlib.util
import os
import warnings

import pytest


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
