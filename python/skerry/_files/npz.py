# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""NumPy's format of several arrays, .npz: a ZIP archive of .npy files."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any

from skerry import _core
from skerry._files import npy, targets

Array = _core.Array


def write(file: Any, arrays: Mapping[str, Array], compressed: bool) -> None:
    """Write arrays by name."""
    how = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with targets.opened_to_write(file) as stream, zipfile.ZipFile(stream, "w", how) as archive:
        for name, x in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                npy.write(member, x)


class NpzFile(Mapping[str, Array]):
    """Arrays in an .npz file by name: each is read when it is asked for, to one device.

    The file stays open until ``close``, or the end of a ``with`` block. Members that are no .npy files are left out.
    """

    def __init__(self, file: Any, name: str, device: _core.Device, owned: bool) -> None:
        self._file = file if owned else None
        self._name = name
        self._device = device
        try:
            self._archive = zipfile.ZipFile(file)
        except zipfile.BadZipFile as error:
            raise ValueError(f"load: {name}: no .npz file, or truncated: {error}") from error
        self._members = {
            each.filename.removesuffix(".npy"): each
            for each in self._archive.infolist()
            if each.filename.endswith(".npy")
        }

    @property
    def files(self) -> list[str]:
        """The names."""
        return list(self._members)

    @property
    def device(self) -> _core.Device:
        """Where the arrays go."""
        return self._device

    def __getitem__(self, name: str) -> Array:
        if name not in self._members:
            raise KeyError(f"{name!r} is not in {self._name}, which has {', '.join(self._members)}")
        member = self._members[name]
        try:
            with self._archive.open(member) as file:
                return npy.read(file, f"{self._name}: {name}", self._device)
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise ValueError(f"load: {self._name}: {name}: damaged: {error}") from error

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __repr__(self) -> str:
        return f"NpzFile({self._name!r}, keys=[{', '.join(self._members)}], device={str(self._device)!r})"

    def close(self) -> None:
        """Close the file; arrays that were read stay."""
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
