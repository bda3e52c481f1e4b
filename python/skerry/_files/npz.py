# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""NumPy's format of several arrays, .npz: a ZIP archive of .npy files."""

from __future__ import annotations

import contextlib
import os
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any

from skerry import _core
from skerry._files import npy, targets

Array = _core.Array


_LONGEST_NAME = 65535 - len(".npy")  # bytes
_MAX_DEFLATE_RATIO = 1032  # maximum expansion of a compressed byte


def require_names(op: str, names: Iterable[str]) -> None:
    """Raise ValueError for names that a ZIP archive can't store."""
    for name in names:
        try:
            nbytes = len(name.encode())
        except UnicodeEncodeError:
            fault = "it is no valid text"
        else:
            if nbytes <= _LONGEST_NAME and "\0" not in name:
                continue
            fault = (
                "it has a NUL" if "\0" in name else f"{nbytes} bytes are more than {_LONGEST_NAME}"
            )
        raise ValueError(
            f"{op}: {name[:40]!r}: invalid name in an .npz file: {fault}; rename the array"
        )


def write(file: Any, arrays: Mapping[str, Array], compressed: bool) -> None:
    """Write arrays by name; names must be checked before."""
    compression = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with (
        targets.opened_to_write(file) as stream,
        zipfile.ZipFile(stream, "w", compression) as archive,
    ):
        for name, x in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                npy.write(member, x)


class _Member:
    """An open member of an archive, which raises ValueError if it is damaged."""

    def __init__(self, file: Any, name: str) -> None:
        self._file = file
        self._name = name

    def read(self, nbytes: int) -> bytes:
        with _damage_told(self._name):
            data: bytes = self._file.read(nbytes)
            return data

    def readinto(self, memory: memoryview) -> int:
        with _damage_told(self._name):
            count: int = self._file.readinto(memory)
            return count


@contextlib.contextmanager
def _damage_told(name: str) -> Iterator[None]:
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:  # zipfile does not catch errors of decompressors and struct
        if isinstance(error, OSError) and error.errno is not None:
            raise  # an I/O error
        raise ValueError(f"load: {name}: damaged: {error}") from error


class NpzFile(Mapping[str, Array]):
    """Mapping of the arrays in an .npz file, which are read to one device when accessed.

    The file stays open until ``close`` or the end of a ``with`` block. Members that are not .npy files are skipped.
    """

    def __init__(self, file: Any, name: str, device: _core.Device, owned: bool) -> None:
        self._file = file if owned else None
        self._name = name
        self._device = device
        try:
            self._size = file.seek(0, os.SEEK_END)
            file.seek(0)
            self._archive = zipfile.ZipFile(file)
        except (MemoryError, OSError):
            raise
        except Exception as error:
            raise ValueError(f"load: {name}: not an .npz file, or truncated: {error}") from error
        self._members = {
            member.filename.removesuffix(".npy"): member
            for member in self._archive.infolist()
            if member.filename.endswith(".npy")
        }

    @property
    def files(self) -> list[str]:
        """Names of the arrays."""
        return list(self._members)

    @property
    def device(self) -> _core.Device:
        """Device of the arrays."""
        return self._device

    def __getitem__(self, name: str) -> Array:
        if name not in self._members:
            raise KeyError(f"{name!r} is not in {self._name}, which has {', '.join(self._members)}")
        member = self._members[name]
        text = f"{self._name}: {name}"
        self._require_size(member, text)
        with _damage_told(text):
            file = self._archive.open(member)
        with file:
            return npy.read(
                _Member(file, text), text, self._device, member.file_size, fills_file=True
            )

    def _require_size(self, member: zipfile.ZipInfo, text: str) -> None:
        """Raise ValueError for an impossible size of a member, before memory of that size is allocated."""
        most = {
            zipfile.ZIP_STORED: member.compress_size,
            zipfile.ZIP_DEFLATED: member.compress_size * _MAX_DEFLATE_RATIO,
        }.get(member.compress_type, member.file_size)
        is_outside = not 0 <= member.header_offset <= self._size - member.compress_size
        if member.file_size > most or is_outside:
            raise ValueError(
                f"load: {text}: damaged: {member.file_size} bytes in {member.compress_size}, in a file of {self._size}"
            )

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __repr__(self) -> str:
        return f"NpzFile({self._name!r}, keys=[{', '.join(self._members)}], device={str(self._device)!r})"

    def close(self) -> None:
        """Close the file; arrays that were read stay valid."""
        self._archive.close()
        if self._file is not None:
            self._file.close()

    def __enter__(self) -> NpzFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
