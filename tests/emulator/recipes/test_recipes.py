# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The printed workflows have only steps that `make recipes` can do; it runs them, which takes minutes."""

import os
import subprocess
import sys
import venv

import pytest

from tests.emulator.recipes import run
from tests.emulator.recipes.installed_wheels import wheel_of_installed
from tests.emulator.recipes.recipe import DOCS, Recipe, recipes

WORKFLOW = """
jobs:
  one:
    steps:
      - uses: actions/setup-python@v5
        with: {{python-version: "3.13"}}
      - {step}
"""


def recipe(step):
    return Recipe("page.rst", "one.yml", {"one.yml": WORKFLOW.format(step=step)})


def test_every_printed_workflow_is_found():
    pairs = [(one.page, one.workflow) for one in recipes()]
    printed = [page.name for page in sorted(DOCS.glob("*.rst")) for _ in range(page.read_text().count("runs-on:"))]  # fmt: skip
    assert [page for page, _ in pairs] == printed
    assert len({workflow for _, workflow in pairs}) == len(pairs) >= 4


@pytest.mark.parametrize("one", recipes(), ids=lambda one: one.page)
def test_workflows_install_the_wheels_and_run_tests_that_are_printed(one):
    install, *others = one.commands()
    assert install.startswith(
        "pip install wheels/skerry-*-cp313-*.whl wheels/skerry_emulator-*.whl"
    )
    assert any(command.endswith("tests") for command in others)
    assert any(name.startswith("tests/test_") for name in one.files)


@pytest.mark.parametrize(
    "step",
    ["uses: actions/setup-conda@v1", "{run: make, working-directory: build}", "{run: make, if: failure()}"],
)  # fmt: skip
def test_steps_that_are_not_run_are_rejected(step):
    with pytest.raises(ValueError, match="unknown in a step"):
        recipe(step).commands()


def test_a_failing_command_fails_its_workflow(tmp_path, capsys):
    one = recipe("run: echo wheels of cp313; false; true")
    assert not run.run_recipe(one, tmp_path, sys.executable)
    output = capsys.readouterr().out
    assert f"wheels of {run.version_tag(sys.executable)}\n" in output
    assert "exit status 1" in output


def test_the_extra_installs_the_emulated_gpu(tmp_path):
    """Without an index: pip finds what skerry[emulator] requires among the wheels, by their metadata."""
    for name in ("skerry", "skerry-emulator", "numpy", "scipy-openblas32"):
        wheel_of_installed(name, tmp_path)
    venv.create(tmp_path / "venv", with_pip=False)
    python = str(tmp_path / "venv" / "bin" / "python")
    pip = [sys.executable, "-m", "pip", "--isolated", "--python", python, "install", "--quiet"]
    options = ["--no-index", "--find-links", str(tmp_path), "--no-compile"]
    program = "import skerry; skerry.rehearse(cuda=2, kernels=True); print(*skerry.devices())"
    for command in ([*pip, *options, "skerry[emulator]"], [python, "-c", program]):
        done = subprocess.run(
            command,
            env={"HOME": str(tmp_path), "PATH": os.defpath},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    assert done.stdout == "cpu:0 cuda:0 cuda:1\n"
