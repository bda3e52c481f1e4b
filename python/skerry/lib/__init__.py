# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The part of ``numpy.lib`` that libraries such as xarray use in an array's namespace."""

from skerry.lib import stride_tricks

__all__ = ["stride_tricks"]
