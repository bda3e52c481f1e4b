# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Functions of skerry.linalg that are written in Python, with NumPy's names and signatures.

A module is imported at the first use of one of its functions (``skerry.linalg`` lists them). ``hermitian`` and
``outputs`` are called by functions in C++.
"""
