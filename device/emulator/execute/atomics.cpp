// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "device/emulator/execute/block.hpp"
#include "device/emulator/execute/halves.hpp"
#include "device/emulator/execute/memory_operations.hpp"

namespace skerry::emulation {
namespace {

// Each returns the new value, given the old value, the operand and the second operand (of cas).
constexpr auto sum = []<class T>(T old, T operand, T /*second*/) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(old) + static_cast<U>(operand));
  } else {
    return canonical(old + operand);
  }
};
constexpr auto sum_of_halves = []<class Half>(Half old, Half operand, Half /*second*/) {
  const auto exact = [](f64 a, f64 b) { return fused_halves(a, 1, b); };
  return HalfArithmetic<Half, exact>::apply(old, operand);
};
/// PTX requires only each half to be atomic; here the pair is.
constexpr auto sum_of_pairs = []<class Half>(Packed<Half> old, Packed<Half> operand,
                                             Packed<Half> second) {
  return Packed<Half>{sum_of_halves(old.low, operand.low, second.low),
                      sum_of_halves(old.high, operand.high, second.high)};
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

/// Executes the lanes in random order.
template <auto Operation, class T, MemorySpace Space>
void atomic(Warp& warp, const Instruction& instruction, lane_mask active) {
  LaneAddresses addresses;
  resolve<Space>(warp, instruction, active, {.nbytes = sizeof(T), .writes = true}, addresses);
  const T* const operand = warp.values<const T>(instruction.source[1]);
  const T* const second =
      instruction.source[2] == no_row ? operand : warp.values<const T>(instruction.source[2]);
  const std::uint64_t random = warp.owner->launch_state.random.next();
  const auto step = static_cast<unsigned>(random) | 1U;
  const auto begin = static_cast<unsigned>(random >> 32);
  const bool has_held = !warp.owner->held_stores[warp.number].empty();
  std::array<T, warp_size> olds;
  for (unsigned turn = 0; turn < warp_size; ++turn) {
    const unsigned lane = (begin + turn * step) % warp_size;
    if ((active >> lane & 1) == 0) continue;
    if (has_held) release_stores_at(warp, addresses.pointer(static_cast<int>(lane)), sizeof(T));
    std::atomic_ref<T> target(*reinterpret_cast<T*>(addresses.pointer(static_cast<int>(lane))));
    T old = target.load(std::memory_order_relaxed);
    while (!target.compare_exchange_weak(old, Operation(old, operand[lane], second[lane]))) {
    }
    olds[lane] = old;
  }
  if (instruction.destination[0] != no_row)
    blend(warp.values<T>(instruction.destination[0]), olds.data(), active);
}

/// Returns the handler for the type of this name; null if the operation does not support it.
template <auto Operation, MemorySpace Space, class... T>
[[nodiscard]] handler of_types(std::string_view name) {
  handler function = nullptr;
  ((type<T>::name == name ? void(function = atomic<Operation, T, Space>) : void()), ...);
  return function;
}

/// As of_types(), but for unsigned types that PTX names as bits, such as b32.
template <auto Operation, MemorySpace Space, class... T>
[[nodiscard]] handler of_bits(std::string_view name) {
  handler function = nullptr;
  ((name.starts_with('b') && type<T>::name.substr(1) == name.substr(1)
        ? void(function = atomic<Operation, T, Space>)
        : void()),
   ...);
  return function;
}

template <MemorySpace Space>
[[nodiscard]] handler sum_in_space(std::string_view type) {
  handler function = of_types<sum, Space, u32, s32, u64, s64, f32, f64>(type);
  if (function == nullptr) function = of_types<sum_of_halves, Space, f16, bf16>(type);
  if (function == nullptr) function = of_types<sum_of_pairs, Space, f16x2, bf16x2>(type);
  return function;
}

template <MemorySpace Space>
[[nodiscard]] handler in_space(std::string_view operation, std::string_view type) {
  if (operation == "add") return sum_in_space<Space>(type);
  if (operation == "min") return of_types<smaller, Space, u32, s32, u64, s64>(type);
  if (operation == "max") return of_types<larger, Space, u32, s32, u64, s64>(type);
  if (operation == "inc") return of_types<increment, Space, u32>(type);
  if (operation == "dec") return of_types<decrement, Space, u32>(type);
  if (operation == "cas") return of_bits<compare_and_swap, Space, u16, u32, u64>(type);
  if (operation == "exch") return of_bits<exchange, Space, u32, u64>(type);
  if (operation == "and") return of_bits<conjunction, Space, u32, u64>(type);
  if (operation == "or") return of_bits<disjunction, Space, u32, u64>(type);
  if (operation == "xor") return of_bits<exclusive_disjunction, Space, u32, u64>(type);
  return nullptr;
}

}  // namespace

handler atomic_operation(MemorySpace in, std::string_view operation, std::string_view type) {
  return with_space(in, [&]<MemorySpace Space>() -> handler {
    if constexpr (Space == MemorySpace::local || Space == MemorySpace::parameter)
      return nullptr;
    else
      return in_space<Space>(operation, type);
  });
}

}  // namespace skerry::emulation
