# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Registers, stack, spills and shared memory that ptxas gives the kernels of a module that has its PTX in it."""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable

from gpu_estimate_model import Resources

#: A statement at the top of a file of PTX begins here; the compiler indents none of them, and all that is in them.
STATEMENT = re.compile(
    r"^(?=\.visible|\.weak|\.entry|\.func|\.global|\.const|\.extern|\.common)", re.MULTILINE
)
ENTRY = re.compile(r"\.entry\s+([\w$]+)\s*\(")


def ptx_texts(module: bytes, target: int) -> list[str]:
    """The PTX of a module for a target; it lies there as it is, each text with a zero at its end."""
    texts = [found.decode() for found in re.findall(rb"\.version [^\0]*", module)]
    return [text for text in texts if re.search(rf"^\.target sm_{target}\b", text, re.MULTILINE)]


def only(text: str, kernels: set[str]) -> str | None:
    """The text without other kernels; None if it has none of these."""
    parts = STATEMENT.split(text)
    names = [ENTRY.search(part) for part in parts]
    if not any(name and name[1] in kernels for name in names):
        return None
    return "".join(
        part for part, name in zip(parts, names, strict=True) if not name or name[1] in kernels
    )


def parse(said: str) -> dict[str, Resources]:
    """What ``ptxas -v`` said, by kernel."""
    found: dict[str, Resources] = {}
    for part in re.split(r"Compiling entry function '", said)[1:]:
        # Functions that it calls follow, with properties of their own.
        name = part.split("'", 1)[0]
        frame = re.search(
            rf"Function properties for {re.escape(name)}\s+(\d+) bytes stack frame, "
            r"(\d+) bytes spill stores, (\d+) bytes spill loads",
            part,
        )
        registers = re.search(r"Used (\d+) registers", part)
        shared = re.search(r"(\d+) bytes smem", part)
        if frame and registers:
            found[name] = Resources(
                registers=int(registers[1]),
                stack_bytes=int(frame[1]),
                spill_bytes=int(frame[2]) + int(frame[3]),
                shared_bytes=int(shared[1]) if shared else 0,
            )
    return found


def resources(module: pathlib.Path, target: int, kernels: Iterable[str]) -> dict[str, Resources]:
    """Of these kernels, compiled for an H100; none where there is no ptxas."""
    ptxas = shutil.which("ptxas")
    wanted = set(kernels)
    found: dict[str, Resources] = {}
    if ptxas is None or not wanted:
        return found
    with tempfile.TemporaryDirectory() as folder:
        for text in ptx_texts(module.read_bytes(), target):
            part = only(text, wanted)
            if part is None:
                continue
            source = pathlib.Path(folder, "kernels.ptx")
            source.write_text(part)
            command = [ptxas, "-v", "-arch=sm_90", str(source), "-o", f"{folder}/kernels.cubin"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise RuntimeError(f"ptxas: {done.stderr.strip()[-2000:]}")
            found |= parse(done.stderr)
    return found
