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

/// Converts to float32 such that rounding it to To does not round twice.
template <ops::stored_only To>
struct to_half {
  template <class From>
  SKERRY_INLINE float32 operator()(From x) const {
    return To::rounds_alike(x);
  }
};
template <class From, class To>
void halves_body(char* const* data, unsigned, int64 n) noexcept {
  alignas(64) float32 wide[tuning::half_block];
  for (int64 position = 0; position < n; position += tuning::half_block) {
    const int64 count = minimum(tuning::half_block, n - position);
    char* const operands[] = {reinterpret_cast<char*>(wide),
                              data[1] + position * int64(sizeof(From))};
    item_loop<From, 0, 0>(to_half<To>{}, operands, count);
    narrow_halves<To>(data[0] + position * 2, wide, count);
  }
}
template <class From, class To>
constexpr Loop halves_loop{halves_body<From, To>, 1u, 1};

/// Widens From to float32, of which the loops of From are made.
template <class From>
void singles_body(char* const* data, unsigned, int64 n) noexcept {
  widen_halves<From>(reinterpret_cast<float32*>(data[0]), data[1], n);
}
template <class From>
constexpr Loop singles_loop{singles_body<From>, 1u, 1};

template <class From, class To>
void fill_cast(Kernel<Plan>& row) {
  if constexpr (ops::stored_only<To> && converts<From, To> && !ops::same_v<From, To>) {
    fill_loop<halves_loop<From, To>>(row);
  } else if constexpr (ops::stored_only<From> && ops::same_v<To, float32>) {
    fill_loop<singles_loop<From>>(row);
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
