# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Includes follow python -> ops -> device -> core; CUDA and CUB stay where they belong; nothing refers back."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAYERS = ["core", "device", "ops", "python"]
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.MULTILINE)


def sources(folder):
    found = [
        path
        for ending in ("hpp", "cpp", "cu", "cuh", "in")
        for path in (ROOT / folder).rglob(f"*.{ending}")
    ]
    assert found, f"no sources under {folder}"
    return found


def includes(path):
    return [name for _, name in INCLUDE.findall(path.read_text())]


@pytest.mark.parametrize("layer", LAYERS)
def test_layer_includes_only_layers_below(layer):
    above = LAYERS[LAYERS.index(layer) + 1 :]
    offending = [
        f"{path.relative_to(ROOT)} includes {name}"
        for path in sources(layer)
        for name in includes(path)
        if name.split("/")[0] in [*above, "tests", "bench"]
    ]
    assert not offending


def test_the_cuda_side_is_reached_by_the_front_of_device_only():
    """CPU devices, operations and bindings know no CUDA: device/*.cpp does, behind headers that do not."""
    inside = ("device/cuda", "ops/kernels/cuda")
    front = list((ROOT / "device").glob("*.cpp"))
    offending = [
        f"{path.relative_to(ROOT)} includes {name}"
        for layer in LAYERS
        for path in sources(layer)
        if path not in front and not any(path.is_relative_to(ROOT / folder) for folder in inside)
        for name in includes(path)
        if name.startswith("device/cuda/")
    ]
    assert front
    assert not offending


def test_cuda_headers_are_included_only_by_the_cuda_module():
    allowed = (
        ROOT / "device/cuda/native",
        ROOT / "device/cuda/emulation/abi_check.cpp",
        ROOT / "ops/kernels/cuda",
    )
    offending = [
        f"{path.relative_to(ROOT)} includes {name}"
        for layer in LAYERS
        for path in sources(layer)
        if not any(path.is_relative_to(folder) for folder in allowed)
        for name in includes(path)
        if re.match(r"(cuda|cub/|thrust/|cublas|cufft|cusolver|nvrtc)", name)
        and "/" not in name[:4]
    ]
    assert not offending


def test_python_headers_are_included_only_by_the_bindings():
    offending = [
        f"{path.relative_to(ROOT)} includes {name}"
        for layer in ("core", "device", "ops")
        for path in sources(layer)
        for name in includes(path)
        if name.startswith(("Python.h", "pybind11"))
    ]
    assert not offending


def test_device_names_no_dtype():
    offending = [
        str(path.relative_to(ROOT))
        for path in sources("device")
        if any(
            name in ("core/dtype.hpp", "core/layout.hpp", "core/ndarray.hpp", "core/plan.hpp")
            for name in includes(path)
        )
    ]
    assert not offending
