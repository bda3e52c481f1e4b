# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The linear algebra extension of the standard: matrices are in the last two axes, the other axes form stacks.

NumPy's functions beyond it are there too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skerry._core import linalg as _linalg
from skerry._core import matmul, matrix_transpose, tensordot, vecdot
from skerry._core.linalg import *
from skerry._extra import import_functions
from skerry.exceptions import LinAlgError

#: Functions beyond the standard, by the module of skerry._linalg that is imported at their first use.
_MODULE_OF = {
    "cond": "norms",
    "lstsq": "equations",
    "multi_dot": "chains",
    "norm": "norms",
    "tensorinv": "equations",
    "tensorsolve": "equations",
}

__all__ = ["LinAlgError", "matmul", "matrix_transpose", "tensordot", "vecdot"]
__all__ += _linalg.__all__
__all__ += _MODULE_OF

_RESULTS = ("EigResult", "EighResult", "QRResult", "SVDResult", "SlogdetResult")


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


if TYPE_CHECKING:
    from skerry._core._types import EigResult as EigResult
    from skerry._core._types import QRResult as QRResult
    from skerry._core._types import SlogdetResult as SlogdetResult
    from skerry._core._types import SVDResult as SVDResult
    from skerry._linalg.chains import multi_dot as multi_dot
    from skerry._linalg.equations import lstsq as lstsq
    from skerry._linalg.equations import tensorinv as tensorinv
    from skerry._linalg.equations import tensorsolve as tensorsolve
    from skerry._linalg.norms import cond as cond
    from skerry._linalg.norms import norm as norm

    EighResult = EigResult
else:

    def __getattr__(name: str) -> Any:
        if name in _RESULTS:
            return _linalg.result_class(_RESULTS.index(name))
        if name in _MODULE_OF:
            module = import_functions(f"skerry._linalg.{_MODULE_OF[name]}")
            globals().update((function, getattr(module, function)) for function in module.__all__)
            return globals()[name]
        from skerry._absent_names import missing_name

        raise missing_name(__name__, name)
