# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Invalid images, launches and arguments on the emulated GPU, in a new process."""

from tests.emulator.users_kernels.test_users_kernels import run_cases
from tests.python.libraries import installed


def test_bad_input_is_rejected_with_a_remedy():
    installed("cuda.core")
    run_cases("bad_input_cases.py")
