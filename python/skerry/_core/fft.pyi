# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Written by python/stubs/generate.py."""

from skerry._core._types import *

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift",
    "ihfft", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip

def fft(
    x: Operand,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: FftNorm = "backward",
    out: Array | None = None,
) -> Array: ...
def fft2(
    x: Operand,
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
    x: Operand,
    /,
    s: tuple[int, ...] | list[int] | None = None,
    axes: tuple[int, ...] | list[int] | None = None,
    norm: FftNorm = "backward",
    out: Array | None = None,
) -> Array: ...
def fftshift(x: Operand, /, axes: Axis = None) -> Array: ...
def hfft(
    x: Operand,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: FftNorm = "backward",
    out: Array | None = None,
) -> Array: ...
def ifft(
    x: Operand,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: FftNorm = "backward",
    out: Array | None = None,
) -> Array: ...
def ifft2(
    x: Operand,
    /,
    s: tuple[int, ...] | list[int] | None = None,
    axes: tuple[int, ...] | list[int] = (-2, -1),
    norm: FftNorm = "backward",
    out: Array | None = None,
) -> Array: ...
def ifftn(
    x: Operand,
    /,
    s: tuple[int, ...] | list[int] | None = None,
    axes: tuple[int, ...] | list[int] | None = None,
    norm: FftNorm = "backward",
    out: Array | None = None,
) -> Array: ...
def ifftshift(x: Operand, /, axes: Axis = None) -> Array: ...
def ihfft(
    x: Operand,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: FftNorm = "backward",
    out: Array | None = None,
) -> Array: ...
def irfft(
    x: Operand,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: FftNorm = "backward",
    out: Array | None = None,
) -> Array: ...
def irfft2(
    x: Operand,
    /,
    s: tuple[int, ...] | list[int] | None = None,
    axes: tuple[int, ...] | list[int] = (-2, -1),
    norm: FftNorm = "backward",
    out: Array | None = None,
) -> Array: ...
def irfftn(
    x: Operand,
    /,
    s: tuple[int, ...] | list[int] | None = None,
    axes: tuple[int, ...] | list[int] | None = None,
    norm: FftNorm = "backward",
    out: Array | None = None,
) -> Array: ...
def rfft(
    x: Operand,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: FftNorm = "backward",
    out: Array | None = None,
) -> Array: ...
def rfft2(
    x: Operand,
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
    x: Operand,
    /,
    s: tuple[int, ...] | list[int] | None = None,
    axes: tuple[int, ...] | list[int] | None = None,
    norm: FftNorm = "backward",
    out: Array | None = None,
) -> Array: ...
