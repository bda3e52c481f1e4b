# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``skerry._extra.data_types.arrays``: its tests compare dtypes."""

CALLS = {}
OWN_TESTS = dict.fromkeys(("common_type", "min_scalar_type"), "test_dtypes_of_arrays")
