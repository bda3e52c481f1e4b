// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan.hpp"
#include "ops/kernel/cuda/access.cuh"
#include "ops/kernel/cuda/launch.cuh"
#include "ops/kernel/cuda/strided_traversal.hpp"

#include <cuda/std/tuple>
#include <cuda/std/utility>

#include <cstddef>

// The kernel of an operation on operands with any strides. All threads take the same branches on
// the plan.

namespace skerry::native {

/// An input: an array or, if `data` is null, a scalar.
template <class T>
struct StridedInput {
  const char* data;
  T value;
};

/// True if an operation takes tens of instructions. The kernel then loads one element at a time, so
/// that it has a single copy of the operation, which takes longer than the load.
template <class Operation>
[[nodiscard]] constexpr bool takes_long() {
  if constexpr (requires { Operation::info.expensive; }) return Operation::info.expensive;
  return false;
}

/// Reads one thread's items of an input.
template <class T, int Depth>
struct StridedReader {
  const char* next;
  std::ptrdiff_t step;
  bool is_same;  ///< one item for all elements of the thread
  T items[Depth];

  __device__ SKERRY_INLINE void read_all(bool is_aligned) {
    if (is_same) return;
    SKERRY_UNROLL_FULLY
    for (int n = 0; n < Depth; ++n) {
      items[n] = load<T>(next, is_aligned);
      next += step;
    }
  }
  __device__ SKERRY_INLINE void read_one(bool is_aligned) {
    if (is_same) return;
    items[0] = load<T>(next, is_aligned);
    next += step;
  }
};

template <class Operation, class Out, class... In>
struct StridedLoop {
  using traversal_type = StridedTraversal<1 + sizeof...(In)>;
  using position_type = typename traversal_type::Position;
  template <std::size_t I>
  using input_t = ::cuda::std::tuple_element_t<I, ::cuda::std::tuple<In...>>;
  static constexpr std::size_t item_bytes = (std::size_t{0} + ... + sizeof(In));
  /// Number of elements that a thread loads before it computes the first: as many as fit the
  /// registers.
  static constexpr int depth = takes_long<Operation>() || item_bytes > 32 ? 1
                               : item_bytes > 16                          ? 2
                                                                          : 4;

  Operation operation;
  traversal_type traversal;
  char* out;
  ::cuda::std::tuple<StridedInput<In>...> inputs;
  bool is_aligned;

  __device__ SKERRY_INLINE void run(char* tiles) const {
    run(tiles, ::cuda::std::index_sequence_for<In...>{});
  }

 private:
  template <std::size_t... I>
  __device__ SKERRY_INLINE void run(char* tiles, ::cuda::std::index_sequence<I...>) const {
    position_type here = traversal.locate(blockIdx.x, threadIdx.x);
    if (traversal.has_tiles()) {
      (copy_tile<I>(here, tiles), ...);
      __syncthreads();
    }
    auto [position, end] = traversal.deal(here, blockIdx.x, threadIdx.x);
    if (position >= end) return;
    ::cuda::std::tuple<StridedReader<In, depth>...> readers{reader<I>(here, tiles)...};
    char* destination = out + here.byte_offsets[0];
    const auto result = [&](int n) { return operation(::cuda::std::get<I>(readers).items[n]...); };
    if constexpr (depth > 1) {
      while (is_aligned && position + (depth - 1) * traversal.step < end) {
        (::cuda::std::get<I>(readers).read_all(true), ...);
        SKERRY_UNROLL_FULLY
        for (int n = 0; n < depth; ++n) {
          store<Out>(destination, result(n), true);
          destination += traversal.steps[0];
        }
        position += depth * traversal.step;
      }
    }
    SKERRY_DO_NOT_UNROLL
    for (; position < end; position += traversal.step) {
      (::cuda::std::get<I>(readers).read_one(is_aligned), ...);
      store<Out>(destination, result(0), is_aligned);
      destination += traversal.steps[0];
    }
  }

  template <std::size_t I>
  __device__ SKERRY_INLINE auto reader(const position_type& here, char* tiles) const {
    using T = input_t<I>;
    const auto& input = ::cuda::std::get<I>(inputs);
    const bool is_value = input.data == nullptr;
    const char* const data = traversal.pitch[1 + I] != 0 ? tiles : input.data;
    StridedReader<T, depth> strided_reader{.next = data + here.byte_offsets[1 + I],
                                           .step = traversal.steps[1 + I],
                                           .is_same = is_value || traversal.steps[1 + I] == 0,
                                           .items = {}};
    if (strided_reader.is_same) {
      const T item = is_value ? input.value : load<T>(strided_reader.next, is_aligned);
      SKERRY_UNROLL_FULLY
      for (int n = 0; n < depth; ++n) strided_reader.items[n] = item;
    }
    return strided_reader;
  }

  template <std::size_t I>
  __device__ SKERRY_INLINE void copy_tile(const position_type& tile, char* tiles) const {
    using T = input_t<I>;
    if (traversal.pitch[1 + I] == 0) return;
    auto copied = traversal.template copies<1 + static_cast<int>(I)>(tile, threadIdx.x);
    auto [position, end] = copied.items;
    const std::uint32_t lines = traversal.lines();
    char* destination = tiles + copied.shared_offset;
    const std::ptrdiff_t row = static_cast<std::int32_t>(lines) * traversal.pitch[1 + I];
    StridedReader<T, 4> source_reader{
        .next = ::cuda::std::get<I>(inputs).data + copied.source_offset,
        .step = static_cast<std::ptrdiff_t>(static_cast<std::int32_t>(lines)) *
                traversal.along_fast[1 + I],
        .is_same = false,
        .items = {}};
    while (is_aligned && position + 3 * lines < end) {
      source_reader.read_all(true);
      SKERRY_UNROLL_FULLY
      for (int n = 0; n < 4; ++n) {
        store<T>(destination, source_reader.items[n], true);
        destination += row;
      }
      position += 4 * lines;
    }
    SKERRY_DO_NOT_UNROLL
    for (; position < end; position += lines) {
      source_reader.read_one(is_aligned);
      store<T>(destination, source_reader.items[0], is_aligned);
      destination += row;
    }
  }
};

template <class Loop>
__global__ void __launch_bounds__(Loop::traversal_type::block_threads)
    run_strided(const Loop loop) {
  extern __shared__ int4 tiles[];
  loop.run(reinterpret_cast<char*>(tiles));
}

/// True if all addresses of `operand` are multiples of T's alignment.
template <class T>
[[nodiscard]] bool is_operand_aligned(const Plan& operands, int operand) {
  if (operands.is_value(operand)) return true;
  bool aligned = is_aligned_for<T>(reinterpret_cast<std::intptr_t>(operands.data[operand]));
  for (int axis = 0; axis < operands.rank; ++axis) {
    aligned = aligned && is_aligned_for<T>(operands.strides[operand][axis]);
  }
  return aligned;
}

/// The same for all operands, whose types are T in order.
template <class... T>
[[nodiscard]] bool are_operands_aligned(const Plan& operands) {
  int operand = 0;
  bool suit = true;
  ((suit = is_operand_aligned<T>(operands, operand++) && suit), ...);
  return suit;
}

template <class Out, class... In, class Operation, std::size_t... I>
cudaError_t launch_strided(const Plan& operands, cudaStream_t stream, Operation operation,
                           ::cuda::std::index_sequence<I...>) {
  using loop_type = StridedLoop<Operation, Out, In...>;
  loop_type loop{.operation = operation,
                 .traversal = {},
                 .out = operands.data[0],
                 .inputs = {StridedInput<In>{operands.data[1 + I],
                                             operands.values[1 + I].template as<In>()}...},
                 .is_aligned = are_operands_aligned<whole<Out>, whole<In>...>(operands)};
  if (!loop.traversal.assign(operands)) return cudaErrorInvalidValue;
  run_strided<<<loop.traversal.blocks(), loop_type::traversal_type::block_threads,
                static_cast<std::size_t>(loop.traversal.shared_bytes), stream>>>(loop);
  return cudaGetLastError();
}

}  // namespace skerry::native
