# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The gallery's programs with collective operations, on four emulated GPUs."""

import pytest

from tests.emulator.users_kernels.test_users_kernels import child
from tests.python.libraries import installed
from tests.python.project.test_docs import DOCS
from tests.python.project.test_gallery import COLLECTIVE

RESULTS = {
    "collective_least_squares": "largest difference from one device: 0.0",
    "collective_halo_exchange": "4 parts, largest difference: 0.0",
}


def test_all_programs_are_tested():
    assert {path.stem for path in COLLECTIVE} == set(RESULTS)


@pytest.mark.parametrize("name", RESULTS)
def test_four_devices_equal_one(name):
    installed("nccl.core")
    code = f"import runpy\nrunpy.run_path({str(DOCS / 'gallery' / f'{name}.py')!r}, run_name='__main__')"
    done = child(code, SKERRY_REHEARSE="4", SKERRY_REHEARSE_KERNELS="1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert RESULTS[name] in done.stdout
