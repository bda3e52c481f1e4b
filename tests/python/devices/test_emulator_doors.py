# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Every entry to the emulated GPU reports a missing skerry_emulator package, and how to install it."""

import os
import subprocess
import sys

import pytest

MISSING = "import sys\nsys.modules['skerry_emulator'] = None\n"
TEXT = (
    "the emulated GPU, which runs CUDA kernels, is not installed; pip install 'skerry[emulator]' "
    "(in skerry's sources: make emulator)"
)


def run(code, **variables):
    environment = {
        name: text for name, text in os.environ.items() if not name.startswith("SKERRY_")
    }
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**environment, **variables},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def output_of(code, **variables):
    done = run(MISSING + code, **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


REPORT = """
import skerry
try:
    {code}
except skerry.exceptions.DeviceUnavailableError as problem:
    print(problem.reason)
    print(problem)
"""


@pytest.mark.parametrize("kernels", [True, "all"])
def test_rehearsal_with_kernels_requires_the_emulator(kernels):
    code = REPORT.format(code=f"skerry.rehearse(cuda=2, kernels={kernels!r})")
    text = f"rehearse: {TEXT}, or rehearse without kernels"
    assert output_of(code) == ["no_cuda_module", text]


def test_rehearsal_without_kernels_after_a_failed_one():
    lines = output_of(
        REPORT.format(code="skerry.rehearse(cuda=2, kernels=True)")
        + "skerry.rehearse(cuda=2)\nprint(len(skerry.devices('cuda')))\n"
    )
    assert lines[-1] == "2"


@pytest.mark.parametrize("name", ["KernelReport", "emulated_gpu"])
@pytest.mark.parametrize(
    "code", ["from skerry.testing import {}", "import skerry.testing; skerry.testing.{}"]
)
def test_testing_names_require_the_emulator(name, code):
    assert output_of(REPORT.format(code=code.format(name))) == ["no_cuda_module", f"{name}: {TEXT}"]


def test_other_testing_names_need_no_emulator():
    code = "import skerry.testing\nfrom skerry.testing import *\nprint(numba_simulator, count_cuda_calls)\n"
    code += "print({'emulated_gpu', 'KernelReport'} & {*dir(skerry.testing), *globals()})\n"
    assert output_of(code)[-1] == "set()"


def test_unknown_testing_name_raises_attribute_error():
    done = run("import skerry.testing\nskerry.testing.nothing")
    assert "AttributeError: module 'skerry.testing' has no attribute 'nothing'" in done.stderr


@pytest.mark.parametrize("arguments", [["program.py"], ["--help"]])
def test_sanitize_command_requires_the_emulator(arguments):
    code = f"from skerry.__main__ import main\nsys.exit(main({['sanitize', *arguments]!r}))"
    done = run(MISSING + code)
    assert done.returncode == 2
    assert done.stderr == f"sanitize: {TEXT}\n"
    assert done.stdout == ""


def test_other_commands_need_no_emulator():
    lines = output_of("from skerry.__main__ import main\nmain(['info'])\nmain(['--help'])")
    assert any(line.startswith("skerry ") for line in lines)
    assert any("sanitize" in line for line in lines)


def test_demo_without_the_emulator_has_no_kernels():
    assert output_of("from skerry import demo\nprint(demo.can_compile_kernels())") == ["False"]


def test_rehearsal_by_environment_requires_the_emulator():
    done = run(f"{MISSING}import skerry", SKERRY_REHEARSE="2", SKERRY_REHEARSE_KERNELS="1")
    *_, last = done.stderr.splitlines()
    assert last.startswith(f"skerry.exceptions.DeviceUnavailableError: rehearse: {TEXT}")
    assert output_of("import skerry", SKERRY_REHEARSE_KERNELS="1") == []


@pytest.mark.parametrize("prelude", ["", MISSING])
def test_device_errors_do_not_import_the_emulator(prelude):
    code = f"{prelude}import sys, skerry\nerror = skerry.exceptions.FatalDeviceError('lost')\n"
    done = run(f"{code}print(sys.modules.get('skerry_emulator'), hasattr(error, '__notes__'))")
    assert done.stdout == "None False\n", done.stderr


FAKE = """
class KernelReport: pass
class emulated_gpu: pass
def folder(): return "/nonexistent"
def load(): print("loaded")
def refuse_other_drivers(*, own_kernels=False): print("own kernels:", own_kernels)
def add_notes(problem): problem.add_note("a note of the emulator")
def nccl_faults(*faults): pass
def nccl_settings(**settings): pass
def nccl_link_bytes(): pass
"""


def run_with_package(tmp_path, source, code):
    (tmp_path / "skerry_emulator.py").write_text(source)
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    return run(code, PYTHONPATH=path)


def test_failed_import_inside_the_emulator_is_passed_on(tmp_path):
    done = run_with_package(
        tmp_path, "import lacking", "import skerry\nskerry.rehearse(cuda=2, kernels=True)"
    )
    assert done.stderr.splitlines()[-1] == "ModuleNotFoundError: No module named 'lacking'"


def test_installed_emulator_provides_names_and_notes(tmp_path):
    code = "from skerry.testing import *\nimport skerry.testing\n"
    code += "print(emulated_gpu.__module__, KernelReport.__module__)\n"
    code += "print({'emulated_gpu', 'KernelReport'} <= {*dir(skerry.testing)})\n"
    code += "print(skerry.exceptions.FatalDeviceError('lost').__notes__)\n"
    done = run_with_package(tmp_path, FAKE, code)
    assert done.stdout.splitlines() == [
        "skerry_emulator skerry_emulator", "True", "['a note of the emulator']",
    ], done.stderr  # fmt: skip


def test_missing_emulator_library_is_named(tmp_path):
    code = REPORT.format(code="skerry.rehearse(cuda=2, kernels='all')")
    done = run_with_package(tmp_path, FAKE, code)
    first, reason, text = done.stdout.splitlines()
    assert (first, reason) == ("own kernels: True", "no_cuda_module")
    assert "/nonexistent/libskerry_emulator.so" in text
    assert "pip install 'skerry[emulator]'" in text
