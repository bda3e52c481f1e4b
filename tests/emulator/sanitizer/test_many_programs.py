# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The sanitizer accuses no correct program and finds every faulty one, by compiler, over arrays of every producer.

By default the faulty ones run in one schedule, and some of the correct ones in two. All in 20, with counts and times:
``python -m pytest --full -s tests/emulator/sanitizer``.
"""

import json

import pytest

from tests.emulator.users_kernels.test_users_kernels import REDIRECT, START, child
from tests.python.libraries import NUMBA_CUDA, NUMBA_CUDA_MLIR, installed, missing

PACKAGE = __name__.rpartition(".")[0]
# By compiler: the folder of its packages, and what makes them importable.
COMPILERS = {
    "nvrtc": (None, ""),
    "numba": (NUMBA_CUDA, REDIRECT),
    "numba_cuda_mlir": (NUMBA_CUDA_MLIR, f"sys.path.append({str(NUMBA_CUDA_MLIR)!r})\n"),
}
# Schedules with --full; without, every STEP-th correct program runs.
SEEDS, STEP = 20, 9


def run(module, compiler, *arguments):
    """Run a module of programs in a new process with emulated kernels; return its JSON output."""
    installed("cuda.core")
    folder, prelude = COMPILERS[compiler]
    if folder is not None and not folder.exists():
        missing(f"{compiler} is not in {folder}")
    done = child(
        f"{START}{prelude}from {PACKAGE} import {module}\n{module}.main(*{(compiler, *arguments)!r})\n",
        timeout=7200,
        **({"TESTED_NUMBA": compiler} if folder is not None else {}),
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("compiler", COMPILERS)
def test_correct_programs_have_no_report(compiler, full):
    result = run("right_programs", compiler, *((str(SEEDS),) if full else ("2", str(STEP))))
    assert not result["wrong"], list(result["wrong"].items())[:20]
    assert result["count"] > (400 if full else 400 // STEP)
    print(f"{compiler}: {result['count']} correct programs, {result['seconds']} s")


@pytest.mark.parametrize("compiler", COMPILERS)
def test_faulty_programs_are_found_with_line_text_and_array(compiler, full):
    result = run("faulty_programs", compiler, str(SEEDS if full else 1))
    assert not result["missed"], list(result["missed"].items())[:20]
    assert result["count"] > 70
    assert len(result["kinds"]) >= 12
    print(
        f"{compiler}: {result['count']} faulty programs, {result['kinds']}, {result['seconds']} s"
    )
