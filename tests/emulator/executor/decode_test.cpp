// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <algorithm>
#include <sstream>

#include "device/emulator/execute/program.hpp"
#include "ops/table/table.hpp"
#include "tests/emulator/executor/emulated.hpp"
#include "tests/emulator/executor/module_forms.hpp"

namespace skerry::emulation {
namespace {

/// Registers of all types, with a prefix for each type.
constexpr const char* registers = R"(
  .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .b128 %q<9>;
  .reg .f32 %f<9>; .reg .f64 %g<9>;
  .shared .align 16 .b8 s[256]; .local .align 16 .b8 l[64];
)";

[[nodiscard]] std::vector<std::string> split(std::string_view opcode) {
  std::vector<std::string> parts;
  std::stringstream stream{std::string(opcode)};
  for (std::string token; std::getline(stream, token, '.');) parts.push_back(token);
  return parts;
}

[[nodiscard]] bool has(const std::vector<std::string>& parts, std::string_view word) {
  return std::ranges::find(parts, word) != parts.end();
}

/// Returns the register with this type and number.
[[nodiscard]] std::string of_type(const std::string& type, int number) {
  const std::string index = std::to_string(number);
  if (type == "pred") return "%p" + index;
  if (type == "f32") return "%f" + index;
  if (type == "f64") return "%g" + index;
  const std::string bits = type.substr(1);
  return (bits == "128" ? "%q" : bits == "64" ? "%d" : bits == "32" ? "%r" : "%h") + index;
}

[[nodiscard]] std::string address_of(const std::vector<std::string>& parts) {
  if (has(parts, "shared") || has(parts, "shared::cta")) return "[s+16]";
  if (has(parts, "local")) return "[l+16]";
  if (has(parts, "param")) return "[x+16]";
  return "[%d8+16]";
}

[[nodiscard]] std::string vector_of(const std::vector<std::string>& parts) {
  const std::string& type = parts.back();
  const int count = has(parts, "v2") ? 2 : has(parts, "v4") ? 4 : 1;
  if (count == 1) return of_type(type, 1);
  std::string list = "{" + of_type(type, 1);
  for (int k = 2; k <= count; ++k) list += ", " + of_type(type, k);
  return list + "}";
}

/// Operands of instructions that don't have the form `d, a, b`.
[[nodiscard]] const std::map<std::string_view, std::string>& special_operands() {
  static const std::map<std::string_view, std::string> operands = {
      {"bar.red.and.pred", "%p1, 0, %p2"},
      {"bar.red.or.pred", "%p1, 0, !%p2"},
      {"bar.sync", "0"},
      {"bar.warp.sync", "-1"},
      {"barrier.sync", "1, 128"},
      {"bra", "$end"},
      {"bra.uni", "$end"},
      {"call.uni", "(returned), f, (given)"},
      {"cp.async.bulk.global.shared::cta.bulk_group", "[%d1], [%r1], %r2"},
      {"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes", "[%r1], [%d1], %r2, [%r3]"},
      {"cp.async.bulk.wait_group.read", "0"},
      {"cp.async.cg.shared.global", "[%r1], [%d1], 16, 16"},
      {"cp.async.wait_group", "1"},
      {"elect.sync", "_|%p1, -1"},
      {"mbarrier.arrive.expect_tx.release.cta.shared::cta.b64", "%d1, [%r1], %r2"},
      {"mbarrier.arrive.shared.b64", "%d1, [%r1]"},
      {"mbarrier.init.shared.b64", "[%r1], 1"},
      {"mbarrier.try_wait.parity.shared::cta.b64", "%p1, [%r1], %r2"},
      {"nanosleep.u32", "20"},
      {"prefetch.global.L2", "[%d1]"},
      {"redux.sync.min.u32", "%r1, %r2, -1"},
      {"mov.b128", "%q1, {%d1, %d2}"},
      {"dp4a.u32.u32", "%r1, %r2, %r3, %r4"},
      {"prmt.b32", "%r1, %r2, %r3, 0x5410"},
      {"bfi.b32", "%r1, %r2, %r3, 8, 4"},
      {"bfi.b64", "%d1, %d2, %d3, 8, 4"},
  };
  return operands;
}

[[nodiscard]] std::string operands_of(std::string_view opcode) {
  if (const auto special_entry = special_operands().find(opcode);
      special_entry != special_operands().end()) {
    return special_entry->second;
  }
  const std::vector<std::string> parts = split(opcode);
  const std::string& name = parts[0];
  const std::string& type = parts.back();
  const auto typed = [&](int count) {
    std::string list = of_type(type, 1);
    for (int k = 2; k <= count; ++k) list += ", " + of_type(type, k);
    return list;
  };
  if (name == "ld") return vector_of(parts) + ", " + address_of(parts);
  if (name == "st") {
    return (has(parts, "param") ? "[given]" : address_of(parts)) + ", " + vector_of(parts);
  }
  if (name == "atom") return of_type(type, 1) + ", " + address_of(parts) + ", " + of_type(type, 2);
  if (name == "setp") return "%p1, " + of_type(type, 1) + ", " + of_type(type, 2);
  if (name == "selp") return typed(3) + ", %p1";
  if (name == "cvt") return of_type(parts[parts.size() - 2], 1) + ", " + of_type(type, 2);
  if (name == "shfl") return "%r1|%p1, %r2, 1, 31, -1";
  if (name == "vote") return of_type(type, 1) + ", %p2, -1";
  if (name == "shl" || name == "shr") return typed(2) + ", 3";
  if (has(parts, "wide")) {
    const std::string wide = type[0] + std::string(type.substr(1) == "32" ? "64" : "32");
    const std::string third = name == "mad" ? ", " + of_type(wide, 4) : "";
    return of_type(wide, 1) + ", " + of_type(type, 2) + ", " + of_type(type, 3) + third;
  }
  if (name == "popc" || name == "clz") return "%r1, " + of_type(type, 2);
  if (name == "fma" || name == "mad" || name == "madc") return typed(4);
  for (const char* unary :
       {"abs", "brev", "cvta", "ex2", "mov", "neg", "not", "rcp", "rsqrt", "sqrt"}) {
    if (name == unary) return typed(2);
  }
  for (const char* none : {"barrier", "cp", "exit", "fence", "griddepcontrol", "membar", "ret"}) {
    if (name == none) return "";
  }
  return typed(3);
}

[[nodiscard]] std::string text_with(std::string_view opcode, const std::string& operands) {
  const std::string function =
      ".func (.param .b64 out) f(.param .b64 in) { .reg .f64 %g<3>; ld.param.f64 %g1, [in]; "
      "st.param.f64 [out], %g1; ret; }";
  return kernel_text(".param .align 8 .b8 x[64]",
                     std::string(registers) +
                         ".param .b64 given; .param .b64 returned; st.param.f64 [given], %g1;\n" +
                         std::string(opcode) + " " + operands + ";\n$end: ret;",
                     function);
}

[[nodiscard]] std::size_t unsupported_in(const Program& program) {
  return static_cast<std::size_t>(
      std::ranges::count(program.instructions, Control::unsupported, &Instruction::flow));
}

TEST(EmulationDecode, every_form_of_the_module_is_supported) {
  for (const std::string_view opcode : module_forms) {
    std::string operands = operands_of(opcode);
    if (opcode == "st.param.b32") operands = "[other], %r1";
    std::string text = text_with(opcode, operands);
    if (opcode == "st.param.b32") {
      text.insert(text.find(".param .b64 given"), ".param .b32 other; ");
    }
    const auto loaded = load_text(text);
    const Program& program = loaded->find("k")->decoded();
    EXPECT_EQ(unsupported_in(program), 0U) << opcode << " " << operands;
  }
}

TEST(EmulationDecode, an_unknown_instruction_is_reported_when_executed) {
  TestMemory memory;
  const std::string text = kernel_text("", "wgmma.fence.sync.aligned; ret;");
  expect_failure(run_text(text, {}, {}, memory), 715,
                 {"unsupported instruction", "wgmma.fence.sync.aligned;", "kernel: k"});
  EXPECT_RUNS(kernel_text("", "ret; wgmma.fence.sync.aligned;"), {}, {}, memory);
}

TEST(EmulationDecode, operands_of_a_wrong_size_are_rejected) {
  for (const char* body :
       {"add.s32 %r1, %d1, %r2;", "add.s32 %d1, %r1, %r2;", "add.s32 %r1, %r2;",
        "add.s32 %r1, %r2, %r3, %r4;", "setp.eq.s32 %r1, %r2, %r3;", "mov.b64 %d1, {%r1, %h1};",
        "ld.global.u64 %r1, [%d1];", "add.s32 %r1, %unknown, %r2;", "add.zz.s32 %r1, %r2, %r3;"}) {
    const auto loaded = load_text(kernel_text("", std::string(registers) + body));
    EXPECT_EQ(unsupported_in(loaded->find("k")->decoded()), 1U) << body;
  }
}

void expect_image_error(const std::string& text, int code, int capability = 90) {
  try {
    const auto loaded = load_text(text, capability);
    for (const auto& one : loaded->kernels()) (void)one->decoded();
    ADD_FAILURE() << "no error in " << text;
  } catch (const ImageError& error) {
    EXPECT_EQ(error.code(), code) << error.what();
  }
}

TEST(EmulationDecode, damaged_images_are_rejected) {
  expect_image_error("", 200);
  expect_image_error("no image at all", 200);
  expect_image_error("\177ELF and machine code .version", 209);
  expect_image_error(".version 99.0\n.target sm_80\n.address_size 64\n", 222);
  expect_image_error(".version 8.0\n.target sm_90\n.address_size 64\n", 209, 80);
  expect_image_error(".version 8.0\n.target sm_80\n.nonsense\n", 218);
  expect_image_error(".version 8.0\n.target sm_80\n.visible .entry k(", 218);
  expect_image_error(kernel_text("", "bra $nowhere;"), 218);
  expect_image_error(kernel_text("", "add.s32 %r1 %r2;"), 218);
  expect_image_error(kernel_text("", "}"), 218);
}

void append(std::string& output, std::uint64_t value, std::size_t nbytes) {
  output.append(reinterpret_cast<const char*>(&value), nbytes);
}

/// Returns an entry of a fat binary, as CUDA's tool fatbinary writes it.
[[nodiscard]] std::string entry(std::uint16_t kind, std::uint32_t target, const std::string& data,
                                std::uint64_t flags = 0) {
  std::string result;
  append(result, kind, 2);
  append(result, 0x101, 2);
  append(result, 64, 4);
  append(result, data.size(), 8);
  append(result, 0, 8);
  append(result, 0, 4);
  append(result, target, 4);
  append(result, 0, 8);
  append(result, flags, 8);
  result.resize(64);
  return result + data;
}

[[nodiscard]] std::string fat_binary(const std::string& entries) {
  std::string result;
  append(result, 0xba55ed50, 4);
  append(result, 1, 2);
  append(result, 16, 2);
  append(result, entries.size(), 8);
  return result + entries;
}

TEST(EmulationDecode, the_best_target_of_a_fat_binary_is_loaded) {
  const std::string ptx80 = kernel_text("", "ret;");
  std::string ptx90 = ptx80;
  ptx90.replace(ptx90.find("sm_80"), 5, "sm_90");
  const std::string image =
      fat_binary(entry(2, 90, "\177ELF") + entry(1, 80, ptx80) + entry(1, 90, ptx90));
  EXPECT_EQ(load_text(image, 80)->target(), 80);
  EXPECT_EQ(load_text(image, 86)->target(), 80);
  EXPECT_EQ(load_text(image, 90)->target(), 90);
  EXPECT_EQ(load_text(image, 100)->target(), 90);
  EXPECT_EQ(Module::fat_binary_size(reinterpret_cast<const std::byte*>(image.data())),
            image.size());
  expect_image_error(image, 209, 75);
  expect_image_error(image.substr(0, image.size() - 1), 200);
  expect_image_error(fat_binary(entry(1, 80, ptx80).substr(0, 80)), 200);
}

/// Returns a compressed entry; `nbytes` is the size of its text.
[[nodiscard]] std::string packed_entry(std::uint64_t flag, const std::string& packed,
                                       std::size_t nbytes) {
  std::string result;
  append(result, 1, 2);
  append(result, 0x101, 2);
  append(result, 80, 4);
  append(result, (packed.size() + 7) / 8 * 8, 8);
  append(result, packed.size(), 4);
  append(result, 64, 4);
  append(result, 0, 4);
  append(result, 80, 4);
  append(result, 0, 8);
  append(result, 0x11 | flag, 8);
  append(result, 0, 8);
  append(result, nbytes, 8);
  result.resize(80);
  result += packed;
  result.resize((result.size() + 7) / 8 * 8);
  return result;
}

/// Compresses `text` plus `repeated` bytes as LZ4: literals, and a match that repeats the last four
/// bytes.
[[nodiscard]] std::string as_lz4(const std::string& text, std::size_t repeated) {
  const auto length = [](std::string& output, std::size_t left) {
    for (; left >= 255; left -= 255) output.push_back(static_cast<char>(255));
    output.push_back(static_cast<char>(left));
  };
  std::string result{static_cast<char>(0xff)};
  length(result, text.size() - 15);
  result += text;
  append(result, 4, 2);
  length(result, repeated - 4 - 15);
  return result;
}

TEST(EmulationDecode, a_fat_binary_may_be_compressed_by_lz4) {
  constexpr std::uint64_t lz4 = 0x2000;
  constexpr std::size_t repeated = 400;
  const std::string text = kernel_text("", "ret;") + "// x";
  const std::string packed = as_lz4(text, repeated);
  const std::size_t nbytes = text.size() + repeated;
  EXPECT_NE(load_text(fat_binary(packed_entry(lz4, packed, nbytes)))->find("k"), nullptr);
  expect_image_error(fat_binary(packed_entry(lz4, packed, nbytes - 1)), 200);
  expect_image_error(fat_binary(packed_entry(lz4, packed, nbytes + 1)), 200);
  expect_image_error(fat_binary(packed_entry(lz4, packed.substr(0, 50), nbytes)), 200);
  expect_image_error(fat_binary(packed_entry(lz4, packed, ~std::uint64_t{0})), 200);
}

TEST(EmulationDecode, a_fat_binary_may_be_compressed_by_zstandard) {
  constexpr std::uint64_t zstd = 0x8000;
  const std::string text = kernel_text("", "ret;");
  // A frame with one uncompressed block: magic, a size of one byte, the block's header.
  ASSERT_LT(text.size(), 256);
  std::string packed;
  append(packed, 0xfd2fb528, 4);
  append(packed, 0x20, 1);
  append(packed, text.size(), 1);
  append(packed, text.size() << 3U | 1U, 3);
  packed += text;
  const std::string image = fat_binary(packed_entry(zstd, packed, text.size()));
  void* const library = dlopen("libzstd.so.1", RTLD_NOW);
  if (library == nullptr) return expect_image_error(image, 801);
  EXPECT_NE(load_text(image)->find("k"), nullptr);
  expect_image_error(fat_binary(packed_entry(zstd, packed.substr(0, 60), text.size())), 200);
}

TEST(EmulationDecode, parameters_variables_and_attributes_are_read) {
  const std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".global .align 4 .u32 table[4] = {1, 2, -1};\n.const .f32 one = 0f3F800000;\n"
      ".visible .entry k(.param .u8 a, .param .align 8 .b8 b[24],\n"
      "  .param .u64 .ptr .global .align 1 c) .maxntid 128, 2, 1\n"
      "{ .shared .align 16 .b8 s[40]; .local .b32 l[3]; ret; }\n"
      ".section .debug_str { .b8 1, 2 }\n";
  const auto loaded = load_text(text);
  const Kernel* const kernel = loaded->find("k");
  ASSERT_NE(kernel, nullptr);
  ASSERT_EQ(kernel->parameters().size(), 3U);
  EXPECT_EQ(kernel->parameters()[1].offset, 8U);
  EXPECT_EQ(kernel->parameters()[2].offset, 32U);
  const KernelAttributes attributes = kernel->attributes();
  EXPECT_EQ(attributes.parameter_bytes, 40U);
  EXPECT_EQ(attributes.static_shared_bytes, 40U);
  EXPECT_EQ(attributes.local_bytes, 16U);
  EXPECT_EQ(attributes.constant_bytes, 4U);
  EXPECT_EQ(attributes.max_threads_per_block, 256);
  EXPECT_EQ(attributes.ptx_version, 80);
  EXPECT_EQ(attributes.binary_version, 90);
  ASSERT_EQ(loaded->variables().size(), 2U);
  const Variable* const table = loaded->find_variable("table");
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->nbytes, 16U);
  std::array<std::int32_t, 4> values;
  std::memcpy(values.data(), table->initial.data(), sizeof values);
  EXPECT_EQ(values, (std::array<std::int32_t, 4>{1, 2, -1, 0}));
  EXPECT_TRUE(loaded->find_variable("one")->is_constant);
  EXPECT_EQ(loaded->find("none"), nullptr);
}

TEST(EmulationDecode, registers_with_disjoint_lifetimes_share_a_row) {
  std::string body = ".reg .b32 %r<200>; .reg .b64 %d; ld.param.u64 %d, [p];\n";
  for (int k = 0; k < 200; ++k) {
    const std::string name = "%r" + std::to_string(k);
    body += "mov.u32 " + name + ", " + std::to_string(k) + "; st.global.u32 [%d], " + name + ";\n";
  }
  const auto loaded = load_text(kernel_text(".param .u64 p", body));
  EXPECT_LE(loaded->find("k")->decoded().register_nbytes, 256U + 128U);
}

}  // namespace
}  // namespace skerry::emulation
