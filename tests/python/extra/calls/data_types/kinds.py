# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``skerry._extra.data_types.kinds``: its tests compare dtypes."""

CALLS = {}
OWN_TESTS = dict.fromkeys(("issubdtype", "promote_types"), "test_kinds_of_dtypes")
