# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Runs bench/gpu/check.py with a stub driver. Arguments: a work folder, and the names of steps that must fail.

Steps that need a GPU or take minutes return fake output. The configure step runs CMake unless a step must fail.
"""

import json
import pathlib
import subprocess
import sys

work, *failing = sys.argv[1:]
sys.argv[1:] = []
WORK = pathlib.Path(work)
sys.path.insert(0, str(pathlib.Path(__file__).parents[3]))
from bench.gpu import check as gpu_check  # noqa: E402

ANSWERS = {
    "configure": "",
    "build": "",
    "install": "",
    "look": "NVIDIA H200 3.0\n",
    "kernels": "[==========] 187 tests ran.\n[  PASSED  ] 187 tests.\n",
    "tests": "7000 passed, 12 skipped in 90 s\n",
    "handover": "30 passed in 9 s\n",
    "sanitizer-memcheck": "========= ERROR SUMMARY: 0 errors\n",
    "conformance": "1379 passed, 0 failed\n",
    "runtime": "a + a 0.2 us\n",
    "bench": "17 of 20 goals reached\n",
    "huge": "40 passed in 60 s\n",
}
#: The row and the table that a step writes.
FIGURES = {"runtime": "a + a", "bench": "add float32"}
ran = []


def answer(check, name, command, **environment):
    """Replaces Check.run: returns fake output, or raises for steps that must fail."""
    ran.append({"name": name, "command": command, "environment": environment})
    if name in failing:
        raise subprocess.CalledProcessError(1, command, f"error output of {name}")
    if name == "configure" and "ducc0" in failing and "-DSKERRY_FFT=OFF" not in command:
        raise subprocess.CalledProcessError(1, command, "pip could not download ducc0")
    if name == "configure" and not failing:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise subprocess.CalledProcessError(done.returncode, command, done.stdout + done.stderr)
    if name == "build":
        gpu_check.KERNELS.parent.mkdir(parents=True, exist_ok=True)
        gpu_check.KERNELS.touch()
    if name in FIGURES:
        out = pathlib.Path(command[command.index("--out") + 1])
        gpu_check.records.write(out, {"table": FIGURES[name]}, [{"case": FIGURES[name]}])
    return ANSWERS[name]


gpu_check.Check.run = answer
gpu_check.BUILD = WORK / "build"
gpu_check.SITE = gpu_check.BUILD / "site"
gpu_check.KERNELS = gpu_check.BUILD / "tests" / "kernels_tests"
gpu_check.records.RESULTS = WORK / "results"
gpu_check.NEEDED = {}
gpu_check.is_installed = lambda module: True
gpu_check.shutil.which = lambda tool: f"/usr/bin/{tool}"
gpu_check.query = lambda fields: ""
status = gpu_check.main()
(WORK / "ran.json").write_text(json.dumps(ran))
sys.exit(status)
