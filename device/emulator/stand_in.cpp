// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Source of a library without code of its own: see CMakeLists.txt.
