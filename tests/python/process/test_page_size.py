# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels with pages of 16 and 64 KiB, as on some aarch64 machines, simulated on any machine by large_pages.c."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

from tests.python.session import EMULATED, HAS_GPU

pytestmark = [
    pytest.mark.skipif(HAS_GPU or EMULATED, reason="other processes would use the GPU"),
    pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler"),
]
HERE = pathlib.Path(__file__).parent

BEFORE = """
import numpy as np, skerry as sk
def count_mappings():
    return sum(1 for _ in open("/proc/self/maps"))
def address_space():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmSize"))
"""


@pytest.fixture(scope="module", params=[16, 64], ids=["16 KiB", "64 KiB"])
def large_pages(request, tmp_path_factory):
    library = tmp_path_factory.mktemp("pages") / "large_pages.so"
    options = ["-O1", "-shared", "-fPIC", f"-DPAGE_NBYTES={request.param * 1024}"]
    command = ["cc", *options, "-o", library, HERE / "large_pages.c", "-ldl"]
    subprocess.run(command, check=True, timeout=60)
    return str(library)


def run(code, library, **environment):
    done = subprocess.run(
        [sys.executable, "-c", BEFORE + code],
        env={**os.environ, "SKERRY_REHEARSE": "2", "LD_PRELOAD": library, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout.split()


def test_rehearsed_devices_compute(large_pages):
    code = """
for d in ("cuda:0", "cuda:1"):
    for n in (1, 1000, 20_000, 3_000_000):
        x = sk.arange(n, dtype=sk.float64, device=d)
        assert float(sk.sum(x + 1)) == n * (n + 1) / 2
        assert np.array_equal(np.asarray(sk.sort(-x).to_device("cpu:0")), -np.arange(n - 1, -1, -1.0))
    del x
    print(sk.trim(d) >= 0)
x = sk.ones((1000,))
assert float(sk.sum(x.to_device("cuda:1"))) == 1000
"""
    assert run(code, large_pages) == ["True", "True"]


@pytest.mark.slow
@pytest.mark.parametrize("allocator", ["pool", "guard", "guard-front"])
def test_memory_is_unmapped_completely(large_pages, allocator):
    """500 rounds leak neither mappings nor address space."""
    code = """
def rounds(n):
    for i in range(n):
        x = sk.empty(((4 << 20) + i * 4096 * 5 % (8 << 20) + i,), dtype=sk.int8)
        y = sk.empty((1000 + i,), dtype=sk.int8, device="cuda:0")
        del x, y
        sk.trim("cpu:0")
rounds(20)
before = count_mappings(), address_space()
rounds(500)
after = count_mappings(), address_space()
assert after[0] <= before[0] + 20, (before, after)
assert after[1] <= before[1] + 32 * 1024, (before, after)
print("kept")
"""
    assert run(code, large_pages, SKERRY_ALLOCATOR=allocator) == ["kept"]
