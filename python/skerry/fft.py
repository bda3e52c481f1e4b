# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The fft extension of the standard: discrete Fourier transforms on every device.

Single precision stays single: complex64 and float32 give complex64. Results are fresh arrays on the device of ``x``.
"""

from skerry._core.fft import *
from skerry._core.fft import __all__ as __all__
