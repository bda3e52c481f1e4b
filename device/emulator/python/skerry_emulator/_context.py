# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""`skerry.testing.emulated_gpu`: kernels of a block of code on an emulated GPU, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType

from skerry_emulator import _reports

# What is looked for beside what ends a kernel: settings of the emulator, on and off.
CHECKS: dict[str, tuple[str, int]] = {
    "races": ("RACECHECK", 2),
    "uninitialised": ("INITCHECK", 1),
    "synchronisation": ("SYNCCHECK", 1),
}
# Blocks that run interleaved, and instructions after which another warp goes on, where schedules are tried.
RESIDENT, QUANTUM = 8, 30
LIMIT = 1_000_000_000


def chosen_checks(checks: str | Iterable[str]) -> set[str]:
    """Give the names of checks; ValueError for others."""
    names = checks.split(",") if isinstance(checks, str) else list(checks)
    if names == ["all"]:
        return set(CHECKS)
    names = [name for name in names if name not in ("", "none")]
    if unknown := set(names) - set(CHECKS):
        raise ValueError(
            f"checks: there is no {', '.join(sorted(unknown))}; there are {', '.join(CHECKS)}, all and none"
        )
    return set(names)


def settings_for(
    *, capability: int | None, seed: int, checks: set[str], limit: int
) -> dict[str, object]:
    """Give settings of the emulator, by their names without SKERRY_EMULATE_."""
    settings: dict[str, object] = {
        name: value if check in checks else 0 for check, (name, value) in CHECKS.items()
    }
    settings |= {"SEED": seed, "LIMIT": limit, "COLLECT": "all", "QUIET": 1}
    # Seed 0 is the fastest schedule: one block after the other.
    settings |= {"RESIDENT": RESIDENT if seed else 1, "QUANTUM": QUANTUM if seed else 0}
    if capability is not None:
        settings["TARGET"] = capability
    return settings


DEFAULTS: dict[str, object] = {
    **{name: 0 for name, _ in CHECKS.values()},
    "SEED": 0, "LIMIT": 0, "COLLECT": "", "QUIET": 0, "RESIDENT": 1, "QUANTUM": 0,
}  # fmt: skip


class emulated_gpu:  # noqa: N801 (used as a function)
    """Run CUDA kernels of a block of code on emulated GPUs, and raise what is wrong with them.

    Kernels of Numba (``@cuda.jit``), cuda.core and NVRTC run unchanged, without a GPU and without a driver, beside
    arrays of skerry. An access out of bounds, to freed memory, to the host's or another device's, a misaligned one, a
    deadlock and a kernel that never ends fail as on a GPU; their report, with the line of the source, is added as a
    note to the exception that leaves the block. Races, uses of values that nobody wrote, and threads that are missing
    at a barrier do not end a kernel. They are raised at the end of the block.

    The first block of a process must come before the first use of CUDA, and before ``numba.cuda`` or ``cuda.bindings``
    have loaded a driver. It makes the rehearsed devices, which stay; devices that were lost work again afterwards. Line
    numbers need kernels that are compiled with them: ``@cuda.jit(lineinfo=True)``.

    Parameters
    ----------
    devices : int, optional
        How many there are; of the first block of a process.
    capability : int, optional
        The compute capability, such as 80 or 90.
    seed : int, optional
        Of the schedule of warps and blocks. 0 runs one block after the other, which is the fastest.
    checks : str or iterable of str, optional
        What is looked for beside errors: "races", "uninitialised", "synchronisation"; "all" or "none". Races make
        kernels up to four times slower, uninitialised values more.
    limit : int, optional
        Instructions of warps after which a kernel is said never to end.

    Raises
    ------
    EmulationError
        At the end of the block, if something was found and no exception is on its way.
    ValueError
        If a check does not exist, or CUDA was used already.

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
        seed: int = 0,
        checks: str | Iterable[str] = "all",
        limit: int = LIMIT,
    ) -> None:
        self._devices = devices
        self._settings = settings_for(
            capability=capability, seed=seed, checks=chosen_checks(checks), limit=limit
        )
        self._reports: list[_reports.KernelReport] | None = None

    @property
    def reports(self) -> list[_reports.KernelReport]:
        """What was found until now, or in the block if it has ended."""
        return _reports.library().reports() if self._reports is None else self._reports

    def __enter__(self) -> emulated_gpu:
        from skerry import _core

        if not _core.is_rehearsing() or _reports.loaded_library() is None:
            _core.rehearse(cuda=self._devices, kernels=True)
        emulator = _reports.library()
        emulator.wait()
        for name, value in self._settings.items():
            emulator.set(name, value)
        emulator.clear()
        self._reports = None
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        from skerry.exceptions import EmulationError

        emulator = _reports.library()
        emulator.wait()
        self._reports = emulator.reports()
        for name, value in DEFAULTS.items():
            emulator.set(name, value)
        emulator.clear()
        if any(report.code == 700 or not _goes_on(report) for report in self._reports):
            _repair(emulator)
        if not self._reports:
            return
        if problem is None:
            raise EmulationError(self._reports)
        for report in self._reports:
            problem.add_note(f"emulated GPU: device {report.device}: {report.text}")


def _goes_on(report: _reports.KernelReport) -> bool:
    return report.kind.startswith("race_") or report.kind in ("uninitialised", "synchronisation")


def _repair(emulator: _reports.EmulatorLibrary) -> None:
    """Also in skerry, which remembers what it has lost."""
    from skerry import _core

    emulator.repair()
    _core.rehearsal_fail_call(0, 0)
