# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Every wait for a device releases the GIL. The waits together make every call that may wait."""

import functools

import pytest
from skerry.testing import instruments

from tests.python.devices import wait_records, waits_beside_threads
from tests.python.session import HAS_GPU

OF_MEMORY = [
    name
    for name in waits_beside_threads.WAITS
    if name.startswith(("free", "allocate", "trim", "lower", "run_out"))
]
CONFIGURATIONS = {
    "pools": ({}, []),
    "no_pools": ({"SKERRY_REHEARSE_POOLS": "0"}, OF_MEMORY),
    "system": ({"SKERRY_ALLOCATOR": "system"}, OF_MEMORY),
}

pytestmark = pytest.mark.skipif(HAS_GPU, reason="only rehearsed work has a set duration")


@functools.cache
def waits(name):
    return wait_records.run(*CONFIGURATIONS[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_other_threads_run_during_waits(name):
    wait_records.check_threads(waits(name))


@pytest.mark.not_guarded("memory does not come from a pool")
def test_waits_cover_every_call_that_may_wait():
    calls = {call for name in CONFIGURATIONS for record in waits(name) for call in record["calls"]}
    assert calls == set(instruments.waiting_cuda_calls())


@pytest.mark.not_guarded("memory does not come from a pool")
def test_freeing_pool_memory_does_not_wait():
    wait_records.check_frees(waits("pools"))
