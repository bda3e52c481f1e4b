# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Array files: NumPy reads what skerry writes and vice versa, on every device and in chunks."""

import gzip
import io
import os
import subprocess
import sys

import numpy as np
import pytest
import skerry as sk
from skerry._files import elements
from skerry.exceptions import DTypeError, ReadOnlyError

from tests.python.libraries import library
from tests.python.loops import loop_over
from tests.python.oracle import DTYPES, assert_same, sample, to_device, to_numpy

SHAPES = [(), (0,), (3, 0, 2), (5,), (4, 6), (2, 3, 4)]
LAYOUTS = {
    "c": lambda x: x,
    "fortran": lambda x: x.T,
    "slice": lambda x: x[1:, ::2],
    "reversed": lambda x: x[::-1],
    "permuted": lambda x: np.moveaxis(x, 0, 1),
    "broadcast": lambda x: x[:, None, :1],
}
HOSTS = ["cpu:0", "cpu:1"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "x.npy"


@pytest.fixture(params=[elements.CHUNK, 40], ids=["whole", "chunks"])
def chunk(request, monkeypatch):
    """The arrays of the tests are smaller than a chunk, or take several."""
    monkeypatch.setattr(elements, "CHUNK", request.param)


def saved_by_numpy(x):
    file = io.BytesIO()
    np.save(file, x)
    return file.getvalue()


def saved(x):
    file = io.BytesIO()
    sk.save(file, x)
    return file.getvalue()


# One array.


@loop_over("dtype", DTYPES)
@loop_over("shape", SHAPES)
def test_saved_bytes_equal_numpy(dtype, shape, device, chunk):
    x = sample(dtype, shape)
    assert saved(to_device(device, x)) == saved_by_numpy(x)


@loop_over("layout", LAYOUTS)
def test_saved_layouts_equal_numpy(layout, device, chunk):
    x = sample("float32", (6, 5))
    change = LAYOUTS[layout]
    y = (
        sk.moveaxis(to_device(device, x), 0, 1)
        if layout == "permuted"
        else change(to_device(device, x))
    )
    assert saved(y) == saved_by_numpy(change(x))


@loop_over("dtype", DTYPES)
@loop_over("shape", SHAPES)
@loop_over("order", ["C", "F"])
@loop_over("swapped", [False, True])
def test_numpy_files_are_read(dtype, shape, order, swapped, device, chunk):
    if swapped and dtype == "bfloat16":
        return  # ml_dtypes has no other byte order
    x = np.asarray(sample(dtype, shape), order=order)
    file = io.BytesIO(saved_by_numpy(x.astype(x.dtype.newbyteorder("S")) if swapped else x))
    got = sk.load(file, device=device)
    assert_same(got, x, device)
    if x.size > 1 and x.ndim > 1:  # the memory order of the file, as in NumPy
        assert got.strides == x.strides


def test_path_round_trips(path, device):
    x = to_device(device, sample("float64", (7, 3)))
    sk.save(path, x)
    assert_same(sk.load(str(path), device=device), to_numpy(x), device)
    np.testing.assert_array_equal(np.load(path), to_numpy(x))


def test_load_uses_the_default_device(path, device):
    sk.save(path, sk.arange(3))
    with sk.device(device):
        assert sk.load(path).device == sk.Device(device)


def test_paths_get_a_suffix(tmp_path):
    sk.save(tmp_path / "x", sk.arange(3))
    sk.savez(tmp_path / "y", sk.arange(3))
    assert sorted(os.listdir(tmp_path)) == ["x.npy", "y.npz"]


def test_host_values_are_saved_without_a_device(path):
    for x in (np.arange(3), [[1.0, 2.0]], 3, np.float32(2), np.arange(3, dtype=">i4")):
        with sk.device("cuda:0"):
            old_allocations = sk.memory_statistics("cuda:0").allocations
            sk.save(path, x)
        assert sk.memory_statistics("cuda:0").allocations == old_allocations
        np.testing.assert_array_equal(np.load(path), np.asarray(x))


def test_several_arrays_in_one_file_object(device):
    file = io.BytesIO()
    for n in range(3):
        sk.save(file, sk.arange(n, device=device))
    file.seek(0)
    assert [sk.load(file, device=device).shape for _ in range(3)] == [(0,), (1,), (2,)]


def test_gzip_and_slow_file_objects(tmp_path, chunk):
    x = sample("int16", (30,))
    with gzip.open(tmp_path / "x.gz", "wb") as file:
        sk.save(file, to_device("cuda:0", x))
    with gzip.open(tmp_path / "x.gz", "rb") as file:
        assert_same(sk.load(file, device="cuda:1"), x, "cuda:1")
    with open(tmp_path / "raw", "wb", buffering=0) as file:
        sk.save(Reluctant(file), to_device("cpu:0", x))
    with open(tmp_path / "raw", "rb", buffering=0) as file:
        assert_same(sk.load(Reluctant(file), device="cpu:1"), x, "cpu:1")


class Reluctant:
    """A file object that transfers few bytes at once, and has no readinto."""

    def __init__(self, file):
        self.seek, self.tell = file.seek, file.tell
        self.read = lambda n: file.read(min(n, 7)) if n > 8 else file.read(n)
        self.write = lambda data: file.write(data if isinstance(data, bytes) else data[:7])


def test_numpy_save_functions_take_skerry_arrays(tmp_path, device):
    x = sk.arange(4, device=device)
    np.save(tmp_path / "x", x, allow_pickle=False)
    np.savez(tmp_path / "x", x, name=x)
    np.savez_compressed(tmp_path / "y", x, name=x)
    for file in ("x.npz", "y.npz"):
        with np.load(tmp_path / file) as arrays:
            assert sorted(arrays) == ["arr_0", "name"]
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), np.arange(4))


def test_saving_from_a_gpu_uses_chunks_of_host_memory(path, monkeypatch):
    """A GPU array is saved and loaded through buffers of CHUNK bytes."""
    monkeypatch.setattr(elements, "CHUNK", 1 << 20)
    x = sk.arange(4 << 20, dtype=sk.float32, device="cuda:0")  # 16 MiB
    sk.trim("cpu:0")
    start = sk.memory_statistics("cpu:0").live_bytes
    sk.reset_peak("cpu:0")
    sk.save(path, x)
    y = sk.load(path, device="cuda:1")
    assert sk.memory_statistics("cpu:0").peak_bytes - start < 3 << 20  # two buffers
    assert_same(y, to_numpy(x), "cuda:1")


def test_reading_waits_for_copies_from_its_buffers(path, monkeypatch, slow):
    monkeypatch.setattr(elements, "CHUNK", 64)
    x = sample("float64", (50,))
    np.save(path, x)
    assert_same(sk.load(path, device="cuda:0"), x, "cuda:0")


# Mapped memory.


@pytest.mark.parametrize("order", ["C", "F"])
def test_mapped_array_shares_the_file(path, order):
    for host in HOSTS:
        x = np.asarray(sample("float64", (4, 3)), order=order)
        np.save(path, x)
        mapped = sk.load(path, "r", device=host)
        assert_same(mapped, x, host)
        with pytest.raises(ReadOnlyError):
            mapped[0, 0] = 1.0
        with open(path, "r+b") as file:
            file.seek(-8, os.SEEK_END)
            file.write(np.float64(42).tobytes())
        assert float(mapped[3, 2]) == 42


def test_mmap_modes(path):
    np.save(path, np.zeros(3))
    copied = sk.load(path, mmap_mode="c", device="cpu:0")
    copied[0] = 1.0
    assert np.load(path)[0] == 0
    shared = sk.load(path, mmap_mode="r+", device="cpu:0")
    shared[0] = 2.0
    assert np.load(path)[0] == 2
    with pytest.raises(ValueError, match="known are 'r'"):
        sk.load(path, mmap_mode="w+")


@loop_over("shape", SHAPES)
@loop_over("order", ["C", "F"])
def test_mapped_files_are_transferred_in_chunks(shape, order, path, cuda_device, chunk):
    x = np.asarray(sample("int32", shape), order=order)
    np.save(path, x.astype(">i4"))
    assert_same(sk.load(path, mmap_mode="r", device=cuda_device), x, cuda_device)
    np.save(path, x)
    assert_same(sk.load(path, mmap_mode="r", device="cpu:0"), x, "cpu:0")
    with pytest.raises(ValueError, match="is a copy"):
        sk.load(path, mmap_mode="r+", device=cuda_device)


def test_files_that_cannot_be_mapped_raise(tmp_path, path):
    np.save(path, np.arange(3, dtype=">i8"))
    with pytest.raises(ValueError, match="other order"):
        sk.load(path, mmap_mode="r", device="cpu:0")
    sk.savez(tmp_path / "x.npz", sk.arange(3))
    for file in (tmp_path / "x.npz", tmp_path / "x.safetensors", io.BytesIO(saved(sk.arange(3)))):
        with pytest.raises(ValueError, match="leave it out"):
            sk.load(file, mmap_mode="r")


# Archives.


@pytest.mark.parametrize("compressed", [False, True])
def test_archives_round_trip(tmp_path, device, compressed, chunk):
    x, y = sample("float16", (5, 7)), sample("complex64", (3,))
    path = tmp_path / "x.npz"
    if compressed:
        sk.savez_compressed(path, to_device(device, x), y=to_device("cpu:0", y))
    else:
        sk.savez(path, to_device(device, x), y=to_device("cpu:0", y))
    with np.load(path) as arrays:
        np.testing.assert_array_equal(arrays["arr_0"], x)
    with sk.load(path, device=device) as arrays:
        assert list(arrays) == arrays.files == ["y", "arr_0"]
        assert len(arrays) == 2
        assert arrays.device == sk.Device(device)
        assert "y" in arrays
        assert_same(arrays["arr_0"], x, device)
        assert {name: array.shape for name, array in arrays.items()} == {"arr_0": (5, 7), "y": (3,)}
        assert repr(arrays) == f"NpzFile({str(path)!r}, keys=[y, arr_0], device={device!r})"
        with pytest.raises(KeyError, match="which has y, arr_0"):
            arrays["z"]
    with pytest.raises(ValueError, match="closed"):
        arrays["y"]


def test_archive_members_are_read_lazily(tmp_path):
    """A member that cannot be read does not affect the others."""
    path = tmp_path / "x.npz"
    np.savez(path, objects=np.array([None]), x=np.arange(3), swapped=np.arange(3, dtype=">u2"))
    with sk.load(path, device="cuda:0") as arrays:
        assert_same(arrays["x"], np.arange(3), "cuda:0")
        assert_same(arrays["swapped"], np.arange(3, dtype="uint16"), "cuda:0")
        with pytest.raises(DTypeError, match="never loaded"):
            arrays["objects"]


def test_empty_archive_and_duplicate_names(tmp_path):
    sk.savez(tmp_path / "x.npz")
    with sk.load(tmp_path / "x.npz") as arrays:
        assert len(arrays) == 0
    with pytest.raises(ValueError, match="arr_0"):
        sk.savez(tmp_path / "y.npz", sk.arange(3), arr_0=sk.arange(2))
    assert not (tmp_path / "y.npz").exists()


# safetensors


@loop_over("shape", SHAPES)
def test_safetensors_round_trip(tmp_path, device, shape, chunk):
    theirs = library("safetensors.numpy")
    path = tmp_path / "x.safetensors"
    host = {name: sample(name, shape) for name in DTYPES if name != "complex128"}
    host["größe"] = np.array(3)
    sk.save(path, {name: to_device(device, x) for name, x in host.items()})
    read = theirs.load_file(path)
    assert read.keys() == host.keys()
    for name, x in host.items():
        np.testing.assert_array_equal(read[name], x, strict=True)
    theirs.save_file({name: np.ascontiguousarray(x) for name, x in host.items()}, path)
    read = sk.load(path, device=device)
    assert read.keys() == host.keys()
    for name, x in host.items():
        assert_same(
            read[name], np.ascontiguousarray(x) if x.ndim else x.reshape(read[name].shape), device
        )


@loop_over("layout", LAYOUTS)
def test_safetensors_are_saved_in_c_order(tmp_path, device, layout, chunk):
    library("safetensors")
    x = sample("float32", (6, 5))
    change = LAYOUTS[layout]
    y = (
        sk.moveaxis(to_device(device, x), 0, 1)
        if layout == "permuted"
        else change(to_device(device, x))
    )
    sk.save(tmp_path / "x.safetensors", {"x": y})
    assert_same(sk.load(tmp_path / "x.safetensors", device=device)["x"], change(x), device)


def test_unsupported_safetensors_raise(tmp_path):
    library("safetensors")
    path = tmp_path / "x.safetensors"
    with pytest.raises(DTypeError, match="complex128"):
        sk.save(path, {"x": sk.ones(3, dtype=sk.complex128)})
    with pytest.raises(TypeError, match="dict"):
        sk.save(path, sk.ones(3))
    with pytest.raises(TypeError, match="savez"):
        sk.save(tmp_path / "x.npy", {"x": sk.ones(3)})
    with pytest.raises(ValueError, match="__metadata__"):
        sk.save(path, {"__metadata__": sk.ones(3)})
    assert os.listdir(tmp_path) == []
    header = b'{"x":{"dtype":"F8_E5M2","shape":[2],"data_offsets":[0,2]}}'
    path.write_bytes(len(header).to_bytes(8, "little") + header + b"12")
    with pytest.raises(DTypeError, match="F8_E5M2"):
        sk.load(path)
    sk.save(path, {"x": sk.ones(3)})
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ValueError, match="truncated"):
        sk.load(path)
    with pytest.raises(FileNotFoundError):
        sk.load(tmp_path / "y.safetensors")


def test_safetensors_is_imported_only_to_load(tmp_path):
    code = (
        "import sys; sys.modules['safetensors'] = None; import skerry as sk\n"
        f"sk.save({str(tmp_path / 'x.safetensors')!r}, {{'x': sk.ones(3)}})\n"
        f"sk.load({str(tmp_path / 'x.safetensors')!r})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1].startswith("ImportError: load: ")
    assert "pip install safetensors" in done.stderr
