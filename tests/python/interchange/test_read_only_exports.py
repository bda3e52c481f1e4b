# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Read-only arrays and PyTorch, whose tensors are always writable: it gets copies.

The module ``torch.utils.dlpack`` calls ``__dlpack__`` with ``max_version=(1, 0)`` and ignores the read-only flag (PyTorch
2.15). The first tests call it from a module of that name; the last ones need PyTorch.
"""

import numpy as np
import pytest
import skerry as sk
from skerry.testing import instruments

from tests.python.interchange import dlpack_structs as dl
from tests.python.oracle import to_device, to_numpy

PYTORCH = {"__name__": "torch.utils.dlpack"}
exec("def export(x, **keywords): return x.__dlpack__(max_version=(1, 0), **keywords)", PYTORCH)
OTHER = {"__name__": "tensorflow.dlpack"}
exec("def export(x, **keywords): return x.__dlpack__(max_version=(1, 0), **keywords)", OTHER)


def read_only_arrays(device):
    host = np.arange(12.0).reshape(3, 4)
    host.flags.writeable = False
    x = to_device(device, np.arange(12.0).reshape(3, 4))
    arrays = {
        "broadcast": sk.broadcast_to(x[:1], (5, 4)),
        "broadcast 0-d": sk.broadcast_to(x[0, 0], (7,)),
        "broadcast and reversed": sk.broadcast_to(x[0, ::-1], (2, 4)),
        "broadcast and empty": sk.broadcast_to(x[:0, :1], (0, 4)),
    }
    if sk.Device(device).kind == "cpu":
        arrays |= {
            "of a NumPy array": sk.asarray(host),
            "strided": sk.asarray(host)[::2, 1:3],
            "of bytes": sk.asarray(memoryview(bytes(range(9)))),
        }
    assert not any(map(instruments.is_writable, arrays.values()))
    return arrays


def test_pytorch_gets_a_copy_of_a_read_only_array(device):
    for name, x in read_only_arrays(device).items():
        original = to_numpy(x)
        capsule = PYTORCH["export"](x)
        assert dl.opened(capsule).flags == dl.IS_COPIED, name
        y = sk.from_dlpack(capsule)
        assert instruments.is_writable(y), name
        # DLPack has one device for the memory of all CPU devices.
        device_of_copy = sk.Device("cpu:0") if x.device.kind == "cpu" else x.device
        assert (y.device, y.dtype, y.shape) == (device_of_copy, x.dtype, x.shape), name
        y[...] = 99
        assert np.array_equal(to_numpy(x), original), name


def test_pytorch_shares_the_memory_of_a_writable_array(device):
    x = sk.zeros((3,), device=device)
    capsule = PYTORCH["export"](x)
    assert dl.opened(capsule).flags == 0
    sk.from_dlpack(capsule)[0] = 1.0
    assert x.tolist() == [1.0, 0.0, 0.0]


def test_pytorch_is_refused_a_read_only_array_with_copy_false(device):
    x = sk.broadcast_to(sk.ones((1,), device=device), (3,))
    text = (
        "__dlpack__: a read-only array can be exported to PyTorch, whose tensors are writable, only by a copy, "
        "which copy=False forbids"
    )
    with pytest.raises(BufferError) as caught:
        PYTORCH["export"](x, copy=False)
    assert str(caught.value) == text
    assert dl.opened(PYTORCH["export"](x, copy=True)).flags == dl.IS_COPIED


def test_other_libraries_get_the_flag(device):
    x = sk.broadcast_to(sk.ones((1,), device=device), (3,))
    assert dl.opened(OTHER["export"](x)).flags == dl.READ_ONLY
    assert dl.opened(OTHER["export"](x, copy=False)).flags == dl.READ_ONLY


def test_a_consumer_that_requests_no_version_is_refused(device):
    x = sk.broadcast_to(sk.ones((1,), device=device), (3,))
    with pytest.raises(BufferError, match=r"a read-only array needs DLPack 1\.0 or newer"):
        x.__dlpack__()
    assert dl.name_of(x.__dlpack__(copy=True)) == "dltensor"


TENSORS = {
    "from_dlpack": lambda torch, x: torch.from_dlpack(x),
    "from_dlpack with a device": lambda torch, x: torch.from_dlpack(x, device="cpu"),
    "from_dlpack of torch.utils": lambda torch, x: torch.utils.dlpack.from_dlpack(x),
    "as_tensor": lambda torch, x: torch.as_tensor(x),
    "asarray": lambda torch, x: torch.asarray(x),
    "asarray with a copy": lambda torch, x: torch.asarray(x, copy=True),
    "tensor": lambda torch, x: torch.tensor(x),
}


@pytest.mark.parametrize("convert", TENSORS.values(), ids=TENSORS)
def test_tensors_never_write_to_read_only_memory(convert):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    memory = bytes(range(4))
    tensor = convert(torch, sk.asarray(memoryview(memory)))
    assert tensor.tolist() == [0, 1, 2, 3]
    tensor[0] = 9
    assert tensor.tolist() == [9, 1, 2, 3]
    assert memory == bytes(range(4))
    x = sk.broadcast_to(sk.ones((1,)), (3,))
    tensor = convert(torch, x)
    tensor[0] = 9
    assert tensor.tolist() == [9, 1, 1]
    assert x.tolist() == [1, 1, 1]


def test_a_tensor_of_a_writable_array_shares_its_memory():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    x = sk.zeros((3,))
    torch.from_dlpack(x)[0] = 1
    assert x.tolist() == [1, 0, 0]
    with pytest.raises(BufferError, match="only by a copy, which copy=False forbids"):
        torch.from_dlpack(sk.broadcast_to(x[:1], (3,)), copy=False)
