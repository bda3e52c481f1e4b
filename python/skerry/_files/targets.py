# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Files to write to, which are complete or not there."""

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
    200  # bytes of the target's name in that of its temporary file: 255 are a name's limit
)
_MAX_ENTRIES = 2000  # of a folder, among which leftovers are looked for: less than a millisecond


def is_file_object(file: Any) -> bool:
    """Tell a file object from a path."""
    return hasattr(file, "read") or hasattr(file, "write")


def path_of(file: Any) -> str:
    """Return a path as text."""
    return os.fsdecode(os.fspath(file))


@contextlib.contextmanager
def opened_to_write(file: Any) -> Iterator[Any]:
    """Open a path, or take the file object that it is; what is written is written whole, or OSError.

    A path gets its contents at the end, at once: they are written beside it, and what is there stays if writing fails.
    Where its folder takes no file, an existing file is written in place.
    """
    if is_file_object(file):
        yield Writer(file)
        return
    path = os.path.realpath(path_of(file))  # a symbolic link stays one
    is_there = os.path.exists(path)
    if is_there and not os.path.isfile(path):  # a device or a pipe has no contents to keep
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
    """Refuse what may not be written, for root as well: a new file in its place would get around the mode."""
    is_locked = stat.S_IMODE(os.stat(path).st_mode) & 0o222 == 0
    if is_locked or not os.access(
        path, os.W_OK, effective_ids=os.access in os.supports_effective_ids
    ):
        raise PermissionError(
            errno.EACCES, "the file is read-only; change its mode, or save under another name", name
        )


def _open_beside(path: str) -> tuple[str, IO[bytes]]:
    """Open a new file in the folder of a path, locked while it is open: what nobody locks is a leftover."""
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
            stream.close()  # taken for a leftover before it was locked
            continue
        return temporary, stream


def _remove_leftovers(folder: str) -> None:
    """Remove what saves that were killed have left in a folder."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in itertools.islice(entries, _MAX_ENTRIES):
            if entry.name.endswith(_ENDING) and entry.name.startswith("."):
                _remove_leftover(entry.path)


def _remove_leftover(path: str) -> bool:
    """Remove a temporary file unless its save goes on; tell whether it is gone."""
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
        f"save: removed {path}, which a save that was killed has left", RuntimeWarning, stacklevel=2
    )
    return True


def _lock(descriptor: int) -> bool | None:
    """Lock a file, which ends with the process; False where another has it, None where there are no locks."""
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
        # Another user's file in a folder such as /tmp: it can be written, not replaced.
        with open(temporary, "rb") as source, open(path, "r+b") as stream:
            shutil.copyfileobj(source, stream, 1 << 20)
            stream.truncate()
            _flush(stream)
        os.unlink(temporary)


def _flush(stream: IO[bytes]) -> None:
    """Make the contents lasting before the name is: a crash must not leave the name of an empty file."""
    stream.flush()
    os.fsync(stream.fileno())


def _flush_folder(folder: str) -> None:
    with contextlib.suppress(OSError):  # not every file system has it
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
