# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""What skerry raises; each class is also the builtin that users already catch."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

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
    "InterchangeError",
    "LinAlgError",
    "MissingProtocolError",
    "OutOfMemoryError",
    "ReadOnlyError",
    "ShapeError",
]


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


class DeviceMismatchError(ValueError):
    """Arrays on different devices in one call; ``devices`` names them in the order of the arguments."""

    devices: tuple[str, ...] = ()


class DeviceUnavailableError(RuntimeError):
    """A device does not exist or can't be used.

    ``reason`` is one of no_driver, stub_library, driver_too_old, no_device, no_kernel_image, no_cuda_module,
    out_of_range, busy, forked.
    """

    reason: str = ""


class ForkError(DeviceUnavailableError):
    """CUDA in a process that was forked from one that used CUDA."""


class OutOfMemoryError(MemoryError):
    """A device has no room for ``requested`` bytes, even after everything cached was given back."""

    device: str = ""
    requested: int = 0


class DeviceError(RuntimeError):
    """A call of the CUDA runtime failed with the status ``code``."""

    device: str = ""
    code: int = 0


class FatalDeviceError(DeviceError):
    """The device is lost for this process. Of an emulated GPU, notes say by what."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)
        if (emulator := sys.modules.get("skerry_emulator")) is not None:
            emulator.add_notes(self)


class EmulationError(RuntimeError):
    """Kernels on an emulated GPU did what they must not; ``reports`` says what."""

    reports: tuple[KernelReport, ...]

    def __init__(self, reports: Iterable[KernelReport]) -> None:
        self.reports = tuple(reports)
        first = f"{len(self.reports)} found on the emulated GPU"
        super().__init__(
            "\n".join([first, *(f"device {one.device}: {one.text}" for one in self.reports)])
        )


class InterchangeError(BufferError, ValueError):
    """Memory of another library can't be taken over, or an array can't be handed over, in the way asked for."""


class MissingProtocolError(TypeError, AttributeError):
    """An object without the methods by which it was to be taken over; the standard has an AttributeError for it."""


class LinAlgError(_NumpyLinAlgError):
    """A matrix that is singular, not positive definite, or not finite; a ValueError, and NumPy's LinAlgError."""


class AxisError(ValueError, IndexError):
    """An axis that the array does not have."""


class ShapeError(ValueError):
    """Shapes that don't fit."""


class ReadOnlyError(ValueError):
    """Writing to a read-only or broadcast view."""


class DTypeError(TypeError):
    """Dtypes that an operation does not take, or that don't promote."""
