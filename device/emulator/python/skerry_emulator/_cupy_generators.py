# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The kernels of cupy.random.Generator, which CuPy's wheel has as machine code and as source.

CuPy's functions that launch them are replaced by those of ``libskerry_cupy.so``, which call :func:`launch`. It compiles
the source by NVRTC, with the package's own functions in place of cuRAND's.
"""

from __future__ import annotations

import functools
import math
import pathlib
import re
import sys
from typing import Any

__all__ = ["is_supported", "launch"]

_GENERATORS = ("curandState", "curandStateMRG32k3a", "curandStatePhilox4_32_10_t")
_DOUBLES = "array_data<double>*"
_INTEGERS = "array_data<int64_t>*"
#: The type of the result of each distribution, and the types of its parameters.
_DISTRIBUTIONS: dict[str, tuple[str, ...]] = {
    "raw": ("int32_t",),
    "random_uniform": ("double",),
    "random_uniform_float": ("float",),
    "interval_32": ("uint32_t", "uint32_t", "uint32_t"),
    "interval_64": ("uint64_t", "uint64_t", "uint64_t"),
    "beta": ("double", _DOUBLES, _DOUBLES),
    "exponential": ("double",),
    "geometric": ("int64_t", _DOUBLES),
    "hypergeometric": ("int64_t", _INTEGERS, _INTEGERS, _INTEGERS),
    "logseries": ("int64_t", _DOUBLES),
    "poisson": ("int64_t", _DOUBLES),
    "standard_normal": ("double",),
    "standard_normal_float": ("float",),
    "standard_gamma": ("double", _DOUBLES),
    "binomial": ("int64_t", "array_data<int>*", _DOUBLES, "rk_binomial_state*"),
}


def _cupy_text(ending: str) -> str:
    folder = pathlib.Path(sys.modules["cupy.random"].__file__ or "").parent
    return (folder / f"cupy_distributions.{ending}").read_text()


def is_supported() -> bool:
    """Return whether CuPy's functions have the parameters of ours; others would not be replaced."""
    declared = {
        name: [parameter.split()[0] for parameter in parameters.split(", ")]
        for name, parameters in re.findall(r"(?m)^void (\w+)\(([^)]*)\);", _cupy_text("cuh"))
    }
    replaced = {"init_curand_generator": ["int", "intptr_t", "uint64_t", "ssize_t", "intptr_t"]}
    for name, (_, *parameters) in _DISTRIBUTIONS.items():
        types = ["intptr_t" if kind.endswith("*") else kind for kind in parameters]
        replaced[name] = ["int", "intptr_t", "ssize_t", "intptr_t", "ssize_t", "intptr_t", *types]
    return declared == replaced


@functools.cache
def _source() -> str:
    """Return CuPy's source without what NVRTC rejects: the host's headers, launches and exceptions."""
    replacements = pathlib.Path(__file__).with_name("cupy_generators.cu").read_text()
    text = _cupy_text("cuh") + _cupy_text("cu")
    text = re.sub(r"(?m)^#include .*$", "", text)
    return replacements + re.sub(r"[^;{}]*<<<[^;]*;|throw [^;]*;", ";", text)


def _kernel(expression: str) -> Any:
    import cupy

    # CuPy keeps the compiled module. Kept here, it would be unloaded after CuPy's module of the driver.
    module = cupy.RawModule(code=_source(), name_expressions=[expression])
    return module.get_function(expression)


def launch(name: str, generator: int, count: int, *arguments: int) -> None:
    """Launch a kernel on the current stream, with a thread for each of the generator's `count` states."""
    import numpy as np

    state = f"curand_pseudo_state<{_GENERATORS[generator]}>"
    if name == "init_curand":
        expression = f"init_curand<{state}>"
        types: tuple[str, ...] = ("intptr_t", "uint64_t", "ssize_t")
    else:
        result, *parameters = _DISTRIBUTIONS[name]
        expression = f"execute_dist<{', '.join((f'{name}_functor', state, result, *parameters))}>"
        types = ("intptr_t", "ssize_t", "intptr_t", "ssize_t", *parameters)
    values = [
        np.uint32(value) if kind == "uint32_t" else np.uint64(value)
        for kind, value in zip(types, arguments, strict=True)
    ]
    block = math.gcd(count, 256)
    _kernel(expression)((count // block,), (block,), values)
