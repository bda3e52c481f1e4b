// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/emulator/execute/memory_operations.hpp"
#include "device/emulator/ptx/kernel_decoder.hpp"

// Asynchronous copies, and mbarriers that track their completion.
namespace skerry::emulation::ptx {
namespace {

[[nodiscard]] bool has(const std::vector<std::string_view>& parts, std::string_view name) {
  return std::ranges::find(parts, name) != parts.end();
}

[[nodiscard]] bool begins(std::string_view opcode, std::string_view prefix) {
  return opcode == prefix || (opcode.starts_with(prefix) && opcode[prefix.size()] == '.');
}

/// Throws UnsupportedForm unless each part is allowed and occurs once.
void require_parts(const std::vector<std::string_view>& parts,
                   std::initializer_list<std::string_view> allowed_parts) {
  for (const std::string_view modifier : parts) {
    const bool is_known = std::ranges::find(allowed_parts, modifier) != allowed_parts.end();
    if (!is_known || std::ranges::count(parts, modifier) != 1) throw UnsupportedForm{};
  }
}

/// Returns the base of an address: a register or a constant.
[[nodiscard]] Operand base_of(const Operand& address) {
  if (address.kind != OperandKind::address || address.text.empty()) throw UnsupportedForm{};
  return {.kind = OperandKind::name, .text = address.text};
}

}  // namespace

void KernelDecoder::add_copy(const Statement& statement) {
  const std::string_view opcode = statement.opcode;
  if (begins(opcode, "cp.async.bulk")) return add_bulk_copy(statement);
  if (begins(opcode, "cp.async.mbarrier.arrive")) return add_arrival_of_copies(statement);
  Instruction one;
  if (opcode == "cp.async.commit_group") {
    one.execute = commit_copies;
  } else if (opcode == "cp.async.wait_all") {
    one.execute = wait_for_all_copies;
  } else if (opcode == "cp.async.wait_group" && statement.operands.size() == 1) {
    one.execute = wait_for_copies;
    one.source[0] = source(statement.operands[0], 4);
  } else if (begins(opcode, "cp.async.ca") || begins(opcode, "cp.async.cg")) {
    const std::vector<std::string_view> parts = parts_of(opcode);
    const std::size_t policy = has(parts, "L2::cache_hint") ? 1 : 0;
    const std::size_t operand_count = statement.operands.size() - policy;
    require_parts(parts, {"cp", "async", "ca", "cg", "shared", "shared::cta", "shared::cluster",
                          "global", "L2::cache_hint", "L2::64B", "L2::128B", "L2::256B"});
    if (!has(parts, "global") || operand_count < 3 || operand_count > 4) throw UnsupportedForm{};
    one.execute = copy_async;
    one.source[0] = source(base_of(statement.operands[0]), 4);
    one.source[1] = source(base_of(statement.operands[1]), 8);
    one.operand_nbytes = builder_.nbytes_of(one.source[0]);
    one.immediate = statement.operands[0].offset;
    one.target = static_cast<std::uint32_t>(statement.operands[1].offset);
    one.count = static_cast<std::uint8_t>(parse_number(statement.operands[2].text));
    if (one.count != 4 && one.count != 8 && one.count != 16) throw UnsupportedForm{};
    if (operand_count == 4) {
      one.source[2] = source(statement.operands[3], 4);
      if (builder_.nbytes_of(one.source[2]) != 4) throw UnsupportedForm{};
    }
  } else {
    throw UnsupportedForm{};
  }
  add(one);
}

/// Decodes cp.async.mbarrier.arrive as a wait for the copies, which threads observe only through
/// the barrier. Without .noinc the pending count is incremented first, so the arrival has no net
/// effect.
void KernelDecoder::add_arrival_of_copies(const Statement& statement) {
  const std::vector<std::string_view> parts = parts_of(statement.opcode);
  require_parts(parts,
                {"cp", "async", "mbarrier", "arrive", "noinc", "shared", "shared::cta", "b64"});
  if (parts.back() != "b64" || statement.operands.size() != 1) throw UnsupportedForm{};
  add({.execute = wait_for_all_copies});
  if (!has(parts, "noinc")) return;
  Instruction arrival{.execute = arrive_at_mbarrier};
  set_address(arrival, statement.operands[0], false);
  add(arrival);
}

void KernelDecoder::add_bulk_copy(const Statement& statement) {
  const std::vector<std::string_view> parts = parts_of(statement.opcode);
  require_parts(parts, {"cp", "async", "bulk", "shared::cta", "shared::cluster", "global",
                        "mbarrier::complete_tx::bytes", "bulk_group", "commit_group", "wait_group",
                        "read", "L2::cache_hint"});
  const std::size_t policy = has(parts, "L2::cache_hint") ? 1 : 0;
  const std::size_t operand_count = statement.operands.size() - policy;
  Instruction one;
  if (statement.opcode == "cp.async.bulk.commit_group") {
    one.execute = commit_bulk;
  } else if (begins(statement.opcode, "cp.async.bulk.wait_group") && operand_count == 1) {
    one.execute = wait_for_bulk;
    one.source[0] = source(statement.operands[0], 4);
  } else if (has(parts, "mbarrier::complete_tx::bytes") && parts.size() > 4 &&
             parts[4] == "global" && operand_count == 4) {
    one.execute = bulk_load_async;
    one.source[3] = source(base_of(statement.operands[3]), 4);
  } else if (has(parts, "bulk_group") && parts.size() > 3 && parts[3] == "global" &&
             operand_count == 3) {
    one.execute = bulk_store_async;
  } else {
    throw UnsupportedForm{};
  }
  if (one.execute == bulk_load_async || one.execute == bulk_store_async) {
    const bool loads = one.execute == bulk_load_async;
    one.source[0] = source(base_of(statement.operands[0]), loads ? 4 : 8);
    one.source[1] = source(base_of(statement.operands[1]), loads ? 8 : 4);
    one.source[2] = source(statement.operands[2], 4);
    one.operand_nbytes = builder_.nbytes_of(one.source[loads ? 0 : 1]);
    for (const Operand& operand : statement.operands) {
      if (operand.offset != 0) throw UnsupportedForm{};
    }
    if (loads && builder_.nbytes_of(one.source[3]) != one.operand_nbytes) throw UnsupportedForm{};
  }
  add(one);
}

void KernelDecoder::add_mbarrier(const Statement& statement) {
  const std::vector<std::string_view> parts = parts_of(statement.opcode);
  require_parts(
      parts, {"mbarrier", "init", "inval", "expect_tx", "arrive", "arrive_drop", "noComplete",
              "test_wait", "try_wait", "parity", "release", "acquire", "relaxed", "cta", "cluster",
              "shared", "shared::cta", "shared::cluster", "b64"});
  if (parts.size() < 2 || parts.back() != "b64") throw UnsupportedForm{};
  const std::string_view operation = parts[1];
  const bool expects = has(parts, "expect_tx");
  Instruction one;
  bool has_result = false;
  bool has_count = true;
  if (operation == "init") {
    one.execute = initialize_mbarrier;
  } else if (operation == "inval") {
    one.execute = invalidate_mbarrier;
    has_count = false;
  } else if (operation == "expect_tx") {
    one.execute = expect_bytes;
  } else if (operation == "arrive" || operation == "arrive_drop") {
    one.execute = expects                 ? arrive_expecting_bytes
                  : operation == "arrive" ? arrive_at_mbarrier
                                          : drop_from_mbarrier;
    if (expects && operation != "arrive") throw UnsupportedForm{};
    has_result = statement.operands.front().kind == OperandKind::name;
    has_count = expects || statement.operands.size() > (has_result ? 2U : 1U);
  } else if (operation == "test_wait" || operation == "try_wait") {
    one.execute = has(parts, "parity") ? test_mbarrier_parity : test_mbarrier_state;
    one.flow = Control::yielding;
    has_result = true;
  } else {
    throw UnsupportedForm{};
  }
  std::size_t next = 0;
  if (statement.operands.size() < (has_result ? 2U : 1U) + (has_count ? 1U : 0U)) {
    throw UnsupportedForm{};
  }
  if (has_result) one.destination[0] = destination(statement.operands[next++].text);
  set_address(one, statement.operands[next++], false);
  if (has_count) {
    const std::uint8_t nbytes = one.execute == test_mbarrier_state ? 8 : 4;
    one.source[1] = source(statement.operands[next], nbytes);
    if (builder_.nbytes_of(one.source[1]) != nbytes) throw UnsupportedForm{};
  }
  add(one);
}

}  // namespace skerry::emulation::ptx
