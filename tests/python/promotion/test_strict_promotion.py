# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``strict_promotion()`` rejects each mix that the standard leaves undefined, and nothing else."""

import asyncio
import operator
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import DTYPES
from tests.python.promotion.kind_rule import common, level


def refused(calls):
    """Each call works outside the context and raises TypeError inside; leaving it restores the rule."""
    for call in calls:
        call()
        with sk.strict_promotion(), pytest.raises(TypeError):
            call()
        call()


@loop_over("right", DTYPES)
@loop_over("left", DTYPES)
def test_only_pairs_that_the_standard_promotes_work(left, right, device):
    x1, x2 = (sk.ones((2,), dtype=name, device=device) for name in (left, right))
    calls = [
        lambda: x1 == x2,
        lambda: sk.where(x1 == x1, x1, x2),
        lambda: sk.concat([x1, x2]),
        lambda: sk.result_type(x1, right),
    ]
    if level(left) != level(right):
        refused(calls)
    elif common(left, right) is not None:
        with sk.strict_promotion():
            for call in calls:
                call()


def test_extensions_of_the_default_rule_raise(device):
    n = sk.arange(4, device=device)
    x = sk.ones((4,), dtype="float32", device=device)
    mask = n > 1
    matrix = sk.asarray([[2, 1], [1, 1]], device=device)
    refused(
        [
            lambda: n * 0.5, lambda: n + 1j, lambda: mask + 1, lambda: n + True, lambda: n / 2, lambda: mask + mask,
            lambda: mask * x, lambda: sk.maximum(mask, mask), lambda: sk.sqrt(n), lambda: sk.mean(n), lambda: sk.var(mask),
            lambda: sk.max(mask), lambda: sk.argmax(mask), lambda: sk.fft.fft(n), lambda: sk.linalg.inv(matrix),
            lambda: sk.linalg.vector_norm(n), lambda: sk.linalg.matrix_power(matrix, 2), lambda: n @ x,
            lambda: mask @ mask, lambda: sk.linalg.trace(matrix > 1), lambda: sk.logical_and(n, n),
            lambda: sk.where(n, x, x), lambda: sk.clip(n, 0.5, 2.5), lambda: sk.searchsorted(n, 1.5),
            lambda: sk.linspace(0, 9, 10, dtype="int64"), lambda: sk.asarray([1.5], dtype="int64"),
            lambda: sk.asarray([True, n[0]]), lambda: sk.full((2,), 2.5, dtype="int64"), lambda: sk.full_like(n, 2.0),
            lambda: operator.setitem(n, 0, 2.0), lambda: operator.setitem(x, 0, 2 + 0j),
            lambda: operator.setitem(x, slice(None), n), lambda: operator.iadd(x, n), lambda: sk.result_type(n, 0.5),
        ]
    )  # fmt: skip


def test_promotions_of_the_standard_work(device):
    with sk.strict_promotion():
        x = sk.ones((3,), dtype="float32", device=device)
        assert (x * 2).dtype == (x / 2).dtype == np.dtype("float32")
        assert (x * 1j).dtype == np.dtype("complex64")
        assert (sk.arange(3, dtype="int8") + sk.arange(3, dtype="uint8")).dtype == np.dtype("int16")
        assert sk.sum(x > 0).dtype == np.dtype("int64")


def test_strict_promotion_nests_and_is_local_to_thread_and_task():
    n = sk.arange(3)
    with sk.strict_promotion() as entered:
        assert entered is True
        with sk.strict_promotion(False):
            n * 0.5
        with pytest.raises(TypeError):
            n * 0.5
        worked = []
        thread = threading.Thread(target=lambda: worked.append(n * 0.5))
        thread.start()
        thread.join()
        assert worked

    async def strict():
        with sk.strict_promotion():
            await asyncio.sleep(0.01)
            with pytest.raises(TypeError):
                n * 0.5

    async def both():
        task = asyncio.create_task(strict())
        await asyncio.sleep(0)
        n * 0.5
        await task

    asyncio.run(both())
    for wrong in (1, "strict", None):
        with pytest.raises(TypeError, match="strict_promotion"):
            sk.strict_promotion(wrong)


CALLS = """
import skerry as sk
try:
    print((sk.arange(3) * 0.5).dtype)
except TypeError:
    print("refused")
with sk.strict_promotion(False):
    print((sk.arange(3) * 0.5).dtype)
"""


@pytest.mark.parametrize(("value", "first"), [("strict", "refused"), ("kinds", "float64"), ("", "float64"), ("loose", "float64")])  # fmt: skip
def test_environment_selects_the_promotion_rule(value, first):
    done = subprocess.run(
        [sys.executable, "-c", CALLS],
        env={**os.environ, "SKERRY_PROMOTION": value},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [first, "float64"]
    assert ("SKERRY_PROMOTION=loose" in done.stderr) == (value == "loose")
