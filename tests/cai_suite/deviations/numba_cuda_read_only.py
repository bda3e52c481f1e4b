# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""numba-cuda: read-only memory of another library becomes writable, and is exported as that.

Runs on a GPU, or on skerry's emulated one: python -c "import skerry, runpy; runpy.run_path('FILE')" with
SKERRY_REHEARSE=1 and SKERRY_REHEARSE_KERNELS=1.
"""

import numpy as np
from numba import cuda


class Producer:
    """Exports the memory of an array as read-only."""

    def __init__(self, owner):
        pointer = owner.__cuda_array_interface__["data"][0]
        self.__cuda_array_interface__ = {**owner.__cuda_array_interface__, "data": (pointer, True)}


memory = cuda.to_device(np.zeros(4))
imported = cuda.as_cuda_array(Producer(memory))
imported[:] = 1.0
is_changed = bool(memory.copy_to_host().all())
is_read_only = imported.__cuda_array_interface__["data"][1]
print(
    "deviates:" if is_changed else "", f"written {is_changed}, exported as read-only {is_read_only}"
)
