# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Imports of a package whose compiled module is missing, or of another interpreter or processor."""

import importlib.machinery
import os
import pathlib
import platform
import shutil
import subprocess
import sys

import pytest
import skerry as sk

from tests.python.session import UNDER_QEMU

SUFFIX = importlib.machinery.EXTENSION_SUFFIXES[0]
X86_64, AARCH64, RISCV = 62, 183, 243
#: Code of an extension module, compiled without Python's headers.
FAILING_MODULE = """
extern void* PyExc_ImportError;
void PyErr_SetString(void*, const char*);
void* PyInit__core(void) {
  PyErr_SetString(PyExc_ImportError, "skerry: this processor (A) lacks instructions of B");
  return 0;
}
"""


def elf_header(machine, bits=64):
    ident = b"\x7fELF" + bytes([bits // 32, 1, 1]) + bytes(9)
    fields = [(3, 2), (machine, 2), (1, 4)]  # e_type, e_machine, e_version and their sizes
    return ident + b"".join(value.to_bytes(size, "little") for value, size in fields) + bytes(100)


OWN_HEADER = pathlib.Path("/proc/self/exe").read_bytes()[:120]
OTHER_MACHINE, OTHER = (
    (X86_64, "x86_64") if platform.machine() == "aarch64" else (AARCH64, "aarch64")
)


needs_compiler = pytest.mark.skipif(
    shutil.which("cc") is None or UNDER_QEMU, reason="needs a C compiler for this processor"
)


@pytest.fixture
def package(tmp_path):
    """Return the folder of a copy of the package without compiled modules."""
    folder = pathlib.Path(sk.__file__).parent
    ignored = shutil.ignore_patterns("*.so", "__pycache__")
    return pathlib.Path(shutil.copytree(folder, tmp_path / "skerry", ignore=ignored))


def import_error(package, code="import skerry"):
    """Return the last line that the import of the package writes."""
    paths = [str(package.parent), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1, done.stderr
    return done.stderr.splitlines()[-1]


def test_interpreter_and_its_file_are_named(package):
    line = import_error(package)
    assert line.startswith(f"ImportError: import skerry: no compiled module in {package}: ")
    implementation = platform.python_implementation()
    assert f"{implementation} {platform.python_version()} on {platform.machine()}, " in line
    assert f"needs _core{SUFFIX}; build the source" in line
    assert "pip install ." in line


@pytest.mark.parametrize("code", ["import skerry.fft", "from skerry import linalg"])
def test_modules_of_the_package_raise_the_same_error(package, code):
    assert import_error(package, code) == import_error(package)


def test_second_import_raises_the_same_error(package):
    code = "try: import skerry\nexcept ImportError: pass\nimport skerry"
    assert import_error(package, code) == import_error(package)


@pytest.mark.parametrize(
    "name",
    [
        "_core.cpython-39-x86_64-linux-gnu.so",
        "_core.pypy311-pp73-x86_64-linux-gnu.so",
        "_core.cpython-313t-aarch64-linux-gnu.so",
    ],
)
def test_file_of_another_interpreter_is_named(package, name):
    (package / name).write_bytes(elf_header(X86_64))
    line = import_error(package)
    assert f"the package in {package} was built for another interpreter or processor: " in line
    assert f"it has {name} for x86_64; this interpreter, " in line
    assert f"needs _core{SUFFIX}; install the wheel of this Python and processor" in line
    assert "pip install --force-reinstall <wheel>" in line


def test_all_files_of_other_interpreters_are_named(package):
    (package / "_core.cpython-38-darwin.so").write_bytes(b"\xcf\xfa\xed\xfe")
    (package / "_core.cpython-39-aarch64-linux-gnu.so").write_bytes(elf_header(AARCH64))
    first = "_core.cpython-38-darwin.so for another system"
    second = "_core.cpython-39-aarch64-linux-gnu.so for aarch64"
    assert f"it has {first}, {second}; " in import_error(package)


@pytest.mark.parametrize(
    ("header", "machine"),
    [
        (elf_header(OTHER_MACHINE), OTHER),
        (elf_header(RISCV), "ELF machine 243"),
        (elf_header(3, bits=32), "i686"),
    ],
)
@pytest.mark.parametrize("suffix", [SUFFIX, ".so"])
def test_file_of_another_processor_is_named(package, header, machine, suffix):
    (package / f"_core{suffix}").write_bytes(header)
    line = import_error(package)
    assert f"it has _core{suffix} for {machine}; this interpreter, " in line
    assert f" on {platform.machine()}, needs _core{SUFFIX}; " in line


def test_archive_is_named(package, tmp_path):
    (package / f"_core{SUFFIX}").write_bytes(OWN_HEADER)
    archive = shutil.make_archive(tmp_path / "archive", "zip", package.parent, "skerry")
    line = import_error(pathlib.Path(archive) / "skerry")
    assert f"compiled modules can't be imported from an archive: {archive}" in line
    assert line.endswith("unpack or install it")


def test_dangling_link_raises_the_error_of_python(package):
    (package / f"_core{SUFFIX}").symlink_to(package / "missing")
    assert "another interpreter" not in import_error(package)


@pytest.mark.parametrize("content", [OWN_HEADER, b""])
def test_damaged_file_raises_the_error_of_the_linker(package, content):
    (package / f"_core{SUFFIX}").write_bytes(content)
    assert import_error(package).startswith(f"ImportError: {package}/_core{SUFFIX}: ")


@needs_compiler
def test_other_import_errors_pass_unchanged(package, tmp_path):
    source = tmp_path / "module.c"
    source.write_text(FAILING_MODULE)
    command = ["cc", "-shared", "-fPIC", source, "-o", package / f"_core{SUFFIX}"]
    subprocess.run(command, check=True, timeout=60)
    expected = "ImportError: skerry: this processor (A) lacks instructions of B"
    assert import_error(package) == expected
    assert import_error(package, "import skerry.fft") == expected


@needs_compiler
def test_missing_library_is_named_by_the_linker(package, tmp_path):
    """As on a system without libstdc++."""
    (tmp_path / "empty.c").write_text("")
    library, module = tmp_path / "libneeded.so", package / f"_core{SUFFIX}"
    command = ["cc", "-shared", "-fPIC", "-Wl,--no-as-needed", tmp_path / "empty.c", "-o"]
    subprocess.run([*command, library], check=True, timeout=60)
    subprocess.run([*command, module, f"-L{tmp_path}", "-lneeded"], check=True, timeout=60)
    library.unlink()
    assert import_error(package).startswith("ImportError: libneeded.so: cannot open shared object")
