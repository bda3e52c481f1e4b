# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""CuPy: of the creation functions of array-api-compat, asarray alone places its result on device=."""

import skerry

skerry.rehearse(cuda=2, kernels=True)  # without two GPUs

import array_api_compat.cupy as xp  # noqa: E402
import cupy  # noqa: E402

device = cupy.cuda.Device(1)
x = xp.arange(3, device=device)
print("as asked" if x.device == device else f"deviates: on {x.device}")
