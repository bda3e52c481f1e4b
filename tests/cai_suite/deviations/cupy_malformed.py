# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""CuPy: asarray takes a type string of None, strides that overflow, and stream 0.

Runs on a GPU, or on skerry's emulated one: python -c "import skerry, runpy; runpy.run_path('FILE')" with
SKERRY_REHEARSE=1 and SKERRY_REHEARSE_KERNELS=1.
"""

from types import SimpleNamespace

import cupy

plain = cupy.zeros(12).__cuda_array_interface__
for change in ({"typestr": None}, {"strides": (2**62,)}, {"stream": 0}):
    try:
        x = cupy.asarray(SimpleNamespace(__cuda_array_interface__={**plain, **change}))
        print("deviates:", change, "gives", x.dtype, x.strides)
    except Exception as error:
        print(change, "raises", type(error).__name__)
