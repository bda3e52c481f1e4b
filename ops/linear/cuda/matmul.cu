// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Matrix products: cuBLAS for floating dtypes, own tiles for integers, own sums for vectors.

#include "ops/linear/matmul_kernels.hpp"

#include <cub/block/block_reduce.cuh>
#include <cub/device/device_for.cuh>

#include "core/complex.hpp"
#include "enabled_dtypes.hpp"
#include "ops/kernel/cuda/access.cuh"
#include "ops/kernel/cuda/launch.cuh"
#include "ops/kernel/cuda/tile.cuh"
#include "ops/linear/cuda/cublas.cuh"
#include "ops/math/concepts.hpp"

namespace skerry::native {
namespace {

/// True if every element of both operands is aligned.
template <class T>
bool is_aligned(const MatmulParams& p) {
  bool aligned = is_aligned_for_whole<T>(reinterpret_cast<std::intptr_t>(p.x1.get())) &&
                 is_aligned_for_whole<T>(reinterpret_cast<std::intptr_t>(p.x2.get()));
  for (const std::int64_t stride : {p.x1_row, p.x1_column, p.x2_row, p.x2_column}) {
    aligned = aligned && is_aligned_for_whole<T>(stride);
  }
  for (int axis = 0; axis < p.batch_rank; ++axis) {
    aligned = aligned && is_aligned_for_whole<T>(p.x1_batch[axis]) &&
              is_aligned_for_whole<T>(p.x2_batch[axis]);
  }
  return aligned;
}

// --- floating dtypes ---

const char* cublas_error_message() { return cublas().library.error_message(); }

struct GemmTypes {
  cudaDataType item;
  cublasComputeType_t compute;
};

/// cuBLAS's name of a dtype, and its compute type: float32 computes in float32, without TF32.
template <class T>
constexpr GemmTypes gemm_types() {
  if constexpr (ops::same_v<T, float16>) return {CUDA_R_16F, CUBLAS_COMPUTE_32F};
  if constexpr (ops::same_v<T, bfloat16>) return {CUDA_R_16BF, CUBLAS_COMPUTE_32F};
  if constexpr (ops::same_v<T, float32>) return {CUDA_R_32F, CUBLAS_COMPUTE_32F};
  if constexpr (ops::same_v<T, float64>) return {CUDA_R_64F, CUBLAS_COMPUTE_64F};
  if constexpr (ops::same_v<T, complex64>) return {CUDA_C_32F, CUBLAS_COMPUTE_32F};
  if constexpr (ops::same_v<T, complex128>) return {CUDA_C_64F, CUBLAS_COMPUTE_64F};
}

/// Returns the number of matrices per call: the fastest axis of the stack, if its strides are
/// multiples of the itemsize.
template <class T>
std::int64_t run_length(const MatmulParams& p) {
  if (p.batch_rank == 0) return 1;
  constexpr auto item = static_cast<std::int64_t>(sizeof(T));
  const auto counts = [](std::int64_t stride) { return stride >= 0 && stride % item == 0; };
  return counts(p.x1_batch[0]) && counts(p.x2_batch[0]) ? p.batch_shape[0] : 1;
}

template <class T>
cudaError_t multiply_run(cublasHandle_t handle, const MatmulParams& p, std::int64_t first,
                         std::int64_t count) {
  constexpr auto item = static_cast<std::int64_t>(sizeof(T));
  // Aligned like cuBLAS's own types, since its functions may load them whole.
  using factor = ops::computed_t<T>;
  constexpr GemmTypes types = gemm_types<T>();
  alignas(sizeof(factor)) const factor one(1);
  alignas(sizeof(factor)) const factor zero(0);
  const BlasLayout left = blas_layout_of(p.m, p.k, p.x1_row, p.x1_column, item);
  const BlasLayout right = blas_layout_of(p.k, p.n, p.x2_row, p.x2_column, item);
  const StackOffsets offsets = stack_offsets(first, p);
  const auto op = [](const BlasLayout& x) { return x.transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
  const auto step = [&](const std::int64_t* strides) {
    return static_cast<long long>(count > 1 ? strides[0] / item : 0);
  };
  // cuBLAS is column-major, so it sees transposes: out.T = x2.T @ x1.T.
  return to_cuda(
      cublas().gemm(handle, op(right), op(left), p.n, p.m, p.k, &one, p.x2 + offsets.x2, types.item,
                    right.leading, step(p.x2_batch), p.x1 + offsets.x1, types.item, left.leading,
                    step(p.x1_batch), &zero, p.out + first * p.m * p.n * item, types.item, p.n,
                    static_cast<long long>(p.m * p.n), count, types.compute, CUBLAS_GEMM_DEFAULT));
}

template <class T>
cudaError_t multiply_all(const MatmulParams& p, LaunchContext* context) {
  return with_cublas(context, [&](cublasHandle_t handle) {
    cudaError_t status = cudaSuccess;
    const std::int64_t count = run_length<T>(p);
    for (std::int64_t i = 0; i < p.batch && status == cudaSuccess; i += count) {
      status = multiply_run<T>(handle, p, i, count);
    }
    return status;
  });
}

template <class T>
int multiply(const MatmulParams& p, LaunchContext* context) {
  const std::int64_t size = p.batch * p.m * p.n;
  if (size == 0) return end_launch(cudaSuccess);
  if (p.k == 0) {
    return end_launch(
        cudaMemsetAsync(p.out, 0, static_cast<std::size_t>(size) * sizeof(T), stream_of(context)));
  }
  return end_launch(multiply_all<T>(p, context));
}

// --- integers ---

constexpr int tile = 64;                         // of the output, per block
[[maybe_unused]] constexpr int tile_depth = 16;  // used only if an integer dtype is built
constexpr int cell = 4;                          // of the output, per thread
static_assert(tile / cell * (tile / cell) == tile_threads);

/// Integers wrap around in 32 or 64 bits; narrower dtypes take the low bits.
template <class U>
struct accumulator {
  using type = uint32;
};
template <>
struct accumulator<uint64> {
  using type = uint64;
};

template <class U>
__global__ void __launch_bounds__(tile_threads)
    multiply_tiles(const MatmulParams p, bool aligned, std::int64_t tiles_across,
                   std::int64_t tiles_down) {
  using A = typename accumulator<U>::type;
  __shared__ A left[tile_depth][tile];
  __shared__ A right[tile_depth][tile];
  const std::int64_t tiles = tiles_across * tiles_down;
  const int x = static_cast<int>(threadIdx.x) % (tile / cell);
  const int y = static_cast<int>(threadIdx.x) / (tile / cell);
  for (std::int64_t index = blockIdx.x; index < p.batch * tiles; index += gridDim.x) {
    const std::int64_t matrix = index / tiles;
    const std::int64_t i0 = index % tiles / tiles_across * tile;
    const std::int64_t j0 = index % tiles % tiles_across * tile;
    const StackOffsets offsets = stack_offsets(matrix, p);
    A sums[cell][cell] = {};
    for (std::int64_t k0 = 0; k0 < p.k; k0 += tile_depth) {
      for (int slot = threadIdx.x; slot < tile_depth * tile; slot += tile_threads) {
        const int depth = slot / tile;
        const int position = slot % tile;
        const std::int64_t k = k0 + depth;
        const bool inside = k < p.k;
        left[depth][position] =
            inside && i0 + position < p.m
                ? static_cast<A>(load<U>(
                      p.x1 + offsets.x1 + (i0 + position) * p.x1_row + k * p.x1_column, aligned))
                : A(0);
        right[depth][position] =
            inside && j0 + position < p.n
                ? static_cast<A>(load<U>(
                      p.x2 + offsets.x2 + k * p.x2_row + (j0 + position) * p.x2_column, aligned))
                : A(0);
      }
      __syncthreads();
      for (int depth = 0; depth < tile_depth; ++depth) {
        for (int i = 0; i < cell; ++i) {
          for (int j = 0; j < cell; ++j) {
            sums[i][j] += left[depth][y * cell + i] * right[depth][x * cell + j];
          }
        }
      }
      __syncthreads();
    }
    for (int i = 0; i < cell; ++i) {
      for (int j = 0; j < cell; ++j) {
        const std::int64_t row = i0 + y * cell + i;
        const std::int64_t column = j0 + x * cell + j;
        if (row < p.m && column < p.n) {
          reinterpret_cast<U*>(p.out.get())[(matrix * p.m + row) * p.n + column] =
              static_cast<U>(sums[i][j]);
        }
      }
    }
  }
}

constexpr std::int64_t max_blocks = 1 << 20;  // more work is done in a grid-stride loop
unsigned blocks_for(std::int64_t count) {
  return static_cast<unsigned>(count < max_blocks ? count : max_blocks);
}

template <class U>
int multiply_integers(const MatmulParams& p, LaunchContext* context) {
  const std::int64_t across = (p.n + tile - 1) / tile;
  const std::int64_t down = (p.m + tile - 1) / tile;
  const std::int64_t count = p.batch * across * down;
  if (count == 0) return end_launch(cudaSuccess);
  multiply_tiles<U><<<blocks_for(count), tile_threads, 0, stream_of(context)>>>(p, is_aligned<U>(p),
                                                                                across, down);
  return end_launch(cudaGetLastError());
}

// --- vectors ---

constexpr int dot_threads = 256;
constexpr std::int64_t dot_part = 65536;  // products per block; more are summed in a second step

template <class T>
struct dot_sum {
  using type = ops::computed_t<T>;
};
template <ops::integral T>
struct dot_sum<T> {
  using type = typename accumulator<ops::bits_t<T>>::type;
};
template <class T>
using dot_sum_t = typename dot_sum<T>::type;

struct plus {
  template <class S>
  __device__ S operator()(S a, S b) const {
    return a + b;
  }
};

template <class T>
__device__ SKERRY_INLINE dot_sum_t<T> product_at(const MatmulParams& p, bool aligned,
                                                 const StackOffsets& offsets, std::int64_t k) {
  const char* a = p.x1 + offsets.x1 + k * p.x1_column;
  const char* b = p.x2 + offsets.x2 + k * p.x2_row;
  if constexpr (ops::integral<T>) {
    using U = ops::bits_t<T>;
    using S = dot_sum_t<T>;
    return static_cast<S>(load<U>(a, aligned)) * static_cast<S>(load<U>(b, aligned));
  } else if constexpr (ops::complex_floating<T>) {
    const T x = load<T>(a, aligned);
    return T(x.re, -x.im) * load<T>(b, aligned);
  } else {
    return load<T>(a, aligned) * load<T>(b, aligned);
  }
}

/// One block per part of each pair; the order of additions is the same in every run.
template <class T>
__global__ void __launch_bounds__(dot_threads)
    sum_parts(const MatmulParams p, bool aligned, std::int64_t parts, dot_sum_t<T>* sums) {
  using S = dot_sum_t<T>;
  using block_sum = cub::BlockReduce<S, dot_threads>;
  __shared__ typename block_sum::TempStorage scratch;
  for (std::int64_t index = blockIdx.x; index < p.batch * parts; index += gridDim.x) {
    const StackOffsets offsets = stack_offsets(index / parts, p);
    const std::int64_t first = index % parts * dot_part;
    const std::int64_t past = first + dot_part < p.k ? first + dot_part : p.k;
    S sum(0);
    for (std::int64_t k = first + threadIdx.x; k < past; k += dot_threads) {
      sum = sum + product_at<T>(p, aligned, offsets, k);
    }
    sum = block_sum(scratch).Reduce(sum, plus{});
    if (threadIdx.x == 0) sums[index] = sum;
    __syncthreads();
  }
}

template <class T>
struct join_parts {
  T* out;
  const dot_sum_t<T>* sums;
  std::int64_t parts;

  __device__ void operator()(std::int64_t i) const {
    dot_sum_t<T> sum(0);
    for (std::int64_t part_index = 0; part_index < parts; ++part_index)
      sum = sum + sums[i * parts + part_index];
    out[i] = static_cast<T>(sum);
  }
};

/// One thread per pair of short vectors. Without a minimum number of blocks, ptxas 13.0 spills to
/// stay within 32 registers; 40 are enough.
template <class T>
__global__ void __launch_bounds__(dot_threads, 65536 / dot_threads / 40)
    short_dots(const MatmulParams p, bool aligned) {
  const std::int64_t step = std::int64_t{gridDim.x} * dot_threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * dot_threads + threadIdx.x; i < p.batch;
       i += step) {
    const StackOffsets offsets = stack_offsets(i, p);
    dot_sum_t<T> sum(0);
    for (std::int64_t k = 0; k < p.k; ++k) sum = sum + product_at<T>(p, aligned, offsets, k);
    reinterpret_cast<T*>(p.out.get())[i] = static_cast<T>(sum);
  }
}

constexpr std::int64_t short_vector = 64;

template <class T>
int dot(const MatmulParams& p, LaunchContext* context) {
  if (p.batch == 0) return end_launch(cudaSuccess);
  if (p.k <= short_vector) {
    const unsigned blocks = blocks_for((p.batch + dot_threads - 1) / dot_threads);
    short_dots<T><<<blocks, dot_threads, 0, stream_of(context)>>>(p, is_aligned<T>(p));
    return end_launch(cudaGetLastError());
  }
  const std::int64_t parts = (p.k + dot_part - 1) / dot_part;
  const std::size_t nbytes = static_cast<std::size_t>(p.batch * parts) * sizeof(dot_sum_t<T>);
  auto* sums = static_cast<dot_sum_t<T>*>(context->workspace(context, nbytes));
  if (sums == nullptr) return end_launch(cudaErrorMemoryAllocation);
  sum_parts<T><<<blocks_for(p.batch * parts), dot_threads, 0, stream_of(context)>>>(
      p, is_aligned<T>(p), parts, sums);
  if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess)
    return end_launch(status);
  const join_parts<T> join{.out = reinterpret_cast<T*>(p.out.get()), .sums = sums, .parts = parts};
  return end_launch(cub::DeviceFor::Bulk(p.batch, join, stream_of(context)));
}

template <class T>
void fill(MatmulKernels& table) {
  constexpr int type = static_cast<int>(dtype_of<T>);
  if constexpr (ops::numeric<T>) table.dot[type].set_native<dot<T>>();
  if constexpr (ops::floating<T>) table.kernel[type].set_native<multiply<T>>();
  if constexpr (ops::integral<T>)
    table.kernel[type].set_native<multiply_integers<ops::bits_t<T>>>();
}

}  // namespace

void fill_matmul(MatmulKernels& table) {
#define SKERRY_FILL(name) fill<type_of<Dtype::name>>(table);
  SKERRY_FOR_EACH_ENABLED_DTYPE(SKERRY_FILL)
#undef SKERRY_FILL
  table.library_error_message = &cublas_error_message;
}

}  // namespace skerry::native
