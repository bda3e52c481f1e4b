# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Thresholds between algorithms on a CPU are in ops/kernel/cpu/tuning.hpp, with rows that measure them."""

import re

from bench import tune
from tests.python.project.test_layers import ROOT, sources

HEADER = ROOT / tune.HEADER
#: A literal number in a constant whose name means a threshold, a block size or a distance; or a grain size.
OWN_NUMBER = re.compile(
    r"constexpr (?:std::)?(?:int64|int64_t|int|size_t)\s+"
    r"(\w*(?:bytes|from|grain|block|chunk|distance|ahead|tile)\w*|m(?:in|ax)_\w+)(?:<[^=;]*>)?\s*="
    r"[^;]*(?<!\w)\d{2,}[^;]*;|(parallel_for)\([^,]*, \d{3,}"
)
#: Constants that affect more than the speed, by file, with what determines them.
OTHERS = {
    "kernel/cpu/vector.hpp": {"vector_bytes"},  # the instruction set
    "kernel/cpu/transpose.cpp": {"block_side"},  # the size of a register
    "random/cpu/random.hpp": {"per_block"},  # defined by Philox
    "linear/cpu/blas.cpp": {"max_extent"},  # BLAS counts in 32 bits
    "linear/cpu/openblas.cpp": {"library_bytes", "thread_bytes"},  # memory of OpenBLAS
    "sort/cpu/sort.hpp": {"counted_from", "block"},  # scratch memory, and counters of 16 bits
    "sort/cpu/order_statistic.hpp": {"max_parts"},  # threads whose counts fit the stack
    "sort/cpu/sort_split.hpp": {"max_chunks"},  # the same
    "sort/cpu/partial.cpp": {"block"},  # vectors
    "kernel/cpu/loops.hpp": {"strided_from"},  # which items are vectors
    "sort/cpu/sort_network.hpp": {"max_network_rows"},  # registers
    # These determine the rounding of sums, which is the same on all machines.
    "reduce/cpu/cut.hpp": {
        "max_partials",
        "contiguous_row_from",
        "max_row_length",
    },
    "reduce/cpu/boolean.hpp": {"block_rows", "chunk_size"},  # capacity of one-byte counters
    "reduce/cpu/index.hpp": {"block_rows"},  # the same
    "reduce/cpu/loops.hpp": {"block_rows", "max_run_length"},
    "reduce/cpu/moments.hpp": {"block_rows", "max_run_length"},
    "linear/cpu/dot.hpp": {"block"},
    "scan/cpu/rows.hpp": {"max_strip_width", "column_block", "run_block"},
    "scan/cpu/scan.cpp": {"max_chunks", "smallest_chunk"},
}


def defined_names():
    return [match["name"] for match in tune.CONSTANT.finditer(HEADER.read_text())]


def test_each_constant_has_rows_and_a_use():
    by_name = tune.constants(HEADER.read_text())
    text = "\n".join(path.read_text() for path in sources("ops") if path != HEADER)
    names = [name for name in defined_names() if name not in tune.UNITS]
    assert len(names) > 50
    assert [name for name in names if name not in by_name] == []
    assert [name for name in names if not re.search(rf"\btuning::{name}\b", text)] == []


def test_kernels_have_no_thresholds_outside_tuning():
    names_by_file = {}
    for path in sorted((ROOT / "ops").glob("*/cpu/*.?pp")):
        if path != HEADER:
            names = {name or call for name, call in OWN_NUMBER.findall(path.read_text())}
            names_by_file[path.relative_to(ROOT / "ops").as_posix()] = names
    others = {file: names - OTHERS.get(file, set()) for file, names in names_by_file.items()}
    assert {file: names for file, names in others.items() if names} == {}
    assert {
        file: names - names_by_file[file]
        for file, names in OTHERS.items()
        if names - names_by_file[file]
    } == {}


def test_tunable_header_reads_constants_from_the_environment():
    header = HEADER.read_text()
    text = tune.tunable_header(header, {"half_block": 2048})
    by_name = tune.constants(header)
    for name, constant in by_name.items():
        variable = f'{name} = from_environment("TUNING_{name}", {constant.value});'
        assert (variable in text) == (not constant.is_compiled), name
    assert "half_block = 2048;" in text
    assert by_name["packed_tile_bytes"].value == 8192
    assert by_name["packed_tile_bytes"].rows[0] == tune.Row("x = f4(1000000)[::-1]", "x + x", False)


def test_rows_of_constants_run(tmp_path, capsys):
    """Runs each with small arrays: the code of the rows is valid."""
    for constant in tune.constants(HEADER.read_text()).values():
        small = [row._replace(arrays=re.sub(r"0{2,}\b", "0", row.arrays)) for row in constant.rows]
        tune.time_rows([list(row) for row in small])
        assert len(eval(capsys.readouterr().out)) == len(small)
