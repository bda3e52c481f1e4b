# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Devices, streams and memory: the Python interface."""

import pickle
import threading

import pytest
import skerry as sk
from skerry.exceptions import DeviceUnavailableError
from skerry.testing import instruments

from tests.python.oracle import to_numpy
from tests.python.session import DEVICES, HAS_GPU


def test_devices_compare_hash_and_pickle_by_value():
    one, same = sk.Device("cuda:1"), sk.Device("cuda", 1)
    assert one == same
    assert hash(one) == hash(same)
    assert one != sk.Device("cuda")
    assert one != "cuda:1"
    assert (one.kind, one.index) == ("cuda", 1)
    assert str(one) == "cuda:1"
    assert repr(one) == "Device('cuda:1')"
    assert eval(repr(one), {"Device": sk.Device}) == one
    assert pickle.loads(pickle.dumps(one)) == one
    assert sk.Device(one) == one
    assert sk.Device("cpu") == sk.Device("cpu:0")
    # Does not check whether the device exists.
    assert sk.Device("cuda:63").index == 63


@pytest.mark.parametrize(
    "text", ["", "gpu", "cpu:", "cuda:x", "cuda:-1", "cuda:1 ", "CPU", "cuda:99999"]
)
def test_unknown_device_names_raise(text):
    with pytest.raises(ValueError):
        sk.Device(text)


def test_invalid_device_arguments_raise():
    with pytest.raises(ValueError, match="index"):
        sk.Device("cuda:1", 1)
    with pytest.raises(TypeError):
        sk.Device(1)
    with pytest.raises(TypeError):
        sk.Device("cuda", "1")


def test_devices_lists_all_or_one_kind():
    assert [str(d) for d in sk.devices("cpu")] == ["cpu:0", "cpu:1"]
    assert [str(d) for d in sk.devices()][:4] == DEVICES
    with pytest.raises(ValueError):
        sk.devices("tpu")


def test_device_info(device):
    info = sk.Device(device).info
    assert info.name
    assert info.total_bytes > 0
    assert all(isinstance(peer, sk.Device) for peer in info.peers)
    with pytest.raises(DeviceUnavailableError) as caught:
        sk.Device("cuda:60").info
    assert caught.value.reason == "out_of_range"


def test_device_context_is_thread_local():
    seen = []
    with sk.device("cuda:1"):
        thread = threading.Thread(target=lambda: seen.append(str(sk.default_device())))
        thread.start()
        thread.join()
        assert str(sk.default_device()) == "cuda:1"
    assert seen == ["cpu:0"]
    assert str(sk.default_device()) == "cpu:0"


def test_device_context_is_exited_on_error():
    with pytest.raises(KeyError), sk.device("cuda:0"):
        raise KeyError
    assert str(sk.default_device()) == "cpu:0"
    scope = sk.device("cuda:0")
    with scope, scope:
        assert str(sk.default_device()) == "cuda:0"
    assert str(sk.default_device()) == "cpu:0"
    with pytest.raises(DeviceUnavailableError), sk.device("cuda:50"):
        pass
    assert str(sk.default_device()) == "cpu:0"


def test_default_device_must_exist():
    with pytest.raises(DeviceUnavailableError):
        sk.set_default_device("cuda:50")
    assert str(sk.default_device()) == "cpu:0"


def test_stream_and_event_interface(cuda_device):
    s = sk.Stream(cuda_device)
    assert s.device == sk.Device(cuda_device)
    version, handle = s.__cuda_stream__()
    assert version == 0
    assert handle == s.handle > 2
    e = sk.Event(cuda_device)
    with sk.stream(s) as current:
        assert current == s
        x = sk.ones((1000,), device=cuda_device)
        y = x + 1
        e.record(s)
    e.synchronize()
    assert e.done
    assert sk.current_stream(cuda_device).handle == 1
    s.synchronize()
    assert s.idle
    assert float(sk.sum(y)) == 2000
    with pytest.raises(ValueError):
        sk.Stream("cpu")


def test_to_device_takes_a_stream(cuda_device):
    s = sk.Stream(cuda_device)
    x = sk.arange(1000)
    for stream in (s, s.handle, 1, None):
        y = x.to_device(cuda_device, stream=stream)
        s.synchronize()
        assert to_numpy(y).tolist() == list(range(1000))
        assert y.to_device("cpu", stream=stream).tolist() == list(range(1000))
    with pytest.raises(ValueError):
        x.to_device(cuda_device, stream=0)
    with pytest.raises(TypeError):
        x.to_device(cuda_device, stream="s")
    with pytest.raises(ValueError):
        x.to_device("cpu:1", stream=1)
    assert sk.current_stream(cuda_device).handle == 1


def test_export_from_another_stream_is_ordered(cuda_device):
    s = sk.Stream(cuda_device)
    with sk.stream(s):
        x = sk.ones((100_000,), device=cuda_device)
        for _ in range(20):
            x = x + 1
        interface = x.__cuda_array_interface__
    assert interface["stream"] == 1
    # Runs on the default stream: without the event it would read stale values.
    y = sk.from_cuda_array_interface(interface, x) * 1.0
    assert float(sk.min(y)) == 21.0


def test_memory_statistics_of_a_device(device):
    old_statistics = sk.memory_statistics(device)
    x = sk.ones((1000,), device=device)
    during = sk.memory_statistics(device)
    assert during.live_bytes - old_statistics.live_bytes >= 8000
    assert during.peak_bytes >= during.live_bytes
    assert old_statistics.limit_bytes is None
    del x
    sk.reset_peak(device)
    assert sk.trim(device) >= 0
    with pytest.raises(ValueError):
        sk.set_memory_limit(device, -1)


def test_pinned_arrays_are_host_arrays():
    x = sk.ones((4,), pinned=True)
    assert instruments.is_pinned(x)
    assert x.__cuda_array_interface__["stream"] is None
    assert (x + 1).tolist() == [2.0] * 4
    assert not hasattr(sk.ones((4,)), "__cuda_array_interface__")
    with pytest.raises(ValueError, match="pinned"):
        sk.ones((4,), device="cuda:0", pinned=True)


@pytest.mark.skipif(HAS_GPU, reason="rehearsed devices only")
def test_show_config_lists_devices(capsys):
    assert sk.show_config() is None
    assert "rehearsed" in capsys.readouterr().out
    about = sk.show_config(mode="dicts")
    assert [one["device"] for one in about["devices"]][:4] == DEVICES
    with pytest.raises(ValueError):
        sk.show_config(mode="json")
