# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Limited address space (RLIMIT_AS, ulimit -v): a value or a MemoryError, but never a crash."""

import os
import subprocess
import sys

import numpy as np
import pytest

from tests.python.session import EMULATED, GUARDED, HAS_GPU

pytestmark = [
    pytest.mark.skipif(HAS_GPU or EMULATED, reason="a GPU's driver maps more than any limit"),
    pytest.mark.skipif(GUARDED, reason="guarded memory reserves 64 GiB of addresses"),
]

PROGRAM = """
import resource, sys
import numpy as np, skerry as sk
from skerry.exceptions import OutOfMemoryError
random = np.random.default_rng(0)
a = sk.asarray(random.random((300, 300)))
b = sk.asarray(random.random((100_000,)))
c = sk.asarray(random.random((1000, 700)).astype(np.float32))
h = c.astype(sk.float16)
fused = sk.fuse(lambda x: sk.exp(x - sk.max(x, axis=1, keepdims=True)))
CALLS = {
    "sums": lambda: [f(x, axis=k) for f in (sk.sum, sk.var, sk.argmax, sk.max) for x in (b, c, h) for k in (0, -1)],
    "elementwise": lambda: [f(x) for f in (sk.exp, sk.sin, sk.square, sk.sqrt) for x in (b, c, h)],
    "order": lambda: [sk.sort(b), sk.argsort(b), sk.unique_values(b), sk.median(c, axis=0), sk.topk(b, 10)],
    "scans": lambda: [sk.cumulative_sum(b), sk.histogram(b, bins=100), sk.convolve(b[:5000], b[:500])],
    "random": lambda: sk.random.default_rng(1).normal(size=100_000),
    "fused": lambda: fused(c),
    "transform": lambda: sk.fft.fft(b + 0j),
    "matmul": lambda: a @ a,
    "inv": lambda: sk.linalg.inv(a),
    "svd": lambda: sk.linalg.svd(a),
    "eigh": lambda: sk.linalg.eigh(a + a.T),
    "rehearsed": lambda: sk.sum(c.to_device("cuda:0"), axis=0).to_device("cpu:0"),
}
name, extra = sys.argv[1], int(sys.argv[2])
used = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmSize")) << 10
resource.setrlimit(resource.RLIMIT_AS, (used + (extra << 20),) * 2)
try:
    CALLS[name]()
    print("value")
except MemoryError as error:
    print("MemoryError", type(error).__name__)
"""
NAMES = [line.split('"')[1] for line in PROGRAM.splitlines() if line.startswith('    "')]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_calls_return_a_value_or_raise_memory_error(name, full):
    limits = (
        (0, 1, 2, 4, 8, 16, 32, 64, 100, 150, 200, 300, 400, 600) if full else (0, 40, 160, 600)
    )
    ends = {}
    for extra in limits:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, name, str(extra)],
            env={**os.environ, "SKERRY_REHEARSE": "1", "SKERRY_NUM_THREADS": "4"},
            capture_output=True,
            text=True,
            timeout=60,
        )
        ends[extra] = (done.returncode, done.stderr[-300:], done.stdout.split("\n")[0])
    assert all(end[:2] == (0, "") and end[2] for end in ends.values()), ends
    assert ends[max(limits)][2] == "value", ends


@pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.4.0",
    reason="the import of NumPy 2.2 never ends under some limits",
)
def test_import_under_a_limit_fails_cleanly_or_works():
    for limit in range(60, 200, 20):
        code = f"ulimit -v {limit * 1024}; exec {sys.executable} -c 'import skerry as sk; sk.sum(sk.ones((300, 300)), axis=0)'"
        done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, timeout=60)
        assert done.returncode in (0, 1, 127), (limit, done.returncode, done.stderr[-300:])
