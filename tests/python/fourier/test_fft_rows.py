# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Transforms of many rows, which are vectorized with a row per lane, in every layout."""

import numpy as np
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import to_device, to_numpy

LAYOUTS = {
    "contiguous": lambda x: x,
    "columns": lambda x: x.mT,
    "reversed": lambda x: x[::-1, ::-1],
    "every other row": lambda x: x[::2],
    "every other column": lambda x: x[:, ::2],
    "broadcast row": lambda x: sk.broadcast_to(x[:1], x.shape),
    "gap in each row": lambda x: x[:, 1:],
}


@loop_over("layout", LAYOUTS)
@loop_over(
    ("name", "dtype"),
    [
        *(
            (name, dtype)
            for name in ("fft", "ifft", "irfft")
            for dtype in ("complex64", "complex128")
        ),
        *((name, dtype) for name in ("fft", "rfft", "ihfft") for dtype in ("float32", "float64")),
    ],
    items="name",
)
def test_batched_rows_of_every_layout(name, dtype, layout, device):
    rng = np.random.default_rng(0)
    loose = 1e-6 if dtype in ("float32", "complex64") else 1e-14
    for rows, length in ((3, 8), (17, 5), (33, 64), (70, 101), (40, 512)):
        host = rng.standard_normal((rows, length, 2)).astype("float64").view("complex128")[..., 0]
        host = (host if "complex" in dtype else host.real).astype(dtype)
        x = LAYOUTS[layout](to_device(device, host))
        want = getattr(np.fft, name)(
            to_numpy(x).astype("complex128" if "complex" in dtype else "float64")
        )
        got = to_numpy(getattr(sk.fft, name)(x))
        np.testing.assert_allclose(got, want, rtol=0, atol=loose * np.abs(want).max())
