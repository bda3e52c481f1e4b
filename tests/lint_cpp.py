# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Run clang-tidy over the sources of configured builds on all cores; exit 1 on a finding or an unchecked header.

Kernel sources are checked directly, for the levels v3 and v4; the build's generated sources include them. Headers that
no source includes are checked in an extra source.
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
# Depends on ducc's vector widths, which differ with clang.
NEEDS_GCC = {"ops/fourier/cpu/ducc/transforms.hpp"}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
# These include headers of the CUDA toolkit.
NEEDS_CUDA = re.compile(r"ops/\w+/cuda/.*\.cuh|device/cuda/native/.*\.hpp")


def commands_for_clang(build: pathlib.Path) -> tuple[list[dict[str, str]], str]:
    """Return the build's commands without GCC-only options, and a folder with them."""
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
    """Return the tracked headers that the sources include, directly or indirectly."""
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
    """Return the project's sources, except generated ones."""
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
    """Write a source that includes the headers; return it with the flags of a kernel source."""
    source = build / "lint_headers.cpp"
    source.write_text("".join(f'#include "{name}"\n' for name in headers))
    kernel = next(entry for entry in entries if entry["file"].endswith("ops/reduce/cpu/reduce.cpp"))
    flags = shlex.split(kernel["command"])[1:]
    flags = flags[: flags.index("-o")]  # file names follow
    return str(source), flags


def main() -> int:
    # The first build must be skerry's own: it has the generated headers.
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
        f"headers: {len(to_be_read()) - len(unread)} of {len(to_be_read())} checked",
        *sorted(unread),
    )
    return 1 if failed or unread else 0


if __name__ == "__main__":
    sys.exit(main())
