# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Families of CUDA kernels at the edges of tiles, on operands at any offset, against NumPy."""

import numpy as np
import pytest

from tests.python.kernels import kernel_edges
from tests.python.kernels.kernel_edge_cases import CASES
from tests.python.loops import loop_over

WAVES = {name: wave for name in CASES if (wave := kernel_edges.wave_of(CASES, name))}


@loop_over("offset", kernel_edges.OFFSETS)
@pytest.mark.parametrize("name", CASES)
def test_kernels_at_the_edges_of_tiles(name, offset):
    for trial in kernel_edges.trials(CASES[name], offset):
        kernel_edges.compare(CASES[name], trial)


@pytest.mark.parametrize("name", WAVES)
def test_more_blocks_than_a_gpu_runs_at_once(name):
    kernel_edges.compare(CASES[name], WAVES[name])


def less_of_numpys(s, target):
    """Acts as a kernel that writes one item too many."""
    target[: target.shape[0] - (s is np)] = 3


@pytest.mark.parametrize("offset", kernel_edges.OFFSETS)
def test_comparison_finds_a_write_outside_an_operand(offset):
    wrong = kernel_edges.Case(less_of_numpys, [(5,)])
    (trial,) = kernel_edges.trials(wrong, offset)
    with pytest.raises(AssertionError, match="operand 0 and the memory around it"):
        kernel_edges.compare(wrong, trial)


def test_most_cases_cover_dtypes_of_every_size():
    """Cases with fewer sizes take dtypes that the standard restricts, or that are compared with a tolerance."""
    moved = [name for name, case in CASES.items() if case.dtypes == kernel_edges.EVERY]
    assert len(moved) > len(CASES) / 2
    for name in moved:
        used = {
            np.dtype(trial.dtype).itemsize
            for offset in kernel_edges.OFFSETS
            for trial in kernel_edges.trials(CASES[name], offset)
        }
        assert used == {1, 2, 4, 8, 16}, name
