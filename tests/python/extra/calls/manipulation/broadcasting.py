# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``skerry._extra.manipulation.broadcasting``: its tests read the attributes of the object."""

CALLS = {}
OWN_TESTS = {"broadcast": "test_broadcast_object"}
