# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""`skerry.testing.emulated_gpu`: runs the kernels of a block of code on an emulated GPU and reports their errors."""

from __future__ import annotations

import os
from collections.abc import Iterable
from types import TracebackType

from skerry_emulator import _cupy_pool, _reports

# Optional checks, and the emulator's setting that enables each. Errors that end a kernel are always reported.
CHECKS: dict[str, tuple[str, int]] = {
    "races": ("RACECHECK", 2),
    "streams": ("STREAMCHECK", 1),
    "uninitialised": ("INITCHECK", 1),
    "synchronisation": ("SYNCCHECK", 1),
}
# For seeds other than 0: number of interleaved blocks, and instructions before a switch to another warp.
RESIDENT, QUANTUM = 8, 30
LIMIT = 1_000_000_000


def chosen_checks(checks: str | Iterable[str]) -> set[str]:
    """Return the names of checks; raise ValueError for unknown ones."""
    names = checks.split(",") if isinstance(checks, str) else list(checks)
    if names == ["all"]:
        return set(CHECKS)
    names = [name for name in names if name not in ("", "none")]
    if unknown := set(names) - set(CHECKS):
        raise ValueError(
            f"checks: unknown check: {', '.join(sorted(unknown))}; accepted: {', '.join(CHECKS)}, all, none"
        )
    return set(names)


def by_variable(settings: dict[str, object]) -> dict[str, object]:
    """Return settings by the full names of their variables."""
    return {f"SKERRY_EMULATE_{name}": value for name, value in settings.items()}


def device_settings(
    *, capability: int | None, memory: int | str | None, peers: bool | str | None
) -> dict[str, object]:
    """Return the settings of the emulated GPUs themselves, by variable: those that are not None."""
    if isinstance(peers, bool):
        peers = "all" if peers else "none"
    variables = {
        "SKERRY_EMULATE_TARGET": capability,
        "SKERRY_REHEARSE_MEMORY": memory,
        "SKERRY_REHEARSE_PEERS": peers,
    }
    return {variable: value for variable, value in variables.items() if value is not None}


def settings_for(*, seed: int, checks: set[str], limit: int) -> dict[str, object]:
    """Return settings of launches, by variable."""
    settings: dict[str, object] = {
        name: value if check in checks else 0 for check, (name, value) in CHECKS.items()
    }
    settings |= {"SEED": seed, "LIMIT": limit, "COLLECT": "all", "QUIET": 1}
    # Seed 0 is the fastest schedule: blocks run one after the other.
    settings |= {"RESIDENT": RESIDENT if seed else 1, "QUANTUM": QUANTUM if seed else 0}
    return by_variable(settings)


DEFAULTS = by_variable({
    **{name: 0 for name, _ in CHECKS.values()},
    "SEED": 0, "LIMIT": 0, "COLLECT": "", "QUIET": 0, "RESIDENT": 1, "QUANTUM": 0,
})  # fmt: skip
#: Defaults of the settings of the GPUs that end with a block; the environment can replace them.
DEVICE_DEFAULTS = {"SKERRY_REHEARSE_MEMORY": "8GiB", "SKERRY_REHEARSE_PEERS": "all"}


class emulated_gpu:  # noqa: N801 (used as a function)
    """Run CUDA kernels of a block of code on emulated GPUs, and raise their errors.

    Kernels of Numba (``@cuda.jit``), cuda.core and NVRTC run unchanged, without a GPU or a driver, together with
    arrays of skerry. As on a GPU, a kernel fails if an access is out of bounds, misaligned, to freed memory or to
    memory of the host or another device, if it deadlocks, or if it never ends. The report, with the source line, is
    added as a note to the exception that leaves the block. Races, uses of uninitialised values and threads that are
    missing at a barrier do not end a kernel: they are raised at the end of the block.

    The first block of a process must come before the first use of CUDA, and before ``numba.cuda`` or ``cuda.bindings``
    have loaded a driver. It creates the rehearsed devices, which remain after the block. Devices that are lost in a
    block can be used again after it. Line numbers need kernels compiled with line information:
    ``@cuda.jit(lineinfo=True)``.

    Parameters
    ----------
    devices : int, optional
        Number of devices; only used by the first block of a process.
    capability : int, optional
        The compute capability, 80 or 90, in and after the block: libraries store it when they first see a device.
    memory : int or str, optional
        Memory of each GPU in the block, in bytes or such as "64MiB"; SKERRY_REHEARSE_MEMORY by default.
    float64 : bool, optional
        False: the GPUs have no float64 and complex128 in the block, and arrays of these dtypes raise DTypeError there.
        Arithmetic inside kernels is not restricted. SKERRY_REHEARSE_FLOAT64 by default.
    peers : bool or str, optional
        Whether the GPUs can access each other's memory in the block, or the pairs that can, such as "0-1,2-3";
        SKERRY_REHEARSE_PEERS by default.
    seed : int, optional
        Seed of the schedule of warps and blocks. 0 runs one block after the other, which is fastest.
    checks : str or iterable of str, optional
        Optional checks: "races", "streams" (only races between streams, which "races" contains), "uninitialised",
        "synchronisation"; or "all", "none". The check for races makes kernels up to 4 times slower, the check for
        uninitialised values about 2 times, the check for races between streams less than 1.5 times if they access
        memory in order.
    limit : int, optional
        Number of warp instructions after which a kernel counts as never ending.

    Raises
    ------
    EmulationError
        At the end of the block, if there are reports and no exception is being raised.
    RuntimeError
        If another driver has been loaded already.
    ValueError
        If a check or a setting is invalid, or CUDA was used already.

    Examples
    --------
    ::

        from skerry.testing import emulated_gpu

        with emulated_gpu(checks="all") as gpu:
            kernel[blocks, threads](x)
        print(gpu.reports)

    """

    def __init__(
        self,
        devices: int = 2,
        *,
        capability: int | None = None,
        memory: int | str | None = None,
        float64: bool | None = None,
        peers: bool | str | None = None,
        seed: int = 0,
        checks: str | Iterable[str] = "all",
        limit: int = LIMIT,
    ) -> None:
        self._devices = devices
        self._gpu = device_settings(capability=capability, memory=memory, peers=peers)
        self._float64 = float64
        self._settings = settings_for(seed=seed, checks=chosen_checks(checks), limit=limit)
        self._reports: list[_reports.KernelReport] | None = None
        self._pools = _cupy_pool.PoolBypass()

    @property
    def reports(self) -> list[_reports.KernelReport]:
        """All reports of the block so far."""
        return _reports.library().reports() if self._reports is None else self._reports

    def __enter__(self) -> emulated_gpu:
        from skerry import _core

        if not _core.is_rehearsing() or _reports.loaded_library() is None:
            _core.rehearse(cuda=self._devices, kernels=True)
        emulator = _reports.library()
        emulator.wait()
        for variable, value in (self._gpu | self._settings).items():
            emulator.set(variable, value)
        if self._float64 is not None:
            _core.rehearse_float64(self._float64)
        _core.refresh_rehearsed_devices()
        emulator.clear()
        self._reports = None
        self._pools.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        from skerry import _core
        from skerry.exceptions import EmulationError

        emulator = _reports.library()
        self._pools.end()
        emulator.wait()
        self._reports = emulator.reports()
        for variable, value in DEFAULTS.items():
            emulator.set(variable, value)
        for variable in DEVICE_DEFAULTS.keys() & self._gpu.keys():
            emulator.set(variable, os.environ.get(variable, DEVICE_DEFAULTS[variable]))
        if self._float64 is not None:
            _core.rehearse_float64(os.environ.get("SKERRY_REHEARSE_FLOAT64") != "0")
        emulator.clear()
        if any(report.code == 700 or not _goes_on(report) for report in self._reports):
            repair_devices(emulator)
        _core.refresh_rehearsed_devices()
        if not self._reports:
            return
        if problem is None:
            raise EmulationError(self._reports)
        _reports.add_notes_of(problem, self._reports)


def _goes_on(report: _reports.KernelReport) -> bool:
    return report.kind.startswith("race_") or report.kind in ("uninitialised", "synchronisation")


def repair_devices(emulator: _reports.EmulatorLibrary) -> None:
    """Clear the sticky errors of lost devices, in the emulator and in skerry."""
    from skerry import _core

    emulator.repair()
    _core.rehearsal_fail_call(0, 0)
