# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Tests that import the fixture record arrays of all sizes; elsewhere small ones are computed at once."""

import pytest
from skerry.testing.instruments import recorded_from

# From how many bytes of a result on calls are recorded elsewhere.
with recorded_from(0) as USUAL_LIMIT:
    pass


@pytest.fixture(autouse=True)
def all_sizes_recorded():
    with recorded_from(0):
        yield
