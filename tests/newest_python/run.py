# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Run tests under the newest Python that skerry supports, from unpacked packages of the machine's distribution.

Packages of Debian's sid, or of Ubuntu's development release, are downloaded from the mirror that this machine's apt
uses; nothing is installed. patchelf makes the interpreter use the unpacked C library. The bindings are compiled against
that interpreter's headers and linked with the library of `make build`. Generated files of the package come from that
build, its Python files from the source tree. Other options and arguments are passed to pytest.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "python" / "wheels"))
from debian_packages import run, step, unpack_python  # noqa: E402

BUILD = ROOT / "build" / "newest_python"
LIBRARY = ROOT / "build" / "python" / "libskerry.a"
NEWEST = "3.14"  # the newest in README.md
TESTS = [f"tests/python/{folder}" for folder in ("fuse", "call", "interchange")]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--python", default=NEWEST, metavar="X.Y", help=f"version of Python ({NEWEST})"
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
    home = BUILD / options.python
    python = unpack_python(home, options.python)
    site = install_packages(home, python)
    compile_bindings(home, python, site, options.jobs)
    named = [argument for argument in arguments if (ROOT / argument.partition("::")[0]).exists()]
    command = [
        python,
        "-m",
        "pytest",
        "-n",
        str(options.jobs),
        "--dist",
        "loadfile",
        *arguments,
        *([] if named else TESTS),
    ]
    # Other libraries are not installed, as some may not support this Python yet. Without the variable, their tests are
    # skipped.
    clean = {name: value for name, value in os.environ.items() if name != "SKERRY_ALL_CONSUMERS"}
    with step(f"tests under Python {options.python}"):
        return subprocess.run(
            command, cwd=ROOT, env={**clean, "PYTHONPATH": str(site)}, check=False
        ).returncode


def install_packages(home: pathlib.Path, python: pathlib.Path) -> pathlib.Path:
    """Install the tests' dependencies for that Python, as pinned in pyproject.toml; return their folder."""
    site = home / "site"
    done = home / "installed"
    pins = ROOT / "pyproject.toml"
    if not done.exists() or done.stat().st_mtime < pins.stat().st_mtime:
        with step("packages from PyPI"):
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
                "runtime",
                "--group",
                "test",
            )
            done.touch()
    return site


def compile_bindings(
    home: pathlib.Path, python: pathlib.Path, site: pathlib.Path, jobs: int
) -> None:
    """Compile the bindings; add them and the source tree's Python files to a copy of the built package."""
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
        run(
            "cmake",
            "-S",
            ROOT,
            "-B",
            build,
            "-G",
            "Ninja",
            *(f"-D{name}={value}" for name, value in options.items()),
        )
        run("cmake", "--build", build, "--parallel", jobs, "--target", "_core")
        installed = pathlib.Path(sysconfig.get_path("platlib")) / "skerry"
        shutil.copytree(
            installed,
            site / "skerry",
            ignore=shutil.ignore_patterns("_core*.so", "__pycache__"),
            dirs_exist_ok=True,
        )
        shutil.copytree(ROOT / "python" / "skerry", site / "skerry", dirs_exist_ok=True)
        (extension,) = (build / "python").glob("_core*.so")
        shutil.copy2(extension, site / "skerry")


if __name__ == "__main__":
    sys.exit(main())
