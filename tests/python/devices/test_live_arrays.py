# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The number of live arrays on rehearsed devices."""

import os
import subprocess
import sys

import pytest

from tests.python.session import HAS_GPU


@pytest.mark.skipif(HAS_GPU, reason="memory of a GPU has no mappings in the process")
def test_more_live_arrays_than_process_mappings(full):
    count = 1_000_000 if full else 100_000
    code = f"""
import time, resource, skerry as sk
begin = time.process_time()
arrays = [sk.full((1,), i, device="cuda:0") for i in range({count})]
assert [int(arrays[i][0]) for i in range(0, {count}, {count} // 100)] == list(range(0, {count}, {count} // 100))
assert sk.memory_statistics("cuda:0").live_blocks == {count}
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
print(f"{{time.process_time() - begin:.1f}} s of CPU time, {{peak:.2f}} GiB")
del arrays
sk.trim("cuda:0")
assert sk.memory_statistics("cuda:0").live_blocks == 0
"""
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "SKERRY_REHEARSE": "1"},
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    print(done.stdout)
