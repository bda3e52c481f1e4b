# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Headers of .npy files, of the versions 1.0, 2.0 and 3.0: a Python dict of three entries, as text.

Source: NEP 1 and numpy.lib.format. The text is Python's, but only literals of strings, integers and booleans, in tuples
and lists of small depth, get to its parser: whatever a damaged file holds is a ValueError with the file's name.
"""

from __future__ import annotations

import ast
import math
import re
from typing import Any

import numpy as np
from numpy.lib import format as npy

from skerry import _core
from skerry._files import streams
from skerry.exceptions import DTypeError

# By version: bytes of the header's length, and the header's encoding.
_VERSIONS = {(1, 0): (2, "latin1"), (2, 0): (4, "latin1"), (3, 0): (4, "utf-8")}
_LONGEST = 1 << 16  # bytes: what version 1.0 can say
_MAX_AXES = 64
_MAX_ELEMENTS = 2**63 - 1
_DEEPEST = 32  # brackets; records of records have them
_TOKEN = re.compile(
    r"""\s*(?:(?P<string>[uUbB]?(?:'(?:[^'\\\n]|\\[\\'"nrtxuU])*'|"(?:[^"\\\n]|\\[\\'"nrtxuU])*"))"""
    r"""|(?P<integer>-?\d{1,20})L?|(?P<other>True|False|[][(){},:]))\s*""",
    re.ASCII,
)
_KEYS = {"descr", "fortran_order", "shape"}
_INSTEAD = {
    "V": "it holds records, or bytes, as which NumPy saves bfloat16; read it with numpy.load and convert them",
    "O": "it holds pickled Python objects, which are never loaded",
    "M": "read it with numpy.load and convert its view of int64",
    "m": "read it with numpy.load and convert its view of int64",
    "f": "read it with numpy.load and convert it",
    "c": "read it with numpy.load and convert it",
}


def read(
    file: Any, name: str, size: int | None
) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
    """Read a header: the shape, whether the order is Fortran's, the dtype, and the bytes that were read.

    ``size`` are the bytes that the file has, where that is known.
    """
    try:
        text, nbytes = _read_text(file, size)
        shape, fortran, descr = _parse(text)
        dtype = _dtype(descr)
    except ValueError as error:
        raise ValueError(f"load: {name}: {error}") from error
    if dtype.newbyteorder("=").name not in _core.dtype_kinds():
        instead = _INSTEAD.get(dtype.kind, "text is no number")
        raise DTypeError(f"load: {name}: no dtype of skerry: {dtype}; {instead}")
    return shape, fortran, dtype, nbytes


def _read_text(file: Any, size: int | None) -> tuple[str, int]:
    magic = _read(file, npy.MAGIC_LEN)
    if not magic.startswith(npy.MAGIC_PREFIX):
        raise ValueError("not a .npy file: its first bytes are others")
    version = magic[-2], magic[-1]
    if version not in _VERSIONS:
        raise ValueError(f"a .npy file of version {version}, which is not known")
    width, encoding = _VERSIONS[version]
    length = int.from_bytes(_read(file, width), "little")
    header_start = npy.MAGIC_LEN + width
    if size is not None and length > size - header_start:
        raise ValueError(f"truncated: its header would have {length} bytes")
    if length > _LONGEST:
        raise ValueError(f"its header would have {length} bytes; {_LONGEST} at most are read")
    return _read(file, length).decode(encoding), header_start + length


def _read(file: Any, nbytes: int) -> bytes:
    data = streams.read(file, nbytes)
    if len(data) < nbytes:
        raise ValueError(f"truncated: its header ends after {len(data)} bytes of {nbytes}")
    return data


def _parse(text: str) -> tuple[tuple[int, ...], bool, Any]:
    try:
        tokens = _tokens(text)
        header = ast.literal_eval(" ".join(tokens))
    except (SyntaxError, TypeError, ValueError) as error:
        raise ValueError(f"its header is damaged: {text[:80]!r}") from error
    if not isinstance(header, dict) or set(header) != _KEYS or tokens.count(":") != len(_KEYS):
        keys = ", ".join(sorted(_KEYS))
        raise ValueError(f"its header is no dict of {keys}, each once: {text[:80]!r}")
    shape, fortran = header["shape"], header["fortran_order"]
    if not isinstance(shape, tuple) or not all(type(n) is int for n in shape):
        raise ValueError(f"its header has a shape that is no tuple of integers: {shape!r}")
    if any(n < 0 for n in shape):
        raise ValueError(f"its header has a negative shape: {shape}")
    if len(shape) > _MAX_AXES:
        raise ValueError(f"its header has {len(shape)} axes; {_MAX_AXES} are the most")
    if math.prod(n for n in shape if n) > _MAX_ELEMENTS:
        raise ValueError(f"its header has a shape of more elements than memory can have: {shape}")
    if not isinstance(fortran, bool):
        raise ValueError(f"its header has a fortran_order that is no bool: {fortran!r}")
    return shape, fortran, header["descr"]


def _tokens(text: str) -> list[str]:
    """Split the text; ValueError for what no header has."""
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
    try:
        return npy.descr_to_dtype(descr)
    except Exception as error:  # whatever NumPy makes of what is no dtype
        raise ValueError(f"its header has a descr that is no dtype: {descr!r:.80}") from error
