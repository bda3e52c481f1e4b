# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``skerry._extra.numpy_names.objects``: its tests compare with NumPy's objects."""

from skerry._extra.numpy_names import objects

CALLS = {}
OWN_TESTS = dict.fromkeys(objects.__all__, "test_numpy_names")
