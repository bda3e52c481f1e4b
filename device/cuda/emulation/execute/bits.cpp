// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/execute/elementwise.hpp"

namespace skerry::emulation {
namespace {

constexpr auto is_zero = []<class T>(T a) { return T{a == 0}; };
// Shifts by the width or more give what shifting one by one would.
constexpr auto shift_left = []<class T>(T a, u32 n) {
  return n >= 8 * sizeof(T) ? T{0} : static_cast<T>(a << n);
};
constexpr auto shift_right = []<class T>(T a, u32 n) {
  constexpr u32 width = 8 * sizeof(T);
  if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(a >> std::min(n, width - 1));
  } else {
    return n >= width ? T{0} : static_cast<T>(a >> n);
  }
};
template <bool Left, bool Clamp>
u32 funnel_shift(u32 a, u32 b, u32 c) {
  const u32 n = Clamp ? std::min(c, 32U) : c & 31;
  const u64 both = u64{b} << 32 | a;
  return static_cast<u32>(Left ? (both << n) >> 32 : both >> n);
}
constexpr auto count_ones = [](auto a) { return static_cast<u32>(std::popcount(a)); };
constexpr auto leading_zeros = [](auto a) { return static_cast<u32>(std::countl_zero(a)); };
constexpr auto reversal = []<class T>(T a) {
  T reversed = 0;
  for (u32 k = 0; k < 8 * sizeof(T); ++k) reversed = static_cast<T>(reversed << 1 | (a >> k & 1));
  return reversed;
};
/// The highest bit that differs from the sign; Amount: how far it has to be shifted to the top.
template <bool Amount>
constexpr auto highest_bit = []<class T>(T a) {
  using U = std::make_unsigned_t<T>;
  const auto bits = static_cast<U>(std::is_signed_v<T> && a < 0 ? ~a : a);
  if (bits == 0) return ~u32{0};
  const u32 zeros = leading_zeros(bits);
  return Amount ? zeros : static_cast<u32>(8 * sizeof(T)) - 1 - zeros;
};
/// Bits [0, n), of which there are none or all.
template <class T>
[[nodiscard]] T low_bits(u32 n) {
  return n >= 8 * sizeof(T) ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << n) - 1);
}
template <bool Clamp>
u32 bit_mask(u32 position, u32 width) {
  if (!Clamp) return low_bits<u32>(width & 31) << (position & 31);
  return position > 31 ? 0 : low_bits<u32>(width) << position;
}
constexpr auto insertion = []<class T>(T a, T b, u32 position, u32 length) {
  position &= 255;
  if (position >= 8 * sizeof(T)) return b;
  const T field = static_cast<T>(low_bits<T>(length & 255) << position);
  return static_cast<T>((b & ~field) | (static_cast<T>(a << position) & field));
};
constexpr auto extraction = []<class T>(T a, u32 position, u32 length) {
  using U = std::make_unsigned_t<T>;
  constexpr u32 width = 8 * sizeof(T);
  position &= 255;
  length &= 255;
  if (length == 0) return T{0};
  const u32 top = std::min(position + length - 1, width - 1);
  const bool fills = std::is_signed_v<T> && (static_cast<U>(a) >> top & 1) != 0;
  const U field = position >= width ? U{0} : static_cast<U>(static_cast<U>(a) >> position);
  const U kept = low_bits<U>(std::min(length, position >= width ? 0 : width - position));
  return static_cast<T>((field & kept) | (fills ? static_cast<U>(~kept) : U{0}));
};

/// prmt: the byte of b:a that a selector of four bits names, or its sign in all bits.
[[nodiscard]] u32 selected_byte(u64 bytes, u32 selector) {
  const u32 byte = static_cast<u32>(bytes >> (8 * (selector & 7))) & 0xff;
  return (selector & 8) == 0 ? byte : (byte & 0x80) != 0 ? 0xffU : 0U;
}
u32 permutation(u32 a, u32 b, u32 selectors) {
  u32 bytes = 0;
  for (u32 k = 0; k < 4; ++k) {
    bytes |= selected_byte(u64{b} << 32 | a, selectors >> (4 * k) & 15) << (8 * k);
  }
  return bytes;
}
/// The named forms of prmt: for each selector 0..3 the bytes that it takes, the lowest first.
using permutation_forms = std::array<std::array<u8, 4>, 4>;
constexpr permutation_forms forward = {{{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}}};
constexpr permutation_forms backward = {{{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}}};
constexpr permutation_forms replicate = {{{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}};
constexpr permutation_forms clamp_left = {{{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}}};
constexpr permutation_forms clamp_right = {
    {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}}};
constexpr permutation_forms halves = {{{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}}};
template <const permutation_forms& Forms>
u32 named_permutation(u32 a, u32 b, u32 selector) {
  u32 bytes = 0;
  for (u32 k = 0; k < 4; ++k) {
    bytes |= selected_byte(u64{b} << 32 | a, Forms[selector & 3][k]) << (8 * k);
  }
  return bytes;
}
u32 lookup(u32 a, u32 b, u32 c, u32 table) {
  u32 found = 0;
  for (u32 k = 0; k < 8; ++k) {
    const u32 term = ((k & 4) != 0 ? a : ~a) & ((k & 2) != 0 ? b : ~b) & ((k & 1) != 0 ? c : ~c);
    found |= (table >> k & 1) != 0 ? term : 0;
  }
  return found;
}

/// fns: where the n-th bit of a mask is that is set, from a position upwards or, if n is negative,
/// downwards.
u32 find_nth_set(u32 mask, u32 base, s32 n) {
  const int step = n < 0 ? -1 : 1;
  s64 left = n == 0 ? 1 : std::abs(s64{n});
  for (s64 at = base; at >= 0 && at < 32; at += step) {
    left -= mask >> at & 1;
    if (left == 0) return static_cast<u32>(at);
    if (n == 0) break;
  }
  return ~u32{0};
}

/// szext: the lower bits of a, as many as b says.
template <bool Clamp>
constexpr auto extension = []<class T>(T a, u32 b) {
  if (Clamp && b > 31) return a;
  const u32 width = b & 31;
  const u32 kept = low_bits<u32>(width);
  const u32 bits = static_cast<u32>(a) & kept;
  const bool fills = std::is_signed_v<T> && width != 0 && (bits >> (width - 1) & 1) != 0;
  return static_cast<T>(fills ? bits | ~kept : bits);
};

template <auto F>
void on_predicates(Warp& on, const Instruction& what, lane_mask active) {
  on.set_predicate(what.destination[0], F(on.predicate(what, 0), on.predicate(what, 1)), active);
}
void not_predicate(Warp& on, const Instruction& what, lane_mask active) {
  on.set_predicate(what.destination[0], ~on.predicate(what, 0), active);
}

}  // namespace

void declare_bits(OperationTable& table) {
  const auto binary = [&]<class T>(type<T> /*of*/, std::string_view name) {
    table.add({"and.", name}, vectors<std::bit_and<>{}, T, T, T>());
    table.add({"or.", name}, vectors<std::bit_or<>{}, T, T, T>());
    table.add({"xor.", name}, vectors<std::bit_xor<>{}, T, T, T>());
    table.add({"not.", name}, vectors<std::bit_not<>{}, T, T>());
    table.add({"cnot.", name}, vectors<is_zero, T, T>());
    table.add({"shl.", name}, vectors<shift_left, T, T, u32>());
    table.add({"shr.", name}, vectors<shift_right, T, T, u32>());
  };
  binary(type<u16>(), "b16");
  binary(type<u32>(), "b32");
  binary(type<u64>(), "b64");
  for_types<u16, s16, u32, s32, u64, s64>([&]<class T>(type<T> of) {
    table.add({"shr.", of.name}, vectors<shift_right, T, T, u32>());
  });
  const std::vector<std::uint8_t> one{predicate_size};
  const std::vector<std::uint8_t> two{predicate_size, predicate_size};
  table.add({"and.pred"},
            {.run = on_predicates<std::bit_and<>{}>, .results = one, .arguments = two});
  table.add({"or.pred"}, {.run = on_predicates<std::bit_or<>{}>, .results = one, .arguments = two});
  table.add({"xor.pred"},
            {.run = on_predicates<std::bit_xor<>{}>, .results = one, .arguments = two});
  table.add({"not.pred"}, {.run = not_predicate, .results = one, .arguments = one});

  table.add({"popc.b32"}, vectors<count_ones, u32, u32>());
  table.add({"popc.b64"}, vectors<count_ones, u32, u64>());
  table.add({"clz.b32"}, vectors<leading_zeros, u32, u32>());
  table.add({"clz.b64"}, vectors<leading_zeros, u32, u64>());
  table.add({"brev.b32"}, vectors<reversal, u32, u32>());
  table.add({"brev.b64"}, vectors<reversal, u64, u64>());
  for_types<u32, s32, u64, s64>([&]<class T>(type<T> of) {
    table.add({"bfind.", of.name}, vectors<highest_bit<false>, u32, T>());
    table.add({"bfind.shiftamt.", of.name}, vectors<highest_bit<true>, u32, T>());
    table.add({"bfe.", of.name}, vectors<extraction, T, T, u32, u32>());
  });
  table.add({"bfi.b32"}, vectors<insertion, u32, u32, u32, u32, u32>());
  table.add({"bfi.b64"}, vectors<insertion, u64, u64, u64, u32, u32>());
  table.add({"bmsk.clamp.b32"}, vectors<bit_mask<true>, u32, u32, u32>());
  table.add({"bmsk.wrap.b32"}, vectors<bit_mask<false>, u32, u32, u32>());
  table.add({"shf.l.wrap.b32"}, vectors<funnel_shift<true, false>, u32, u32, u32, u32>());
  table.add({"shf.l.clamp.b32"}, vectors<funnel_shift<true, true>, u32, u32, u32, u32>());
  table.add({"shf.r.wrap.b32"}, vectors<funnel_shift<false, false>, u32, u32, u32, u32>());
  table.add({"shf.r.clamp.b32"}, vectors<funnel_shift<false, true>, u32, u32, u32, u32>());
  table.add({"fns.b32"}, vectors<find_nth_set, u32, u32, u32, s32>());
  for_types<u32, s32>([&]<class T>(type<T> of) {
    table.add({"szext.clamp.", of.name}, vectors<extension<true>, T, T, u32>());
    table.add({"szext.wrap.", of.name}, vectors<extension<false>, T, T, u32>());
  });
  table.add({"lop3.b32"}, vectors<lookup, u32, u32, u32, u32, u32>());
  table.add({"prmt.b32"}, vectors<permutation, u32, u32, u32, u32>());
  table.add({"prmt.b32.f4e"}, vectors<named_permutation<forward>, u32, u32, u32, u32>());
  table.add({"prmt.b32.b4e"}, vectors<named_permutation<backward>, u32, u32, u32, u32>());
  table.add({"prmt.b32.rc8"}, vectors<named_permutation<replicate>, u32, u32, u32, u32>());
  table.add({"prmt.b32.ecl"}, vectors<named_permutation<clamp_left>, u32, u32, u32, u32>());
  table.add({"prmt.b32.ecr"}, vectors<named_permutation<clamp_right>, u32, u32, u32, u32>());
  table.add({"prmt.b32.rc16"}, vectors<named_permutation<halves>, u32, u32, u32, u32>());
}

}  // namespace skerry::emulation
