# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Run tests under the Pythons and NumPys that skerry supports: the oldest of both and the newest, or all of them.

This machine's Python runs them where it is of the version. Others are unpacked from packages of Debian or Ubuntu;
nothing is installed. patchelf makes an unpacked interpreter use the unpacked C library. The bindings are compiled
against its headers and linked with the library of `make build`. Generated files of the package come from that build,
its Python files from the source tree. Other options and arguments are passed to pytest.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "python" / "wheels"))
from debian_packages import PYTHON_SUITES, run, step, unpack_python  # noqa: E402

BUILD = ROOT / "build" / "pythons"
LIBRARY = ROOT / "build" / "python" / "libskerry.a"
TESTS = [
    f"tests/python/{folder}"
    for folder in (
        "call",
        "create",
        "fuse",
        "interchange",
        "numpy_functions",
        "process",
        "promotion",
        "standard",
    )
]


class Configuration(NamedTuple):
    """A Python, and the dependency group with the pinned NumPy."""

    python: str
    group: str


PYTHONS = list(PYTHON_SUITES)
OLDEST = Configuration(PYTHONS[0], "oldest-runtime")
NEWEST = Configuration(PYTHONS[-1], "runtime")
ALL = [OLDEST, *(Configuration(python, "runtime") for python in PYTHONS)]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    selection = parser.add_mutually_exclusive_group()
    selection.add_argument(
        "--all", action="store_true", help="the oldest NumPy, and each Python with its newest"
    )
    selection.add_argument(
        "--python",
        action="append",
        choices=PYTHONS,
        help="only this Python, with each of its NumPys",
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=os.cpu_count(),
        help="parallel jobs of the compiler and of pytest",
    )
    options, arguments = parser.parse_known_args()
    if not LIBRARY.exists():
        sys.exit(f"{LIBRARY} not found; run make build first")
    configurations = ALL if options.all else [OLDEST, NEWEST]
    if options.python:
        configurations = [
            configuration for configuration in ALL if configuration.python in options.python
        ]
    failed = [
        configuration
        for configuration in configurations
        if run_tests(configuration, options.jobs, arguments) != 0
    ]
    for configuration in failed:
        print(f"tests failed under Python {configuration.python}, group {configuration.group}")
    return bool(failed)


def run_tests(configuration: Configuration, jobs: int, arguments: list[str]) -> int:
    """Run pytest under one configuration; return its exit status."""
    version, group = configuration
    home = BUILD / version
    is_own = version == f"{sys.version_info.major}.{sys.version_info.minor}"
    # Without the packages of the virtual environment.
    interpreter = pathlib.Path(sys.base_prefix) / "bin" / f"python{version}"
    python = interpreter if is_own else unpack_python(home, version)
    site = install_packages(home, python, group)
    copy_package(site, None if is_own else compile_bindings(home, python, jobs))
    named = [argument for argument in arguments if (ROOT / argument.partition("::")[0]).exists()]
    command = [
        python,
        "-m",
        "pytest",
        "-n",
        str(jobs),
        "--dist",
        "loadfile",
        *arguments,
        *([] if named else TESTS),
    ]
    # Other libraries are not installed, as some may not support this Python yet. Without the variable, their tests are
    # skipped.
    clean = {name: value for name, value in os.environ.items() if name != "SKERRY_ALL_CONSUMERS"}
    (numpy,) = site.glob("numpy-*.dist-info")
    with step(f"tests under Python {version} and {numpy.stem}"):
        return subprocess.run(
            command, cwd=ROOT, env={**clean, "PYTHONPATH": str(site)}, check=False
        ).returncode


def install_packages(home: pathlib.Path, python: pathlib.Path, group: str) -> pathlib.Path:
    """Install a group and the tests' dependencies, as pinned in pyproject.toml; return their folder."""
    site = home / group
    done = home / f"{group}.installed"
    pins = ROOT / "pyproject.toml"
    if not done.exists() or done.stat().st_mtime < pins.stat().st_mtime:
        with step(f"packages from PyPI for Python {python}, group {group}"):
            shutil.rmtree(site, ignore_errors=True)
            pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python]
            run(
                *pip,
                "install",
                "--quiet",
                "--only-binary=:all:",
                "--target",
                site,
                "--group",
                group,
                "--group",
                "test",
            )
            done.touch()
    return site


def copy_package(site: pathlib.Path, extension: pathlib.Path | None) -> None:
    """Copy the built package, with the source tree's Python files and, unless None, another extension module."""
    built = importlib.util.find_spec("skerry")
    if built is None or built.origin is None:
        sys.exit("skerry is not installed; run make build first")
    target = site / "skerry"
    shutil.rmtree(target, ignore_errors=True)
    ignored = ["__pycache__", *(["_core*.so"] if extension else [])]
    shutil.copytree(
        pathlib.Path(built.origin).parent, target, ignore=shutil.ignore_patterns(*ignored)
    )
    shutil.copytree(ROOT / "python" / "skerry", target, dirs_exist_ok=True)
    if extension:
        shutil.copy2(extension, target)


def compile_bindings(home: pathlib.Path, python: pathlib.Path, jobs: int) -> pathlib.Path:
    """Compile the bindings against that interpreter's headers; return the extension module."""
    with step("bindings"):
        build = home / "build"
        options = {
            "CMAKE_BUILD_TYPE": "Release",
            # Debian puts pyconfig.h in a separate folder. -idirafter searches it last, so that this machine's system
            # headers take precedence.
            "CMAKE_CXX_FLAGS": f"-idirafter {home / 'root' / 'usr' / 'include'}",
            "CMAKE_CXX_FLAGS_RELEASE": "-O1 -DNDEBUG",  # compiles in half the time of -O3
            "SKERRY_LIBRARY": LIBRARY,
            "Python_EXECUTABLE": python,
            "pybind11_DIR": run(sys.executable, "-m", "pybind11", "--cmakedir").strip(),
        }
        definitions = [f"-D{name}={value}" for name, value in options.items()]
        run("cmake", "-S", ROOT, "-B", build, "-G", "Ninja", *definitions)
        run("cmake", "--build", build, "--parallel", jobs, "--target", "_core")
        (extension,) = (build / "python").glob("_core*.so")
        return extension


if __name__ == "__main__":
    sys.exit(main())
