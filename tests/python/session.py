# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""What sessions of pytest share, here and in tests/emulator: the devices of their processes, and ``--full``.

Imported before skerry: the number of devices is fixed at first use. SKERRY_REHEARSE in the environment wins.
"""

import os
import pathlib

import pytest

EMULATED = os.environ.get("SKERRY_EMULATED") == "1"
# The CUDA module's own kernels run, on a real GPU or an emulated one.
HAS_GPU = EMULATED or (
    pathlib.Path("/dev/nvidiactl").exists() and "SKERRY_REHEARSE" not in os.environ
)
os.environ.setdefault("SKERRY_CPU_DEVICES", "2")
if EMULATED:
    os.environ.setdefault("SKERRY_EMULATE_DEVICES", "2")
    os.environ.setdefault("NUMBA_ENABLE_CUDASIM", "1")
elif HAS_GPU:
    os.environ.setdefault("SKERRY_CUDA_LOGICAL", "2")
else:
    os.environ.setdefault("SKERRY_REHEARSE", "2")


def pytest_addoption(parser):
    parser.addoption(
        "--full", action="store_true", help="tests that walk or try everything: at their full size"
    )


@pytest.fixture(scope="session")
def full(request):
    """Whether tests that walk or try everything do so at their full size."""
    return request.config.getoption("--full")
