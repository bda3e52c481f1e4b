# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
