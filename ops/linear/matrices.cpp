// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/linear/matrices.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/promotion.hpp"
#include "device/backend.hpp"
#include "device/cpu/thread_pool.hpp"
#include "device/registry.hpp"
#include "device/stream.hpp"
#include "device/transfer.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/host_scratch.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/library.hpp"
#include "ops/call/result.hpp"
#include "ops/create/create.hpp"
#include "ops/linear/arithmetic.hpp"
#include "ops/linear/library.hpp"
#include "ops/linear/linalg_kernels.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/views.hpp"

namespace skerry::linalg {
namespace {

/// Up to here OpenBLAS's threads give a matrix less than ours give a stack: beside them, two of
/// ours take 0.6 of the time for matrices of 200 rows.
constexpr std::int64_t most_of_one_thread = 512;

constexpr std::int64_t both_axes[] = {-2, -1};

void require_dtype(const char* op, const char* argument, const ndarray& x, bool (*takes)(dtype)) {
  if (takes(x.dtype())) return;
  std::string names;
  for (int i = 0; i < dtype_count; ++i) {
    const auto type = static_cast<dtype>(i);
    if (takes(type)) names += (names.empty() ? "" : ", ") + std::string(name(type));
  }
  throw dtype_error(std::string(op) + ": " + argument + " is " + describe(x) + "; it takes " +
                    names + "; convert with astype");
}

/// Into how many parts to cut a stack. No thread is worth waking for little work, and one call of
/// OpenBLAS has all of them where there are too few matrices.
std::int64_t slots_of(const linalg_params& params) {
  constexpr std::int64_t products = 1 << 14;
  constexpr std::int64_t call = 100;
  constexpr std::int64_t few_rows = 64;  // OpenBLAS keeps to one thread
  const std::int64_t area = params.rows * params.columns;
  const std::int64_t each = area * std::max(params.extra, std::min(params.rows, params.columns));
  const std::int64_t most = std::max(params.rows, params.columns);
  if (most <= few_rows) {
    return std::min(host_slots(params.batch), 1 + params.batch * (call + each) / products);
  }
  const std::int64_t threads = cpu::thread_count();
  return most <= most_of_one_thread && 2 * params.batch >= threads ? std::min(params.batch, threads)
                                                                   : 1;
}

void require_solver(const char* op, linalg_routine routine, device where) {
  const auto find_problem = kernels<linalg_kernels>(where).library_problem;
  if (find_problem == nullptr)
    return;  // the build has no such kernels: said where they are asked for
  const char* const problem = find_problem(routine);
  if (problem == nullptr) return;
  if (find_problem(linalg_routine::getrf) == nullptr) {
    throw not_implemented_error(std::string(op) + ": cuSOLVER can't do this on " +
                                to_string(where) + ": " + problem +
                                "; move the array with to_device(\"cpu\")");
  }
  throw_library_error(op, "cuSOLVER", problem);
}

}  // namespace

ndarray as_floating(const char* op, const char* argument, const ndarray& x) {
  if (!is_floating(x.dtype()) && !promotion_is_strict()) return astype(x, default_real, false);
  require_dtype(op, argument, x, is_floating);
  return x;
}

ndarray as_lapack_dtype(const char* op, const char* argument, const ndarray& x) {
  if (!is_floating(x.dtype()) && !promotion_is_strict()) return astype(x, default_real, false);
  require_dtype(op, argument, x,
                [](dtype type) { return is_floating(type) && computed_in(type) == type; });
  return x;
}

void require_matrices(const char* op, const char* argument, const ndarray& x) {
  if (x.rank() < 2) {
    throw shape_error(std::string(op) + ": " + argument +
                      " must have at least two axes: " + describe(x));
  }
  if (rows_of(x) > INT32_MAX || columns_of(x) > INT32_MAX) {
    throw shape_error(std::string(op) + ": " + argument +
                      " has matrices with more than 2^31 - 1 rows or columns: " + describe(x));
  }
}

void require_square(const char* op, const char* argument, const ndarray& x) {
  require_matrices(op, argument, x);
  if (rows_of(x) != columns_of(x)) {
    throw shape_error(std::string(op) + ": " + argument +
                      " must have square matrices in its last two axes: " + describe(x));
  }
}

void require_finite(const char* op, const ndarray& x) {
  const ndarray is_finite = isfinite(x);
  if (is_true(all(is_finite))) return;
  const ndarray by_matrix = all(is_finite, both_axes, false);
  std::vector<char> found(static_cast<std::size_t>(by_matrix.size()));
  read_bytes(found.data(), by_matrix.memory(), static_cast<std::size_t>(by_matrix.layout().offset),
             found.size());
  std::string text = std::string(op) + ": NaN or infinity in x: ";
  if (x.rank() > 2) {
    const auto bad = std::find(found.begin(), found.end(), 0) - found.begin();
    text += "matrix " + std::to_string(bad) + " of the stack ";
  }
  throw linalg_error(text + describe(x));
}

void require_finite(const char* op, const ndarray& x, triangle read) {
  if (is_true(all(isfinite(x)))) return;
  require_finite(op, read == triangle::lower ? tril(x, 0) : triu(x, 0));
}

finite_part finite_part::of_matrices(const ndarray& x) {
  finite_part found(x);
  if (x.size() == 0) return found;
  const ndarray is_finite = isfinite(x);
  if (!capabilities_of(x.device()).runs_later && is_true(all(is_finite))) return found;
  found.is_finite_ = all(is_finite, both_axes, true);
  const ndarray ones = eye(rows_of(x), columns_of(x), 0, x.dtype(), x.device());
  found.matrices_ = where(*found.is_finite_, x, ones);
  return found;
}

finite_part finite_part::of_columns(const ndarray& x) {
  finite_part found(x);
  if (x.size() == 0) return found;
  const ndarray is_finite = isfinite(x);
  if (!capabilities_of(x.device()).runs_later && is_true(all(is_finite))) return found;
  const std::int64_t rows[] = {-2};
  found.is_finite_ = all(is_finite, rows, true);
  found.matrices_ = where(*found.is_finite_, x, scalar::of(0.0));
  return found;
}

ndarray finite_part::answer(const ndarray& result, int own_axes) const {
  if (!is_finite_ || result.size() == 0) return result;
  ndarray is_finite = *is_finite_;
  for (int axis = 2; axis > own_axes; --axis) is_finite = squeeze(is_finite, last_axis);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const bool is_complex = kind(result.dtype()) == dtype_kind::complex_floating;
  return where(is_finite, result, is_complex ? scalar::of(nan, nan) : scalar::of(nan));
}

dims stack_of(const ndarray& x) {
  return dims(x.shape().span().first(static_cast<std::size_t>(x.rank() - 2)));
}
dims extended(const dims& stack, std::int64_t n) {
  dims shape = stack;
  shape.push_back(n);
  return shape;
}
dims extended(const dims& stack, std::int64_t rows, std::int64_t columns) {
  return extended(extended(stack, rows), columns);
}

ndarray empty_column_major(const char* op, const dims& stack, std::int64_t rows,
                           std::int64_t columns, dtype type, device where) {
  const dims shape = extended(stack, columns, rows);
  check_shape(op, shape.span(), itemsize(type));
  return matrix_transpose(empty(shape, type, where));
}

ndarray copy_column_major(const ndarray& x) {
  return matrix_transpose(copy_c_order(matrix_transpose(x)));
}

ndarray identities(const dims& stack, std::int64_t n, dtype type, device where) {
  const ndarray one = eye(n, n, 0, type, where);
  return copy_c_order(one.view(broadcast_to("eye", one.layout(), extended(stack, n, n))));
}

ndarray leading_part(const ndarray& x, std::int64_t rows, std::int64_t columns) {
  layout part = x.layout();
  part.shape[x.rank() - 2] = rows;
  part.shape[x.rank() - 1] = columns;
  return x.view(std::move(part));
}

lapack_call::lapack_call(const char* op, linalg_routine routine, const ndarray& a)
    : op_(op), routine_(routine), a_(a) {
  params.a = a.data();
  params.rows = rows_of(a);
  params.columns = columns_of(a);
  params.batch = stack_of(a).rank() == 0 ? 1 : a.size() / (params.rows * params.columns);
}

ndarray lapack_call::run(std::initializer_list<const ndarray*> uses) {
  const device where = a_.device();
  const dtype type = a_.dtype();
  if (!runs_on_host(where)) require_solver(op_, routine_, where);
  const kernel& what = require_kernel(
      op_, kernels<linalg_kernels>(where).loop[static_cast<int>(routine_)][static_cast<int>(type)],
      type, where);
  std::int64_t slot_nbytes = 0;
  params.slots = 1;
  if (runs_on_host(where)) {
    blas::require(op_);
    slot_nbytes = blas::plan_scratch(routine_, type, params);
    params.slots = slots_of(params);
  }
  const ndarray info = empty(dims{params.batch}, dtype::int32, where);
  const storage_ref scratch = host_scratch(where, slot_nbytes * params.slots);
  params.info = reinterpret_cast<std::int32_t*>(info.data());
  params.scratch = scratch->data();
  // Routines of LAPACK overwrite their arguments, which are copies.
  std::vector<memory_use> memory{writes(a_), writes(info), writes(scratch)};
  for (const ndarray* each : uses) memory.push_back(writes(*each));
  launch(where, what, params, memory);
  return info;
}

void require_success(const char* op, const ndarray& info, const ndarray& x, const char* why) {
  std::vector<std::int32_t> codes(static_cast<std::size_t>(info.size()));
  read_bytes(codes.data(), info.memory(), static_cast<std::size_t>(info.layout().offset),
             static_cast<std::size_t>(info.nbytes()));
  const auto failed = std::find_if(codes.begin(), codes.end(), [](auto code) { return code != 0; });
  if (failed == codes.end()) return;
  std::string text = std::string(op) + ": " + why + ": ";
  if (x.rank() > 2) text += "matrix " + std::to_string(failed - codes.begin()) + " of the stack ";
  throw linalg_error(text + describe(x) + " (LAPACK's info: " + std::to_string(*failed) + ")");
}

}  // namespace skerry::linalg
