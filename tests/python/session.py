# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The devices of a pytest session, here and in tests/emulator: two logical CPU devices and two CUDA devices.

Must be imported before skerry, as the number of devices is fixed at first use. SKERRY_REHEARSE in the environment takes precedence.
"""

import os
import pathlib
import platform

EMULATED = os.environ.get("SKERRY_EMULATED") == "1"
# The CUDA module's own kernels run, on a real GPU or an emulated one.
HAS_GPU = EMULATED or (
    pathlib.Path("/dev/nvidiactl").exists() and "SKERRY_REHEARSE" not in os.environ
)
#: Arrays end at inaccessible memory, and nothing is cached: see "Guarded memory" in python/docs/debugging.rst.
GUARDED = os.environ.get("SKERRY_ALLOCATOR", "").startswith("guard")
#: qemu runs the interpreter of another processor (make test-aarch64), and shows it a /proc and limits of its own.
UNDER_QEMU = "QEMU_CPU" in os.environ
os.environ.setdefault("SKERRY_CPU_DEVICES", "2")
if EMULATED:
    os.environ.setdefault("SKERRY_EMULATE_DEVICES", "2")
    os.environ.setdefault("NUMBA_ENABLE_CUDASIM", "1")
elif HAS_GPU:
    os.environ.setdefault("SKERRY_CUDA_LOGICAL", "2")
else:
    os.environ.setdefault("SKERRY_REHEARSE", "2")

#: The levels of CPU kernels of this kind of processor; SKERRY_ISA takes the part after the last hyphen.
LEVELS = {
    "x86_64": ["x86-64-v2", "x86-64-v3", "x86-64-v4"],
    "aarch64": ["aarch64-v8"],
}.get(platform.machine(), ["generic"])
DEVICES = ["cpu:0", "cpu:1", "cuda:0", "cuda:1"]
