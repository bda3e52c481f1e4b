# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""cuda.core: StridedMemoryView takes an address of 0 and strides that overflow.

Runs on a GPU, or on skerry's emulated one: python -c "import skerry, runpy; runpy.run_path('FILE')" with
SKERRY_REHEARSE=1 and SKERRY_REHEARSE_KERNELS=1.
"""

from types import SimpleNamespace

from cuda.core import Device
from cuda.core.utils import StridedMemoryView

device = Device(0)
device.set_current()
memory = device.allocate(96, stream=device.default_stream)
plain = {
    "shape": (12,),
    "typestr": "<f8",
    "data": (int(memory.handle), False),
    "strides": None,
    "version": 3,
    "stream": None,
}
for change in ({"data": (0, False)}, {"strides": (2**62,)}):
    producer = SimpleNamespace(__cuda_array_interface__={**plain, **change})
    try:
        view = StridedMemoryView.from_cuda_array_interface(producer, stream_ptr=-1)
        print("deviates:", change, "gives", view.dtype, view.ptr, view.strides)
    except Exception as error:
        print(change, "raises", type(error).__name__)
