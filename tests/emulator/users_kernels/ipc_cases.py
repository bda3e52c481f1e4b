# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Memory and events of two processes with the driver's calls: run by test_ipc.py."""

import contextlib
import ctypes
import multiprocessing

import numpy as np
import pytest
from cuda.bindings import driver
from cuda.core import Device, Event, EventOptions
from skerry.testing import emulated_gpu, instruments

LAZY_PEER_ACCESS = driver.CUipcMem_flags.CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS
COUNT = 1000


def status(result):
    return int(result[0])


def check(result):
    assert status(result) == 0, result
    return result[1] if len(result) > 1 else None


@pytest.fixture(autouse=True)
def device():
    device = Device(0)
    device.set_current()
    return device


@pytest.fixture
def memory():
    address = check(driver.cuMemAlloc(4 * COUNT))
    check(driver.cuMemsetD32(address, 5, COUNT))
    yield address
    driver.cuMemFree(address)


def read(address):
    host = np.empty(COUNT, "uint32")
    check(driver.cuMemcpyDtoH(host.ctypes.data, address, host.nbytes))
    return host.tolist()


def start():
    """Makes the emulated GPU the device of a new process."""
    import skerry

    skerry.rehearse(cuda=2, kernels=True)
    Device(0).set_current()


def to_bytes(handle):
    return ctypes.string_at(handle.getPtr(), 64)


def from_bytes(kind, data):
    handle = kind()
    ctypes.memmove(handle.getPtr(), data, 64)
    return handle


def open_memory(data):
    return driver.cuIpcOpenMemHandle(
        from_bytes(driver.CUipcMemHandle, data), LAZY_PEER_ACCESS.value
    )


@contextlib.contextmanager
def another_process():
    """Gives a function that returns what a function returns in another process."""
    with multiprocessing.get_context("spawn").Pool(1, start) as pool:
        yield lambda target, *arguments: pool.apply(target, arguments)


def run(target, *arguments):
    with another_process() as call:
        return call(target, *arguments)


def fill(handle):
    address = check(open_memory(handle))
    assert int(check(open_memory(handle))) == int(address)  # opened twice
    values = read(address)
    check(driver.cuMemsetD32(address, 7, COUNT))
    check(driver.cuCtxSynchronize())
    assert status(driver.cuMemFree(address)) == 1
    assert status(driver.cuMemFreeAsync(address, 0)) == 1
    check(driver.cuIpcCloseMemHandle(address))
    assert read(address)[0] == 7
    check(driver.cuIpcCloseMemHandle(address))
    return values[0], values[-1], status(driver.cuIpcCloseMemHandle(address))


def test_another_process_reads_and_writes_memory(memory):
    handle = check(driver.cuIpcGetMemHandle(memory))
    assert run(fill, to_bytes(handle)) == (5, 5, 1)
    assert set(read(memory)) == {7}


def test_an_export_keeps_what_another_device_still_writes(device):
    count = 32 << 20  # the copy of 128 MiB takes longer than the delay
    memory = check(driver.cuMemAlloc(4 * count))
    check(driver.cuMemsetD32(memory, 5, count))
    check(driver.cuCtxSynchronize())
    context = check(driver.cuCtxGetCurrent())
    Device(1).set_current()
    check(driver.cuCtxEnablePeerAccess(context, 0))
    stream = check(driver.cuStreamCreate(1))
    with instruments.delayed_work(0.01):
        check(driver.cuMemsetD32Async(memory, 7, count, stream))
    device.set_current()
    check(driver.cuIpcGetMemHandle(memory))
    check(driver.cuStreamSynchronize(stream))
    values = np.empty(count, "uint32")
    check(driver.cuMemcpyDtoH(values.ctypes.data, memory, values.nbytes))
    assert (values == 7).all()
    check(driver.cuStreamDestroy(stream))
    check(driver.cuMemFree(memory))


def open_status(handle):
    return status(open_memory(handle))


def test_handles_of_freed_memory_are_rejected(memory):
    handle = check(driver.cuIpcGetMemHandle(memory))
    check(driver.cuMemFree(memory))
    assert run(open_status, to_bytes(handle)) == 1
    assert run(open_status, bytes(64)) == 1


def test_a_process_does_not_open_its_own_handle(memory):
    assert open_status(to_bytes(check(driver.cuIpcGetMemHandle(memory)))) != 0


def test_only_memory_of_its_own_has_handles(memory, device):
    pooled = check(driver.cuMemAllocAsync(64, 0))
    managed = check(driver.cuMemAllocManaged(64, 1))
    for address in (pooled, managed, 12345):
        assert status(driver.cuIpcGetMemHandle(address)) == 1
    attribute = driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE
    for address, is_capable in [(memory, 1), (pooled, 0), (managed, 0)]:
        assert int(check(driver.cuPointerGetAttribute(attribute, address))) == is_capable
    check(driver.cuMemFreeAsync(pooled, 0))
    check(driver.cuMemFree(managed))


def new_event():
    flags = driver.CUevent_flags
    event = check(
        driver.cuEventCreate(
            flags.CU_EVENT_INTERPROCESS.value | flags.CU_EVENT_DISABLE_TIMING.value
        )
    )
    return event, to_bytes(check(driver.cuIpcGetEventHandle(event)))


def open_event(data):
    return check(driver.cuIpcOpenEventHandle(from_bytes(driver.CUipcEventHandle, data)))


opened = {}  # in the other process


def open_both(memory_handle, event_handle):
    opened["memory"] = check(open_memory(memory_handle))
    opened["event"] = open_event(event_handle)


def read_after_event():
    was_done = status(driver.cuEventQuery(opened["event"]))
    check(driver.cuEventSynchronize(opened["event"]))
    return was_done, status(driver.cuEventQuery(opened["event"])), set(read(opened["memory"]))


def read_behind_event():
    """The stream waits, not the host."""
    stream = check(driver.cuStreamCreate(1))
    copy = check(driver.cuMemAlloc(4 * COUNT))
    check(driver.cuStreamWaitEvent(stream, opened["event"], 0))
    check(driver.cuMemcpyDtoDAsync(copy, opened["memory"], 4 * COUNT, stream))
    check(driver.cuStreamSynchronize(stream))
    return set(read(copy))


def fill_slowly(address, value, stream):
    with instruments.delayed_work(0.5):
        check(driver.cuMemsetD32Async(address, value, COUNT, stream))


def test_another_process_waits_for_an_event(memory):
    event, handle = new_event()
    stream = check(driver.cuStreamCreate(1))
    memory_handle = to_bytes(check(driver.cuIpcGetMemHandle(memory)))
    with another_process() as call:
        call(open_both, memory_handle, handle)
        fill_slowly(memory, 7, stream)
        check(driver.cuEventRecord(event, stream))
        assert call(read_after_event) == (600, 0, {7})  # CUDA_ERROR_NOT_READY
        fill_slowly(memory, 8, stream)
        check(driver.cuEventRecord(event, stream))
        assert call(read_behind_event) == {8}
    check(driver.cuStreamDestroy(stream))


def test_only_events_without_timing_have_handles():
    flags = driver.CUevent_flags
    assert status(driver.cuEventCreate(flags.CU_EVENT_INTERPROCESS.value)) == 1  # with timing
    plain = check(driver.cuEventCreate(0))
    assert status(driver.cuIpcGetEventHandle(plain)) == 1


def forward_event(first_handle, second_handle):
    stream = check(driver.cuStreamCreate(1))
    check(driver.cuStreamWaitEvent(stream, open_event(first_handle), 0))
    check(driver.cuEventRecord(open_event(second_handle), stream))
    check(driver.cuStreamSynchronize(stream))


def test_order_may_pass_through_another_process(memory):
    events, handles = zip(new_event(), new_event(), strict=True)
    writer = check(driver.cuStreamCreate(1))
    reader = check(driver.cuStreamCreate(1))
    copy = check(driver.cuMemAlloc(4 * COUNT))

    def write_and_read(call):
        check(driver.cuMemsetD32Async(memory, 7, COUNT, writer))
        check(driver.cuEventRecord(events[0], writer))
        call(forward_event, *handles)
        check(driver.cuStreamWaitEvent(reader, events[1], 0))
        check(driver.cuMemcpyDtoDAsync(copy, memory, 4 * COUNT, reader))
        check(driver.cuCtxSynchronize())

    with another_process() as call, emulated_gpu(checks="streams"):
        write_and_read(call)
        # The event may have been recorded here, earlier.
        check(driver.cuEventRecord(events[1], reader))
        write_and_read(call)
    check(driver.cuMemFree(copy))


def record_and_stay(handle, connection):
    start()
    with instruments.delayed_work(1000):
        check(driver.cuMemsetD32Async(check(driver.cuMemAlloc(4 * COUNT)), 1, COUNT, 0))
    check(driver.cuEventRecord(open_event(handle), 0))
    connection.send(None)
    connection.recv()


def test_an_event_of_a_process_that_was_killed_is_done():
    event, handle = new_event()
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe()
    process = context.Process(target=record_and_stay, args=(handle, sender))
    process.start()
    receiver.recv()
    assert status(driver.cuEventQuery(event)) == 600  # CUDA_ERROR_NOT_READY
    process.kill()
    # The process is a zombie until join().
    check(driver.cuEventSynchronize(event))
    process.join()


def wait_for_core_event(descriptor):
    event = Event.from_ipc_descriptor(descriptor)
    was_done = event.is_done
    event.sync()
    return was_done, event.is_done


def test_events_of_cuda_core(device, memory):
    with another_process() as call:
        call(int)  # starts it
        fill_slowly(memory, 7, 0)
        event = device.default_stream.record(options=EventOptions(ipc_enabled=True))
        assert call(wait_for_core_event, event.ipc_descriptor) == (False, True)
