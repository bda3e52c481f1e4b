// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// The checks of whole warps give the same verdicts as those of single lanes, for random kernels.

#include <array>
#include <random>
#include <tuple>

#include "tests/emulator/executor/emulated.hpp"

namespace skerry::emulation {
namespace {

constexpr std::uint32_t threads = 80;  // the last warp is half empty
constexpr std::uint32_t memory_nbytes = 4096;

/// Writes the body of a kernel: accesses of random widths to random places, and synchronization.
class RandomBody {
 public:
  explicit RandomBody(unsigned seed)
      : numbers_(seed), usual_form_(one_of(forms)), usual_offset_(offset(usual_form_.nbytes)) {}

  [[nodiscard]] std::string text() {
    std::string body;
    for (std::uint32_t k = 0, count = 2 + below(10); k < count; ++k) body += statement();
    return body;
  }

 private:
  struct Form {
    const char* type;
    std::uint32_t nbytes;
    const char* value;
  };
  static constexpr std::array<Form, 8> forms{{{"u32", 4, "%v0"},
                                              {"u32", 4, "%v1"},
                                              {"u32", 4, "%v2"},
                                              {"u8", 1, "%v3"},
                                              {"u16", 2, "%h1"},
                                              {"u64", 8, "%w1"},
                                              {"v2.u32", 8, "{%v0, %v1}"},
                                              {"v4.u32", 16, "{%v0, %v1, %v2, %v3}"}}};

  std::uint32_t below(std::uint32_t limit) {
    return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(numbers_);
  }
  template <class T, std::size_t N>
  const T& one_of(const std::array<T, N>& values) {
    return values[below(N)];
  }

  [[nodiscard]] std::string statement() {
    switch (below(12)) {
      case 0:
        return "bar.sync 0;\n";
      case 1:
        return "bar.warp.sync %r9;\n";
      case 2:
        return guard() + operation();
      case 3:
        return branch();
      default:
        return access();
    }
  }
  /// Sets %p2 to a random mask of lanes.
  [[nodiscard]] std::string guard() {
    static constexpr std::array<const char*, 5> masks{
        "setp.lt.u32 %p2, %r1, ", "setp.ge.u32 %p2, %r1, ", "setp.ne.u32 %p2, %r2, ",
        "setp.eq.u32 %p2, %r2, ", "setp.lt.u32 %p2, %r2, "};
    return one_of(masks) + std::to_string(below(threads)) + ";\n@%p2 ";
  }
  /// A branch to the next instruction.
  [[nodiscard]] std::string branch() {
    const std::string label = "$next" + std::to_string(labels_++);
    return "setp.lt.u32 %p3, %v" + std::to_string(below(4)) + ", 9;\n@%p3 bra " + label + ";\n" +
           label + ":\n";
  }
  /// An instruction on registers, some of which are undefined.
  [[nodiscard]] std::string operation() {
    static constexpr std::array<const char*, 5> operations{"add.u32", "and.b32", "or.b32",
                                                           "shl.b32", "mov.u32"};
    const std::size_t k = below(operations.size());
    return std::string(operations[k]) + " %v" + std::to_string(below(4)) + ", %v" +
           std::to_string(below(4)) + (k == 4 ? ";\n" : ", %v" + std::to_string(below(4)) + ";\n");
  }
  /// Sets %r3 to `width * index`, where the index is that of a thread times a stride, with some of
  /// its bits changed, and an offset.
  [[nodiscard]] std::string offset(std::uint32_t width) {
    static constexpr std::array<std::uint32_t, 8> strides{0, 0, 1, 1, 1, 1, 2, 3};
    static constexpr std::array<std::uint32_t, 9> masks{31, 31, 31, 127, 127, 127, 28, 15, 1};
    static constexpr std::array<std::uint32_t, 8> changes{0, 0, 0, 0, 1, 16, 31, 32};
    const std::uint32_t start = below(3) == 0 ? below(40) : 0;
    std::string text = "and.b32 %r3, %r" + std::to_string(1 + below(2)) + ", " +
                       std::to_string(one_of(masks)) + ";\nxor.b32 %r3, %r3, " +
                       std::to_string(one_of(changes)) + ";\n";
    text += "mul.lo.u32 %r3, %r3, " + std::to_string(width * one_of(strides)) + ";\n";
    if (below(6) == 0) text += "sub.u32 %r3, " + std::to_string(127 * 3 * width) + ", %r3;\n";
    text += "add.u32 %r3, %r3, " + std::to_string(start * width) + ";\n";
    // Spread unaligned runs over the whole memory, and keep within it.
    return text + "and.b32 %r3, %r3, " + std::to_string(memory_nbytes / 2 - width) + ";\n";
  }
  [[nodiscard]] std::string access() {
    // Most accesses are to the same elements, so that they meet.
    const bool is_usual = below(4) != 0;
    const Form& form = is_usual ? usual_form_ : one_of(forms);
    const std::string text = is_usual ? usual_offset_ : offset(form.nbytes);
    const std::string guard_text = below(3) == 0 ? guard() : "";
    const std::string value = form.value;
    switch (below(8)) {
      case 0:
      case 1:
        return text + "add.u32 %r4, %r3, s;\n" + guard_text + "st.shared." + form.type +
               " [%r4], " + value + ";\n";
      case 2:
      case 3:
      case 4:
        return text + "add.u32 %r4, %r3, s;\n" + guard_text + "ld.shared." + form.type + " " +
               value + ", [%r4];\n";
      case 5:
        return text + global_address() + guard_text + "st.global." + form.type + " [%d3], " +
               value + ";\n";
      case 6:
        if (form.nbytes == 4 && value == "%v0")
          return text + global_address() + guard_text + "atom.global.add.u32 %v0, [%d3], %v1;\n";
        [[fallthrough]];
      default:
        return text + global_address() + guard_text + "ld.global." + form.type + " " + value +
               ", [%d3];\n";
    }
  }
  /// One of the defined memory, the undefined memory, and the block's own part of the former.
  [[nodiscard]] std::string global_address() {
    static constexpr std::array<const char*, 4> bases{"%d1", "%d1", "%d2", "%d4"};
    return "cvt.u64.u32 %d3, %r3;\nadd.s64 %d3, %d3, " + std::string(one_of(bases)) + ";\n";
  }

  std::minstd_rand numbers_;
  Form usual_form_;
  std::string usual_offset_;
  int labels_ = 0;
};

[[nodiscard]] std::string kernel_of(unsigned seed) {
  return kernel_text(".param .u64 p, .param .u64 q", R"(
    .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<12>; .reg .b32 %v<4>; .reg .b64 %d<8>;
    .reg .b64 %w<2>; .shared .align 16 .b8 s[)" + std::to_string(memory_nbytes / 2) +
                                                         R"(];
    ld.param.u64 %d1, [p]; ld.param.u64 %d2, [q]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31;
    mov.u32 %r5, %ctaid.x; mul.wide.u32 %d4, %r5, 2048; add.s64 %d4, %d4, %d1;
    setp.lt.u32 %p1, %r1, 64; selp.b32 %r9, -1, 65535, %p1; mov.u32 %v0, %r1; mov.u32 %v1, 1;
)" + RandomBody(seed).text() + "ret;");
}

/// Runs a kernel. Returns what a report says of its first failure, except for which of several
/// readers of an address it names: those between others are not recorded.
[[nodiscard]] std::string first_failure(const std::string& text, unsigned seed,
                                        DeviceModel device) {
  device.seed = seed;
  device.resident_blocks = 2;
  device.quantum = seed % 7;
  TestMemory memory;
  const std::uint64_t written = memory.allocate(std::vector<std::uint32_t>(memory_nbytes / 4, 3));
  const std::uint64_t unwritten = memory.allocate(memory_nbytes);
  const auto failure =
      run_text(text, {.grid = {2}, .block = {threads}}, device, memory, written, unwritten);
  if (!failure) return "";
  std::string result = failure->source_line.instruction + "; " + failure->summary.substr(0, 60);
  if (failure->summary.find("read after write") == std::string::npos)
    result += "; thread " + std::to_string(failure->thread.x);
  result += "; block " + std::to_string(failure->block.x);
  result += "; byte " + std::to_string(failure->memory.address - failure->memory.begin);
  if (failure->other && failure->other->writes && failure->other->thread)
    result += "; other " + std::to_string(failure->other->thread->x);
  return result;
}

void expect_equal_verdicts(const DeviceModel& device, unsigned kernels) {
  unsigned failed = 0;
  for (unsigned seed = 0; seed < kernels; ++seed) {
    const std::string text = kernel_of(seed);
    DeviceModel single = device;
    single.checks_single_lanes = true;
    const std::string expected = first_failure(text, seed, single);
    ASSERT_EQ(first_failure(text, seed, device), expected) << "seed " << seed << "\n" << text;
    failed += expected.empty() ? 0 : 1;
  }
  std::printf("%u of %u random kernels have a report\n", failed, kernels);
  EXPECT_GT(failed, kernels / 20);
  EXPECT_LT(failed, kernels * 9 / 10);
}

constexpr unsigned kernels = 4000;

TEST(EmulationFastPaths, races_are_those_of_single_lanes) {
  expect_equal_verdicts({.checks_shared_races = true}, kernels);
  expect_equal_verdicts({.checks_shared_races = true, .checks_global_races = true}, kernels);
  expect_equal_verdicts(
      {.checks_shared_races = true, .checks_global_races = true, .checks_races_in_blocks = true},
      kernels);
}

TEST(EmulationFastPaths, undefined_values_are_those_of_single_lanes) {
  expect_equal_verdicts({.checks_undefined_values = true}, kernels);
}

}  // namespace
}  // namespace skerry::emulation
