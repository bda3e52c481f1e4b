// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "device/cuda/emulation/execute/elementwise.hpp"

namespace skerry::emulation {
namespace {

// Signed integers wrap as unsigned ones do; u16 is multiplied as u32, which can't overflow.
template <class T>
using wrapping = std::conditional_t<sizeof(T) < 4, u32, std::make_unsigned_t<T>>;

struct sum {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(static_cast<wrapping<T>>(a) + static_cast<wrapping<T>>(b));
  }
};
struct difference {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(static_cast<wrapping<T>>(a) - static_cast<wrapping<T>>(b));
  }
};
struct product {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(static_cast<wrapping<T>>(a) * static_cast<wrapping<T>>(b));
  }
};
struct high_product {
  template <class T>
  static T of(T a, T b) {
    if constexpr (sizeof(T) == 8) {
      using wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
      return static_cast<T>((static_cast<wide>(a) * b) >> 64);
    } else {
      using wide = std::conditional_t<std::is_signed_v<T>, s64, u64>;
      return static_cast<T>((static_cast<wide>(a) * b) >> (8 * sizeof(T)));
    }
  }
};
template <class Wide>
struct wide_product {
  template <class T>
  static Wide of(T a, T b) {
    return static_cast<Wide>(a) * static_cast<Wide>(b);
  }
};
template <class Product>
struct added_product {
  template <class T, class D>
  static D of(T a, T b, D c) {
    return sum::of(Product::of(a, b), c);
  }
};
struct saturated_sum {
  static s32 of(s32 a, s32 b) {
    return static_cast<s32>(std::clamp(s64{a} + b, s64{INT32_MIN}, s64{INT32_MAX}));
  }
};
struct saturated_difference {
  static s32 of(s32 a, s32 b) {
    return static_cast<s32>(std::clamp(s64{a} - b, s64{INT32_MIN}, s64{INT32_MAX}));
  }
};
// Division by zero is not defined by PTX; GPUs give all bits set, and the dividend as remainder.
struct quotient {
  template <class T>
  static T of(T a, T b) {
    if (b == 0) return static_cast<T>(~T{0});
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return difference::of(T{0}, a);
    }
    return static_cast<T>(a / b);
  }
};
struct remainder {
  template <class T>
  static T of(T a, T b) {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return 0;
    }
    return static_cast<T>(a % b);
  }
};
struct smaller {
  template <class T>
  static T of(T a, T b) {
    return b < a ? b : a;
  }
};
struct larger {
  template <class T>
  static T of(T a, T b) {
    return a < b ? b : a;
  }
};
struct negation {
  template <class T>
  static T of(T a) {
    return difference::of(T{0}, a);
  }
};
struct magnitude {
  template <class T>
  static T of(T a) {
    return a < 0 ? negation::of(a) : a;
  }
};
struct absolute_difference {
  template <class T>
  static T of(T a, T b, T c) {
    return sum::of(c, a < b ? difference::of(b, a) : difference::of(a, b));
  }
};
/// dp4a: the sum of four products of bytes.
template <class A, class B>
struct dot_product {
  static u32 of(u32 a, u32 b, u32 c) {
    for (int k = 0; k < 32; k += 8) {
      c += static_cast<u32>(s32{static_cast<A>(a >> k)} * s32{static_cast<B>(b >> k)});
    }
    return c;
  }
};

template <class T, class Wide>
void declare_wide(operation_table& table) {
  table.add({"mul.wide.", type<T>::name}, vectors<wide_product<Wide>, Wide, T, T>());
  table.add({"mad.wide.", type<T>::name},
            vectors<added_product<wide_product<Wide>>, Wide, T, T, Wide>());
}

}  // namespace

void declare_integer_arithmetic(operation_table& table) {
  for_types<u16, u32, u64, s16, s32, s64>([&]<class T>(type<T> of) {
    table.add({"add.", of.name}, vectors<sum, T, T, T>());
    table.add({"sub.", of.name}, vectors<difference, T, T, T>());
    table.add({"mul.lo.", of.name}, vectors<product, T, T, T>());
    table.add({"mul.hi.", of.name}, vectors<high_product, T, T, T>());
    table.add({"mad.lo.", of.name}, vectors<added_product<product>, T, T, T, T>());
    table.add({"mad.hi.", of.name}, vectors<added_product<high_product>, T, T, T, T>());
    table.add({"sad.", of.name}, vectors<absolute_difference, T, T, T, T>());
    table.add({"div.", of.name}, scalars<quotient, T, T, T>());
    table.add({"rem.", of.name}, scalars<remainder, T, T, T>());
    table.add({"min.", of.name}, vectors<smaller, T, T, T>());
    table.add({"max.", of.name}, vectors<larger, T, T, T>());
  });
  for_types<s16, s32, s64>([&]<class T>(type<T> of) {
    table.add({"neg.", of.name}, vectors<negation, T, T>());
    table.add({"abs.", of.name}, vectors<magnitude, T, T>());
  });
  declare_wide<u16, u32>(table);
  declare_wide<s16, s32>(table);
  declare_wide<u32, u64>(table);
  declare_wide<s32, s64>(table);
  table.add({"add.sat.s32"}, vectors<saturated_sum, s32, s32, s32>());
  table.add({"sub.sat.s32"}, vectors<saturated_difference, s32, s32, s32>());
  table.add({"dp4a.u32.u32"}, vectors<dot_product<u8, u8>, u32, u32, u32, u32>());
  table.add({"dp4a.u32.s32"}, vectors<dot_product<u8, s8>, u32, u32, u32, u32>());
  table.add({"dp4a.s32.u32"}, vectors<dot_product<s8, u8>, u32, u32, u32, u32>());
  table.add({"dp4a.s32.s32"}, vectors<dot_product<s8, s8>, u32, u32, u32, u32>());
}

}  // namespace skerry::emulation
