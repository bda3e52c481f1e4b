# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""CuPy: arrays on different devices in one call do not raise; peer access is activated, and a warning says so."""

import skerry

skerry.rehearse(cuda=2, kernels=True)  # without two GPUs

import cupy  # noqa: E402

x = cupy.ones(3)
with cupy.cuda.Device(1):
    y = cupy.ones(3)
print(f"deviates: {(x + y).device} of {x.device} and {y.device}")
