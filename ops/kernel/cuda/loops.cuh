// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan.hpp"
#include "ops/kernel/cuda/access.cuh"
#include "ops/kernel/cuda/launch.cuh"
#include "ops/kernel/cuda/strided.cuh"
#include "ops/math/concepts.hpp"

#include <cub/device/device_transform.cuh>
#include <cuda/std/tuple>
#include <cuda/std/utility>

#include <cstddef>
#include <type_traits>

// Runs an operation: by cub::DeviceTransform if every operand is an array of unit stride or, for
// some binary operations, if one input is a scalar instead; otherwise by the kernel of strided.cuh.

namespace skerry::native {

template <class First, class...>
struct first_of {
  using type = First;
};
template <class... T>
using first_t = typename first_of<T...>::type;

#if CCCL_VERSION >= 3005000
/// CUB's policy, but for items of 16 bytes with prefetch instead of ldgsts (the copy to shared
/// memory before Hopper): ldgsts uses space between the tiles of two inputs, and before a tile that
/// does not begin at a multiple of 16 bytes, that it has not reserved (CCCL 3.5.0,
/// kernel_transform.cuh 566, against tuning_transform.cuh 273). Copies to shared memory, on Hopper
/// too, are correct only for types with an alignment below 16 (kernel_transform.cuh 808), which
/// complex128 and TwoWords therefore have.
template <class Out, class... In>
struct transform_policy {
  SKERRY_HD constexpr cub::TransformPolicy operator()(::cuda::compute_capability gpu) const {
    static_assert(((alignof(In) < 16) && ...));
    cub::TransformPolicy policy = cub::detail::transform::policy_selector_from_types<
        false, true, ::cuda::std::tuple<const In*...>, Out*>{}(gpu);
    if (policy.algorithm == cub::TransformAlgorithm::ldgsts && ((sizeof(In) >= 16) || ...)) {
      policy.algorithm = cub::TransformAlgorithm::prefetch;
    }
    return policy;
  }
};
#endif

/// out[i] = operation(in[i]...), all of unit stride.
template <class Out, class... In, class Operation>
cudaError_t transform(Out* out, std::int64_t size, Operation operation, cudaStream_t stream,
                      const In*... in) {
  const auto inputs = ::cuda::std::make_tuple(in...);
#if CCCL_VERSION >= 3005000
  if constexpr (((sizeof(In) >= 16) || ...)) {
    const ::cuda::std::execution::env environment{
        ::cuda::stream_ref{stream}, ::cuda::execution::tune(transform_policy<Out, In...>{})};
    // Otherwise CUB would silently use the default stream.
    static_assert(::cuda::std::is_invocable_v<decltype(::cuda::get_stream), decltype(environment)>);
    return cub::DeviceTransform::Transform(inputs, out, size, operation, environment);
  } else {
    return cub::DeviceTransform::Transform(inputs, out, size, operation, stream);
  }
#else
  return cub::DeviceTransform::Transform(inputs, out, size, operation, stream);
#endif
}

/// The type that is moved for a T, in one instruction: a complex number would otherwise be moved
/// part by part, and each part touches all sectors. Inputs of 16 bytes keep their type, since CUB
/// requires an alignment below 16 (transform_policy).
template <class T>
using output_item = ::cuda::std::conditional_t<(alignof(T) < sizeof(T)), whole<T>, T>;
template <class T>
using input_item =
    ::cuda::std::conditional_t<(alignof(T) < sizeof(T) && sizeof(T) < 16), whole<T>, T>;

template <class T>
SKERRY_HD SKERRY_INLINE T value_in(const T& item) {
  return item;
}
template <class T>
SKERRY_HD SKERRY_INLINE T value_in(const whole<T>& item) {
  return item.value;
}

/// Adapts an operation on values to input_item and output_item.
template <class Operation, class Out, class... In>
struct on_items {
  Operation operation;

  SKERRY_HD output_item<Out> operator()(const input_item<In>&... items) const {
    return output_item<Out>{operation(value_in(items)...)};
  }
};

/// out[i] = operation(in[i]...), all of unit stride and aligned to their items.
template <class Out, class... In, class Operation>
cudaError_t transform_items(char* out, std::int64_t size, Operation operation, cudaStream_t stream,
                            const input_item<In>*... in) {
  auto* output_items = reinterpret_cast<output_item<Out>*>(out);
  if constexpr (ops::same_v<Out, output_item<Out>> && (ops::same_v<In, input_item<In>> && ...)) {
    return transform(output_items, size, operation, stream, in...);
  } else {
    return transform(output_items, size, on_items<Operation, Out, In...>{operation}, stream, in...);
  }
}

template <class Out, class... In, class Operation, std::size_t... I>
cudaError_t launch_contiguous(const Plan& operands, cudaStream_t stream, Operation operation,
                              ::cuda::std::index_sequence<I...>) {
  // All of CUB's kernels allow an output that is also an input (`x += y`). The documentation
  // permits an output that begins where an input does. In the source (CCCL 3.0.1 and 3.5.0,
  // kernels/transform.cuh and kernel_transform.cuh), no global pointer is __restrict__, and the
  // block that writes an element has read it before, into registers or with its tile into shared
  // memory. A block may fetch bytes of neighboring tiles to fill a 16-byte line, and ignores them.
  // The front end excludes partial overlap.
  return transform_items<Out, In...>(
      operands.data[0], operands.size, operation, stream,
      reinterpret_cast<const input_item<In>*>(operands.data[1 + I])...);
}

/// A binary operation with a scalar operand. A uniform branch decides whether it is the first or
/// the second one, since a kernel for each would double the compile time.
template <class Operation, class T>
struct with_value {
  Operation operation;
  T value;
  bool is_first;

  SKERRY_HD auto operator()(T x) const {
    return is_first ? operation(value, x) : operation(x, value);
  }
};

/// Returns the index of the only array input if it and the output have unit stride and the other
/// input is a scalar; otherwise 0.
[[nodiscard]] inline int only_contiguous_array(const Plan& operands) noexcept {
  if (operands.operand_count != 3 || operands.rank != 1) return 0;
  const int array = operands.is_value(1) ? 2 : 1;
  if (operands.is_value(array) || !operands.is_value(3 - array)) return 0;
  const auto has_unit_stride = [&](int i) {
    return operands.strides[i][0] == operands.itemsize[i];
  };
  return has_unit_stride(0) && has_unit_stride(array) ? array : 0;
}

template <class Out, class T, class Operation>
cudaError_t launch_with_value(const Plan& operands, cudaStream_t stream, Operation operation,
                              int array) {
  const int value = 3 - array;
  return transform_items<Out, T>(
      operands.data[0], operands.size,
      with_value<Operation, T>{operation, operands.values[value].template as<T>(), value == 1},
      stream, reinterpret_cast<const input_item<T>*>(operands.data[array]));
}

/// Adapts an operation on values to the types that are stored in memory.
template <class Operation, class... In>
struct of_stored {
  Operation operation;

  SKERRY_HD auto operator()(stored_t<In>... x) const { return operation(value_of<In>(x)...); }
};

/// Runs `out = operation(in...)`. If WithValue, compiles a kernel for an array of unit stride and a
/// scalar; otherwise the strided kernel runs these, too.
template <class Out, class... In, bool WithValue, class Operation>
int run_elementwise(const Plan& operands, LaunchContext* context, Operation operation,
                    std::bool_constant<WithValue> with_value) {
  if constexpr ((ops::boolean<In> || ...)) {  // read as bytes
    return run_elementwise<Out, stored_t<In>...>(
        operands, context, of_stored<Operation, In...>{operation}, with_value);
  } else {
    const auto inputs = ::cuda::std::index_sequence_for<In...>{};
    cudaStream_t stream = stream_of(context);
    const bool is_aligned = are_operands_aligned<output_item<Out>, input_item<In>...>(operands);
    if (operands.contiguous && is_aligned) {
      return end_launch(launch_contiguous<Out, In...>(operands, stream, operation, inputs));
    }
    if constexpr (WithValue) {
      const int array = only_contiguous_array(operands);
      if (array != 0 && is_aligned) {
        return end_launch(
            launch_with_value<Out, first_t<In...>>(operands, stream, operation, array));
      }
    }
    return end_launch(launch_strided<Out, In...>(operands, stream, operation, inputs));
  }
}

/// The native kernel of `out = Op(in...)`.
template <class Op, class Out, class... In>
int elementwise(const Plan& operands, LaunchContext* context) {
  return run_elementwise<Out, In...>(operands, context, Op{}, std::false_type{});
}

}  // namespace skerry::native
