# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""File objects with partial, empty or wrongly counted reads and writes: arrays are transferred whole, or OSError is raised."""

import io
import os
import socket

import numpy as np
import pytest
import skerry as sk
from skerry._files import elements

from tests.python.oracle import assert_same, sample, to_device

SAVES = {
    "save": sk.save,
    "savez": lambda file, x: sk.savez(file, x=x),
    "savez_compressed": lambda file, x: sk.savez_compressed(file, x=x),
}
X = sample("float32", (40, 5))


class Raw(io.RawIOBase):
    """An unbuffered file in memory that writes and reads at most ``most`` bytes at once."""

    def __init__(self, data=b"", most=7, count=lambda n: n):
        self.memory, self.most, self.count = io.BytesIO(data), most, count
        self.tell = self.memory.tell
        self.seek = self.memory.seek

    def readable(self):
        return True

    def seekable(self):
        return True

    def writable(self):
        return True

    def write(self, data):
        return self.count(self.memory.write(bytes(data)[: self.most]))

    def readinto(self, memory):
        return self.count(self.memory.readinto(memoryview(memory)[: self.most]))


class Uncounted:
    """A file object whose write returns None."""

    def __init__(self, most=None, tells=True):
        self.data, self.most = b"", most
        if tells:
            self.tell = lambda: len(self.data)

    def write(self, data):
        self.data += bytes(data)[: self.most]


@pytest.fixture(params=[elements.CHUNK, 40], ids=["whole", "chunks"])
def chunk(request, monkeypatch):
    monkeypatch.setattr(elements, "CHUNK", request.param)


def loaded(data, device="cpu:0"):
    got = sk.load(io.BytesIO(data), device=device)
    return got if isinstance(got, sk.Array) else got["x"]


@pytest.mark.parametrize("save", SAVES)
def test_partial_writes_are_continued(save, device, chunk):
    file = Raw()
    SAVES[save](file, to_device(device, X))
    assert_same(loaded(file.memory.getvalue()), X, "cpu:0")


@pytest.mark.parametrize("save", SAVES)
@pytest.mark.parametrize("most", [None, 7])
def test_write_that_returns_none_is_supported(save, most):
    file = Uncounted(most)
    SAVES[save](file, to_device("cpu:0", X))
    assert_same(loaded(file.data), X, "cpu:0")
    if most is None:
        file = Uncounted(tells=False)
        SAVES[save](file, to_device("cpu:0", X))
        assert_same(loaded(file.data), X, "cpu:0")


@pytest.mark.parametrize("save", SAVES)
@pytest.mark.parametrize(
    "count",
    [
        lambda n: 0,
        lambda n: -1,
        lambda n: n + 1000,
        lambda n: 1.0,
        lambda n: "7",
        lambda n: True,
        lambda n: 10**30,
    ],
    ids=["nothing", "negative", "too many", "float", "text", "bool", "huge"],
)
def test_write_that_returns_a_wrong_count_raises(save, count):
    for file in (Raw(count=count), Duck(count)):
        with pytest.raises(OSError, match=r"write\(\) of the file object returned"):
            SAVES[save](file, to_device("cpu:0", X))


class Duck:
    def __init__(self, count):
        self.count = count

    def write(self, data):
        return self.count(len(data))


@pytest.mark.parametrize("save", SAVES)
def test_file_that_would_block_raises(save):
    with pytest.raises(BlockingIOError, match="without blocking"):
        SAVES[save](Raw(count=lambda n: None), to_device("cpu:0", X))
    stands = Uncounted(0)
    with pytest.raises(OSError, match="returned 0"):
        SAVES[save](stands, to_device("cpu:0", X))


@pytest.mark.parametrize("save", SAVES)
def test_text_file_raises_before_writing(save, tmp_path):
    with (
        open(tmp_path / "x", "w", encoding="utf-8") as file,
        pytest.raises(TypeError, match="open it with mode 'wb'"),
    ):
        SAVES[save](file, to_device("cpu:0", X))
    assert (tmp_path / "x").read_bytes() == b""


@pytest.mark.parametrize("save", SAVES)
def test_full_pipes_and_sockets_raise(save):
    """Random bytes cannot be compressed."""
    x = sk.asarray(np.random.default_rng(0).integers(0, 256, 1 << 20, dtype="uint8"))
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with os.fdopen(writer, "wb", buffering=0) as file, pytest.raises(BlockingIOError):
        SAVES[save](file, x)
    os.close(reader)
    one, other = socket.socketpair()
    one.setblocking(False)
    with one, other, one.makefile("wb", buffering=0) as file, pytest.raises(BlockingIOError):
        SAVES[save](file, x)


def test_partial_reads_are_continued(device, chunk):
    file = io.BytesIO()
    sk.save(file, to_device("cpu:0", X))
    assert_same(sk.load(Raw(file.getvalue()), device=device), X, device)
    file = io.BytesIO()
    sk.savez(file, x=to_device("cpu:0", X))
    with sk.load(io.BufferedReader(Raw(file.getvalue(), 1 << 20)), device=device) as arrays:
        assert_same(arrays["x"], X, device)


@pytest.mark.parametrize("count", [-1, 1000, 1.0, "7", True], ids=str)
def test_readinto_that_returns_a_wrong_count_raises(count, device):
    """The header is read correctly, the elements are not."""
    file = io.BytesIO()
    sk.save(file, to_device("cpu:0", X))

    class Lying(Raw):
        def read(self, n):
            return self.memory.read(n)

        def readinto(self, memory):
            return count if self.memory.tell() >= 128 else super().readinto(memory)

    lying = Lying(file.getvalue())
    lying.seek(128)
    with pytest.raises(OSError, match=r"readinto\(\) of the file object returned"):
        elements.read(lying, X.dtype, X.shape, device, is_size_known=True)


def test_read_that_returns_none_text_or_too_much_raises():
    data = io.BytesIO()
    sk.save(data, to_device("cpu:0", X))

    class Reads:
        def __init__(self, read):
            self.memory = io.BytesIO(data.getvalue())
            self.tell, self.seek = self.memory.tell, self.memory.seek
            self.read = lambda n: (
                read(self.memory.read(n)) if self.tell() >= 6 else self.memory.read(n)
            )

    assert_same(sk.load(Reads(lambda data: data), device="cpu:0"), X, "cpu:0")
    with pytest.raises(BlockingIOError, match="nothing to read yet"):
        sk.load(Reads(lambda data: None))
    with pytest.raises(TypeError, match="'rb'"):
        sk.load(Reads(lambda data: data.decode("latin1")))
    with pytest.raises(OSError, match=r"read\(\) of the file object returned"):
        sk.load(Reads(lambda data: data + b"more"))
    with pytest.raises(ValueError, match="truncated"):
        sk.load(Reads(lambda data: b""))


def test_memory_is_allocated_as_chunks_are_read(monkeypatch):
    """The header of a file object that cannot tell its size states a huge shape."""
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1152921504606846975,), }\n"
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(1000)
    with pytest.raises(ValueError, match="truncated"):
        sk.load(Raw(data, most=1 << 20), device="cpu:0")
