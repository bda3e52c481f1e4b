# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Numba's driver: `numba.cuda` looks for one at import, and keeps the result for the whole process."""

from __future__ import annotations

import os
import sys
import warnings
from types import ModuleType
from typing import Any

__all__ = ["let_find_emulator", "refuse_other_drivers"]

_MODULE = "numba.cuda.cudadrv.driver"


def _is_of_numba_itself(module: ModuleType) -> bool:
    """Return True for Numba's own module, False for that of numba-cuda, which replaces it."""
    return "numba_cuda" not in str(module.__file__)


def _found_nothing(driver: Any) -> bool:
    """Return True if Numba has looked for a driver without success, which it remembers."""
    return driver.is_initialized and driver.initialization_error is not None


def refuse_other_drivers() -> None:
    """Raise RuntimeError if Numba runs kernels elsewhere: on another driver, or in its simulator."""
    if os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0"):
        raise RuntimeError(
            "rehearse: kernels can't be emulated: NUMBA_ENABLE_CUDASIM is set, so Numba's simulator would run them; "
            "unset it"
        )
    driver = getattr(sys.modules.get(_MODULE), "driver", None)
    if driver is not None and driver.is_initialized and not _found_nothing(driver):
        raise RuntimeError(
            "rehearse: kernels can't be emulated: Numba has started a driver; call skerry.rehearse(kernels=True), or "
            "import skerry with SKERRY_REHEARSE_KERNELS=1, before numba.cuda is used"
        )


def _prepare(module: ModuleType) -> None:
    if _is_of_numba_itself(module):
        text = (
            "the emulated GPU runs kernels of numba-cuda, not of the numba.cuda in Numba itself; "
            "pip install numba-cuda[cu13], which replaces it"
        )
        warnings.warn(f"skerry: {text}", RuntimeWarning, stacklevel=2)
        module.driver.is_initialized = True
        module.driver.initialization_error = text
    elif _found_nothing(module.driver):
        module.driver.__init__()  # looks again and finds the emulator


def let_find_emulator() -> None:
    """Make Numba find the emulator's driver, which is loaded, even if Numba was imported before and found none.

    Numba's own `numba.cuda`, which calls functions that are not emulated, raises an error when it is used.
    """
    from skerry import _import_hooks

    _import_hooks.call_when_imported(_MODULE, _prepare)
