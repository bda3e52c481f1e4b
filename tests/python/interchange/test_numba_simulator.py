# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Numba's CUDA simulator on rehearsed devices, and Numba's CPU compiler: kernels read and write skerry's memory."""

import doctest
import gc
import importlib
import os
import subprocess
import sys
import weakref

import numpy as np
import pytest
import skerry as sk
from hypothesis import given, settings
from hypothesis import strategies as st
from skerry.exceptions import DeviceMismatchError, InterchangeError
from skerry.testing import numba_simulator

from tests.python.libraries import NUMBA_CUDA, library, missing
from tests.python.loops import loop_over
from tests.python.oracle import NUMPYS, to_device, to_numpy
from tests.python.session import HAS_GPU

numba = library("numba")
if HAS_GPU:
    pytest.skip("on a GPU, Numba itself is tested: test_gpu_handover.py", allow_module_level=True)

from numba import config, cuda  # noqa: E402


@cuda.jit
def add_one(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = x[i] + 1


@cuda.jit
def copy_2d(x, y):
    i, j = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        y[i, j] = x[i, j]


@cuda.jit
def sum_in_shared_memory(x, total):
    block = cuda.shared.array(32, dtype=numba.float64)
    i = cuda.threadIdx.x
    block[i] = x[i]
    cuda.syncthreads()
    if i == 0:
        for k in range(32):
            total[0] += block[k]


@cuda.jit
def first_of_pair(pair, out):
    out[0] = pair[0][1] + pair[1][1]


class Carrier:
    """An object of another library that has only the interface, and its owner."""

    def __init__(self, interface, owner=None):
        self.__cuda_array_interface__ = interface
        self.owner = owner


@pytest.fixture
def simulator():
    with numba_simulator() as module:
        yield module


def test_a_kernel_writes_through(simulator, cuda_device):
    x = sk.arange(5, device=cuda_device)
    add_one[1, 32](x)
    assert x.tolist() == [1, 2, 3, 4, 5]
    add_one[1, 32](simulator.as_cuda_array(x))
    add_one[1, 32](simulator.to_device(x))
    add_one[1, 32](simulator.from_cuda_array_interface(x.__cuda_array_interface__, owner=x))
    add_one[1, 32](simulator.In(x))
    add_one[1, 32](simulator.InOut(x))
    assert x.tolist() == [6, 7, 8, 9, 10]


@loop_over("dtype", NUMPYS)
def test_every_dtype_and_layout(simulator, cuda_device, dtype):
    host = (np.arange(48) % 2 if dtype == "bool" else np.arange(48)).astype(dtype).reshape(6, 8)
    base = to_device(cuda_device, host)
    for key in (np.s_[:, :], np.s_[::-1, ::2], np.s_[1:3, 2:], np.s_[:0, :], np.s_[:1, :1]):
        for x, want in ((base[key], host[key]), (base[key].T, host[key].T)):
            y = sk.zeros(x.shape, dtype=dtype, device=cuda_device)
            copy_2d[1, (8, 8)](x, y)
            assert np.array_equal(to_numpy(y), want)
            interface = simulator.as_cuda_array(x).__cuda_array_interface__
            assert interface["data"] == x.__cuda_array_interface__["data"]
    assert simulator.as_cuda_array(base[0, 0]).shape == ()


def test_shared_memory_and_barriers(simulator):
    total = sk.zeros((1,), device="cuda:0")
    sum_in_shared_memory[1, 32](sk.arange(32, dtype=sk.float64, device="cuda:0"), total)
    assert total.tolist() == [496.0]


def test_a_tuple_of_arrays(simulator):
    x = sk.arange(3, device="cuda:0")
    out = sk.zeros((1,), dtype=sk.int64, device="cuda:0")
    first_of_pair[1, 1]((x, x), out)
    assert out.tolist() == [2]


def test_pending_work_is_done_before_the_kernel(simulator, cuda_device):
    s = sk.Stream(cuda_device)
    for current in (s, None):
        with sk.stream(current or sk.Stream.from_handle(cuda_device, 1)):
            x = sk.zeros((400_000,), device=cuda_device)
            for _ in range(20):
                x = x + 1.0
            first = x[:8]
            add_one[1, 8](first)
            assert first.tolist() == [21.0] * 8


def test_array_lives_as_long_as_numbas_array(simulator):
    x = sk.ones((1000,), device="cuda:0")
    interface, owner = x.__cuda_array_interface__, Carrier(None, x)
    alive = weakref.ref(owner)
    numba_array = simulator.from_cuda_array_interface(interface, owner=owner)
    part = numba_array[10:20]
    live = sk.memory_statistics("cuda:0").live_bytes
    del x, owner, numba_array
    gc.collect()
    assert alive() is not None
    assert sk.memory_statistics("cuda:0").live_bytes == live
    assert part.copy_to_host().tolist() == [1.0] * 10
    del part
    gc.collect()
    assert alive() is None
    sk.synchronize("cuda:0")
    assert sk.memory_statistics("cuda:0").live_bytes < live


def test_simulator_accepts_objects_of_other_libraries(simulator):
    x = sk.arange(6, device="cuda:0")
    about = dict(x.__cuda_array_interface__, version=2)
    del about["stream"]
    add_one[1, 8](Carrier(about, x))
    assert x.tolist() == [1, 2, 3, 4, 5, 6]
    assert simulator.is_cuda_array(Carrier(about, x))
    assert not simulator.is_cuda_array(np.ones(3))
    assert not simulator.is_cuda_array(sk.ones((3,)))


def test_masks_are_rejected(simulator):
    x = sk.arange(6, device="cuda:0")
    mask = sk.ones((6,), dtype=sk.bool, device="cuda:0")
    masked = Carrier(dict(x.__cuda_array_interface__, mask=mask), x)
    for call in (simulator.as_cuda_array, simulator.to_device, add_one[1, 8]):
        with pytest.raises(NotImplementedError, match="mask"):
            call(masked)
    assert x.tolist() == [0, 1, 2, 3, 4, 5]


def test_read_only_arrays_are_not_written(simulator):
    x = sk.broadcast_to(sk.ones((1,), device="cuda:0"), (4,))
    with pytest.raises(ValueError, match="read-only"):
        add_one[1, 8](x)


def test_arrays_not_on_a_cuda_device_are_rejected(simulator):
    with pytest.raises(TypeError, match="to_device"):
        add_one[1, 8](sk.ones((3,)))
    with pytest.raises(TypeError, match="cuda array interface"):
        simulator.as_cuda_array(np.ones(3))
    host = np.ones(3)
    about = {**host.__array_interface__, "version": 3, "stream": None}
    with pytest.raises(InterchangeError, match="CUDA"):
        add_one[1, 8](Carrier(about, host))


def test_host_arrays_are_still_copied_to_the_device(simulator):
    for host in (np.arange(3.0), sk.arange(3, dtype=sk.float64)):
        d = simulator.to_device(host)
        add_one[1, 8](d)
        assert d.copy_to_host().tolist() == [1.0, 2.0, 3.0]
        assert np.asarray(host).tolist() == [0.0, 1.0, 2.0]


def test_arrays_of_two_devices_are_rejected(simulator):
    a, b = (sk.ones((2, 2), device=f"cuda:{i}") for i in range(2))
    with pytest.raises(DeviceMismatchError, match="cuda:0, cuda:1") as caught:
        copy_2d[1, (2, 2)](a, b)
    assert caught.value.devices == ("cuda:0", "cuda:1")
    # An empty array also has a device.
    with pytest.raises(DeviceMismatchError):
        copy_2d[1, (2, 2)](a[:0], b)


def test_numpy_arrays_and_numbers_are_still_passed(simulator):
    host = np.arange(3)
    add_one[1, 8](host)
    assert host.tolist() == [1, 2, 3]


def test_numba_arrays_are_imported(simulator):
    for host in (
        np.arange(6.0),
        np.asfortranarray(np.arange(6).reshape(2, 3)),
        np.broadcast_to(np.arange(3), (2, 3)),
        np.ones((0, 3)),
        np.array(4.0),
    ):
        d = simulator.to_device(host)
        x = sk.asarray(d)
        assert x.device == sk.Device("cuda:0")
        assert np.array_equal(to_numpy(x), host)
    d = simulator.device_array((4,), np.int32)
    x = sk.asarray(d)
    d[:] = 5
    del d
    gc.collect()
    assert x.tolist() == [5, 5, 5, 5]
    x[0] = 1
    numba_array = simulator.device_array_like(simulator.as_cuda_array(x))
    numba_array[:] = 2
    assert sk.asarray(numba_array).tolist() == [2, 2, 2, 2]


def names_in_numba():
    module = importlib.import_module("numba.cuda.simulator.cudadrv.devicearray")
    kernel = importlib.import_module("numba.cuda.simulator.kernel").FakeCUDAKernel
    namespaces = [dict(vars(owner)) for owner in (cuda, module, module.FakeCUDAArray, kernel)]
    if not config.ENABLE_CUDASIM:
        namespaces.append(
            dict(vars(importlib.import_module("numba.cuda.dispatcher").CUDADispatcher))
        )
    return [*namespaces, {name: sys.modules[name] for name in sys.modules if "numba.cuda" in name}]


def test_simulator_restores_numba_on_exit():
    old_names = names_in_numba()
    with numba_simulator():
        inner = numba_simulator()
        assert names_in_numba() != old_names
        inner.close()
        inner.close()
        add_one[1, 1](sk.ones((1,), device="cuda:0"))
    assert names_in_numba() == old_names
    with pytest.raises(KeyError), numba_simulator():
        raise KeyError
    assert names_in_numba() == old_names
    # Without its simulator Numba needs a driver.
    with pytest.raises(TypeError if config.ENABLE_CUDASIM else cuda.CudaSupportError):
        cuda.to_device(sk.ones((1,), device="cuda:0"))


def test_simulator_outside_with_is_active_until_close():
    x = sk.zeros((2,), device="cuda:0")
    simulator = numba_simulator()
    try:
        add_one[1, 2](x)
    finally:
        simulator.close()
    assert x.tolist() == [1.0, 1.0]


@settings(max_examples=30, deadline=None)
@given(
    shape=st.lists(st.integers(0, 4), min_size=1, max_size=3).map(tuple),
    order=st.randoms(use_true_random=False),
)
def test_random_views(shape, order):
    host = np.arange(int(np.prod(shape))).reshape(shape)
    axes = list(range(len(shape)))
    order.shuffle(axes)
    key = tuple(slice(None, None, order.choice([1, 2, -1])) for _ in shape)
    x, want = sk.permute_dims(to_device("cuda:1", host), axes)[key], host.transpose(axes)[key]
    with numba_simulator() as module:
        assert np.array_equal(module.as_cuda_array(x).copy_to_host(), want)


def child(code, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.stdout + done.stderr


def test_the_example_of_the_documentation():
    examples = doctest.DocTestFinder().find(numba_simulator, globs={})
    runner = doctest.DocTestRunner()
    for example in examples:
        runner.run(example)
    assert runner.summarize(verbose=False).attempted > 5
    assert not runner.failures


def test_without_numba_there_is_a_clear_error():
    said = child(
        "import sys; sys.modules['numba'] = None\nfrom skerry.testing import numba_simulator as s; s()"
    )
    assert "ImportError: numba_simulator: needs Numba" in said


def run_this_file_again(prelude, simulated):
    code = f"import sys, pytest\n{prelude}\nsys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', {__file__!r}]))"
    said = child(code, NUMBA_ENABLE_CUDASIM=simulated, TESTS_RUN_AGAIN="1")
    assert " passed" in said, said
    assert "failed" not in said, said
    assert "error" not in said.lower(), said


AGAIN = pytest.mark.skipif("TESTS_RUN_AGAIN" in os.environ, reason="this is the repeated run")


@pytest.mark.slow
@AGAIN
def test_this_file_passes_if_numba_was_imported_with_its_simulator():
    run_this_file_again("import numba.cuda", "1")


@pytest.mark.slow
@AGAIN
@pytest.mark.parametrize("simulated", ["0", "1"])
def test_this_file_passes_with_numba_cuda(simulated):
    """numba-cuda is NVIDIA's package. Importing its redirector replaces numba.cuda."""
    if not NUMBA_CUDA.exists():
        missing(f"numba-cuda is not in {NUMBA_CUDA}")
    prelude = (
        f"sys.path.append({str(NUMBA_CUDA)!r})\n"
        "import _numba_cuda_redirector\n"
        "from numba import cuda; assert cuda.implementation == 'NVIDIA'"
    )
    run_this_file_again(prelude, simulated)
