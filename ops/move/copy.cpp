// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/move/copy.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/errors.hpp"
#include "core/item_size.hpp"
#include "core/scalar_conversion.hpp"
#include "core/view.hpp"
#include "device/memory.hpp"
#include "device/registry.hpp"
#include "device/transfer.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/call/operands.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/fuse/recording.hpp"
#include "ops/move/kernels.hpp"

namespace skerry {
namespace {

/// Returns the kernel that casts `source_dtype` to `destination_dtype`; a byte copy if they are
/// equal.
const Kernel<Plan>& cast_kernel(Dtype source_dtype, Dtype destination_dtype, Device device) {
  if (source_dtype == destination_dtype) {
    return require_kernel(
        kernels<MovesKernels>(device).copy[size_class(itemsize(destination_dtype))],
        destination_dtype, device);
  }
  const bool is_real =
      kind(destination_dtype) != DtypeKind::complex_floating && destination_dtype != Dtype::bool_;
  if (kind(source_dtype) == DtypeKind::complex_floating && is_real) {
    throw DtypeError(std::string(name(source_dtype)) + " to " + name(destination_dtype) +
                     " would drop the imaginary part; take real() or abs() first");
  }
  const Kernel<Plan>& cast =
      kernels<CastKernels>(device)
          .kernel[static_cast<int>(source_dtype)][static_cast<int>(destination_dtype)];
  return require_kernel(cast, is_built(source_dtype) ? destination_dtype : source_dtype, device);
}

void enqueue_cast(const Kernel<Plan>& kernel, const NdArray& destination, const NdArray& source) {
  KernelCall call(destination);
  call.add(source);
  call.enqueue(kernel);
}

NdArray convert(const NdArray& x, Dtype type, Layout layout) {
  const Kernel<Plan>& kernel = cast_kernel(x.dtype(), type, x.device());
  NdArray out = empty_of(std::move(layout), type, x.device());
  enqueue_cast(kernel, out, x);
  return out;
}

Layout order_of(const NdArray& x, Dtype type) {
  const Operand self[] = {{.array = &x}};
  return result_layout(x.shape(), type, self);
}

/// True if x can be transferred without packing: it has the dense layout of a new array.
bool can_travel(const NdArray& x) {
  const Layout dense_layout = dense_layout_like(x.layout(), x.itemsize());
  return same_elements(x, x.view({dense_layout.shape, dense_layout.strides, x.layout().offset}));
}

/// Packs `source`, on a CPU device, into C order at `destination` on a CUDA device.
class Packer {
 public:
  Packer(const NdArray& destination, const NdArray& source)
      : kernel_(cast_kernel(source.dtype(), source.dtype(), source.device())),
        source_(source),
        width_(source.itemsize()),
        bytes_(destination.memory(), source.device(),
               static_cast<std::size_t>(destination.nbytes())) {
    pack(source.layout(), 0);
  }

 private:
  /// Packs as many rows at a time as the upload buffer holds, and recurses into rows larger than
  /// that.
  void pack(const Layout& rows, std::size_t offset) {
    std::int64_t row_bytes = width_;
    for (int axis = 1; axis < rows.rank(); ++axis) row_bytes *= rows.shape[axis];
    constexpr auto max_bytes = static_cast<std::int64_t>(Upload::max_bytes);
    if (row_bytes > max_bytes) {
      Layout row = rows;
      row.shape.erase(0);
      row.strides.erase(0);
      for (std::int64_t i = 0; i < rows.shape[0]; ++i) {
        row.offset = rows.offset + i * rows.strides[0];
        pack(row, offset + static_cast<std::size_t>(i * row_bytes));
      }
      return;
    }
    const std::int64_t max_rows = max_bytes / row_bytes;
    Layout chunk = rows;
    for (std::int64_t i = 0; i < rows.shape[0]; i += max_rows) {
      chunk.shape[0] = std::min(max_rows, rows.shape[0] - i);
      chunk.offset = rows.offset + i * rows.strides[0];
      const auto nbytes = static_cast<std::size_t>(chunk.shape[0] * row_bytes);
      fill(bytes_.buffer(nbytes), nbytes, chunk);
      bytes_.send(offset, nbytes);
      offset += nbytes;
    }
  }

  void fill(char* buffer, std::size_t nbytes, const Layout& chunk) const {
    const NdArray packed(adopt(source_.device(), buffer, nbytes, false, nullptr, nullptr),
                         c_layout(chunk.shape, width_), source_.dtype());
    enqueue_cast(kernel_, packed, source_.view(chunk));
  }

  const Kernel<Plan>& kernel_;
  const NdArray& source_;
  const std::int64_t width_;
  Upload bytes_;
};

}  // namespace

void check_assigned_dtype(const NdArray& target, Dtype source) {
  if (is_assignable(source, target.dtype())) return;
  throw DtypeError(std::string(name(source)) + " values cannot be assigned to " + describe(target) +
                   "; convert them with astype");
}

bool is_short_run(const char* destination, const char* source, std::int64_t nbytes) noexcept {
  constexpr std::int64_t max_bytes = 16384;
  constexpr std::int64_t always = 2048;
  if (nbytes < always || nbytes > max_bytes) return nbytes < always;
  const auto ahead =
      reinterpret_cast<std::uintptr_t>(destination) - reinterpret_cast<std::uintptr_t>(source);
  const bool overlaps = ahead < static_cast<std::uintptr_t>(nbytes);  // memmove copies backwards
  return overlaps || ahead % 4096 == 0 || ahead % 4096 >= 64;
}

NdArray copy(const NdArray& x) { return convert(x, x.dtype(), order_of(x, x.dtype())); }

NdArray copy_c_order(const NdArray& x) {
  check_shape(x.shape().span(), x.itemsize());
  return convert(x, x.dtype(), c_layout(x.shape(), x.itemsize()));
}

NdArray contiguous(const NdArray& x) { return x.is_c_contiguous() ? x : copy_c_order(x); }

NdArray astype(const NdArray& x, Dtype type, bool force_copy) {
  if (x.dtype() == type && !force_copy) return x;
  return convert(x, type, order_of(x, type));
}

/// Returns the name of the device function that cast_kernel() applies to an element.
static const char* cast_function(Dtype source_dtype, Dtype destination_dtype) noexcept {
  static constexpr const char* casts[] = {
#define SKERRY_CAST(name, type, kind, typestr) "cast_to_" #name,
      SKERRY_FOR_EACH_DTYPE(SKERRY_CAST)
#undef SKERRY_CAST
  };
  return source_dtype == destination_dtype ? "copy_value"
                                           : casts[static_cast<std::size_t>(destination_dtype)];
}

PendingArray record_cast(Recording& recording, const Operand& x, Dtype type, Layout layout) {
  const NdArray& array = *x.array;
  const Kernel<Plan>& kernel = cast_kernel(array.dtype(), type, array.device());
  const RecordedInput input{.array = &array, .pending = x.pending, .type = array.dtype()};
  return recording.append<Layout&&>(kernel, {cast_function(array.dtype(), type)}, std::move(layout),
                                    type, array.device(), {&input, 1});
}

PendingArray record_astype(Recording& recording, const Operand& x, Dtype type) {
  return record_cast(recording, x, type, order_of(*x.array, type));
}

PendingArray record_operand(Recording& recording, const Operand& x, Dtype type, const Dims& shape) {
  const NdArray& array = *x.array;
  const Kernel<Plan>& kernel = cast_kernel(array.dtype(), type, array.device());
  const RecordedInput input{.array = &array, .pending = x.pending, .type = array.dtype()};
  return recording.append<const Dims&>(kernel, {cast_function(array.dtype(), type)}, shape, type,
                                       array.device(), {&input, 1});
}

NdArray convert_operand(const NdArray& x, Dtype type) {
  Layout once = x.layout();
  for (int axis = 0; axis < once.rank(); ++axis) {
    if (once.strides[axis] == 0 && once.shape[axis] > 1) once.shape[axis] = 1;
  }
  return astype(x.view(std::move(once)), type, true);
}

NdArray to_device(const NdArray& x, Device device) {
  if (x.device() == device) return x;
  require(device);
  const bool travels = can_travel(x);
  if (!travels && Upload::is_possible(x.device(), device) && x.size() > 0) {
    NdArray out = empty(x.shape(), x.dtype(), device);
    const Packer all(out, x);
    return out;
  }
  const NdArray source = travels || x.size() == 0 ? x : copy(x);
  NdArray out =
      empty_of(dense_layout_like(source.layout(), source.itemsize()), source.dtype(), device);
  // Copy zero bytes, too: the host then waits for the producer and receives its deferred errors.
  const std::int64_t offset = source.size() > 0 ? source.layout().offset : 0;
  copy_bytes(out.memory(), 0, source.memory(), static_cast<std::size_t>(offset),
             static_cast<std::size_t>(source.nbytes()));
  return out;
}

void assign(const NdArray& target, const NdArray& source) {
  if (char* const data = host_address(target); data != nullptr && same_layout(source, target)) {
    const std::int64_t nbytes = contiguous_size(target) * target.itemsize();
    if (nbytes > 0 && is_short_run(data, source.data(), nbytes)) {
      require_writable(target);
      std::memmove(data, source.data(), static_cast<std::size_t>(nbytes));
      return;
    }
  }
  const Operand both[] = {{.array = &target, .name = "x"}, {.array = &source, .name = "value"}};
  const Device device = common_device(both);
  require_writable(target);
  check_assigned_dtype(target, source.dtype());
  const Layout stretched = broadcast_to(source.layout(), target.shape());
  const Kernel<Plan>& kernel = cast_kernel(source.dtype(), target.dtype(), device);
  if (same_elements(target, source)) return;
  if (may_overlap(target, source)) {
    enqueue_cast(kernel, target, convert_operand(source, source.dtype()));
  } else {
    enqueue_cast(kernel, target, source.view(stretched));
  }
}

void fill(const NdArray& target, const Scalar& value) {
  require_writable(target);
  const std::int64_t width = target.itemsize();
  const Element kernel = to_element(value, target.dtype());
  const Device device = target.device();
  const Kernel<Plan>& copies =
      require_kernel(kernels<MovesKernels>(device).copy[size_class(width)], target.dtype(), device);
  KernelCall call(target);
  call.add(kernel, width);
  call.enqueue(copies);
}

}  // namespace skerry
