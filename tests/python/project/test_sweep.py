# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The sweep of bench/peers/sweep.py covers every public function that NumPy also has, and calls of each work."""

import types

import pytest

from bench.peers import (
    sweep,
    sweep_cases,
    sweep_operands,
    sweep_peers,
    sweep_statements,
    sweep_threads,
)


def test_every_public_function_is_measured_or_left_out_with_a_reason():
    unknown = [
        path
        for path, function, peer in sweep_cases.public_functions()
        if peer is not None
        and path.rpartition(".")[2] not in sweep_cases.LEFT_OUT
        and not sweep_cases.has_arguments(path.rpartition(".")[2], function)
    ]
    assert not unknown, "their parameters need arguments in bench/peers/sweep_cases.py"


def test_reasons_exist_for_current_functions_only():
    names = {
        path.rpartition(".")[2]
        for path, _, peer in sweep_cases.public_functions()
        if peer is not None
    }
    assert set(sweep_cases.LEFT_OUT) <= names


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # NumPy's warnings about values
@pytest.mark.parametrize(
    "function", sweep_cases.measured_functions(), ids=lambda function: function.path
)
def test_calls_of_a_function_work_for_both_libraries(function):
    cases = [case for case in sweep_cases.cases_of(function) if case.size <= 100]
    assert cases, "no small case"
    outcomes = [sweep.tried(case) for case in cases]
    assert any(outcome.works for outcome in outcomes), outcomes[0].why


@pytest.mark.slow
def test_no_cell_is_measured_twice():
    names = [case.name for case in sweep_cases.all_cases()]
    assert len(names) == len(set(names))
    assert any("gradient(a, axis=0)" in name for name in names)


def test_reasons_for_speed_lost_to_accuracy():
    def cell(function, speed, dtype="float32"):
        return sweep.Cell("", "", function, dtype, 100, "contiguous", 1, 1.0, speed)

    assert "accuracy" in sweep.reason_of(cell("tan", 0.8))
    assert "0.501" in sweep.reason_of(cell("tan", 0.8, "float16"))
    assert sweep.reason_of(cell("tan", 0.8, "int64")) is None
    assert sweep.reason_of(cell("tan", 0.6)) is None
    assert sweep.reason_of(cell("tan", 1.0)) is None
    assert sweep.reason_of(cell("add", 0.8)) is None
    assert "view" in sweep.reason_of(cell("real", 0.1, "complex64"))
    assert sweep.reason_of(cell("real", 0.1)) is None


def test_reasons_of_statements_apply_down_to_a_speed():
    assert set(sweep_statements.REASONS) <= set(sweep_statements.STATEMENTS)
    for statement, (least, why) in sweep_statements.REASONS.items():
        speeds = {least: why, least / 2: None, 1.0: None}
        for speed, reason in speeds.items():
            cell = sweep.Cell(statement, "", statement, "float64", 100, "", 1, 1.0, speed)
            assert sweep.reason_of(cell) == reason


def test_reasons_for_small_gain_by_threads():
    memory = {"compute": 1.9, "read": 1.9, "copy": 1.3}

    def reason(gain, callers_part=0.5, function="add", size=16_000_000):
        measurement = sweep_threads.Gain("", function, size, gain, 1.0, callers_part)
        return measurement.reason(memory, 2)

    assert "copy 1.30 times" in reason(1.25)
    assert reason(1.0) is None
    assert reason(1.7) is None
    assert "95 % of the work" in reason(1.0, 0.95)
    assert reason(1.0, size=sweep_threads.SMALL) is None
    assert reason(1.0, function="unstack") == sweep_threads.REASONS["unstack"]
    names = {function.name for function in sweep_cases.measured_functions()}
    assert set(sweep_threads.REASONS) <= names


def test_sorted_operands_rise_in_every_layout():
    for layout, shape in sweep_cases.shapes_of(100).items():
        x = sweep_operands.Operand(shape, "float64", layout, "sorted").host()
        assert layout == "transposed" or (x[..., 1:] >= x[..., :-1]).all(), layout


def test_several_results_of_jax_are_waited_for_and_unstack_is_not_compiled():
    waited = []

    class Array:
        def block_until_ready(self):
            waited.append(self)
            return self

    names = types.SimpleNamespace(sign=lambda a: a, modf=lambda a: (a, a), unstack=lambda a: [a])
    jax = types.SimpleNamespace(
        Array=Array,
        block_until_ready=lambda tree: [leaf.block_until_ready() for leaf in tree],
        clear_caches=lambda: None,
        jit=lambda function, static_argnames: function,
        numpy=names,
    )
    peer = sweep_peers.Jax.__new__(sweep_peers.Jax)
    peer.jax, peer.path, peer.compiled = jax, "", None
    peer.function("sign")(Array())
    peer.function("modf")(Array())
    assert len(waited) == 3
    assert peer.function("unstack") is None
