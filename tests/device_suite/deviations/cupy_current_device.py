# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""CuPy: results are on the current device, not on the device of the inputs; a warning says so."""

import skerry

skerry.rehearse(cuda=2, kernels=True)  # without two GPUs

import cupy  # noqa: E402

with cupy.cuda.Device(1):
    x = cupy.ones(3)
y = -x
print("as the input" if y.device == x.device else f"deviates: {y.device} of {x.device}")
