# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The error for a package whose compiled module is missing, or built for another interpreter or processor.

``import skerry`` imports this module only if it can't import the compiled module ``_core``. Without a file of this
interpreter, Python takes the folder ``_core``, which has stubs, for a package without names. Of a file of another
processor, the dynamic linker says that it does not exist or is damaged.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import pathlib
import platform

#: The machines of e_machine and the class in an ELF header, named as by platform.machine().
_MACHINES = {(3, 1): "i686", (62, 2): "x86_64", (183, 2): "aarch64"}


def _elf_machine(path: pathlib.Path) -> str | None:
    """Return the machine of an ELF file; None if it is no such file."""
    try:
        with path.open("rb") as file:
            header = file.read(20)
    except OSError:
        return None
    if len(header) < 20 or not header.startswith(b"\x7fELF"):
        return None
    number = int.from_bytes(header[18:], "big" if header[5] == 2 else "little")
    return _MACHINES.get((number, header[4]), f"ELF machine {number}")


def mismatch(package_folder: str) -> ImportError | None:
    """Return the error, or None if there is a compiled module of this interpreter and processor."""
    folder = pathlib.Path(package_folder)
    if not folder.is_dir():
        text = f"compiled modules can't be imported from an archive: {folder}; unpack or install it"
        return ImportError(f"import skerry: {text}", name="skerry", path=package_folder)
    spec = importlib.util.find_spec("skerry._core")
    origin = spec.origin if spec else None
    processor = _elf_machine(pathlib.Path("/proc/self/exe")) or platform.machine()
    if origin and _elf_machine(pathlib.Path(origin)) in (None, processor):
        return None
    file_name = f"_core{importlib.machinery.EXTENSION_SUFFIXES[0]}"
    paths = sorted(folder.glob("_core*.so"))
    if any(path.name == file_name and _elf_machine(path) in (None, processor) for path in paths):
        return None
    interpreter = (
        f"this interpreter, {platform.python_implementation()} {platform.python_version()} on {processor}, "
        f"needs {file_name}"
    )
    if not paths:
        text = (
            f"no compiled module in {package_folder}: {interpreter}; build the source in the folder of "
            "pyproject.toml, pip install ., and import skerry from another folder"
        )
    else:
        built = ", ".join(
            f"{path.name} for {_elf_machine(path) or 'another system'}" for path in paths
        )
        text = (
            f"the package in {package_folder} was built for another interpreter or processor: it has {built}; "
            f"{interpreter}; install the wheel of this Python and processor, "
            "pip install --force-reinstall <wheel>, or build the source: pip install ."
        )
    return ImportError(f"import skerry: {text}", name="skerry", path=package_folder)
