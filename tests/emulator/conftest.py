# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Tests of the package skerry-emulator, which must be installed; they use modules of tests/python."""

import importlib.util

import pytest

from tests.python.session import HAS_GPU


def pytest_configure():
    if importlib.util.find_spec("skerry_emulator") is None:
        raise pytest.UsageError("skerry-emulator is not installed; run `make emulator`")


def pytest_itemcollected(item):
    if HAS_GPU:
        item.add_marker(pytest.mark.skip(reason="on a GPU, NVIDIA's driver runs kernels"))
