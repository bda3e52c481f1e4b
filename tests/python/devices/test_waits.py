# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Whoever waits for a device lets other Python threads run: all waits, by the list of calls that may wait."""

import functools
import json
import os
import pathlib
import subprocess
import sys

import pytest
import waits_beside_threads
from conftest import HAS_GPU
from skerry import _core

PROGRAM = pathlib.Path(waits_beside_threads.__file__)
OF_MEMORY = [
    name
    for name in waits_beside_threads.WAITS
    if name.startswith(("free", "allocate", "trim", "lower", "run_out"))
]
CONFIGURATIONS = {
    "pools": ({}, []),
    "emulated_kernels": ({"SKERRY_REHEARSE_KERNELS": "1"}, []),
    "no_pools": ({"SKERRY_REHEARSE_POOLS": "0"}, OF_MEMORY),
    "system": ({"SKERRY_ALLOCATOR": "system"}, OF_MEMORY),
}

pytestmark = pytest.mark.skipif(HAS_GPU, reason="rehearsed work takes as long as it is told")


@functools.cache
def waits(name):
    settings, names = CONFIGURATIONS[name]
    environment = dict(
        os.environ,
        SKERRY_REHEARSE="2",
        SKERRY_CPU_DEVICES="2",
        SKERRY_REHEARSE_MEMORY="64MiB",
        SKERRY_HOST_CACHE="256M",
        **settings,
    )
    done = subprocess.run(
        [sys.executable, PROGRAM, *names],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_other_threads_run_while_one_waits(name):
    records = waits(name)
    assert any(record["waited"] for record in records)
    assert not [record for record in records if record["held"]]


@pytest.mark.not_guarded("memory is not of a pool")
def test_every_call_that_may_wait_is_made_by_some_wait():
    calls = {call for name in CONFIGURATIONS for record in waits(name) for call in record["calls"]}
    assert calls == set(_core.waiting_cuda_calls())


@pytest.mark.not_guarded("memory is not of a pool")
def test_memory_of_a_pool_is_freed_without_a_wait():
    for name in ("pools", "emulated_kernels"):
        frees = [record for record in waits(name) if record["name"].startswith("free_an_array")]
        assert len(frees) == 4
        assert not any(record["waited"] for record in frees), frees
