# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The checks of `skerry.comm` on CPU devices; `test_mpi.py` starts it with ``mpirun -n 2``."""

import pytest
import skerry as sk
from mpi4py import MPI
from skerry.exceptions import DeviceMismatchError

from tests.python.interchange import comm_checks

comm = sk.comm.from_mpi(MPI.COMM_WORLD, "cpu:0")
comm_checks.check_all(comm)
if sk.devices("cuda"):
    with pytest.raises(DeviceMismatchError, match=r"all_reduce: x is on cuda:0, rank \d on cpu:0"):
        comm.all_reduce(sk.ones(3, device="cuda:0"))
comm.close()
