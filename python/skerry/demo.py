# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Demonstration: k-means of handwritten digits on two devices.

Run it with ``python -m skerry demo``. A single GPU is split into two devices; without a GPU two devices are rehearsed.
It prints which. The results are checked against NumPy; the exit status is non-zero if a check fails.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import os
import pathlib
import time
import warnings

import numpy as np
import numpy.typing as npt

import skerry as sk
from skerry import _core

CLUSTERS = 10
ITERATIONS = 15
Floats = npt.NDArray[np.float64]


@dataclasses.dataclass
class Tally:
    """Statistics of one device: rows of the data, bytes copied to it and seconds of work."""

    device: sk.Device
    rows: int = 0
    bytes_in: int = 0
    seconds: float = 0.0

    def move(self, x: sk.Array) -> sk.Array:
        """Move ``x`` to this device, and count the bytes if that copies."""
        moved = x.to_device(self.device)
        self.bytes_in += 0 if moved is x else x.nbytes
        return moved


def require_packages() -> None:
    """Exit with a message if a package that the demonstration uses is not installed."""
    packages = {"sklearn": "scikit-learn", "numba": "numba", "PIL": "pillow"}
    missing = [name for module, name in packages.items() if not importlib.util.find_spec(module)]
    if missing:
        raise SystemExit(
            f"demo: needs {' and '.join(missing)}, which is not installed; pip install {' '.join(missing)}"
        )


def load_digits() -> Floats:
    """Return scikit-learn's 1,797 images of 8 x 8 pixels: shape (1797, 64), values from 0 to 16."""
    from sklearn.datasets import load_digits as load

    images: Floats = load().data
    return images


def can_compile_kernels() -> bool:
    """Return whether the emulated GPU and numba-cuda with NVIDIA's compiler and linker are installed."""
    if not all(map(importlib.util.find_spec, ("skerry_emulator", "numba_cuda", "cuda"))):
        return False
    from skerry_emulator import find_library

    return all(map(find_library, ("libnvvm.so.4", "libnvJitLink.so.13")))


def rehearse_two() -> None:
    """Rehearse two devices, with kernels on an emulated GPU if they can be compiled."""
    if can_compile_kernels():
        with contextlib.suppress(sk.exceptions.DeviceUnavailableError, RuntimeError):
            return sk.rehearse(cuda=2, kernels=True)
    return sk.rehearse(cuda=2)


def choose_devices() -> tuple[tuple[sk.Device, sk.Device], str]:
    """Return two CUDA devices, and a sentence that describes them."""
    if "SKERRY_REHEARSE" not in os.environ:
        # A single GPU is split into two logical devices; without a GPU both are rehearsed.
        os.environ.setdefault("SKERRY_CUDA_LOGICAL", "2")
        if not sk.devices("cuda"):
            rehearse_two()
    devices = sk.devices("cuda")
    if len(devices) < 2:
        raise SystemExit("demo: needs two CUDA devices; set SKERRY_REHEARSE=2 to rehearse them")
    first, second = devices[0], devices[1]
    if first.info.rehearsal:
        text = "No GPU is used: cuda:0 and cuda:1 are rehearsal devices, simulated on this CPU."
    else:
        text = f"GPUs: {first} is {first.info.name}, {second} is {second.info.name}."
    return (first, second), text


def partial_sums(x: sk.Array, centroids: sk.Array) -> tuple[sk.Array, sk.Array, sk.Array]:
    """Return one device's share of a step: sums (k, 64) and counts (k,) by nearest centroid, and the inertia."""
    difference = sk.expand_dims(x, 1) - sk.expand_dims(centroids, 0)
    distances = sk.sum(sk.square(difference), axis=2)
    nearest = sk.min(distances, axis=1, keepdims=True)
    chosen = distances == nearest
    members = sk.where(sk.expand_dims(chosen, 2), sk.expand_dims(x, 1), 0.0)
    counts = sk.sum(sk.astype(chosen, sk.float64), axis=0)
    return sk.sum(members, axis=0), counts, sk.sum(nearest)


def k_means(parts: list[sk.Array], start: Floats, tallies: list[Tally]) -> tuple[sk.Array, float]:
    """Run Lloyd's algorithm on two devices; return the centroids, on the first device, and the last inertia."""
    home = tallies[0]
    centroids = home.move(sk.asarray(start, device="cpu"))
    inertia = 0.0
    for _ in range(ITERATIONS):
        shares = []
        for x, tally in zip(parts, tallies, strict=True):
            begin = time.perf_counter()
            sums, counts, cost = partial_sums(x, tally.move(centroids))
            sk.synchronize(tally.device)
            tally.seconds += time.perf_counter() - begin
            shares.append([home.move(share) for share in (sums, counts, cost)])
        sums, counts, cost = (a + b for a, b in zip(*shares, strict=True))
        occupied = sk.expand_dims(counts, 1) > 0.0
        means = sums / sk.expand_dims(sk.maximum(counts, 1.0), 1)
        centroids = sk.where(occupied, means, centroids)
        inertia = float(cost)
    return centroids, inertia


def k_means_numpy(x: Floats, start: Floats) -> tuple[Floats, float]:
    """Run the same iterations in NumPy as the reference."""
    centroids, inertia = start.copy(), 0.0
    for _ in range(ITERATIONS):
        distances = np.square(x[:, None, :] - centroids[None, :, :]).sum(axis=2)
        nearest = distances.argmin(axis=1)
        inertia = float(distances.min(axis=1).sum())
        for k in range(len(centroids)):
            if np.any(nearest == k):
                centroids[k] = x[nearest == k].mean(axis=0)
    return centroids, inertia


def show_mismatch(a: sk.Array, b: sk.Array) -> bool:
    """Mix arrays of two devices and print the error; return whether DeviceMismatchError was raised."""
    print("\nMixing arrays of two devices is an error, never a hidden copy:")
    print(f"  >>> a + b        # a on {a.device}, b on {b.device}")
    try:
        a + b
    except sk.exceptions.DeviceMismatchError as error:
        print(f"  {type(error).__name__}: {error}")
        return True
    return False


def shade_with_numba(centroids: sk.Array) -> sk.Array:
    """Return grey values from 0 to 255 of the centroids, from a Numba kernel that gets both arrays without a copy."""
    pixels = sk.zeros(centroids.shape, dtype=sk.uint8, device=centroids.device)
    rehearsed = centroids.device.info.rehearsal
    simulated = rehearsed and _core.rehearsed_kernels() == "none"
    from numba import cuda

    from skerry._demo_kernel import shade
    from skerry.testing import numba_simulator

    with (
        numba_simulator() if simulated else contextlib.nullcontext(),
        warnings.catch_warnings(),
    ):
        # Numba warns that ten blocks under-utilize a GPU.
        warnings.filterwarnings("ignore", message=".*under-utilization")
        shade[centroids.shape[0], centroids.shape[1]](centroids, pixels)
        cuda.synchronize()
    kind = "a Numba kernel on the emulated GPU" if rehearsed else "a Numba kernel on the GPU"
    kind = "Numba's CUDA simulator" if simulated else kind
    print(f"\nHanded to {kind} through __cuda_array_interface__: {pixels.shape} {pixels.dtype}")
    return pixels


def write_png(pixels: npt.NDArray[np.uint8], path: pathlib.Path) -> None:
    """Write the ten 8 x 8 images side by side, magnified."""
    from PIL import Image

    row = np.concatenate([image.reshape(8, 8) for image in pixels], axis=1)
    picture = Image.fromarray(row, mode=None)
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.resize((row.shape[1] * 12, row.shape[0] * 12), Image.Resampling.NEAREST).save(path)


def print_table(tallies: list[Tally]) -> None:
    """Print rows, bytes moved and time of each device."""
    print(f"\n{'device':<10}{'rows':>8}{'bytes moved in':>18}{'time':>12}")
    for tally in tallies:
        milliseconds = f"{tally.seconds * 1e3:.1f} ms"
        print(f"{tally.device!s:<10}{tally.rows:>8,}{tally.bytes_in:>18,}{milliseconds:>12}")


def main(output: str = "demo_output/centroids.png") -> int:
    """Run the demonstration and return the exit status."""
    require_packages()
    (first, second), text = choose_devices()
    print(text)

    data = load_digits()
    half = len(data) // 2
    start = data[np.linspace(0, len(data) - 1, CLUSTERS, dtype=np.intp)].copy()
    tallies = [Tally(first, half), Tally(second, len(data) - half)]
    parts = [
        tally.move(sk.asarray(rows, device="cpu"))
        for tally, rows in zip(tallies, (data[:half], data[half:]), strict=True)
    ]
    print(
        f"\n{len(data):,} digits split: {parts[0].shape} on {parts[0].device}, "
        f"{parts[1].shape} on {parts[1].device}; k-means, k = {CLUSTERS}, {ITERATIONS} steps"
    )

    centroids, inertia = k_means(parts, start, tallies)
    print_table(tallies)
    checks = {"mixing devices raises DeviceMismatchError": show_mismatch(parts[0], parts[1])}

    grey = np.asarray(shade_with_numba(centroids).to_device("cpu"))
    host_centroids = np.asarray(centroids.to_device("cpu"))
    want_centroids, want_inertia = k_means_numpy(data, start)
    want_grey = (255 - (host_centroids * (255.0 / 16.0)).astype(np.int64)).astype(np.uint8)
    checks["centroids equal NumPy's"] = bool(
        np.allclose(host_centroids, want_centroids, rtol=1e-10)
    )
    checks["inertia equals NumPy's"] = bool(np.isclose(inertia, want_inertia, rtol=1e-10))
    checks["the Numba kernel's pixels are right"] = bool(np.array_equal(grey, want_grey))

    path = pathlib.Path(output)
    write_png(grey, path)
    print(f"Inertia {inertia:,.1f} (NumPy {want_inertia:,.1f}); centroids drawn in {path}\n")
    for description, holds in checks.items():
        print(f"{'ok    ' if holds else 'FAILED'}  {description}")
    return 0 if all(checks.values()) else 1
