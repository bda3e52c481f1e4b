# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``make gpu-check``: the tests on a real GPU, and a record of what happened.

Without a GPU it says so and exits 3; it never takes a rehearsed device for one. GPU_CHECK="cpp python sanitizer"
chooses parts; each states its time. The record goes to bench/results as JSON.
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "python"


def gpu_name() -> str | None:
    """Name of the first real GPU, as a fresh process without rehearsal sees it."""
    code = (
        "import skerry as sk; found = sk.devices('cuda');"
        "print(found[0].info.name if found and not found[0].info.rehearsal else '')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip() or None


def parts() -> dict[str, list[str]]:
    """Command of each part, by name; those whose tool is missing are left out by the caller."""
    return {
        "cpp": ["ctest", "--test-dir", str(BUILD), "--output-on-failure"],
        "python": [sys.executable, "-m", "pytest", "-q"],
        "sanitizer": [
            "compute-sanitizer",
            "--tool",
            "memcheck",
            "--error-exitcode",
            "9",
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-x",
            "-k",
            "cuda and float32 and (add or sin or sum or where)",
        ],
    }


def main() -> int:
    """Run the chosen parts; the exit status."""
    environment = {name: value for name, value in os.environ.items() if name != "SKERRY_REHEARSE"}
    os.environ.pop("SKERRY_REHEARSE", None)
    name = gpu_name()
    if name is None:
        print(
            "gpu-check: no GPU can be used on this machine, so nothing was run. Why:\n", flush=True
        )
        subprocess.run([sys.executable, "-m", "skerry", "doctor"], check=False)
        return 3
    chosen = os.environ.get("GPU_CHECK", " ".join(parts())).split()
    results: dict[str, dict[str, object]] = {}
    for part in chosen:
        command = parts()[part]
        if shutil.which(command[0]) is None:
            print(f"gpu-check: {part} skipped: {command[0]} is not installed")
            results[part] = {"skipped": f"{command[0]} is not installed"}
            continue
        begin = time.perf_counter()
        code = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
        results[part] = {"seconds": round(time.perf_counter() - begin, 1), "exit": code}
    print(f"\n{'part':<12}{'seconds':>10}  result")
    for part, result in results.items():
        verdict = result.get("skipped") or (
            "passed" if result["exit"] == 0 else f"failed ({result['exit']})"
        )
        print(f"{part:<12}{result.get('seconds', ''):>10}  {verdict}")
    chip = "-".join(name.lower().split())
    path = ROOT / "bench" / "results" / f"{chip}-{time.strftime('%Y-%m-%d')}.json"
    path.write_text(json.dumps({"gpu": name, "parts": results}, indent=1) + "\n")
    return 0 if all(result.get("exit", 0) == 0 for result in results.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
