# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A fixture that records arrays of all sizes in the modules that import it; otherwise small arrays run eagerly."""

import pytest
from skerry.testing.instruments import recorded_from

# Calls are recorded by default if their result has at least this many bytes.
with recorded_from(0) as USUAL_LIMIT:
    pass


@pytest.fixture(autouse=True)
def all_sizes_recorded():
    with recorded_from(0):
        yield
