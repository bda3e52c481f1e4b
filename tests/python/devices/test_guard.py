# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``skerry.guard``: what is recorded and rejected, and in which context."""

import asyncio
import contextlib
import contextvars
import gc
import inspect
import threading

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import GuardError, OutOfMemoryError
from skerry.testing import instruments

from tests.python.ledger import Comparison
from tests.python.session import HAS_GPU

needs_rehearsal = pytest.mark.skipif(HAS_GPU, reason="compares with the count of rehearsed devices")


def kinds(ledger):
    return [entry.kinds for entry in ledger.entries]


#: Calls that copy from a device and wait, with the number of bytes.
READS = {
    "item": (lambda x: x[1].item(), 8),
    "float": (lambda x: float(x[1]), 8),
    "bool": (lambda x: bool(x[1]), 8),
    "tolist": (lambda x: x.tolist(), 32),
    "repr": (repr, 32),
    "to_device": (lambda x: x.to_device("cpu"), 32),
    "to_numpy": (lambda x: x.to_numpy(), 32),
    "from_dlpack": (lambda x: sk.from_dlpack(x, device="cpu"), 32),
}


@pytest.mark.parametrize("name", READS)
def test_a_read_is_a_transfer_and_a_sync(x, name):
    read, nbytes = READS[name]
    with sk.guard() as ledger:
        read(x)
    assert sum(entry.nbytes for entry in ledger.transfers) == nbytes
    assert {entry.kinds for entry in ledger.transfers} == {("transfer", "sync")}
    assert {(entry.source, entry.target) for entry in ledger.transfers} == {("cuda:0", "cpu:0")}
    assert all(entry.filename == __file__ for entry in ledger.entries)


@pytest.mark.parametrize("name", READS)
@pytest.mark.parametrize("kind", ["transfers", "syncs"])
def test_a_rejected_read_does_not_happen(x, name, kind):
    read, _ = READS[name]
    old_traffic = instruments.rehearsed_traffic()
    with sk.guard(**{kind: "raise"}) as ledger, pytest.raises(GuardError, match=kind):
        read(x)
    assert ledger.entries == []
    assert instruments.rehearsed_traffic() == old_traffic


@pytest.mark.parametrize(
    "select", [sk.nonzero, sk.unique_values, lambda x: x[x > 1], lambda x: sk.argwhere(x)]
)
def test_sizes_that_depend_on_values_are_waits(x, select):
    with sk.guard() as ledger:
        select(x)
    assert ledger.syncs != []
    with sk.guard(syncs="raise"), pytest.raises(GuardError):
        select(x)


@pytest.mark.not_guarded("freeing guarded memory waits for its device")
def test_work_on_one_device_is_not_recorded(x):
    with sk.guard(transfers="raise", syncs="raise") as ledger:
        y = (x + 1).reshape(2, 2) @ sk.ones((2, 2), device="cuda:0")
        y[0] = sk.sum(y)
        sk.sort(y)
        z = sk.asarray([1, 2]) + 1
        assert int(z[0]) == 2  # on the CPU nothing is copied
    assert ledger.entries == []


def test_uploads(x):
    host = np.arange(6.0)
    with sk.guard() as ledger:
        sk.asarray(host, device="cuda:0")
        sk.asarray(host[::2], device="cuda:0")
        sk.asarray([1, 2], device="cuda:0")
        x.to_device("cuda:1")
    assert [entry.nbytes for entry in ledger.transfers] == [48, 24, 16, 32]
    assert [entry.source for entry in ledger.transfers] == ["cpu:0"] * 3 + ["cuda:0"]
    assert [entry.target for entry in ledger.transfers] == ["cuda:0"] * 3 + ["cuda:1"]


def test_pinned_memory_is_named():
    pinned = sk.empty(1000, pinned=True)
    with sk.guard() as ledger:
        on_device = pinned.to_device("cuda:0")
        on_device.to_device("cpu")
    assert [entry.pinned for entry in ledger.transfers] == [True, False]
    # The copy from pinned memory has ended when it returns.
    assert ledger.transfers[0].kinds == ("transfer", "sync")


def test_a_large_upload_waits_for_its_buffers():
    host = sk.ones(24 << 20, dtype=sk.uint8)
    source = sk.from_dlpack(np.ones(24 << 20, dtype=np.uint8)[1:-1])
    with sk.guard() as ledger:
        source.to_device("cuda:0")
        host[1:-1].to_device("cuda:0")
    assert all("sync" in entry.kinds for entry in ledger.transfers)


def test_explicit_waits(x):
    stream, event = sk.Stream("cuda:0"), sk.Event("cuda:0")
    event.record(stream)
    with sk.guard() as ledger:
        sk.synchronize("cuda:0")
        stream.synchronize()
        event.synchronize()
        sk.synchronize("cpu")
    assert kinds(ledger) == [("sync",)] * 3
    assert [entry.source for entry in ledger.syncs] == ["cuda:0"] * 3
    assert ledger.syncs[1].stream == stream.__cuda_stream__()[1]
    assert ledger.transfers == []
    for wait in (stream.synchronize, event.synchronize, lambda: sk.synchronize("cuda:0")):
        with sk.guard(syncs="raise"), pytest.raises(GuardError, match="wait outside the block"):
            wait()


def test_a_rejected_assignment_leaves_the_array_unchanged(x):
    with sk.guard(transfers="raise"), pytest.raises(GuardError):
        x[...] = [5, 5, 5, 5]
    with sk.guard(syncs="raise"), pytest.raises(GuardError):
        x[x > 1] = sk.asarray([7.0, 7.0], device="cuda:0")
    assert x.tolist() == [0, 1, 2, 3]


def test_allocations_on_all_devices(x):
    with sk.guard(allocations="log") as ledger:
        y = x + 1
        sk.zeros(1000, dtype=sk.uint8)
    assert {(e.source, e.nbytes) for e in ledger.allocations} == {("cuda:0", 32), ("cpu:0", 1000)}
    with sk.guard(allocations="raise"):
        sk.add(x, 1, out=y)
        with pytest.raises(GuardError, match="pass out="):
            x + 1
    assert sk.guard().allocations == []


def test_waits_when_memory_runs_out(x):
    live_bytes = sk.memory_statistics("cuda:0").live_bytes
    sk.set_memory_limit("cuda:0", live_bytes + (1 << 20))
    try:
        large = sk.empty(600_000, dtype=sk.uint8, device="cuda:0")
        with sk.guard() as ledger, pytest.raises(OutOfMemoryError):
            sk.empty(600_000, dtype=sk.uint8, device="cuda:0")
        assert [entry.cause for entry in ledger.syncs] == ["out of memory"]
        with sk.guard(syncs="raise"), pytest.raises(GuardError, match="out of memory"):
            sk.empty(600_000, dtype=sk.uint8, device="cuda:0")
        large[...] = 1
    finally:
        sk.set_memory_limit("cuda:0", None)


def test_the_line_is_that_of_the_caller(x):
    with sk.guard() as ledger:
        line = inspect.currentframe().f_lineno + 1
        sk.testing.assert_equal(x, [0.0, 1.0, 2.0, 3.0])  # skerry's own Python code in between
    assert [(entry.filename, entry.line) for entry in ledger.transfers] == [(__file__, line)]


def test_the_name_of_a_function_outlives_its_text(x):
    with sk.guard() as ledger:
        sk.add.outer(x, [1.0, 2.0])
    texts = ["".join(["another ", "text"]) for _ in range(100)]  # in the memory of the name
    assert [entry.function for entry in ledger.transfers] == ["add.outer"]
    assert len(texts) == 100


def test_the_table(x):
    with sk.guard() as ledger:
        float(x[0])
    header, row = str(ledger).splitlines()
    assert header.split()[:3] == ["kind", "bytes", "from"]
    assert row.split()[:4] == ["transfer+sync", "8", "cuda:0", "cpu:0"]
    assert f"{__file__}:{ledger.entries[0].line}" in row
    assert "transfers='log'" in repr(ledger)


def test_the_error_says_what_and_what_to_do(x):
    with sk.guard(transfers="raise"), pytest.raises(GuardError) as caught:
        x.to_device("cpu")
    text = str(caught.value)
    assert text.startswith("to_device: ")
    assert "copy to the host, 32 bytes, cuda:0 to cpu:0" in text
    assert 'skerry.guard(transfers="allow")' in text


def test_the_innermost_guard_decides(x):
    with sk.guard() as outer:
        with sk.guard(transfers="allow") as inner:
            float(x[0])
        with sk.guard(transfers="raise"), pytest.raises(GuardError):
            float(x[0])
        assert outer.transfers == []
        assert inner.transfers == []
        assert len(inner.syncs) == len(outer.syncs) == 1
        with sk.guard() as third:
            float(x[0])
        assert outer.transfers == third.transfers != []
    with sk.guard(transfers="raise"):
        with sk.guard(), pytest.raises(GuardError):  # inherits the policy
            float(x[0])
        with sk.guard(transfers="log") as log:
            float(x[0])
        assert len(log.transfers) == 1


def test_nothing_is_recorded_after_the_block(x):
    with sk.guard() as ledger:
        pass
    float(x[0])
    assert ledger.entries == []
    with pytest.raises(ZeroDivisionError), sk.guard(transfers="raise"):
        raise ZeroDivisionError
    float(x[0])


def test_bad_policies_and_reuse():
    with pytest.raises(ValueError, match="no such policy: transfers='warn'"):
        sk.guard(transfers="warn")
    with pytest.raises(TypeError, match="syncs must be a str or None, not bool"):
        sk.guard(syncs=True)
    with pytest.raises(TypeError):
        sk.guard("raise")
    used = sk.guard()
    with used, pytest.raises(RuntimeError, match="only once"), used:
        pass
    with pytest.raises(RuntimeError, match="only once"), used:
        pass
    with pytest.raises(RuntimeError, match="not entered"):
        sk.guard().__exit__(None, None, None)


def test_other_threads_are_not_guarded(x):
    def read():
        values.append(float(x[1]))

    values = []
    with sk.guard(transfers="raise", syncs="raise"):
        thread = threading.Thread(target=contextvars.Context().run, args=(read,))
        thread.start()
        thread.join()
    assert values == [1]


def test_guards_of_threads_do_not_mix(x):
    def count(thread):
        with sk.guard() as ledger:
            for _ in range(50 * (thread + 1)):
                float(x[thread])
        counts[thread] = len(ledger.transfers)

    counts = {}
    threads = [threading.Thread(target=count, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == {0: 50, 1: 100, 2: 150, 3: 200}


def test_a_copied_context_is_guarded(x):
    errors = []

    def read():
        try:
            float(x[1])
        except GuardError as error:
            errors.append(error)

    with sk.guard(transfers="raise"):
        context = contextvars.copy_context()
        thread = threading.Thread(target=context.run, args=(read,))
        thread.start()
        thread.join()
    assert len(errors) == 1
    context.run(read)  # the guard is closed
    assert len(errors) == 1


def test_tasks_have_their_own_guards(x):
    async def guarded(event):
        with sk.guard() as ledger:
            await event.wait()
            float(x[0])
        return ledger

    async def unguarded(event):
        x.tolist()
        event.set()

    async def run_both():
        event = asyncio.Event()
        ledger, _ = await asyncio.gather(guarded(event), unguarded(event))
        return ledger

    assert [entry.nbytes for entry in asyncio.run(run_both()).transfers] == [8]


def generate(policies):
    with sk.guard(**policies) as ledger:
        yield ledger
        yield ledger


def test_a_guard_left_open_by_a_generator_ends_with_it(x):
    generator = generate({"transfers": "raise"})
    next(generator)
    with pytest.raises(
        GuardError
    ):  # as other context variables, it holds while the generator is suspended
        float(x[0])
    del generator
    gc.collect()
    float(x[0])


def test_a_generator_closed_in_another_context(x):
    generator = generate({"transfers": "raise"})
    contextvars.copy_context().run(next, generator)
    float(x[0])  # the context of the generator is another one
    generator.close()
    float(x[0])
    context = contextvars.copy_context()
    generator = generate({"transfers": "raise"})
    next(generator)
    context.run(generator.close)
    float(x[0])


def test_guards_that_end_in_another_order(x):
    first, second = generate({}), generate({"transfers": "raise"})
    ledger = next(first)
    next(second)
    first.close()
    with pytest.raises(GuardError):
        float(x[0])
    second.close()
    float(x[0])
    assert ledger.entries == []


def test_guards_in_context_managers(x):
    @contextlib.contextmanager
    def without_waits():
        with sk.guard(syncs="raise"):
            yield

    with without_waits(), pytest.raises(GuardError):
        float(x[0])


@pytest.mark.not_guarded("freeing guarded memory waits for its device")
def test_fused_work_is_recorded_where_its_value_is_read(x):
    @sk.fuse
    def compute(x):
        return sk.exp(x) + 1

    with sk.guard() as ledger:
        y = compute(x)
        assert ledger.entries == []
        float(y[0])
    assert len(ledger.transfers) == 1


@needs_rehearsal
def test_the_ledger_is_complete(x):
    """The devices' own count of copied bytes and waits equals the ledger's."""
    host = np.arange(3_000_000, dtype=np.float64)
    with Comparison() as comparison:
        large = sk.asarray(host, device="cuda:0")
        large[::2].to_device("cuda:1")
        large[::3].to_device("cpu")
        x[x > 1]
        sk.linalg.eigvals(sk.eye(3, device="cuda:0"))
        sk.synchronize()
        repr(x)
        sk.trim("cuda:0")
        sk.trim("cpu")
    comparison.check()
    assert len(comparison.ledger.entries) > 5


@needs_rehearsal
@pytest.mark.parametrize("kind", ["transfers", "syncs"])
def test_an_incomplete_ledger_is_found(x, kind):
    with Comparison() as comparison, sk.guard(**{kind: "allow"}):
        float(x[0])
        sk.synchronize("cuda:0")
    with pytest.raises(AssertionError, match="not complete"):
        comparison.check()
