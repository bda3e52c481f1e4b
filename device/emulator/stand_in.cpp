// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// All of a library that has nothing of its own: see CMakeLists.txt.
