# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Here arrays of all sizes are recorded; outside of these tests small ones are computed at once."""

import pytest
from skerry import _core


@pytest.fixture(autouse=True)
def usual_limit():
    """From how many bytes of a result on calls are recorded elsewhere."""
    limit = _core.least_recorded(0)
    yield limit
    _core.least_recorded(limit)
