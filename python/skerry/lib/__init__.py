# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""What NumPy has in ``numpy.lib``, where libraries that ask an array for its namespace (xarray) look for it."""

from skerry.lib import stride_tricks

__all__ = ["stride_tricks"]
