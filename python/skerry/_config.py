# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``show_config()``: versions, devices and the features of this build."""

from __future__ import annotations

import platform
from typing import Any, Literal, overload

import numpy as np

from skerry import _core


def _version(number: int) -> str | None:
    return f"{number // 1000}.{number % 1000 // 10}" if number else None


def _collect() -> dict[str, Any]:
    devices = [
        {"device": str(one), "name": one.info.name, "total_bytes": one.info.total_bytes}
        for one in _core.devices()
    ]
    driver, runtime = _core.cuda_versions()
    problem = _core.why_no_cuda()
    cuda: dict[str, Any] = {"usable": problem is None, "rehearsed": _core.is_rehearsing()}
    if problem is not None:
        cuda |= {"reason": problem[0], "text": problem[1]}
    elif _core.is_rehearsing():
        cuda["kernels"] = _core.rehearsed_kernels()
    else:
        cuda |= {"driver": _version(driver), "runtime": _version(runtime)}
    if problem is None:
        cuda["allocator"] = _core.cuda_allocator()
    return {
        "skerry": _core.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "system": platform.platform(),
        "instruction set": _core.instruction_set(),
        "dtypes": " ".join(_core.built_dtypes()),
        "threads": _core.get_num_threads(),
        "devices": devices,
        "cuda": cuda,
    }


@overload
def show_config(mode: Literal["stdout"] = ...) -> None: ...
@overload
def show_config(mode: Literal["dicts"]) -> dict[str, Any]: ...
def show_config(mode: str = "stdout") -> dict[str, Any] | None:
    """Print versions, devices and the state of CUDA, or return them with ``mode="dicts"``.

    The call looks for CUDA devices, so it may make the first CUDA call of the process.
    """
    if mode not in ("stdout", "dicts"):
        raise ValueError(f"show_config: unknown mode: {mode!r}; known are 'stdout' and 'dicts'")
    about = _collect()
    if mode == "dicts":
        return about
    for name, value in about.items():
        if name == "devices":
            for one in value:
                print(f"{one['device']:<16} {one['name']}, {one['total_bytes'] / 2**30:.1f} GiB")
        elif name == "cuda":
            print(f"{'CUDA':<16} {_cuda_sentence(value)}")
        else:
            print(f"{name:<16} {value}")
    return None


def _cuda_sentence(cuda: dict[str, Any]) -> str:
    if not cuda["usable"]:
        return f"not used ({cuda['reason']}): {cuda['text']}"
    allocator = "" if cuda["allocator"] == "pool" else f", allocator {cuda['allocator']}"
    if cuda["rehearsed"]:
        kernels = {"none": "", "users": ", kernels of others", "all": ", kernels"}[cuda["kernels"]]
        return "rehearsed on this CPU" + (kernels and kernels + " on an emulated GPU") + allocator
    return f"driver {cuda['driver']}, runtime {cuda['runtime']}{allocator}"
