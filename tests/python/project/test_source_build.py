# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A build from a source distribution requires no newer CMake than CMakeLists.txt does."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PACKAGE = """
[build-system]
requires = ["scikit-build-core"]
build-backend = "scikit_build_core.build"
[project]
name = "asks-for-much"
version = "1"
[tool.scikit-build]
cmake.version = ">=99"
"""


def least_cmake():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"cmake_minimum_required\(VERSION ([0-9.]+)\)", text).group(1)


def test_package_requires_the_cmake_version_of_cmakelists():
    assert f'cmake.version = ">={least_cmake()}"' in (ROOT / "pyproject.toml").read_text()


def metadata_of(folder, **environment):
    code = "import scikit_build_core.build as b; b.prepare_metadata_for_build_wheel('out')"
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_downloading_ducc0_needs_no_newer_cmake(tmp_path):
    """ops/fourier/ducc.cmake sets an environment variable for pip, which builds the metadata of ducc0 when downloading it."""
    pytest.importorskip("scikit_build_core")
    setting = re.search(
        r"-E env (SKBUILD_\w+)=(\S+)\s", (ROOT / "ops" / "fourier" / "ducc.cmake").read_text()
    )
    assert setting, "ops/fourier/ducc.cmake sets no environment for pip"
    name, value = setting.groups()
    value = value.replace("${CMAKE_MINIMUM_REQUIRED_VERSION}", least_cmake())
    (tmp_path / "pyproject.toml").write_text(PACKAGE)
    (tmp_path / "out").mkdir()
    assert "99" in metadata_of(tmp_path).stderr
    done = metadata_of(tmp_path, **{name: value})
    assert done.returncode == 0, done.stderr
