# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``memory_snapshot``: the lines that created blocks of memory, in messages, as data and as a picture."""

import gc
import html.parser
import inspect
import os
import subprocess
import sys

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import OutOfMemoryError
from skerry.testing import instruments

MIB = 1 << 20
FILE = __file__


def line():
    return inspect.currentframe().f_back.f_lineno


@pytest.fixture
def traced():
    gc.collect()
    with instruments.traced_memory():
        yield


def blocks(device, **conditions):
    return [
        block
        for block in sk.memory_snapshot(device).blocks
        if all(getattr(block, name) == value for name, value in conditions.items())
    ]


def test_blocks_have_the_lines_that_created_them(traced, device):
    x = sk.ones((1000,), dtype=sk.uint8, device=device)
    (block,) = blocks(device, line=line() - 1)
    assert block.filename == FILE
    assert block.location == f"{FILE}:{block.line}"
    assert (block.device, block.kind, block.nbytes) == (device, "array", 1000)
    assert (block.function, block.state, block.end) == ("ones", "live", None)
    start = block.start
    assert x.device == sk.Device(device)
    del x
    (block,) = blocks(device, line=block.line)
    assert block.state == "freed"
    assert start == block.start <= block.end <= sk.memory_snapshot().time


def test_lines_of_the_package_are_skipped(traced, device):
    x = sk.tri(50, dtype=sk.uint8, device=device)
    assert x.nbytes in [block.nbytes for block in blocks(device, line=line() - 1)]
    assert {block.filename for block in blocks(device)} == {FILE}


def test_kinds(traced):
    host = np.ones(100)
    imported = sk.from_dlpack(host)
    pinned = sk.empty(100, pinned=True)
    view = pinned[2:]
    assert [block.kind for block in blocks("cpu:0")] == ["imported", "pinned"]
    assert blocks("cpu:0")[0].address == host.ctypes.data
    del imported
    assert [block.kind for block in blocks("cpu:0", end=None)] == ["pinned"]
    assert instruments.is_pinned(view)
    del pinned
    assert [block.kind for block in blocks("cpu:0", end=None)] == ["pinned"]
    del view
    assert blocks("cpu:0", end=None) == []


def test_arrays_without_elements_are_no_blocks(traced, device):
    sk.ones((0,), device=device)
    assert blocks(device) == []


def test_events_are_in_the_order_of_time(traced):
    x = sk.ones(10, device="cuda:0")
    y = sk.ones(20, device="cuda:0")
    del x
    events = sk.memory_snapshot("cuda:0").events
    assert [(event.action, event.block.nbytes) for event in events] == [
        ("allocate", 80), ("allocate", 160), ("free", 80)
    ]  # fmt: skip
    assert [event.time for event in events] == sorted(event.time for event in events)
    del y


def test_lines_are_sorted_by_live_bytes(traced):
    arrays = [sk.ones(10, device="cuda:0") for _ in range(3)]
    first = line() - 1
    x = sk.ones(1000, device="cuda:0")
    assert list(sk.memory_snapshot("cuda:0").lines().items()) == [
        (f"{FILE}:{first + 2}", 8000), (f"{FILE}:{first}", 240)
    ]  # fmt: skip
    assert repr(sk.memory_snapshot("cuda:0")) == (
        "<MemorySnapshot: 8240 bytes in 4 live blocks, 0 freed>"
    )
    del arrays, x


def test_out_of_memory_names_the_lines(traced, device):
    arrays = [sk.empty(MIB, dtype=sk.uint8, device=device) for _ in range(2)]
    first = line() - 1
    x = sk.empty(10 * MIB, dtype=sk.uint8, device=device)
    imported = sk.asarray(x)  # the same storage
    live = sk.memory_statistics(device).live_bytes
    sk.set_memory_limit(device, live + MIB)
    try:
        with pytest.raises(OutOfMemoryError) as caught:
            sk.empty(100 * MIB, dtype=sk.uint8, device=device)
    finally:
        sk.set_memory_limit(device, None)
    assert str(caught.value).endswith(
        f"; held by the lines: 10.0 MiB in 1 array of {FILE}:{first + 2}, 2.00 MiB in 2 arrays of "
        f"{FILE}:{first}; imported: 0 bytes in 0 arrays"
    )
    assert "cached" in str(caught.value)
    del arrays, imported


def test_out_of_memory_counts_imported_arrays_and_further_lines(traced):
    host = np.ones(1000)
    imported = sk.from_dlpack(host)
    # fmt: off
    arrays = [
        sk.ones(1),
        sk.ones(2),
        sk.ones(3),
        sk.ones(4),
        sk.ones(5),
        sk.ones(6),
        sk.ones(7),
    ]
    # fmt: on
    with pytest.raises(OutOfMemoryError) as caught:
        sk.empty(1 << 60, dtype=sk.uint8)
    assert str(caught.value).endswith(", and 2 more lines; imported: 7.81 KiB in 1 array")
    assert f"56 bytes in 1 array of {FILE}:" in str(caught.value)
    del arrays, imported


def test_without_a_trace():
    if instruments.is_tracing_memory():
        pytest.skip("SKERRY_TRACE_MEMORY=1")
    with pytest.raises(OutOfMemoryError, match="SKERRY_TRACE_MEMORY=1 in the environment names"):
        sk.empty(1 << 60, dtype=sk.uint8)
    with pytest.raises(RuntimeError, match=r"^memory_snapshot: memory is not traced"):
        sk.memory_snapshot()


def test_results_in_traced_memory(traced, device):
    """In-place operations, reductions and streams work on traced storages."""
    x = sk.arange(1000, dtype=sk.int64, device=device)
    x += 1
    y = sk.sort(x[::-1] * 2)
    assert y[:2].tolist() == [2, 4]
    assert sk.sum(y).item() == 1000 * 1001
    assert sk.fuse(lambda a: sk.sum(a * 2 + 1))(x).item() == 1000 * 1001 + 1000
    assert np.asarray(y.to_device("cpu:0"))[-1] == 2000
    z = sk.from_dlpack(x)
    x[0] = 7
    assert z[0].item() == 7


class _Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.open, self.links = [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.links += [value for name, value in attributes if name in ("src", "href")]
        if tag not in ("meta", "rect"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag != "rect":
            assert self.open.pop() == tag


def test_the_picture_is_a_page_of_its_own(traced, tmp_path):
    x = sk.ones(10, device="cuda:0")
    first = line() - 1
    y = sk.ones(20, device="cuda:0")
    del x
    z = sk.ones(5, device="cuda:0")
    host = sk.ones(5)
    snapshot = sk.memory_snapshot()
    snapshot.save(tmp_path / "memory.html")
    text = (tmp_path / "memory.html").read_text()
    reader = _Reader()
    reader.feed(text)
    assert reader.open == []
    assert reader.links == []
    assert reader.tags.count("rect") == 4
    assert reader.tags.count("svg") == 2
    assert f"{FILE}:{first}" in text
    assert snapshot._repr_html_() in text
    del y, z, host


def test_blocks_of_the_picture_do_not_overlap():
    from skerry._memory_snapshot import MemoryBlock, _positions

    rng = np.random.default_rng(3)
    starts = np.sort(rng.random(200))
    samples = [
        MemoryBlock("cuda:0", "array", 0, int(rng.integers(1, 9)), None, None, 0, start, end)
        for start, end in zip(starts, starts + rng.random(200) / 9, strict=True)
    ]
    boxes = list(zip(_positions(samples), samples, strict=True))
    for i, (position, block) in enumerate(boxes):
        for other_position, other in boxes[:i]:
            is_apart = (
                position + block.nbytes <= other_position
                or other_position + other.nbytes <= position
            )
            assert is_apart or other.end <= block.start


def test_a_picture_without_blocks(traced):
    assert sk.memory_snapshot()._repr_html_() == ""


def test_the_environment_variable_starts_the_trace():
    code = (
        "import skerry as sk\n"
        "x = sk.ones(3)\n"
        "print([(b.filename, b.line, b.nbytes) for b in sk.memory_snapshot().blocks])\n"
    )
    for value, expected in (("1", "[('<string>', 2, 24)]\n"), ("0", "")):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "SKERRY_TRACE_MEMORY": value},
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        assert done.stdout == expected
        assert (done.returncode == 0) == (value == "1")
