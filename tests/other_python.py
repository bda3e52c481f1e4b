# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The bindings compiled for another Python, linked with the library of `make build`, beside the packages of tests.

Generated files of the package come from that build, its Python files from the source tree.
"""

from __future__ import annotations

import importlib.util
import os
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "python" / "wheels"))
from debian_packages import run, step  # noqa: E402

LIBRARY = ROOT / "build" / "python" / "libskerry.a"


def require_library() -> None:
    """End the program if `make build` has not built the library."""
    if not LIBRARY.exists():
        sys.exit(f"{LIBRARY} not found; run make build first")


def install_packages(site: pathlib.Path, python: pathlib.Path, groups: list[str]) -> None:
    """Install groups of packages for that Python, as pinned in pyproject.toml, into the folder `site`."""
    done = site.with_name(f"{site.name}.installed")
    pins = ROOT / "pyproject.toml"
    if done.exists() and done.stat().st_mtime >= pins.stat().st_mtime:
        return
    with step(f"packages from PyPI for {python.name}: {', '.join(groups)}"):
        shutil.rmtree(site, ignore_errors=True)
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python]
        options = ["--quiet", "--only-binary=:all:", "--target", site]
        named = [part for group in groups for part in ("--group", group)]
        run(*pip, "install", *options, *named, cwd=ROOT)
        done.touch()


def compile_bindings(
    build: pathlib.Path,
    python: pathlib.Path,
    jobs: int,
    flags: str = "",
    **extra_options: object,
) -> pathlib.Path:
    """Compile the bindings against that Python's headers in the folder `build`; return the extension module."""
    with step(f"bindings for {python.name}"):
        options = {
            "CMAKE_BUILD_TYPE": "Release",
            "CMAKE_CXX_FLAGS": flags,
            "CMAKE_CXX_FLAGS_RELEASE": "-O1 -DNDEBUG",  # compiles in half the time of -O3
            "SKERRY_LIBRARY": LIBRARY,
            "SKERRY_TESTS": "OFF",
            "Python_EXECUTABLE": python,
            "pybind11_DIR": run(sys.executable, "-m", "pybind11", "--cmakedir").strip(),
            **extra_options,
        }
        definitions = [f"-D{name}={value}" for name, value in options.items()]
        run("cmake", "-S", ROOT, "-B", build, "-G", "Ninja", *definitions)
        run("cmake", "--build", build, "--parallel", jobs, "--target", "_core")
        (extension,) = (build / "python").glob("_core*.so")
        return extension


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


def environment(site: pathlib.Path) -> dict[str, str]:
    """Return the environment of tests.

    Other libraries are not installed, as some may not support this Python yet; their tests are skipped.
    """
    clean = {name: value for name, value in os.environ.items() if name != "SKERRY_ALL_CONSUMERS"}
    return {**clean, "PYTHONPATH": str(site)}
