// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <sstream>

#include "device/emulator/execute/operation.hpp"
#include "device/emulator/execute/program.hpp"
#include "tests/emulator/executor/emulated.hpp"

// Instructions are matched by all of their modifiers and types, or rejected.

namespace skerry::emulation {
namespace {

constexpr const char* registers = R"(
  .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .b128 %q<9>;
)";

/// Modifiers that the tests put in place of others, which results in valid or invalid opcodes.
constexpr std::array<const char*, 46> names = {
    "b8",    "b16",    "b32",  "b64",  "b128", "u8",    "u16", "u32",    "u64", "s8",
    "s16",   "s32",    "s64",  "f16",  "bf16", "f16x2", "f32", "bf16x2", "f64", "u16x2",
    "s16x2", "pred",   "rn",   "rz",   "rm",   "rp",    "rni", "ftz",    "sat", "relu",
    "NaN",   "lo",     "hi",   "wide", "sync", "and",   "or",  "lt",     "cc",  "clamp",
    "wrap",  "approx", "full", "x32",  "f24",  "zz"};

[[nodiscard]] std::vector<std::string> split(std::string_view opcode) {
  std::vector<std::string> parts;
  std::stringstream stream{std::string(opcode)};
  for (std::string token; std::getline(stream, token, '.');) parts.push_back(token);
  return parts;
}

[[nodiscard]] std::string join(const std::vector<std::string>& parts) {
  std::string opcode;
  for (const std::string& token : parts) opcode += (opcode.empty() ? "" : ".") + token;
  return opcode;
}

[[nodiscard]] std::string register_of(std::uint8_t nbytes, std::size_t number) {
  const std::string index = std::to_string(number);
  switch (nbytes) {
    case predicate_nbytes:
      return "%p" + index;
    case 4:
      return "%r" + index;
    case 8:
      return "%d" + index;
    case 16:
      return "%q" + index;
    default:
      return "%h" + index;
  }
}

/// Returns an operation's operands. The operand with the index `wrong` gets a wrong size.
[[nodiscard]] std::string operands_of(const Operation& operation, int wrong = -1) {
  std::string list;
  int number = 0;
  const auto add = [&](std::uint8_t nbytes, std::string_view between) {
    const std::uint8_t other = nbytes == predicate_nbytes || nbytes == 16 ? 4 : 16;
    const std::uint8_t register_nbytes = number == wrong ? other : nbytes;
    list += (list.empty() ? "" : std::string(between)) +
            register_of(register_nbytes, static_cast<std::size_t>(number) + 1);
    ++number;
  };
  for (const std::uint8_t nbytes : operation.results) add(nbytes, "|");
  for (const std::uint8_t nbytes : operation.arguments) add(nbytes, ", ");
  return list;
}

[[nodiscard]] bool can_be_written(std::string_view opcode) { return !opcode.starts_with('*'); }

/// Returns the statements that the decoder supports.
[[nodiscard]] std::vector<std::string> executed(const std::vector<std::string>& statements) {
  std::string body = registers;
  for (const std::string& one : statements) body += one + ";\n";
  const auto loaded = load_text(kernel_text("", body + "ret;"));
  const Program& program = loaded->find("k")->decoded();
  std::set<std::string_view> refused;
  for (std::size_t k = 0; k < program.instructions.size(); ++k) {
    if (program.instructions[k].flow == Control::unsupported)
      refused.insert(program.locations[k].text);
  }
  std::vector<std::string> executed_statements;
  for (const std::string& one : statements) {
    if (!refused.contains(one + ";")) executed_statements.push_back(one);
  }
  return executed_statements;
}

/// Expects that none of these statements, which are not valid PTX, is supported.
void expect_refused(const std::vector<std::string>& statements) {
  const std::vector<std::string> executed_statements = executed(statements);
  for (std::size_t k = 0; k < std::min<std::size_t>(executed_statements.size(), 20); ++k) {
    ADD_FAILURE() << "executed: " << executed_statements[k];
  }
}

TEST(EmulationForms, every_operation_of_the_table_is_decoded) {
  std::vector<std::string> statements;
  for (const std::string_view opcode : operations().opcodes()) {
    if (!can_be_written(opcode)) continue;
    statements.push_back(std::string(opcode) + " " + operands_of(*operations().find(opcode)));
  }
  EXPECT_GT(statements.size(), 2000U);
  const std::vector<std::string> executed_statements = executed(statements);
  std::vector<std::string> missing;
  std::ranges::set_difference(statements, executed_statements, std::back_inserter(missing));
  for (const std::string& one : missing) ADD_FAILURE() << "refused: " << one;
}

TEST(EmulationForms, wrong_modifiers_of_operations_are_rejected) {
  for (const std::string_view opcode : operations().opcodes()) {
    // Without a part of its name, bar.warp.sync is a block's barrier, which is not in the table.
    if (!can_be_written(opcode) || opcode == "bar.warp.sync") continue;
    const std::string operands = " " + operands_of(*operations().find(opcode));
    const std::vector<std::string> parts = split(opcode);
    std::vector<std::string> statements;
    const auto add = [&](const std::vector<std::string>& changed) {
      const std::string name = join(changed);
      if (operations().find(name) == nullptr) statements.push_back(name + operands);
    };
    for (std::size_t k = 1; k < parts.size(); ++k) {
      for (const char* name : names) {
        std::vector<std::string> replaced = parts;
        replaced[k] = name;
        add(replaced);
      }
      for (const char* name : {"f16", "f32", "ftz", "sat", "relu", "zz"}) {
        std::vector<std::string> inserted = parts;
        inserted.insert(inserted.begin() + static_cast<std::ptrdiff_t>(k), name);
        add(inserted);
      }
      std::vector<std::string> removed = parts;
      removed.erase(removed.begin() + static_cast<std::ptrdiff_t>(k));
      add(removed);
    }
    for (const char* name : {"f16", "f32", "ftz", "sat", "relu", "zz"}) {
      std::vector<std::string> longer = parts;
      longer.emplace_back(name);
      add(longer);
    }
    expect_refused(statements);
  }
}

TEST(EmulationForms, registers_have_the_size_of_their_operand) {
  std::vector<std::string> statements;
  for (const std::string_view opcode : operations().opcodes()) {
    if (!can_be_written(opcode)) continue;
    const Operation& operation = *operations().find(opcode);
    const auto count = static_cast<int>(operation.results.size() + operation.arguments.size());
    for (int wrong = 0; wrong < count; ++wrong) {
      // Conversions accept wider registers.
      const bool is_result = wrong < static_cast<int>(operation.results.size());
      if (is_result ? operation.may_result_be_wider : operation.may_argument_be_wider) continue;
      statements.push_back(std::string(opcode) + " " + operands_of(operation, wrong));
    }
    if (count > 0)
      statements.push_back(std::string(opcode) + " " + operands_of(operation) + ", %q8");
  }
  expect_refused(statements);
}

TEST(EmulationForms, the_decoders_internal_names_are_rejected) {
  expect_refused(
      {"pack.4.2 %r1, %h1, %h2", "unpack.8.4 %r1|%r2, %d1", "clock.u32 %r1", "clock.low %r1"});
}

struct Access {
  std::string opcode;
  std::string operands;
};

[[nodiscard]] std::vector<Access> accesses() {
  const std::vector<Access> types = {{"b8", "%h1"},  {"u8", "%h1"},  {"s8", "%h1"},  {"b16", "%h1"},
                                     {"u16", "%h1"}, {"s16", "%h1"}, {"b32", "%r1"}, {"u32", "%r1"},
                                     {"s32", "%r1"}, {"f32", "%r1"}, {"b64", "%d1"}, {"u64", "%d1"},
                                     {"s64", "%d1"}, {"f64", "%d1"}, {"b128", "%q1"}};
  std::vector<Access> all;
  for (const auto& [type, register_name] : types) {
    for (const std::string space :
         {"", ".global", ".shared", ".shared::cta", ".local", ".volatile.global",
          ".relaxed.gpu.global", ".relaxed.sys", ".global.L1::evict_last", ".global.cg", ".weak"}) {
      all.push_back({"ld" + space + "." + type, register_name + ", [%d8]"});
      all.push_back({"st" + space + "." + type, "[%d8], " + register_name});
    }
    for (const std::string space :
         {".const", ".global.nc", ".global.nc.L1::no_allocate.L2::128B", ".acquire.gpu.global",
          ".global.cv", ".global.lu", ".global.L2::evict_first"}) {
      all.push_back({"ld" + space + "." + type, register_name + ", [%d8]"});
    }
    all.push_back({"ldu.global." + type, register_name + ", [%d8]"});
    all.push_back({"st.release.gpu.global." + type, "[%d8], " + register_name});
    all.push_back({"st.global.wt." + type, "[%d8], " + register_name});
    all.push_back({"ld.global.L2::cache_hint." + type, register_name + ", [%d8], %d2"});
    if (type == "b128") continue;
    for (const std::string space : {".global", ".shared", ".local", ".global.nc"}) {
      const std::string list = "{" + register_name + ", " + register_name.substr(0, 2) + "2}";
      all.push_back({"ld" + space + ".v2." + type, list + ", [%d8]"});
      if (space != ".global.nc") all.push_back({"st" + space + ".v2." + type, "[%d8], " + list});
    }
    if (register_name == "%d1") continue;
    const std::string prefix = register_name.substr(0, 2);
    std::string list = "{" + register_name;
    for (const char* number : {"2", "3", "4"}) list += ", " + prefix + number;
    all.push_back({"ld.global.v4." + type, list + "}, [%d8]"});
    all.push_back({"st.shared.v4." + type, "[%d8], " + list + "}"});
  }
  return all;
}

[[nodiscard]] std::vector<Access> atomics() {
  std::vector<Access> all;
  const auto add = [&](const std::string& operation, std::initializer_list<const char*> types) {
    for (const std::string type : types) {
      const std::string bits = type.substr(type.find_first_of("0123456789"));
      const std::string prefix = bits == "64" ? "%d" : bits == "16" ? "%h" : "%r";
      const std::string operands =
          "[%d8], " + prefix + "2" + (operation == "cas" ? ", " + prefix + "3" : "");
      for (const std::string space :
           {"", ".global", ".shared", ".shared::cluster", ".relaxed.gpu.global", ".release.sys"}) {
        const std::string name = space + "." + operation + "." + type;
        all.push_back({"atom" + name, prefix + "1, " + operands});
        if (operation != "cas" && operation != "exch") all.push_back({"red" + name, operands});
      }
      all.push_back(
          {"atom.acq_rel.cta.global." + operation + "." + type, prefix + "1, " + operands});
    }
  };
  add("add", {"u32", "s32", "u64", "s64", "f32", "f64"});
  add("add.noftz", {"f16", "bf16", "f16x2", "bf16x2"});
  add("min", {"u32", "s32", "u64", "s64"});
  add("max", {"u32", "s32", "u64", "s64"});
  add("inc", {"u32"});
  add("dec", {"u32"});
  add("cas", {"b16", "b32", "b64"});
  for (const char* operation : {"exch", "and", "or", "xor"}) add(operation, {"b32", "b64"});
  return all;
}

TEST(EmulationForms, every_form_of_access_is_decoded) {
  std::vector<Access> all = accesses();
  std::ranges::copy(atomics(), std::back_inserter(all));
  std::vector<std::string> statements;
  for (const auto& [opcode, operands] : all) statements.push_back(opcode + " " + operands);
  const std::vector<std::string> executed_statements = executed(statements);
  EXPECT_EQ(executed_statements.size(), statements.size());
  for (const std::string& one : statements) {
    EXPECT_TRUE(std::ranges::find(executed_statements, one) != executed_statements.end())
        << "refused: " << one;
  }
}

TEST(EmulationForms, wrong_modifiers_of_accesses_are_rejected) {
  std::vector<Access> all = accesses();
  std::ranges::copy(atomics(), std::back_inserter(all));
  std::vector<std::string> known_opcodes;
  for (const auto& [opcode, operands] : all) known_opcodes.push_back(opcode);
  std::ranges::sort(known_opcodes);
  std::vector<std::string> statements;
  for (const auto& [opcode, operands] : all) {
    const std::vector<std::string> parts = split(opcode);
    // Wrong types, whose registers may have the right size, and invalid words.
    for (const char* name : {"f16", "bf16", "f16x2", "bf16x2", "pred", "x32", "f24", "f8", "bf32",
                             "b24", "zz", "u128"}) {
      std::vector<std::string> replaced = parts;
      replaced.back() = name;
      const bool is_known = std::ranges::binary_search(known_opcodes, join(replaced));
      if (!is_known) statements.push_back(join(replaced) + " " + operands);
    }
    for (std::size_t k = 1; k < parts.size(); ++k) {
      for (const char* name : {"zz", "ftz", "rn", "v3", "v8", "L1::zz", "L2::zz", "L3::evict_last",
                               "shared::zz", "param::zz", "sync", "async", "mul"}) {
        std::vector<std::string> inserted = parts;
        inserted.insert(inserted.begin() + static_cast<std::ptrdiff_t>(k), name);
        statements.push_back(join(inserted) + " " + operands);
      }
      // Repeated modifiers.
      if (k + 1 == parts.size()) continue;
      std::vector<std::string> doubled = parts;
      doubled.insert(doubled.begin() + static_cast<std::ptrdiff_t>(k), parts[k]);
      statements.push_back(join(doubled) + " " + operands);
    }
  }
  for (const char* wrong :
       {"ld.add.global.u32 %r1, [%d8]",
        "st.global.nc.u32 [%d8], %r1",
        "ld.wt.global.u32 %r1, [%d8]",
        "ld.release.gpu.global.u32 %r1, [%d8]",
        "st.acquire.gpu.global.u32 [%d8], %r1",
        "st.const.u32 [%d8], %r1",
        "atom.global.u32 %r1, [%d8], %r2",
        "atom.local.add.u32 %r1, [%d8], %r2",
        "atom.global.add.b32 %r1, [%d8], %r2",
        "atom.global.add.f16 %h1, [%d8], %h2",
        "atom.global.add.noftz.f32 %r1, [%d8], %r2",
        "atom.global.cas.u32 %r1, [%d8], %r2, %r3",
        "atom.global.exch.u32 %r1, [%d8], %r2",
        "atom.global.exch.b16 %h1, [%d8], %h2",
        "atom.global.cas.b128 %q1, [%d8], %q2, %q3",
        "atom.global.inc.s32 %r1, [%d8], %r2",
        "atom.global.and.u32 %r1, [%d8], %r2",
        "atom.global.min.f32 %r1, [%d8], %r2",
        "atom.global.v2.f32.add %r1, [%d8], %r2",
        "red.global.cas.b32 [%d8], %r2, %r3",
        "ld.global.v4.f64 {%d1, %d2, %d3, %d4}, [%d8]",
        "ld.global.shared.u32 %r1, [%d8]",
        "ld.global.u32 %h1, [%d8]",
        "ld.global.u64 %r1, [%d8]",
        "mov.f32 {%h1, %h2}, %r1",
        "mov.b64 {%h1, %h2}, %r1",
        "mov.u32 {%h1, %h2}, %r1",
        "mov.b16 %r1, %clock",
        "mov.f64 %d1, %clock",
        "mov.u32 %r1, %envreg3",
        "cp.async.ca.zz.shared.global [%r1], [%d1], 16",
        "cp.async.ca.shared.shared.global [%r1], [%d1], 16",
        "mbarrier.init.zz.shared.b64 [%r1], 1",
        "mbarrier.arrive.shared.b32 %d1, [%r1]",
        "cp.async.bulk.zz.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%d1], %r2, [%r3]",
        "prefetch.shared.L1 [%d8]",
        "prefetch.global.L3 [%d8]",
        "discard.global.L1 [%d8], 128"}) {
    statements.emplace_back(wrong);
  }
  expect_refused(statements);
}

TEST(EmulationForms, cache_hints_are_accepted) {
  const std::vector<std::string> statements = {
      "prefetch.global.L1 [%d8]",
      "prefetch.L2 [%d8+128]",
      "prefetch.global.L2::evict_last [%d8]",
      "prefetchu.L1 [%d8]",
      "discard.global.L2 [%d8], 128",
      "applypriority.global.L2::evict_normal [%d8], 128",
      "createpolicy.fractional.L2::evict_last.b64 %d1, 0f3f800000",
      "createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %d1, 0f3f000000",
      "createpolicy.fractional.L2::evict_normal.b64 %d1",
      "fence.acquire.gpu",
      "fence.release.cluster",
      "fence.proxy.async.shared::cluster",
      "mov.u32 %r1, %clock",
      "mov.u32 %r1, %clock_hi",
      "mov.u64 %d1, %globaltimer",
      "mov.b32 %r1, WARP_SZ",
      "isspacep.param::entry %p1, %d1",
      "cvta.to.shared::cta.u64 %d1, %d2"};
  EXPECT_EQ(executed(statements), statements);
}

TEST(EmulationForms, unsupported_instructions_have_a_reason) {
  TestMemory memory;
  const auto expect_reason = [&](const std::string& body, const char* reason) {
    const std::string name = "unsupported instruction " + body.substr(0, body.find(' '));
    expect_failure(run_text(kernel_text("", registers + body + "; ret;"), {}, {}, memory), 715,
                   {std::string_view(name), reason});
  };
  expect_reason("tex.2d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [%d1, {%r5, %r6}]", "textures");
  expect_reason("sust.b.1d.b32.trap [%d1, {%r1}], {%r2}", "surfaces");
  expect_reason("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r1}, {%r2}, {%r3}, {%r4}",
                "tensor cores are not emulated; use scalar instructions");
  expect_reason("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%d1]", "tensor cores");
  expect_reason("wgmma.fence.sync.aligned", "tensor cores");
  expect_reason(
      "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%r1], [%d1, {%r2}], [%r3]",
      "tensor maps");
  expect_reason("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2, [%r3]",
                "other blocks of a cluster");
  expect_reason("atom.global.cas.b128 %q1, [%d8], %q2, %q3", "128 bits");
  expect_reason("add.zz.f32 %r1, %r2, %r3", "does not implement this form");
}

}  // namespace
}  // namespace skerry::emulation
