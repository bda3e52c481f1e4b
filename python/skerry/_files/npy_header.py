# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Reads headers of .npy files, versions 1.0, 2.0 and 3.0: the text of a Python dict with three entries.

Source: NEP 1 and numpy.lib.format. Only literals of strings, integers and booleans, in tuples and lists of limited
depth, are passed to Python's parser: any damaged header raises a ValueError with the name of the file.
"""

from __future__ import annotations

import ast
import math
import re
from typing import Any

import numpy as np
from numpy.lib import format as npy

from skerry import _core
from skerry._data_types import as_dtype, kind_of
from skerry._files import streams
from skerry.exceptions import DTypeError

# By version: number of bytes of the length field, and encoding of the header.
_VERSIONS = {(1, 0): (2, "latin1"), (2, 0): (4, "latin1"), (3, 0): (4, "utf-8")}
_LONGEST = 1 << 16  # bytes: the limit of version 1.0
_MAX_AXES = 64
_MAX_ELEMENTS = 2**63 - 1
_DEEPEST = 32  # nesting of brackets, as in nested records
_TOKEN = re.compile(
    r"""\s*(?:(?P<string>[uUbB]?(?:'(?:[^'\\\n]|\\[\\'"nrtxuU])*'|"(?:[^"\\\n]|\\[\\'"nrtxuU])*"))"""
    r"""|(?P<integer>-?\d{1,20})L?|(?P<other>True|False|[][(){},:]))\s*""",
    re.ASCII,
)
_BFLOAT16 = "<V2"  # NumPy saves raw bytes as "|V2"
_KEYS = {"descr", "fortran_order", "shape"}
_INSTEAD = {
    "V": "it contains records or raw bytes; read it with numpy.load and convert it",
    "O": "it contains pickled Python objects, which are never loaded",
    "M": "read it with numpy.load and pass x.view('int64')",
    "m": "read it with numpy.load and pass x.view('int64')",
    "f": "read it with numpy.load and convert it",
    "c": "read it with numpy.load and convert it",
}


def read(
    file: Any, name: str, size: int | None
) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
    """Read a header; return the shape, whether the order is Fortran's, the dtype, and the number of bytes read.

    ``size`` is the number of bytes up to the end of the file, or None if unknown.
    """
    try:
        text, nbytes = _read_text(file, size)
        shape, fortran, descr = _parse(text)
        dtype = _dtype(descr)
    except ValueError as error:
        raise ValueError(f"load: {name}: {error}") from error
    if dtype.newbyteorder("=").name not in _core.dtype_kinds():
        instead = _INSTEAD.get(kind_of(dtype), "text is not supported; read it with numpy.load")
        raise DTypeError(f"load: {name}: skerry has no dtype {dtype}; {instead}")
    return shape, fortran, dtype, nbytes


def _read_text(file: Any, size: int | None) -> tuple[str, int]:
    magic = _read(file, npy.MAGIC_LEN)
    if not magic.startswith(npy.MAGIC_PREFIX):
        raise ValueError("not a .npy file: it does not begin with the magic bytes")
    version = magic[-2], magic[-1]
    if version not in _VERSIONS:
        raise ValueError(f"unknown version of a .npy file: {version}")
    width, encoding = _VERSIONS[version]
    length = int.from_bytes(_read(file, width), "little")
    header_start = npy.MAGIC_LEN + width
    if size is not None and length > size - header_start:
        raise ValueError(f"truncated: its header would have {length} bytes")
    if length > _LONGEST:
        raise ValueError(f"its header would have {length} bytes; at most {_LONGEST} are supported")
    return _read(file, length).decode(encoding), header_start + length


def _read(file: Any, nbytes: int) -> bytes:
    data = streams.read(file, nbytes)
    if len(data) < nbytes:
        raise ValueError(f"truncated: its header has {len(data)} of {nbytes} expected bytes")
    return data


def _parse(text: str) -> tuple[tuple[int, ...], bool, Any]:
    try:
        tokens = _tokens(text)
        header = ast.literal_eval(" ".join(tokens))
    except (SyntaxError, TypeError, ValueError) as error:
        raise ValueError(f"its header is damaged: {text[:80]!r}") from error
    if not isinstance(header, dict) or set(header) != _KEYS or tokens.count(":") != len(_KEYS):
        keys = ", ".join(sorted(_KEYS))
        raise ValueError(f"its header is not a dict of {keys}, each once: {text[:80]!r}")
    shape, fortran = header["shape"], header["fortran_order"]
    if not isinstance(shape, tuple) or not all(type(n) is int for n in shape):
        raise ValueError(f"its header has a shape that is not a tuple of integers: {shape!r}")
    if any(n < 0 for n in shape):
        raise ValueError(f"its header has a negative shape: {shape}")
    if len(shape) > _MAX_AXES:
        raise ValueError(f"its header has {len(shape)} axes; at most {_MAX_AXES} are supported")
    if math.prod(n for n in shape if n) > _MAX_ELEMENTS:
        raise ValueError(f"its header has a shape with too many elements: {shape}")
    if not isinstance(fortran, bool):
        raise ValueError(f"its header has a fortran_order that is not a bool: {fortran!r}")
    return shape, fortran, header["descr"]


def _tokens(text: str) -> list[str]:
    """Split the text into tokens; raise ValueError for any that a header can't have."""
    tokens = []
    start = depth = 0
    while start < len(text):
        match = _TOKEN.match(text, start)
        if match is None:
            raise ValueError(text[start : start + 20])
        start = match.end()
        token = match[match.lastgroup or 0]  # without the L of Python 2
        depth += (token in "[({") - (token in "])}")
        if depth > _DEEPEST:
            raise ValueError("too deep")
        tokens.append(token)
    return tokens


def _dtype(descr: Any) -> np.dtype[Any]:
    if descr == _BFLOAT16:
        return as_dtype("bfloat16")
    try:
        return npy.descr_to_dtype(descr)
    except Exception as error:  # NumPy raises various errors for invalid dtypes
        raise ValueError(f"its header has a descr that is not a dtype: {descr!r:.80}") from error
