# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Saving and loading.

Arrays of all devices are transferred through the host in chunks, so that no array needs a full copy there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.lib import format as _format

from skerry import _core
from skerry._core import Array
from skerry._files import npy, streams, targets

__all__ = ["load", "save", "savez", "savez_compressed"]

_ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # archives with members, and empty ones
_PICKLE = b"\x80"


def save(file: Any, arr: Any, allow_pickle: bool = True) -> None:
    """Save an array to a .npy file, or named arrays to a .safetensors file.

    A .npy file has the same bytes as one of ``numpy.save``: any version of NumPy can read it.

    Parameters
    ----------
    file : str, PathLike or file object
        ``.npy`` is appended to a path without it, as in NumPy. The file is replaced atomically once it is complete and
        on disk: if writing fails, an existing file is unchanged. Temporary files of killed saves in the folder are
        removed, with a RuntimeWarning. If no file can be created in the folder, an existing file is written in place. A
        file object is written from its current position, completely or with an error.
    arr : Array, or dict of str to Array
        An array on any device. For a path that ends with ``.safetensors`` it must be a dict, whose arrays may be on
        different devices.
    allow_pickle : bool, default True
        Has no effect: no dtype needs a pickle.

    Raises
    ------
    DTypeError
        For complex128 in a .safetensors file: the format doesn't support it.
    OSError
        If the file can't be written. PermissionError for a file without write permission (mode 0444), also for root;
        BlockingIOError for a non-blocking file object that accepts no more data.

    See Also
    --------
    load

    Examples
    --------
    >>> import io
    >>> import skerry as sk
    >>> file = io.BytesIO()
    >>> sk.save(file, sk.arange(3, device="cuda:0"))
    >>> _ = file.seek(0)
    >>> sk.load(file, device="cuda:1")
    Array([0, 1, 2], dtype=int64, device='cuda:1')

    """
    by_name = not targets.is_file_object(file) and _is_safetensors(targets.path_of(file))
    if by_name != isinstance(arr, Mapping):
        raise TypeError(
            "save: arr must be a dict of names and arrays for a .safetensors file, not one array"
            if by_name
            else "save: arr is a dict: use a path that ends with .safetensors, or savez(file, **arrays)"
        )
    if by_name:
        if not all(isinstance(name, str) and name != "__metadata__" for name in arr):
            raise ValueError("save: names must be str, and not '__metadata__'")
        from skerry._files import safetensors

        safetensors.write(file, {name: _array(x) for name, x in arr.items()})
        return
    x = _array(arr)
    with targets.opened_to_write(_with_ending(file, ".npy")) as stream:
        npy.write(stream, x)


def savez(file: Any, *args: Any, allow_pickle: bool = True, **kwds: Any) -> None:
    """Save several arrays to an uncompressed .npz file, which ``numpy.load`` can read.

    Parameters
    ----------
    file : str, PathLike or file object
        ``.npz`` is appended to a path without it, as in NumPy. The file is replaced atomically once it is complete.
    *args : Array
        Arrays to save as ``arr_0``, ``arr_1``, ...
    allow_pickle : bool, default True
        Has no effect: no dtype needs a pickle.
    **kwds : Array
        Arrays to save by name. Arrays may be on different devices.

    Raises
    ------
    ValueError
        If a name such as ``arr_0`` occurs twice, or a name can't be stored in a ZIP archive.
    OSError
        If the file can't be written, as in ``save``.

    See Also
    --------
    load, savez_compressed

    Examples
    --------
    >>> import io
    >>> import skerry as sk
    >>> file = io.BytesIO()
    >>> sk.savez(file, x=sk.arange(3), y=sk.ones(2, device="cuda:0"))
    >>> _ = file.seek(0)
    >>> with sk.load(file, device="cpu:0") as arrays:
    ...     arrays["y"]
    Array([1., 1.], dtype=float64, device='cpu:0')

    """
    _savez("savez", file, args, kwds, compressed=False)


def savez_compressed(file: Any, *args: Any, allow_pickle: bool = True, **kwds: Any) -> None:
    """Save several arrays to a compressed .npz file, which ``numpy.load`` can read.

    Parameters
    ----------
    file, *args, allow_pickle, **kwds
        See ``savez``.

    Raises
    ------
    ValueError
        If a name such as ``arr_0`` occurs twice, or a name can't be stored in a ZIP archive.
    OSError
        If the file can't be written, as in ``save``.

    See Also
    --------
    load, savez

    Examples
    --------
    >>> import io
    >>> import skerry as sk
    >>> file = io.BytesIO()
    >>> sk.savez_compressed(file, zeros=sk.zeros(100_000))
    >>> len(file.getvalue()) < 5000
    True

    """
    _savez("savez_compressed", file, args, kwds, compressed=True)


def load(
    file: Any,
    mmap_mode: str | None = None,
    allow_pickle: bool = False,
    fix_imports: bool = True,
    encoding: str = "ASCII",
    *,
    device: Any = None,
) -> Any:
    """Load arrays from a file of ``save``, ``savez`` or NumPy to a device.

    On a CPU elements are read directly into the array's memory; for other devices they are transferred in chunks.
    Pickled objects are never loaded.

    Parameters
    ----------
    file : str, PathLike or file object
        A .npy or .npz file, recognized by its first bytes, or a path that ends with ``.safetensors``, which needs the
        package ``safetensors``. A file object must be binary and seekable; afterwards it is positioned after the array.
    mmap_mode : {None, "r", "r+", "c"}
        Memory-map a .npy file given by path. On a CPU the array is a view of the mapped file: read-only (``"r"``),
        with writes to the file (``"r+"``), or with writes in memory only (``"c"``). To other devices the mapped file is
        copied in chunks.
    allow_pickle, fix_imports, encoding
        Have no effect: they are about pickled objects, which are never loaded.
    device : Device or str, optional
        Device of the arrays; by default the default device.

    Returns
    -------
    Array, mapping of str to Array, or dict of str to Array
        The contents of a .npy, .npz or .safetensors file. The mapping of an .npz file reads an array when it is
        accessed; close it, or use it in a ``with`` block.

    Raises
    ------
    DTypeError
        For dtypes that skerry doesn't have: records, objects, text, dates, long double, bfloat16.
    ValueError
        If the file is truncated, damaged, or of another format. Sizes are checked before memory is allocated.

    Examples
    --------
    >>> import io
    >>> import skerry as sk
    >>> file = io.BytesIO()
    >>> sk.save(file, sk.linspace(0, 1, 5))
    >>> _ = file.seek(0)
    >>> sk.load(file, device="cuda:0")
    Array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float64, device='cuda:0')

    """
    target_device = _core.device_or_default("load", device)
    if targets.is_file_object(file):
        return _load_stream(
            file, str(getattr(file, "name", type(file).__name__)), target_device, mmap_mode
        )
    return _load_path(targets.path_of(file), target_device, mmap_mode)


def _load_path(path: str, device: _core.Device, mmap_mode: str | None) -> Any:
    if _is_safetensors(path):
        if mmap_mode is not None:
            raise ValueError("load: mmap_mode is only for .npy files; leave it out")
        from skerry._files import safetensors

        return safetensors.read(path, device)
    stream = open(path, "rb")  # noqa: SIM115 - an .npz file stays open
    stays_open = False
    try:
        file_format = _magic(stream, path)
        if mmap_mode is not None and file_format == "npy":
            return npy.map_file(path, mmap_mode, device)
        loaded = _load_stream(stream, path, device, mmap_mode, owned=True)
        stays_open = file_format == "npz"
        return loaded
    finally:
        if not stays_open:
            stream.close()


def _load_stream(
    stream: Any, name: str, device: _core.Device, mmap_mode: str | None, owned: bool = False
) -> Any:
    if mmap_mode is not None:
        raise ValueError("load: mmap_mode is only for paths to .npy files; leave it out")
    if _magic(stream, name) == "npz":
        from skerry._files.npz import NpzFile  # ZIP archives are slow to import

        return NpzFile(stream, name, device, owned)
    return npy.read(stream, name, device, streams.remaining(stream))


def _magic(stream: Any, name: str) -> str:
    """Return the format by the first bytes, and restore the position."""
    here = stream.tell()
    first = stream.read(0)
    if isinstance(first, str):
        raise TypeError(f"load: {name}: a text file; open it with mode 'rb'")
    first = streams.read(stream, len(_format.MAGIC_PREFIX))
    stream.seek(here)
    if first == _format.MAGIC_PREFIX:
        return "npy"
    if first.startswith(_ZIP):
        return "npz"
    description = (
        "empty, or truncated"
        if _format.MAGIC_PREFIX.startswith(first)
        else "a pickle, which is never loaded"
        if first.startswith(_PICKLE)
        else "neither .npy nor .npz, nor is its name *.safetensors"
    )
    raise ValueError(f"load: {name}: {description}")


def _savez(
    op: str, file: Any, args: tuple[Any, ...], kwds: dict[str, Any], compressed: bool
) -> None:
    from skerry._files import npz

    npz.require_names(op, kwds)
    arrays = {name: _array(x) for name, x in kwds.items()}
    for i, x in enumerate(args):
        if f"arr_{i}" in kwds:
            raise ValueError(
                f"{op}: arr_{i} is also the name of an unnamed array; rename the named one"
            )
        arrays[f"arr_{i}"] = _array(x)
    npz.write(_with_ending(file, ".npz"), arrays, compressed)


def _array(x: Any) -> Array:
    """Return an array; NumPy arrays and Python values become arrays on the CPU."""
    if isinstance(x, Array):
        return x
    on_host = isinstance(x, np.ndarray | np.generic | complex | float | int | list | tuple)
    return _core.asarray(x, device="cpu:0") if on_host else _core.asarray(x)


def _with_ending(file: Any, ending: str) -> Any:
    if targets.is_file_object(file):
        return file
    path = targets.path_of(file)
    return path if path.endswith(ending) else path + ending


def _is_safetensors(path: str) -> bool:
    return path.endswith(".safetensors")
