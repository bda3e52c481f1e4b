# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Tests that import the fixture record arrays of all sizes; elsewhere small ones are computed at once."""

import pytest
from skerry import _core

# From how many bytes of a result on calls are recorded elsewhere.
USUAL_LIMIT = _core.least_recorded(0)
_core.least_recorded(USUAL_LIMIT)


@pytest.fixture(autouse=True)
def all_sizes_recorded():
    limit = _core.least_recorded(0)
    yield
    _core.least_recorded(limit)
