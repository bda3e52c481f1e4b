// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/move/cpu/cast.hpp"

#include "enabled_dtypes.hpp"
#include "ops/kernel/cpu/loops.hpp"
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/kernel/unit.hpp"
#include "ops/move/kernels.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

/// Converts bools through a block of 0 and 1: converting the result of a comparison to wider items
/// takes three times as long as converting bytes.
template <class To>
void booleans_body(char* const* data, unsigned, int64 n) noexcept {
  constexpr int64 size = sizeof(To);
  constexpr int64 block = tuning::cast_block;
  uint8 booleans[block];
  for (int64 position = 0; position < n; position += block) {
    const int64 count = minimum(block, n - position);
    const char* x = data[1] + position;
    char* out = data[0] + position * size;
    for (int64 i = 0; i < count; ++i) booleans[i] = load<bool>(x + i);
    for (int64 i = 0; i < count; ++i) store<To>(out + i * size, convert<To>{}(booleans[i]));
  }
}
template <class To>
constexpr Loop booleans_loop{booleans_body<To>, 1u, 1};

/// Converts to float32 such that rounding it to float16 does not round twice.
struct to_half {
  template <class From>
  SKERRY_INLINE float32 operator()(From x) const {
    if constexpr (ops::same_v<From, float64>) {
      return detail::rounded_to_odd(x);
    } else {
      return static_cast<float32>(x);
    }
  }
};
template <class From>
void halves_body(char* const* data, unsigned, int64 n) noexcept {
  alignas(64) float32 wide[tuning::half_block];
  for (int64 position = 0; position < n; position += tuning::half_block) {
    const int64 count = minimum(tuning::half_block, n - position);
    char* const operands[] = {reinterpret_cast<char*>(wide),
                              data[1] + position * int64(sizeof(From))};
    item_loop<From, 0, 0>(to_half{}, operands, count);
    narrow_halves(data[0] + position * 2, wide, count);
  }
}
template <class From>
constexpr Loop halves_loop{halves_body<From>, 1u, 1};

/// Widens float16 to float32; the loops of float16 do the rounding.
template <class Single>  // a template: only units that use it instantiate it
void singles_body(char* const* data, unsigned, int64 n) noexcept {
  widen_halves(reinterpret_cast<Single*>(data[0]), data[1], n);
}
template <class Single>
constexpr Loop singles_loop{singles_body<Single>, 1u, 1};

template <class From, class To>
void fill_cast(Kernel<Plan>& row) {
  if constexpr (ops::same_v<To, float16> && converts<From, To> && !ops::same_v<From, To>) {
    fill_loop<halves_loop<From>>(row);
  } else if constexpr (ops::same_v<From, float16> && ops::same_v<To, float32>) {
    fill_loop<singles_loop<To>>(row);
  } else if constexpr (ops::boolean<From> && !ops::boolean<To>) {
    fill_loop<booleans_loop<To>>(row);
  } else if constexpr (converts<From, To>) {
    fill_loop<whole_loop<convert<To>, From, 1>>(row);
  }
}

template <class T>
void fill(CastKernels& table) {
  constexpr int source_index = static_cast<int>(dtype_of<T>);
#define SKERRY_FILL_CAST(name) \
  fill_cast<T, type_of<Dtype::name>>(table.kernel[source_index][static_cast<int>(Dtype::name)]);
  SKERRY_FOR_EACH_ENABLED_DTYPE(SKERRY_FILL_CAST)
#undef SKERRY_FILL_CAST
}

}  // namespace

SKERRY_KERNEL_UNIT(cast, CastKernels)

}  // namespace skerry::inline SKERRY_TARGET::kernels
