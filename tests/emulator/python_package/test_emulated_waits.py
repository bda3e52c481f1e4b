# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A wait for an emulated GPU releases the GIL, as on other rehearsed devices (test_waits.py)."""

import pytest

from tests.python.devices import wait_records


@pytest.fixture(scope="module")
def waits():
    return wait_records.run({"SKERRY_REHEARSE_KERNELS": "1"})


def test_other_threads_run_while_one_waits(waits):
    wait_records.check_threads(waits)


def test_memory_of_a_pool_is_freed_without_a_wait(waits):
    wait_records.check_frees(waits)
