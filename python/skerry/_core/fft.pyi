# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Written by python/stubs/generate.py."""

from skerry._core._types import *

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift",
    "ihfft", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip

def fft(
    x: Array,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: FftNorm = "backward",
    out: Array | None = None,
) -> Array: ...
def fft2(
    x: Array,
    /,
    s: tuple[int, ...] | list[int] | None = None,
    axes: tuple[int, ...] | list[int] = (-2, -1),
    norm: FftNorm = "backward",
    out: Array | None = None,
) -> Array: ...
def fftfreq(
    n: int, d: float = 1.0, *, dtype: DtypeLike = None, device: DeviceLike | None = None
) -> Array: ...
def fftn(
    x: Array,
    /,
    s: tuple[int, ...] | list[int] | None = None,
    axes: tuple[int, ...] | list[int] | None = None,
    norm: FftNorm = "backward",
    out: Array | None = None,
) -> Array: ...
def fftshift(x: Array, /, axes: Axis = None) -> Array: ...
def hfft(
    x: Array,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: FftNorm = "backward",
    out: Array | None = None,
) -> Array: ...
def ifft(
    x: Array,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: FftNorm = "backward",
    out: Array | None = None,
) -> Array: ...
def ifft2(
    x: Array,
    /,
    s: tuple[int, ...] | list[int] | None = None,
    axes: tuple[int, ...] | list[int] = (-2, -1),
    norm: FftNorm = "backward",
    out: Array | None = None,
) -> Array: ...
def ifftn(
    x: Array,
    /,
    s: tuple[int, ...] | list[int] | None = None,
    axes: tuple[int, ...] | list[int] | None = None,
    norm: FftNorm = "backward",
    out: Array | None = None,
) -> Array: ...
def ifftshift(x: Array, /, axes: Axis = None) -> Array: ...
def ihfft(
    x: Array,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: FftNorm = "backward",
    out: Array | None = None,
) -> Array: ...
def irfft(
    x: Array,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: FftNorm = "backward",
    out: Array | None = None,
) -> Array: ...
def irfft2(
    x: Array,
    /,
    s: tuple[int, ...] | list[int] | None = None,
    axes: tuple[int, ...] | list[int] = (-2, -1),
    norm: FftNorm = "backward",
    out: Array | None = None,
) -> Array: ...
def irfftn(
    x: Array,
    /,
    s: tuple[int, ...] | list[int] | None = None,
    axes: tuple[int, ...] | list[int] | None = None,
    norm: FftNorm = "backward",
    out: Array | None = None,
) -> Array: ...
def rfft(
    x: Array,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: FftNorm = "backward",
    out: Array | None = None,
) -> Array: ...
def rfft2(
    x: Array,
    /,
    s: tuple[int, ...] | list[int] | None = None,
    axes: tuple[int, ...] | list[int] = (-2, -1),
    norm: FftNorm = "backward",
    out: Array | None = None,
) -> Array: ...
def rfftfreq(
    n: int, d: float = 1.0, *, dtype: DtypeLike = None, device: DeviceLike | None = None
) -> Array: ...
def rfftn(
    x: Array,
    /,
    s: tuple[int, ...] | list[int] | None = None,
    axes: tuple[int, ...] | list[int] | None = None,
    norm: FftNorm = "backward",
    out: Array | None = None,
) -> Array: ...
