# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Types of the extension module: objects are always initialized, and wrong arguments raise skerry's own errors."""

import copy
import copyreg
import inspect
import itertools
import pickle

import pytest
import skerry as sk
from skerry.testing import instruments

TYPES = list(instruments.extension_types().values())
RAW = ("incompatible", "pybind11", "std::", "SwigPy", "_core.", "0x", "<built-in")


def instances():
    device = sk.Device("cuda:0")
    return [
        device,
        device.info,
        sk.memory_statistics(device),
        sk.Stream(device),
        sk.current_stream(device),
        sk.Event(device),
        sk.ones((2, 2)),
        sk.capture(lambda x: x + 1, sk.ones(2, device=device))._device_graph,
        sk.ipc_handle(sk.ones(2, device=device))._event,
    ]


def test_all_types_are_known():
    assert {type(value) for value in instances()} == set(TYPES)


def uses(value):
    """Use everything that could read an uninitialized value."""
    for name in dir(value):
        getattr(value, name)
    return repr(value), value == value, hash(value)


@pytest.mark.parametrize("type_", TYPES, ids=lambda t: t.__name__)
def test_no_object_is_created_uninitialized(type_):
    makers = [
        lambda: type_.__new__(type_),
        lambda: object.__new__(type_),
        lambda: copyreg.__newobj__(type_),
        *(lambda base=base: base.__new__(type_) for base in type_.__mro__[1:]),
    ]
    for make in makers:
        with pytest.raises(TypeError) as caught:
            make()
        # The error of object.__new__ is Python's own.
        assert "_core." not in str(caught.value) or "is not safe" in str(caught.value)


@pytest.mark.parametrize("name", ["Device", "Stream", "Event"])
def test_new_initializes_the_object(name):
    type_ = getattr(sk, name)
    instance = type_.__new__(type_, "cuda:0")
    uses(instance)
    assert str(getattr(instance, "device", instance)) == "cuda:0"
    type_.__init__(instance, "cuda:1")  # a second initialization is ignored
    assert str(getattr(instance, "device", instance)) == "cuda:0"


def test_shared_device_objects_are_immutable():
    device = sk.ones((1,), device="cpu:0").device
    type(device).__init__(device, "cuda:1")
    assert str(sk.ones((1,), device="cpu:0").device) == "cpu:0"


def test_instances_of_derived_classes_are_initialized():
    class Mine(sk.Device):
        def __init__(self, name):  # does not call the constructor
            self.label = name

    assert Mine("cuda:1").index == 1
    with pytest.raises(TypeError):
        Mine.__new__(Mine)


def test_copies_and_pickles():
    device = sk.Device("cuda:1")
    for duplicate in (copy.copy(device), copy.deepcopy(device), pickle.loads(pickle.dumps(device))):
        assert duplicate == device
    for value in (device.info, sk.memory_statistics(device)):
        assert repr(copy.copy(value)) == repr(copy.deepcopy(value)) == repr(value)
        with pytest.raises(TypeError):
            pickle.dumps(value)
    for value in (sk.Stream(device), sk.Event(device)):
        for call in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError):
                call(value)


def test_signatures_can_be_inspected():
    assert list(inspect.signature(sk.Device).parameters) == ["name", "index"]
    assert "device" in inspect.signature(sk.Event).parameters
    assert list(inspect.signature(sk.Stream("cuda:0").wait).parameters) == ["other"]
    assert list(inspect.signature(sk.Stream.from_handle).parameters) == ["device", "handle"]


class Nonsense:
    pass


WRONG = [(), (Nonsense(),), (Nonsense(), 1), ("x", "y", "z"), (None,) * 9, (b"",), (3.5, 2.5)]
WRONG_NAMES = [{}, {"no_such_name": 1}]
# Functions that change the process, print, or accept anything; bfloat16(b"") of ml_dtypes 0.6.0 ends it.
LEFT_OUT = {"bfloat16", "show_config", "rehearse", "synchronize", "shut_down", "use_device_context", "use_promotion_context", "use_version_context"}  # fmt: skip


# Types without a constructor.
NOT_MADE = {
    type_ for type_ in TYPES if type_.__name__ in ("DeviceInfo", "MemoryStatistics", "DeviceGraph", "IpcEvent")
}  # fmt: skip


def callables():
    for module in (sk, sk.linalg, sk.fft):
        for name, value in sorted(vars(module).items()):
            if callable(value) and not name.startswith("_") and name not in LEFT_OUT:
                yield f"{module.__name__}.{name}", value
    for value in instances():
        for name in dir(type(value)):
            method = getattr(value, name, None)
            if name.startswith("_pybind11") or (name == "__init__" and type(value) in NOT_MADE):
                continue  # not called by users
            if callable(method) and name not in (
                "__class__",
                "__subclasshook__",
                "__init_subclass__",
            ):
                yield f"{type(value).__name__}.{name}", method
                if not isinstance(inspect.getattr_static(type(value), name), staticmethod):
                    yield f"{type(value).__name__}.{name} (unbound)", getattr(type(value), name)


def test_nonsense_arguments_raise_skerry_errors(tmp_path, monkeypatch):
    """No error shows text of pybind11 or C++."""
    monkeypatch.chdir(tmp_path)  # savez(b"", no_such_name=1) writes a file
    failures = []
    called = 0
    for name, function in callables():
        for args, keywords in itertools.product(WRONG, WRONG_NAMES):
            called += 1
            try:
                function(*args, **keywords)
            except Exception as error:
                text = str(error)
                if isinstance(error, SystemError) or any(raw in text for raw in RAW[:5]):
                    failures.append(f"{name}{args}{keywords}: {type(error).__name__}: {text[:200]}")
    assert not failures, "\n".join(failures)
    assert called > 2000


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: sk.Event(), "Event: takes (device"),
        (lambda: sk.Event("cuda:0", 1, 2, 3), "Event: takes (device"),
        (lambda: sk.Stream(), "Stream: takes (device), not ()"),
        (lambda: sk.Device(), "Device: takes (name, index=None), not ()"),
        (lambda: sk.Device(nme="cpu"), "Device: takes (name, index=None), not (nme=str)"),
        (lambda: sk.Stream("cuda:0").wait(), "Stream.wait: takes (other), not ()"),
        (lambda: sk.Stream.from_handle(), "Stream.from_handle: takes (device, handle), not ()"),
        (
            lambda: sk.unstack(sk.ones((2,)), 1),
            "takes 1 positional argument, got 2; axis is keyword-only: unstack(x, axis=1)",
        ),
        (
            lambda: sk.eye(1, 2, 0, None, "C", "cpu"),
            "takes at most 5 positional arguments, got 6; device is keyword-only",
        ),
        (lambda: sk.exp(1, 2), "exp: out must be an Array, not int"),
        (lambda: sk.tril(sk.ones((2, 2)), k="x"), "tril: k must be an int, not str"),
        (
            lambda: sk.asarray([1.0], dtype=sk.int64),
            "a scalar converts only to the same or a higher kind",
        ),
        (lambda: sk.full((2,), 1j, dtype=sk.float64), "write value.real"),
    ],
)
@pytest.mark.usefixtures("strict_promotion")
def test_error_texts(call, text):
    with pytest.raises(TypeError) as caught:
        call()
    assert text in str(caught.value)
    assert "lose" not in str(caught.value)
