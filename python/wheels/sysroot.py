# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Make a sysroot whose C library has no symbol newer than a given version.

Headers and start files come from the unpacked packages of an older Debian release. Its shared libraries are replaced by
stubs without code that define each symbol in its newest version that is old enough: `pow` is linked as GLIBC_2.2.5,
although its newest version in that release is 2.29. Symbols that are too new are absent. The linker reports them for
programs; check_wheel.py does for modules, which may have undefined symbols.
"""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess

LIBRARIES = ("libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1")
LOADER = "ld-linux*.so.*"
# A row of `readelf --dyn-syms`: size, type, name, version.
ROW = re.compile(
    r"\s*\d+: [0-9a-f]+\s+(\S+)\s+(\w+)\s+(?:GLOBAL|WEAK)\s+\w+\s+(?:\[.*?\]\s+)?(?!UND)\w+\s+"
    r"(\w+)@@?GLIBC_([\d.]+)(?:\s|$)"
)


def version_number(version: str) -> tuple[int, ...]:
    """Return "2.28" as (2, 28)."""
    return tuple(map(int, version.split(".")))


def read_symbols(library: pathlib.Path, glibc: str) -> dict[str, tuple[str, str, int]]:
    """Return (version, type, size) of each symbol of `library`, in its newest version up to `glibc`."""
    listing = subprocess.run(
        ["readelf", "--dyn-syms", "--wide", library], check=True, capture_output=True, text=True
    ).stdout
    symbols: dict[str, tuple[str, str, int]] = {}
    for line in listing.splitlines():
        match = ROW.match(line)
        if match is None:
            continue
        size, kind, name, version = match.groups()
        if version_number(version) > version_number(glibc):
            continue
        if name not in symbols or version_number(symbols[name][0]) < version_number(version):
            symbols[name] = version, kind, int(size, 0)
    return symbols


def write_stand_in(library: pathlib.Path, glibc: str, target: pathlib.Path, compiler: str) -> None:
    """Link a shared object with the symbols of `library`, but no code."""
    symbols = sorted(read_symbols(library, glibc).items())
    assembly = []
    for index, (name, (version, kind, size)) in enumerate(symbols):
        label = f"stand_in_{index}"
        section = {"OBJECT": ".data", "TLS": '.section .tdata,"awT",%progbits'}.get(kind, ".text")
        type_name = {"OBJECT": "object", "TLS": "tls_object"}.get(kind, "function")
        space = max(size, 8) if kind in ("OBJECT", "TLS") else 8
        assembly += [section, f".globl {label}", f".type {label}, %{type_name}"]
        assembly += [f".size {label}, {size or 8}", f"{label}: .zero {space}"]
        assembly += [f".symver {label}, {name}@@GLIBC_{version}"]
    source = target.with_suffix(".s")
    source.write_text("\n".join([*assembly, '.section .note.GNU-stack,"",%progbits', ""]))
    script = target.with_suffix(".map")
    with script.open("w") as file:
        for version in sorted({version for _, (version, _, _) in symbols}):
            names = " ".join(f"{name};" for name, symbol in symbols if symbol[0] == version)
            file.write(f"GLIBC_{version} {{ global: {names} }};\n")
        file.write("HIDDEN { local: *; };\n")
    command = [compiler, "-shared", "-nostdlib", f"-Wl,-soname,{library.name}"]
    command += [f"-Wl,--version-script={script}", "-o", str(target), str(source)]
    subprocess.run(command, check=True)
    source.unlink()
    script.unlink()


def make_sysroot(
    root: pathlib.Path, sysroot: pathlib.Path, glibc: str, triplet: str, compiler: str
) -> None:
    """Fill `sysroot` from the unpacked packages in `root`.

    Parameters
    ----------
    root : Path
        The unpacked libc6-dev, linux-libc-dev and libgcc-s1 of a Debian release with a glibc of at least `glibc`.
    sysroot : Path
        A folder that does not exist yet.
    glibc : str
        The newest symbol version to link with, such as "2.28".
    triplet, compiler : str
        Such as x86_64-linux-gnu and gcc.

    """
    shutil.copytree(root / "usr/include", sysroot / "usr/include", symlinks=True)
    # libstdc++'s headers must match the compiler's libstdc++.a, which is linked.
    for folder in ("usr/include/c++", f"usr/include/{triplet}/c++"):
        if (pathlib.Path("/") / folder).is_dir():
            (sysroot / folder).symlink_to(pathlib.Path("/") / folder)
    static = sysroot / "usr/lib" / triplet
    static.mkdir(parents=True)
    for pattern in ("crt*.o", "[MS]crt1.o", "libc.so", "libc_nonshared.a"):
        for file in (root / "usr/lib" / triplet).glob(pattern):
            shutil.copy2(file, static)
    shared = sysroot / "lib" / triplet
    shared.mkdir(parents=True)
    for name in LIBRARIES:
        write_stand_in(root / "lib" / triplet / name, glibc, shared / name, compiler)
        stem = name.partition(".so")[0]
        if stem != "libc":  # libc.so is a linker script
            (static / f"{stem}.so").symlink_to(f"../../../lib/{triplet}/{name}")
    for loader in (root / "lib" / triplet).glob(LOADER):
        write_stand_in(loader, glibc, shared / loader.name, compiler)
        for folder in ("lib", "lib64"):  # the paths in the linker script
            (sysroot / folder).mkdir(exist_ok=True)
            shutil.copy2(shared / loader.name, sysroot / folder)
    # The unwinder must be shared, as pthread_exit uses it. It is older than the compiler; newer helper functions are
    # linked from libgcc.a.
    shutil.copy2((root / "lib" / triplet / "libgcc_s.so.1").resolve(), shared / "libgcc_s.so.1")
