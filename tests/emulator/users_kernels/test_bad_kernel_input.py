# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Images, launches and arguments that no GPU could run, on the emulated GPU, in a process of their own."""

from tests.emulator.users_kernels.test_users_kernels import run_cases
from tests.python.libraries import installed


def test_bad_input_is_refused_with_what_to_do():
    installed("cuda.core")
    run_cases("bad_input_cases.py")
