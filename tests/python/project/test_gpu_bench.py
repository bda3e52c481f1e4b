# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The GPU benchmark and check, as far as they can be tested without a GPU: on small arrays, with another clock."""

import ctypes
import pathlib
import subprocess
import sys
import time

import numpy as np
import pytest
import skerry as sk

from bench.gpu import check as gpu_check
from bench.gpu import rows as gpu_rows
from bench.gpu import run as gpu_run
from bench.peers import gpu_side_by_side
from tests.python.reduced_builds import MISSING

ROOT = pathlib.Path(__file__).parents[3]


class WallClock:
    """Replaces the driver: wall time, and copies by the host."""

    def milliseconds(self, stream, work):
        begin = time.perf_counter()
        work()
        return (time.perf_counter() - begin) * 1e3

    def copy(self, target, source, nbytes, stream):
        ctypes.memmove(target, source, nbytes)


class OnRehearsal(gpu_side_by_side.Skerry):
    """This library on a rehearsed device, which the benchmark itself rejects."""

    def __init__(self):
        self.module, self.version = sk, sk.__version__
        self.device = sk.Device("cuda:0")
        self.stream = sk.current_stream(self.device).handle


class WithNumPy:
    """A peer that poses as CuPy, to check results and goals."""

    name = "cupy"
    version = np.__version__
    stream = 0

    class Module:
        """NumPy with its newest names."""

        def __getattr__(self, name):
            return getattr(np, name)

    module = Module()

    def put(self, host):
        return host

    def fetch(self, array):
        return array

    def synchronize(self):
        pass

    def release(self):
        pass


@pytest.fixture(scope="module")
def bench():
    small_bench = gpu_side_by_side.Bench(seconds=600, shrink=18)
    small_bench.driver = WallClock()
    small_bench.libraries = {"skerry": OnRehearsal(), "cupy": WithNumPy()}
    return small_bench


@pytest.fixture(scope="module")
def measured(bench):
    """Return the figures and notes of each subject."""
    results = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gpu_side_by_side, "BATCH_MS", 0.01)
        patch.setattr(gpu_side_by_side, "ROTATED_BYTES", 1000)
        for subject, run in gpu_rows.SUBJECTS.items():
            bench.notes.clear()
            old_count = len(bench.figures)
            run(bench)
            results[subject] = bench.figures[old_count:], list(bench.notes)
    return results


@pytest.mark.slow
@pytest.mark.parametrize("subject", list(gpu_rows.SUBJECTS))
def test_every_row_of_the_gpu_benchmark_runs_and_agrees(measured, subject):
    figures, notes = measured[subject]
    assert figures
    assert notes == []
    assert [f"{figure.case}: {figure.check}" for figure in figures if figure.check] == []
    assert all(figure.value > 0 for figure in figures)


def test_wrong_results_are_detected():
    expected = np.asarray([1.0, 2.0])
    assert gpu_side_by_side.agreement(expected, expected, 1e-6) == ""
    assert "DIFFERS" in gpu_side_by_side.agreement(expected + 0.1, expected, 1e-6)
    assert "DIFFERS" in gpu_side_by_side.agreement(expected[:1], expected, 1e-6)


@pytest.mark.slow
@pytest.mark.skipif(bool(MISSING), reason="built without some dtypes: their rows were not run")
def test_goals_are_computed_and_missing_figures_reported(measured, bench):
    text = gpu_run.table(bench)
    assert "add float32 / cupy" in text
    assert "sort float32 / torch" in text
    assert "not measured" in text  # PyTorch's
    met = {goal.name for goal in gpu_run.GOALS if goal.ratio(bench) is not None}
    assert {goal.name for goal in gpu_run.GOALS} - met == {
        goal.name for goal in gpu_run.GOALS if "torch" in goal.name
    }


def test_a_rehearsed_or_emulated_device_is_never_measured_as_a_gpu():
    with pytest.raises(RuntimeError, match=r"(rehearsed|emulated) device is no GPU"):
        gpu_side_by_side.Skerry()


@pytest.mark.skipif(pathlib.Path("/dev/nvidiactl").exists(), reason="there may be a GPU")
def test_check_without_a_gpu_exits_with_3():
    done = subprocess.run(
        [sys.executable, "-m", "bench.gpu.check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert "no GPU, so nothing was run" in done.stdout


def test_foreign_driver_library_is_not_a_gpu(monkeypatch):
    monkeypatch.setattr(gpu_check.ctypes, "CDLL", lambda name: ctypes.pythonapi)
    gpus, reason = gpu_check.find_gpus()
    assert gpus == []
    assert reason.startswith("libcuda.so.1 is no NVIDIA driver")


@pytest.mark.parametrize("full", [False, True])
def test_sanitizer_runs_with_separate_padded_allocations(full, monkeypatch, tmp_path):
    ran = []

    class Check:
        def __init__(self):
            self.full = full
            self.skipped_tests = []

        def run(self, name, command, **environment):
            ran.append((name, command, environment))
            return "========= ERROR SUMMARY: 0 errors\n"

    monkeypatch.setattr(gpu_check.shutil, "which", lambda tool: f"/bin/{tool}")
    monkeypatch.setattr(gpu_check, "KERNELS", tmp_path)
    assert gpu_check.sanitizer(Check()).startswith("memcheck ========= ERROR SUMMARY: 0 errors")
    assert [name for name, _, _ in ran] == [
        f"sanitizer-{tool}" for tool in ("memcheck", "racecheck", "initcheck", "synccheck")[: 4 if full else 1]
    ]  # fmt: skip
    for _, _, environment in ran:
        assert environment.pop("SKERRY_ALLOCATOR") == "system"
        assert set(environment) == {"SKERRY_OPENBLAS"}
    memcheck = ran[0][1]
    assert memcheck[memcheck.index("--padding") + 1] == "512"
    assert memcheck[-2:] == [str(tmp_path), "--require-gpu"]


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("Error: Device not supported", gpu_check.Skipped),
        ("9 errors", subprocess.CalledProcessError),
    ],
)
def test_device_unsupported_by_the_sanitizer_is_skipped(output, expected, monkeypatch, tmp_path):
    class Check:
        full = False
        skipped_tests = ()

        def run(self, name, command, **environment):
            raise subprocess.CalledProcessError(9, command, output)

    monkeypatch.setattr(gpu_check.shutil, "which", lambda tool: f"/bin/{tool}")
    monkeypatch.setattr(gpu_check, "KERNELS", tmp_path)
    with pytest.raises(expected):
        gpu_check.sanitizer(Check())
