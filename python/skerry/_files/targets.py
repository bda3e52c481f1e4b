# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Atomic writes: a file is complete or does not appear."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import itertools
import os
import shutil
import stat
import warnings
from collections.abc import Iterator
from typing import IO, Any

from skerry._files.streams import Writer

_ENDING = ".skerry-tmp"
_LONGEST_NAME = (
    200  # bytes of the target's name in that of its temporary file; names are limited to 255 bytes
)
_MAX_ENTRIES = (
    2000  # entries of a folder to search for leftovers, which takes less than a millisecond
)


def is_file_object(file: Any) -> bool:
    """Return whether the argument is a file object, not a path."""
    return hasattr(file, "read") or hasattr(file, "write")


def path_of(file: Any) -> str:
    """Return a path as str."""
    return os.fsdecode(os.fspath(file))


@contextlib.contextmanager
def opened_to_write(file: Any) -> Iterator[Any]:
    """Open a path, or wrap a file object, so that each write is complete or raises OSError.

    A file given by path is replaced at the end, atomically: the contents are written to a temporary file in the same
    folder, and an existing file is unchanged if writing fails. If the folder is not writable, an existing file is
    written in place.
    """
    if is_file_object(file):
        yield Writer(file)
        return
    path = os.path.realpath(path_of(file))  # keep a symbolic link
    is_there = os.path.exists(path)
    if is_there and not os.path.isfile(path):  # a device or a pipe has no contents to preserve
        with open(path, "wb") as device:
            yield device
        return
    if is_there:
        _require_unlocked(path, path_of(file))
    temporary: str | None
    stream: IO[bytes]
    try:
        temporary, stream = _open_beside(path)
    except OSError as error:
        if not is_there or error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise OSError(error.errno, error.strerror, path_of(file)) from None
        temporary, stream = None, open(path, "r+b")  # noqa: SIM115 - closed below
    if temporary is None:
        with stream:
            yield stream
            stream.truncate()
            _flush(stream)
        return
    try:
        with stream:
            yield stream
            _flush(stream)
            if is_there:
                _copy_owner_and_mode(path, stream.fileno())
            _rename(temporary, path, path_of(file))
        _flush_folder(os.path.dirname(path))
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _require_unlocked(path: str, name: str) -> None:
    """Raise PermissionError for a read-only file, also for root: replacing the file would bypass its mode."""
    is_locked = stat.S_IMODE(os.stat(path).st_mode) & 0o222 == 0
    if is_locked or not os.access(
        path, os.W_OK, effective_ids=os.access in os.supports_effective_ids
    ):
        raise PermissionError(
            errno.EACCES, "the file is read-only; change its mode, or save under another name", name
        )


def _open_beside(path: str) -> tuple[str, IO[bytes]]:
    """Open a new file in the folder of a path and lock it while it is open: an unlocked one is a leftover."""
    folder, name = os.path.split(path)
    _remove_leftovers(folder)
    name = os.fsdecode(os.fsencode(name)[:_LONGEST_NAME])
    unique = ""
    while True:
        temporary = os.path.join(folder, f".{name}{unique}{_ENDING}")
        unique = f".{os.urandom(6).hex()}"
        try:
            stream = open(temporary, "xb")  # noqa: SIM115 - the caller closes it
        except FileExistsError:
            if _remove_leftover(temporary):
                unique = ""
            continue
        if _lock(stream.fileno()) is False or not _is_at(stream, temporary):
            stream.close()  # removed as a leftover before it was locked
            continue
        return temporary, stream


def _remove_leftovers(folder: str) -> None:
    """Remove temporary files of killed saves from a folder."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in itertools.islice(entries, _MAX_ENTRIES):
            if entry.name.endswith(_ENDING) and entry.name.startswith("."):
                _remove_leftover(entry.path)


def _remove_leftover(path: str) -> bool:
    """Remove a temporary file unless its save is running; return whether it is gone."""
    try:
        with open(path, "rb") as stream:
            if not _lock(stream.fileno()) or not _is_at(stream, path):
                return False
            os.unlink(path)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    warnings.warn(
        f"save: removed {path}, a leftover of a killed save", RuntimeWarning, stacklevel=2
    )
    return True


def _lock(descriptor: int) -> bool | None:
    """Lock a file until it is closed; False if it is locked already, None without lock support."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _is_at(stream: IO[bytes], path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(stream.fileno()), os.stat(path))
    except FileNotFoundError:
        return False


def _copy_owner_and_mode(path: str, descriptor: int) -> None:
    existing = os.stat(path)
    with contextlib.suppress(PermissionError):
        os.fchown(descriptor, existing.st_uid, existing.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(existing.st_mode))


def _rename(temporary: str, path: str, name: str) -> None:
    try:
        os.replace(temporary, path)
    except OSError as error:
        if not isinstance(error, PermissionError) or not os.path.exists(path):
            raise OSError(error.errno, error.strerror, name) from None
        # Another user's file in a sticky folder such as /tmp can be written, but not replaced.
        with open(temporary, "rb") as source, open(path, "r+b") as stream:
            shutil.copyfileobj(source, stream, 1 << 20)
            stream.truncate()
            _flush(stream)
        os.unlink(temporary)


def _flush(stream: IO[bytes]) -> None:
    """Flush contents to disk before the rename: after a crash the name must not refer to an empty file."""
    stream.flush()
    os.fsync(stream.fileno())


def _flush_folder(folder: str) -> None:
    with contextlib.suppress(OSError):  # some file systems can't sync folders
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
