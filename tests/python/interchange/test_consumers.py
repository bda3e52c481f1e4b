# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Zero-copy exchange with other libraries in both directions, without a GPU: on CPU and rehearsed devices.

Numba is in `test_numba_simulator.py`, real GPUs in `test_gpu_handover.py`.
"""

import gc
import os
import pathlib
import shutil
import subprocess
import sys
import types

import numpy as np
import pytest
import skerry as sk
from skerry.testing import instruments

from tests.python.libraries import installed, library, missing
from tests.python.loops import loop_over
from tests.python.oracle import DTYPES, NUMPYS, sample, to_device, to_numpy
from tests.python.session import HAS_GPU

ROOT = pathlib.Path(__file__).resolve().parents[3]
REHEARSED = pytest.mark.skipif(HAS_GPU, reason="needs rehearsed devices")


def child(*command, **environment):
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def address(x):
    return np.asarray(x).__array_interface__["data"][0]


# NumPy


@pytest.mark.parametrize("dtype", NUMPYS)
def test_numpy_shares_memory_both_ways(dtype):
    host = sample(dtype, (3, 4))
    x = sk.from_dlpack(host)
    back = np.from_dlpack(x)
    assert np.shares_memory(host, back)
    assert back.dtype == host.dtype
    assert back.strides == host.strides


def test_numpy_keeps_read_only_memory_read_only():
    host = np.arange(3)
    host.flags.writeable = False
    assert not instruments.is_writable(sk.asarray(host))
    assert not instruments.is_writable(sk.from_dlpack(host))
    assert not np.from_dlpack(sk.asarray(host)).flags.writeable
    assert not np.asarray(sk.asarray(host)).flags.writeable


def test_numpy_and_skerry_keep_each_others_memory():
    seen = np.from_dlpack(sk.full((100_000,), 2.0))
    gc.collect()
    sk.zeros((100_000,))
    assert seen.sum() == 200_000
    x = sk.from_dlpack(np.full((100_000,), 2.0))
    gc.collect()
    np.zeros((100_000,))
    assert float(sk.sum(x)) == 200_000


# PyArrow


# pyarrow raises TypeError for nulls, which to a consumer may mean that max_version is not supported: it retries.
@pytest.mark.filterwarnings("ignore:Exporting an unversioned")
def test_arrow_arrays_are_imported_without_a_copy():
    pa = library("pyarrow")
    theirs = pa.array([1.5, 2.5, 3.5])
    x = sk.from_dlpack(theirs)
    assert x.tolist() == [1.5, 2.5, 3.5]
    assert address(x) == theirs.buffers()[1].address
    assert not instruments.is_writable(x), "Arrow's arrays never change"
    part = sk.from_dlpack(theirs[1:])
    assert part.tolist() == [2.5, 3.5]
    del theirs
    gc.collect()
    assert x.tolist() == [1.5, 2.5, 3.5]
    with pytest.raises(Exception, match="null"):
        sk.from_dlpack(pa.array([1, None]))


def test_arrow_imports_arrays_without_a_copy():
    pa = library("pyarrow")
    x = sk.arange(1000.0)
    buffer = pa.py_buffer(np.asarray(x))
    assert buffer.address == address(x)
    column = pa.array(np.asarray(x))
    assert column.buffers()[1].address == address(x)
    tensor = pa.Tensor.from_numpy(np.asarray(sk.reshape(x, (10, 100))))
    del x
    gc.collect()
    sk.zeros((1000,))
    assert column[999].as_py() == 999.0
    assert np.frombuffer(buffer).sum() == 499_500
    assert tensor.to_numpy()[9, 99] == 999.0


# TVM FFI: kernels of TVM, FlashInfer, CuTe. It prefers DLPack's C exchange API.


@loop_over("dtype", DTYPES)
def test_tvm_ffi_round_trip_on_all_devices(dtype, device):
    tvm_ffi = library("tvm_ffi")
    if HAS_GPU and device == "cuda:1":
        pytest.skip("both logical devices are one GPU, which DLPack can't tell apart")
    host = sample(dtype, (3, 4))
    x = to_device(device, host)
    theirs = tvm_ffi.from_dlpack(x)
    assert tuple(theirs.shape) == (3, 4)
    assert str(theirs.device) == ("cpu:0" if device.startswith("cpu") else device)
    del x
    gc.collect()
    back = sk.from_dlpack(theirs)
    assert back.device == sk.Device("cpu:0" if device.startswith("cpu") else device)
    assert np.array_equal(to_numpy(back), host)
    back[0, 0] = back[1, 1]
    assert np.array_equal(to_numpy(sk.from_dlpack(theirs)), to_numpy(back)), "one memory"


def test_tvm_ffi_functions_accept_arrays():
    tvm_ffi = library("tvm_ffi")
    x = sk.arange(5, device="cpu:0")
    seen = []
    call = tvm_ffi.convert(lambda tensor: seen.append(tensor.shape) or tensor)
    back = sk.from_dlpack(call(tvm_ffi.from_dlpack(x)))
    assert [tuple(shape) for shape in seen] == [(5,)]
    assert address(back) == address(x)


# cuda.core


@REHEARSED
@loop_over("dtype", NUMPYS)
def test_cuda_core_views_arrays_of_all_devices(dtype, device):
    utils = library("cuda.core.utils")
    x = to_device(device, sample(dtype, (3, 4)))
    for array in (x, x.T, x[1:, ::2]):
        view = utils.StridedMemoryView.from_dlpack(array, stream_ptr=-1)
        assert tuple(view.shape) == array.shape
        assert view.dtype == array.dtype
        strides = view.strides or tuple(s // x.itemsize for s in array.strides)
        assert strides == tuple(s // x.itemsize for s in array.strides)
        assert view.is_device_accessible == device.startswith("cuda")
        if device.startswith("cuda"):
            assert view.ptr == array.__cuda_array_interface__["data"][0]
            assert view.device_id == x.device.index
        assert not view.readonly
    frozen = sk.broadcast_to(x[0, 0], (2,))
    assert utils.StridedMemoryView.from_dlpack(frozen, stream_ptr=-1).readonly


@REHEARSED
@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"version": 2}, BufferError),
        ({"mask": 1}, BufferError),
        ({"shape": [3]}, TypeError),
        ({"strides": (4,)}, ValueError),
    ],
    ids=str,
)
def test_the_model_of_cuda_core_agrees_with_cuda_core(changes, error):
    from tests.python.interchange import consumer_models

    utils = library("cuda.core.utils")
    x = sk.arange(3, device="cuda:0")

    carrier = types.SimpleNamespace()
    carrier.__cuda_array_interface__ = {**x.__cuda_array_interface__, **changes}
    with pytest.raises(error):
        consumer_models.cuda_core(carrier.__cuda_array_interface__)
    with pytest.raises(error):
        utils.StridedMemoryView.from_cuda_array_interface(carrier, stream_ptr=-1)


# JAX and MPI, in separate processes


@REHEARSED
def test_jax_on_the_cpu():
    installed("jax")
    code, said = child(
        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
        "tests/python/interchange/peer_jax.py",
        JAX_PLATFORMS="cpu",
    )
    assert code == 0, said
    assert " passed" in said
    assert "skipped" not in said, said


@REHEARSED
def test_two_mpi_ranks_exchange_arrays():
    installed("mpi4py")
    path = os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ.get("PATH", "")])
    run = shutil.which("mpirun", path=path)
    if run is None:
        missing("mpirun is not installed")
    _, about = child(run, "--version")
    # Loopback only; root and two ranks on one core, as in a container.
    options = "--oversubscribe --mca pml ob1 --mca btl self,tcp --mca btl_tcp_if_include lo".split()
    code, said = child(
        *(run, "-n", "2", *(options if "Open MPI" in about else [])),
        *(sys.executable, "-m", "tests.python.interchange.peer_mpi"),
        OMPI_ALLOW_RUN_AS_ROOT="1",
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
        PATH=path,
    )
    assert code == 0, said
    assert "2 ranks agree" in said, said
