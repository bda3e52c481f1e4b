# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``make conformance ARRAY_API_TESTS_DIR=…``: the official suite, unmodified, once per default device.

The suite (data-apis/array-api-tests, with its submodule) is taken from the checkout that is named and is not part of
this repository. Options after the folder go to pytest, such as ``--max-examples 300``.
"""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

DEVICES = ("cpu:0", "cpu:1", "cuda:0")


def run(folder: pathlib.Path, device: str, options: list[str]) -> tuple[int, str]:
    """Run the suite with ``device`` as the default; its exit status and closing line."""
    environment = {
        **os.environ,
        "SKERRY_CPU_DEVICES": "2",
        "ARRAY_API_TESTS_MODULE": f"exec('import skerry as xp; xp.set_default_device(\"{device}\")')",
        "ARRAY_API_TESTS_VERSION": "2025.12",
    }
    if device.startswith("cuda"):
        environment.setdefault("SKERRY_REHEARSE", "1")
    command = [sys.executable, "-m", "pytest", "array_api_tests", "-q", *options]
    if device.startswith("cuda"):
        command.append("--disable-deadline")
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    )
    last = ""
    assert process.stdout is not None
    for line in process.stdout:
        print(line, end="", flush=True)
        if re.search(r"\d+ (passed|failed|error)", line):
            last = line.strip()
    return process.wait(), last


def main() -> int:
    """Run the suite on every device; 0 only if nothing failed."""
    if len(sys.argv) < 2 or not pathlib.Path(sys.argv[1], "array_api_tests").is_dir():
        print(
            "conformance: name a checkout of data-apis/array-api-tests with its submodule: "
            "make conformance ARRAY_API_TESTS_DIR=<folder>"
        )
        return 2
    folder = pathlib.Path(sys.argv[1]).resolve()
    results = {device: run(folder, device, sys.argv[2:]) for device in DEVICES}
    print()
    for device, (code, line) in results.items():
        print(f"{device:<8} exit {code}: {line}")
    return max(code for code, _ in results.values())


if __name__ == "__main__":
    sys.exit(main())
