# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A fixture for pytest: ``pytest_plugins = ["skerry.pytest_plugin"]`` in a conftest.py."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from skerry.testing import emulated_gpu


def pytest_configure(config: pytest.Config) -> None:
    """Declare the mark that has the fixture's options."""
    config.addinivalue_line(
        "markers", "emulated_gpu(**options): of skerry.testing.emulated_gpu, for the fixture"
    )


@pytest.fixture(name="emulated_gpu")
def run_on_emulated_gpu(request: pytest.FixtureRequest) -> Iterator[emulated_gpu]:
    """Run a test's CUDA kernels on emulated GPUs; the test fails by what is wrong with them."""
    mark = request.node.get_closest_marker("emulated_gpu")
    with emulated_gpu(**(mark.kwargs if mark else {})) as gpu:
        yield gpu
