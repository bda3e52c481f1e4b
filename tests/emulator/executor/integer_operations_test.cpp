// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "tests/emulator/executor/computed.hpp"

namespace skerry::emulation {
namespace {

using wide = __int128;

constexpr auto equal = [](auto a, auto b) { return a == b; };

/// Compares all pairs of operands with `reference`, which computes with 128 bits; its result is
/// truncated to T.
template <class T, class Reference>
void check_pairs(const std::string& opcode, Reference&& reference) {
  const auto [a, b] = pairs_of(integer_edges<T>());
  expect_computes_like<T>(
      opcode, [&](T x, T y) { return static_cast<T>(reference(wide{x}, wide{y})); }, equal, a, b);
}

template <class T>
void check_arithmetic(const std::string& type) {
  constexpr int bits = 8 * sizeof(T);
  check_pairs<T>("add." + type, [](wide a, wide b) { return a + b; });
  check_pairs<T>("sub." + type, [](wide a, wide b) { return a - b; });
  check_pairs<T>("mul.lo." + type, [](wide a, wide b) {
    return static_cast<wide>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
  });
  check_pairs<T>("mul.hi." + type, [](wide a, wide b) {
    return std::is_signed_v<T> ? (a * b) >> bits
                               : static_cast<wide>((static_cast<unsigned __int128>(a) *
                                                    static_cast<unsigned __int128>(b)) >>
                                                   bits);
  });
  check_pairs<T>("min." + type, [](wide a, wide b) { return std::min(a, b); });
  check_pairs<T>("max." + type, [](wide a, wide b) { return std::max(a, b); });
  check_pairs<T>("div." + type, [](wide a, wide b) { return b == 0 ? -1 : a / b; });
  check_pairs<T>("rem." + type, [](wide a, wide b) { return b == 0 ? a : a % b; });
}

TEST(EmulationIntegers, arithmetic_wraps) {
  check_arithmetic<std::uint16_t>("u16");
  check_arithmetic<std::int16_t>("s16");
  check_arithmetic<std::uint32_t>("u32");
  check_arithmetic<std::int32_t>("s32");
  check_arithmetic<std::uint64_t>("u64");
  check_arithmetic<std::int64_t>("s64");
}

TEST(EmulationIntegers, saturation_clamps_to_the_range) {
  const auto clamp = [](wide v) {
    return std::clamp<wide>(v, std::numeric_limits<std::int32_t>::min(),
                            std::numeric_limits<std::int32_t>::max());
  };
  check_pairs<std::int32_t>("add.sat.s32", [&](wide a, wide b) { return clamp(a + b); });
  check_pairs<std::int32_t>("sub.sat.s32", [&](wide a, wide b) { return clamp(a - b); });
}

template <class T, class W>
void check_wide(const std::string& type) {
  const auto [a, b] = pairs_of(integer_edges<T>());
  const std::vector<W> c(a.size(), std::numeric_limits<W>::max() - 5);
  expect_computes_like<W>(
      "mul.wide." + type, [](T x, T y) { return static_cast<W>(wide{x} * y); }, equal, a, b);
  expect_computes_like<W>(
      "mad.wide." + type, [](T x, T y, W z) { return static_cast<W>(wide{x} * y + z); }, equal, a,
      b, c);
}

TEST(EmulationIntegers, wide_products_are_exact) {
  check_wide<std::uint16_t, std::uint32_t>("u16");
  check_wide<std::int16_t, std::int32_t>("s16");
  check_wide<std::uint32_t, std::uint64_t>("u32");
  check_wide<std::int32_t, std::int64_t>("s32");
}

template <class T, class S>
void check_shifts(const std::string& bits, const std::string& sign) {
  std::vector<T> a;
  std::vector<std::uint32_t> n;
  for (const T value : integer_edges<T>()) {
    for (const std::uint32_t count : {0U, 1U, 15U, 16U, 31U, 32U, 33U, 63U, 64U, 255U, ~0U}) {
      a.push_back(value);
      n.push_back(count);
    }
  }
  constexpr std::uint32_t width = 8 * sizeof(T);
  const auto left = [](T x, std::uint32_t k) {
    for (; k > 0 && x != 0; --k) x = static_cast<T>(x << 1);
    return x;
  };
  const auto right = [](T x, std::uint32_t k) {
    return k >= width ? T{0} : static_cast<T>(x >> k);
  };
  const auto arithmetic = [](T x, std::uint32_t k) {
    const S s = static_cast<S>(x);
    return k >= width ? static_cast<T>(s < 0 ? -1 : 0) : static_cast<T>(s >> k);
  };
  expect_computes_like<T>("shl.b" + bits, left, equal, a, n);
  expect_computes_like<T>("shr.u" + bits, right, equal, a, n);
  expect_computes_like<T>("shr.b" + bits, right, equal, a, n);
  expect_computes_like<T>("shr." + sign + bits, arithmetic, equal, a, n);
}

TEST(EmulationIntegers, shifts_by_the_width_or_more_leave_zeros_or_sign_bits) {
  check_shifts<std::uint16_t, std::int16_t>("16", "s");
  check_shifts<std::uint32_t, std::int32_t>("32", "s");
  check_shifts<std::uint64_t, std::int64_t>("64", "s");
}

template <class T>
void check_logic(const std::string& bits) {
  const auto [a, b] = pairs_of(integer_edges<T>());
  expect_computes_like<T>("and.b" + bits, [](T x, T y) { return x & y; }, equal, a, b);
  expect_computes_like<T>("or.b" + bits, [](T x, T y) { return x | y; }, equal, a, b);
  expect_computes_like<T>("xor.b" + bits, [](T x, T y) { return x ^ y; }, equal, a, b);
  expect_computes_like<T>("not.b" + bits, [](T x) { return static_cast<T>(~x); }, equal, a);
}

template <class T>
void check_counts(const std::string& bits) {
  const std::vector<T> a = integer_edges<T>();
  const auto bit = [](T x, std::uint32_t k) { return (x >> k & 1) != 0; };
  constexpr std::uint32_t width = 8 * sizeof(T);
  expect_computes_like<std::uint32_t>(
      "popc.b" + bits,
      [&](T x) {
        std::uint32_t n = 0;
        for (std::uint32_t k = 0; k < width; ++k) n += bit(x, k);
        return n;
      },
      equal, a);
  const auto top = [&](T x) {
    int highest_bit = -1;
    for (std::uint32_t k = 0; k < width; ++k)
      highest_bit = bit(x, k) ? static_cast<int>(k) : highest_bit;
    return highest_bit;
  };
  expect_computes_like<std::uint32_t>(
      "clz.b" + bits, [&](T x) { return static_cast<int>(width) - 1 - top(x); }, equal, a);
  expect_computes_like<std::uint32_t>("bfind.u" + bits, top, equal, a);
  expect_computes_like<T>(
      "brev.b" + bits,
      [&](T x) {
        T reversed = 0;
        for (std::uint32_t k = 0; k < width; ++k) {
          reversed |= static_cast<T>(T{bit(x, k)} << (width - 1 - k));
        }
        return reversed;
      },
      equal, a);
}

TEST(EmulationIntegers, logic_and_bit_counts_match_references) {
  check_logic<std::uint16_t>("16");
  check_logic<std::uint32_t>("32");
  check_logic<std::uint64_t>("64");
  check_counts<std::uint32_t>("32");
  check_counts<std::uint64_t>("64");
}

template <class T>
void check_fields(const std::string& bits) {
  constexpr std::uint32_t width = 8 * sizeof(T);
  using S = std::make_signed_t<T>;
  std::vector<T> a, b;
  std::vector<S> s;
  std::vector<std::uint32_t> position, length;
  for (const std::uint32_t p : {0U, 1U, 8U, 31U, 32U, 40U, 63U, 64U, 255U}) {
    for (const std::uint32_t n : {0U, 1U, 5U, 31U, 32U, 33U, 64U, 255U}) {
      position.push_back(p);
      length.push_back(n);
      a.push_back(static_cast<T>(0x9abcdef012345678));
      b.push_back(static_cast<T>(0x5555aaaa3333cccc));
      s.push_back(static_cast<S>(0x9abcdef0f2345678));
    }
  }
  // The pseudocode of bfi and bfe in the PTX ISA.
  const auto insert = [](T x, T y, std::uint32_t p, std::uint32_t n) {
    for (std::uint32_t k = 0; k < n && p + k < width; ++k) {
      const T bit = T{1} << (p + k);
      y = static_cast<T>((y & ~bit) | ((x >> k & 1) != 0 ? bit : T{0}));
    }
    return y;
  };
  const auto extract = [](T x, std::uint32_t p, std::uint32_t n, bool is_signed) {
    const std::uint32_t top = std::min(p + n - 1, width - 1);
    const bool sign = is_signed && n != 0 && (x >> top & 1) != 0;
    T field = 0;
    for (std::uint32_t k = 0; k < width; ++k) {
      const bool bit = k < n && p + k < width ? (x >> (p + k) & 1) != 0 : sign;
      field |= static_cast<T>(T{bit} << k);
    }
    return field;
  };
  expect_computes_like<T>("bfi.b" + bits, insert, equal, a, b, position, length);
  expect_computes_like<T>(
      "bfe.u" + bits,
      [&](T x, std::uint32_t p, std::uint32_t n) { return extract(x, p, n, false); }, equal, a,
      position, length);
  expect_computes_like<S>(
      "bfe.s" + bits,
      [&](S x, std::uint32_t p, std::uint32_t n) {
        return static_cast<S>(extract(static_cast<T>(x), p, n, true));
      },
      equal, s, position, length);
}

TEST(EmulationIntegers, bfi_and_bfe_insert_and_extract_fields) {
  check_fields<std::uint32_t>("32");
  check_fields<std::uint64_t>("64");
}

TEST(EmulationIntegers, bmsk_prmt_and_dp4a_follow_the_manual) {
  const auto [a, b] = pairs_of(integer_edges<std::uint32_t>());
  expect_computes_like<std::uint32_t>(
      "bmsk.clamp.b32",
      [](std::uint32_t p, std::uint32_t n) {
        std::uint32_t mask = 0;
        for (std::uint64_t k = p; k < 32 && k < std::uint64_t{p} + n; ++k) mask |= 1U << k;
        return mask;
      },
      equal, a, b);
  const std::vector<std::uint32_t> x(6, 0x83828180), y(6, 0x07060504);
  const std::vector<std::uint32_t> selectors = {0x3210, 0x7654, 0x5140, 0xfedc, 0xb98a, 0x0000};
  EXPECT_EQ(
      computed<std::uint32_t>("prmt.b32", false, x, y, selectors),
      (std::vector<std::uint32_t>{0x83828180, 0x07060504, 0x05810480, 0, 0xffffffff, 0x80808080}));
  const std::vector<std::uint32_t> c(6, 5);
  EXPECT_EQ(computed<std::uint32_t>("dp4a.u32.u32", false, x, y, c)[0],
            5U + 0x83 * 7 + 0x82 * 6 + 0x81 * 5 + 0x80 * 4);
}

TEST(EmulationIntegers, carries_propagate) {
  TestMemory memory;
  const std::uint64_t destination = memory.allocate(32);
  EXPECT_RUNS(kernel_text(".param .u64 p", R"(.reg .b32 %r<9>; .reg .b64 %d;
      mov.u32 %r0, 0xffffffff; mov.u32 %r1, 1;
      add.cc.u32 %r2, %r0, %r1; addc.cc.u32 %r3, %r0, 0; addc.u32 %r4, 5, 0;
      sub.cc.u32 %r5, 0, %r1; subc.u32 %r6, 3, 0;
      mad.lo.cc.u32 %r7, %r0, %r0, %r0; madc.hi.u32 %r8, %r0, %r0, 7;
      ld.param.u64 %d, [p]; st.global.v4.u32 [%d], {%r2, %r3, %r4, %r5};
      st.global.v2.u32 [%d+16], {%r6, %r7}; st.global.u32 [%d+24], %r8; ret;)"),
              {}, {}, memory, destination);
  // ffffffff^2 = fffffffe00000001; with ffffffff added to the low half there is a carry.
  EXPECT_EQ(memory.read<std::uint32_t>(destination, 7),
            (std::vector<std::uint32_t>{0, 0, 6, 0xffffffff, 2, 0, 0xfffffffe + 7 + 1}));
}

template <class T>
void check_comparison(const std::string& name, const std::string& type, bool (*holds)(T, T)) {
  const auto [a, b] = pairs_of(integer_edges<T>());
  expect_computes_like<std::uint32_t>(
      "set." + name + ".u32." + type, [&](T x, T y) { return holds(x, y) ? ~0U : 0U; }, equal, a,
      b);
}

template <class T>
void check_comparisons(const std::string& type) {
  check_comparison<T>("eq", type, [](T a, T b) { return a == b; });
  check_comparison<T>("ne", type, [](T a, T b) { return a != b; });
  check_comparison<T>("lt", type, [](T a, T b) { return a < b; });
  check_comparison<T>("le", type, [](T a, T b) { return a <= b; });
  check_comparison<T>("gt", type, [](T a, T b) { return a > b; });
  check_comparison<T>("ge", type, [](T a, T b) { return a >= b; });
}

TEST(EmulationIntegers, comparisons_respect_the_signedness_of_the_type) {
  check_comparisons<std::uint16_t>("u16");
  check_comparisons<std::int16_t>("s16");
  check_comparisons<std::uint32_t>("u32");
  check_comparisons<std::int32_t>("s32");
  check_comparisons<std::uint64_t>("u64");
  check_comparisons<std::int64_t>("s64");
}

}  // namespace
}  // namespace skerry::emulation
