# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Every public function of arrays gives equal results in every layout, at every threshold, for any number of threads."""

from __future__ import annotations

import numpy as np
import pytest
import skerry as sk

from tests.python.layouts import layout_walk, memory_layouts, walked_calls
from tests.python.layouts.kernel_thresholds import MOST, edges, thresholds

#: Cells per call: many on the host's kernels, to which all layouts and thresholds apply, and one on a device.
COUNTS = {"cpu:0": 48, "cuda:0": 1}


@pytest.fixture(scope="session")
def walk_seed(request: pytest.FixtureRequest) -> int:
    """Returns the seed for the selection of cells."""
    return request.config.getoption("--walk-seed")


def test_every_public_function_has_calls_or_a_reason_for_none() -> None:
    unknown = []
    for path, function in walked_calls.public_paths().items():
        if walked_calls.left_out(path):
            continue
        try:
            walked_calls.calls_of(path, function)
        except KeyError as error:
            unknown.append(f"{path}: no argument for its parameter {error}")
    assert not unknown, "add calls of these to walked_calls.py"


def test_tables_name_existing_functions_only() -> None:
    paths = set(walked_calls.public_paths())
    assert set(walked_calls.NO_ARRAYS) <= paths
    assert {f"random.{name}" for name in walked_calls.RANDOM_LEFT_OUT} <= paths
    for table in (walked_calls.STATED, walked_calls.WRITES, walked_calls.METHODS):
        assert set(table) <= paths
    for name in (path.partition(".")[2] for path in paths if path.startswith("Array.")):
        assert hasattr(sk.Array, name)


def test_thresholds_are_read_from_the_sources() -> None:
    """Thresholds are named constants, and literals in comparisons."""
    names_by_number = thresholds()
    for number, name in {
        128: "block_rows",
        1024: "max_run_length",
        16384: "reduce_pack_bytes",
        32768: "parallel_from",
        1 << 17: "min_run_size",
        7 << 20: "min_streamed_copy_bytes",
        64: "contiguous_row_from",
        8: "width() < 8",
    }.items():
        assert any(name in entry for entry in names_by_number[number]), name
    assert {2047, 2048, 2049, 16383, 16384, 16385} <= set(edges(8))
    assert edges(1)[-1] >= MOST


@pytest.mark.parametrize("name", memory_layouts.LAYOUTS)
def test_layouts_have_the_view_that_they_name(name: str) -> None:
    """A view has the values that `draw` returned, except in layouts whose elements share memory."""
    layout = memory_layouts.LAYOUTS[name]
    shape = (4, 3, 5)
    values = np.arange(60.0).reshape(shape)
    operand = memory_layouts.lay_out(
        name, lambda base_shape: np.resize(values, base_shape), shape, "cpu:0"
    )
    host = np.asarray(operand.view)
    np.testing.assert_array_equal(host, np.asarray(operand.dense))
    assert operand.dense.strides == (120, 40, 8)
    assert layout.repeats == (host.nbytes > memory_layouts.spanned_bytes(host))
    assert layout.repeats or np.array_equal(host, values)
    dense = name in ("dense", "odd address", "offset by one element")
    assert dense == (operand.view.strides == operand.dense.strides)


@pytest.mark.parametrize("walked_device", COUNTS)
@pytest.mark.parametrize("path", layout_walk.walked_paths())
def test_results_equal_those_of_dense_copies(
    path: str, walked_device: str, walk_seed: int, full: bool
) -> None:
    is_full = full and walked_device == "cpu:0"
    tally = layout_walk.walk(path, walked_device, walk_seed, is_full, COUNTS[walked_device])
    assert not tally.problems, "\n".join([f"{len(tally.problems)} differ", *tally.problems[:3]])
    if walked_device == "cpu:0":
        assert not tally.refused, "these calls raise in every cell"
