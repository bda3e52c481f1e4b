// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/execute/elementwise.hpp"

namespace skerry::emulation {
namespace {

constexpr auto is_zero = []<class T>(T a) { return T{a == 0}; };
// PTX clamps shift counts to the width; C++ does not define shifts by the width or more.
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
/// bfind: returns the index of the highest bit that differs from the sign or, with Amount, the left
/// shift that moves this bit to the top.
template <bool Amount>
constexpr auto highest_bit = []<class T>(T a) {
  using U = std::make_unsigned_t<T>;
  const auto bits = static_cast<U>(std::is_signed_v<T> && a < 0 ? ~a : a);
  if (bits == 0) return ~u32{0};
  const u32 zeros = leading_zeros(bits);
  return Amount ? zeros : static_cast<u32>(8 * sizeof(T)) - 1 - zeros;
};
/// Returns a value with bits [0, n) set; n may exceed the width.
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
  const U mask = low_bits<U>(std::min(length, position >= width ? 0 : width - position));
  return static_cast<T>((field & mask) | (fills ? static_cast<U>(~mask) : U{0}));
};

/// prmt: returns the byte of b:a that a 4-bit selector names, or its replicated sign.
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
/// The named modes of prmt: for each selector 0..3 the selected bytes, lowest first.
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
  u32 result = 0;
  for (u32 k = 0; k < 8; ++k) {
    const u32 term = ((k & 4) != 0 ? a : ~a) & ((k & 2) != 0 ? b : ~b) & ((k & 1) != 0 ? c : ~c);
    result |= (table >> k & 1) != 0 ? term : 0;
  }
  return result;
}

/// fns: returns the position of the n-th set bit of a mask from `base` upwards or, if n is
/// negative, downwards.
u32 find_nth_set(u32 mask, u32 base, s32 n) {
  const int step = n < 0 ? -1 : 1;
  s64 left = n == 0 ? 1 : std::abs(s64{n});
  for (s64 position = base; position >= 0 && position < 32; position += step) {
    left -= mask >> position & 1;
    if (left == 0) return static_cast<u32>(position);
    if (n == 0) break;
  }
  return ~u32{0};
}

/// szext: sign- or zero-extends the lowest b bits of a.
template <bool Clamp>
constexpr auto extension = []<class T>(T a, u32 b) {
  if (Clamp && b > 31) return a;
  const u32 width = b & 31;
  const u32 mask = low_bits<u32>(width);
  const u32 bits = static_cast<u32>(a) & mask;
  const bool fills = std::is_signed_v<T> && width != 0 && (bits >> (width - 1) & 1) != 0;
  return static_cast<T>(fills ? bits | ~mask : bits);
};

template <auto F>
void on_predicates(Warp& warp, const Instruction& instruction, lane_mask active) {
  warp.set_predicate(instruction.destination[0],
                     F(warp.predicate(instruction, 0), warp.predicate(instruction, 1)), active);
}
void not_predicate(Warp& warp, const Instruction& instruction, lane_mask active) {
  warp.set_predicate(instruction.destination[0], ~warp.predicate(instruction, 0), active);
}

}  // namespace

void declare_bits(OperationTable& table) {
  const auto binary = [&]<class T>(type<T> /*type_tag*/, std::string_view name) {
    table.add({"and.", name}, vector_op<std::bit_and<>{}, T, T, T>());
    table.add({"or.", name}, vector_op<std::bit_or<>{}, T, T, T>());
    table.add({"xor.", name}, vector_op<std::bit_xor<>{}, T, T, T>());
    table.add({"not.", name}, vector_op<std::bit_not<>{}, T, T>());
    table.add({"cnot.", name}, vector_op<is_zero, T, T>());
    table.add({"shl.", name}, vector_op<shift_left, T, T, u32>());
    table.add({"shr.", name}, vector_op<shift_right, T, T, u32>());
  };
  binary(type<u16>(), "b16");
  binary(type<u32>(), "b32");
  binary(type<u64>(), "b64");
  for_types<u16, s16, u32, s32, u64, s64>([&]<class T>(type<T> type_tag) {
    table.add({"shr.", type_tag.name}, vector_op<shift_right, T, T, u32>());
  });
  const std::vector<std::uint8_t> one{predicate_nbytes};
  const std::vector<std::uint8_t> two{predicate_nbytes, predicate_nbytes};
  table.add({"and.pred"},
            {.execute = on_predicates<std::bit_and<>{}>, .results = one, .arguments = two});
  table.add({"or.pred"},
            {.execute = on_predicates<std::bit_or<>{}>, .results = one, .arguments = two});
  table.add({"xor.pred"},
            {.execute = on_predicates<std::bit_xor<>{}>, .results = one, .arguments = two});
  table.add({"not.pred"}, {.execute = not_predicate, .results = one, .arguments = one});

  table.add({"popc.b32"}, vector_op<count_ones, u32, u32>());
  table.add({"popc.b64"}, vector_op<count_ones, u32, u64>());
  table.add({"clz.b32"}, vector_op<leading_zeros, u32, u32>());
  table.add({"clz.b64"}, vector_op<leading_zeros, u32, u64>());
  table.add({"brev.b32"}, vector_op<reversal, u32, u32>());
  table.add({"brev.b64"}, vector_op<reversal, u64, u64>());
  for_types<u32, s32, u64, s64>([&]<class T>(type<T> type_tag) {
    table.add({"bfind.", type_tag.name}, vector_op<highest_bit<false>, u32, T>());
    table.add({"bfind.shiftamt.", type_tag.name}, vector_op<highest_bit<true>, u32, T>());
    table.add({"bfe.", type_tag.name}, vector_op<extraction, T, T, u32, u32>());
  });
  table.add({"bfi.b32"}, vector_op<insertion, u32, u32, u32, u32, u32>());
  table.add({"bfi.b64"}, vector_op<insertion, u64, u64, u64, u32, u32>());
  table.add({"bmsk.clamp.b32"}, vector_op<bit_mask<true>, u32, u32, u32>());
  table.add({"bmsk.wrap.b32"}, vector_op<bit_mask<false>, u32, u32, u32>());
  table.add({"shf.l.wrap.b32"}, vector_op<funnel_shift<true, false>, u32, u32, u32, u32>());
  table.add({"shf.l.clamp.b32"}, vector_op<funnel_shift<true, true>, u32, u32, u32, u32>());
  table.add({"shf.r.wrap.b32"}, vector_op<funnel_shift<false, false>, u32, u32, u32, u32>());
  table.add({"shf.r.clamp.b32"}, vector_op<funnel_shift<false, true>, u32, u32, u32, u32>());
  table.add({"fns.b32"}, vector_op<find_nth_set, u32, u32, u32, s32>());
  for_types<u32, s32>([&]<class T>(type<T> type_tag) {
    table.add({"szext.clamp.", type_tag.name}, vector_op<extension<true>, T, T, u32>());
    table.add({"szext.wrap.", type_tag.name}, vector_op<extension<false>, T, T, u32>());
  });
  table.add({"lop3.b32"}, vector_op<lookup, u32, u32, u32, u32, u32>());
  table.add({"prmt.b32"}, vector_op<permutation, u32, u32, u32, u32>());
  table.add({"prmt.b32.f4e"}, vector_op<named_permutation<forward>, u32, u32, u32, u32>());
  table.add({"prmt.b32.b4e"}, vector_op<named_permutation<backward>, u32, u32, u32, u32>());
  table.add({"prmt.b32.rc8"}, vector_op<named_permutation<replicate>, u32, u32, u32, u32>());
  table.add({"prmt.b32.ecl"}, vector_op<named_permutation<clamp_left>, u32, u32, u32, u32>());
  table.add({"prmt.b32.ecr"}, vector_op<named_permutation<clamp_right>, u32, u32, u32, u32>());
  table.add({"prmt.b32.rc16"}, vector_op<named_permutation<halves>, u32, u32, u32, u32>());
}

}  // namespace skerry::emulation
