// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// The only source of libraries that have no code of their own: see CMakeLists.txt.
