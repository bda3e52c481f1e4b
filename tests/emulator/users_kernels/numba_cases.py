# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Programs of Numba as written for a real GPU, on the emulated GPU: run by test_users_kernels.py."""

import math

import numpy as np
import pytest
from numba import cuda, float32, float64, int32, vectorize
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*NumbaPerformanceWarning|.*under-utilization|.*copy overhead"
)
THREADS = 128


def values(n, dtype="float64", seed=0):
    return np.random.default_rng(seed).integers(-50, 50, n).astype(dtype)


def blocks(n):
    return (n + THREADS - 1) // THREADS


@cuda.jit
def add(x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] + y[i]


@pytest.mark.parametrize("n", [1, 31, 1000, 4097])
@pytest.mark.parametrize("dtype", ["int8", "int32", "uint64", "float32", "float64", "complex64"])
def test_host_arrays_are_added(n, dtype):
    x, y = values(n, dtype), values(n, dtype, 1)
    out = np.zeros_like(x)
    add[blocks(n), THREADS](x, y, out)
    np.testing.assert_array_equal(out, x + y)


def test_arrays_stay_on_the_device_between_kernels():
    x = values(1000)
    on_device = cuda.to_device(x)
    doubled = cuda.device_array_like(on_device)
    add[blocks(1000), THREADS](on_device, on_device, doubled)
    add[blocks(1000), THREADS](doubled, on_device, doubled)
    np.testing.assert_array_equal(doubled.copy_to_host(), 3 * x)


def test_kernels_read_strided_views():
    x = cuda.to_device(values(1000))
    out = cuda.to_device(np.zeros(500))
    add[4, THREADS](x[::2], x[500:], out)
    host = x.copy_to_host()
    np.testing.assert_array_equal(out.copy_to_host(), host[::2] + host[500:])


@cuda.jit
def sum_of_blocks(x, total):
    shared = cuda.shared.array(THREADS, float64)
    lane = cuda.threadIdx.x
    i = cuda.grid(1)
    shared[lane] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    half = THREADS // 2
    while half > 0:
        if lane < half:
            shared[lane] += shared[lane + half]
        cuda.syncthreads()
        half //= 2
    if lane == 0:
        cuda.atomic.add(total, 0, shared[0])


def test_threads_share_memory_and_synchronize():
    x = values(5000)
    total = cuda.to_device(np.zeros(1))
    sum_of_blocks[blocks(5000), THREADS](x, total)
    assert total.copy_to_host()[0] == x.sum()


@cuda.jit
def histogram(x, counts):
    shared_counts = cuda.shared.array(32, int32)
    lane = cuda.threadIdx.x
    if lane < 32:
        shared_counts[lane] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(shared_counts, x[i], 1)
    cuda.syncthreads()
    if lane < 32:
        cuda.atomic.add(counts, lane, shared_counts[lane])


def test_atomic_add_counts_every_element():
    x = np.abs(values(5000, "int32")) % 32
    counts = np.zeros(32, "int32")
    histogram[8, THREADS](x, counts)
    np.testing.assert_array_equal(counts, np.bincount(x, minlength=32))


@cuda.jit
def extremes(x, out):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.max(out, 0, x[i])
        cuda.atomic.min(out, 1, x[i])
        cuda.atomic.cas(out, 2, 0, x[i])


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32"])
def test_atomic_max_min_and_compare_and_swap(dtype):
    x = np.abs(values(300, dtype)) + 1
    out = np.array([0, 100, 0], dtype)
    extremes[3, THREADS](x.astype(dtype), out)
    assert out[0] == x.max()
    assert out[1] == x.min()
    assert out[2] in x


def test_atomic_maximum_of_floats():
    @cuda.jit
    def largest(x, out):
        i = cuda.grid(1)
        if i < x.size:
            cuda.atomic.max(out, 0, x[i])

    for dtype in ("float32", "float64"):
        x, out = values(300, dtype), np.full(1, -1e3, dtype)
        largest[3, THREADS](x, out)
        assert out[0] == x.max()


@cuda.jit
def stencil(u, v):
    i, j = cuda.grid(2)
    if 0 < i < u.shape[0] - 1 and 0 < j < u.shape[1] - 1:
        v[i, j] = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]


def test_two_dimensional_stencil():
    u = values(40 * 53).reshape(40, 53)
    v = np.zeros_like(u)
    stencil[(4, 5), (12, 11)](u, v)
    expected = np.zeros_like(u)
    expected[1:-1, 1:-1] = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
    np.testing.assert_array_equal(v, expected)


@cuda.jit
def tiled_product(a, b, out):
    a_tile = cuda.shared.array((8, 8), float32)
    b_tile = cuda.shared.array((8, 8), float32)
    row, column = cuda.grid(2)
    i, j = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for tile in range(a.shape[1] // 8):
        a_tile[i, j] = a[row, tile * 8 + j]
        b_tile[i, j] = b[tile * 8 + i, column]
        cuda.syncthreads()
        for k in range(8):
            total += a_tile[i, k] * b_tile[k, j]
        cuda.syncthreads()
    out[row, column] = total


def test_tiled_matrix_product():
    a = values(32 * 24, "float32").reshape(32, 24)
    b = values(24 * 16, "float32").reshape(24, 16)
    out = np.zeros((32, 16), "float32")
    tiled_product[(4, 2), (8, 8)](a, b, out)
    np.testing.assert_array_equal(out, a @ b)


@cuda.jit
def warp_sums(x, sums, positive):
    i = cuda.grid(1)
    value = x[i]
    votes = cuda.ballot_sync(0xFFFFFFFF, value > 0)
    for step in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, step)
    if cuda.laneid == 0:
        sums[i // 32] = value
        positive[i // 32] = cuda.popc(votes)


def test_lanes_of_a_warp_exchange_values():
    x = values(512, "int32")
    sums, positive = np.zeros(16, "int32"), np.zeros(16, "int32")
    warp_sums[4, THREADS](x, sums, positive)
    np.testing.assert_array_equal(sums, x.reshape(16, 32).sum(axis=1))
    np.testing.assert_array_equal(positive, (x.reshape(16, 32) > 0).sum(axis=1))


def test_a_launch_sets_the_size_of_shared_memory():
    @cuda.jit
    def reverse(x, out):
        shared = cuda.shared.array(0, float32)
        lane = cuda.threadIdx.x
        shared[lane] = x[lane]
        cuda.syncthreads()
        out[lane] = shared[cuda.blockDim.x - 1 - lane]

    x = values(100, "float32")
    out = np.zeros_like(x)
    reverse[1, 100, 0, x.nbytes](x, out)
    np.testing.assert_array_equal(out, x[::-1])


WEIGHTS = np.arange(10.0)


def test_constant_and_local_arrays():
    @cuda.jit
    def weighted(x, out):
        weights = cuda.const.array_like(WEIGHTS)
        local_values = cuda.local.array(10, float64)
        i = cuda.grid(1)
        for k in range(10):
            local_values[(k * 3 + i) % 10] = weights[k] * x[i]
        total = 0.0
        for k in range(10):
            total += local_values[(k + i) % 10] * k
        out[i] = total

    x = values(64)
    out = np.zeros(64)
    weighted[1, 64](x, out)
    rotated_weights = np.zeros(10)
    rotated_weights[(np.arange(10) * 3) % 10] = WEIGHTS
    np.testing.assert_array_equal(out, x * (rotated_weights * np.arange(10)).sum())


@cuda.jit(device=True)
def square_plus(z, w):
    return z * z + w


def test_device_functions_and_complex_numbers():
    @cuda.jit
    def mandelbrot(c, out):
        i = cuda.grid(1)
        if i < c.size:
            z = 0j
            steps = 0
            while steps < 20 and abs(z) <= 2:
                z = square_plus(z, c[i])
                steps += 1
            out[i] = steps

    c = np.linspace(-2 - 1j, 1 + 1j, 200)
    out = np.zeros(200, "int64")
    mandelbrot[2, THREADS](c, out)
    for number, steps in zip(c[::10], out[::10], strict=True):
        z, expected = 0j, 0
        while expected < 20 and abs(z) <= 2:
            z = z * z + number
            expected += 1
        assert steps == expected


@pytest.mark.parametrize(
    "name", ["sin", "exp", "log", "sqrt", "erf", "gamma", "tanh", "floor", "log1p", "atan"]
)
def test_math_functions_match_python(name):
    function = getattr(math, name)

    @cuda.jit
    def apply(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = function(x[i])

    x = np.linspace(0.1, 9, 300)
    out = np.zeros_like(x)
    apply[3, THREADS](x, out)
    np.testing.assert_allclose(out, [function(v) for v in x], rtol=2e-14)


def test_cuda_reduce_sums():
    add_all = cuda.reduce(lambda x, y: x + y)
    x = values(3000)
    assert add_all(x) == x.sum()


def test_a_vectorized_function():
    @vectorize(["float32(float32, float32)", "float64(float64, float64)"], target="cuda")
    def fused(x, y):
        return x * y + x

    for dtype in ("float32", "float64"):
        x, y = values(700, dtype), values(700, dtype, 1)
        np.testing.assert_array_equal(fused(x, y), x * y + x)


def test_random_numbers():
    @cuda.jit
    def inside(states, out):
        i = cuda.grid(1)
        count = 0
        for _ in range(50):
            x = xoroshiro128p_uniform_float32(states, i)
            y = xoroshiro128p_uniform_float32(states, i)
            if x * x + y * y <= 1:
                count += 1
        out[i] = count

    out = np.zeros(512, "int32")
    inside[4, THREADS](create_xoroshiro128p_states(512, seed=1), out)
    assert abs(4 * out.sum() / (512 * 50) - math.pi) < 0.05


def test_streams_and_events():
    x = values(1000)
    stream, begin, end = cuda.stream(), cuda.event(), cuda.event()
    begin.record(stream)
    on_device = cuda.to_device(x, stream=stream)
    out = cuda.device_array_like(x, stream=stream)
    add[blocks(1000), THREADS, stream](on_device, on_device, out)
    host = out.copy_to_host(stream=stream)
    end.record(stream)
    end.synchronize()
    np.testing.assert_array_equal(host, 2 * x)
    assert begin.elapsed_time(end) >= 0


def test_an_event_orders_two_streams():
    first, second = cuda.stream(), cuda.stream()
    x = cuda.to_device(np.ones(5000))
    for _ in range(5):
        add[blocks(5000), THREADS, first](x, x, x)
    done = cuda.event()
    done.record(first)
    done.wait(second)
    add[blocks(5000), THREADS, second](x, x, x)
    second.synchronize()
    np.testing.assert_array_equal(x.copy_to_host(), np.full(5000, 64.0))


@pytest.mark.parametrize("make", [cuda.mapped_array, cuda.managed_array])
def test_mapped_and_managed_memory(make):
    x = make(100, dtype="float32")
    x[:] = 1.5
    add[1, THREADS](x, x, x)
    cuda.synchronize()
    np.testing.assert_array_equal(x, np.full(100, 3, "float32"))


def test_pinned_memory():
    pinned = cuda.pinned_array(100)
    pinned[:] = 2
    on_device = cuda.to_device(pinned, stream=cuda.stream())
    cuda.synchronize()
    np.testing.assert_array_equal(on_device.copy_to_host(), np.full(100, 2.0))


def test_two_devices():
    assert len(cuda.gpus) == 2
    x = values(500)
    results = []
    for number in range(2):
        with cuda.gpus[number]:
            on_device = cuda.to_device(x + number)
            out = cuda.device_array_like(on_device)
            add[blocks(500), THREADS](on_device, on_device, out)
            results.append(out.copy_to_host())
    for number in range(2):
        np.testing.assert_array_equal(results[number], 2 * (x + number))


def test_structured_arrays():
    particle = np.dtype([("place", "f8", (3,)), ("mass", "f4"), ("kind", "i4")], align=True)

    @cuda.jit
    def push(particles, factor):
        i = cuda.grid(1)
        if i < particles.size:
            for k in range(3):
                particles[i].place[k] += factor * particles[i].mass
            particles[i].kind += i

    particles = np.zeros(50, particle)
    particles["mass"] = np.arange(50)
    push[1, 64](particles, 2.0)
    np.testing.assert_array_equal(particles["place"][:, 1], 2.0 * np.arange(50))
    np.testing.assert_array_equal(particles["kind"], np.arange(50))


def test_kernels_print(capfd):
    @cuda.jit
    def hello(x):
        if cuda.grid(1) == 3:
            print("thread", cuda.grid(1), x, "!")

    hello[1, 32](2.5)
    cuda.synchronize()
    assert capfd.readouterr().out == "thread 3 2.500000 !\n"


def test_a_kernel_with_debug_raises_exceptions():
    @cuda.jit(debug=True, opt=False)
    def fails(x):
        i = cuda.grid(1)
        if i == 5:
            raise ValueError("five")
        x[i] = i

    with pytest.raises(ValueError, match="five"):
        fails[1, 32](np.zeros(32))


def test_the_whole_grid_synchronizes():
    @cuda.jit
    def shifted(x, out):
        grid = cuda.cg.this_grid()
        i = cuda.grid(1)
        x[i] = i
        grid.sync()
        out[i] = x[x.size - 1 - i]

    x, out = cuda.to_device(np.zeros(128, "int32")), np.zeros(128, "int32")
    shifted[2, 64](x, out)
    np.testing.assert_array_equal(out, np.arange(128)[::-1])


def test_functions_in_cuda_c_are_linked(tmp_path):
    """NVRTC compiles the function, and nvJitLink links it."""
    source = tmp_path / "scale.cu"
    source.write_text(
        'extern "C" __device__ int scale(float* result, float x, float y) { *result = x * y; return 0; }'
    )
    scale = cuda.declare_device("scale", "float32(float32, float32)", link=str(source))

    @cuda.jit
    def scaled(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = scale(x[i], float32(3))

    x = values(100, "float32")
    out = np.zeros_like(x)
    scaled[1, THREADS](x, out)
    np.testing.assert_array_equal(out, 3 * x)


@pytest.mark.parametrize("lto", [False, True])
def test_functions_in_ptx_are_linked(tmp_path, lto):
    """PTX is linked unchanged, with and without link-time optimization of the other inputs."""
    source = tmp_path / "twice.ptx"
    source.write_text(
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .func (.param .b32 status) twice(.param .b64 result, .param .b32 x)\n"
        "{\n.reg .b32 %r<3>;\n.reg .b64 %rd;\nld.param.u64 %rd, [result];\nld.param.u32 %r1, [x];\n"
        "shl.b32 %r2, %r1, 1;\nst.u32 [%rd], %r2;\nst.param.b32 [status], 0;\nret;\n}\n"
    )
    twice = cuda.declare_device("twice", "int32(int32)", link=str(source))

    @cuda.jit(lto=lto)
    def doubled(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = twice(x[i])

    x = values(100, "int32")
    expected = 2 * x
    doubled[1, THREADS](x)
    np.testing.assert_array_equal(x, expected)
