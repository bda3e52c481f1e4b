# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest: ``pytest -p skerry_emulator``, or ``pytest_plugins = ["skerry_emulator"]`` in a conftest.py.

The emulated GPUs are created when the plugin is registered, because test modules and other plugins import CuPy or
``numba.cuda``, look for devices and compile kernels. Child processes of the tests that import skerry have emulated
GPUs, too. SKERRY_REHEARSE sets their number (default 2). With SKERRY_REHEARSE=0 there are none, and tests with the
fixture are skipped, so that the other tests can run on a GPU.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator

import pytest
from skerry import _core, _emulator
from skerry.exceptions import DeviceUnavailableError

from skerry_emulator import _reports, emulated_gpu
from skerry_emulator._context import repair_devices


@functools.cache
def _rehearse() -> str:
    """Create the emulated GPUs, for child processes too. Return what prevents it, or an empty string."""
    if _core.rehearsed_kernels() != "none":
        return ""
    try:
        if (count := _emulator.count_from_environment(2)) > 0:
            _core.rehearse(cuda=count, kernels=True)
            os.environ |= {"SKERRY_REHEARSE": str(count), "SKERRY_REHEARSE_KERNELS": "1"}
    except (DeviceUnavailableError, RuntimeError, ValueError) as problem:
        return str(problem)  # the tests that use the fixture fail with it
    return ""


@pytest.hookimpl
def pytest_plugin_registered() -> None:
    """Create the emulated GPUs when this plugin is registered, before other plugins import CuPy, as zarr's does."""
    _rehearse()


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker with the fixture's options."""
    config.addinivalue_line(
        "markers", "emulated_gpu(**options): options of skerry.testing.emulated_gpu for the fixture"
    )


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Repair devices that a kernel of the test lost, so that the next test finds them working."""
    if (emulator := _reports.loaded_library()) is not None:
        emulator.wait()
        repair_devices(emulator)


@pytest.fixture(name="emulated_gpu")
def run_on_emulated_gpu(request: pytest.FixtureRequest) -> Iterator[emulated_gpu]:
    """Run a test's CUDA kernels on emulated GPUs. The test fails if there are reports."""
    if os.environ.get("SKERRY_REHEARSE") == "0":
        pytest.skip("SKERRY_REHEARSE=0: no emulated GPUs")
    if problem := _rehearse():
        pytest.fail(problem, pytrace=False)
    mark = request.node.get_closest_marker("emulated_gpu")
    options = mark.kwargs if mark else {}
    present = len(_core.devices("cuda"))
    if options.get("devices", 0) > present:
        pytest.fail(
            f"emulated_gpu: devices={options['devices']}, but there are {present}; set "
            f"SKERRY_REHEARSE={options['devices']}: they are created before tests are collected",
            pytrace=False,
        )
    with emulated_gpu(**options) as gpu:
        yield gpu
