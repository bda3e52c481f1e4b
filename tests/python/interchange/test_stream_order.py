# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Exchange of arrays with pending work: ordered where the protocols promise it, stale where synchronization is disabled.

All work on rehearsed devices is delayed here, so that unordered reads reliably see old values. `test_gpu_handover.py`
does the same with real libraries on a GPU.
"""

import gc

import numpy as np
import pytest
import skerry as sk

from tests.python.interchange import consumer_models as models
from tests.python.session import HAS_GPU

pytestmark = pytest.mark.skipif(HAS_GPU, reason="reads rehearsed memory from the host")


def wait_for(device, handle):
    sk.Stream.from_handle(device, handle).synchronize()


def pending(device, stream):
    """Return an array of zeros to which pending work on a stream adds one."""
    x = sk.zeros((8,), device=device)
    sk.synchronize(device)
    with sk.stream(stream):
        x += 1
    return x


@pytest.mark.parametrize("name", ["torch", "cudf", "rmm", "pyarrow", "mpi4py", "cupy", "numba"])
def test_export_is_ordered_for_consumers_on_the_default_stream(slow, cuda_device, name):
    """torch, cuDF, RMM and PyArrow ignore the stream that is exported and work on the legacy default one."""
    stream = sk.Stream(cuda_device)
    x = pending(cuda_device, stream)
    with sk.stream(stream):
        about = x.__cuda_array_interface__
    model = models.MODELS[name]
    early = model(about).view(np.float64).copy()
    wait_for(cuda_device, 1)
    late = model(about).view(np.float64)
    assert late[0] == 1.0
    assert early[0] == 0.0, "the work was complete already: the test proves nothing"


def test_without_an_export_the_default_stream_does_not_wait(slow, cuda_device):
    stream = sk.Stream(cuda_device)
    x = sk.zeros((8,), device=cuda_device)
    sk.synchronize(cuda_device)
    about = x.__cuda_array_interface__  # before the work
    with sk.stream(stream):
        for _ in range(4):
            x += 1
    wait_for(cuda_device, 1)
    assert models.torch(about)[0] < 4.0
    stream.synchronize()
    assert models.torch(about)[0] == 4.0


def test_mpi_needs_a_synchronised_array(slow, cuda_device):
    """mpi4py does not synchronize: the caller must wait for x's stream first."""
    x = pending(cuda_device, sk.Stream(cuda_device))
    assert models.mpi4py(x.__cuda_array_interface__)[0] == 0.0
    sk.synchronize(x.device)
    assert models.mpi4py(x.__cuda_array_interface__)[0] == 1.0


def test_a_dlpack_export_makes_the_consumers_stream_wait(slow, cuda_device):
    for handle in ("own", None, 1):
        consumer_stream, stream = sk.Stream(cuda_device), sk.Stream(cuda_device)
        x = pending(cuda_device, stream)
        consumers = consumer_stream.handle if handle == "own" else handle
        with sk.stream(stream):
            capsule = x.__dlpack__(stream=consumers, max_version=(1, 0))
        wait_for(cuda_device, consumers or 1)
        assert models.torch(x.__cuda_array_interface__)[0] == 1.0
        del capsule


def test_a_dlpack_export_to_stream_minus_one_waits_for_nothing(slow, cuda_device):
    consumer_stream, stream = sk.Stream(cuda_device), sk.Stream(cuda_device)
    x = sk.zeros((8,), device=cuda_device)
    sk.synchronize(cuda_device)
    about = x.__cuda_array_interface__
    with sk.stream(stream):
        for _ in range(4):
            x += 1
        capsule = x.__dlpack__(stream=-1, max_version=(1, 0))
    consumer_stream.synchronize()
    assert models.torch(about)[0] < 4.0
    stream.synchronize()
    del capsule


class Producer:
    """An array of another library with pending work on the stream that it exports."""

    def __init__(self, device):
        self.stream = sk.Stream(device)
        self.x = sk.zeros((8,), device=device)
        sk.synchronize(device)
        self.about = dict(self.x.__cuda_array_interface__, stream=self.stream.handle)
        with sk.stream(self.stream):
            for _ in range(3):
                self.x += 1

    @property
    def __cuda_array_interface__(self):
        return self.about


@pytest.mark.parametrize("take", [sk.asarray, sk.as_cuda_array], ids=["asarray", "as_cuda_array"])
def test_import_waits_for_the_stream_of_the_interface(slow, cuda_device, take):
    theirs = Producer(cuda_device)
    x = take(theirs)
    assert (x + 0.0)[0].item() == 3.0


def test_an_import_with_sync_false_waits_for_nothing(slow, cuda_device):
    theirs = Producer(cuda_device)
    x = sk.from_cuda_array_interface(theirs.about, owner=theirs, sync=False)
    assert (x + 0.0)[0].item() < 3.0


def test_an_import_of_an_older_version_waits_for_the_default_stream(slow, cuda_device):
    """Versions before 3 export no stream: their work is on the legacy default stream."""
    x = sk.zeros((8,), device=cuda_device)
    sk.synchronize(cuda_device)
    about = dict(x.__cuda_array_interface__, version=2)
    del about["stream"]
    for _ in range(3):
        x += 1
    consumer_stream = sk.Stream(cuda_device)
    with sk.stream(consumer_stream):
        y = sk.from_cuda_array_interface(about, owner=x) + 0.0
        assert y[0].item() == 3.0


def test_dlpack_import_passes_its_stream(slow, cuda_device):
    x = sk.zeros((8,), device=cuda_device)
    sk.synchronize(cuda_device)
    streams = []

    class Producer:
        def __dlpack_device__(self):
            return x.__dlpack_device__()

        def __dlpack__(self, *, stream=None, **keywords):
            streams.append(stream)
            with sk.stream(work):
                return x.__dlpack__(stream=stream, **keywords)

    work, consumer_stream = sk.Stream(cuda_device), sk.Stream(cuda_device)
    with sk.stream(work):
        x += 1
    with sk.stream(consumer_stream):
        assert (sk.from_dlpack(Producer()) + 0.0)[0].item() == 1.0
    assert streams == [consumer_stream.handle]


def test_memory_freed_with_pending_work_is_not_reused_too_early(slow, cuda_device):
    """A view keeps its values after the array is freed while work is pending and new arrays are allocated."""
    x = pending(cuda_device, sk.Stream(cuda_device))
    view = sk.asarray(x)[2:]
    del x
    gc.collect()
    others = [sk.full((8,), 7.0, device=cuda_device) for _ in range(4)]
    sk.synchronize(cuda_device)
    assert view.tolist() == [1.0] * 6
    assert all(other.tolist() == [7.0] * 8 for other in others)


@pytest.mark.not_guarded("each allocation waits for the device")
def test_the_simulator_of_numba_runs_a_kernel_after_the_work_on_its_arguments(slow, cuda_device):
    from tests.python.libraries import library

    library("numba")
    from skerry.testing import numba_simulator

    with numba_simulator() as cuda:
        theirs = Producer(cuda_device)
        assert cuda.as_cuda_array(theirs).copy_to_host()[0] == 3.0
        theirs = Producer(cuda_device)
        assert cuda.as_cuda_array(theirs, sync=False).copy_to_host()[0] < 3.0
