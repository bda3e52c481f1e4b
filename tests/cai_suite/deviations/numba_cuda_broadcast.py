# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""numba-cuda: a broadcast array is exported with strides None, so that a consumer reads past its memory.

Runs on a GPU, or on skerry's emulated one: python -c "import skerry, runpy; runpy.run_path('FILE')" with
SKERRY_REHEARSE=1 and SKERRY_REHEARSE_KERNELS=1.
"""

import numpy as np
from numba import cuda

row = cuda.to_device(np.arange(4.0))
description = {**row.__cuda_array_interface__, "shape": (3, 4), "strides": (0, 8)}
broadcast = cuda.from_cuda_array_interface(description, owner=row)
exported = broadcast.__cuda_array_interface__["strides"]
print(
    "deviates:" if exported != (0, 8) else "", f"strides {broadcast.strides}, exported {exported}"
)
