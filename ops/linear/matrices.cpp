// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/linear/matrices.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/promotion.hpp"
#include "core/view.hpp"
#include "device/backend.hpp"
#include "device/cpu/thread_pool.hpp"
#include "device/registry.hpp"
#include "device/transfer.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/host_scratch.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/library.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/call/result.hpp"
#include "ops/create/create.hpp"
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/linear/arithmetic.hpp"
#include "ops/linear/library.hpp"
#include "ops/linear/linalg.hpp"
#include "ops/linear/linalg_kernels.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/views.hpp"

namespace skerry::linalg {
namespace {

constexpr std::int64_t both_axes[] = {-2, -1};

void require_dtype(const char* argument, const NdArray& x, bool (*takes)(Dtype)) {
  if (takes(x.dtype())) return;
  std::string names;
  for (int i = 0; i < dtype_count; ++i) {
    const auto type = static_cast<Dtype>(i);
    if (takes(type)) names += (names.empty() ? "" : ", ") + std::string(name(type));
  }
  throw DtypeError(std::string(argument) + " is " + describe(x) + "; expected " + names +
                   "; convert with astype");
}

/// Returns the number of slots into which a stack is split. Little work does not justify waking a
/// thread, and with few large matrices, OpenBLAS uses all threads for each.
std::int64_t slots_of(const LinAlgRequest& request) {
  constexpr std::int64_t call = 100;
  constexpr std::int64_t few_rows = 64;  // OpenBLAS uses one thread
  const std::int64_t area = request.rows * request.columns;
  const std::int64_t matrix_cost =
      area * std::max(request.right_columns, std::min(request.rows, request.columns));
  const std::int64_t max_extent = std::max(request.rows, request.columns);
  if (max_extent <= few_rows) {
    return std::min(host_slots(request.batch),
                    1 + request.batch * (call + matrix_cost) / tuning::lapack_grain_size);
  }
  const std::int64_t threads = cpu::thread_count();
  return max_extent <= tuning::max_serial_extent && 2 * request.batch >= threads
             ? std::min(request.batch, threads)
             : 1;
}

void require_solver(LinAlgRoutine routine, Device device) {
  const auto find_error_message = kernels<LinAlgKernels>(device).library_error_message;
  if (find_error_message == nullptr) return;  // host forms, which use OpenBLAS, or none
  const char* const error_message = find_error_message(routine);
  if (error_message == nullptr) return;
  if (find_error_message(LinAlgRoutine::getrf) == nullptr) {
    throw NotImplementedError("cuSOLVER can't do this on " + to_string(device) + ": " +
                              error_message + "; move the array with to_device(\"cpu\")");
  }
  throw_library_error("cuSOLVER", error_message);
}

}  // namespace

NdArray as_floating(const char* argument, const NdArray& x) {
  if (!is_floating(x.dtype()) && !promotion_is_strict()) return astype(x, default_real, false);
  require_dtype(argument, x, is_floating);
  return x;
}

NdArray as_lapack_dtype(const char* argument, const NdArray& x) {
  if (!is_floating(x.dtype()) && !promotion_is_strict()) return astype(x, default_real, false);
  require_dtype(argument, x,
                [](Dtype type) { return is_floating(type) && computed_in(type) == type; });
  return x;
}

void require_matrices(const char* argument, const NdArray& x) {
  if (x.rank() < 2) {
    throw MatrixShapeError(std::string(argument) + " must have at least two axes: " + describe(x));
  }
  if (rows_of(x) > INT32_MAX || columns_of(x) > INT32_MAX) {
    throw ShapeError(std::string(argument) +
                     " has matrices with more than 2^31 - 1 rows or columns: " + describe(x));
  }
}

void require_square(const char* argument, const NdArray& x) {
  require_matrices(argument, x);
  if (rows_of(x) != columns_of(x)) {
    throw MatrixShapeError(std::string(argument) +
                           " must have square matrices in its last two axes: " + describe(x));
  }
}

void require_finite(const NdArray& x) {
  const NdArray is_finite = isfinite(x);
  if (is_true(all(is_finite))) return;
  const NdArray by_matrix = all(is_finite, both_axes, false);
  std::vector<char> finite_flags(static_cast<std::size_t>(by_matrix.size()));
  read_bytes(finite_flags.data(), by_matrix.memory(),
             static_cast<std::size_t>(by_matrix.layout().offset), finite_flags.size());
  std::string text = "NaN or infinity in x: ";
  if (x.rank() > 2) {
    const auto bad = std::find(finite_flags.begin(), finite_flags.end(), 0) - finite_flags.begin();
    text += "matrix " + std::to_string(bad) + " of the stack ";
  }
  throw LinAlgError(text + describe(x));
}

void require_finite(const NdArray& x, Triangle read) {
  if (is_true(all(isfinite(x)))) return;
  require_finite(read == Triangle::lower ? tril(x, 0) : triu(x, 0));
}

bool can_look_at(const NdArray& x) { return !capabilities_of(x.device()).runs_later; }

FinitePart FinitePart::of_matrices(const NdArray& x) {
  FinitePart result(x);
  if (x.size() == 0) return result;
  const NdArray is_finite = isfinite(x);
  if (can_look_at(x) && is_true(all(is_finite))) return result;
  result.is_finite_ = all(is_finite, both_axes, true);
  const NdArray ones = eye(rows_of(x), columns_of(x), 0, x.dtype(), x.device());
  result.matrices_ = where(*result.is_finite_, x, ones);
  return result;
}

FinitePart FinitePart::of_columns(const NdArray& x) {
  FinitePart result(x);
  if (x.size() == 0) return result;
  const NdArray is_finite = isfinite(x);
  if (can_look_at(x) && is_true(all(is_finite))) return result;
  const std::int64_t rows[] = {-2};
  result.is_finite_ = all(is_finite, rows, true);
  result.matrices_ = where(*result.is_finite_, x, Scalar::from_value(0.0));
  return result;
}

NdArray FinitePart::restore_nan(const NdArray& result, int own_axes) const {
  if (!is_finite_ || result.size() == 0) return result;
  NdArray is_finite = *is_finite_;
  for (int axis = 2; axis > own_axes; --axis) is_finite = squeeze(is_finite, last_axis);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const bool is_complex = kind(result.dtype()) == DtypeKind::complex_floating;
  return where(is_finite, result,
               is_complex ? Scalar::from_value(nan, nan) : Scalar::from_value(nan));
}

Dims stack_of(const NdArray& x) {
  return Dims(x.shape().span().first(static_cast<std::size_t>(x.rank() - 2)));
}
Dims extended(const Dims& stack, std::int64_t n) {
  Dims shape = stack;
  shape.push_back(n);
  return shape;
}
Dims extended(const Dims& stack, std::int64_t rows, std::int64_t columns) {
  return extended(extended(stack, rows), columns);
}

NdArray empty_column_major(const Dims& stack, std::int64_t rows, std::int64_t columns, Dtype type,
                           Device device) {
  const Dims shape = extended(stack, columns, rows);
  check_shape(shape.span(), itemsize(type));
  return matrix_transpose(empty(shape, type, device));
}

NdArray copy_column_major(const NdArray& x) {
  return matrix_transpose(copy_c_order(matrix_transpose(x)));
}

NdArray identities(const Dims& stack, std::int64_t n, Dtype type, Device device) {
  const NdArray one = eye(n, n, 0, type, device);
  return copy_c_order(one.view(broadcast_to(one.layout(), extended(stack, n, n))));
}

NdArray leading_part(const NdArray& x, std::int64_t rows, std::int64_t columns) {
  Layout layout = x.layout();
  layout.shape[x.rank() - 2] = rows;
  layout.shape[x.rank() - 1] = columns;
  return x.view(std::move(layout));
}

LapackCall::LapackCall(LinAlgRoutine routine, const NdArray& a) : routine_(routine), a_(a) {
  request.rows = rows_of(a);
  request.columns = columns_of(a);
  request.batch = stack_of(a).rank() == 0 ? 1 : a.size() / (request.rows * request.columns);
}

NdArray LapackCall::run(const LapackArrays& arrays) {
  const Device device = a_.device();
  const Dtype type = a_.dtype();
  require_solver(routine_, device);
  const Kernel<LinAlgParams>& kernel =
      require_kernel(kernels<LinAlgKernels>(device).kernel_of(routine_, type), type, device);
  std::int64_t slot_nbytes = 0;
  request.slots = 1;
  if (has_host_form(kernel, device)) {
    blas::require();
    slot_nbytes = blas::plan_scratch(routine_, type, request);
    request.slots = slots_of(request);
  }
  const NdArray info = empty(Dims{request.batch}, Dtype::int32, device);
  launch(device, kernel, [&](OperandList& operands) {
    return LinAlgParams{request,
                        operands(a_),
                        operands(arrays.b),
                        operands(arrays.c),
                        operands(arrays.values),
                        operands(arrays.pivots),
                        operands(info),
                        operands.workspace(slot_nbytes * request.slots)};
  });
  return info;
}

void require_success(const NdArray& info, const NdArray& x, const char* why) {
  std::vector<std::int32_t> codes(static_cast<std::size_t>(info.size()));
  read_bytes(codes.data(), info.memory(), static_cast<std::size_t>(info.layout().offset),
             static_cast<std::size_t>(info.nbytes()));
  const auto failed = std::find_if(codes.begin(), codes.end(), [](auto code) { return code != 0; });
  if (failed == codes.end()) return;
  std::string text = std::string(why) + ": ";
  if (x.rank() > 2) text += "matrix " + std::to_string(failed - codes.begin()) + " of the stack ";
  throw LinAlgError(text + describe(x) + " (LAPACK's info: " + std::to_string(*failed) + ")");
}

}  // namespace skerry::linalg
