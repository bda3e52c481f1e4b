# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Devices under test: two logical CPU devices and two CUDA devices, rehearsed unless there is a GPU."""

import os
import pathlib
import sys
import threading

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

# Before skerry is imported: the number of devices is fixed at first use. SKERRY_REHEARSE in the environment wins.
HAS_GPU = pathlib.Path("/dev/nvidiactl").exists() and "SKERRY_REHEARSE" not in os.environ
os.environ.setdefault("SKERRY_CPU_DEVICES", "2")
if HAS_GPU:
    os.environ.setdefault("SKERRY_CUDA_LOGICAL", "2")
else:
    os.environ.setdefault("SKERRY_REHEARSE", "2")
    os.environ.setdefault("NUMBA_ENABLE_CUDASIM", "1")  # read when numba is imported

# After the environment was set.
import skerry as sk  # noqa: E402
from reduced_builds import (  # noqa: E402, F401
    MISSING,
    pytest_collection_modifyitems,
    pytest_make_collect_report,
    pytest_runtest_makereport,
    pytest_runtest_setup,
)
from skerry import _core  # noqa: E402

DEVICES = ["cpu:0", "cpu:1", "cuda:0", "cuda:1"]


def pytest_addoption(parser):
    parser.addoption(
        "--full", action="store_true", help="tests that walk or try everything: at their full size"
    )


def pytest_report_header() -> str:
    kind = "a real GPU, as two logical devices" if HAS_GPU else "rehearsed"
    built = f"; without {', '.join(sorted(MISSING))}" if MISSING else ""
    return f"skerry devices: {', '.join(DEVICES)}; CUDA is {kind}{built}"


@pytest.fixture(scope="session")
def full(request):
    """Whether tests that walk or try everything do so at their full size."""
    return request.config.getoption("--full")


@pytest.fixture(params=DEVICES)
def device(request):
    return request.param


@pytest.fixture(params=["cuda:0", "cuda:1"])
def cuda_device(request):
    return request.param


@pytest.fixture
def restore_threads():
    """For tests that set the number of threads."""
    before = sk.get_num_threads()
    yield
    sk.set_num_threads(before)


@pytest.fixture
def slow():
    """On rehearsed devices every piece of work from now on waits 20 ms before it runs."""
    sk.synchronize()
    _core.rehearsal_delay(20_000)
    yield
    _core.rehearsal_delay(0)
    sk.synchronize()


def in_thread(function):
    results = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join()
    return results[0]
