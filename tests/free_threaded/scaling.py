# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Print how calls of a thread for each of several rehearsed GPUs scale: their time one after another over that at once."""

from __future__ import annotations

import argparse
import threading
import time

import skerry as sk


def add_arrays(device: sk.Device, calls: int, shape: tuple[int, ...], waits: bool) -> None:
    x = sk.ones(shape, device=device)
    y = sk.ones(shape, device=device)
    for _ in range(calls):
        z = x + y
        z = sk.multiply(z, x)
        if waits:
            sk.synchronize(device)
    sk.synchronize(device)


def seconds_of(threads: list[threading.Thread], at_once: bool) -> tuple[float, float]:
    """Return the time and the processors' time."""
    start = time.perf_counter(), time.process_time()
    for thread in threads:
        thread.start()
        if not at_once:
            thread.join()
    for thread in threads:
        thread.join()
    return time.perf_counter() - start[0], time.process_time() - start[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--devices", type=int, default=4)
    parser.add_argument("--kind", default="cuda")
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--elements", type=int, default=1)
    parser.add_argument(
        "--wait", action="store_true", help="wait for each result, as a program that reads it"
    )
    options = parser.parse_args()
    sk.rehearse(cuda=options.devices)
    devices = [
        sk.Device(f"cuda:{i}" if options.kind == "cuda" else "cpu:0")
        for i in range(options.devices)
    ]
    for _ in range(3):
        seconds = {}
        for at_once in (False, True):
            threads = [
                threading.Thread(
                    target=add_arrays,
                    args=(device, options.calls, (options.elements,), options.wait),
                )
                for device in devices
            ]
            seconds[at_once] = seconds_of(threads, at_once)
        print(
            f"one after another {seconds[False][0]:.3f} s, at once {seconds[True][0]:.3f} s: "
            f"{seconds[False][0] / seconds[True][0]:.2f}; of processors "
            f"{seconds[False][1]:.3f} s and {seconds[True][1]:.3f} s"
        )


if __name__ == "__main__":
    main()
