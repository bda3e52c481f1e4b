// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "device/allocator.hpp"
#include "ops/table/table.hpp"

// Source: documentation of CUDA 13.0 (cuBLAS, cublasGemmStridedBatchedEx; cuSOLVER, dense LAPACK;
// cuFFT, data layout). The complex elements of all three are cuComplex and cuDoubleComplex, which
// are aligned to their size.

namespace skerry {
namespace {

bool is_at_multiple(const void* address, std::int64_t nbytes) {
  return reinterpret_cast<std::uintptr_t>(address) % static_cast<std::uintptr_t>(nbytes) == 0;
}

// ---- cuFFT

struct FftWidths {
  std::int64_t input;
  std::int64_t output;
  std::int64_t complex;
};

const char* find_unsupported_axes(const FftParams& p, const FftWidths& width) {
  for (int axis = 0; axis < p.rank; ++axis) {
    if (p.input_strides[axis] <= 0 || p.output_strides[axis] <= 0) {
      return "strides that are not positive";
    }
    if (p.input_strides[axis] % width.input != 0 || p.output_strides[axis] % width.output != 0) {
      return "strides that are not multiples of the element size";
    }
    const bool is_inner = axis > p.rank - p.transformed;
    if (is_inner && (p.input_strides[axis - 1] % p.input_strides[axis] != 0 ||
                     p.output_strides[axis - 1] % p.output_strides[axis] != 0)) {
      return "transformed axes whose strides are not multiples of each other";
    }
  }
  return nullptr;
}

const char* find_unsupported_fft(const FftParams& p, const FftWidths& width) {
  const bool has_real_side = width.input != width.output;
  if (p.mirrored) return "a full spectrum of real input";
  if (p.transformed < 1 || p.transformed > (has_real_side ? 1 : FftParams::max_transformed) ||
      p.rank - p.transformed > 2) {
    return "this number of axes";
  }
  // The guard allocator places memory so that it ends at a page, so addresses are not checked then.
  const bool is_judged = selected_allocator() != Allocator::guard;
  if (is_judged &&
      (!is_at_multiple(p.input, width.complex) || !is_at_multiple(p.output, width.complex))) {
    return "an address that is not aligned for a complex number";
  }
  const int looped = fft_looped_axis(p);
  if (looped >= 0 && (p.input_strides[looped] % width.complex != 0 ||
                      p.output_strides[looped] % width.complex != 0)) {
    return "batch strides that are not multiples of a complex number's size";
  }
  return find_unsupported_axes(p, width);
}

template <std::int64_t Input, std::int64_t Output>
const char* find_unsupported_transform(const FftParams& p) {
  return find_unsupported_fft(p, {Input, Output, std::max(Input, Output)});
}

void declare(FftKernels& table) noexcept {
  table.complex_to_complex[0].set_unsupported_reason<find_unsupported_transform<8, 8>>();
  table.complex_to_complex[1].set_unsupported_reason<find_unsupported_transform<16, 16>>();
  table.real_to_complex[0].set_unsupported_reason<find_unsupported_transform<4, 8>>();
  table.real_to_complex[1].set_unsupported_reason<find_unsupported_transform<8, 16>>();
  table.complex_to_real[0].set_unsupported_reason<find_unsupported_transform<8, 4>>();
  table.complex_to_real[1].set_unsupported_reason<find_unsupported_transform<16, 8>>();
}

// ---- cuBLAS

const char* find_unsupported_product(const MatmulParams& p, std::int64_t item) {
  if (p.k == 0) return nullptr;  // filled with zeros
  for (const void* address : {p.x1.get(), p.x2.get(), static_cast<const char*>(p.out)}) {
    if (!is_at_multiple(address, item)) return "matrices that are not aligned to their item size";
  }
  if (blas_layout_of(p.m, p.k, p.x1_row, p.x1_column, item).leading == 0 ||
      blas_layout_of(p.k, p.n, p.x2_row, p.x2_column, item).leading == 0) {
    return "matrices without a leading dimension";
  }
  for (int axis = 0; axis < p.batch_rank; ++axis) {
    if (p.x1_batch[axis] % item != 0 || p.x2_batch[axis] % item != 0) {
      return "stacks whose strides are not multiples of the item size";
    }
  }
  return nullptr;
}

template <Dtype Type>
const char* find_unsupported_matmul(const MatmulParams& p) {
  return find_unsupported_product(p, itemsize(Type));
}

void declare(MatmulKernels& table) noexcept {
  const auto entry = [&](Dtype type) -> Kernel<MatmulParams>& {
    return table.kernel[static_cast<int>(type)];
  };
  entry(Dtype::float32).set_unsupported_reason<find_unsupported_matmul<Dtype::float32>>();
  entry(Dtype::float64).set_unsupported_reason<find_unsupported_matmul<Dtype::float64>>();
  entry(Dtype::complex64).set_unsupported_reason<find_unsupported_matmul<Dtype::complex64>>();
  entry(Dtype::complex128).set_unsupported_reason<find_unsupported_matmul<Dtype::complex128>>();
}

// ---- cuSOLVER

/// True for an extent that cuSOLVER accepts: an int above 0.
bool is_extent(std::int64_t n) { return n > 0 && n <= INT32_MAX; }

const char* find_unsupported_shape(const LinAlgParams& p, LinAlgRoutine routine) {
  if (!is_extent(p.rows) || !is_extent(p.columns)) return "matrices of extent 0 or above 2^31 - 1";
  switch (routine) {
    case LinAlgRoutine::getrs:
    case LinAlgRoutine::determinant:
    case LinAlgRoutine::potrf:
    case LinAlgRoutine::syevd:
    case LinAlgRoutine::geev:
      if (p.rows != p.columns) return "matrices that are not square";
      break;
    case LinAlgRoutine::orgqr:
      if (p.reflector_count > p.columns || p.columns > p.rows)
        return "more reflectors than columns or rows";
      break;
    default:
      break;
  }
  if (routine == LinAlgRoutine::getrs && !is_extent(p.right_columns))
    return "0 or more than 2^31 - 1 right-hand sides";
  if (routine == LinAlgRoutine::orgqr && !is_extent(p.reflector_count))
    return "0 or more than 2^31 - 1 reflectors";
  return nullptr;
}

/// `Value` is the size of a value. Values have the real dtype, except for complex eigenvalues.
template <LinAlgRoutine Routine, std::int64_t Item, std::int64_t Value>
const char* find_unsupported_routine(const LinAlgParams& p) {
  for (const void* address : {p.a.get(), p.b.get(), p.c.get()}) {
    if (!is_at_multiple(address, Item)) return "matrices that are not aligned to their item size";
  }
  if (!is_at_multiple(p.values, Routine == LinAlgRoutine::geev ? Item : Value))
    return "values that are not aligned to their size";
  return find_unsupported_shape(p, Routine);
}

template <LinAlgRoutine Routine>
void declare(Kernel<LinAlgParams> (&kernels_by_dtype)[dtype_count]) noexcept {
  kernels_by_dtype[static_cast<int>(Dtype::float32)]
      .set_unsupported_reason<find_unsupported_routine<Routine, 4, 4>>();
  kernels_by_dtype[static_cast<int>(Dtype::float64)]
      .set_unsupported_reason<find_unsupported_routine<Routine, 8, 8>>();
  kernels_by_dtype[static_cast<int>(Dtype::complex64)]
      .set_unsupported_reason<find_unsupported_routine<Routine, 8, 4>>();
  kernels_by_dtype[static_cast<int>(Dtype::complex128)]
      .set_unsupported_reason<find_unsupported_routine<Routine, 16, 8>>();
}

template <LinAlgRoutine... Routines>
void declare_all(LinAlgKernels& table) noexcept {
  (declare<Routines>(table.kernel[static_cast<int>(Routines)]), ...);
}

void declare(LinAlgKernels& table) noexcept {
  using enum LinAlgRoutine;
  declare_all<getrf, getrs, determinant, potrf, geqrf, orgqr, gesdd, syevd, geev>(table);
}

}  // namespace

void fill_unsupported_reasons(KernelTable& table) noexcept {
  declare(table.fft);
  declare(table.matmul);
  declare(table.linalg);
}

}  // namespace skerry
