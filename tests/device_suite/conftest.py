# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Options of the suite.

pytest tests/device_suite --array-module skerry --devices cpu:0,cpu:1,cuda:0 --report report.json
"""

import pathlib

import pytest

from .library import Library
from .report import Report, add_options, register

LIBRARY = pytest.StashKey[Library]()


def pytest_addoption(parser):
    group = parser.getgroup("devices", "devices of an array library")
    group.addoption("--array-module", metavar="NAME", help="module or adapter file of the library")
    group.addoption("--devices", metavar="NAMES", help="devices under test, separated by commas")
    add_options(parser)


def pytest_configure(config):
    if (name := config.getoption("--array-module")) is None:
        raise pytest.UsageError("--array-module names the library, such as array_api_strict")
    names = config.getoption("--devices")
    library = Library(name, names.split(",") if names else None)
    config.stash[LIBRARY] = library
    about = {
        "library": library.name,
        "version": library.version,
        "devices": [str(device) for device in library.devices],
    }
    register(config, Report(about, pathlib.Path(__file__).parent))


def pytest_report_header(config):
    library = config.stash[LIBRARY]
    return f"{library.name} {library.version}: {', '.join(map(str, library.devices))}"


def pytest_generate_tests(metafunc):
    if "device" in metafunc.fixturenames:
        metafunc.parametrize("device", metafunc.config.stash[LIBRARY].devices, ids=str)


@pytest.fixture
def library(request):
    return request.config.stash[LIBRARY]


@pytest.fixture
def deviations():
    """Collects what deviates in a loop over devices: the test fails at its end, with all of it."""
    return []
