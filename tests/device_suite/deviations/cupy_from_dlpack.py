# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""CuPy: from_dlpack takes no device=."""

import skerry

skerry.rehearse(cuda=2, kernels=True)  # without two GPUs

import cupy  # noqa: E402

try:
    print(cupy.from_dlpack(cupy.ones(3), device=cupy.cuda.Device(1)).device)
except NotImplementedError as error:
    print(f"deviates: {error}")
