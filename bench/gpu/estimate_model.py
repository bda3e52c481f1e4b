# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A model that estimates times on a GPU from counted sectors and instructions of kernels.

A launch has three limits: device memory transfers each sector once, the cache serves the sectors of every request, and
the schedulers issue the instructions. Memory and issue overlap in part: the root of the sum of their squares is closest
to published figures (``PUBLISHED`` in estimate.py); the maximum alone is up to 21 % too short. A partial last wave, or
a grid with fewer blocks than there are multiprocessors, increases the time. The model ignores latency (whether enough
loads are in flight), the L1 caches, bank conflicts and the launch overhead.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

SECTOR = 32
WARP = 32


@dataclasses.dataclass(frozen=True)
class Gpu:
    """Limits of a multiprocessor from NVIDIA's tables for compute capability 9.0, rates of an H100 SXM."""

    multiprocessors: int = 132
    blocks: int = 32
    warps: int = 64
    registers: int = 65536
    shared_bytes: int = 228 << 10
    reserved_shared_bytes: int = 1 << 10
    # 92 % of 3,350 GB/s, measured for large copies.
    copy_bytes_per_second: float = 3.08e12
    # Measured for reads by all multiprocessors of data that fits the L2 cache, on an H100 PCIe.
    cache_bytes_per_second: float = 5.7e12
    # Four schedulers, each issuing one warp instruction per cycle, at 1.755 GHz.
    instructions_per_second: float = 132 * 4 * 1.755e9


H100 = Gpu()


@dataclasses.dataclass(frozen=True)
class Resources:
    """Resources that ptxas allocates for a kernel."""

    registers: int
    stack_bytes: int = 0
    spill_bytes: int = 0
    shared_bytes: int = 0


def rounded_up(value: int, unit: int) -> int:
    """Rounds up to a multiple of the unit."""
    return -(-value // unit) * unit


def resident_blocks(
    threads: int, resources: Resources, dynamic_shared_bytes: int, gpu: Gpu = H100
) -> int:
    """Returns the number of blocks that a multiprocessor runs concurrently."""
    warps = rounded_up(threads, WARP) // WARP
    most = min(gpu.blocks, gpu.warps // warps)
    registers = rounded_up(resources.registers * WARP, 256) * warps
    if registers:
        most = min(most, gpu.registers // registers)
    shared = rounded_up(resources.shared_bytes + dynamic_shared_bytes, 128)
    return min(most, gpu.shared_bytes // (shared + gpu.reserved_shared_bytes))


def growth(small: float, large: float, ratio: float, *, is_matrix: bool) -> float:
    """Returns the exponent of the growth of a count with the number of elements, ``ratio`` times as many: 1 or 0.

    For matrices, both of whose sides grow, it can also be 0.5, for example for a count per column. A grid that fills
    the device does not grow. Other exponents occur only where a kernel changes its strategy, so the exponent is
    rounded.
    """
    if ratio <= 1 or small <= 0 or large <= 0:
        return 1.0
    power = math.log(large / small) / math.log(ratio)
    steps = 2 if is_matrix else 1
    return min(max(math.floor(power * steps + 0.5) / steps, 0.0), 1.0)


def busy(blocks: float, resident: int, gpu: Gpu = H100) -> float:
    """Returns the fraction of a device that is busy on average, if blocks take equally long.

    For less than one wave it is an upper bound: it assumes that blocks don't share a multiprocessor.
    """
    waves = blocks / (resident * gpu.multiprocessors)
    return waves / math.ceil(waves) if waves > 1 else min(1.0, blocks / gpu.multiprocessors)


def seconds(counts: Mapping[str, float], gpu: Gpu = H100) -> tuple[float, str]:
    """Returns the time for the counts, without tails, and the limit that contributes most."""
    limits = {
        "memory": counts["distinct_sectors"] * SECTOR / gpu.copy_bytes_per_second,
        "cache": counts["sectors"] * SECTOR / gpu.cache_bytes_per_second,
        "issue": counts["warp_instructions"] / gpu.instructions_per_second,
    }
    longest = max(limits, key=lambda name: limits[name])
    return max(limits["cache"], math.hypot(limits["memory"], limits["issue"])), longest


def share_of_copy(
    nbytes: float, launches: Sequence[tuple[Mapping[str, float], float]], gpu: Gpu = H100
) -> tuple[float, str]:
    """Returns the rate of a row that moves ``nbytes`` relative to a copy, and its limit.

    ``launches`` are counts, each with the fraction of the device that is busy.
    """
    whole = 0.0
    by_limit: dict[str, float] = {}
    for counts, part in launches:
        undivided, limit = seconds(counts, gpu)
        duration = undivided / part
        whole += duration
        by_limit[limit] = by_limit.get(limit, 0.0) + duration
    if whole == 0:
        return 0.0, ""
    return nbytes / gpu.copy_bytes_per_second / whole, max(
        by_limit, key=lambda name: by_limit[name]
    )


#: Figures of a row that must not grow.
WATCHED = ("sectors_per_needed", "instructions_per_element")
TOLERANCE = 1.02


def regressions(
    old_rows: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]], *, whole: bool = True
) -> list[str]:
    """Returns a message for each figure that is worse than before; with ``whole`` also for missing rows."""
    messages = []
    rows = {row["case"]: row for row in now}
    for old in old_rows:
        new = rows.get(old["case"])
        if new is None:
            if whole:
                messages.append(f"{old['case']}: no figures any more")
            continue
        if new["elements"] != old["elements"]:
            messages.append(
                f"{old['case']}: {new['elements']} elements, {old['elements']} in the record"
            )
            continue
        for name in WATCHED:
            if new[name] > TOLERANCE * old[name]:
                messages.append(
                    f"{old['case']}: {name} {new[name]:.4g}, {old[name]:.4g} in the record"
                    + (f" ({new[name] / old[name] - 1:+.1%})" if old[name] else "")
                )
    return messages
