# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Run clang-tidy over the sources of configured builds, all cores; exit 1 on a finding or a header that none reads.

Kernel units are read by themselves, for the levels v3 and v4: what the build compiles includes them. Headers that no
source includes get a unit of their own.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

from format_cpp import ROOT, tracked

LAYERS = ("core", "device", "ops", "python")
GCC_OPTIONS = (
    "-fvect-cost-model=dynamic",
    "-fpeel-loops",
    "-fno-gnu-unique",
    "-fno-thread-jumps",
)
# It takes a width of vectors from ducc, which sets widths otherwise for clang.
NEEDS_GCC = {"ops/fourier/cpu/ducc/transforms.hpp"}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
# They include CUDA's headers, which a machine without the toolkit has not.
NEEDS_CUDA = re.compile(r"ops/\w+/cuda/.*\.cuh|device/cuda/native/.*\.hpp")


def commands_for_clang(build: pathlib.Path) -> tuple[list[dict[str, str]], str]:
    """The build's commands, and a folder that has them, without options that only GCC knows."""
    entries = json.loads((build / "compile_commands.json").read_text())
    for entry in entries:
        for option in GCC_OPTIONS:
            entry["command"] = entry["command"].replace(f" {option} ", " ")
    folder = build / "clang_tidy"
    folder.mkdir(exist_ok=True)
    (folder / "compile_commands.json").write_text(json.dumps(entries))
    return entries, str(folder)


def check(commands: str, source: str, flags: list[str]) -> tuple[str, int, str]:
    command = ["clang-tidy", "-quiet", *(["-p", commands] if not flags else []), source]
    done = subprocess.run(
        [*command, *(["--", *flags] if flags else [])], capture_output=True, text=True, check=False
    )
    return source, done.returncode, done.stdout + done.stderr


def headers_read(sources: list[str], generated: pathlib.Path) -> set[str]:
    """The tracked headers that sources include, directly or not."""
    seen: set[pathlib.Path] = set()
    left = [pathlib.Path(source) for source in sources]
    while left:
        path = left.pop()
        if path in seen:
            continue
        seen.add(path)
        for name in INCLUDE.findall(path.read_text()):
            folders = (ROOT, generated, path.parent)
            headers = [folder / name for folder in folders if (folder / name).exists()]
            left += headers[:1]
    return {str(path.relative_to(ROOT)) for path in seen if path.is_relative_to(ROOT)}


def sources_of(entries: list[dict[str, str]]) -> set[str]:
    """Those of the project, without what a build has generated."""
    built = ROOT / "build"
    files = [pathlib.Path(entry["file"]) for entry in entries]
    return {
        str(file) for file in files if file.is_relative_to(ROOT) and not file.is_relative_to(built)
    }


def to_be_read() -> set[str]:
    headers = {name for name in tracked("*.h", "*.hpp", "*.cuh") if name.startswith(LAYERS)}
    headers -= NEEDS_GCC
    return {name for name in headers if not NEEDS_CUDA.fullmatch(name)}


def unit_of(
    headers: list[str], build: pathlib.Path, entries: list[dict[str, str]]
) -> tuple[str, list[str]]:
    """A source that includes headers, and the flags of a kernel unit for it."""
    source = build / "lint_headers.cpp"
    source.write_text("".join(f'#include "{name}"\n' for name in headers))
    kernel = next(entry for entry in entries if entry["file"].endswith("ops/reduce/cpu/reduce.cpp"))
    flags = shlex.split(kernel["command"])[1:]
    flags = flags[: flags.index("-o")]  # what follows names files
    return str(source), flags


def main() -> int:
    # The first of them is skerry's own.
    builds = [pathlib.Path(folder).resolve() for folder in sys.argv[1:]]
    generated = builds[0] / "ops/generated"
    commands: dict[str, str] = {}
    entries: list[dict[str, str]] = []
    for build in builds:
        its_entries, folder = commands_for_clang(build)
        entries += its_entries
        for source in sources_of(its_entries):
            commands.setdefault(source, folder)
    jobs: list[tuple[str, list[str]]] = [(source, []) for source in sorted(commands)]
    alone = sorted(to_be_read() - headers_read(list(commands), generated))
    if alone:
        jobs.append(unit_of(alone, builds[0], entries))
    unread = to_be_read() - headers_read([source for source, _ in jobs], generated)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        running = [
            pool.submit(check, commands.get(source, ""), source, flags) for source, flags in jobs
        ]
        for number, job in enumerate(concurrent.futures.as_completed(running), 1):
            source, code, text = job.result()
            name = pathlib.Path(source).relative_to(ROOT)
            print(f"[{number}/{len(jobs)}] clang-tidy {name}", flush=True)
            if code:
                failed += 1
                print(text)
    print(f"clang-tidy: {len(jobs) - failed} passed, {failed} failed")
    print(
        f"headers: {len(to_be_read()) - len(unread)} of {len(to_be_read())} read", *sorted(unread)
    )
    return 1 if failed or unread else 0


if __name__ == "__main__":
    sys.exit(main())
