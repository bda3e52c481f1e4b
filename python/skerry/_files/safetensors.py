# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The safetensors format: a length, a JSON header, and the elements.

Reading uses the package safetensors, which checks the header. Writing does not: the header is a line of JSON, and the
package would need all elements in host memory at once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from skerry import _core
from skerry._data_types import as_dtype
from skerry._files import elements, targets
from skerry.exceptions import DTypeError

Array = _core.Array

_DTYPES = {
    "BOOL": "bool", "I8": "int8", "I16": "int16", "I32": "int32", "I64": "int64", "U8": "uint8", "U16": "uint16",
    "U32": "uint32", "U64": "uint64", "F16": "float16", "BF16": "bfloat16", "F32": "float32",
    "F64": "float64", "C64": "complex64",
}  # fmt: skip
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}
_HEADER_MULTIPLE = 8  # bytes, so that elements are aligned
_LONGEST_HEADER = 100_000_000  # bytes; the package rejects longer headers


def write(file: Any, arrays: Mapping[str, Array]) -> None:
    """Write arrays by name."""
    for name, x in arrays.items():
        if x.dtype.name not in _NAMES:
            raise DTypeError(
                f"save: {name!r}: safetensors has no {x.dtype}; use savez, or save real(x) and imag(x)"
            )
    # Widest dtype first, as the package does, so that each array begins at a multiple of its itemsize.
    order = sorted(arrays, key=lambda name: (-arrays[name].dtype.itemsize, name))
    entries: dict[str, Any] = {}
    end = 0
    for name in order:
        x = arrays[name]
        begin, end = end, end + x.nbytes
        entries[name] = {
            "dtype": _NAMES[x.dtype.name],
            "shape": list(x.shape),
            "data_offsets": [begin, end],
        }
    try:
        header = json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"save: {error.object[error.start - 20 : error.end]!r}: the name is no valid text; rename it"
        ) from None
    header += b" " * (-len(header) % _HEADER_MULTIPLE)
    if len(header) > _LONGEST_HEADER:
        raise ValueError(
            f"save: names and shapes need {len(header)} bytes; the header of a .safetensors file is limited to "
            f"{_LONGEST_HEADER}; use several files"
        )
    with targets.opened_to_write(file) as stream:
        stream.write(len(header).to_bytes(8, "little") + header)
        for name in order:
            elements.write(stream, arrays[name])


def read(path: str, device: _core.Device) -> dict[str, Array]:
    """Read all arrays of a file."""
    try:
        from safetensors import SafetensorError, safe_open
    except ImportError as error:
        raise ImportError(
            "load: reading .safetensors needs the package safetensors: pip install safetensors"
        ) from error
    try:
        with safe_open(path, framework="numpy") as file:
            slices = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118 - no mapping
            dtypes = {
                name: _dtype(path, name, tensor_slice.get_dtype())
                for name, tensor_slice in slices.items()
            }
            return {name: _load(file, name, slices[name], dtypes[name], device) for name in slices}
    except SafetensorError as error:
        raise ValueError(f"load: {path}: not a .safetensors file, or truncated: {error}") from error


def _dtype(path: str, name: str, theirs: str) -> np.dtype[Any]:
    if theirs not in _DTYPES:
        raise DTypeError(
            f"load: {path}: {name!r}: skerry has no dtype {theirs}; convert it to float32 before saving"
        )
    return as_dtype(_DTYPES[theirs])


def _load(file: Any, name: str, part: Any, dtype: np.dtype[Any], device: _core.Device) -> Array:
    shape = tuple(part.get_shape())
    if device.kind == "cpu":
        return _core.asarray(file.get_tensor(name), device=device)
    if 0 in shape:
        return _core.empty(shape, dtype=dtype, device=device)
    return elements.upload(part, dtype, shape, device)
