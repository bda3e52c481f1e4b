// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/linear/matmul.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/axis_list.hpp"
#include "core/errors.hpp"
#include "core/view.hpp"
#include "device/registry.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/library.hpp"
#include "ops/call/limits.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/elementwise/apply.hpp"
#include "ops/elementwise/op_id.hpp"
#include "ops/linear/arithmetic.hpp"
#include "ops/linear/library.hpp"
#include "ops/linear/matmul_kernels.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/views.hpp"

namespace skerry {
namespace {

constexpr std::array<std::optional<Dtype>, dtype_count> numeric_dtypes() {
  std::array<std::optional<Dtype>, dtype_count> results;
  for (int i = 0; i < dtype_count; ++i) {
    const auto type = static_cast<Dtype>(i);
    if (kind(type) != DtypeKind::boolean) results[static_cast<std::size_t>(i)] = type;
  }
  return results;
}

struct ProductForm {
  Device device;
  Dtype type;
};

/// Returns the device and dtype of the product. Products of bools are bool, computed in integers,
/// unless promotion is strict.
ProductForm check_operands(const NdArray& x1, const NdArray& x2) {
  const Operand both[] = {{.array = &x1, .name = "x1"}, {.array = &x2, .name = "x2"}};
  const Device device = common_device(both);
  const Dtype type = common_dtype(both);
  if (type == Dtype::bool_ && !promotion_is_strict()) return {device, type};
  static constexpr auto numeric = numeric_dtypes();
  result_dtype_table results;
  std::copy(numeric.begin(), numeric.end(), results);
  return {device, require_result_dtype(results, type)};
}

NdArray counts(const NdArray& x) { return astype(x, default_integer, false); }
NdArray as_bool(const NdArray& x) { return astype(x, Dtype::bool_, false); }

/// Returns the dtype in which matrices are multiplied: float32 for a stored-only dtype if there
/// is no kernel for it.
Dtype multiplied_in(const MatmulKernels& table, Dtype type, Device device) {
  const Kernel<MatmulParams>& kernel = table.kernel[static_cast<int>(type)];
  return is_built(type) && !has_form(kernel, device) ? computed_in(type) : type;
}

/// Casts `x` to the dtype of the product; elements that it repeats are converted once.
NdArray converted(const NdArray& x, Dtype type) {
  if (x.dtype() == type) return x;
  const NdArray new_operand = convert_operand(x, type);
  return new_operand.view(broadcast_to(new_operand.layout(), x.shape()));
}

NdArray with_axis(const NdArray& x, int axis) {
  Layout wider = x.layout();
  wider.shape.insert(axis, 1);
  wider.strides.insert(axis, 0);
  return x.view(std::move(wider));
}

NdArray without_axis(const NdArray& x, int axis) {
  Layout narrower = x.layout();
  narrower.shape.erase(axis);
  narrower.strides.erase(axis);
  return x.view(std::move(narrower));
}

/// Kind of operands; the value is the number of axes of an operand in addition to those of the
/// stack.
enum class Operands : std::uint8_t { vectors = 1, matrices = 2 };

int stack_rank(const NdArray& x, Operands operands) {
  return x.rank() - static_cast<int>(operands);
}

Dims stack_shape(const NdArray& x, Operands operands) {
  return Dims(x.shape().span().first(static_cast<std::size_t>(stack_rank(x, operands))));
}

Dims common_stack(const NdArray& x1, const NdArray& x2, Operands operands) {
  const Dims first = stack_shape(x1, operands);
  const Dims second = stack_shape(x2, operands);
  const Dims* const shapes[] = {&first, &second};
  return broadcast_shapes(shapes);
}

/// Broadcasts the stack's axes of `x` to `stack`.
NdArray stretched_stack(NdArray x, const Dims& stack, Operands operands) {
  if (stack.empty()) return x;
  Dims shape = stack;
  for (int axis = stack_rank(x, operands); axis < x.rank(); ++axis)
    shape.push_back(x.shape()[axis]);
  return x.view(broadcast_to(x.layout(), shape));
}

AxisList<2> stack_axes(const NdArray& x1, const NdArray& x2, Operands operands) {
  AxisList<2> stack;
  for (int axis = stack_rank(x1, operands) - 1; axis >= 0; --axis) {
    stack.add(x1.shape()[axis], {x1.strides()[axis], x2.strides()[axis]});
  }
  stack.coalesce();
  return stack;
}

/// Fills in the stack's axes, of which none is empty. `p` must have room for them.
void describe_stack(const AxisList<2>& stack, MatmulParams& p) {
  p.batch = 1;
  for (int i = 0; i < stack.size(); ++i) p.batch *= stack[i].extent;
  static_cast<void>(
      stack.write(MatmulParams::max_axes, p.batch_rank, p.batch_shape, p.x1_batch, p.x2_batch));
}

void describe_matrices(const NdArray& x1, const NdArray& x2, MatmulParams& p) {
  const int last = x1.rank() - 1;
  p.m = x1.shape()[last - 1];
  p.k = x1.shape()[last];
  p.n = x2.shape()[last];
  p.x1_row = x1.strides()[last - 1];
  p.x1_column = x1.strides()[last];
  p.x2_row = x2.strides()[last - 1];
  p.x2_column = x2.strides()[last];
}

/// Describes vectors as a row times a column without adding an axis, which might be the 65th.
void describe_vectors(const NdArray& x1, const NdArray& x2, MatmulParams& p) {
  const int last = x1.rank() - 1;
  p.m = 1;
  p.k = x1.shape()[last];
  p.n = 1;
  p.x1_row = 0;
  p.x1_column = x1.strides()[last];
  p.x2_row = x2.strides()[last];
  p.x2_column = 0;
}

/// Treats a stack of matrices times one matrix as one taller matrix, if the rows are evenly spaced
/// and the kernel accepts the result: not if rows repeat or overlap, as in a broadcast stack.
void join_rows(MatmulParams& p, Dtype type) {
  if (p.batch_rank != 1 || p.x2_batch[0] != 0) return;
  const std::int64_t row =
      p.m == 1 ? p.x1_batch[0] : p.x1_row;  // the stride of a single row is arbitrary
  const std::int64_t rows = p.m * p.batch;
  if (p.x1_batch[0] != p.m * row) return;
  if (is_floating(type) &&
      blas_layout_of(rows, p.k, row, p.x1_column, itemsize(type)).leading == 0) {
    return;
  }
  p.m = rows;
  p.x1_row = row;
  p.batch = 1;
  p.batch_rank = 0;
}

/// Returns `x`, copied if BLAS does not accept its layout.
NdArray for_blas(const NdArray& x, Dtype type) {
  if (!is_floating(type)) return x;
  const int last = x.rank() - 1;
  const BlasLayout layout = blas_layout_of(x.shape()[last - 1], x.shape()[last],
                                           x.strides()[last - 1], x.strides()[last], x.itemsize());
  // cuBLAS requires complex numbers aligned to their size, OpenBLAS to that of a component.
  const std::int64_t alignment =
      limits_of<MatmulParams>(x.device()).complex_alignment ? x.itemsize() : info(type).alignment;
  const auto is_aligned = [&](std::intptr_t distance) { return distance % alignment == 0; };
  const auto stack = x.strides().span().first(static_cast<std::size_t>(last - 1));
  return layout.leading != 0 && is_aligned(reinterpret_cast<std::intptr_t>(x.data())) &&
                 std::all_of(stack.begin(), stack.end(), is_aligned)
             ? x
             : copy_c_order(x);
}

void require_blas(Device device) {
  const auto find_error_message = kernels<MatmulKernels>(device).library_error_message;
  if (find_error_message == nullptr) return blas::require();  // host forms
  if (const char* const error_message = find_error_message()) {
    throw_library_error("cuBLAS", error_message);
  }
}

void enqueue_product(const Kernel<MatmulParams>& kernel, const NdArray& out, NdArray x1, NdArray x2,
                     Operands operands) {
  if (out.size() == 0) return;
  AxisList<2> stack = stack_axes(x1, x2, operands);
  if (stack.size() > MatmulParams::max_axes) {
    x1 = copy_c_order(x1);
    x2 = copy_c_order(x2);
    stack = stack_axes(x1, x2, operands);
  }
  launch(out.device(), kernel, [&](OperandList& list) {
    MatmulParams params{list(x1), list(x2), list(out)};
    describe_stack(stack, params);
    if (operands == Operands::matrices) {
      describe_matrices(x1, x2, params);
      join_rows(params, out.dtype());
    } else {
      describe_vectors(x1, x2, params);
    }
    return params;
  });
}

[[noreturn]] void reject_shapes(const NdArray& x1, const NdArray& x2, const std::string& why) {
  throw ShapeError(why + ": x1 is " + describe(x1) + ", x2 is " + describe(x2));
}

/// Rejects axes that a product contracts and whose sizes differ.
[[noreturn]] void reject_sizes(const NdArray& x1, int axis1, const NdArray& x2, int axis2) {
  const auto size = [](const NdArray& x, int axis) {
    return std::to_string(x.shape()[axis < 0 ? axis + x.rank() : axis]);
  };
  reject_shapes(x1, x2,
                "axis " + std::to_string(axis1) + " of x1 has size " + size(x1, axis1) + ", axis " +
                    std::to_string(axis2) + " of x2 has size " + size(x2, axis2) +
                    "; they must be equal");
}

/// True if a kernel can write a product of matrices to `output` instead of a new array.
bool can_hold_product(const NdArray& output, const Dims& shape, Dtype type, const NdArray& x1,
                      const NdArray& x2) {
  const auto address = reinterpret_cast<std::intptr_t>(output.data());
  return output.dtype() == type && output.shape() == shape && output.is_c_contiguous() &&
         output.size() > 0 && address % output.itemsize() == 0 && !may_overlap(output, x1) &&
         !may_overlap(output, x2);
}

NdArray multiply(const NdArray& a, const NdArray& b, const NdArray* output = nullptr) {
  const auto [device, type] = check_operands(a, b);
  if (type == Dtype::bool_) return as_bool(multiply(counts(a), counts(b)));
  if (a.rank() == 0 || b.rank() == 0) {
    reject_shapes(a, b, "x1 and x2 need at least one axis; multiply by a 0-d array with *");
  }
  const NdArray x1 = a.rank() == 1 ? with_axis(a, 0) : a;
  const NdArray x2 = b.rank() == 1 ? with_axis(b, 1) : b;
  if (x1.shape()[x1.rank() - 1] != x2.shape()[x2.rank() - 2]) {
    reject_sizes(a, -1, b, b.rank() == 1 ? -1 : -2);
  }
  constexpr Operands operands = Operands::matrices;
  const Dims stack = common_stack(x1, x2, operands);
  Dims shape = stack;
  shape.push_back(x1.shape()[x1.rank() - 2]);
  shape.push_back(x2.shape()[x2.rank() - 1]);
  const MatmulKernels& table = kernels<MatmulKernels>(device);
  const Dtype wide = multiplied_in(table, type, device);
  check_shape(shape.span(), itemsize(wide));
  const Kernel<MatmulParams>& kernel =
      require_kernel(table.kernel[static_cast<int>(wide)], wide, device);
  if (is_floating(wide)) require_blas(device);
  // Convert before the stack is broadcast, so that each element is converted once.
  const NdArray first = stretched_stack(for_blas(converted(x1, wide), wide), stack, operands);
  const NdArray second = stretched_stack(for_blas(converted(x2, wide), wide), stack, operands);
  const bool is_direct = output != nullptr && wide == type && a.rank() > 1 && b.rank() > 1 &&
                         can_hold_product(*output, shape, wide, first, second);
  const NdArray product =
      is_direct ? *output : empty_of(c_layout(shape, itemsize(wide)), wide, device);
  enqueue_product(kernel, product, first, second, operands);
  NdArray out = astype(product, type, false);
  if (a.rank() > 1 && b.rank() > 1) return out;
  const NdArray narrower = b.rank() == 1 ? without_axis(out, out.rank() - 1) : out;
  return a.rank() == 1 ? without_axis(narrower, narrower.rank() - (b.rank() == 1 ? 1 : 2))
                       : narrower;
}

/// Moves `axis` to the end.
NdArray with_last(const NdArray& x, int axis) {
  Layout moved = x.layout();
  const std::int64_t extent = moved.shape[axis];
  const std::int64_t stride = moved.strides[axis];
  moved.shape.erase(axis);
  moved.strides.erase(axis);
  moved.shape.push_back(extent);
  moved.strides.push_back(stride);
  return x.view(std::move(moved));
}

void check_axis_from_end(std::int64_t axis, const NdArray& x1, const NdArray& x2) {
  const int min_rank = std::min(x1.rank(), x2.rank());
  if (axis < 0 && axis >= -min_rank) return;
  throw AxisError("axis " + std::to_string(axis) + " is not in [-" + std::to_string(min_rank) +
                  ", -1]: it counts from the end of both x1, " + describe(x1) + ", and x2, " +
                  describe(x2));
}

/// One operand of a tensordot as a matrix: the summed axes are last (x1) or first (x2).
struct Folded {
  NdArray matrix;
  Dims free_shape;
};
Folded fold(const NdArray& x, const Dims& summed, bool summed_last) {
  std::vector<std::int64_t> free_axes;
  Dims free_shape;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (std::find(summed.begin(), summed.end(), axis) != summed.end()) continue;
    free_axes.push_back(axis);
    free_shape.push_back(x.shape()[axis]);
  }
  std::vector<std::int64_t> order(summed.begin(), summed.end());
  order.insert(summed_last ? order.begin() : order.end(), free_axes.begin(), free_axes.end());
  std::int64_t sum_size = 1;
  for (const std::int64_t axis : summed) sum_size *= x.shape()[static_cast<int>(axis)];
  std::int64_t free_size = 1;
  for (const std::int64_t n : free_shape) free_size *= n;
  const std::int64_t shape[] = {summed_last ? free_size : sum_size,
                                summed_last ? sum_size : free_size};
  return {reshape(permute_dims(x, order), shape, std::nullopt), free_shape};
}

void check_summed_axes(const NdArray& x1, const NdArray& x2, const Dims& axes1, const Dims& axes2) {
  if (axes1.rank() != axes2.rank()) {
    throw ValueError("axes selects " + std::to_string(axes1.rank()) + " axes of x1 and " +
                     std::to_string(axes2.rank()) + " of x2; select equally many");
  }
  for (int i = 0; i < axes1.rank(); ++i) {
    const auto a = static_cast<int>(axes1[i]);
    const auto b = static_cast<int>(axes2[i]);
    if (x1.shape()[a] == x2.shape()[b]) continue;
    reject_sizes(x1, a, x2, b);
  }
}

}  // namespace

NdArray matmul(const NdArray& x1, const NdArray& x2) { return multiply(x1, x2); }

bool matmul_to_output(const NdArray& output, const NdArray& x1, const NdArray& x2) {
  const NdArray result = multiply(x1, x2, &output);
  if (result.dtype() != output.dtype() || result.shape() != output.shape()) return false;
  if (result.data() != output.data()) assign(output, result);
  return true;
}

void matmul_into(const NdArray& target, const NdArray& x2) {
  const auto [device, type] = check_operands(target, x2);
  require_writable(target);
  if (!is_assignable(type, target.dtype())) {
    throw DtypeError("the result is " + std::string(name(type)) +
                     ", which can't be stored in place in x1, " + describe(target) +
                     "; write x1 = x1 @ x2");
  }
  const NdArray result = multiply(target, x2);
  if (result.shape() != target.shape()) {
    throw ShapeError("the result has shape " + to_string(result.shape()) + ", the target " +
                     describe(target) + " keeps its shape");
  }
  assign(target, result);
}

NdArray vecdot(const NdArray& x1, const NdArray& x2, std::int64_t axis) {
  const auto [device, type] = check_operands(x1, x2);
  check_axis_from_end(axis, x1, x2);
  const NdArray a = with_last(x1, x1.rank() + static_cast<int>(axis));
  const NdArray b = with_last(x2, x2.rank() + static_cast<int>(axis));
  if (a.shape()[a.rank() - 1] != b.shape()[b.rank() - 1]) {
    reject_sizes(x1, static_cast<int>(axis), x2, static_cast<int>(axis));
  }
  constexpr Operands operands = Operands::vectors;
  const Dims stack = common_stack(a, b, operands);
  // A boolean product is true if any pair is true. The kernel stops at the first such pair, which
  // does not pay off for short vectors.
  const Kernel<MatmulParams>& dot = kernels<MatmulKernels>(device).dot[static_cast<int>(type)];
  if (type == Dtype::bool_ && (!has_form(dot, device) || a.shape()[a.rank() - 1] < 64)) {
    constexpr std::int64_t last[] = {-1};
    return linalg::any(linalg::logical_and(a, b), last, false);
  }
  check_shape(stack.span(), itemsize(type));
  const Kernel<MatmulParams>& kernel = require_kernel(dot, type, device);
  const NdArray first = stretched_stack(converted(a, type), stack, operands);
  const NdArray second = stretched_stack(converted(b, type), stack, operands);
  NdArray out = empty_of(c_layout(stack, itemsize(type)), type, device);
  enqueue_product(kernel, out, first, second, operands);
  return out;
}

NdArray tensordot(const NdArray& x1, const NdArray& x2, std::span<const std::int64_t> axes1,
                  std::span<const std::int64_t> axes2) {
  const Dtype type = check_operands(x1, x2).type;
  const Dims first_axes = normalize_axes(axes1, x1.rank());
  const Dims second_axes = normalize_axes(axes2, x2.rank());
  check_summed_axes(x1, x2, first_axes, second_axes);
  const Folded a = fold(x1, first_axes, true);
  const Folded b = fold(x2, second_axes, false);
  Dims shape = a.free_shape;
  for (const std::int64_t n : b.free_shape) shape.push_back(n);
  check_shape(shape.span(), itemsize(type));
  return reshape(multiply(a.matrix, b.matrix), shape.span(), std::nullopt);
}

NdArray outer(const NdArray& x1, const NdArray& x2) {
  check_operands(x1, x2);
  if (x1.rank() != 1 || x2.rank() != 1) reject_shapes(x1, x2, "both must be 1-D");
  const NdArray column = with_axis(x1, 1);
  const NdArray row = with_axis(x2, 0);
  const Operand both[] = {{.array = &column, .name = "x1"}, {.array = &row, .name = "x2"}};
  return apply(op_id_of<ops::multiply>, both);
}

}  // namespace skerry
