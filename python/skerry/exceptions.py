# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Exceptions of skerry; each also derives from the builtin class for the same error."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from numpy.exceptions import AxisError as _NumpyAxisError
from numpy.linalg import LinAlgError as _NumpyLinAlgError

if TYPE_CHECKING:
    from skerry_emulator import KernelReport

__all__ = [
    "AxisError",
    "DTypeError",
    "DeviceError",
    "DeviceMismatchError",
    "DeviceUnavailableError",
    "EmulationError",
    "FatalDeviceError",
    "ForkError",
    "GuardError",
    "InterchangeError",
    "LinAlgError",
    "MatrixShapeError",
    "MissingProtocolError",
    "OutOfMemoryError",
    "ReadOnlyError",
    "ShapeError",
]


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


class DeviceMismatchError(ValueError):
    """Arrays on different devices in one call; ``devices`` lists the devices in the order of the arguments."""

    devices: tuple[str, ...] = ()


class DeviceUnavailableError(RuntimeError):
    """A device does not exist or can't be used.

    ``reason`` is one of no_driver, stub_library, driver_too_old, no_device, no_kernel_image, no_cuda_module, no_nccl,
    out_of_range, busy, forked.
    """

    reason: str = ""


class ForkError(DeviceUnavailableError):
    """CUDA was used in a process that was forked from one that used CUDA."""


class OutOfMemoryError(MemoryError):
    """A device can't allocate ``requested`` bytes, even after all cached memory was freed."""

    device: str = ""
    requested: int = 0


class GuardError(RuntimeError):
    """A `skerry.guard` forbids a transfer, a wait of the host or an allocation, which therefore did not happen."""


class DeviceError(RuntimeError):
    """A CUDA runtime call failed with the status ``code``."""

    device: str = ""
    code: int = 0


class FatalDeviceError(DeviceError):
    """The device is unusable for the rest of this process. On an emulated GPU the exception's notes give the cause."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)
        if (emulator := sys.modules.get("skerry_emulator")) is not None:
            emulator.add_notes(self)


class EmulationError(RuntimeError):
    """Kernels on an emulated GPU made errors, which ``reports`` describes."""

    reports: tuple[KernelReport, ...]

    def __init__(self, reports: Iterable[KernelReport]) -> None:
        self.reports = tuple(reports)
        first = f"{len(self.reports)} found on the emulated GPU"
        super().__init__(
            "\n".join([first, *(f"device {one.device}: {one.text}" for one in self.reports)])
        )


class InterchangeError(BufferError, ValueError):
    """Memory of another library can't be imported, or an array can't be exported, as requested."""


class MissingProtocolError(TypeError, AttributeError):
    """An object lacks the methods needed to import it; also an AttributeError, as the standard requires."""


class LinAlgError(_NumpyLinAlgError):
    """A matrix is singular, not positive definite or not finite; also a ValueError and NumPy's LinAlgError."""


class AxisError(_NumpyAxisError):
    """An axis is out of bounds for the array; also NumPy's AxisError, a ValueError and an IndexError."""


class ShapeError(ValueError):
    """Shapes are incompatible."""


class MatrixShapeError(ShapeError, LinAlgError):
    """Matrices are not square, or an array has fewer than two axes; also NumPy's LinAlgError."""


class ReadOnlyError(ValueError):
    """A read-only or broadcast view was written to."""


class DTypeError(TypeError):
    """An operation does not support the dtypes, or they have no common dtype."""
