# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""CuPy: __dlpack__(copy=True) copies to the CPU only."""

import skerry

skerry.rehearse(cuda=2, kernels=True)  # without two GPUs

import cupy  # noqa: E402

try:
    print(cupy.ones(3).__dlpack__(copy=True))
except BufferError as error:
    print(f"deviates: {error}")
