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
import os
import pathlib
import subprocess
import sys
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "python" / "wheels")]
from debian_packages import PYTHON_SUITES, step, unpack_python  # noqa: E402

from tests.other_python import (  # noqa: E402
    compile_bindings,
    copy_package,
    environment,
    install_packages,
    require_library,
)

BUILD = ROOT / "build" / "pythons"
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
    require_library()
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
    site = home / group
    install_packages(site, python, [group, "test"])
    # Debian puts pyconfig.h in a separate folder. -idirafter searches it last, so that this machine's system headers take
    # precedence.
    flags = f"-idirafter {home / 'root' / 'usr' / 'include'}"
    extension = None if is_own else compile_bindings(home / "build", python, jobs, flags)
    copy_package(site, extension)
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
    (numpy,) = site.glob("numpy-*.dist-info")
    with step(f"tests under Python {version} and {numpy.stem}"):
        return subprocess.run(command, cwd=ROOT, env=environment(site), check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
