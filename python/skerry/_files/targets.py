# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Files to write to, which are complete or not there."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from typing import IO, Any


def is_file_object(file: Any) -> bool:
    """Tell a file object from a path."""
    return hasattr(file, "read") or hasattr(file, "write")


def path_of(file: Any) -> str:
    """Return a path as text."""
    return os.fsdecode(os.fspath(file))


@contextlib.contextmanager
def opened_to_write(file: Any) -> Iterator[IO[bytes]]:
    """Open a path, or take the file object that it is.

    A path gets its contents at the end, at once: they are written beside it, and what is there stays if writing fails.
    """
    if is_file_object(file):
        yield file
        return
    path = os.path.realpath(path_of(file))  # a symbolic link stays one
    if os.path.exists(path) and not os.path.isfile(
        path
    ):  # a device or a pipe has no contents to keep
        with open(path, "wb") as stream:
            yield stream
        return
    temporary = os.path.join(os.path.dirname(path), f".skerry-{os.urandom(6).hex()}.tmp")
    try:
        stream = open(temporary, "xb")  # noqa: SIM115 - closed below, before the name changes
    except OSError as error:
        raise OSError(error.errno, error.strerror, path_of(file)) from None
    try:
        with stream:
            yield stream
        if os.path.exists(path):
            os.chmod(temporary, stat.S_IMODE(os.stat(path).st_mode))
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
