# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Clusters of several blocks on an emulated GPU of compute capability 9.0: run by test_clusters.py."""

import ctypes

import numpy as np
import pytest
from cuda.core import (
    Device,
    LaunchConfig,
    LegacyPinnedMemoryResource,
    Program,
    ProgramOptions,
    launch,
)
from skerry_emulator._reports import library

HEAD = r"""
__device__ unsigned special(int which) {
  unsigned value;
  switch (which) {
    case 0: asm("mov.u32 %0, %%clusterid.x;" : "=r"(value)); break;
    case 1: asm("mov.u32 %0, %%nclusterid.x;" : "=r"(value)); break;
    case 2: asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(value)); break;
    case 3: asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(value)); break;
    case 4: asm("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(value)); break;
    default: asm("mov.u32 %0, %%clusterid.y;" : "=r"(value)); break;
  }
  return value;
}
__device__ void meet() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
"""
CODE = (
    HEAD
    + r"""
extern "C" __global__ void places(unsigned* out) {
  const unsigned block = blockIdx.x + gridDim.x * blockIdx.y;
  if (threadIdx.x < 6) out[6 * block + threadIdx.x] = special(threadIdx.x);
}
// Each block adds up the values of all blocks of its cluster, read by addresses of shared memory and by generic ones.
extern "C" __global__ void sums(unsigned* out) {
  __shared__ unsigned mine[64];
  mine[threadIdx.x] = 100 * blockIdx.x + threadIdx.x;
  meet();
  unsigned sum = 0;
  const unsigned own = static_cast<unsigned>(__cvta_generic_to_shared(&mine[threadIdx.x]));
  for (unsigned rank = 0; rank < special(3); ++rank) {
    unsigned there, value, owner;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(own), "r"(rank));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(owner) : "r"(there));
    unsigned long long generic;
    asm("mapa.u64 %0, %1, %2;" : "=l"(generic) : "l"(&mine[threadIdx.x]), "r"(rank));
    sum += value + (*reinterpret_cast<unsigned*>(generic) == value) + (owner == rank);
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum;
  meet();
}
// All threads add to the first block's counter, which then writes it.
extern "C" __global__ void counts(unsigned* out) {
  __shared__ unsigned counter;
  if (threadIdx.x == 0) counter = 0;
  meet();
  unsigned long long first;
  asm("mapa.u64 %0, %1, %2;" : "=l"(first) : "l"(&counter), "r"(0));
  atomicAdd(reinterpret_cast<unsigned*>(first), 1u);
  meet();
  if (threadIdx.x == 0 && special(2) == 0) out[special(0)] = counter;
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) required(unsigned* out) {
  if (threadIdx.x == 0) out[blockIdx.x] = special(3);
}
extern "C" __global__ void beyond(unsigned* out) {
  __shared__ unsigned mine[64];
  unsigned there, value;
  const unsigned own = static_cast<unsigned>(__cvta_generic_to_shared(&mine[0]));
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(own), "r"(1));
  asm volatile("ld.shared::cluster.u32 %0, [%1 + 256];" : "=r"(value) : "r"(there) : "memory");
  out[0] = value;
}
"""
)


@pytest.fixture(scope="module")
def device():
    device = Device(0)
    device.set_current()
    assert device.compute_capability == (9, 0)
    return device


@pytest.fixture(scope="module")
def code(device):
    return Program(CODE, code_type="c++", options=ProgramOptions(arch="sm_90")).compile("cubin")


@pytest.fixture(params=[{}, {"SEED": 5, "RESIDENT": 8, "QUANTUM": 7}], ids=["plain", "interleaved"])
def schedule(request):
    """Set the schedule; check for races and missing threads in the interleaved one. Nothing may be reported."""
    settings = {**request.param, "RACECHECK": 2, "INITCHECK": 0, "SYNCCHECK": 1}
    if not request.param:
        settings = {"SEED": 0, "RESIDENT": 1, "QUANTUM": 0, "RACECHECK": 0, "SYNCCHECK": 0}
    for name, value in settings.items():
        library().set(f"SKERRY_EMULATE_{name}", value)


def run(device, code, name, count, **options):
    buffer = LegacyPinnedMemoryResource().allocate(4 * count)
    result = np.frombuffer((ctypes.c_uint32 * count).from_address(int(buffer.handle)), np.uint32)
    try:
        launch(device.default_stream, LaunchConfig(**options), code.get_kernel(name), buffer)
        device.sync()
        return result.copy()
    finally:
        buffer.close()


@pytest.mark.usefixtures("schedule")
def test_special_registers_give_the_position_in_the_cluster(device, code):
    # cuda.core counts a grid in clusters.
    result = run(device, code, "places", 6 * 24, grid=(3, 2), cluster=(2, 2), block=32)
    for block, row in enumerate(result.reshape(24, 6)):
        x, y = block % 6, block // 6
        assert tuple(row) == (x // 2, 3, x % 2 + 2 * (y % 2), 4, y % 2, y // 2)


@pytest.mark.usefixtures("schedule")
def test_blocks_read_each_others_shared_memory(device, code):
    result = run(device, code, "sums", 12 * 64, grid=3, cluster=4, block=64).reshape(3, 4, 64)
    for cluster, rows in enumerate(result):
        blocks = range(4 * cluster, 4 * cluster + 4)
        expected = [sum(100 * block + thread for block in blocks) + 8 for thread in range(64)]
        assert (rows == expected).all()


@pytest.mark.usefixtures("schedule")
def test_blocks_write_to_each_others_shared_memory(device, code):
    assert run(device, code, "counts", 2, grid=2, cluster=8, block=96).tolist() == [768, 768]


def test_a_kernels_required_cluster_is_checked(device, code, capfd):
    assert run(device, code, "required", 4, grid=4, block=32).tolist() == [2, 2, 2, 2]
    with pytest.raises(Exception, match="CUDA_ERROR_INVALID_CLUSTER_SIZE"):
        run(device, code, "required", 4, grid=1, cluster=4, block=32)
    assert "the kernel requires (2,1,1)" in capfd.readouterr().err
    with pytest.raises(Exception, match="CUDA_ERROR_INVALID_CLUSTER_SIZE"):
        run(device, code, "required", 3, grid=3, block=32)
    assert "must be a multiple of it" in capfd.readouterr().err


def test_an_access_past_the_end_of_another_blocks_memory_is_reported(device, code, capfd):
    with pytest.raises(Exception, match=r"(?i)illegal_?address"):
        run(device, code, "beyond", 1, grid=1, cluster=2, block=32)
    assert "read of 4 bytes of shared memory" in capfd.readouterr().err
