# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The benchmarks on a GPU, one function per subject. Each is a row of the table of run.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bench.gpu.calls import ARGSORT, COPY, SCAN, SORT, casting, over, reducing
from bench.peers.gpu_side_by_side import Bench, Operation

RNG = np.random.default_rng(0)
GIB = 1 << 30
#: Results in float16 may differ by an ulp, and sums that add in another order by a few.
HALF_TOLERANCE = 2e-3


def repeated(dtype: str, count: int) -> np.ndarray:
    """Returns small random numbers for operations whose time does not depend on values: one block, repeated."""
    block = RNG.integers(1, 50, 1 << 20).astype(dtype)
    return np.resize(block, count)


def uniform(count: int) -> np.ndarray:
    """Returns float32 numbers in [0, 1)."""
    return RNG.random(count, dtype=np.float32)


def inputs(*arrays: np.ndarray) -> Callable[[], Sequence[np.ndarray]]:
    """Returns a function that returns these arrays, the inputs of a benchmark."""
    return lambda: arrays


def compiled(
    bench: Bench, fused: Operation, host: np.ndarray
) -> Callable[[], Sequence[np.ndarray]]:
    """Returns a function that compiles the kernel of a fused chain by two calls, and returns its two inputs."""
    library = bench.libraries["skerry"]

    def make_inputs() -> Sequence[np.ndarray]:
        for _ in range(2):
            fused(library.module, library.put(host), library.put(host))
        return host, host

    return make_inputs


def ceilings(bench: Bench) -> None:
    """Measures copies by the driver, whose rates are upper bounds."""
    library = bench.libraries["skerry"]
    sk, driver = library.module, bench.driver
    assert driver is not None
    nbytes = 4 * bench.size(GIB // 4)

    def address(array: Any) -> int:
        if array.device.kind == "cuda":
            return int(array.__cuda_array_interface__["data"][0])
        return int(np.asarray(array).__array_interface__["data"][0])

    a, b = (sk.ones(nbytes // 4, dtype=sk.float32, device="cuda:0") for _ in range(2))
    host = sk.ones(nbytes // 4, dtype=sk.float32, device="cpu:0", pinned=True)
    stream = library.stream

    def copying(target: Any, source: Any) -> Callable[[], None]:
        target_address, source_address = address(target), address(source)
        return lambda: driver.copy(target_address, source_address, nbytes, stream)

    bench.ceiling("copy, device to device", copying(b, a), 2 * nbytes)
    bench.ceiling("copy, pinned to device", copying(a, host), nbytes)
    bench.ceiling("copy, device to pinned", copying(host, a), nbytes)


def calls(bench: Bench) -> None:
    """Measures the host time of a call on one element."""
    one = np.ones(1, np.float32)
    bench.host_row("host: a + a", lambda xp, a: a + a, one)
    bench.host_row("host: a + 1.5", lambda xp, a: a + 1.5, one)
    bench.host_row("host: sqrt(a)", lambda xp, a: xp.sqrt(a), one)
    bench.host_row("host: sum(a)", lambda xp, a: xp.sum(a), one)
    bench.host_row("host: a[:]", lambda xp, a: a[:], one)
    bench.host_row("host: reshape", lambda xp, a: xp.reshape(a, (1, 1)), one)
    empty = {
        "skerry": lambda xp, a: xp.empty(1, device=a.device),
        "cupy": lambda xp, a: xp.empty(1),
        "torch": lambda xp, a: xp.empty(1, device="cuda"),
    }
    bench.host_row("host: empty(1)", empty, one)

    def chain(xp: Any, a: Any) -> Any:
        for _ in range(10):
            a = a + a
        return a

    bench.host_row("host: chain of ten adds", chain, one)


def elementwise(bench: Bench) -> None:
    """Measures elementwise functions by dtype, and an addition by size."""
    for dtype in ("int8", "float32", "float64", "complex64"):
        count = bench.size(GIB // np.dtype(dtype).itemsize)
        host = repeated(dtype, count)
        bench.row(
            f"add {dtype}", lambda xp, a, b: a + b, inputs(host, host), nbytes=3 * host.nbytes
        )
        if dtype in ("float32", "float64"):
            bench.row(f"exp {dtype}", lambda xp, a: xp.exp(a), inputs(host), nbytes=2 * host.nbytes)
        if dtype == "float32":
            bench.row(
                "multiply float32",
                lambda xp, a, b: a * b,
                inputs(host, host),
                nbytes=3 * host.nbytes,
            )
            bench.row(
                "greater float32",
                lambda xp, a, b: a > b,
                inputs(host, host),
                nbytes=2.25 * host.nbytes,
            )
            bench.row(
                "a + 1.5 float32", lambda xp, a: a + 1.5, inputs(host), nbytes=2 * host.nbytes
            )
            # These share a kernel with other operations, which costs a branch that add does not have.
            bench.row(
                "maximum float32",
                lambda xp, a, b: xp.maximum(a, b),
                inputs(host, host),
                nbytes=3 * host.nbytes,
            )
            bench.row("abs float32", lambda xp, a: xp.abs(a), inputs(host), nbytes=2 * host.nbytes)
    halves(bench)
    for power in (10, 14, 18, 22, 26):
        host = uniform(bench.size(1 << power))
        bench.row(
            f"add float32, 2^{power}",
            lambda xp, a, b: a + b,
            inputs(host, host),
            nbytes=3 * host.nbytes,
        )


def halves(bench: Bench) -> None:
    """Measures float16, which is computed in float32, and its casts."""
    host = (repeated("float32", bench.size(GIB // 2)) / 8).astype(np.float16)
    n = host.nbytes
    add = inputs(host, host)
    bench.row("add float16", lambda xp, a, b: a + b, add, nbytes=3 * n, tolerance=HALF_TOLERANCE)
    rows: dict[str, Operation] = {
        "exp float16": lambda xp, a: xp.exp(a),
        "a + 1.5 float16": lambda xp, a: a + 1.5,
    }
    for case, call in rows.items():
        bench.row(case, call, inputs(host), nbytes=2 * n, tolerance=HALF_TOLERANCE)
    bench.row("float16 to float32", casting("float32"), inputs(host), nbytes=3 * n)
    wide = host.astype(np.float32)
    bench.row("float32 to float16", casting("float16"), inputs(wide), nbytes=3 * n)


def chains(bench: Bench) -> None:
    """Measures chains: one kernel under ``skerry.fuse``; other libraries run the operations one by one."""
    host = uniform(bench.size(1 << 26))

    def gauss(xp: Any, a: Any, b: Any) -> Any:
        return xp.exp(-((a - b) ** 2) / 2) * 0.4

    def blend(xp: Any, a: Any, b: Any) -> Any:
        return a * 0.25 + b * 0.75

    for chain in (gauss, blend):
        fused = bench.libraries["skerry"].module.fuse(chain)
        calls: dict[str, Operation] = {
            name: fused if name == "skerry" else chain for name in ("skerry", "cupy", "torch")
        }
        bench.row(
            f"chain {chain.__name__}", calls, compiled(bench, fused, host), nbytes=3 * host.nbytes
        )


def layouts(bench: Bench) -> None:
    """Measures broadcasts, slices and transposes."""
    side = bench.side(1 << 14)
    m, r = uniform(side * side).reshape(side, side), uniform(side)
    n = m.nbytes

    def matrix(name: str, call: Operation | dict[str, Operation], moved: float) -> None:
        bench.row(name, call, inputs(m, r), nbytes=moved * n)

    matrix("m + m", lambda xp, m, r: m + m, 2)
    matrix("m + row", lambda xp, m, r: m + r, 2)
    matrix("m + column", lambda xp, m, r: m + r[:, None], 2)
    matrix("m[:, :-1] + 1", lambda xp, m, r: m[:, :-1] + 1, 2)
    matrix("m[:, ::2] + 1", lambda xp, m, r: m[:, ::2] + 1, 1)
    matrix("m + m.T", lambda xp, m, r: m + m.T, 3)
    matrix("copy of m.T", {k: lambda xp, m, r, c=c: c(xp, m.T) for k, c in COPY.items()}, 2)
    flip = {
        "skerry": lambda xp, m, r: xp.flip(m, axis=1) + 1,
        "cupy": lambda xp, m, r: xp.flip(m, 1) + 1,
        "torch": lambda xp, m, r: xp.flip(m, (1,)) + 1,
    }
    matrix("flip(m) + 1", flip, 2)


def shapes(bench: Bench) -> list[tuple[tuple[int, ...], int]]:
    """Returns pairs of a shape and an axis; the shapes have about the same number of elements."""
    n, side = bench.size(1 << 28), bench.side(1 << 14)
    listed: list[tuple[int, ...]] = [
        (n,),
        (n // 4, 4),
        (4, n // 4),
        (n // 128, 128),
        (side, side),
        (128, n // 128),
    ]
    both = [(shape, axis) for shape in listed for axis in range(len(shape))]
    return [*both, ((side // 16, side // 16, 256 * (n // side**2) or 1), 1)]


def reductions(bench: Bench) -> None:
    """Measures reductions of all elements, and over each axis of several shapes."""
    host = uniform(bench.size(1 << 28))
    for name in ("sum", "max", "mean", "var"):
        bench.row(
            f"{name}, flat", reducing(name, None), inputs(host), nbytes=host.nbytes, tolerance=1e-3
        )
    bench.row("argmax, flat", reducing("argmax", None), inputs(host), nbytes=host.nbytes)
    for shape, axis in shapes(bench):
        if len(shape) == 1:
            continue
        x = host[: int(np.prod(shape))].reshape(shape)
        for name in ("sum", "max"):
            bench.row(
                f"{name} {shape} axis {axis}",
                reducing(name, axis),
                inputs(x),
                nbytes=x.nbytes + x.nbytes // shape[axis],
                tolerance=1e-2,
            )
    # Numbers of both signs, so that no sum overflows float16.
    half = (host - 0.5).astype(np.float16)
    bench.row(
        "sum float16, flat", reducing("sum", None), inputs(half), nbytes=half.nbytes, tolerance=None
    )


def scans(bench: Bench) -> None:
    """Measures cumulative sums."""
    n, side = bench.size(1 << 28), bench.side(1 << 14)
    host = uniform(n)
    for shape, axis in (((n,), 0), ((side, side), 0), ((side, side), 1)):
        x = host[: int(np.prod(shape))].reshape(shape)
        flat = "flat" if len(shape) == 1 else f"axis {axis}"
        bench.row(
            f"cumulative_sum {flat}",
            over(axis, SCAN),
            inputs(x),
            nbytes=2 * x.nbytes,
            tolerance=None,
        )


def sorts(bench: Bench) -> None:
    """Measures sort, argsort and unique elements."""
    n, rows, columns = bench.size(1 << 26), bench.side(1 << 14), bench.side(1 << 12)
    for dtype in ("float32", "int32", "float64", "int64"):
        host = RNG.integers(0, 1 << 30, n).astype(dtype)
        bench.row(f"sort {dtype}", SORT, inputs(host), nbytes=2 * host.nbytes)
        bench.row(f"argsort {dtype}", ARGSORT, inputs(host))
    host = uniform(rows * columns).reshape(rows, columns)
    bench.row("sort along the last axis", over(1, SORT), inputs(host), nbytes=2 * host.nbytes)
    bench.row("argsort along the last axis", over(1, ARGSORT), inputs(host))
    bench.row("sort along the first axis", over(0, SORT), inputs(host), nbytes=2 * host.nbytes)
    unique = {
        "skerry": lambda xp, a: xp.unique_counts(a)[0],
        "cupy": lambda xp, a: xp.unique(a, return_counts=True)[0],
        "torch": lambda xp, a: xp.unique(a, return_counts=True)[0],
    }
    for name, most in (("100 distinct", 100), ("all distinct", 1 << 62)):
        values = RNG.integers(0, most, n)
        bench.row(f"unique_counts, {name}", unique, inputs(values), tolerance=None)


def selecting(bench: Bench) -> None:
    """Measures masks, indices, searches, joins and roll."""
    n = bench.size(1 << 28)
    host = uniform(n)
    for share in (0.01, 0.5, 0.99):
        mask = uniform(n) < share
        moved_nbytes = host.nbytes * (1 + share) + n
        bench.row(
            f"x[mask], {share:.0%}", lambda xp, a, k: a[k], inputs(host, mask), nbytes=moved_nbytes
        )
    mask = uniform(n) < 0.5
    bench.row("nonzero", lambda xp, k: xp.nonzero(k), inputs(mask), tolerance=None)
    bench.row(
        "where", lambda xp, k, a: xp.where(k, a, a), inputs(mask, host), nbytes=2 * host.nbytes + n
    )
    indices = RNG.integers(0, n, n // 4)
    bench.row("take, random", lambda xp, a, i: xp.take(a, i), inputs(host, indices), nbytes=4 * n)
    sorted_host = np.sort(host[: n // 4])
    bench.row(
        "searchsorted",
        lambda xp, s, q: xp.searchsorted(s, q),
        inputs(sorted_host, host[: n // 16].copy()),
    )
    half = host[: n // 2]
    joins = {
        "skerry": lambda xp, a, b: xp.concat((a, b)),
        "cupy": lambda xp, a, b: xp.concatenate((a, b)),
        "torch": lambda xp, a, b: xp.cat((a, b)),
    }
    bench.row("concat", joins, inputs(half, half), nbytes=2 * host.nbytes)
    bench.row("roll", lambda xp, a: xp.roll(a, 12345), inputs(host), nbytes=2 * host.nbytes)


def products(bench: Bench) -> None:
    """Measures matrix products, transforms and decompositions."""
    for dtype in ("float32", "float64"):
        for nominal in (512, 2048, 8192):
            side = bench.side(nominal)
            a = RNG.random((side, side)).astype(dtype)
            bench.row(
                f"matmul {nominal} {dtype}",
                lambda xp, a: a @ a,
                inputs(a),
                flops=2 * side**3,
                tolerance=1e-2,
            )
    side = bench.side(8192)
    half = (RNG.random((side, side)) / side).astype(np.float16)
    bench.row(
        "matmul 8192 float16",
        lambda xp, a: a @ a,
        inputs(half),
        flops=2 * side**3,
        tolerance=1e-2,
    )
    count = bench.size(1024)
    stack = RNG.random((count, 64, 64), dtype=np.float32)
    bench.row(
        "matmul 1024 x 64 float32", lambda xp, a: a @ a, inputs(stack), flops=2 * count * 64**3
    )
    n = bench.size(1 << 26)
    signal = (uniform(n) + 1j * uniform(n)).astype(np.complex64)
    bench.row(
        "fft complex64",
        lambda xp, a: xp.fft.fft(a),
        inputs(signal),
        nbytes=2 * signal.nbytes,
        tolerance=None,
    )
    image = signal[: 1 << 20].reshape(1024, 1024) if n >= 1 << 20 else signal[:64].reshape(8, 8)
    bench.row(
        "fftn 1024^2",
        lambda xp, a: xp.fft.fftn(a),
        inputs(image),
        nbytes=2 * image.nbytes,
        tolerance=1e-2,
    )
    side = bench.side(2048)
    a = RNG.random((side, side)) + side * np.eye(side)
    bench.row("solve float64", lambda xp, a: xp.linalg.solve(a, a), inputs(a), tolerance=1e-6)
    bench.row(
        "cholesky float64", lambda xp, a: xp.linalg.cholesky(a @ a.T), inputs(a), tolerance=1e-6
    )
    symmetric = (a + a.T)[: bench.side(1024), : bench.side(1024)].copy()
    bench.row("eigh float64", lambda xp, a: xp.linalg.eigh(a), inputs(symmetric), tolerance=1e-6)


def transfers(bench: Bench) -> None:
    """Measures transfers between host and device."""
    n = bench.size(GIB // 4)
    host = uniform(n)
    sk = bench.libraries["skerry"].module
    cpu_array = sk.asarray(host, device="cpu:0", copy=True)
    on_gpu = {name: library.put(host) for name, library in bench.libraries.items()}
    nbytes = host.nbytes
    bench.wall_row("own array to device", {"skerry": lambda: cpu_array.to_device("cuda:0")}, nbytes)
    up = {name: (lambda put=library.put: put(host)) for name, library in bench.libraries.items()}
    bench.wall_row("NumPy to device", up, nbytes)
    down = {
        name: (lambda fetch=library.fetch, a=on_gpu[name]: fetch(a))
        for name, library in bench.libraries.items()
    }
    bench.wall_row("device to NumPy", down, nbytes)
    one = {name: library.put(np.ones((), np.float32)) for name, library in bench.libraries.items()}
    bench.wall_row("float(x)", {name: (lambda a=a: float(a)) for name, a in one.items()}, 4)


def memory(bench: Bench) -> None:
    """Measures a loop that allocates arrays of several sizes, in a steady state of the memory pools."""
    arrays = tuple(uniform(bench.size(1 << power)) for power in (10, 16, 22))

    def loop(xp: Any, a: Any, b: Any, c: Any) -> Any:
        for x in (a, b, c, b, a):
            y = x + x
        return y

    bench.row("steady loop of three sizes", loop, inputs(*arrays), rotate=False)


SUBJECTS: dict[str, Callable[[Bench], None]] = {
    subject.__name__: subject
    for subject in (
        ceilings,
        calls,
        elementwise,
        chains,
        layouts,
        reductions,
        scans,
        sorts,
        selecting,
        transfers,
        products,
        memory,
    )
}
