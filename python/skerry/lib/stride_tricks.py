# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Views with other strides, and sliding window views."""

from skerry._extra import as_strided, sliding_window_view

__all__ = ["as_strided", "sliding_window_view"]
