// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <set>

#include "tests/emulator/executor/computed.hpp"

// Instructions that compilers rarely emit. The references follow the PTX ISA, which defines most of
// them by pseudocode.

namespace skerry::emulation {
namespace {

using s32 = std::int32_t;
using s64 = std::int64_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
constexpr auto equal = [](auto a, auto b) { return a == b; };

[[nodiscard]] s64 low_24(u32 x, bool is_signed) {
  const s64 bits = x % (1 << 24);
  return is_signed && bits >= 1 << 23 ? bits - (1 << 24) : bits;
}

[[nodiscard]] std::vector<u32> words() {
  std::vector<u32> values = integer_edges<u32>();
  for (const u32 one : {0x7fffffU, 0x800000U, 0xffffffU, 0x12345678U, 0x80ff7f01U, 0xfffe8001U,
                        0x7fff8000U, 0x00010002U, 0xff00ff00U}) {
    values.push_back(one);
  }
  return values;
}

TEST(EmulationNarrow, mul24_and_mad24_multiply_24_bits) {
  const auto [a, b] = pairs_of(words());
  for (const bool is_signed : {false, true}) {
    const std::string type = is_signed ? ".s32" : ".u32";
    for (const bool is_high : {false, true}) {
      const auto product = [&](u32 x, u32 y) {
        const s64 whole = low_24(x, is_signed) * low_24(y, is_signed);
        return static_cast<u32>(whole >> (is_high ? 16 : 0));
      };
      const std::string half_modifier = is_high ? ".hi" : ".lo";
      expect_computes_like<u32>("mul24" + half_modifier + type, product, equal, a, b);
      expect_computes_like<u32>(
          "mad24" + half_modifier + type, [&](u32 x, u32 y, u32 z) { return product(x, y) + z; },
          equal, a, b, b);
    }
  }
  expect_computes_like<s32>(
      "mad24.hi.sat.s32",
      [&](u32 x, u32 y, u32 z) {
        const s64 high_part = static_cast<s32>((low_24(x, true) * low_24(y, true)) >> 16);
        return static_cast<s32>(
            std::clamp<s64>(high_part + static_cast<s32>(z), INT32_MIN, INT32_MAX));
      },
      equal, a, b, b);
}

TEST(EmulationNarrow, dp2a_adds_products_of_halves_and_bytes) {
  const auto [a, b] = pairs_of(words());
  for (const bool a_signed : {false, true}) {
    for (const bool b_signed : {false, true}) {
      for (const u32 first : {0U, 2U}) {
        const auto dot = [&](u32 x, u32 y, u32 z) {
          for (u32 k = 0; k < 2; ++k) {
            const u32 low = x >> (16 * k) & 0xffff;
            const u32 byte = y >> (8 * (first + k)) & 0xff;
            const s64 l = a_signed && low >= 0x8000 ? s64{low} - 0x10000 : s64{low};
            const s64 r = b_signed && byte >= 0x80 ? s64{byte} - 0x100 : s64{byte};
            z += static_cast<u32>(l * r);
          }
          return z;
        };
        const std::string types =
            std::string(a_signed ? ".s32" : ".u32") + (b_signed ? ".s32" : ".u32");
        expect_computes_like<u32>((first == 0 ? "dp2a.lo" : "dp2a.hi") + types, dot, equal, a, b,
                                  a);
      }
    }
  }
}

TEST(EmulationNarrow, pairs_of_16_bit_integers_are_computed_by_halves) {
  const auto [a, b] = pairs_of(words());
  const auto both = [](auto function) {
    return [=](u32 x, u32 y) {
      const auto low = static_cast<u16>(function(static_cast<u16>(x), static_cast<u16>(y)));
      const auto high =
          static_cast<u16>(function(static_cast<u16>(x >> 16), static_cast<u16>(y >> 16)));
      return u32{high} << 16 | low;
    };
  };
  const auto of_signed = [](auto function) {
    return [=](u16 x, u16 y) {
      return function(static_cast<std::int16_t>(x), static_cast<std::int16_t>(y));
    };
  };
  const auto smaller = [](auto x, auto y) { return std::min(x, y); };
  const auto larger = [](auto x, auto y) { return std::max(x, y); };
  const auto sum = [](auto x, auto y) { return x + y; };
  expect_computes_like<u32>("add.u16x2", both(sum), equal, a, b);
  expect_computes_like<u32>("add.s16x2", both(sum), equal, a, b);
  expect_computes_like<u32>("min.u16x2", both(smaller), equal, a, b);
  expect_computes_like<u32>("max.u16x2", both(larger), equal, a, b);
  expect_computes_like<u32>("min.s16x2", both(of_signed(smaller)), equal, a, b);
  expect_computes_like<u32>("max.s16x2", both(of_signed(larger)), equal, a, b);
  expect_computes_like<u32>("max.relu.s16x2",
                            both(of_signed([](int x, int y) { return std::max({x, y, 0}); })),
                            equal, a, b);
}

/// The pseudocode of fns in the PTX ISA.
[[nodiscard]] u32 nth_set(u32 mask, u32 base, s32 offset) {
  if (offset == 0) return (mask >> base & 1) != 0 ? base : ~0U;
  s32 position = static_cast<s32>(base);
  s32 count = std::abs(offset) - 1;
  const s32 step = offset > 0 ? 1 : -1;
  for (; position >= 0 && position < 32; position += step) {
    if ((mask >> position & 1) == 0) continue;
    if (count == 0) return static_cast<u32>(position);
    --count;
  }
  return ~0U;
}

TEST(EmulationNarrow, fns_finds_the_nth_set_bit) {
  std::vector<u32> masks;
  std::vector<u32> bases;
  std::vector<s32> offsets;
  for (const u32 mask : {0U, 1U, ~0U, 0x80000000U, 0x0f0f3001U, 0xaaaaaaaaU}) {
    for (const u32 base : {0U, 1U, 15U, 30U, 31U}) {
      for (const s32 offset : {0, 1, 2, 5, 32, 33, -1, -2, -7, -32, -40}) {
        masks.push_back(mask);
        bases.push_back(base);
        offsets.push_back(offset);
      }
    }
  }
  expect_computes_like<u32>("fns.b32", nth_set, equal, masks, bases, offsets);
}

/// The definition of szext in the PTX ISA.
template <class T>
[[nodiscard]] T extended(u32 a, u32 b, bool clamps) {
  const u32 width = b & 31;
  const bool is_too_large = b >= 32 && clamps;
  const u32 mask = is_too_large ? 0 : ~0U << width;
  const bool sign = std::is_signed_v<T> && width != 0 && !is_too_large && (a >> (width - 1) & 1);
  return static_cast<T>((a & ~mask) | (sign ? mask : 0));
}

TEST(EmulationNarrow, szext_extends_the_sign_or_zeros) {
  std::vector<u32> widths;
  for (u32 k = 0; k < 70; ++k) widths.push_back(k);
  widths.push_back(~0U);
  std::vector<u32> a;
  std::vector<u32> b;
  for (const u32 word : words()) {
    for (const u32 width : widths) {
      a.push_back(word);
      b.push_back(width);
    }
  }
  for (const bool clamps : {false, true}) {
    const std::string mode = clamps ? "szext.clamp" : "szext.wrap";
    expect_computes_like<u32>(
        mode + ".u32", [&](u32 x, u32 y) { return extended<u32>(x, y, clamps); }, equal, a, b);
    expect_computes_like<s32>(
        mode + ".s32", [&](u32 x, u32 y) { return extended<s32>(x, y, clamps); }, equal, a, b);
  }
}

TEST(EmulationNarrow, slct_selects_by_the_sign_of_the_third_operand) {
  const std::vector<u32> a{1, 1, 1, 1, 1, 1};
  const std::vector<u32> b{2, 2, 2, 2, 2, 2};
  EXPECT_EQ((computed<u32>("slct.b32.s32", false, a, b,
                           std::vector<s32>{0, 1, -1, INT32_MAX, INT32_MIN, 7})),
            (std::vector<u32>{1, 1, 2, 1, 2, 1}));
  const std::vector<float> c{0.0F, -0.0F, -1.0F, std::nanf(""), -1e-40F, 3.0F};
  EXPECT_EQ((computed<u32>("slct.u32.f32", false, a, b, c)), (std::vector<u32>{1, 1, 2, 2, 2, 1}));
  EXPECT_EQ((computed<u32>("slct.ftz.u32.f32", false, a, b, c)),
            (std::vector<u32>{1, 1, 2, 2, 1, 1}));
}

TEST(EmulationNarrow, ftz_flushes_subnormals_in_every_rounding_mode) {
  const float small = std::numeric_limits<float>::min();
  const std::vector<float> a{small / 2, -small / 2, small, 3.0F, -3.0F};
  const std::vector<float> b{1.0F, 1.0F, 0.5F, 0.75F, 1.0F};
  const std::vector<float> flushed{0, -0.0F, 0, 2.25F, -3.0F};
  for (const std::string rounding : {"rn", "rz", "rm", "rp"}) {
    EXPECT_EQ((computed<float>("mul." + rounding + ".ftz.f32", false, a, b)), flushed);
    EXPECT_EQ((computed<float>("mul." + rounding + ".ftz.sat.f32", false, a, b)),
              (std::vector<float>{0, 0, 0, 1, 0}));
  }
  EXPECT_EQ((computed<u32>("set.eq.ftz.u32.f32", false, a, std::vector<float>(5, 0.0F))),
            (std::vector<u32>{~0U, ~0U, 0, 0, 0}));
  EXPECT_EQ((computed<u32>("set.eq.u32.f32", false, a, std::vector<float>(5, 0.0F))),
            (std::vector<u32>{0, 0, 0, 0, 0}));
}

TEST(EmulationNarrow, xorsign_combines_the_signs) {
  const std::vector<float> a{-1, 1, -3, 3, -0.0F};
  const std::vector<float> b{2, 2, -2, -2, 0};
  EXPECT_EQ((computed<float>("min.xorsign.abs.f32", false, a, b)),
            (std::vector<float>{-1, 1, 2, -2, -0.0F}));
  EXPECT_EQ((computed<float>("max.xorsign.abs.f32", false, a, b)),
            (std::vector<float>{-2, 2, 3, -3, -0.0F}));
}

TEST(EmulationNarrow, testp_classifies_numbers) {
  const std::string text = kernel_text(".param .u64 p", R"(
      .reg .pred %p<9>; .reg .f32 %f<9>; .reg .b32 %r<9>; .reg .b64 %d<9>;
      ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mad.wide.u32 %d2, %r1, 4, %d1;
      ld.global.f32 %f1, [%d2];
      testp.finite.f32 %p1, %f1; testp.infinite.f32 %p2, %f1; testp.number.f32 %p3, %f1;
      testp.notanumber.f32 %p4, %f1; testp.normal.f32 %p5, %f1; testp.subnormal.f32 %p6, %f1;
      selp.b32 %r2, 1, 0, %p1; @%p2 or.b32 %r2, %r2, 2; @%p3 or.b32 %r2, %r2, 4;
      @%p4 or.b32 %r2, %r2, 8; @%p5 or.b32 %r2, %r2, 16; @%p6 or.b32 %r2, %r2, 32;
      st.global.u32 [%d2], %r2; ret;)");
  TestMemory memory;
  const float inf = std::numeric_limits<float>::infinity();
  const std::uint64_t address =
      memory.allocate(std::vector<float>{1, -inf, std::nanf(""), 0, 1e-40F, -2});
  EXPECT_RUNS(text, {.block = {6}}, {}, memory, address);
  EXPECT_EQ(memory.read<u32>(address, 6), (std::vector<u32>{21, 6, 8, 5, 37, 21}));
}

/// Runs a body for 64 threads. %d1 points to `values`, %d2 to the thread's element; %r1 is the
/// thread's index. Returns the memory afterwards.
[[nodiscard]] std::vector<u32> run_threads(const std::string& body, std::vector<u32> values) {
  const std::string text = kernel_text(".param .u64 p", R"(
      .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %d<9>;
      .shared .align 16 .b8 s[64];
      ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mad.wide.u32 %d2, %r1, 4, %d1;)" +
                                                            body + " ret;");
  TestMemory memory;
  const std::size_t count = values.size();
  const std::uint64_t address = memory.allocate(values);
  EXPECT_RUNS(text, {.block = {64}}, {}, memory, address);
  return memory.read<u32>(address, count);
}

TEST(EmulationAtomics, inc_and_dec_wrap_at_their_bound) {
  // PTX ISA: inc is (old >= b) ? 0 : old + 1, dec is (old == 0 || old > b) ? b : old - 1.
  EXPECT_EQ(
      run_threads("red.global.inc.u32 [%d1], 9; atom.global.dec.u32 %r2, [%d1+4], 9;", {0, 0}),
      (std::vector<u32>{4, 6}));
  EXPECT_EQ(run_threads("red.global.inc.u32 [%d1], 9; red.dec.u32 [%d1+4], 9;", {100, 100}),
            (std::vector<u32>{3, 6}));
}

TEST(EmulationAtomics, atomic_adds_of_pairs_add_both_halves) {
  // Adds 1 to the lower and -0.5 to the upper half, 64 times; both begin at 2.
  EXPECT_EQ(
      run_threads("mov.b32 %r2, 0xb8003c00; red.global.add.noftz.f16x2 [%d1], %r2;", {0x40004000}),
      (std::vector<u32>{0xcf805420}));
  EXPECT_EQ(
      run_threads("mov.b32 %r2, 0xbf003f80; red.global.add.noftz.bf16x2 [%d1], %r2;", {0x40004000}),
      (std::vector<u32>{0xc1f04284}));
  EXPECT_EQ(run_threads("mov.b16 %h1, 0x3c00; atom.global.add.noftz.f16 %h2, [%d1+2], %h1;",
                        {0x00001234}),
            (std::vector<u32>{0x54001234}));
  EXPECT_EQ(run_threads("mov.b32 %r2, s; mov.b32 %r3, 0; st.shared.b32 [%r2], %r3; bar.sync 0;"
                        "mov.b16 %h1, 0x3f80; red.shared.add.noftz.bf16 [%r2+2], %h1; bar.sync 0;"
                        "ld.shared.b32 %r3, [%r2]; st.global.b32 [%d2], %r3;",
                        std::vector<u32>(64, 0)),
            std::vector<u32>(64, 0x42800000));
}

TEST(EmulationAtomics, exchanges_and_compare_and_swap_lose_no_values) {
  const std::vector<u32> old_values = run_threads(
      "add.u32 %r2, %r1, 100; atom.global.exch.b32 %r3, [%d1], %r2; bar.sync 0;"
      "st.global.u32 [%d2], %r3;",
      std::vector<u32>(64, 7));
  // Each value except the last is the old value exactly once.
  const std::set<u32> olds(old_values.begin(), old_values.end());
  EXPECT_EQ(olds.size(), 64U);
  EXPECT_TRUE(olds.contains(7));
  EXPECT_EQ(run_threads("cvt.u16.u32 %h1, %r1; add.u16 %h2, %h1, 1; bar.sync 0;"
                        "atom.global.cas.b16 %h3, [%d1], 3, %h2;",
                        {0x00050003})[0] >>
                16,
            5U);
}

TEST(EmulationAtomics, release_operations_access_dynamic_shared_memory) {
  const std::string text = kernel_text(".param .u64 p", R"(
      .shared .align 4 .b8 before[20]; .reg .b32 %r<9>; .reg .b64 %d1; ld.param.u64 %d1, [p];
      mov.b32 %r1, 0; mov.b32 %r4, 5; st.shared.b32 [before], %r1; st.shared.b32 [before+4], %r1;
      st.release.cta.shared.b32 [dynamic], %r4; atom.release.cta.shared.add.u32 %r2, [dynamic], 2;
      ld.shared.b32 %r2, [dynamic]; ld.shared.b32 %r3, [before];
      st.global.v2.b32 [%d1], {%r2, %r3}; ret;)",
                                       ".extern .shared .align 16 .b8 dynamic[];");
  TestMemory memory;
  const std::uint64_t address = memory.allocate(8);
  EXPECT_RUNS(text, {.dynamic_shared_bytes = 16}, {}, memory, address);
  EXPECT_EQ(memory.read<u32>(address, 2), (std::vector<u32>{7, 0}));
}

TEST(EmulationShared, a_vector_load_may_extend_past_the_end) {
  const auto loaded = [](const std::string& body, u32 dynamic_nbytes) {
    const std::string text =
        kernel_text(".param .u64 p",
                    R"(.reg .b32 %r<9>; .reg .b64 %d1; ld.param.u64 %d1, [p]; mov.u32 %r5, dynamic;
        mov.b32 %r1, 7; st.shared.b32 [%r5+8], %r1;)" +
                        body + " st.global.b32 [%d1], %r3; ret;",
                    ".extern .shared .align 16 .b8 dynamic[];");
    TestMemory memory;
    const std::uint64_t address = memory.allocate(16);
    const auto failed =
        run_text(text, {.dynamic_shared_bytes = dynamic_nbytes}, {}, memory, address);
    if (!failed) {
      EXPECT_EQ(memory.read<u32>(address, 1), std::vector<u32>{7});
    }
    return failed;
  };
  const std::string vector = "ld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%r5];";
  EXPECT_FALSE(loaded(vector, 12).has_value());
  const auto generic = loaded(
      ".reg .b64 %x; cvt.u64.u32 %x, %r5; cvta.shared.u64 %x, %x;"
      "ld.v4.b32 {%r1, %r2, %r3, %r4}, [%x];",
      12);
  EXPECT_FALSE(generic.has_value()) << text_of(generic);
  // A load that begins past the end may not, nor may scalars and stores.
  expect_failure(loaded("ld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%r5+16];", 12), 700,
                 {"it has 12 bytes"});
  expect_failure(loaded("ld.shared.b32 %r3, [%r5+12];", 12), 700, {"shared"});
  expect_failure(loaded("st.shared.v4.b32 [%r5], {%r1, %r1, %r1, %r1};", 12), 700, {"write"});
}

}  // namespace
}  // namespace skerry::emulation
