# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""GPU instructions per call of real-valued math functions, skerry's and CUDA's; exits 1 if kernels use the wrong ones.

    python -m bench.gpu.function_instructions       after make emulate, which builds the emulated GPU

Counted on the emulated GPU with typical arguments, per element, without loads and stores. Double-precision instructions
count twice, since an H100 executes half as many per second; a division or a root counts as the instructions that ptxas
generates. Kernels use skerry's function if it takes up to 1.5 times the instructions of CUDA's (`ops/math/real.hpp`).
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST = 1.5
# Machine instructions for sm_90, from nvdisasm: the path without a subroutine call; double precision counts twice.
SEQUENCES = {
    ("div", "f64"): 22,
    ("sqrt", "f64"): 21,
    ("rcp", "f64"): 15,
    ("div", "f32"): 9,
    ("sqrt", "f32"): 8,
    ("rcp", "f32"): 8,
}
STATEMENT = re.compile(r"^\t(@!?%p\d+ )?([a-z]\w*)((?:\.\w+)+)\s")


def weight(operation: str, qualifiers: list[str]) -> int:
    """Returns the number of instructions that a PTX instruction counts as."""
    if operation in ("ld", "st", "mov", "selp"):
        return 1
    width = "f64" if "f64" in qualifiers else "f32"
    # Single-precision approximations are one or two instructions.
    if "rn" in qualifiers and (operation, width) in SEQUENCES:
        return SEQUENCES[operation, width]
    return 2 if width == "f64" else 1


def weighed(ptx: str) -> str:
    """Inserts idle instructions after each instruction that counts as more than one."""
    lines = []
    for line in ptx.splitlines():
        lines.append(line)
        if line == "{":
            lines.append("\t.reg .b32 %idle;")
        elif statement := STATEMENT.match(line):
            guard, operation, qualifiers = statement.groups()
            more = weight(operation, qualifiers.split(".")) - 1
            lines += [f"\t{guard or ''}mov.b32 %idle, 0;"] * more
    return "\n".join(lines) + "\n"


def compiled(folder: pathlib.Path, libraries: pathlib.Path) -> pathlib.Path:
    """Builds the program, with idle instructions inserted into its PTX between two steps of nvcc."""
    source = pathlib.Path(__file__).with_suffix(".cu")
    options = (
        "-std=c++20 -O1 -fmad=false -gencode=arch=compute_90,code=compute_90 --compress-mode=none"
    )
    command = ["nvcc", *options.split(), f"-I{ROOT}", "-DSKERRY_TARGET=cuda", "-c", str(source)]
    command += ["-o", f"{folder}/program.o", "--keep", "--keep-dir", str(folder), "--dryrun"]
    settings: list[str] = []
    said = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    for step in re.findall(r"^#\$ (.*)$", said, re.MULTILINE):
        if assignment := re.match(r"(\w+)=(.*)", step):
            value = assignment[2].replace('"', "").strip()  # several words, each quoted
            settings.append(f"export {assignment[1]}={shlex.quote(value)}")
            continue
        subprocess.run(["bash", "-c", "\n".join([*settings, step])], check=True, cwd=folder)
        if "cicc" in step.split()[0]:
            ptx = folder / "function_instructions.ptx"
            ptx.write_text(weighed(ptx.read_text()))
    program = folder / "program"
    link = ["g++", f"{folder}/program.o", "-o", str(program), f"-L{libraries}"]
    # The emulator's libcudart forwards entry points to the emulator.
    names = ["-l:libcudart.so.13", "-l:libskerry_emulator.so"]
    subprocess.run([*link, *names, f"-Wl,-rpath,{libraries}"], check=True)
    return program


def counted(program: pathlib.Path, libraries: pathlib.Path) -> tuple[list[str], dict[str, float]]:
    """Returns the output of the program, and the instructions per element of each kernel."""
    launches = program.with_name("launches")
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": str(libraries),
        "SKERRY_EMULATE_TARGET": "90",
        "SKERRY_EMULATE_LAUNCHES": str(launches),
    }
    done = subprocess.run([program], env=environment, check=True, capture_output=True, text=True)
    counts = {}
    for line in launches.read_text().splitlines():
        launch = json.loads(line)
        threads = launch["grid"][0] * launch["block"][0]
        counts[launch["kernel"]] = launch["warp_instructions"] * 32 / threads
    return done.stdout.splitlines(), counts


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "emulator")
    libraries = (parser.parse_args().build / "lib").resolve()
    with tempfile.TemporaryDirectory() as folder:
        lines, counts = counted(compiled(pathlib.Path(folder), libraries), libraries)
    wrong = 0
    print(f"{'function':10}{'dtype':10}{'ours':>7}{'CUDA':>7}{'ratio':>7}  taken")
    for line in lines:
        arity, name, dtype, is_own = line.split()
        empty = counts[f"no_{arity}_{dtype}"]
        own_count, other = (
            counts[f"{form}_{name}_{dtype}"] - empty for form in ("portable", "libm")
        )
        is_wrong = (own_count <= MOST * other) != (is_own == "1")
        wrong += is_wrong
        choice = "ours" if is_own == "1" else "CUDA's"
        print(
            f"{name:10}{dtype:10}{own_count:7.0f}{other:7.0f}{own_count / other:7.2f}  {choice}{' !' * is_wrong}"
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
