# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``python -m skerry doctor``: explains why a GPU is or is not used."""

from __future__ import annotations

import os
import pathlib

import skerry as sk

ADVICE = {
    "no_driver": "Install NVIDIA's driver for this GPU (the CUDA toolkit alone does not bring one); in a container, "
    "pass the GPU through, e.g. docker run --gpus all.",
    "stub_library": "The libcuda.so.1 that was found is the toolkit's stub, meant for linking only: take its folder "
    "(…/lib64/stubs) out of LD_LIBRARY_PATH.",
    "driver_too_old": "Update NVIDIA's driver; the CUDA module of this build needs a newer one.",
    "no_device": "The driver works but reports no GPU: check CUDA_VISIBLE_DEVICES and nvidia-smi.",
    "no_kernel_image": "This build has no kernels for that GPU's architecture: rebuild with "
    "CMAKE_CUDA_ARCHITECTURES=native, or install a release build.",
    "no_cuda_module": "This build has no CUDA module, which SKERRY_CUDA=AUTO omits if it finds no nvcc or no NVIDIA "
    "driver: rebuild with SKERRY_CUDA=ON (make build SKERRY_CUDA=ON installs nvcc from PyPI if there is none).",
    "busy": "Another process uses the GPU in exclusive mode: end it, or set the compute mode to default.",
    "out_of_range": "There are fewer devices than that.",
    "forked": "This process was forked from one that used CUDA: start processes with spawn or forkserver.",
}
VARIABLES = (
    "CUDA_VISIBLE_DEVICES",
    "SKERRY_REHEARSE",
    "SKERRY_CUDA_LOGICAL",
    "SKERRY_CUDA_MODULE",
    "SKERRY_CPU_DEVICES",
    "SKERRY_NUM_THREADS",
    "SKERRY_OPENBLAS",
    "SKERRY_ISA",
)


def examine_cuda() -> list[str]:
    """Return lines that describe the GPUs found, or why none is used and what to do."""
    devices = sk.devices("cuda")
    if devices and devices[0].info.rehearsal:
        return [
            f"{len(devices)} CUDA devices are rehearsed on this CPU, because SKERRY_REHEARSE or skerry.rehearse() "
            "requested it. No GPU is used."
        ]
    if devices:
        lines = [f"{len(devices)} CUDA device(s) can be used:"]
        for device in devices:
            about = device.info
            capability = f"{about.compute_capability // 10}.{about.compute_capability % 10}"
            lines.append(
                f"  {device}: {about.name}, compute capability {capability}, "
                f"{about.free_bytes / 2**30:.1f} of {about.total_bytes / 2**30:.1f} GiB free"
            )
        return lines
    try:
        sk.empty((0,), device="cuda:0")
    except sk.exceptions.DeviceUnavailableError as error:
        lines = [f"No GPU is used ({error.reason}): {error}", f"What to do: {ADVICE[error.reason]}"]
    else:
        lines = ["No CUDA device is listed, yet one can be used. That is a bug: please report it."]
    nodes = sorted(path.name for path in pathlib.Path("/dev").glob("nvidia[0-9]*"))
    seen = ", ".join(nodes) if nodes else "none"
    lines.append(f"GPU device files under /dev: {seen}.")
    lines.append(
        "Without a GPU, multi-device code runs on rehearsed ones: set SKERRY_REHEARSE=2, or call "
        "skerry.rehearse(cuda=2) first."
    )
    return lines


def main() -> int:
    """Print the report and return 0, whether or not there is a GPU."""
    print(f"skerry {sk.__version__}\n")
    print("CPU")
    for device in sk.devices("cpu"):
        print(f"  {device}: {device.info.name}, {device.info.total_bytes / 2**30:.1f} GiB")
    print("\nCUDA")
    for line in examine_cuda():
        print(f"  {line}")
    print("\nEnvironment")
    for variable in VARIABLES:
        value = os.environ.get(variable)
        print(f"  {variable}={value}" if value is not None else f"  {variable} is not set")
    return 0
