# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Headers of all versions are read. Anything else is a ValueError that names the file, raised before memory is allocated."""

import io
import random
import struct
import subprocess
import sys
import zipfile

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import DTypeError

from tests.python.loops import loop_over
from tests.python.oracle import DTYPES, assert_same, sample

LENGTHS = {1: "<H", 2: "<I", 3: "<I"}
GOOD = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }"
DATA = np.array([1.0, 2.0]).tobytes()


def npy(header, version=1, data=DATA, length=None):
    header = (
        header.encode("utf-8" if version == 3 else "latin1") if isinstance(header, str) else header
    )
    length = len(header) if length is None else length
    return (
        b"\x93NUMPY" + bytes([version, 0]) + struct.pack(LENGTHS[version], length) + header + data
    )


def ways(data, tmp_path):
    """Yields every way to load a file of these bytes, with the name that its errors have."""
    path = tmp_path / "x.npy"
    path.write_bytes(data)
    yield str(path), lambda: sk.load(path, device="cpu:0")
    yield str(path), lambda: sk.load(path, device="cuda:0")
    yield str(path), lambda: sk.load(path, mmap_mode="r", device="cpu:0")
    yield "BytesIO", lambda: sk.load(io.BytesIO(data), device="cpu:0")
    yield "Stream", lambda: sk.load(Stream(data), device="cpu:0")
    archive = tmp_path / "x.npz"
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        with zipfile.ZipFile(archive, "w", method) as members:
            members.writestr("a.npy", data)
        yield f"{archive}: a", lambda: member(archive, "a")


def member(path, name):
    with sk.load(path, device="cpu:0") as arrays:
        return arrays[name]


def outcome(load):
    """Returns the loaded value, or the text of its error."""
    try:
        return load(), None
    except (DTypeError, ValueError) as error:
        return None, str(error)


class Stream:
    """A file object that cannot tell its size."""

    def __init__(self, data):
        file = io.BytesIO(data)
        self.read, self.seek, self.tell = file.read, file.seek, file.tell


@loop_over("version", LENGTHS)
@loop_over("dtype", DTYPES)
def test_headers_of_all_versions_are_read(version, dtype, tmp_path):
    x = np.asfortranarray(sample(dtype, (3, 4)))
    header = repr({"descr": x.dtype.str, "fortran_order": True, "shape": x.shape})
    header = header.ljust(
        128 - len(npy("", version, b""))
    )  # aligns the elements, so that they can be mapped
    for _, load in ways(npy(header, version, x.tobytes("F")), tmp_path):
        got = load()
        assert_same(got, x, str(got.device))


@pytest.mark.parametrize(
    "header",
    [
        "{'shape': (2L,), 'fortran_order': False, 'descr': '<f8'}",  # Python 2
        '{"descr":"<f8","fortran_order":False,"shape":(2,)}\n',
        "  { 'descr' : 'float64' , 'fortran_order' : True , 'shape' : ( 2 , ) , }  \n\n",
        "{'descr': '=f8', 'fortran_order': False, 'shape': (2,)}" + " " * 60000,
    ],
)
def test_headers_of_other_writers_are_read(header, tmp_path):
    header += " " * (-len(npy(header)) % 8)
    for _, load in ways(npy(header), tmp_path):
        assert load().tolist() == [1.0, 2.0]


def test_misaligned_elements_are_not_mapped(tmp_path):
    path = tmp_path / "x.npy"
    path.write_bytes(npy(GOOD))
    assert path.stat().st_size % 8 != 0
    with pytest.raises(
        ValueError, match=r"x\.npy has elements from byte \d+ on.* without mmap_mode"
    ):
        sk.load(path, mmap_mode="r", device="cpu:0")
    assert sk.load(path, mmap_mode="r", device="cuda:0").tolist() == [1.0, 2.0]
    assert sk.load(path, device="cpu:0").tolist() == [1.0, 2.0]


def changed(key, text):
    parts = {"descr": "'<f8'", "fortran_order": "False", "shape": "(2,)", key: text}
    return "{" + ", ".join(f"'{name}': {value}" for name, value in parts.items()) + "}"


DAMAGED = [
    "{'descr': '<f8', 'fortran_order': False, 'shape': (2,",
    "-" * 9000, "(" * 9000, "[" * 300, "{(((", "'a", "", "\n", "\0" * 100, "{", "}", "()", "3", "{}", "None",
    "__import__('os').abort()", "{'descr': '<f8'}", GOOD + GOOD, GOOD[:-1] + "'more': 1}",
    GOOD[:-1] + "'shape': (2,)}", "{'descr': '<f8', 'fortran_order': False, 'shape': (1 2,)}", "\xff\xfe", "9" * 5000,
    *(changed("shape", text) for text in (
        "2", "[2]", "(2.0,)", "(True,)", "('2',)", "(-2,)", "((2,),)", "(2", "None", "(9223372036854775808,)",
        "(0, 9223372036854775807, 2)", "(99999999999999999999,)", "(" + "9" * 100 + ",)", "(" + "1," * 65 + ")",
        "(4611686018427387904, 4)", "(1152921504606846975,)", "(3,)", "(2, 2)", "{}", "(1e3,)", "(2**3,)", "(0x2,)", "(02,)")),
    *(changed("fortran_order", text) for text in ("0", "1", "None", "'False'", "()", "false", "True,")),
    *(changed("descr", text) for text in (
        "'f'8", "'nonsense'", "''", "3", "True", "()", "(1, 2, 3)", "'<f8", "'<f-8'", "'f999'", "'(2'",
        "'<f8'*2", "'M8[zz]'", "'\\N{DIGIT ONE}'", "'\\q'", "[('a',)]", "[('a', 'nonsense')]", "[1]", "'i4, ('", "'>'")),
]  # fmt: skip


@pytest.mark.parametrize("version", LENGTHS)
@pytest.mark.parametrize("header", DAMAGED, ids=range(len(DAMAGED)))
@pytest.mark.filterwarnings(
    "default"
)  # warnings of NumPy or of Python's parser must not reach the caller
def test_damaged_headers_raise_value_error(header, version, tmp_path, recwarn):
    for name, load in ways(npy(header, version), tmp_path):
        with pytest.raises(ValueError) as caught:
            load()
        assert str(caught.value).startswith(f"load: {name}: ")
    assert not recwarn.list


@pytest.mark.parametrize(
    "text",
    [
        "'(2,)f8'",
        "'f8,f8'",
        "'V8'",
        "'O'",
        "'<U3'",
        "'S5'",
        "'<M8[s]'",
        "[('a', '<f8')]",
        "'f8,'",
        "[]",
    ],
)
def test_unsupported_dtypes_in_headers_raise(text, tmp_path):
    header = changed("descr", text)
    for name, load in ways(npy(header), tmp_path):
        with pytest.raises((DTypeError, ValueError)) as caught:
            load()
        assert str(caught.value).startswith(f"load: {name}: ")


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("length", [2**32 - 1, 2**31, 70000])
def test_long_headers_raise(version, length, tmp_path):
    data = npy(GOOD, version, length=length)
    for name, load in ways(data + bytes(80000 if length == 70000 else 0), tmp_path):
        with pytest.raises(ValueError, match="its header") as caught:
            load()
        assert str(caught.value).startswith(f"load: {name}: ")


def test_randomly_changed_headers_load_or_raise(tmp_path, request):
    """A header with changed bytes either loads, or raises with the file's name."""
    rng = random.Random(43)
    path = tmp_path / "x.npy"
    seen = {"right": 0, "refused": 0}
    for _ in range(100_000 if request.config.getoption("full") else 1000):
        data = bytearray(npy(GOOD, rng.choice([1, 2, 3])))
        for _ in range(rng.randint(1, 3)):
            position = rng.randrange(len(data) - len(DATA))
            data[position] = rng.choice(
                [rng.randrange(256), rng.choice(b"(){}[]',:0123456789-TFLfiuVOMS<>|= \\")]
            )
        path.write_bytes(data)
        got, error = outcome(lambda: sk.load(path, device="cpu:0"))
        if error is None:
            assert got.nbytes <= len(DATA)
            seen["right"] += 1
        else:
            assert error.startswith(f"load: {path}: "), bytes(data)
            seen["refused"] += 1
    assert seen["refused"] > seen["right"] > 0


# Archives.


@pytest.mark.parametrize("method", ["ZIP_STORED", "ZIP_DEFLATED", "ZIP_BZIP2", "ZIP_LZMA"])
def test_randomly_changed_archives_load_or_raise(method, tmp_path, request):
    rng = random.Random(43)
    good = io.BytesIO()
    with zipfile.ZipFile(good, "w", getattr(zipfile, method)) as members:
        for name in ("a", "b"):
            members.writestr(f"{name}.npy", npy(GOOD))
    path = tmp_path / "x.npz"
    for _ in range(20_000 if request.config.getoption("full") else 100):
        data = bytearray(good.getvalue())
        for _ in range(rng.randint(1, 2)):
            data[rng.randrange(4, len(data))] = rng.choice([0, 255, rng.randrange(256)])
        path.write_bytes(data)
        got, error = outcome(lambda: all_of(path))
        if error is None:
            assert all(x == [1.0, 2.0] for x in got.values()), bytes(data)
        else:
            assert error.startswith(f"load: {path}: "), bytes(data)


def all_of(path):
    with sk.load(path, device="cpu:0") as arrays:
        return {name: x.tolist() for name, x in arrays.items()}


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
def test_archive_member_sizes_are_checked(method, tmp_path):
    path = tmp_path / "x.npz"
    huge = changed("shape", f"({2**40},)")
    for header in (GOOD, huge):
        with zipfile.ZipFile(path, "w", method) as members:
            members.writestr("a.npy", npy(header))
            members.filelist[0].file_size = 2**43 + 128
        with pytest.raises(ValueError, match=r"x\.npz: a: (damaged|truncated)"):
            member(path, "a")
    with zipfile.ZipFile(path, "w", method) as members:
        members.writestr("a.npy", npy(huge))
    with pytest.raises(ValueError, match="truncated"):
        member(path, "a")
    with zipfile.ZipFile(path, "w", method) as members:
        members.writestr("a.npy", npy(changed("shape", "(1,)")))
    with pytest.raises(ValueError, match="damaged: float64"):
        member(path, "a")


def test_encrypted_or_unknown_archive_members_raise(tmp_path):
    path = tmp_path / "x.npz"
    for offset, value in ((8, 1), (10, 77)):  # flags and method, in the directory
        with zipfile.ZipFile(path, "w") as members:
            members.writestr("a.npy", npy(GOOD))
        data = bytearray(path.read_bytes())
        position = data.index(b"PK\x01\x02") + offset
        data[position] = value
        path.write_bytes(data)
        with pytest.raises(ValueError, match=r"x\.npz: a: damaged"):
            member(path, "a")


def test_headers_do_not_cause_allocations(tmp_path):
    """With 256 MiB of address space left, a file whose header states more is reported as truncated, not as out of memory."""
    path = tmp_path / "x.npy"
    path.write_bytes(npy(changed("shape", f"({2**36},)")))
    code = (
        "import resource, sys, io, gzip, skerry as sk\n"
        "sk.ones(3)\n"
        f"data = open({str(path)!r}, 'rb').read()\n"
        "packed = gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(data)))\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 28),) * 2)\n"
        f"for file in ({str(path)!r}, io.BytesIO(data), packed):\n"
        "    try: sk.load(file, device='cpu:0')\n"
        "    except ValueError as error: print('truncated' in str(error))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == (["True"] * 3, "")


# safetensors


def test_randomly_changed_safetensors_load_or_raise(tmp_path, request):
    pytest.importorskip("safetensors", reason="safetensors is not installed")
    rng = random.Random(43)
    path = tmp_path / "x.safetensors"
    sk.save(
        path, {"a": sk.asarray([1.0, 2.0], device="cpu:0"), "b": sk.asarray([[3]], device="cpu:0")}
    )
    good = path.read_bytes()
    for _ in range(20_000 if request.config.getoption("full") else 500):
        data = bytearray(good)
        for _ in range(rng.randint(1, 2)):
            data[rng.randrange(len(data) - 24)] = rng.choice(
                [0, 255, rng.randrange(256), *b'0123456789[]{}",:']
            )
        path.write_bytes(data)
        arrays, error = outcome(lambda: sk.load(path, device="cpu:0"))
        if error is None:
            assert sum(x.nbytes for x in arrays.values()) <= 24
        else:
            assert error.startswith(f"load: {path}: "), bytes(data)
