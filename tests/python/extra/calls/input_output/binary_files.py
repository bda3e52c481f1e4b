# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``skerry._extra.input_output.binary_files`` is of files: what is in them, and what is there if something fails, its tests look at."""

CALLS = {}
OWN_TESTS = dict.fromkeys(("load", "save", "savez", "savez_compressed"), "test_saving")
