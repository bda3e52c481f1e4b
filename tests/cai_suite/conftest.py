# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Options of the suite.

pytest tests/cai_suite --producer skerry
pytest tests/cai_suite --consumer skerry --report report.json
pytest tests/cai_suite --consumer models:cupy
"""

import pathlib

import numpy as np
import pytest

from tests.device_suite.report import Report, add_options, register

from .party import load

PARTIES = pytest.StashKey[dict]()
REPORT = pytest.StashKey[Report]()


def pytest_addoption(parser):
    group = parser.getgroup("cai", "producers and consumers of the CUDA Array Interface")
    group.addoption("--producer", metavar="ADAPTER", help="the producer under test")
    group.addoption("--consumer", metavar="ADAPTER", help="the consumer under test")
    add_options(parser)


def pytest_configure(config):
    names = {side: config.getoption(f"--{side}") for side in ("producer", "consumer")}
    parties = {side: load(name) for side, name in names.items() if name}
    if len(parties) != 1:
        raise pytest.UsageError("name one of --producer and --consumer, such as skerry")
    config.stash[PARTIES] = parties
    ((side, party),) = parties.items()
    about = {"side": side, "title": party.title, "outcomes": {}}
    config.stash[REPORT] = Report(about, pathlib.Path(__file__).parent)
    register(config, config.stash[REPORT])


def pytest_ignore_collect(collection_path, config):
    (side,) = config.stash[PARTIES]
    is_test = collection_path.name.startswith("test_")
    return True if is_test and side not in collection_path.name else None


def pytest_report_header(config):
    return [f"{side}: {party.title}" for side, party in config.stash[PARTIES].items()]


@pytest.fixture
def producer(request):
    return request.config.stash[PARTIES]["producer"]


@pytest.fixture
def consumer(request):
    return request.config.stash[PARTIES]["consumer"]


@pytest.fixture
def outcomes(request):
    """What the consumer does with each odd dictionary, for the table of the documentation."""
    return request.config.stash[REPORT].about["outcomes"]


@pytest.fixture
def host():
    return np.arange(12.0).reshape(3, 4)


@pytest.fixture
def flat(host):
    """Elements on one axis, which every consumer takes."""
    return host.reshape(-1)
