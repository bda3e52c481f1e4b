# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Run tests under the newest Python that skerry supports, from unpacked packages of the machine's distribution.

Packages of Debian's sid, or of Ubuntu's development release, are downloaded from the mirror that this machine's apt
uses; nothing is installed. patchelf makes the interpreter use the unpacked C library. The bindings are compiled against
its headers and linked with the library of `make build`; the rest of the package is from that build. Other options and
arguments are passed to pytest.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import sysconfig
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "newest_python"
LIBRARY = ROOT / "build" / "python" / "libskerry.a"
# For each distribution: the suite with the newest packages, and its components.
SUITES = {"debian": ("sid", "main"), "ubuntu": ("devel", "main universe")}
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
    python = unpack(home, options.python)
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
    # Tests of missing libraries are skipped: these may not support this Python yet.
    clean = {name: value for name, value in os.environ.items() if name != "SKERRY_ALL_CONSUMERS"}
    with step(f"tests under Python {options.python}"):
        return subprocess.run(
            command, cwd=ROOT, env={**clean, "PYTHONPATH": str(site)}, check=False
        ).returncode


def unpack(home: pathlib.Path, version: str) -> pathlib.Path:
    """Unpack the distribution's Python and its dependencies; return the interpreter."""
    root, python = home / "root", home / "root" / "usr" / "bin" / f"python{version}"
    done = home / "unpacked"
    if done.exists():
        return python
    with step(f"python{version} and its dependencies, unpacked in {root}"):
        shutil.rmtree(home, ignore_errors=True)
        for package in download(
            home / "apt", [f"python{version}", f"libpython{version}-dev", "libstdc++6"]
        ):
            run("dpkg-deb", "--extract", package, root)
        # The interpreter's paths of the dynamic linker and of libraries.
        libraries = root / "usr" / "lib" / f"{os.uname().machine}-linux-gnu"
        linker = next(libraries.glob("ld-linux-*.so.*"))
        run(
            tool("patchelf"),
            "--set-interpreter",
            linker,
            "--force-rpath",
            "--set-rpath",
            libraries,
            python,
        )
        run(python, "-c", "import ctypes, decimal, hashlib, ssl, zlib")
        done.touch()
    return python


def download(apt: pathlib.Path, names: list[str]) -> list[pathlib.Path]:
    """Download packages and all dependencies, by an apt with its own folders, in which nothing is installed."""
    for folder in (
        "etc/sources.list.d",
        "etc/preferences.d",
        "state/lists/partial",
        "cache/archives/partial",
    ):
        (apt / folder).mkdir(parents=True)
    (apt / "status").touch()
    settings = {
        "Dir::Etc::sourcelist": apt / "etc/sources.list",
        "Dir::Etc::sourceparts": apt / "etc/sources.list.d",
        "Dir::Etc::preferences": apt / "etc/preferences",
        "Dir::Etc::preferencesparts": apt / "etc/preferences.d",
        "Dir::State": apt / "state",
        "Dir::State::status": apt / "status",
        "Dir::Cache": apt / "cache",
        "APT::Install-Recommends": "false",
        "APT::Sandbox::User": "",
        "Debug::NoLocking": "true",
    }
    options = [part for name, value in settings.items() for part in ("-o", f"{name}={value}")]
    failures = []
    distribution = platform.freedesktop_os_release()["ID"]
    if distribution not in SUITES:
        sys.exit(f"only {' and '.join(SUITES)} are supported; this is {distribution}")
    suite, components = SUITES[distribution]
    keys = f"/usr/share/keyrings/{distribution}-archive-keyring.gpg"
    for mirror in mirrors():
        (apt / "etc/sources.list").write_text(
            f"deb [signed-by={keys}] {mirror} {suite} {components}\n"
        )
        try:
            run("apt-get", *options, "-qq", "update")
            run("apt-get", *options, "-qq", "--yes", "--download-only", "install", *names)
        except subprocess.CalledProcessError as error:
            failures.append(f"{mirror}: {error.stderr.strip()}")
            continue
        return sorted((apt / "cache/archives").glob("*.deb"))
    sys.exit(
        "\n".join(
            [
                *failures,
                f"no mirror in apt's sources has {', '.join(names)} of {suite}; add one that does",
            ]
        )
    )


def mirrors() -> list[str]:
    """Return the archives in this machine's apt sources."""
    listed = run(
        "apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages", "Component: main"
    )
    sites = list(dict.fromkeys(listed.split()))
    if not sites:
        sys.exit("apt knows no archive; run apt-get update first")
    return sites


def install_packages(home: pathlib.Path, python: pathlib.Path) -> pathlib.Path:
    """Install the tests' dependencies for that Python, as pinned in pyproject.toml."""
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
    """Compile the bindings and add them to a copy of the built package."""
    with step("bindings"):
        build = home / "build"
        options = {
            "CMAKE_BUILD_TYPE": "Release",
            # Debian's pyconfig.h is in another folder than the other headers. Searched after this machine's headers.
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


def tool(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        sys.exit(f"{name}: not installed; make test-newest-python installs it")
    return path


def run(*command: object) -> str:
    """Run a command and return its output; print the output if it fails."""
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        print(done.stdout, done.stderr, sep="\n", file=sys.stderr)
        raise subprocess.CalledProcessError(done.returncode, done.args, done.stdout, done.stderr)
    return done.stdout


class step:
    """Prints a line before and after a step, with its time."""

    def __init__(self, title: str) -> None:
        self.title = title

    def __enter__(self) -> None:
        print(f"{self.title} ...", flush=True)
        self.start = time.monotonic()

    def __exit__(self, *failure: object) -> None:
        print(f"{self.title}: {time.monotonic() - self.start:.0f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main())
