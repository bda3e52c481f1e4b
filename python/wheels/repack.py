# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Make a wheel for another Python or processor from a finished one: the extension module, tags and RECORD differ."""

from __future__ import annotations

import base64
import hashlib
import pathlib
import re
import zipfile


def digest(data: bytes) -> str:
    """Return the hash of a file in the format of RECORD."""
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def repack(
    wheel: pathlib.Path,
    module: pathlib.Path,
    folder: pathlib.Path | None = None,
    platform: str | None = None,
) -> pathlib.Path:
    """Write a copy of `wheel` with `module` as its extension module; return its path.

    Parameters
    ----------
    wheel : Path
        A wheel for one Python version, after `auditwheel repair`.
    module : Path
        `_core.cpython-3XX-….so` for another Python.
    folder : Path, optional
        The output folder; by default that of `wheel`.
    platform : str, optional
        The platform of `module`, such as "linux_aarch64"; by default that of `wheel`.

    """
    version = re.search(r"\.cpython-(\d+)(t?)-", module.name)
    wheel_tag = re.search(r"-(cp\d+)-(cp\d+t?)-([\w.]+)\.whl$", wheel.name)
    if version is None or wheel_tag is None:
        raise ValueError(
            f"repack: file names must contain a Python version: {wheel.name}, {module.name}"
        )
    tag = f"cp{version[1]}-cp{version[1]}{version[2]}"
    platforms = platform or wheel_tag[3]
    target = (folder or wheel.parent) / wheel.name.replace(wheel_tag[0], f"-{tag}-{platforms}.whl")
    record = []
    record_name = ""
    with (
        zipfile.ZipFile(wheel) as source,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as output,
    ):
        for entry in source.infolist():
            data, name = source.read(entry), entry.filename
            if entry.is_dir():  # RECORD lists files only
                continue
            if name.endswith("/RECORD"):
                record_name = name
                continue
            if re.search(r"/_core\.cpython-.*\.so$", name):
                data, name = module.read_bytes(), f"{name.rpartition('/')[0]}/{module.name}"
            if name.endswith("/WHEEL"):
                tags = "".join(f"Tag: {tag}-{part}\n" for part in platforms.split("."))
                data = re.sub(rb"(?m)(^Tag: .*\n)+", tags.encode(), data)
            entry.filename = name
            output.writestr(entry, data, zipfile.ZIP_DEFLATED)
            record.append(f"{name},{digest(data)},{len(data)}\n")
        output.writestr(record_name, "".join(record) + f"{record_name},,\n")
    return target
