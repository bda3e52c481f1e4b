# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The device recommendations of the array API standard as tests, for any library."""
