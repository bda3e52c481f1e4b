# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""bfloat16 in and out: DLPack's type code 4, NumPy through ml_dtypes, and the interfaces that cannot express it."""

import subprocess
import sys
import types

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import DTypeError

from tests.python.interchange import dlpack_structs as dl
from tests.python.interchange.dlpack_import_aids import made_of
from tests.python.interchange.dlpack_structs import Made
from tests.python.libraries import library
from tests.python.oracle import to_device, to_numpy

ml_dtypes = pytest.importorskip("ml_dtypes", reason="bfloat16 is a dtype of ml_dtypes")

PATTERNS = np.arange(1 << 16, dtype=np.uint16).view(ml_dtypes.bfloat16)
#: Makes ``import ml_dtypes`` fail, as if it were not installed.
HIDDEN = "import sys; sys.modules['ml_dtypes'] = None\nimport numpy as np, skerry as sk\n"
REMEDY = "bfloat16 needs the package ml_dtypes"


def run(program):
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split("\n")[:-1]


def test_dlpack_exports_type_code_4(device):
    x = to_device(device, PATTERNS)
    for capsule in (x.__dlpack__(), x.__dlpack__(max_version=(1, 3))):
        about = dl.opened(capsule).tensor.dtype
        assert (about.code, about.bits, about.lanes) == (4, 16, 1)


def test_dlpack_imports_type_code_4_without_a_copy(device):
    x = to_device(device, PATTERNS.reshape(256, 256))
    for versioned in (False, True):
        y = sk.from_dlpack(made_of(x, versioned=versioned).capsule())
        assert y.dtype == sk.bfloat16
        assert y.device == sk.Device("cpu:0" if device.startswith("cpu") else device)
        y[0, 0] = 3.0
        assert x[0, 0].item() == 3.0
        x[0, 0] = 0.0
        assert to_numpy(y).tobytes() == PATTERNS.tobytes()


def test_strided_tensors_of_another_library_are_shared():
    host = PATTERNS.copy().reshape(256, 256)[::2, 3:]
    structure = Made.from_array(host)
    x = sk.from_dlpack(structure.capsule())
    assert x.strides == host.strides
    assert np.shares_memory(np.asarray(x), host)


def test_exchange_with_skerry_itself_keeps_the_memory(device):
    x = to_device(device, PATTERNS)
    y = sk.from_dlpack(x)
    y[...] = 1.5
    assert sk.all(x == 1.5)


def test_numpy_shares_the_memory():
    x = sk.asarray(PATTERNS, copy=False)
    assert x.dtype == sk.bfloat16
    assert np.shares_memory(np.asarray(x), PATTERNS)
    assert np.asarray(x).dtype == np.dtype(ml_dtypes.bfloat16)
    assert np.asarray(x, np.float32).dtype == np.float32
    assert bytes(x) == PATTERNS.tobytes()


def test_numpy_arrays_that_need_a_copy():
    raw = np.zeros(2 * 10 + 1, np.uint8)
    # Guarded memory begins at an odd address.
    begin = 1 - raw.ctypes.data % 2
    odd = raw[begin : begin + 20].view(ml_dtypes.bfloat16)
    odd[...] = np.arange(10)
    assert sk.asarray(odd).tolist() == list(range(10))
    with pytest.raises(ValueError, match="copy"):
        sk.asarray(odd, copy=False)
    assert sk.asarray(np.arange(3).astype(ml_dtypes.bfloat16), dtype=sk.float64).tolist() == [0, 1, 2]  # fmt: skip


def test_raw_bytes_are_not_bfloat16():
    raw = np.zeros(3, "V2")
    with pytest.raises(DTypeError, match=r"\|V2"):
        sk.asarray(raw)
    with pytest.raises(DTypeError):
        sk.zeros(3, dtype="V2")
    with pytest.raises(DTypeError, match="float8_e5m2"):
        sk.asarray(np.zeros(3, ml_dtypes.float8_e5m2))
    with pytest.raises(DTypeError, match=r"float8_e4m3fn; convert numbers with x\.astype"):
        sk.asarray(np.zeros(3, ml_dtypes.float8_e4m3fn))


def test_interfaces_without_a_type_string_are_refused_by_name():
    x = sk.ones(3, dtype=sk.bfloat16, device="cpu:0")
    with pytest.raises(AttributeError, match=r"__array_interface__: .* bfloat16; .*DLPack"):
        x.__array_interface__
    with pytest.raises(TypeError):
        memoryview(x)


def test_cuda_array_interface_is_refused_by_name(cuda_device):
    x = sk.ones(3, dtype=sk.bfloat16, device=cuda_device)
    assert not hasattr(x, "__cuda_array_interface__")
    with pytest.raises(AttributeError, match=r"__cuda_array_interface__: .* bfloat16; use DLPack"):
        x.__cuda_array_interface__

    raw = x.view(sk.uint16).__cuda_array_interface__ | {"typestr": "<V2"}
    theirs = types.SimpleNamespace(__cuda_array_interface__=raw)
    with pytest.raises(DTypeError, match=r"'<V2' .* bfloat16 by DLPack"):
        sk.asarray(theirs)


@pytest.mark.not_guarded("JAX copies memory that isn't aligned as its own")
def test_jax_shares_the_memory_in_both_directions():
    library("jax")
    program = """
import jax.numpy as jnp, numpy as np, skerry as sk
x = sk.asarray([1.0, 2.5, -3.0] * 100, dtype=sk.bfloat16)
theirs = jnp.from_dlpack(x)
print(theirs.dtype == x.dtype, theirs.unsafe_buffer_pointer() == np.asarray(x).ctypes.data, theirs[1])
made = jnp.arange(300, dtype=jnp.bfloat16)
back = sk.from_dlpack(made)
print(back.dtype == sk.bfloat16, made.unsafe_buffer_pointer() == np.asarray(back).ctypes.data, back[2].item())
"""
    assert run(program) == ["True True 2.5", "True True 2.0"]


@pytest.mark.parametrize("convert", ["from_dlpack", "asarray", "as_tensor"])
def test_pytorch_shares_the_memory_of_an_array(convert):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    x = sk.asarray(PATTERNS.reshape(256, 256), copy=True)[::2, 3:]
    tensor = getattr(torch, convert)(x)
    assert tensor.dtype == torch.bfloat16
    assert tensor.stride() == (512, 1)
    assert tensor.data_ptr() == np.asarray(x).ctypes.data
    assert tensor.view(torch.uint16).tolist() == sk.asarray(x.view(sk.uint16)).tolist()
    tensor[0, 0] = 2.5
    assert x[0, 0].item() == 2.5


@pytest.mark.parametrize("convert", [sk.from_dlpack, sk.asarray])
def test_tensors_of_pytorch_share_their_memory(convert):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    tensor = torch.arange(1 << 16).to(torch.uint16).view(torch.bfloat16).reshape(256, 256)[::2, 3:]
    x = convert(tensor)
    assert x.dtype == sk.bfloat16
    assert x.strides == (1024, 2)
    assert np.asarray(x).ctypes.data == tensor.data_ptr()
    assert x.view(sk.uint16).tolist() == tensor.view(torch.uint16).tolist()
    x[0, 0] = 2.5
    assert tensor[0, 0].item() == 2.5


def test_pytorch_rounds_float32_to_the_same_values():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    # Every value, the midpoints between them, and the float32 on both sides of each
    bits = np.arange(1 << 18, dtype=np.uint32) * 0x4000
    wide = np.concatenate([bits - 1, bits, bits + 1]).view(np.float32)
    wide = wide[~np.isnan(wide)]
    expected = torch.from_numpy(wide).to(torch.bfloat16).view(torch.uint16).numpy()
    np.testing.assert_array_equal(sk.asarray(wide).astype(sk.bfloat16).view(sk.uint16), expected)


def test_import_of_skerry_does_not_import_ml_dtypes():
    program = "import sys, skerry as sk; print('ml_dtypes' in sys.modules, sk.bfloat16, 'ml_dtypes' in sys.modules)"
    assert run(program) == ["False <class 'ml_dtypes.bfloat16'> True"]


@pytest.mark.parametrize(
    "program",
    [
        "sk.bfloat16",
        "sk.zeros(3, dtype='bfloat16')",
        "sk.ones(3).astype('bfloat16')",
        "sk.result_type('bfloat16')",
        "sk.from_dlpack(capsule)",
        "sk.load(file)",
    ],
)
def test_without_ml_dtypes_an_error_says_what_to_install(program, tmp_path):
    path = tmp_path / "x.npy"
    sk.save(path, sk.ones(3, dtype=sk.bfloat16))
    aid = f"""
from tests.python.interchange.dlpack_structs import Made
host = np.zeros(3, np.uint16)
capsule = Made(host.ctypes.data, (3,), None, (4, 16, 1), owner=host).capsule()
file = {str(path)!r}
try:
    {program}
except (sk.exceptions.DTypeError, AttributeError) as error:
    print(error)
"""
    (text,) = run(HIDDEN + aid)
    assert f"{REMEDY}, which has its dtype for NumPy; install it: pip install ml_dtypes" in text


def test_without_ml_dtypes_everything_else_works():
    program = """
print(hasattr(sk, "bfloat16"), "bfloat16" in dir(sk))
from skerry import *
x = sk.arange(4, dtype=sk.float16)
print((x + 1.5).tolist(), sk.isdtype(x.dtype, "real floating"), sk.finfo(sk.float16).bits, np.float32(2) * x)
print(sk.asarray(np.arange(3)).tolist(), sk.result_type(sk.float16, sk.float32))
try:
    sk.zeros(3, dtype="V2")
except TypeError as error:
    print(error)
"""
    lines = run(HIDDEN + program)
    assert lines[0] == "False True"
    assert lines[1].startswith("[1.5, 2.5, 3.5, 4.5] True 16 Array([0., 2., 4., 6.]")
    assert lines[2] == "[0, 1, 2] float32"
    assert lines[3].startswith("zeros: unsupported dtype")
