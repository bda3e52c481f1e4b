# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Run clang-format over all C++ and CUDA sources; exit 1 on a difference, or --fix it."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENDINGS = ("c", "h", "hpp", "cpp", "cu", "cuh")


def tracked(*patterns: str) -> list[str]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.splitlines() if (ROOT / name).exists()]


def main() -> int:
    fix = sys.argv[1:] == ["--fix"]
    sources = tracked(*(f"*.{ending}" for ending in ENDINGS))
    options = ["-i"] if fix else ["--dry-run", "-Werror"]
    done = subprocess.run(["clang-format", *options, *sources], cwd=ROOT, check=False)
    print(f"clang-format: {len(sources)} sources")
    return 0 if done.returncode == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
