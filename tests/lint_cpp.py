# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Run clang-tidy over the host sources of a configured build, all cores; exit 1 on a finding."""

import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def check(build: str, source: str) -> tuple[str, int, str]:
    done = subprocess.run(
        ["clang-tidy", "-quiet", "-p", build, source], capture_output=True, text=True, check=False
    )
    return source, done.returncode, done.stdout + done.stderr


def main() -> int:
    build = sys.argv[1]
    entries = json.loads(pathlib.Path(build, "compile_commands.json").read_text())
    # Generated kernel units all say the same; their headers are covered by hand-written sources.
    sources = sorted(
        {entry["file"] for entry in entries if pathlib.Path(entry["file"]).is_relative_to(ROOT)}
        - {entry["file"] for entry in entries if "generated" in entry["file"]}
    )
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(check, build, source) for source in sources]
        for number, job in enumerate(concurrent.futures.as_completed(jobs), 1):
            source, code, text = job.result()
            name = pathlib.Path(source).relative_to(ROOT)
            print(f"[{number}/{len(sources)}] clang-tidy {name}", flush=True)
            if code:
                failed += 1
                print(text)
    print(f"clang-tidy: {len(sources) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
