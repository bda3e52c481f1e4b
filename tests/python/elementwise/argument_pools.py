# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Arguments at which implementations of a function take different paths: special values, bounds, all magnitudes."""

import itertools

import numpy as np
from skerry._data_types import limits_of

from tests.python.oracle import kind_of

# Where functions change their method: reductions by log(2) and pi, limits of polynomials, tables and shortcuts.
SWITCHES = (
    *(0.1, 0.25, 0.3465735902799726, 0.35, 0.4375, 0.5, 0.625, 0.6875, 0.7071067811865476, 0.75),
    *(0.9, 0.975, 1.0, 1.1875, 1.375, 1.4142135623730951, 2.0, 2.4375, 3.0, 4.0, 9.0, 10.0, 17.5),
    *(20.0, 22.0, 64.0, 87.33654, 88.72284, 103.97208, 127.0, 149.0, 256.0, 512.0, 708.0),
    *(708.3964185322641, 709.782712893384, 710.4758600739439, 745.1332191019411, 1022.0, 1074.0),
    *(
        1e4,
        2.0**15,
        1e5,
        2.0**17,
        2.0**22,
        2.0**23,
        2.0**24,
        2.0**31,
        2.0**40,
        2.0**52,
        2.0**53,
        1e22,
    ),
    *(0.6931471805599453 * k for k in (1, 1.5, 2, 10)),
    *(np.pi / 4 * k for k in (1, 2, 3, 4, 5, 6, 8, 100, 1001)),
)


def special_values(dtype):
    """Returns zeros, infinities, NaNs of both signs and with a payload, limits of the range, ones and small integers."""
    limits = limits_of(np.dtype(dtype))
    ends = [limits.smallest_subnormal, limits.smallest_normal, limits.max, 0.0, np.inf]
    values = np.array([*ends, 0.5, 1.0, 1.5, 2.0, 3.0], dtype=dtype)
    bits = np.array([np.nan], dtype=dtype).view(f"u{np.dtype(dtype).itemsize}")
    quiet = np.concatenate([bits, bits | bits.dtype.type(1234)]).view(dtype)
    both_signs = np.concatenate([values, quiet])
    return np.concatenate([both_signs, np.copysign(both_signs, dtype(-1))])


def near_switches(dtype):
    """Returns each switch and its neighbours, of both signs, within the range of the dtype."""
    largest = float(limits_of(np.dtype(dtype)).max)
    switches = np.array([x for x in SWITCHES if x < largest]).astype(dtype)
    bits = switches.view(f"i{switches.itemsize}")
    neighbours = np.concatenate([(bits + step).view(dtype) for step in (-1, 0, 1)])
    return np.concatenate([neighbours, -neighbours])


def magnitudes(lowest, highest, count, rng):
    """Returns numbers from 2**lowest to 2**highest; exactly computed, so the same on every processor."""
    return np.ldexp(rng.uniform(1, 2, count), rng.integers(lowest, highest, count))


def random_values(dtype, count, rng):
    """Returns a fifth each of ordinary numbers, all magnitudes, subnormals, large numbers, and random bits."""
    limits, itemsize = limits_of(np.dtype(dtype)), np.dtype(dtype).itemsize
    part = -(-count // 5)
    lowest, highest = limits.minexp - limits.nmant, limits.maxexp - 1
    values = np.concatenate(
        [
            rng.uniform(-4, 4, part),
            rng.choice([-1, 1], part) * magnitudes(lowest, highest, part, rng),
            rng.uniform(-1, 1, part) * float(limits.smallest_normal),
            rng.choice([-1, 1], part) * magnitudes(0, min(60, highest), part, rng),
        ]
    ).astype(dtype)
    bits = rng.integers(0, 256, (part, itemsize), dtype=np.uint8).view(dtype).ravel()
    return rng.permutation(np.concatenate([values, quieted(bits)]))[:count]


def quieted(values):
    """Returns the values with signalling NaNs made quiet: any operation may do that, a copy need not."""
    bits = values.view(f"u{values.itemsize}")
    quiet = bits | bits.dtype.type(1 << (limits_of(values.dtype).nmant - 1))
    with np.errstate(invalid="ignore"):  # bfloat16 computes with the signalling ones
        return np.where(np.isnan(values), quiet, bits).view(values.dtype)


def real_pool(dtype, count, rng):
    """Returns special values, switches and random values in a random order."""
    fixed = [special_values(dtype), near_switches(dtype)]
    left = max(count - sum(map(len, fixed)), 0)
    return rng.permutation(np.concatenate([*fixed, random_values(dtype, left, rng)]))


def part_of(dtype):
    """Returns the type of the real and imaginary parts of a complex dtype, and of a real one itself."""
    return np.finfo(dtype).dtype.type if kind_of(dtype) == "c" else np.dtype(dtype).type


def pairs(values):
    """Returns all pairs of the values, as two arrays."""
    first, second = zip(*itertools.product(values, repeat=2), strict=True)
    return np.array(first), np.array(second)


def complex_pool(dtype, count, rng):
    """Returns all pairs of special values as real and imaginary parts, and pairs of the real pool, in random order."""
    part = part_of(dtype)
    real, imaginary = pairs(special_values(part))
    left = max(count - len(real), 0)
    values = np.empty(len(real) + left, dtype=dtype)
    values.real = np.concatenate([real, rng.choice(real_pool(part, left, rng), left)])
    values.imag = np.concatenate([imaginary, rng.choice(real_pool(part, left, rng), left)])
    return rng.permutation(values)


def pool(dtype, count, seed):
    """Returns about ``count`` arguments of a floating dtype."""
    dtype = np.dtype(dtype)
    make = complex_pool if kind_of(dtype) == "c" else real_pool
    return make(dtype.type, count, np.random.default_rng(seed))


def operands(dtype, arity, count, seed):
    """Returns an array per operand, of equal length. Two operands include all pairs of special values."""
    values = [pool(dtype, count, [seed, i]) for i in range(arity)]
    if arity == 2 and kind_of(dtype) == "f":
        met = pairs(special_values(np.dtype(dtype).type))
        values = [np.concatenate(both) for both in zip(values, met, strict=True)]
    return values
