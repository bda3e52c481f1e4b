# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Devices under test: two logical CPU devices and two CUDA devices.

The CUDA devices are rehearsed unless there is a GPU, real or emulated. ``make emulate`` sets SKERRY_EMULATED=1 and
configures the emulated one. Tests treat it as a GPU; those that it cannot run are marked ``not_emulated(reason)``.
"""

import itertools
import operator
import zlib

import pytest

# Sets the environment, so it must precede the import of skerry.
from tests.python.session import DEVICES, EMULATED, GUARDED, HAS_GPU  # isort: skip

import skerry as sk
from skerry.testing import guarded_numpy, instruments

from tests.python import reduced_builds
from tests.python.ledger import LedgerPlugin
from tests.python.reduced_builds import (  # noqa: F401
    MISSING,
    pytest_make_collect_report,
    pytest_runtest_makereport,
    pytest_runtest_setup,
)


def pytest_addoption(parser):
    parser.addoption("--walk-seed", type=int, default=1, help="seed of the sampled layouts")
    parser.addoption(
        "--compare-ledger",
        action="store_true",
        help="compare skerry.guard's ledger of each test with the traffic of rehearsed devices",
    )
    parser.addoption("--share", metavar="I/N", help="run the I-th of N parts of the tests")


def pytest_configure(config):
    config.addinivalue_line("markers", "not_emulated(reason): skipped on an emulated GPU")
    config.addinivalue_line(
        "markers",
        "not_guarded(reason): skipped with guarded memory, SKERRY_ALLOCATOR=guard or guard-front",
    )
    config.addinivalue_line(
        "markers",
        "two_gpus(always=False): foreign memory or streams on cuda:1, which must not be a logical half of the GPU of cuda:0",
    )
    if config.getoption("--compare-ledger"):
        if HAS_GPU:
            raise pytest.UsageError("--compare-ledger needs rehearsed devices")
        config.pluginmanager.register(LedgerPlugin())
    names = [device.info.name for device in sk.devices("cuda")] if EMULATED else []
    if EMULATED and not any(name.startswith("emulated GPU") for name in names):
        raise pytest.UsageError("SKERRY_EMULATED=1, but no device is emulated; run `make emulate`")


def pytest_collection_modifyitems(config, items):
    reduced_builds.pytest_collection_modifyitems(items)
    if (share := config.getoption("--share")) is None:
        return
    part, parts = (int(word) for word in share.split("/"))
    chosen = [zlib.crc32(item.nodeid.encode()) % parts == part - 1 for item in items]
    config.hook.pytest_deselected(items=list(itertools.compress(items, map(operator.not_, chosen))))
    items[:] = itertools.compress(items, chosen)


def is_one_gpu():
    """True if cuda:0 and cuda:1 are logical devices of one GPU."""
    ordinals = [device.info.physical_index for device in sk.devices("cuda")]
    return len(ordinals) > 1 and ordinals[1] == ordinals[0]


def skip_on_one_gpu(item):
    marker = item.get_closest_marker("two_gpus")
    if marker is None or not HAS_GPU or not is_one_gpu():
        return
    parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
    if marker.kwargs.get("always") or "cuda:1" in parameters:
        reason = "memory and streams of a GPU do not identify its logical devices"
        item.add_marker(pytest.mark.skip(reason=reason))


def pytest_itemcollected(item):
    skip_on_one_gpu(item)
    marker = item.get_closest_marker("not_emulated")
    if EMULATED and marker is not None:
        item.add_marker(pytest.mark.skip(reason=f"not on an emulated GPU: {marker.args[0]}"))
    marker = item.get_closest_marker("not_guarded")
    if GUARDED and marker is not None:
        item.add_marker(pytest.mark.skip(reason=f"not in guarded memory: {marker.args[0]}"))


def kind_of_cuda() -> str:
    if EMULATED:
        return f"two emulated ones, {sk.Device('cuda:0').info.name}"
    return "a real GPU, as two logical devices" if HAS_GPU else "rehearsed"


def pytest_report_header() -> str:
    built = f"; without {', '.join(sorted(MISSING))}" if MISSING else ""
    return f"skerry devices: {', '.join(DEVICES)}; CUDA is {kind_of_cuda()}{built}"


@pytest.fixture(scope="session", autouse=GUARDED)
def guarded_operands():
    """Guards the memory of NumPy arrays, in all tests if skerry's memory is guarded."""
    with guarded_numpy():
        yield


@pytest.fixture(params=DEVICES)
def device(request):
    return request.param


@pytest.fixture(params=["cuda:0", "cuda:1"])
def cuda_device(request):
    return request.param


@pytest.fixture
def strict_promotion():
    """Rejects mixed kinds of dtypes, which the standard leaves undefined: for tests of the standard and of errors."""
    with sk.strict_promotion():
        yield


@pytest.fixture
def restore_threads():
    """Restores the number of threads after a test that sets it."""
    old_count = sk.get_num_threads()
    yield
    sk.set_num_threads(old_count)


@pytest.fixture
def slow():
    """Delays every task on rehearsed devices by 20 ms."""
    sk.synchronize()
    with instruments.delayed_work(0.02):
        yield
    sk.synchronize()
