// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "device/cuda/emulation/execute/block.hpp"
#include "device/cuda/emulation/execute/floats.hpp"
#include "device/cuda/emulation/execute/memory_operations.hpp"

namespace skerry::emulation {
namespace {

// What is stored for the old value, the operand and, of cas, the second one.
constexpr auto sum = []<class T>(T old, T operand, T /*second*/) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(old) + static_cast<U>(operand));
  } else {
    return canonical(old + operand);
  }
};
constexpr auto smaller = [](auto old, auto operand, auto) { return std::min(old, operand); };
constexpr auto larger = [](auto old, auto operand, auto) { return std::max(old, operand); };
constexpr auto exchange = [](auto /*old*/, auto operand, auto) { return operand; };
constexpr auto compare_and_swap = [](auto old, auto operand, auto second) {
  return old == operand ? second : old;
};
constexpr auto conjunction = [](auto old, auto operand, auto) { return old & operand; };
constexpr auto disjunction = [](auto old, auto operand, auto) { return old | operand; };
constexpr auto exclusive_disjunction = [](auto old, auto operand, auto) { return old ^ operand; };
constexpr auto increment = [](u32 old, u32 operand, u32) { return old >= operand ? 0 : old + 1; };
constexpr auto decrement = [](u32 old, u32 operand, u32) {
  return old == 0 || old > operand ? operand : old - 1;
};

/// The lanes take their turns in a random order.
template <auto Operation, class T, memory_space Space>
void atomic(warp& on, const instruction& what, lane_mask active) {
  lane_addresses where;
  resolve<Space>(on, what, active, {.nbytes = sizeof(T), .writes = true}, where);
  const T* const operand = on.values<const T>(what.source[1]);
  const T* const second = what.source[2] == no_row ? operand : on.values<const T>(what.source[2]);
  const std::uint64_t random = on.owner->launched.random.next();
  const auto step = static_cast<unsigned>(random) | 1U;
  const auto begin = static_cast<unsigned>(random >> 32);
  const bool has_held = !on.owner->held[on.number].empty();
  std::array<T, warp_size> olds;
  for (unsigned turn = 0; turn < warp_size; ++turn) {
    const unsigned lane = (begin + turn * step) % warp_size;
    if ((active >> lane & 1) == 0) continue;
    if (has_held) release_stores_at(on, where.of(static_cast<int>(lane)), sizeof(T));
    std::atomic_ref<T> into(*reinterpret_cast<T*>(where.of(static_cast<int>(lane))));
    T old = into.load(std::memory_order_relaxed);
    while (!into.compare_exchange_weak(old, Operation(old, operand[lane], second[lane]))) {
    }
    olds[lane] = old;
  }
  if (what.destination[0] != no_row) blend(on.values<T>(what.destination[0]), olds.data(), active);
}

template <auto Operation, memory_space Space, class... T>
[[nodiscard]] handler of_types(std::string_view type) {
  handler found = nullptr;
  ((emulation::type<T>::name == type ? void(found = atomic<Operation, T, Space>) : void()), ...);
  return found;
}

template <memory_space Space>
[[nodiscard]] handler in_space(std::string_view operation, std::string_view type) {
  if (operation == "add") return of_types<sum, Space, u32, s32, u64, s64, f32, f64>(type);
  if (operation == "min") return of_types<smaller, Space, u32, s32, u64, s64>(type);
  if (operation == "max") return of_types<larger, Space, u32, s32, u64, s64>(type);
  if (operation == "inc") return of_types<increment, Space, u32>(type);
  if (operation == "dec") return of_types<decrement, Space, u32>(type);
  if (type.empty() || type[0] != 'b') return nullptr;
  const std::string_view bits = type == "b64" ? "u64" : type == "b32" ? "u32" : "u16";
  if (operation == "cas") return of_types<compare_and_swap, Space, u16, u32, u64>(bits);
  if (operation == "exch") return of_types<exchange, Space, u32, u64>(bits);
  if (operation == "and") return of_types<conjunction, Space, u32, u64>(bits);
  if (operation == "or") return of_types<disjunction, Space, u32, u64>(bits);
  if (operation == "xor") return of_types<exclusive_disjunction, Space, u32, u64>(bits);
  return nullptr;
}

}  // namespace

handler atomic_operation(memory_space in, std::string_view operation, std::string_view type) {
  return with_space(in, [&]<memory_space Space>() -> handler {
    if constexpr (Space == memory_space::local || Space == memory_space::parameter)
      return nullptr;
    else
      return in_space<Space>(operation, type);
  });
}

}  // namespace skerry::emulation
