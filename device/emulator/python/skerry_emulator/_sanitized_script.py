# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Run a script on emulated GPUs and write the reports to a file: child process of ``python -m skerry sanitize``.

python -m skerry_emulator._sanitized_script REPORTS DEVICES CAPABILITY SEED CHECKS LIMIT SCRIPT [ARGUMENT ...]
"""

from __future__ import annotations

import atexit
import dataclasses
import functools
import importlib.util
import json
import os
import pathlib
import runpy
import sys
from collections.abc import Callable
from typing import Any, NoReturn


def _number_lines() -> None:
    """Make Numba compile kernels with line information, except those with debug=True, which have more."""
    if importlib.util.find_spec("numba") is None:
        return
    from numba import cuda

    plain = cuda.jit

    @functools.wraps(plain)
    def jit(*arguments: Any, **options: Any) -> Any:
        if not options.get("debug"):
            options.setdefault("lineinfo", True)
        # Kernels cached by other runs have no line information.
        options.pop("cache", None)
        return plain(*arguments, **options)

    cuda.jit = jit


def _call_at_exit(function: Callable[[], None]) -> None:
    """Call a function at the end of this process, also if the program calls os._exit."""
    atexit.register(function)
    plain, process = os._exit, os.getpid()

    @functools.wraps(plain)
    def leave(status: int) -> NoReturn:
        if os.getpid() == process:  # not in a forked child
            function()
        plain(status)

    os._exit = leave


def main(arguments: list[str]) -> None:
    """Run the script as ``__main__``."""
    import skerry

    from skerry_emulator import _context, _cupy_pool, _reports

    reports, devices, capability, seed, checks, limit, script, *rest = arguments
    skerry.rehearse(cuda=int(devices), kernels=True)
    emulator = _reports.library()
    settings = _context.settings_for(
        seed=int(seed), checks=_context.chosen_checks(checks), limit=int(limit)
    )
    if int(capability):
        settings["SKERRY_EMULATE_TARGET"] = capability
    for variable, value in settings.items():
        emulator.set(variable, value)

    def write() -> None:
        emulator.wait()
        emulator.check_end()
        records = [dataclasses.asdict(report) for report in emulator.reports()]
        pathlib.Path(reports).write_text(json.dumps(records))
        emulator.clear()

    _call_at_exit(write)
    _number_lines()
    _cupy_pool.bypass_when_imported()
    sys.argv = [script, *rest]
    sys.path[0] = str(pathlib.Path(script).resolve().parent)
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
