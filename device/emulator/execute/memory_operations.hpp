// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "device/emulator/execute/memory_access.hpp"
#include "device/emulator/execute/program.hpp"

namespace skerry::emulation {

// What reads and writes memory, by its space and its type, such as "u32". Null for what there is
// not. instruction::count is the number of a vector's elements; registers may be wider than
// elements.
[[nodiscard]] handler load_operation(MemorySpace space, std::string_view type,
                                     std::uint32_t register_nbytes);
[[nodiscard]] handler store_operation(MemorySpace space, std::string_view type,
                                      std::uint32_t register_nbytes);
/// `operation` is such as "add". The second operand and, of cas, the third are sources 1 and 2; no
/// destination: a reduction.
[[nodiscard]] handler atomic_operation(MemorySpace in, std::string_view operation,
                                       std::string_view type);

// cp.async: sources are the shared address, the global one, optionally how many bytes are copied;
// `count` of them are written, `immediate` is added to the shared address, `target` to the global.
void copy_async(Warp& warp, const Instruction& instruction, lane_mask active);
void commit_copies(Warp& warp, const Instruction& instruction, lane_mask active);
void wait_for_copies(Warp& warp, const Instruction& instruction, lane_mask active);
void wait_for_all_copies(Warp& warp, const Instruction& instruction, lane_mask active);

// cp.async.bulk: sources are where to, where from, how many bytes, and the mbarrier.
void bulk_load_async(Warp& warp, const Instruction& instruction, lane_mask active);
void bulk_store_async(Warp& warp, const Instruction& instruction, lane_mask active);
void commit_bulk(Warp& warp, const Instruction& instruction, lane_mask active);
void wait_for_bulk(Warp& warp, const Instruction& instruction, lane_mask active);

// mbarrier: source 0 is the address; a state goes to the destination.
void initialize_mbarrier(Warp& warp, const Instruction& instruction, lane_mask active);
void invalidate_mbarrier(Warp& warp, const Instruction& instruction, lane_mask active);
void arrive_at_mbarrier(Warp& warp, const Instruction& instruction, lane_mask active);
void drop_from_mbarrier(Warp& warp, const Instruction& instruction, lane_mask active);
void arrive_expecting_bytes(Warp& warp, const Instruction& instruction, lane_mask active);
void expect_bytes(Warp& warp, const Instruction& instruction, lane_mask active);
void test_mbarrier_parity(Warp& warp, const Instruction& instruction, lane_mask active);
void test_mbarrier_state(Warp& warp, const Instruction& instruction, lane_mask active);
/// The bytes of a bulk copy have come.
void complete_bytes(std::byte* barrier, std::uint32_t nbytes);

}  // namespace skerry::emulation
