# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""CuPy: read-only memory of another library becomes writable, and is exported as that.

Runs on a GPU, or on skerry's emulated one: python -c "import skerry, runpy; runpy.run_path('FILE')" with
SKERRY_REHEARSE=1 and SKERRY_REHEARSE_KERNELS=1.
"""

from types import SimpleNamespace

import cupy

memory = cupy.zeros(4)
exported = memory.__cuda_array_interface__
pointer = exported["data"][0]
producer = SimpleNamespace(__cuda_array_interface__={**exported, "data": (pointer, True)})
imported = cupy.asarray(producer)
imported[:] = 1.0
is_read_only = imported.__cuda_array_interface__["data"][1]
print("deviates:" if memory.all() else "", f"exported as read-only {is_read_only}")
