# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""float16 results, computed in float32 and rounded once, are within 0.501 ULP at every x86-64 level.

Functions of one argument are tested for every argument.
"""

import numpy as np
import pytest
import skerry as sk
from skerry.testing import instruments

from tests.python.elementwise.test_accuracy import LEVELS, accuracy
from tests.python.oracle import to_numpy

if "float16" not in instruments.built_dtypes():
    pytest.skip("built without float16", allow_module_level=True)

BOUND = 0.501
EVERY = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
NUMBERS = EVERY[np.isfinite(EVERY)]
EXACT = accuracy.EXACT | accuracy.EXACT_IF_REAL
ARITY = {
    entry["name"]: entry["arity"]
    for entry in instruments.op_table()
    if entry["loops"].get("float16") == "float16" and entry["name"] not in EXACT
}


def arguments(arity):
    """Returns all float16 numbers for one argument. For two, each is in random order, followed by numbers in [-10, 10]."""
    if arity == 1:
        return [NUMBERS]
    rng = np.random.default_rng(0)
    ordinary = [rng.uniform(-10, 10, 20_000).astype(np.float16) for _ in range(arity)]
    return [np.concatenate([rng.permutation(NUMBERS), x]) for x in ordinary]


def largest_error(name, results, args):
    """Returns the largest error in ULP, against long double, and its arguments."""
    wide = [x.astype(np.longdouble) for x in args]
    with np.errstate(all="ignore"):
        errors = accuracy.in_ulps(
            results, getattr(np, name)(*wide), accuracy.least_size(name, args)
        )
    index = int(np.argmax(errors))
    return errors[index], [x[index] for x in args]


@pytest.fixture(scope="module")
def levels():
    with accuracy.back_ends(LEVELS) as ends:
        yield ends


@pytest.mark.parametrize("name", ARITY)
def test_float16_results_are_rounded_once(name, levels):
    args = arguments(ARITY[name])
    for level in levels:
        error, worst_args = largest_error(name, level(name, args), args)
        assert error <= BOUND, f"{level.name}: {name} of {worst_args}"


def test_measurement_detects_an_adjacent_float16():
    x = NUMBERS[NUMBERS > 0]
    roots = to_numpy(sk.sqrt(sk.asarray(x, device="cpu:0")))
    assert largest_error("sqrt", roots, [x])[0] <= 0.5
    roots[1000] = np.nextafter(roots[1000], np.float16(np.inf))
    assert largest_error("sqrt", roots, [x])[0] > 0.5
