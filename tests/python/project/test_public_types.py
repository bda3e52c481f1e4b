# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A type checker knows every public name, and rejects others."""

import importlib.util
import subprocess
import sys

import pytest
import skerry as sk

MODULES = ("linalg", "fft", "random", "testing")


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_mypy_knows_every_public_name_and_no_other(tmp_path):
    names = [f"sk.{name}" for name in sk.__all__]
    names += [f"sk.{module}.{name}" for module in MODULES for name in getattr(sk, module).__all__]
    assert len(names) > 350
    program = tmp_path / "program.py"
    lines = ["import skerry as sk", *(f"name_{i} = {name}" for i, name in enumerate(names))]
    wrong = ["sk.nonexistent", *(f"sk.{module}.nonexistent" for module in ("linalg", "fft"))]
    program.write_text("\n".join([*lines, *wrong, ""]))
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--follow-imports=silent",
        "--no-incremental",
    ]
    done = subprocess.run(
        [*command, str(program)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert len(errors) == len(wrong), done.stdout + done.stderr
    assert all('has no attribute "nonexistent"' in error for error in errors), errors
