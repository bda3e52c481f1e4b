# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Tests of the package skerry-emulator, which is installed beside skerry; they share the modules of tests/python."""

import importlib.util
import pathlib
import sys

import pytest

PYTHON = pathlib.Path(__file__).parents[1] / "python"
sys.path[:0] = map(str, [PYTHON, *sorted(PYTHON.glob("[a-z]*/"))])

from session import HAS_GPU, full, pytest_addoption  # noqa: E402, F401


def pytest_configure():
    if importlib.util.find_spec("skerry_emulator") is None:
        raise pytest.UsageError("skerry-emulator is not installed; run `make emulator`")


def pytest_itemcollected(item):
    if HAS_GPU:
        item.add_marker(pytest.mark.skip(reason="on a GPU, NVIDIA's driver runs kernels"))
