# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Tests an installed wheel: kernels, OpenBLAS, FFT, exceptions, rehearsal, and an exit with a busy thread.

`make wheels` runs it in an environment with only the wheel and its dependencies.
"""

import platform
import sys
import sysconfig
import threading

import numpy as np
import skerry as sk


def expect(error_type, function):
    """Return the text of the error that a call must raise."""
    try:
        function()
    except error_type as error:
        return str(error)
    raise AssertionError(f"no {error_type.__name__}")


if sysconfig.get_config_var("Py_GIL_DISABLED"):
    assert not sys._is_gil_enabled()
rng = np.random.default_rng(1)
x = rng.random(100_003)
matrix = rng.random((64, 64))
assert np.allclose(np.asarray(sk.exp(sk.asarray(x))), np.exp(x), rtol=1e-15)
assert np.array_equal(np.asarray(sk.sort(sk.asarray(x))), np.sort(x))
a = sk.asarray(matrix)
assert np.allclose(np.asarray(a @ a), matrix @ matrix)
assert np.allclose(np.asarray(sk.linalg.inv(a) @ a), np.eye(64), atol=1e-8)
assert np.allclose(np.asarray(sk.fft.rfft(sk.asarray(x))), np.fft.rfft(x))
assert (sk.random.default_rng(1).random(3) == sk.random.default_rng(1).random(3)).all()
assert "cannot be broadcast" in expect(ValueError, lambda: sk.ones(3) + sk.ones(4))
assert "cannot allocate" in expect(MemoryError, lambda: sk.ones(1 << 50))

sk.rehearse(cuda=2)
b = sk.ones(5, device="cuda:0")
expect(sk.exceptions.DeviceMismatchError, lambda: b + sk.ones(5, device="cuda:1"))
assert float(sk.sum(b.to_device("cpu"))) == 5.0
versions = platform.python_version(), np.__version__, " ".join(platform.libc_ver())
print(f"skerry {sk.__version__}: Python {versions[0]}, NumPy {versions[1]}, {versions[2]}")
sys.stdout.flush()
# The process ends while a thread is inside a call.
threading.Thread(target=lambda: [sk.sort(a) for _ in range(10**7)], daemon=True).start()
