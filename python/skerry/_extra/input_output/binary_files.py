# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Saving and loading.

The arrays of all devices go through the host by chunks, so that no array needs a second copy there.
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

_ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # with members, and without
_PICKLE = b"\x80"


def save(file: Any, arr: Any) -> None:
    """Save an array to a .npy file, or arrays by name to a .safetensors file.

    The bytes are those that ``numpy.save`` writes: any version of NumPy reads them.

    Parameters
    ----------
    file : str, PathLike or file object
        A path without ``.npy`` gets it, as in NumPy. The file appears under its name when it is complete and on the
        disk: if writing fails, what was there stays. What a save that was killed has left in the folder is removed,
        with a RuntimeWarning. An existing file in a folder that takes no other is written in place. A file object is
        written from where it stands, whole or with an error.
    arr : Array, or dict of str to Array
        On any device; a dict only, and always, for a path that ends with ``.safetensors``. Its arrays may lie on
        different devices.

    Raises
    ------
    DTypeError
        For complex128 in a .safetensors file, which does not have it.
    OSError
        If the file can't be written. PermissionError for a file that nobody may write (mode 0444), root neither;
        BlockingIOError for a file object that does not block and takes no more.

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
            "save: a .safetensors file takes a dict of names and arrays, not one array"
            if by_name
            else "save: a dict of arrays: use a path that ends with .safetensors, or savez(file, **arrays)"
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


def savez(file: Any, *args: Any, **kwds: Any) -> None:
    """Save arrays to an .npz file, which ``numpy.load`` reads too.

    Parameters
    ----------
    file : str, PathLike or file object
        A path without ``.npz`` gets it, as in NumPy. The file appears under its name when it is complete.
    *args : Array
        Their names are ``arr_0``, ``arr_1``, ...
    **kwds : Array
        By name. Arrays may lie on different devices.

    Raises
    ------
    ValueError
        For a name such as ``arr_0`` that is given twice, or that a ZIP archive does not hold.
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


def savez_compressed(file: Any, *args: Any, **kwds: Any) -> None:
    """Save arrays to a compressed .npz file, which ``numpy.load`` reads too.

    Parameters
    ----------
    file, *args, **kwds
        As of ``savez``.

    Raises
    ------
    ValueError
        For a name such as ``arr_0`` that is given twice, or that a ZIP archive does not hold.
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


def load(file: Any, mmap_mode: str | None = None, *, device: Any = None) -> Any:
    """Load what ``save``, ``savez`` or NumPy saved, to one device.

    Elements are read into the array's own memory on a CPU, and by chunks on their way to other devices. Pickled objects
    are never loaded.

    Parameters
    ----------
    file : str, PathLike or file object
        A .npy or .npz file, told by its first bytes, or a path that ends with ``.safetensors``, which takes the package
        ``safetensors``. A file object must be binary and have ``seek``; it stands behind the array afterwards.
    mmap_mode : {None, "r", "r+", "c"}
        Of a path to a .npy file. On a CPU the array is the mapped file, without a copy: read-only, written to the
        file too (``"r+"``), or written in memory only (``"c"``). To other devices chunks of the map are copied.
    device : Device or str, optional
        Where the arrays go; the default device where it is not given.

    Returns
    -------
    Array, mapping of str to Array, or dict of str to Array
        Of .npy, .npz, .safetensors. The mapping of an .npz file reads an array when it is asked for; close it, or
        use it in a ``with`` block.

    Raises
    ------
    DTypeError
        For dtypes that skerry has not: records, objects, text, dates, long double, bfloat16.
    ValueError
        For a file that is truncated, damaged, or of another format, with its name. Sizes are compared before memory
        is asked for.

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
    target_device = _core.default_device() if device is None else _core.as_device(device)
    if targets.is_file_object(file):
        return _load_stream(
            file, str(getattr(file, "name", type(file).__name__)), target_device, mmap_mode
        )
    return _load_path(targets.path_of(file), target_device, mmap_mode)


def _load_path(path: str, device: _core.Device, mmap_mode: str | None) -> Any:
    if _is_safetensors(path):
        if mmap_mode is not None:
            raise ValueError("load: mmap_mode is of .npy files; leave it out")
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
        raise ValueError("load: mmap_mode is of paths to .npy files; leave it out")
    if _magic(stream, name) == "npz":
        from skerry._files.npz import NpzFile  # ZIP archives are slow to import

        return NpzFile(stream, name, device, owned)
    return npy.read(stream, name, device, streams.remaining(stream))


def _magic(stream: Any, name: str) -> str:
    """Tell the format by the first bytes, which are read again."""
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
            raise ValueError(f"{op}: arr_{i} is the name of an array without one, too; rename it")
        arrays[f"arr_{i}"] = _array(x)
    npz.write(_with_ending(file, ".npz"), arrays, compressed)


def _array(x: Any) -> Array:
    """Take NumPy's arrays and Python's values as on the CPU: they have no other device to go to."""
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
