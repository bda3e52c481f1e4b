# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Reading and writing that is complete or an error, whatever the file object does.

An unbuffered file may move a part, one that does not block nothing at all, and file objects of others may miscount.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
from typing import Any

import numpy as np


class Writer:
    """A file object whose ``write`` writes everything, or raises OSError."""

    def __init__(self, file: Any) -> None:
        if isinstance(file, io.TextIOBase):
            raise TypeError(
                f"save: {getattr(file, 'name', file)!r}: a text file; open it with mode 'wb'"
            )
        self._file = file

    def write(self, data: Any) -> int:
        """Write all bytes and return their number."""
        rest = memoryview(data).cast("B")
        nbytes = len(rest)
        while len(rest):
            rest = rest[self._write_some(rest) :]
        return nbytes

    def _write_some(self, data: memoryview) -> int:
        is_standard = isinstance(self._file, io.IOBase)
        start = None if is_standard else _position(self._file)
        count = self._file.write(data)
        if count is None:
            if is_standard:
                raise BlockingIOError(
                    errno.EAGAIN, "the file takes no more without blocking; set it to block"
                )
            # File objects of others need not count; those that tell where they stand are asked.
            end = _position(self._file)
            count = len(data) if start is None or end is None else end - start
        return _checked("write", count, 1, len(data))

    def flush(self) -> None:
        """Flush what has a buffer."""
        getattr(self._file, "flush", lambda: None)()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def read_into(file: Any, memory: memoryview) -> int:
    """Fill as much of the memory as the file has bytes for; return their number."""
    done = 0
    readinto = getattr(file, "readinto", None)
    while done < len(memory):
        part = memory[done:]
        if readinto is not None:
            count = readinto(part)
        else:
            data = file.read(len(part))
            count = data if data is None else len(_bytes(data))
        if count is None:
            raise BlockingIOError(errno.EAGAIN, "the file has nothing to read yet; set it to block")
        if _checked("readinto" if readinto is not None else "read", count, 0, len(part)) == 0:
            break
        if readinto is None:
            part[:count] = data
        done += count
    return done


def read(file: Any, nbytes: int) -> bytes:
    """Return so many bytes, or as many as the file has."""
    parts = []
    while nbytes > 0:
        data = file.read(nbytes)
        if data is None:
            raise BlockingIOError(errno.EAGAIN, "the file has nothing to read yet; set it to block")
        if not _checked("read", len(_bytes(data)), 0, nbytes):
            break
        parts.append(data)
        nbytes -= len(data)
    return b"".join(parts)


class Rejoined:
    """A file object with bytes in front that were read from it already."""

    def __init__(self, first: bytes, file: Any) -> None:
        self._first = memoryview(first)
        self._file = file

    def read(self, nbytes: int) -> bytes:
        """Return up to so many bytes."""
        if not len(self._first):
            return read(self._file, nbytes)
        data, self._first = self._first[:nbytes], self._first[nbytes:]
        return bytes(data)


def remaining(file: Any) -> int | None:
    """Return the bytes from where a file stands to its end, if it can tell without reading them, as gzip's can't."""
    if not isinstance(file, io.BytesIO | io.FileIO | io.BufferedReader | io.BufferedRandom):
        return None
    with contextlib.suppress(OSError):
        here = file.tell()
        end = file.seek(0, os.SEEK_END)
        file.seek(here)
        return end - here
    return None


def _position(file: Any) -> int | None:
    """Return where a file stands, or None where it can't tell."""
    try:
        here = file.tell()
    except (AttributeError, OSError, TypeError, ValueError):
        return None
    return here if isinstance(here, int) else None


def _checked(method: str, count: Any, least: int, most: int) -> int:
    is_number = isinstance(count, int | np.integer) and not isinstance(count, bool)
    if not is_number or not least <= count <= most:
        raise OSError(
            errno.EIO,
            f"{method}() of the file object returned {count!r}, which is no number of bytes from {least} to {most}",
        )
    return int(count)


def _bytes(data: Any) -> Any:
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(
            f"read() of the file object gave {type(data).__name__}, not bytes; open it with mode 'rb'"
        )
    return data
