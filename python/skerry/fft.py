# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The fft extension of the standard: discrete Fourier transforms on every device.

Single precision is preserved: complex64 and float32 give complex64, or float32 if the result is real. float16
and bfloat16 are computed as float32. Results are new arrays on the device of ``x``.
"""

from typing import TYPE_CHECKING, Any

from skerry._core.fft import *
from skerry._core.fft import __all__ as __all__


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


if not TYPE_CHECKING:  # type checkers know all names, and reject others

    def __getattr__(name: str) -> Any:
        from skerry._absent_names import missing_name

        raise missing_name(__name__, name)
