# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Text files, and files without a header."""

from __future__ import annotations

from typing import Any

import numpy as np

import skerry as sk
from skerry._core import Array
from skerry._data_types import as_dtype

__all__ = ["fromfile", "fromstring", "genfromtxt", "loadtxt", "savetxt"]

Device = Any


def fromfile(
    file: Any,
    dtype: Any = None,
    count: int = -1,
    sep: str = "",
    offset: int = 0,
    *,
    device: Device = None,
) -> Array:
    """Read a 1-D array from a file without a header, as ``Array.tofile`` writes it.

    Parameters
    ----------
    file : str, path or open file
        File to read.
    dtype : dtype, default float64
        Dtype of the elements.
    count : int, default -1
        Number of elements; -1 for all.
    sep : str, default ""
        Separator of the numbers in a text file; empty for a binary file.
    offset : int, default 0
        Position of the first element in bytes, in a binary file.
    device : {default device}

    {Returns: one axis}

    Examples
    --------
    >>> import skerry as sk
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "numbers")
    ...     _ = path.write_bytes(b"abc")
    ...     sk.fromfile(path, dtype=sk.uint8)
    Array([97, 98, 99], dtype=uint8, device='cpu:0')

    """
    return sk.asarray(np.fromfile(file, as_dtype(dtype), count, sep, offset), device=device)


def fromstring(
    string: str, dtype: Any = float, count: int = -1, *, sep: str, device: Device = None
) -> Array:
    """Read a 1-D array from numbers in a text.

    Parameters
    ----------
    string : str
        Numbers with separators.
    dtype : dtype, default float64
        Dtype of the result.
    count : int, default -1
        Number of elements; -1 for all.
    sep : str
        Separator of the numbers.
    device : {default device}

    {Returns: one axis}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.fromstring("1 2", dtype=int, sep=" ")
    Array([1, 2], dtype=int64, device='cpu:0')

    """
    if not sep:
        raise ValueError("fromstring: sep is empty, and binary data is not a text; use frombuffer")
    return sk.asarray(np.fromstring(string, as_dtype(dtype), count, sep=sep), device=device)


def genfromtxt(fname: Any, *args: Any, device: Device = None, **kwargs: Any) -> Array:
    """Read an array from a text file in which values may be missing.

    Parameters
    ----------
    fname : str, path, open file or iterable of lines
        Text to read.
    *args, **kwargs
        Other arguments of ``numpy.genfromtxt``, which reads the text on the host.
    device : {default device}

    Returns
    -------
    Array
        Array with an axis for the lines and one for the columns; an axis of length 1 is dropped.

    Raises
    ------
    TypeError
        If the dtype has fields.
    ValueError
        If the lines have different numbers of columns.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.genfromtxt(["1,2", "3,"], delimiter=",")
    Array([[ 1.,  2.],
           [ 3., nan]], dtype=float64, device='cpu:0')

    """
    return _of_text("genfromtxt", device, fname, *args, **kwargs)


def loadtxt(fname: Any, *args: Any, device: Device = None, **kwargs: Any) -> Array:
    """Read an array from a text file.

    Parameters
    ----------
    fname : str, path, open file or iterable of lines
        Text to read.
    *args, **kwargs
        Other arguments of ``numpy.loadtxt``, which reads the text on the host.
    device : {default device}

    Returns
    -------
    Array
        Array with an axis for the lines and one for the columns; an axis of length 1 is dropped.

    Raises
    ------
    TypeError
        If the dtype has fields.
    ValueError
        If a text is not a number, or the lines have different numbers of columns.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.loadtxt(["1 2", "3 4"], dtype=int)
    Array([[1, 2],
           [3, 4]], dtype=int64, device='cpu:0')

    """
    return _of_text("loadtxt", device, fname, *args, **kwargs)


def _of_text(name: str, device: Device, *args: Any, **kwargs: Any) -> Array:
    """Read a text with NumPy's function of that name, whose errors say which line and column is wrong."""
    try:
        host = getattr(np, name)(*args, **kwargs)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
    return sk.asarray(host, device=device)


def savetxt(fname: Any, X: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N803 - NumPy's name
    r"""Write an array to a text file.

    The elements are copied from the device: the call waits for them.

    Parameters
    ----------
    fname : str, path or open file
        File to write.
    X : Array
        Array of one or two axes.
    *args, **kwargs
        Other arguments of ``numpy.savetxt``, which writes the text on the host.

    Examples
    --------
    >>> import skerry as sk
    >>> import io
    >>> text = io.StringIO()
    >>> sk.savetxt(text, sk.asarray([[1, 2], [3, 4]]), fmt="%d")
    >>> text.getvalue()
    '1 2\n3 4\n'

    """
    np.savetxt(fname, X.to_numpy() if isinstance(X, Array) else X, *args, **kwargs)
