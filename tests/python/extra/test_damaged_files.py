# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Damaged and unsupported array files, and failed writes."""

import io
import os
import stat

import numpy as np
import pytest
import skerry as sk
from skerry._files import elements
from skerry.exceptions import DTypeError

from tests.python.loops import loop_over
from tests.python.oracle import sample


@pytest.fixture
def path(tmp_path):
    return tmp_path / "x.npy"


def saved_by_numpy(x):
    file = io.BytesIO()
    np.save(file, x)
    return file.getvalue()


@pytest.mark.parametrize(
    ("x", "instead"),
    [
        (np.zeros(2, "f4,i4"), "records"),
        (np.zeros(2, [("größe", "f4")]), "records"),
        (np.array([{}, None]), "never loaded"),
        (np.array(["text"]), "text is not supported; read it with numpy.load"),
        (np.array([b"text"]), "text is not supported; read it with numpy.load"),
        (np.zeros(2, "M8[s]"), "int64"),
        (np.zeros(2, "longdouble"), "numpy.load"),
    ],
    ids=lambda x: str(x.dtype) if isinstance(x, np.ndarray) else "",
)
@pytest.mark.filterwarnings("ignore:Stored array in format 3.0")
def test_unsupported_dtypes_raise(x, instead, path):
    np.save(path, x)
    for mode in (None, "r"):
        with pytest.raises(DTypeError, match=instead):
            sk.load(path, mmap_mode=mode)
    if x.dtype.kind != "g" and x.dtype != np.longdouble:
        with pytest.raises(TypeError):
            sk.save(path, x)


@loop_over("left", [0, 3, 7, 9, 40, 128, 131])
def test_truncated_files_raise(left, path, device):
    data = saved_by_numpy(np.arange(3.0))[:left]
    path.write_bytes(data)
    for mode in (None, "r"):
        with pytest.raises(ValueError, match=rf"load: {path}: ((empty, or )?truncated|EOF)"):
            sk.load(path, mmap_mode=mode, device=device)
    file = io.BytesIO(data)
    with pytest.raises(ValueError, match=r"load: BytesIO: ((empty, or )?truncated|EOF)"):
        sk.load(file, device=device)


def test_sizes_in_headers_are_checked_before_allocation(path):
    """A header may state any shape."""
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1152921504606846975,), }\n"
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()
    path.write_bytes(data)
    with pytest.raises(ValueError, match="of which the file has 0"):
        sk.load(path)
    path.write_bytes(data.replace(b"(115292150460684697", b"(-11529215046068469"))
    with pytest.raises(ValueError, match="negative"):
        sk.load(path)


def test_truncated_archives_raise(tmp_path):
    path = tmp_path / "x.npz"
    sk.savez(path, sk.arange(100))
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(ValueError, match="truncated"):
        sk.load(path)


@pytest.mark.parametrize("compressed", [False, True])
def test_damaged_archive_members_raise(tmp_path, compressed, device):
    path = tmp_path / "x.npz"
    (sk.savez_compressed if compressed else sk.savez)(path, sk.asarray(sample("float64", (100,))))
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    with sk.load(path, device=device) as arrays, pytest.raises(ValueError, match="arr_0: damaged"):
        arrays["arr_0"]


def test_other_kinds_of_files_raise(path):
    path.write_text("1,2,3")
    with pytest.raises(ValueError, match="neither"):
        sk.load(path)
    path.write_bytes(b"\x80\x04.")
    with pytest.raises(ValueError, match="a pickle"):
        sk.load(path)
    path.write_bytes(b"\x93NUMPY\x09\x00" + bytes(100))
    with pytest.raises(ValueError, match="version"):
        sk.load(path)
    with open(path, encoding="latin1") as file, pytest.raises(TypeError, match="'rb'"):
        sk.load(file)
    with pytest.raises(FileNotFoundError):
        sk.load(path.with_name("y.npy"))


@pytest.mark.parametrize("name", ["x.npy", "x.npz", "x.safetensors"])
def test_failed_save_keeps_the_old_file(tmp_path, monkeypatch, name, device):
    path = tmp_path / name
    save = {
        ".npy": sk.save,
        ".npz": lambda path, x: sk.savez(path, x=x),
        ".safetensors": lambda path, x: sk.save(path, {"x": x}),
    }[path.suffix]
    write = elements.write

    def fail(file, x):
        write(file, x[:2])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(elements, "write", fail)
        with pytest.raises(OSError, match="No space"):
            save(path, sk.arange(5, device=device))
        assert os.listdir(tmp_path) == []
    save(path, sk.arange(5, device=device))
    old_contents = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(elements, "write", fail)
        with pytest.raises(OSError, match="No space"):
            save(path, sk.arange(6, device=device))
    assert path.read_bytes() == old_contents
    assert os.listdir(tmp_path) == [name]


def test_saving_keeps_permissions_links_and_devices(tmp_path):
    """Permissions, a symbolic link and a device file remain."""
    real, link = tmp_path / "real.npy", tmp_path / "link.npy"
    sk.save(real, sk.arange(3))
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(real.stat().st_mode) == 0o666 & ~mask
    real.chmod(0o640)
    link.symlink_to("real.npy")
    sk.save(link, sk.arange(4))
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert np.load(real).shape == (4,)
    (tmp_path / "null.npy").symlink_to(os.devnull)
    sk.save(tmp_path / "null.npy", sk.arange(4))
    assert not os.path.isfile(os.devnull)


def test_missing_folder_is_named_as_given(tmp_path):
    path = tmp_path / "not there" / "x.npy"
    with pytest.raises(FileNotFoundError) as caught:
        sk.save(path, sk.arange(3))
    assert caught.value.filename == str(path)
