# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Run clang-format over all C++ and CUDA sources, templates (*.in) too; exit 1 on a difference, or --fix it."""

import difflib
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENDINGS = ("h", "hpp", "cpp", "cu", "cuh")
# CMake's @variables@ with a letter for @, so that they are names of the same length to clang-format.
LETTER = "\u00e4"


def tracked(*patterns: str) -> list[str]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.splitlines() if (ROOT / name).exists()]


def formatted(template: str, text: str) -> str:
    done = subprocess.run(
        ["clang-format", f"--assume-filename={ROOT / template.removesuffix('.in')}"],
        input=re.sub(r"@(\w+)@", rf"{LETTER}\1{LETTER}", text),
        capture_output=True,
        text=True,
        check=True,
    )
    return re.sub(rf"{LETTER}(\w+?){LETTER}", r"@\1@", done.stdout)


def check_template(name: str, fix: bool) -> bool:
    text = (ROOT / name).read_text()
    wanted = formatted(name, text)
    if wanted == text:
        return True
    if fix:
        (ROOT / name).write_text(wanted)
        return True
    sys.stdout.writelines(
        difflib.unified_diff(text.splitlines(True), wanted.splitlines(True), name, "formatted")
    )
    return False


def main() -> int:
    fix = sys.argv[1:] == ["--fix"]
    sources = tracked(*(f"*.{ending}" for ending in ENDINGS))
    templates = tracked(*(f"*.{ending}.in" for ending in ENDINGS))
    how = ["-i"] if fix else ["--dry-run", "-Werror"]
    done = subprocess.run(["clang-format", *how, *sources], cwd=ROOT, check=False)
    good = [check_template(name, fix) for name in templates]
    print(f"clang-format: {len(sources)} sources and {len(templates)} templates")
    return 0 if done.returncode == 0 and all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
