// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Checks arguments according to the documentation of cuBLAS 13.0: cublasSetWorkspace,
// cublasSetMathMode, cublasGemmStridedBatchedEx.

#include "device/emulator/libraries/cublas.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "core/errors.hpp"
#include "device/emulator/libraries/routine_call.hpp"
#include "ops/linear/cpu/openblas.hpp"
#include "ops/linear/library.hpp"

namespace skerry::emulation::cublas {

namespace {

constexpr const char* name = "cublasGemmStridedBatchedEx";

/// Arguments of a call, kept until the stream runs it.
struct Product {
  int op_a;
  int op_b;
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
  const char* a;
  std::int64_t lda;
  const char* b;
  std::int64_t ldb;
  char* c;
  std::int64_t ldc;
  std::size_t itemsize;
  std::int64_t stride_a = 0;
  std::int64_t stride_b = 0;
  std::int64_t stride_c = 0;
  std::int64_t count = 1;
  bool sums_in_output_type = false;  ///< partial sums over k may have the type of C
  alignas(16) unsigned char alpha[16] = {};
  alignas(16) unsigned char beta[16] = {};
};

/// Returns one product, without its factors.
Product product_of(int op_a, int op_b, std::int64_t m, std::int64_t n, std::int64_t k,
                   const void* a, std::int64_t lda, const void* b, std::int64_t ldb, void* c,
                   std::int64_t ldc, std::size_t itemsize) {
  return {op_a, op_b,
          m,    n,
          k,    static_cast<const char*>(a),
          lda,  static_cast<const char*>(b),
          ldb,  static_cast<char*>(c),
          ldc,  itemsize};
}

std::size_t itemsize_of(int type) {
  switch (type) {
    case real_16:
    case brain_16:
      return 2;
    case real_32:
      return 4;
    case real_64:
    case complex_32:
      return 8;
    case complex_64:
      return 16;
    default:
      return 0;
  }
}

bool is_double(int type) { return type == real_64 || type == complex_64; }
/// TF32 is computed as float32: the library may do so too.
bool can_compute(int compute, int type) {
  if (is_double(type)) return compute == compute_64 || compute == compute_64_pedantic;
  return compute == compute_32 || compute == compute_32_pedantic || compute == compute_32_fast_tf32;
}

bool is_op(int op) { return op >= not_transposed && op <= adjoint; }

/// Returns what is wrong with extents, leading dimensions or strides, or null.
const char* find_shape_error(const Product& p) {
  if (!is_op(p.op_a) || !is_op(p.op_b)) return "invalid operation";
  if (p.m < 0 || p.n < 0 || p.k < 0 || p.count < 0) return "negative extent";
  if (p.lda < max_with_1(p.op_a == not_transposed ? p.m : p.k))
    return "lda less than the rows of A";
  if (p.ldb < max_with_1(p.op_b == not_transposed ? p.k : p.n))
    return "ldb less than the rows of B";
  if (p.ldc < max_with_1(p.m)) return "ldc less than the rows of C";
  const std::int64_t out = (p.n - 1) * p.ldc + p.m;
  if (p.count > 1 && p.m > 0 && p.n > 0 && p.stride_c < out) return "the matrices of C overlap";
  return nullptr;
}

bool overlaps(const void* a, std::size_t a_nbytes, const void* b, std::size_t b_nbytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(a);
  const auto second = reinterpret_cast<std::uintptr_t>(b);
  return first < second + b_nbytes && second < first + a_nbytes;
}

/// Returns the bytes from the start of a stack's first matrix to the end of its last.
std::size_t extent_of_stack(std::int64_t rows, std::int64_t columns, std::int64_t leading,
                            std::int64_t stride, const Product& p) {
  const std::size_t one = extent_of_matrix(rows, columns, leading, p.itemsize);
  if (one == 0 || p.count == 0) return 0;
  return one + static_cast<std::size_t>((p.count - 1) * stride) * p.itemsize;
}

std::vector<AccessedRange> ranges_of(const Product& p) {
  const bool is_untransposed_a = p.op_a == not_transposed;
  const bool is_untransposed_b = p.op_b == not_transposed;
  // Between the columns of another C may be memory that other streams write.
  const bool is_contiguous = p.ldc == p.m && (p.count == 1 || p.stride_c == p.m * p.n);
  return {{p.a,
           extent_of_stack(is_untransposed_a ? p.m : p.k, is_untransposed_a ? p.k : p.m, p.lda,
                           p.stride_a, p),
           RangeAccess::read},
          {p.b,
           extent_of_stack(is_untransposed_b ? p.k : p.n, is_untransposed_b ? p.n : p.k, p.ldb,
                           p.stride_b, p),
           RangeAccess::read},
          {p.c, extent_of_stack(p.m, p.n, p.ldc, p.stride_c, p),
           is_contiguous ? RangeAccess::read_write : RangeAccess::unspecified}};
}

const char* find_memory_error(const Product& p, const Handle& handle) {
  if (p.a == nullptr || p.b == nullptr || p.c == nullptr) return "null pointer to a matrix";
  // cuComplex and the like are aligned to their size.
  for (const void* data : {p.a, p.b, static_cast<const char*>(p.c)}) {
    if (!is_aligned(data, p.itemsize)) return "a matrix is not aligned to its element size";
  }
  const std::vector<AccessedRange> ranges = ranges_of(p);
  for (const AccessedRange& range : ranges) {
    if (handle.workspace != nullptr &&
        overlaps(handle.workspace, handle.workspace_nbytes, range.data, range.nbytes)) {
      return "a matrix overlaps the workspace";
    }
  }
  const AccessedRange& out = ranges[2];
  if (overlaps(out.data, out.nbytes, p.a, ranges[0].nbytes) ||
      overlaps(out.data, out.nbytes, p.b, ranges[1].nbytes)) {
    return "C overlaps A or B";
  }
  return nullptr;
}

template <class T>
typename blas::factor<T>::type factor_at(const unsigned char* data) {
  if constexpr (blas::EntryPoints<T>::is_complex) {
    return data;
  } else {
    T value;
    std::memcpy(&value, data, sizeof value);
    return value;
  }
}

template <class T>
void multiply(const Product& p) {
  constexpr int column_major = 102;
  constexpr int operations[] = {blas::not_transposed, blas::transposed, 113};
  const auto narrow = [](std::int64_t n) { return static_cast<blas::integer>(n); };
  const blas::OneCall library = blas::use();
  for (std::int64_t i = 0; i < p.count; ++i) {
    const auto byte_offset = [&](std::int64_t stride) {
      return i * stride * static_cast<std::int64_t>(p.itemsize);
    };
    library.entry_points<T>().gemm(
        column_major, operations[p.op_a], operations[p.op_b], narrow(p.m), narrow(p.n), narrow(p.k),
        factor_at<T>(p.alpha), p.a + byte_offset(p.stride_a), narrow(p.lda),
        p.b + byte_offset(p.stride_b), narrow(p.ldb), factor_at<T>(p.beta),
        p.c + byte_offset(p.stride_c), narrow(p.ldc));
  }
}

/// Converts a matrix of a stored-only dtype to float32 for OpenBLAS, with the same leading
/// dimension.
template <class Half>
std::vector<float32> widened(const char* data, std::int64_t rows, std::int64_t columns,
                             std::int64_t leading) {
  std::vector<float32> wide(extent_of_matrix(rows, columns, leading, 1));
  const auto* const halves = reinterpret_cast<const Half*>(data);
  std::copy(halves, halves + wide.size(), wide.begin());
  return wide;
}

/// Computes C = alpha * A @ B with the terms [begin, end) of the sums over k. The columns of C are
/// contiguous.
void multiply_part(const Product& p, const float32* a, const float32* b, float32* c,
                   std::int64_t begin, std::int64_t end) {
  Product partial_product = p;
  partial_product.a =
      reinterpret_cast<const char*>(a + begin * (p.op_a == not_transposed ? p.lda : 1));
  partial_product.b =
      reinterpret_cast<const char*>(b + begin * (p.op_b == not_transposed ? 1 : p.ldb));
  partial_product.c = reinterpret_cast<char*>(c);
  partial_product.ldc = p.m;
  partial_product.k = end - begin;
  partial_product.count = 1;
  multiply<float32>(partial_product);
}

/// Computes sums in float32 and rounds them to C. If the math mode allows it, rounds two partial
/// sums and adds them, as the library may.
template <class Half>
void multiply_halves(const Product& p) {
  const bool is_untransposed_a = p.op_a == not_transposed;
  const bool is_untransposed_b = p.op_b == not_transposed;
  const std::int64_t middle = p.sums_in_output_type ? p.k / 2 : 0;
  std::vector<float32> sums(static_cast<std::size_t>(p.m * p.n));
  std::vector<float32> first(sums.size());
  for (std::int64_t i = 0; i < p.count; ++i) {
    const auto byte_offset = [&](std::int64_t stride) { return i * stride * 2; };
    const std::vector<float32> a =
        widened<Half>(p.a + byte_offset(p.stride_a), is_untransposed_a ? p.m : p.k,
                      is_untransposed_a ? p.k : p.m, p.lda);
    const std::vector<float32> b =
        widened<Half>(p.b + byte_offset(p.stride_b), is_untransposed_b ? p.k : p.n,
                      is_untransposed_b ? p.n : p.k, p.ldb);
    if (middle > 0) multiply_part(p, a.data(), b.data(), first.data(), 0, middle);
    multiply_part(p, a.data(), b.data(), sums.data(), middle, p.k);
    auto* const c = reinterpret_cast<Half*>(p.c + byte_offset(p.stride_c));
    for (std::int64_t j = 0; j < p.m * p.n; ++j) {
      const auto index = static_cast<std::size_t>(j);
      Half& out = c[j / p.m * p.ldc + j % p.m];
      out = Half(sums[index]);
      if (middle > 0) out = Half(out + Half(first[index]));
    }
  }
}

void run(const Product& p, int type) {
  switch (type) {
    case real_16:
      return multiply_halves<float16>(p);
    case brain_16:
      return multiply_halves<bfloat16>(p);
    case real_32:
      return multiply<float32>(p);
    case real_64:
      return multiply<float64>(p);
    case complex_32:
      return multiply<complex64>(p);
    default:
      return multiply<complex128>(p);
  }
}

int refused(int status, const char* why) {
  report_rejection(name, why);
  return status;
}

/// Copies the factors of a product. Those in device memory are written by earlier work of the
/// stream; false if that has failed.
bool read_factors(const Handle& handle, const void* alpha, const void* beta, Product& p) {
  const std::size_t factor_size = std::max(p.itemsize, sizeof(float32));
  if (handle.pointer_mode == pointers_to_device &&
      entry_points::stream_synchronize(handle.stream) != 0) {
    return false;
  }
  std::memcpy(p.alpha, alpha, factor_size);
  std::memcpy(p.beta, beta, factor_size);
  return true;
}

/// Overwrites the start of the workspace, as the library's kernels may use it.
void spoil(void* workspace, std::size_t nbytes) {
  constexpr int garbage = 0xa5;
  constexpr std::size_t enough = 4096;
  if (workspace == nullptr) return;
  std::memset(workspace, garbage, nbytes < enough ? nbytes : enough);
}

int enqueue(const Handle& handle, const Product& p, int type) {
  std::vector<AccessedRange> accessed_ranges = ranges_of(p);
  accessed_ranges.push_back({handle.workspace, handle.workspace_nbytes});
  try {
    blas::require();
  } catch (const LibraryError& error) {
    return refused(execution_failed, error.what());
  }
  const int code = enqueue_library_task(
      name, handle.stream, std::move(accessed_ranges),
      [p, type, workspace = handle.workspace, nbytes = handle.workspace_nbytes] {
        spoil(workspace, nbytes);
        run(p, type);
      });
  return code == 0 ? success : execution_failed;
}

}  // namespace

int create(Handle** new_handle) {
  if (new_handle == nullptr) return invalid_value;
  *new_handle = new (std::nothrow) Handle;
  if (*new_handle == nullptr) return alloc_failed;
  (*new_handle)->ordinal = current_device();
  return success;
}

int destroy(Handle* handle) {
  if (handle == nullptr || handle->mark != LibraryHandle::alive) return not_initialized;
  handle->mark = 0;
  delete handle;
  return success;
}

int set_stream(Handle* handle, void* stream) {
  if (handle == nullptr || handle->mark != LibraryHandle::alive) return not_initialized;
  handle->stream = stream;
  // cuBLAS, cublasSetStream: "unconditionally resets the cuBLAS library workspace back to the
  // default workspace pool"
  handle->workspace = nullptr;
  handle->workspace_nbytes = 0;
  return success;
}

int set_workspace(Handle* handle, void* workspace, std::size_t nbytes) {
  constexpr std::size_t workspace_alignment = 256;
  if (handle == nullptr || handle->mark != LibraryHandle::alive) return not_initialized;
  if (!is_aligned(workspace, workspace_alignment)) {
    report_rejection("cublasSetWorkspace", "workspace not aligned to 256 bytes");
    return invalid_value;
  }
  handle->workspace = workspace;
  handle->workspace_nbytes = nbytes;
  return success;
}

int set_math_mode(Handle* handle, int mode) {
  if (handle == nullptr || handle->mark != LibraryHandle::alive) return not_initialized;
  const int mode_of_operations = mode & ~disallow_reduced_precision_reduction;
  if (mode_of_operations < default_math || mode_of_operations > tf32_math) {
    report_rejection("cublasSetMathMode", "invalid mode");
    return invalid_value;
  }
  handle->math_mode = mode;
  return success;
}

int get_math_mode(const Handle* handle, int* mode) {
  if (handle == nullptr || handle->mark != LibraryHandle::alive) return not_initialized;
  *mode = handle->math_mode;
  return success;
}
int get_stream(const Handle* handle, void** stream) {
  if (handle == nullptr || handle->mark != LibraryHandle::alive) return not_initialized;
  *stream = handle->stream;
  return success;
}
int set_pointer_mode(Handle* handle, int mode) {
  if (handle == nullptr || handle->mark != LibraryHandle::alive) return not_initialized;
  if (mode != pointers_to_host && mode != pointers_to_device) return invalid_value;
  handle->pointer_mode = mode;
  return success;
}
int get_pointer_mode(const Handle* handle, int* mode) {
  if (handle == nullptr || handle->mark != LibraryHandle::alive) return not_initialized;
  *mode = handle->pointer_mode;
  return success;
}
int get_version(const Handle* handle, int* version) {
  if (handle == nullptr || handle->mark != LibraryHandle::alive) return not_initialized;
  *version = 130100;  // 13.1.0, of CUDA 13.0
  return success;
}

int gemm_strided_batched(Handle* handle, int op_a, int op_b, std::int64_t m, std::int64_t n,
                         std::int64_t k, const void* alpha, const void* a, int type_a,
                         std::int64_t lda, long long stride_a, const void* b, int type_b,
                         std::int64_t ldb, long long stride_b, const void* beta, void* c,
                         int type_c, std::int64_t ldc, long long stride_c, std::int64_t count,
                         int compute, int algorithm) {
  if (const char* error = error_message_of(handle)) return refused(not_initialized, error);
  const std::size_t itemsize = itemsize_of(type_a);
  if (itemsize == 0 || type_b != type_a || type_c != type_a || !can_compute(compute, type_a)) {
    return refused(not_supported, "unsupported combination of types");
  }
  constexpr int min_algorithm = -1;   // CUBLAS_GEMM_DFALT
  constexpr int max_algorithm = 115;  // CUBLAS_GEMM_ALGO15_TENSOR_OP
  if (algorithm < min_algorithm || algorithm > max_algorithm) {
    return refused(invalid_value, "invalid algorithm");
  }
  if (alpha == nullptr || beta == nullptr) return refused(invalid_value, "null alpha or beta");
  Product p = product_of(op_a, op_b, m, n, k, a, lda, b, ldb, c, ldc, itemsize);
  p.stride_a = stride_a;
  p.stride_b = stride_b;
  p.stride_c = stride_c;
  p.count = count;
  p.sums_in_output_type = (handle->math_mode & disallow_reduced_precision_reduction) == 0;
  if (!read_factors(*handle, alpha, beta, p)) {
    return refused(execution_failed, "the stream has failed");
  }
  if (itemsize == 2 && factor_at<float32>(p.beta) != 0) {
    return refused(not_supported, "unsupported beta: only 0 for types of 16 bits");
  }
  if (const char* error_message = find_shape_error(p)) return refused(invalid_value, error_message);
  if (m == 0 || n == 0 || count == 0) return success;
  if (const char* error = find_memory_error(p, *handle)) return refused(invalid_value, error);
  return enqueue(*handle, p, type_a);
}

void multiply_matrices(int op_a, int op_b, std::int64_t m, std::int64_t n, std::int64_t k,
                       const void* alpha, const void* a, std::int64_t lda, const void* b,
                       std::int64_t ldb, const void* beta, void* c, std::int64_t ldc, int type) {
  Product p = product_of(op_a, op_b, m, n, k, a, lda, b, ldb, c, ldc, itemsize_of(type));
  std::memcpy(p.alpha, alpha, p.itemsize);
  std::memcpy(p.beta, beta, p.itemsize);
  run(p, type);
}

}  // namespace skerry::emulation::cublas
