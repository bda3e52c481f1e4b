# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Complete reads and writes with any file object, or an error.

An unbuffered file may transfer a part, a non-blocking one nothing, and third-party file objects may return wrong
counts.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
from typing import Any

import numpy as np


class Writer:
    """Wraps a file object so that ``write`` writes all bytes or raises OSError."""

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
                    errno.EAGAIN,
                    "the file accepts no more data without blocking; set it to blocking",
                )
            # Third-party file objects may return None; then use the position, if they have one.
            end = _position(self._file)
            count = len(data) if start is None or end is None else end - start
        return _checked("write", count, 1, len(data))

    def flush(self) -> None:
        """Flush the file object, if it has ``flush``."""
        getattr(self._file, "flush", lambda: None)()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def read_into(file: Any, memory: memoryview) -> int:
    """Read into memory until it is full or the file ends; return the number of bytes."""
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
            raise BlockingIOError(
                errno.EAGAIN, "the file has nothing to read yet; set it to blocking"
            )
        if _checked("readinto" if readinto is not None else "read", count, 0, len(part)) == 0:
            break
        if readinto is None:
            part[:count] = data
        done += count
    return done


def read(file: Any, nbytes: int) -> bytes:
    """Read ``nbytes`` bytes, or fewer at the end of the file."""
    parts = []
    while nbytes > 0:
        data = file.read(nbytes)
        if data is None:
            raise BlockingIOError(
                errno.EAGAIN, "the file has nothing to read yet; set it to blocking"
            )
        if not _checked("read", len(_bytes(data)), 0, nbytes):
            break
        parts.append(data)
        nbytes -= len(data)
    return b"".join(parts)


class Rejoined:
    """A file object with bytes prepended that were read from it already."""

    def __init__(self, first: bytes, file: Any) -> None:
        self._first = memoryview(first)
        self._file = file

    def read(self, nbytes: int) -> bytes:
        """Read up to ``nbytes`` bytes."""
        if not len(self._first):
            return read(self._file, nbytes)
        data, self._first = self._first[:nbytes], self._first[nbytes:]
        return bytes(data)


def remaining(file: Any) -> int | None:
    """Return the number of bytes up to the end of a file; None if that requires reading them, as for gzip."""
    if not isinstance(file, io.BytesIO | io.FileIO | io.BufferedReader | io.BufferedRandom):
        return None
    with contextlib.suppress(OSError):
        here = file.tell()
        end = file.seek(0, os.SEEK_END)
        file.seek(here)
        return end - here
    return None


def _position(file: Any) -> int | None:
    """Return the position of a file, or None if it has none."""
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
            f"{method}() of the file object returned {count!r}, which is not a number of bytes from {least} to {most}",
        )
    return int(count)


def _bytes(data: Any) -> Any:
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(
            f"read() of the file object returned {type(data).__name__}, not bytes; open it with mode 'rb'"
        )
    return data
