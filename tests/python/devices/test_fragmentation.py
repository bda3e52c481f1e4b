# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Arrays fill at least 95 % of the memory that the pool holds, on the traces of bench/fragmentation.py."""

import os
import subprocess
import sys

import pytest

from bench import fragmentation
from tests.python.session import HAS_GPU


@pytest.mark.slow
@pytest.mark.skipif(HAS_GPU, reason="the traces need a rehearsed device with little memory")
@pytest.mark.parametrize("name", fragmentation.TRACES)
def test_arrays_fill_95_percent_of_pool_memory(name):
    live = fragmentation.most_live(list(fragmentation.TRACES[name]()))
    environment = {**os.environ, "SKERRY_REHEARSE": "1", "SKERRY_REHEARSE_MEMORY": str(2 * live)}
    done = subprocess.run(
        [sys.executable, fragmentation.__file__, "--trace", name],
        env=environment, check=True, capture_output=True, text=True,
    )  # fmt: skip
    figures = done.stdout.split()
    assert float(figures[-3]) >= 0.95, f"live/held: {done.stdout}"
    assert float(figures[-1]) >= 0.95, f"live/limit: {done.stdout}"
