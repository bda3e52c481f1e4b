# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``skerry.capture``: what a replay computes, in which order, and in which memory."""

import collections
import contextlib
import gc
import threading

import numpy as np
import pytest
import skerry as sk
from skerry.testing import count_cuda_calls, instruments

from tests.python.devices.live_bytes import live_bytes
from tests.python.session import HAS_GPU


def test_a_replay_computes_what_the_function_does(x):
    def function(x):
        y = sk.exp(x) @ sk.ones((4, 4), device=x.device)
        return sk.sort(y - sk.cumulative_sum(x)), sk.fft.fft(y), sk.sum(x, keepdims=True)

    graph = sk.capture(function, x)
    for factor in (1, 2, -0.5):
        expected = function(x * factor)
        for result, value in zip(graph(x * factor), expected, strict=True):
            np.testing.assert_array_equal(result.to_numpy(), value.to_numpy())
            assert (result.dtype, result.shape, result.device) == (
                value.dtype,
                value.shape,
                value.device,
            )


def test_nothing_runs_during_the_capture(x):
    graph = sk.capture(lambda: x.__iadd__(1))
    assert x.tolist() == [0, 1, 2, 3]
    graph()
    graph()
    assert x.tolist() == [2, 3, 4, 5]


def test_the_result_is_overwritten_by_each_replay(x):
    graph = sk.capture(lambda x: 2 * x, x)
    first = graph(x)
    copy = sk.asarray(first, copy=True)
    second = graph(x + 1)
    assert second is first
    assert first.tolist() == [2, 4, 6, 8]
    assert copy.tolist() == [0, 2, 4, 6]


def test_nests_of_arguments_and_results(x):
    point = collections.namedtuple("point", "place weight")

    def function(items, *, scale, name):
        assert isinstance(items["p"], point)
        return {name: [items["p"].place * scale, (items["p"].weight, None)]}

    graph = sk.capture(function, {"p": point(x, x + 1)}, scale=3, name="r")
    result = graph({"p": point(x + 10, x + 20)}, scale=3, name="r")
    assert result["r"][0].tolist() == [30, 33, 36, 39]
    assert result["r"][1][0].tolist() == [20, 21, 22, 23]
    assert result["r"][1][1] is None


def test_one_array_for_two_arguments(x):
    graph = sk.capture(lambda a, b: a - b, x, x)
    assert graph(x, x).tolist() == [0, 0, 0, 0]
    assert graph(x, x + 1).tolist() == [-1, -1, -1, -1]


def test_views_and_strided_arguments():
    x = sk.reshape(sk.arange(12.0, device="cuda:0"), (3, 4))
    graph = sk.capture(lambda x: x[1:] + 1, x.T)
    np.testing.assert_array_equal(graph(x.T).to_numpy(), x.T.to_numpy()[1:] + 1)


def test_empty_arrays():
    graph = sk.capture(lambda x: x + 1, sk.empty((0, 3), device="cuda:0"))
    assert graph(sk.empty((0, 3), device="cuda:0")).shape == (0, 3)


@pytest.mark.parametrize("passes", [1, 2])
def test_fused_functions(x, passes):
    @sk.fuse
    def function(x):
        return sk.sqrt(x * x + 1) - 0.5

    for _ in range(passes):
        expected = function(x)
    assert sk.capture(function, x)(x).tolist() == expected.tolist()


def test_captured_memory_is_kept_alive(x):
    holder = [x + 1]
    graph = sk.capture(lambda: holder[0] * 2)
    holder.clear()
    gc.collect()
    others = [sk.full(4, -1.0, device="cuda:0") for _ in range(100)]
    assert graph().tolist() == [2, 4, 6, 8]
    assert all(other.tolist() == [-1] * 4 for other in others)


def test_memory_of_a_graph_is_given_to_no_one_else(x):
    graph = sk.capture(lambda x: (x + 1) * 2, x)
    result = graph(x)
    for _ in range(100):
        others = [sk.full(4, -1.0, device="cuda:0") for _ in range(20)]
        graph(x)
        assert others[7].tolist() == [-1] * 4
    assert result.tolist() == [2, 4, 6, 8]


def test_memory_that_is_freed_inside_is_reused_inside():
    x = sk.ones(100_000, device="cuda:0")

    def function(x):
        for _ in range(40):
            x = x + 1
        return x

    old = live_bytes()
    graph = sk.capture(function, x)
    assert live_bytes() - old <= 4 * 100_000 * 8 * 1.1
    assert graph(x)[0].item() == 41


def test_all_memory_comes_back(x):
    old = live_bytes()
    graph = sk.capture(lambda x: sk.sort(x * 2), x)
    result = graph(x)
    del graph
    assert result.tolist() == [0, 2, 4, 6]
    del result
    assert live_bytes() == old


def test_a_result_outlives_its_graph(x):
    result = sk.capture(lambda x: x + 1, x)(x)
    gc.collect()
    others = [sk.full(4, -1.0, device="cuda:0") for _ in range(20)]
    assert result.tolist() == [1, 2, 3, 4]
    del others


def test_replays_are_in_program_order_on_any_stream(x):
    total = sk.zeros(4, device="cuda:0")

    def add(x):
        total.__iadd__(x)
        return total * 1

    graph = sk.capture(add, x)
    streams = [sk.Stream("cuda:0") for _ in range(3)]
    delay = contextlib.nullcontext() if HAS_GPU else instruments.delayed_work(0, 0.001)
    with delay:
        for i in range(12):
            with streams[i % 3]:
                y = graph(sk.full(4, float(i), device="cuda:0"))
            total += 0.5
            assert y[0].item() == i * (i + 1) / 2 + 0.5 * i
    assert total[0].item() == 66 + 6


def test_a_graph_in_another_thread(x):
    graph = sk.capture(lambda x: x + 1, x)
    results = []
    threads = [
        threading.Thread(target=lambda i=i: results.append((i, graph(x * i)))) for i in range(8)
    ]
    for thread in threads:
        thread.start()
        thread.join()
    assert [(i, value.shape) for i, value in results] == [(i, (4,)) for i in range(8)]
    assert results[0][1].tolist() == [1, 8, 15, 22]


@pytest.mark.not_guarded("freeing guarded memory waits for its device, which ends a capture")
def test_another_thread_works_during_a_capture(x):
    seen = []

    def function(x):
        thread = threading.Thread(target=lambda: seen.append(sk.sum(x_outside + 1).item()))
        thread.start()
        thread.join()
        return x + 1

    x_outside = sk.ones(4, device="cuda:0")
    graph = sk.capture(function, x)
    assert seen == [8]
    assert graph(x).tolist() == [1, 2, 3, 4]


def test_several_devices_in_one_graph(x):
    y = sk.asarray([10.0, 20.0, 30.0, 40.0], device="cuda:1")

    def function(x, y):
        moved = (x + 1).to_device("cuda:1")
        summed = moved * y
        x = x * 0  # after the copy
        return summed.to_device("cuda:0") + x, summed

    graph = sk.capture(function, x, y)
    for i in range(3):
        on_first, on_second = graph(x + i, y)
        assert on_second.device == sk.Device("cuda:1")
        expected = (x.to_numpy() + i + 1) * y.to_numpy()
        np.testing.assert_array_equal(on_first.to_numpy(), expected)
        np.testing.assert_array_equal(on_second.to_numpy(), expected)


def test_errors_of_values_are_raised_by_each_replay(x):
    graph = sk.capture(lambda x, i: sk.take(x, i), x, sk.asarray([1, 2], device="cuda:0"))
    good = sk.asarray([3, 0], device="cuda:0")
    bad = sk.asarray([3, 4], device="cuda:0")
    for _ in range(3):
        assert graph(x, good).tolist() == [3, 0]
        result = graph(x, bad)
        with pytest.raises(IndexError, match="4"):
            result.tolist()
        sk.synchronize("cuda:0")


def test_replays_with_checked_indices_use_no_more_words(x):
    for _ in range(3):
        graph = sk.capture(
            lambda x, i: [sk.take(x, i) for _ in range(400)], x, sk.asarray([1], device="cuda:0")
        )
        for _ in range(3):
            assert graph(x, sk.asarray([2], device="cuda:0"))[-1].tolist() == [2]
        sk.synchronize("cuda:0")
        del graph
        gc.collect()


@pytest.mark.skipif(HAS_GPU, reason="a launch on a GPU does not use the counted calls")
def test_a_replay_is_one_call(x):
    def function(x):
        for _ in range(20):
            x = sk.sqrt(x * x)
        return x

    graph = sk.capture(function, x)
    graph(x)
    with count_cuda_calls() as counted:
        function(x)
    eager = sum(counted.values())
    with count_cuda_calls() as counted:
        graph(x)
    assert sum(counted.values()) <= eager / 10
    assert counted["graph_launch"] == 1


def test_representation(x):
    def named(x):
        return x

    assert "named" in repr(sk.capture(named, x))
