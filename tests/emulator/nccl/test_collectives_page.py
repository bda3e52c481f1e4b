# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The programs of the page on collectives run as printed, each in a process."""

import re
import textwrap

import pytest

from tests.emulator.users_kernels.test_users_kernels import child
from tests.python.libraries import installed
from tests.python.project.test_docs import DOCS

BLOCK = re.compile(r"(?:^\.\. code-block:: python|[^:]::)\n\n((?:   .*\n|\n)+)", re.MULTILINE)
START = "import skerry as sk\nsk.rehearse(cuda=4, kernels=True)\n"
# What comes before and after each program.
AROUND = {
    "run": (START, "assert [float(x[0]) for x in totals] == [6.0] * 4"),
    "mpi": (START, "assert (comm.rank, comm.size, str(comm.device)) == (0, 1, 'cuda:0')"),
    "nccl4py": ("", "assert [float(x[0]) for x in arrays] == [4.0] * 4"),
    "faults": (
        START,
        """
import pytest

def train():
    def step(comm):
        for _ in range(9):
            x = comm.all_reduce(sk.ones(3, device=comm.device))
            sk.synchronize(comm.device)

    with pytest.raises(Exception, match="rank 2"):
        sk.comm.run(step, sk.devices("cuda"))

test_training_survives_a_dead_rank()
""",
    ),
}


def programs():
    return [textwrap.dedent(text) for text in BLOCK.findall((DOCS / "collectives.rst").read_text())]


def test_every_program_is_run():
    assert len(programs()) == len(AROUND)


@pytest.mark.parametrize("name", AROUND)
def test_program(name):
    for package in ("nccl.core", "mpi4py"):
        installed(package)
    prelude, checks = AROUND[name]
    done = child(prelude + programs()[[*AROUND].index(name)] + checks)
    assert done.returncode == 0, done.stdout + done.stderr
