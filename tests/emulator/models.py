# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Check that kernels' results don't depend on the number of multiprocessors; called by run.py.

python -m tests.emulator.models 1,4,132 [I/N]

All results must equal those with the first number of multiprocessors. I/N selects part I of N of the cases.
"""

from __future__ import annotations

import os
import subprocess
import sys

CASES = "tests.python.kernels.kernel_edge_cases"


def checksums(multiprocessors: str, share: str) -> list[str]:
    environment = {**os.environ, "SKERRY_EMULATE_MULTIPROCESSORS": multiprocessors}
    command = [sys.executable, "-m", CASES, share]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.splitlines()


def main(models: str, share: str = "1/1") -> int:
    first, *others = models.split(",")
    expected = checksums(first, share)
    different = 0
    for number in others:
        for actual, theirs in zip(checksums(number, share), expected, strict=True):
            if actual != theirs:
                different += 1
                print(f"{number} multiprocessors: {actual}\n{first} multiprocessors: {theirs}")
    print(f"{len(expected)} results, {different} differ between {models} multiprocessors")
    return 1 if different or not expected else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
