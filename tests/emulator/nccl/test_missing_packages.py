# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""`skerry.comm` without nccl4py, or without what nccl4py imports but doesn't require."""

import pytest

from tests.emulator.users_kernels.test_users_kernels import child

PROGRAM = """
import sys
import skerry as sk

sk.rehearse(cuda=2, kernels=True)
sys.modules[{missing!r}] = None  # as if it were not installed
try:
    sk.comm.run(lambda comm: comm.rank, sk.devices("cuda"))
except sk.exceptions.DeviceUnavailableError as error:
    print(error.reason, error)
"""


@pytest.mark.parametrize("missing", ["nccl", "cuda.bindings"])
def test_the_error_names_the_packages(missing):
    done = child(PROGRAM.format(missing=missing))
    assert done.stdout.startswith("no_nccl comm: CUDA devices need nccl4py"), done.stderr
    assert missing in done.stdout
    assert "pip install nccl4py cuda-bindings" in done.stdout
