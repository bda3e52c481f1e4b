# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``set_default_device(None)`` and ``with skerry.device(None)``: arrays are created on devices that calls name."""

import threading

import numpy as np
import pytest
import skerry as sk

from tests.device_suite.standard import creation_functions
from tests.python.session import DEVICES

REQUIRED = "device is required"
CREATION = {
    "asarray": lambda **device: sk.asarray([1.0, 2.0], **device),
    "asarray of a number": lambda **device: sk.asarray(1, **device),
    "asarray of numpy.ndarray": lambda **device: sk.asarray(np.ones(2), **device),
    "arange": lambda **device: sk.arange(3, **device),
    "empty": lambda **device: sk.empty((2,), **device),
    "eye": lambda **device: sk.eye(2, **device),
    "full": lambda **device: sk.full((2,), 1.0, **device),
    "linspace": lambda **device: sk.linspace(0, 1, 3, **device),
    "linspace of lists": lambda **device: sk.linspace([0, 1], [2, 3], 3, **device),
    "ones": lambda **device: sk.ones((2,), **device),
    "zeros": lambda **device: sk.zeros((2,), **device),
    "fftfreq": lambda **device: sk.fft.fftfreq(4, **device),
    "rfftfreq": lambda **device: sk.fft.rfftfreq(4, **device),
    "default_rng": lambda **device: sk.random.default_rng(0, **device).random(2),
}
#: Functions that create arrays of literals, and have no ``device=``.
LITERALS = {
    "add": lambda: sk.add(1, 2),
    "sum": lambda: sk.sum([1, 2]),
    "stack": lambda: sk.stack([[1, 2], [3, 4]]),
    "r_": lambda: sk.r_[1, 2],
    "mgrid": lambda: sk.mgrid[0:2],
    "random": lambda: sk.random.random(2),
    "default_rng": lambda: sk.random.RandomState(0),
}


@pytest.fixture(params=["process", "context"])
def no_default(request):
    """Ask for no default device."""
    if request.param == "context":
        with sk.device(None):
            yield
        return
    sk.set_default_device(None)
    try:
        yield
    finally:
        sk.set_default_device("cpu:0")


def test_the_default_device_is_none(no_default):
    assert sk.default_device() is None
    assert sk.__array_namespace_info__().default_device() is None


def test_all_creation_functions_of_the_standard_are_tested():
    like_functions = {"empty_like", "full_like", "ones_like", "zeros_like"}
    assert {f.name for f in creation_functions()} - like_functions <= set(CREATION)


@pytest.mark.parametrize("name", CREATION)
def test_creation_requires_a_device(name, no_default):
    with pytest.raises(TypeError, match=REQUIRED):
        CREATION[name]()


@pytest.mark.parametrize("name", LITERALS)
def test_literals_alone_require_a_device(name, no_default):
    with pytest.raises(TypeError, match=f"{name}: {REQUIRED}"):
        LITERALS[name]()


@pytest.mark.parametrize("name", CREATION)
@pytest.mark.parametrize("device", DEVICES)
def test_creation_takes_device(name, device, no_default):
    assert str(CREATION[name](device=device).device) == device


@pytest.mark.parametrize("device", DEVICES)
def test_input_arrays_decide_the_device(device, no_default):
    x = sk.ones((2,), device=device)
    results = [
        sk.zeros_like(x), sk.asarray(x), sk.asarray([x, x]), sk.stack([x, x]), x + [1, 2], 1 - x,
        sk.sum([x, x]), sk.full((2,), x[0]), sk.linspace(x, 2, 3), sk.from_dlpack(x), sk.sin(x),
        sk.where(x > 0, 1, 2), x[[0, 1]], sk.random.default_rng(0, device=device).random(2),
    ]  # fmt: skip
    assert {str(y.device) for y in results} == {device}
    x[0] = [3]
    assert sk.broadcast_shapes((2,), (1,)) == (2,)
    assert sk.result_type(x, 1.0) == sk.float64


def test_memory_of_other_libraries_decides_the_device(no_default, cuda_device):
    assert str(sk.from_dlpack(np.ones(2)).device) == "cpu:0"
    x = sk.ones((2,), device=cuda_device)
    foreign = type("Foreign", (), {"__cuda_array_interface__": x.__cuda_array_interface__})()
    assert sk.asarray(foreign).device == x.device


def test_contexts_take_precedence_over_no_default_of_the_process():
    sk.set_default_device(None)
    try:
        with sk.device("cuda:1") as device:
            assert sk.zeros((2,)).device == device
            with sk.device(None), pytest.raises(TypeError, match=REQUIRED):
                sk.zeros((2,))
            assert sk.zeros((2,)).device == device
    finally:
        sk.set_default_device("cpu:0")
    with sk.device(None), pytest.raises(TypeError, match=REQUIRED):
        sk.zeros((2,))
    assert str(sk.zeros((2,)).device) == "cpu:0"


def test_no_default_of_a_context_is_local_to_its_thread():
    seen = []
    with sk.device(None):
        thread = threading.Thread(target=lambda: seen.append(sk.default_device()))
        thread.start()
        thread.join()
    assert seen == [sk.Device("cpu:0")]


def test_the_error_says_what_to_do(no_default):
    with pytest.raises(TypeError) as caught:
        sk.zeros((2,))
    assert str(caught.value) == (
        "zeros: device is required, as there is no default device (set_default_device(None) or `with "
        "skerry.device(None)`); pass device=, or create arrays inside `with skerry.device(...)`"
    )
