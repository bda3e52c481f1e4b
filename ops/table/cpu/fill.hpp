// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace skerry {
struct KernelTable;
}

namespace skerry::cpu {

/// Sets the `host` members of the table to the kernels compiled for one level of the processor.
void fill_v2(KernelTable& table);
void fill_v3(KernelTable& table);
void fill_v4(KernelTable& table);
void fill_v8(KernelTable& table);
void fill_generic(KernelTable& table);

}  // namespace skerry::cpu
