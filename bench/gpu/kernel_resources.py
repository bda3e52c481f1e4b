# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Registers, stack, spills and shared memory that ptxas allocates for the kernels of a module that contains PTX.

    python -m bench.gpu.kernel_resources                 lists the kernels with a stack; exits 1 if one spills
    python -m bench.gpu.kernel_resources --target 80     for the PTX of compute capability 8.0

The stack holds arrays that a kernel indexes at run time, and spilled registers.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable

from bench.gpu.estimate_model import Resources

#: Start of a top-level statement of PTX, which the compiler does not indent, unlike its contents.
STATEMENT = re.compile(
    r"^(?=\.visible|\.weak|\.entry|\.func|\.global|\.const|\.extern|\.common)", re.MULTILINE
)
#: Kernels of CUB, whose tuning policies set the items per thread: their spills can't be fixed here. CCCL 3.5.0, sm_90:
#: 40 bytes in the sort of int8.
UPSTREAM = re.compile(r"RadixSortOnesweepKernel.*policy_selector_from_typesI[ah]")
ENTRY = re.compile(r"\.entry\s+([\w$]+)\s*\(")


def ptx_texts(module: bytes, target: int) -> list[str]:
    """Returns the PTX texts of a module for a target; they are stored uncompressed and zero-terminated."""
    texts = [text.decode() for text in re.findall(rb"\.version [^\0]*", module)]
    return [text for text in texts if re.search(rf"^\.target sm_{target}\b", text, re.MULTILINE)]


def only(text: str, kernels: set[str]) -> str | None:
    """Returns the text with only these kernels; None if it has none of them."""
    parts = STATEMENT.split(text)
    names = [ENTRY.search(part) for part in parts]
    if not any(name and name[1] in kernels for name in names):
        return None
    return "".join(
        part for part, name in zip(parts, names, strict=True) if not name or name[1] in kernels
    )


def parse(said: str) -> dict[str, Resources]:
    """Parses the output of ``ptxas -v`` by kernel."""
    result: dict[str, Resources] = {}
    for part in re.split(r"Compiling entry function '", said)[1:]:
        # Called functions follow, with properties of their own.
        name = part.split("'", 1)[0]
        frame = re.search(
            rf"Function properties for {re.escape(name)}\s+(\d+) bytes stack frame, "
            r"(\d+) bytes spill stores, (\d+) bytes spill loads",
            part,
        )
        registers = re.search(r"Used (\d+) registers", part)
        shared = re.search(r"(\d+) bytes smem", part)
        if frame and registers:
            result[name] = Resources(
                registers=int(registers[1]),
                stack_bytes=int(frame[1]),
                spill_bytes=int(frame[2]) + int(frame[3]),
                shared_bytes=int(shared[1]) if shared else 0,
            )
    return result


def assemble(ptxas: str, text: str, architecture: int) -> dict[str, Resources]:
    """Returns the resources of all kernels of a text."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "kernels.ptx")
        source.write_text(text)
        command = [ptxas, "-v", f"-arch=sm_{architecture}", str(source)]
        command += ["-o", f"{folder}/kernels.cubin"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"ptxas: {done.stderr.strip()[-2000:]}")
        return parse(done.stderr)


def resources(
    module: pathlib.Path, target: int, kernels: Iterable[str] | None = None, architecture: int = 90
) -> dict[str, Resources]:
    """Returns the resources of these kernels, or of all, compiled for an architecture; empty without ptxas."""
    ptxas = shutil.which("ptxas")
    if ptxas is None:
        return {}
    texts = ptx_texts(module.read_bytes(), target)
    if kernels is not None:
        kernel_names = set(kernels)
        texts = [part for text in texts if (part := only(text, kernel_names)) is not None]
    result: dict[str, Resources] = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        # Largest first, so that no long one remains at the end.
        texts.sort(key=len, reverse=True)
        every = pool.map(lambda text: assemble(ptxas, text, architecture), texts)
        for nth, text_resources in enumerate(every, 1):
            result |= text_resources
            print(f"\rptxas: {nth} of {len(texts)} texts", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return result


def main() -> int:
    """Prints kernels with stack or spills, and returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    built = pathlib.Path(__file__).resolve().parents[2] / "build" / "emulator" / "lib"
    parser.add_argument(
        "--target", type=int, default=90, choices=(80, 90), help="target of the PTX (90)"
    )
    parser.add_argument("--module", type=pathlib.Path, default=built / "skerry_cuda.so")
    options = parser.parse_args()
    resources_by_kernel = resources(options.module, options.target, architecture=options.target)
    if not resources_by_kernel:
        print("no kernel: is ptxas on the PATH, and PTX in the module?")
        return 1
    stacks = sorted(
        (
            (usage.spill_bytes, usage.stack_bytes, name)
            for name, usage in resources_by_kernel.items()
        ),
        reverse=True,
    )
    for spilled, stack, name in stacks:
        if stack or spilled:
            print(f"{stack:>6} bytes of stack, {spilled:>4} spilled: {name}")
    spilling = [name for name, usage in resources_by_kernel.items() if usage.spill_bytes]
    ours = [name for name in spilling if not UPSTREAM.search(name)]
    print(
        f"{options.target}: {len(resources_by_kernel)} kernels, {len(ours)} spill, "
        f"{len(spilling) - len(ours)} more of CUB's"
    )
    return 1 if ours else 0


if __name__ == "__main__":
    sys.exit(main())
