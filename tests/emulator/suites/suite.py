# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The suites: where a library's own tests are, and how pytest selects them."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import sys

PACKAGES = pathlib.Path(sys.prefix)
CUPY_FOLDERS = (
    "core creation manipulation math logic sorting statistics indexing random fft linalg".split()
)
# Slow tests take gigabytes, or minutes, as does LargeBatch. The other named test is a race by intention: an unordered copy
# should read what one operation of another stream has written, and not what the next one will write.
CUPY_NOT_SELECTED = ("test_copy_multi_device_with_stream", "TestMatmulIntegralLargeBatch")
CUPY_SELECTION = ("-m", "not slow", "-k", " and ".join(f"not {name}" for name in CUPY_NOT_SELECTED))


@dataclasses.dataclass(frozen=True)
class Suite:
    """The tests of a package. `module` is the name of their package where it is imported by name."""

    name: str
    site: pathlib.Path  # where the package is installed
    tests: pathlib.Path
    module: str = ""
    patterns: tuple[str, ...] = ("**/test_*.py",)  # files to run unless some are chosen
    left_out: tuple[str, ...] = ()  # names of folders and files
    options: tuple[str, ...] = ("-c", os.devnull)

    def files(self, chosen: list[str]) -> list[pathlib.Path]:
        """Return the chosen files and those of the chosen folders, or all."""
        paths = [self.tests / name for name in chosen]
        files = [path for path in paths if not path.is_dir()]
        for folder in paths if chosen else [self.tests]:
            for pattern in ("**/test_*.py",) if chosen else self.patterns:
                files += sorted(folder.glob(pattern))
        return [file for file in files if not set(self.left_out) & set(file.parts)]

    def selection(self, file: pathlib.Path) -> list[str]:
        """Return pytest's arguments for a file."""
        if not self.module:
            return [str(file)]
        # By module name: by file name it would be imported a second time, as a module of numba_cuda.numba.cuda.
        parts = file.relative_to(self.tests).with_suffix("").parts
        module = ".".join((self.module, *parts))
        return ["-o", "consider_namespace_packages=true", "--pyargs", module]


def numba_cuda() -> Suite:
    """Return the tests that are in the package, without benchmarks and tests of Numba's simulator."""
    site = PACKAGES / "numba-cuda"
    tests = site / "numba_cuda" / "numba" / "cuda" / "tests"
    return Suite("numba-cuda", site, tests, "numba.cuda.tests", left_out=("benchmarks", "cudasim"))


def numba_cuda_mlir(checkout: pathlib.Path) -> Suite:
    tests = checkout.resolve() / "tests"
    return Suite("numba-cuda-mlir", PACKAGES / "numba-cuda-mlir", tests, patterns=("test_*.py",))


def cupy(checkout: pathlib.Path) -> Suite:
    """Return the tests of arrays and functions, with CuPy's settings of pytest, except jitify's and nvcc's (test_raw.py)."""
    return Suite(
        "cupy",
        PACKAGES / "cupy",
        checkout.resolve() / "tests" / "cupy_tests",
        patterns=tuple(f"{name}_tests/test_*.py" for name in CUPY_FOLDERS),
        left_out=("test_raw.py",),
        options=("-c", str(checkout.resolve() / "pyproject.toml"), *CUPY_SELECTION),
    )


def stumpy() -> Suite:
    """Return the tests that run on a GPU, as stumpy's test.sh selects them, of its source distribution."""
    source = PACKAGES / "stumpy"
    tests = source / "tests"
    files = [file.name for file in sorted(tests.glob("test_*.py")) if "gpu" in file.read_text()]
    ignored = ("RuntimeWarning", "DeprecationWarning", "UserWarning")
    options = [text for name in ignored for text in ("-W", f"ignore::{name}")]
    return Suite(
        "stumpy",
        PACKAGES / "numba-cuda",
        tests,
        patterns=tuple(files),
        options=("-c", os.devnull, "-o", f"pythonpath={source}", *options),
    )
