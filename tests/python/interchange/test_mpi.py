# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Programs with two MPI ranks, each with its own rehearsed device."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

from tests.python.libraries import installed, missing
from tests.python.session import HAS_GPU

ROOT = pathlib.Path(__file__).parents[3]
# Loopback only; root and two ranks on one core, as in a container.
OPEN_MPI = "--oversubscribe --mca pml ob1 --mca btl self,tcp --mca btl_tcp_if_include lo".split()


def run_two_ranks(*program):
    """Returns what they print; program is a file in this folder, or -m and a module."""
    installed("mpi4py")
    path = os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ.get("PATH", "")])
    run = shutil.which("mpirun", path=path)
    if run is None:
        missing("mpirun is not installed")
    about = subprocess.run([run, "--version"], capture_output=True, text=True, check=False).stdout
    options = OPEN_MPI if "Open MPI" in about else []
    done = subprocess.run(
        [run, "-n", "2", *options, sys.executable, *program],
        cwd=pathlib.Path(__file__).parent,
        env={
            **os.environ,
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "PATH": path,
            "PYTHONPATH": os.pathsep.join([*sys.path, str(ROOT)]),
            "SKERRY_REHEARSE": "1",
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(HAS_GPU, reason="needs rehearsed devices")
def test_two_ranks_match_one_device():
    assert "2 ranks match one device" in run_two_ranks("peer_heat.py")


@pytest.mark.skipif(HAS_GPU, reason="needs rehearsed devices")
def test_comm_on_cpu_devices():
    run_two_ranks("-m", "tests.python.interchange.comm_by_mpi")
