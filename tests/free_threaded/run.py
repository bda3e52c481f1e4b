# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Run tests under CPython without the GIL, built from Debian's source.

Debian has no package of it. The source of Python 3.13 is downloaded from the mirror that this machine's apt uses and
built into build/free_threaded, once. The bindings are compiled for it and linked with the library of `make build`; with
--tsan, ThreadSanitizer watches a second interpreter, the bindings and a library of two dtypes. Other options and
arguments are passed to pytest. Needs a C compiler, and libffi-dev, libssl-dev, zlib1g-dev, xz-utils.
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
# What the tests of threads use, and no more: compiling is most of the time.
TSAN_LIBRARY = {
    "CMAKE_BUILD_TYPE": "RelWithDebInfo",  # not stripped: reports name functions and lines
    "CMAKE_CXX_FLAGS_RELWITHDEBINFO": "-O1 -DNDEBUG -g1",
    "SKERRY_LIBRARY": "",
    "SKERRY_SANITIZE": "thread",
    "SKERRY_CUDA": "OFF",
    "SKERRY_DTYPES": "float64;int64",
    "SKERRY_CPU_TARGETS": "native",
    "SKERRY_FFT": "OFF",
}
TSAN_TESTS = ["tests/free_threaded", "--calls", "20000"]


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
    parser.add_argument(
        "--tsan", action="store_true", help="run the tests of threads under ThreadSanitizer"
    )
    options, arguments = parser.parse_known_args()
    require_library()
    python = build_interpreter(BUILD, options.jobs)
    if options.tsan:
        return run_sanitizer(python, options.jobs, arguments)
    site = BUILD / "site"
    install_packages(site, python, ["free-threaded"])
    copy_package(site, compile_bindings(BUILD / "build", python, options.jobs))
    if name_tests(arguments):
        return run_pytest(python, site, options.jobs, arguments)
    # Threads of their own fill the processors.
    of_threads = run_pytest(python, site, 0, ["tests/free_threaded", *arguments])
    return of_threads or run_pytest(python, site, options.jobs, [*TESTS, "--quick", *arguments])


def name_tests(arguments: list[str]) -> bool:
    """Return whether the arguments name files or folders of tests."""
    return any((ROOT / argument.partition("::")[0]).exists() for argument in arguments)


def build_interpreter(home: pathlib.Path, jobs: int) -> pathlib.Path:
    """Build the interpreter, unless this was done before; return its path."""
    prefix = home / "python"
    python = prefix / "bin" / f"python{VERSION}t"
    if python.exists():
        return python
    source = unpack_source(home, "source")
    with step(f"Python {VERSION} without the GIL"):
        configure = ["./configure", "--disable-gil", f"--prefix={prefix}", "CFLAGS=-O2"]
        run(*configure, cwd=source)
        run("make", f"--jobs={jobs}", cwd=source)
        # Without their headers (libffi-dev, libssl-dev, zlib1g-dev), these are left out silently.
        run("./python", "-c", "import ctypes, ssl, zlib", cwd=source)
        run("make", "install", cwd=source)
    return python


def unpack_source(home: pathlib.Path, name: str) -> pathlib.Path:
    """Download the interpreter's source and unpack it to a new folder of that name."""
    with step(f"source of Python {VERSION}"):
        source = home / name
        source.mkdir(parents=True, exist_ok=True)
        archive = download_source(home / "apt", f"python{VERSION}", SUITE)
        run("tar", "--extract", "--file", archive, "--strip-components=1", "--directory", source)
    return source


def run_sanitizer(python: pathlib.Path, jobs: int, arguments: list[str]) -> int:
    """Run the tests of threads under ThreadSanitizer; return pytest's status, or 66 after a report."""
    watched_python = build_watched_interpreter(BUILD, jobs)
    site = BUILD / "tsan_site"
    install_packages(site, python, ["free-threaded"])
    copy_package(site, compile_bindings(BUILD / "tsan", python, jobs, **TSAN_LIBRARY))
    of_python = watched_python.parent / "Tools" / "tsan" / "suppressions_free_threading.txt"
    of_skerry = pathlib.Path(__file__).with_name("suppressions.txt")
    suppressions = BUILD / "suppressions.txt"
    suppressions.write_text(of_python.read_text() + of_skerry.read_text())
    variables = environment(site) | {
        "TSAN_OPTIONS": f"suppressions={suppressions}:history_size=7:report_signal_unsafe=0"
    }
    command = [watched_python, "-m", "pytest", "--capture=no", *arguments]
    command += [] if name_tests(arguments) else TSAN_TESTS
    with step("tests of threads under ThreadSanitizer"):
        return subprocess.run(command, cwd=ROOT, env=variables, check=False).returncode


def build_watched_interpreter(home: pathlib.Path, jobs: int) -> pathlib.Path:
    """Build the interpreter with ThreadSanitizer, unless this was done before; return its path in the build tree."""
    python = home / "tsan_source" / "python"
    done = home / "tsan_source.built"
    if done.exists():
        return python
    source = unpack_source(home, "tsan_source")
    with step(f"Python {VERSION} without the GIL and with ThreadSanitizer"):
        options = ["--disable-gil", "--with-thread-sanitizer", "--disable-test-modules"]
        run("./configure", *options, "CFLAGS=-O1", cwd=source)
        run("make", f"--jobs={jobs}", cwd=source)
        done.touch()
    return python


def run_pytest(python: pathlib.Path, site: pathlib.Path, jobs: int, arguments: list[str]) -> int:
    """Run pytest in that many processes; in this one if 0. Return its status."""
    command = [python, "-m", "pytest", "-n", str(jobs), "--dist", "loadfile", *arguments]
    with step(f"tests under Python {VERSION} without the GIL"):
        return subprocess.run(command, cwd=ROOT, env=environment(site), check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
