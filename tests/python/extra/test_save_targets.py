# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Targets of saved files: read-only files and folders, durability, and remains of killed saves."""

import contextlib
import io
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import pytest
import skerry as sk

SAVES = {
    "x.npy": sk.save,
    "x.npz": lambda path, x: sk.savez(path, x=x),
    "x.safetensors": lambda path, x: sk.save(path, {"x": x}),
}
NOBODY = 65534


@pytest.fixture(params=SAVES)
def name(request):
    return request.param


@pytest.mark.parametrize("mode", [0o444, 0o400, 0o555])
def test_saving_to_a_read_only_file_raises(tmp_path, name, mode):
    """Also for root, who could write the file: read-only means that it must not change."""
    path = tmp_path / name
    SAVES[name](path, sk.arange(3))
    old_contents = path.read_bytes()
    path.chmod(mode)
    (tmp_path / "link").symlink_to(path)
    with pytest.raises(PermissionError, match="read-only") as caught:
        SAVES[name](path, sk.arange(4))
    assert caught.value.filename == str(path)
    assert path.read_bytes() == old_contents
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert sorted(os.listdir(tmp_path)) == sorted([name, "link"])


def as_ordinary_user(work):
    """Runs ``work`` in a child process without root's rights. Returns its error as text."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        said = ""
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setresgid(NOBODY, NOBODY, NOBODY)
                os.setresuid(NOBODY, NOBODY, NOBODY)
            work()
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        said = stream.read().decode()
    os.waitpid(child, 0)
    return said


@pytest.fixture
def folder():
    """A folder that other users may enter; pytest's may not allow that."""
    path = pathlib.Path(tempfile.mkdtemp())
    path.chmod(0o755)
    yield path
    path.chmod(0o755)
    shutil.rmtree(path)


def read_back(path):
    read = sk.load(path, device="cpu:0")
    if path.suffix == ".npy":
        return read.tolist()
    with read if path.suffix == ".npz" else contextlib.nullcontext(read) as arrays:
        return arrays["x"].tolist()


def test_writable_file_in_a_read_only_folder_is_overwritten(folder, name):
    path = folder / name
    SAVES[name](path, sk.arange(30))
    path.chmod(0o666)
    inode = path.stat().st_ino
    folder.chmod(0o555)
    assert as_ordinary_user(lambda: SAVES[name](path, sk.arange(3))) == ""
    assert path.stat().st_ino == inode
    assert os.listdir(folder) == [name]
    assert read_back(path) == [0, 1, 2]
    said = as_ordinary_user(lambda: SAVES[name](folder / f"new {name}", sk.arange(3)))
    assert said.startswith("PermissionError")
    assert f"new {name}" in said


def test_file_of_another_user_in_a_sticky_folder_is_overwritten(folder, name):
    """The file may be written in place, but not replaced."""
    if os.geteuid() != 0:
        pytest.skip("needs files of two users, so needs root")
    path = folder / name
    SAVES[name](path, sk.arange(30))
    path.chmod(0o666)
    folder.chmod(0o1777)
    assert as_ordinary_user(lambda: SAVES[name](path, sk.arange(3))) == ""
    assert path.stat().st_uid == 0
    assert os.listdir(folder) == [name]
    assert read_back(path) == [0, 1, 2]


def test_saving_keeps_owner_and_mode(tmp_path, name):
    path = tmp_path / name
    SAVES[name](path, sk.arange(3))
    path.chmod(0o604)
    if os.geteuid() == 0:
        os.chown(path, NOBODY, NOBODY)
    old_status = path.stat()
    SAVES[name](path, sk.arange(4))
    new_status = path.stat()
    assert (new_status.st_mode, new_status.st_uid, new_status.st_gid) == (
        old_status.st_mode,
        old_status.st_uid,
        old_status.st_gid,
    )
    assert new_status.st_ino != old_status.st_ino


def test_contents_are_synced_before_the_rename(tmp_path, name, monkeypatch):
    calls = []

    def recorded(name, function):
        def call(*args):
            calls.append((name, os.fstat(args[0]).st_size if name == "fsync" else args[1]))
            return function(*args)

        return call

    for function_name in ("fsync", "replace"):
        monkeypatch.setattr(os, function_name, recorded(function_name, getattr(os, function_name)))
    path = tmp_path / name
    SAVES[name](path, sk.arange(1000))
    assert [function_name for function_name, _ in calls] == ["fsync", "replace", "fsync"]
    assert calls[0][1] == path.stat().st_size > 8000


# Killed saves.

PAUSED = """
import sys, skerry as sk
from skerry._files import elements
write = elements.write
def pause(file, x):
    file.write(b"a part")
    file.flush()
    print("writing", flush=True)
    sys.stdin.readline()
    write(file, x)
elements.write = pause
path = sys.argv[1]
x = sk.arange(5)
sk.save(path, {"x": x} if path.endswith("safetensors") else x) if "npz" not in path else sk.savez(path, x=x)
"""


@pytest.fixture
def paused():
    """Starts saves that pause midway."""
    started = []

    def start(path):
        process = subprocess.Popen(
            [sys.executable, "-c", PAUSED, path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        assert process.stdout.readline() == "writing\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def hidden(folder):
    return [name for name in os.listdir(folder) if name.startswith(".")]


@pytest.mark.parametrize("next_name", ["x.npy", "another.npy"])
def test_leftovers_of_killed_saves_are_removed_with_a_warning(tmp_path, name, paused, next_name):
    process = paused(tmp_path / name)
    process.send_signal(signal.SIGKILL)
    process.wait()
    (left,) = hidden(tmp_path)
    assert name in left
    with pytest.warns(RuntimeWarning, match=f"removed .*{left}.* killed"):
        sk.save(tmp_path / next_name, sk.arange(3))
    assert os.listdir(tmp_path) == [next_name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sk.save(tmp_path / next_name, sk.arange(4))


def test_files_of_running_saves_are_kept(tmp_path, paused):
    path = tmp_path / "x.npy"
    processes = [paused(path) for _ in range(2)]
    assert len(hidden(tmp_path)) == 2
    sk.save(path, sk.arange(3))
    assert np.load(path).shape == (3,)
    assert len(hidden(tmp_path)) == 2
    for process in processes:
        process.communicate("\n")
        assert process.returncode == 0
    assert os.listdir(tmp_path) == ["x.npy"]


def test_long_file_names_are_saved(tmp_path):
    name = "ä" * 124 + ".npy"  # 252 bytes; a file system takes 255
    sk.save(tmp_path / name, sk.arange(3))
    assert os.listdir(tmp_path) == [name]
    too_long = tmp_path / ("a" * 252 + ".npy")
    with pytest.raises(OSError, match="too long") as caught:
        sk.save(too_long, sk.arange(3))
    assert caught.value.filename == str(too_long)
    assert os.listdir(tmp_path) == [name]


# Names in archives.


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("a\0b", "NUL"),
        ("\udc80", "no valid text"),
        ("a" * 65532, "65532 bytes"),
        ("ä" * 33000, "66000 bytes"),
    ],
    ids=["nul", "surrogate", "long", "long in bytes"],
)
@pytest.mark.parametrize("save", [sk.savez, sk.savez_compressed])
def test_names_invalid_in_zip_raise(tmp_path, name, fault, save):
    with pytest.raises(ValueError, match=f"^{save.__name__}: .*{fault}.*rename"):
        save(tmp_path / "x.npz", **{"x": sk.arange(3), name: sk.arange(3)})
    assert os.listdir(tmp_path) == []
    file = io.BytesIO()
    with pytest.raises(ValueError, match=fault):
        save(file, **{"x": sk.arange(3), name: sk.arange(3)})
    assert file.getvalue() == b""


@pytest.mark.parametrize("name", ["", "a/b", "../a", "größe", "a.npy", "a" * 65531, " ", "\n"])
def test_names_valid_in_zip_round_trip(tmp_path, name):
    sk.savez(tmp_path / "x.npz", **{name: sk.arange(3), "other": sk.arange(2)})
    with sk.load(tmp_path / "x.npz", device="cpu:0") as arrays:
        assert arrays.files == [name, "other"]
        assert arrays[name].tolist() == [0, 1, 2]


def test_names_invalid_in_safetensors_raise(tmp_path):
    with pytest.raises(ValueError, match="no valid text"):
        sk.save(tmp_path / "x.safetensors", {"a\udc80": sk.arange(3)})
    assert os.listdir(tmp_path) == []
