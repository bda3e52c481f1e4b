# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The linear algebra extension of the standard: matrices are in the last two axes, the other axes form stacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skerry._core import linalg as _linalg
from skerry._core import matmul, matrix_transpose, tensordot, vecdot
from skerry._core.linalg import *

__all__ = ["matmul", "matrix_transpose", "tensordot", "vecdot"]
__all__ += _linalg.__all__

_RESULTS = ("EigResult", "EighResult", "QRResult", "SVDResult", "SlogdetResult")


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


if TYPE_CHECKING:
    from skerry._core._types import EigResult as EigResult
    from skerry._core._types import QRResult as QRResult
    from skerry._core._types import SlogdetResult as SlogdetResult
    from skerry._core._types import SVDResult as SVDResult

    EighResult = EigResult
else:

    def __getattr__(name: str) -> Any:
        if name in _RESULTS:
            return _linalg.result_class(_RESULTS.index(name))
        raise AttributeError(f"module 'skerry.linalg' has no attribute {name!r}")
