# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The examples and the workflow of the page "Testing kernels without a GPU" run as printed, without a GPU."""

import doctest
import os
import re
import subprocess
import sys

import pytest

from tests.emulator.recipes.recipe import DOCS, recipes
from tests.emulator.users_kernels.test_users_kernels import REDIRECT
from tests.python.libraries import numba_cuda_installed

PAGE = DOCS / "kernels.rst"
(RECIPE,) = (recipe for recipe in recipes() if recipe.page == PAGE.name)


@pytest.fixture
def project(tmp_path):
    """Write the files of the page, with numba-cuda replacing Numba's own numba.cuda."""
    numba_cuda_installed()
    RECIPE.write(tmp_path / "project")
    (tmp_path / "installed").mkdir()
    (tmp_path / "installed" / "sitecustomize.py").write_text("import sys\n" + REDIRECT)
    return tmp_path / "project"


def run(project, command, **environment):
    """Run a command of the page with this Python, without the variables of these tests."""
    base_environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("SKERRY_", "NUMBA_", "PYTEST_", "PYTHON"))
    }
    program, *arguments = command.split()
    assert program == "python"
    return subprocess.run(
        [sys.executable, *arguments],
        env={**base_environment, "PYTHONPATH": str(project.parent / "installed"), **environment},
        cwd=project,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def steps():
    """Return the workflow's commands after the installation."""
    _, *others = RECIPE.commands()
    assert others
    return others


def test_examples_of_the_page():
    flags = doctest.IGNORE_EXCEPTION_DETAIL | doctest.ELLIPSIS
    result = doctest.testfile(str(PAGE), module_relative=False, optionflags=flags)
    assert result.attempted
    assert not result.failed


def test_the_workflow_passes(project):
    for command in steps():
        done = run(project, command)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        assert "1 passed" in done.stdout or "nothing found in 3 schedules" in done.stderr, command


def test_the_workflow_fails_for_faulty_kernels(project):
    for name, right in (("tests/test_histogram.py", "if i < values.size"), ("examples/solve.py", "if 0 < i < x.size - 1")):  # fmt: skip
        text = (project / name).read_text()
        assert right in text
        (project / name).write_text(text.replace(right, "if i >= 0"))
    for command in steps():
        done = run(project, command)
        assert done.returncode == 1, f"{command}\n{done.stdout}{done.stderr}"
        assert "past the end of" in done.stdout + done.stderr


def test_the_use_on_an_unknown_stream_is_named(project):
    (command,) = re.findall(r"\$ (python -m skerry sanitize --checks streams .*)", PAGE.read_text())
    done = run(project, command)
    assert done.returncode == 1, done.stdout + done.stderr
    lines = (project / "examples" / "streams.py").read_text().splitlines()
    for text in ("total = x.sum()", next(line for line in lines if line.startswith("double["))):
        position = f"examples/streams.py:{lines.index(text) + 1}: {text}"
        assert position in done.stderr
        assert position in PAGE.read_text()
    program = project / "examples" / "streams.py"
    wait = 'sk.current_stream("cuda:0").wait(stream)'
    assert wait in PAGE.read_text()
    program.write_text(program.read_text().replace("total =", f"{wait}\ntotal ="))
    done = run(project, command)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_plugin_may_be_named_on_the_command_line(project):
    """A conftest.py that looks for a GPU is imported after the plugin."""
    (project / "tests" / "conftest.py").write_text(
        "from numba import cuda\ndef pytest_report_header():\n    return f'{len(cuda.gpus)} GPUs'\n"
    )
    done = run(project, "python -m pytest -p skerry_emulator tests", SKERRY_REHEARSE="3")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 GPUs" in done.stdout
    assert "1 passed" in done.stdout


def test_without_emulated_gpus_their_tests_are_skipped(project):
    test = project / "tests" / "test_histogram.py"
    test.write_text(re.sub(r"@pytest.mark.skipif.*\n", "", test.read_text()))
    done = run(project, "python -m pytest -rs tests", SKERRY_REHEARSE="0")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "SKERRY_REHEARSE=0: no emulated GPUs" in done.stdout
    assert "1 skipped" in done.stdout


@pytest.mark.parametrize(
    ("mark", "environment", "complaint"),
    [
        ("devices=3", {}, "emulated_gpu: devices=3, but there are 2; set SKERRY_REHEARSE=3"),
        ("seed=1", {"NUMBA_ENABLE_CUDASIM": "1"}, "NUMBA_ENABLE_CUDASIM is set"),
        ("devices=3", {"SKERRY_REHEARSE": "1"}, "emulated_gpu: devices=3, but there are 1"),
    ],
)
def test_a_failure_of_the_plugin_fails_the_tests_that_need_it(
    project, mark, environment, complaint
):
    (project / "tests" / "test_histogram.py").write_text(
        f"import pytest\n@pytest.mark.emulated_gpu({mark})\ndef test_it(emulated_gpu):\n    pass\n"
        "def test_of_others():\n    pass\n"
    )
    done = run(project, "python -m pytest tests", **environment)
    assert complaint in done.stdout, done.stdout + done.stderr
    assert "1 passed, 1 error" in done.stdout
