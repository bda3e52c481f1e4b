# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The faults of adapters/planted.py: the suite must find each in the tests of the rule that it violates.

    python -m tests.cai_suite.planted_faults

prints a table and fails if a fault is not found.
"""

import pathlib
import sys

from tests.device_suite.fault_runner import failing_tests, print_table

from .adapters.planted import CONSUMER_FAULTS, PRODUCER_FAULTS

FOLDER = pathlib.Path(__file__).parent


def main() -> int:
    sides = {"producer": PRODUCER_FAULTS, "consumer": CONSUMER_FAULTS}
    return print_table(
        (fault, rule, failing_tests(FOLDER, rule, [f"--{side}=planted:{fault}"]))
        for side, faults in sides.items()
        for fault, (rule, _) in faults.items()
    )


if __name__ == "__main__":
    sys.exit(main())
