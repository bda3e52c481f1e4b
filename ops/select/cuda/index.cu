// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Selection by index arrays and masks. Items are only moved: one kernel per item size.

#include "core/item_size.hpp"
#include "ops/kernel/cuda/access.cuh"
#include "ops/kernel/cuda/launch.cuh"
#include "ops/kernel/cuda/loops.cuh"
#include "ops/kernel/cuda/offset.hpp"
#include "ops/kernel/cuda/select.cuh"
#include "ops/select/cuda/select_kernels.cuh"
#include "ops/select/kernels.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_for.cuh>
#include <cub/device/device_scan.cuh>

namespace skerry::native {
namespace {

/// Records an out-of-bounds index, the same in every run: the highest as an unsigned number. 0
/// means none, as it is in bounds of every non-empty axis.
__device__ SKERRY_INLINE void report(std::int64_t* invalid_value, std::int64_t index) {
  atomicMax(reinterpret_cast<unsigned long long*>(invalid_value),
            static_cast<unsigned long long>(index));
}

/// Wraps a negative index; returns true if it is in bounds.
__device__ SKERRY_INLINE bool wrap(std::int64_t& index, std::int64_t size) {
  if (index < 0) index += size;
  return static_cast<std::uint64_t>(index) < static_cast<std::uint64_t>(size);
}

[[nodiscard]] bool all_aligned(const Plan& over, int first, int last, std::int64_t alignment) {
  bool aligned = true;
  for (int operand = first; operand <= last; ++operand) {
    const auto is_aligned = [&](std::int64_t address) { return address % alignment == 0; };
    aligned = aligned && is_aligned(reinterpret_cast<std::intptr_t>(over.data[operand]));
    for (int axis = 0; axis < over.rank; ++axis) {
      aligned = aligned && is_aligned(over.strides[operand][axis]);
    }
  }
  return aligned;
}

// ---- index arrays

template <class T>
struct gather_loop {
  StridedOffsets<3> offsets;
  char* items;
  const char* index;
  const char* array;
  std::int64_t size;
  std::int64_t stride;
  std::int64_t* invalid_index;
  bool is_offset;
  bool is_aligned;
  bool index_is_aligned;

  __device__ void operator()(std::int32_t element) const {
    std::int32_t operand_offsets[3];
    offsets.locate(static_cast<std::uint32_t>(element), operand_offsets);
    const auto raw_index = load<std::int64_t>(index + operand_offsets[1], index_is_aligned);
    const T item = load<T>(array + operand_offsets[2] + distance(raw_index), is_aligned);
    store<T>(items + operand_offsets[0], item, is_aligned);
  }

 private:
  __device__ SKERRY_INLINE std::int64_t distance(std::int64_t raw_index) const {
    if (is_offset) return raw_index == no_offset ? 0 : raw_index;
    std::int64_t wrapped = raw_index;
    if (wrap(wrapped, size)) return wrapped * stride;
    report(invalid_index, raw_index);
    return 0;
  }
};

template <class T>
int gather(const GatherParams& gather_params, LaunchContext* context) {
  const Plan& over = gather_params.plan;
  gather_loop<T> loop{.offsets = {},
                      .items = over.data[0],
                      .index = over.data[1],
                      .array = over.data[2],
                      .size = gather_params.size,
                      .stride = gather_params.stride,
                      .invalid_index = gather_params.invalid_index,
                      .is_offset = gather_params.is_offset,
                      .is_aligned = gather_params.is_aligned &&
                                    all_aligned(over, 0, 0, sizeof(T)) &&
                                    all_aligned(over, 2, 2, sizeof(T)),
                      .index_is_aligned = all_aligned(over, 1, 1, alignof(std::int64_t))};
  if (!loop.offsets.assign(over)) return cudaErrorInvalidValue;
  return end_launch(
      cub::DeviceFor::Bulk(static_cast<std::int32_t>(over.size), loop, stream_of(context)));
}

struct offsets_loop {
  StridedOffsets<2> offsets;
  char* output;
  const char* index;
  std::int64_t size;
  std::int64_t stride;
  std::int64_t* invalid_index;
  bool adds;
  bool is_aligned;

  __device__ void operator()(std::int32_t element) const {
    std::int32_t operand_offsets[2];
    offsets.locate(static_cast<std::uint32_t>(element), operand_offsets);
    const auto raw_index = load<std::int64_t>(index + operand_offsets[1], is_aligned);
    auto* slot = reinterpret_cast<std::int64_t*>(output + operand_offsets[0]);
    const std::int64_t base_offset = adds ? *slot : 0;
    std::int64_t wrapped = raw_index;
    const bool is_inside = wrap(wrapped, size);
    if (!is_inside) report(invalid_index, raw_index);
    *slot = is_inside && base_offset != no_offset ? base_offset + wrapped * stride : no_offset;
  }
};

int offsets(const OffsetsParams& offsets_params, LaunchContext* context) {
  const Plan& over = offsets_params.plan;
  offsets_loop loop{.offsets = {},
                    .output = over.data[0],
                    .index = over.data[1],
                    .size = offsets_params.size,
                    .stride = offsets_params.stride,
                    .invalid_index = offsets_params.invalid_index,
                    .adds = offsets_params.adds,
                    .is_aligned = all_aligned(over, 1, 1, alignof(std::int64_t))};
  if (!loop.offsets.assign(over)) return cudaErrorInvalidValue;
  return end_launch(
      cub::DeviceFor::Bulk(static_cast<std::int32_t>(over.size), loop, stream_of(context)));
}

template <class T>
struct scatter_loop {
  StridedOffsets<4> offsets;
  const char* indices;
  char* array;
  const char* items;
  bool is_aligned;

  __device__ void operator()(std::int32_t element) const {
    std::int32_t operand_offsets[4];
    offsets.locate(static_cast<std::uint32_t>(element), operand_offsets);
    const auto offset = *reinterpret_cast<const std::int64_t*>(indices + operand_offsets[1]);
    if (offset == no_offset) return;
    store<T>(array + operand_offsets[2] + offset, load<T>(items + operand_offsets[3], is_aligned),
             is_aligned);
  }
};

template <class T>
int scatter(const ScatterParams& scatter_params, LaunchContext* context) {
  const Plan& over = scatter_params.plan;
  scatter_loop<T> loop{
      .offsets = {},
      .indices = over.data[1],
      .array = over.data[2],
      .items = over.data[3],
      .is_aligned = scatter_params.is_aligned && all_aligned(over, 2, 3, sizeof(T))};
  if (!loop.offsets.assign(over)) return cudaErrorInvalidValue;
  return end_launch(
      cub::DeviceFor::Bulk(static_cast<std::int32_t>(over.size), loop, stream_of(context)));
}

// ---- masks

int count(const CountParams& count_params, LaunchContext* context) {
  return end_launch(launch_block_counts(count_params.mask,
                                        MaskBlockCounts(count_params.starts, count_params.size),
                                        nullptr, stream_of(context)));
}

/// Returns the counts that count() stored. Selections only read them.
MaskBlockCounts left_by_count(const std::int64_t* starts, std::int64_t size) {
  return {const_cast<std::int64_t*>(starts), size};
}

/// Selects by a mask that has not been counted.
template <class Selection>
cudaError_t select(const char* mask, const Selection& selection, std::int64_t* number,
                   std::int64_t size, LaunchContext* context) {
  const auto nbytes = static_cast<std::size_t>(count_words(size, true)) * sizeof(std::int64_t);
  auto* const memory = static_cast<std::int64_t*>(context->workspace(context, nbytes));
  if (memory == nullptr) return cudaErrorMemoryAllocation;
  const MaskBlockCounts block_counts(memory, size);
  const cudaError_t status = launch_block_counts(mask, block_counts, number, stream_of(context));
  return status != cudaSuccess ? status
                               : launch_selection(selection, block_counts, stream_of(context));
}

template <class T>
SelectedItems<T> items_of(const char* input, T* output) {
  return {.input = input,
          .output = output,
          .is_aligned = is_aligned_for_whole<T>(reinterpret_cast<std::intptr_t>(input))};
}

}  // namespace

template <class T>
cudaError_t select_items(const char* mask, const char* input, T* output, std::int64_t* number,
                         std::int64_t size, LaunchContext* context) {
  return select(mask, items_of(input, output), number, size, context);
}

cudaError_t select_indices(const char* mask, std::int64_t* output, std::int64_t* number,
                           std::int64_t size, LaunchContext* context) {
  const SelectedIndices indices{.output = output, .count = 0, .rank = 1, .extents = {}};
  return select(mask, indices, number, size, context);
}

template cudaError_t select_items(const char*, const char*, std::uint16_t*, std::int64_t*,
                                  std::int64_t, LaunchContext*);
template cudaError_t select_items(const char*, const char*, std::uint32_t*, std::int64_t*,
                                  std::int64_t, LaunchContext*);
template cudaError_t select_items(const char*, const char*, std::uint64_t*, std::int64_t*,
                                  std::int64_t, LaunchContext*);

namespace {

template <class T>
int compress(const CompressParams& p, LaunchContext* context) {
  return end_launch(launch_selection(items_of(p.input, reinterpret_cast<T*>(p.output.get())),
                                     left_by_count(p.starts, p.size), stream_of(context)));
}

int nonzero(const NonzeroParams& p, LaunchContext* context) {
  SelectedIndices indices{.output = p.output, .count = p.count, .rank = p.rank, .extents = {}};
  for (int axis = 0; axis < p.rank; ++axis) {
    indices.extents[axis] = FastDivider<std::uint64_t>(static_cast<std::uint64_t>(p.shape[axis]));
  }
  return end_launch(launch_selection(indices, left_by_count(p.starts, p.size), stream_of(context)));
}

// ---- repetitions

struct checked_count {
  const std::int64_t* counts;
  std::int64_t size;
  std::int64_t* negative_count;

  /// The scan reads one extra element, so that it ends with the total.
  __device__ std::int64_t operator()(std::int64_t index) const {
    if (index >= size) return 0;
    const std::int64_t count = counts[index];
    if (count < 0) report(negative_count, count);
    return count < 0 ? 0 : count;
  }
};

/// Saturates at the greatest int64: indices derived from a sum that wraps around would be out of
/// bounds.
struct saturating_sum {
  SKERRY_HD std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    return a > INT64_MAX - b ? INT64_MAX : a + b;
  }
};

int repeat_starts(const RepeatStartsParams& p, LaunchContext* context) {
  const auto counts =
      thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0),
                                      checked_count{p.counts, p.size, p.negative_count});
  return end_launch(with_workspace(context, [&](void* scratch, std::size_t& nbytes) {
    return cub::DeviceScan::ExclusiveScan(scratch, nbytes, counts, p.starts.get(), saturating_sum{},
                                          std::int64_t{0}, p.size + 1, stream_of(context));
  }));
}

/// Finds the index whose start is the last one not greater than the element's position.
struct owners_loop {
  const std::int64_t* starts;
  std::int64_t size;
  std::int64_t* output;

  __device__ void operator()(std::int64_t element) const {
    std::int64_t low = 0;
    std::int64_t high = size;
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      if (starts[middle] <= element) {
        low = middle;
      } else {
        high = middle;
      }
    }
    output[element] = low;
  }
};

int repeated_indices(const RepeatedIndicesParams& p, LaunchContext* context) {
  const owners_loop loop{.starts = p.starts, .size = p.size, .output = p.output};
  return end_launch(cub::DeviceFor::Bulk(p.total, loop, stream_of(context)));
}

template <class T>
void fill_size(IndexKernels& table) {
  constexpr int size_index = size_class(sizeof(T));
  table.gather[size_index].set_native<gather<T>>();
  table.scatter[size_index].set_native<scatter<T>>();
  table.compress[size_index].set_native<compress<T>>();
}

}  // namespace

void fill_index(IndexKernels& table) {
  fill_size<uint8>(table);
  fill_size<uint16>(table);
  fill_size<uint32>(table);
  fill_size<uint64>(table);
  fill_size<TwoWords>(table);
  table.offsets.set_native<offsets>();
  table.count.set_native<count>();
  table.nonzero.set_native<nonzero>();
  table.repeat_starts.set_native<repeat_starts>();
  table.repeated_indices.set_native<repeated_indices>();
}

}  // namespace skerry::native
