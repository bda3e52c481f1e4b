// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Kernels that move items by size, with a condition at most: one per item size.

#include "core/item_size.hpp"
#include "ops/kernel/cuda/loops.cuh"
#include "ops/move/cuda/functions.hpp"
#include "ops/move/kernels.hpp"

#include <cub/device/device_for.cuh>

namespace skerry::native {
namespace {

template <class T>
int copy(const Plan& operands, LaunchContext* context) {
#if CCCL_VERSION >= 3002000  // DeviceTransform::Fill
  const bool is_one_run =
      operands.rank == 0 || (operands.rank == 1 && operands.strides[0][0] == sizeof(T));
  if (operands.is_value(1) && is_one_run && is_operand_aligned<T>(operands, 0)) {
    return end_launch(cub::DeviceTransform::Fill(reinterpret_cast<T*>(operands.data[0]),
                                                 operands.size, operands.values[1].template as<T>(),
                                                 stream_of(context)));
  }
#endif
  return elementwise<ops::copy_value, T, T>(operands, context);
}

struct band_loop {
  char* output;
  FastDivider<std::uint64_t> columns;
  std::int64_t lower;
  std::int64_t upper;

  __device__ void operator()(std::int64_t index) const {
    const auto [row, column] = columns.divide(index);
    const std::int64_t diagonal = column - row;
    output[index] = static_cast<char>(lower <= diagonal && diagonal <= upper);
  }
};

int band(const BandParams& band_params, LaunchContext* context) {
  const std::int64_t size = band_params.rows * band_params.columns;
  if (size == 0) return end_launch(cudaSuccess);
  const band_loop loop{
      .output = band_params.output,
      .columns = FastDivider<std::uint64_t>(static_cast<std::uint64_t>(band_params.columns)),
      .lower = band_params.lower,
      .upper = band_params.upper};
  return end_launch(cub::DeviceFor::Bulk(size, loop, stream_of(context)));
}

template <class T>
void fill_size(MovesKernels& table) {
  constexpr int index = size_class(sizeof(T));
  table.copy[index].set_native<copy<T>>();
  table.where_kernel[index].set_native<elementwise<ops::choose, T, uint8, T, T>>();
}

}  // namespace

void fill_moves(MovesKernels& table) {
  fill_size<uint8>(table);
  fill_size<uint16>(table);
  fill_size<uint32>(table);
  fill_size<uint64>(table);
  fill_size<TwoWords>(table);
  table.band.set_native<band>();
}

}  // namespace skerry::native
