# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""CuPy: to_device of array-api-compat does not take views with gaps."""

import skerry

skerry.rehearse(cuda=2, kernels=True)  # without two GPUs

import array_api_compat  # noqa: E402
import cupy  # noqa: E402

try:
    x = array_api_compat.to_device(cupy.ones((3, 4))[:, ::2], cupy.cuda.Device(1))
    print(f"copied: {x.shape}")
except NotImplementedError as error:
    print(f"deviates: {error}")
