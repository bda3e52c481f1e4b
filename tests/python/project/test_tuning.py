# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""What decides between ways to compute on a CPU stands in ops/kernel/cpu/tuning.hpp, with rows that measure it."""

import re

from bench import tune
from tests.python.project.test_layers import ROOT, sources

HEADER = ROOT / tune.HEADER
#: A number of its own, in a name that says a threshold, a size of blocks or a distance.
OWN_NUMBER = re.compile(
    r"constexpr (?:std::)?(?:int64|int64_t|int|size_t)\s+"
    r"(\w*(?:bytes|from|grain|block|chunk|distance|ahead|run|tile)\w*|m(?:in|ax)_\w+)\s*="
    r"\s*(?:(?:std::)?int64(?:_t)?\{)?\d{2,}"
)
#: What is no threshold of ours, or no CPU kernel's.
OTHERS = {
    "ops/fourier/cpu/ducc/transforms.hpp": {"long_transform"},  # ducc's own
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


def test_variables_take_the_place_of_constants():
    header = HEADER.read_text()
    text = tune.tunable_header(header, {"half_block": 2048})
    by_name = tune.constants(header)
    for name, constant in by_name.items():
        variable = f'{name} = from_environment("TUNING_{name}", {constant.value});'
        assert (variable in text) == (not constant.is_compiled), name
    assert "half_block = 2048;" in text
    assert by_name["packed_tile_bytes"].value == 8192
    assert by_name["packed_tile_bytes"].rows[0] == tune.Row("x = f4(1000000)[::-1]", "x + x", False)


def test_rows_are_calls(tmp_path, capsys):
    """Each by small arrays: names, brackets and functions are right."""
    for constant in tune.constants(HEADER.read_text()).values():
        small = [row._replace(arrays=re.sub(r"0{2,}\b", "0", row.arrays)) for row in constant.rows]
        tune.time_rows([list(row) for row in small])
        assert len(eval(capsys.readouterr().out)) == len(small)
