// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "device/emulator/execute/memory_access.hpp"
#include "device/emulator/execute/program.hpp"

namespace skerry::emulation {

// Handlers of loads, stores and atomics for a space and a type such as "u32"; null if PTX has no
// such form. Instruction::count is the number of elements of a vector; registers may be wider than
// elements.
[[nodiscard]] handler load_operation(MemorySpace space, std::string_view type,
                                     std::uint32_t register_nbytes);
[[nodiscard]] handler store_operation(MemorySpace space, std::string_view type,
                                      std::uint32_t register_nbytes);
/// `operation` is a name such as "add". Source 1 is the operand, source 2 the new value of cas;
/// without a destination it is a reduction (red).
[[nodiscard]] handler atomic_operation(MemorySpace in, std::string_view operation,
                                       std::string_view type);

// cp.async: the sources are the shared address, the global address and, optionally, the number of
// bytes to copy. `count` bytes are written; those that are not copied become zero. `immediate` is
// added to the shared address, `target` to the global one.
void copy_async(Warp& warp, const Instruction& instruction, lane_mask active);
void commit_copies(Warp& warp, const Instruction& instruction, lane_mask active);
void wait_for_copies(Warp& warp, const Instruction& instruction, lane_mask active);
void wait_for_all_copies(Warp& warp, const Instruction& instruction, lane_mask active);

// cp.async.bulk: the sources are the destination, the source, the number of bytes and the mbarrier.
void bulk_load_async(Warp& warp, const Instruction& instruction, lane_mask active);
void bulk_store_async(Warp& warp, const Instruction& instruction, lane_mask active);
void commit_bulk(Warp& warp, const Instruction& instruction, lane_mask active);
void wait_for_bulk(Warp& warp, const Instruction& instruction, lane_mask active);

// mbarrier: source 0 is the address, and a destination receives the state.
void initialize_mbarrier(Warp& warp, const Instruction& instruction, lane_mask active);
void invalidate_mbarrier(Warp& warp, const Instruction& instruction, lane_mask active);
void arrive_at_mbarrier(Warp& warp, const Instruction& instruction, lane_mask active);
void drop_from_mbarrier(Warp& warp, const Instruction& instruction, lane_mask active);
void arrive_expecting_bytes(Warp& warp, const Instruction& instruction, lane_mask active);
void expect_bytes(Warp& warp, const Instruction& instruction, lane_mask active);
void test_mbarrier_parity(Warp& warp, const Instruction& instruction, lane_mask active);
void test_mbarrier_state(Warp& warp, const Instruction& instruction, lane_mask active);
/// Completes a bulk copy of `nbytes` bytes at its mbarrier.
void complete_bytes(std::byte* barrier, std::uint32_t nbytes);

}  // namespace skerry::emulation
