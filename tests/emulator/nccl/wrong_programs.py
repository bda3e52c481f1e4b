# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Programs with one mistake each, which their names state: python -m tests.emulator.nccl.wrong_programs NAME."""

import os
import sys

import skerry as sk

from tests.emulator.nccl.ranks import array, in_processes, in_threads, nccl, stream_of

PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def run(body, count=2, devices=None):
    """Run the ranks and say which exceptions they raise: the reports on stderr are what is tested."""
    for rank, error in enumerate(in_threads(body, count, devices)):
        print(f"rank {rank}: {type(error).__name__}: {error}")
    for device in range(count):
        try:
            sk.synchronize(sk.Device(f"cuda:{device}"))
        except Exception as error:
            print(f"device {device}: {type(error).__name__}")


def sum_in_place(rank, comm, x, operation=nccl.SUM):
    comm.allreduce(x, x, operation, stream=stream_of(rank))


@program
def counts_differ():
    run(lambda rank, comm: sum_in_place(rank, comm, array(rank, 8 + rank)))


@program
def dtypes_differ():
    run(
        lambda rank, comm: sum_in_place(
            rank, comm, array(rank, 8, sk.float64 if rank == 2 else sk.float32)
        ),
        4,
    )


@program
def operations_differ():
    run(lambda rank, comm: sum_in_place(rank, comm, array(rank), nccl.MAX if rank else nccl.SUM))


@program
def roots_differ():
    def body(rank, comm):
        x = array(rank)
        comm.broadcast(x, x, root=rank, stream=stream_of(rank))

    run(body)


@program
def order_differs():
    def body(rank, comm):
        x = array(rank)
        for turn in range(2):
            if turn == rank:
                sum_in_place(rank, comm, x)
            else:
                comm.broadcast(x, x, root=0, stream=stream_of(rank))

    run(body)


@program
def a_rank_skips_a_call():
    def body(rank, comm):
        x = array(rank)
        sum_in_place(rank, comm, x)
        if rank != 1:
            sum_in_place(rank, comm, x)

    run(body, 3)


@program
def a_rank_raises():
    def body(rank, comm):
        if rank == 1:
            raise ValueError("a mistake of the user's")
        sum_in_place(rank, comm, array(rank))

    run(body)


@program
def a_rank_leaves():
    def body(rank, comm):
        if rank == 1:
            return comm.destroy()
        return sum_in_place(rank, comm, array(rank))

    run(body)


@program
def calls_are_not_grouped():
    for rank, comm in enumerate(nccl.Communicator.init_all(2)):
        sum_in_place(rank, comm, array(rank))


def receive_first(rank, comm):
    x, y = array(rank), array(rank)
    comm.recv(y, 1 - rank, stream=stream_of(rank))
    comm.send(x, 1 - rank, stream=stream_of(rank))


@program
def both_receive_first():
    run(receive_first)


@program
def send_and_receive_differ():
    def body(rank, comm):
        x = array(rank, 8 + rank)
        if rank == 0:
            comm.send(x, 1, stream=stream_of(rank))
        else:
            comm.recv(x, 0, stream=stream_of(rank))

    run(body)


def use_in_another_order(rank, comm):
    other = comm.split(0, rank)
    x = array(rank)
    for communicator in (comm, other) if rank == 0 else (other, comm):
        sum_in_place(rank, communicator, x)


@program
def communicators_in_another_order():
    run(use_in_another_order)


@program
def a_rank_never_joins():
    nccl.Communicator.init(2, 0, nccl.get_unique_id())


@program
def one_device_twice():
    run(lambda rank, comm: None, 2, [1, 1])


@program
def a_buffer_is_too_short():
    def body(rank, comm):
        from nccl.bindings import nccl as bindings

        x = array(rank)
        address = x.__cuda_array_interface__["data"][0]
        bindings.all_reduce(
            address, address, 5000, int(nccl.FLOAT32), 0, comm._comm, stream_of(rank).handle
        )

    run(body)


@program
def a_buffer_is_freed():
    def body(rank, comm):
        from nccl.bindings import nccl as bindings

        address = bindings.mem_alloc(1 << 20)
        bindings.mem_free(address)
        bindings.all_reduce(
            address, address, 8, int(nccl.FLOAT32), 0, comm._comm, stream_of(rank).handle
        )

    run(body)


@program
def a_buffer_is_uninitialized():
    def body(rank, comm):
        x = sk.empty(8, dtype=sk.float32, device=sk.Device(f"cuda:{rank}"))
        sum_in_place(rank, comm, x)

    run(body)


@program
def the_stream_is_of_another_device():
    stream = sk.Stream("cuda:0")

    def body(rank, comm):
        x = array(rank)
        comm.allreduce(x, x, nccl.SUM, stream=stream)

    run(body)


def fill(x, stream):
    from cuda.bindings import driver

    address = x.__cuda_array_interface__["data"][0]
    (status,) = driver.cuMemsetD32Async(address, 0, x.size, stream.handle)
    assert status == driver.CUresult.CUDA_SUCCESS


def sum_and_fill(operand):
    """Fill an operand of a collective on another stream."""

    def body(rank, comm):
        streams = [sk.Stream(f"cuda:{rank}") for _ in range(2)]
        operands = {"source": array(rank, 64), "result": array(rank, 64)}
        sk.synchronize(f"cuda:{rank}")
        comm.allreduce(*operands.values(), nccl.SUM, stream=streams[0])
        fill(operands[operand], streams[1])
        for stream in streams:
            stream.synchronize()

    run(body)


@program
def an_input_is_written_on_another_stream():
    sum_and_fill("source")


@program
def a_result_is_written_on_another_stream():
    sum_and_fill("result")


@program
def a_graph_is_not_replayed():
    from cuda.core import Device

    def body(rank, comm):
        x = array(rank)
        sk.synchronize(x.device)
        builder = Device(rank).create_stream().create_graph_builder().begin_building()
        comm.allreduce(x, x, nccl.SUM, stream=builder.stream)
        graph = builder.end_building().complete()
        if rank == 0:
            stream = Device(rank).create_stream()
            graph.launch(stream)
            stream.sync()

    run(body)


@program
def a_group_has_no_end():
    comms = nccl.Communicator.init_all(2)
    nccl.group_start()
    for rank, comm in enumerate(comms):
        sum_in_place(rank, comm, array(rank))


@program
def a_group_of_a_thread_has_no_end():
    def body(rank, comm):
        if rank == 1:
            nccl.group_start()
        sum_in_place(rank, comm, array(rank))

    run(body)


def sum_of_another_count(rank, comm):
    print("begin", flush=True)
    try:
        sum_in_place(rank, comm, array(rank, 8 + rank))
        sk.synchronize(sk.Device(f"cuda:{rank}"))
    except Exception as error:
        print(f"rank {rank}: {type(error).__name__}", flush=True)


def exit_as_rank_1(rank, comm):
    print("begin", flush=True)
    if rank == 1:
        os._exit(7)
    sum_in_place(rank, comm, array(rank))


def kill_rank_1(rank, comm):
    print("begin", flush=True)
    if rank == 1:
        os.kill(os.getpid(), 9)
    sum_in_place(rank, comm, array(rank))


def receive_first_in_a_process(rank, comm):
    print("begin", flush=True)
    receive_first(rank, comm)
    sk.synchronize(sk.Device(f"cuda:{rank}"))


def use_in_another_order_in_a_process(rank, comm):
    print("begin", flush=True)
    use_in_another_order(rank, comm)
    sk.synchronize(sk.Device(f"cuda:{rank}"))


@program
def both_processes_receive_first():
    in_processes(receive_first_in_a_process)


@program
def communicators_of_processes_in_another_order():
    in_processes(use_in_another_order_in_a_process)


@program
def counts_differ_between_processes():
    in_processes(sum_of_another_count)


@program
def a_process_exits():
    in_processes(exit_as_rank_1)


@program
def a_process_is_killed():
    in_processes(kill_rank_1)


if __name__ == "__main__":
    PROGRAMS[sys.argv[1]]()
