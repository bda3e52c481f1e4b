# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Random numbers that are the same on every device and for any number of threads.

The numbers of a generator depend only on its seed, the order of its calls and the position in the array: not on the
device, the number of threads or the machine, except for the last bits of ``multivariate_normal``, which depend on
OpenBLAS. The bits are those of Philox 4x32-10, a function of a key and a counter.
Names and signatures are those of NumPy's ``Generator``; the numbers differ from NumPy's. Functions such as ``rand``
draw from one stream that all devices share, on the default device.
"""

import typing as _typing

from skerry.random import _shared
from skerry.random._generator import Generator, default_rng
from skerry.random._legacy import RandomState
from skerry.random._philox import Philox
from skerry.random._shared import *

__all__ = ["Generator", "Philox", "RandomState", "default_rng"]
__all__ += _shared.__all__

if not _typing.TYPE_CHECKING:  # type checkers know all names, and reject others

    def __getattr__(name: str) -> _typing.Any:
        from skerry._absent_names import missing_name

        raise missing_name(__name__, name)
