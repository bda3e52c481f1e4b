# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Run tests under CPython without the GIL, built from Debian's source.

Debian has no package of it. The source of Python 3.13 is downloaded from the mirror that this machine's apt uses and
built into build/free_threaded, once. The bindings are compiled for it and linked with the library of `make build`. Other
options and arguments are passed to pytest. Needs a C compiler, and libffi-dev, libssl-dev, zlib1g-dev.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "python" / "wheels")]
from debian_packages import download_source, run, step  # noqa: E402

from tests.other_python import (  # noqa: E402
    compile_bindings,
    copy_package,
    environment,
    install_packages,
    require_library,
)

BUILD = ROOT / "build" / "free_threaded"
SUITE = "trixie"  # the Debian release that has the source
VERSION = "3.13"  # of which there is NumPy
TESTS = [f"tests/python/{folder}" for folder in ("fuse", "promotion", "call", "process")]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=os.cpu_count(),
        help="parallel jobs of the compiler and of pytest",
    )
    options, arguments = parser.parse_known_args()
    require_library()
    python = build_interpreter(BUILD, options.jobs)
    site = BUILD / "site"
    install_packages(site, python, ["free-threaded"])
    copy_package(site, compile_bindings(BUILD / "build", python, options.jobs))
    named = [argument for argument in arguments if (ROOT / argument.partition("::")[0]).exists()]
    if named:
        return run_pytest(python, site, options.jobs, arguments)
    # Threads of their own fill the processors.
    of_threads = run_pytest(python, site, 0, ["tests/free_threaded", *arguments])
    return of_threads or run_pytest(python, site, options.jobs, [*TESTS, "--quick", *arguments])


def build_interpreter(home: pathlib.Path, jobs: int) -> pathlib.Path:
    """Build the interpreter, unless this was done before; return its path."""
    prefix = home / "python"
    python = prefix / "bin" / f"python{VERSION}t"
    if python.exists():
        return python
    home.mkdir(parents=True, exist_ok=True)
    with step(f"source of Python {VERSION}"):
        archive = download_source(home / "apt", f"python{VERSION}", SUITE)
        source = home / "source"
        source.mkdir(exist_ok=True)
        run("tar", "--extract", "--file", archive, "--strip-components=1", "--directory", source)
    with step(f"Python {VERSION} without the GIL"):
        configure = ["./configure", "--disable-gil", f"--prefix={prefix}", "CFLAGS=-O2"]
        run(*configure, cwd=source)
        run("make", f"--jobs={jobs}", cwd=source)
        # Without their headers (libffi-dev, libssl-dev, zlib1g-dev), these are left out silently.
        run("./python", "-c", "import ctypes, ssl, zlib", cwd=source)
        run("make", "install", cwd=source)
    return python


def run_pytest(python: pathlib.Path, site: pathlib.Path, jobs: int, arguments: list[str]) -> int:
    """Run pytest in that many processes; in this one if 0. Return its status."""
    command = [python, "-m", "pytest", "-n", str(jobs), "--dist", "loadfile", *arguments]
    with step(f"tests under Python {VERSION} without the GIL"):
        return subprocess.run(command, cwd=ROOT, env=environment(site), check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
