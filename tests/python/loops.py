# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Tests that loop over dtypes, shapes and layouts within one item of pytest.

An item costs some milliseconds in every pytest process, most combinations less than one. ``@loop_over("dtype", DTYPES)``
is used like ``@pytest.mark.parametrize``, but one item runs all values. A failing combination is reported as a failed
subtest named by its values, and the loop continues.
"""

import functools
import inspect
import itertools
import zlib

import pytest

from tests.python.reduced_builds import missing_in

#: Combinations per item with ``--quick``. The selection depends on the item's name.
QUICK_COUNT = 6


class Loop:
    """Rows of values for the parameters ``names`` of a test. The names in ``items`` make separate pytest items."""

    def __init__(self, names, rows, items):
        if any(isinstance(row, type(pytest.param())) for row in rows):
            raise TypeError("loop_over takes plain values: marks of pytest.param would be lost")
        self.names = (names,) if isinstance(names, str) else tuple(names)
        self.rows = [(row,) if isinstance(names, str) else tuple(row) for row in rows]
        self.items = (items,) if isinstance(items, str) else tuple(items)

    def parametrize(self, test):
        """Returns the test with one item for each distinct value of ``items``."""
        if not self.items:
            return test
        rows = [tuple(row[self.names.index(name)] for name in self.items) for row in self.rows]
        return pytest.mark.parametrize(self.items, list(dict.fromkeys(rows)))(test)

    def select(self, fixtures):
        """Returns the values of the other names in the rows that match the item's values."""
        rows = (dict(zip(self.names, row, strict=True)) for row in self.rows)
        matching = (row for row in rows if all(row[name] == fixtures[name] for name in self.items))
        return [
            {name: value for name, value in row.items() if name not in self.items}
            for row in matching
        ]


def choose(combinations, item_name):
    """Returns at most QUICK_COUNT of the combinations, evenly spaced and different for each item."""
    count = min(QUICK_COUNT, len(combinations))
    first = zlib.crc32(item_name.encode())
    indices = {(first + len(combinations) * i // count) % len(combinations) for i in range(count)}
    return [combinations[index] for index in sorted(indices)]


def try_combination(test, fixtures, values, subtests):
    """Calls the test. A failure or skip is reported as a subtest's; a success is not reported, to save time."""
    try:
        if name := missing_in(list(values.values())):
            pytest.skip(f"built without {name}")
        test(**fixtures, **values)
    except (Exception, pytest.fail.Exception, pytest.skip.Exception, pytest.xfail.Exception):
        with subtests.test(**values):
            raise


def loop_over(names, rows, *, items=()):
    """Decorates a test to be called for each of ``rows``, values of ``names``, within one pytest item.

    ``names`` is a name, or a sequence of names with tuples as rows. Stacked decorators give the product. ``items`` are the
    names that make separate items, such as ``"name"`` of ``("name", "dtype")``.
    """

    def decorate(test):
        function, loops = getattr(test, "looped", (test, []))
        loops = [Loop(names, rows, items), *loops]
        parameters = inspect.signature(function).parameters
        looped = {name for loop in loops for name in loop.names if name not in loop.items}

        @functools.wraps(test)
        def run(**fixtures):
            request, subtests = fixtures["request"], fixtures["subtests"]
            products = itertools.product(*(loop.select(fixtures) for loop in loops))
            combinations = [functools.reduce(dict.__or__, parts) for parts in products]
            if request.config.getoption("--quick"):
                combinations = choose(combinations, request.node.name)
            passed = {name: value for name, value in fixtures.items() if name in parameters}
            for values in combinations:
                try_combination(function, passed, values, subtests)

        names_of_fixtures = dict.fromkeys([*parameters, "request", "subtests"])
        run.__signature__ = inspect.Signature(
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY)
            for name in names_of_fixtures
            if name not in looped
        )
        run.looped = function, loops
        return loops[0].parametrize(run)

    return decorate
