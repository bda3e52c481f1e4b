# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Each program of the gallery runs, its assertions hold, and it draws a picture."""

import os
import re
import subprocess
import sys

import pytest

from tests.python.libraries import library
from tests.python.project.test_docs import DOCS
from tests.python.session import HAS_GPU

PROGRAMS = sorted((DOCS / "gallery").glob("*.py"))
# These need four devices and NCCL: tests/emulator/nccl/test_gallery.py runs them.
COLLECTIVE = [program for program in PROGRAMS if program.stem.startswith("collective_")]


def test_there_are_ten_programs():
    assert len(PROGRAMS) >= 10


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_program_is_divided_into_steps_with_text_and_output(program):
    text = program.read_text()
    cells = re.findall(r"^# %%\n((?:#.*\n)*)", text, re.MULTILINE)
    assert len([cell for cell in cells if cell]) >= 4
    assert "print(" in text


@pytest.mark.slow
@pytest.mark.parametrize("program", sorted({*PROGRAMS} - {*COLLECTIVE}), ids=lambda path: path.stem)
def test_program(program, tmp_path):
    for name in sorted(
        set(
            re.findall(
                r"^(?:import|from) (matplotlib|numba|sklearn|dask)", program.read_text(), re.M
            )
        )
    ):
        library(name)
    environment = {**os.environ, "MPLBACKEND": "agg"}
    if not HAS_GPU:
        environment["SKERRY_REHEARSE"] = "2"
    done = subprocess.run(
        [sys.executable, str(program)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    picture = (tmp_path / f"{program.stem}.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 5000
