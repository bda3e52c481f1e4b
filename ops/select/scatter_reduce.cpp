// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/select/scatter_reduce.hpp"

#include <optional>
#include <string>

#include "core/errors.hpp"
#include "device/backend.hpp"
#include "device/deferred.hpp"
#include "device/stream.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/create/create.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/views.hpp"
#include "ops/select/selection.hpp"
#include "ops/select/take.hpp"

namespace skerry {
namespace {

constexpr const char* name_of = "scatter_reduce";

[[noreturn]] void raise_out_of_bounds(const DeferredError& error, std::int64_t found) {
  throw IndexError(std::string(error.op) + ": index " + std::to_string(found) +
                   " is out of bounds: x has " + std::to_string(error.values[0]) + " elements");
}

/// What an operation is for bool, whose sum is "or" and whose product is "and".
ScatterOp for_booleans(ScatterOp op) {
  switch (op) {
    case ScatterOp::add:
    case ScatterOp::maximum:
      return ScatterOp::bitwise_or;
    case ScatterOp::multiply:
    case ScatterOp::minimum:
      return ScatterOp::bitwise_and;
    default:
      return op;
  }
}

const Kernel& kernel_for(ScatterOp op, const NdArray& x) {
  const Device where = x.device();
  if (x.dtype() == Dtype::bool_) op = for_booleans(op);
  const Kernel& entry = kernels<scatter_reduce_kernels>(where)
                            .loop[static_cast<int>(op)][static_cast<int>(x.dtype())];
  if (entry.host == nullptr && is_built(x.dtype())) {
    throw DtypeError(std::string(name_of) + ": the operation does not take " + name(x.dtype()));
  }
  return require_kernel(name_of, entry, x.dtype(), where);
}

/// A native form sorts the indices as 32 bits.
void check_size(const NdArray& x, const NdArray& index) {
  constexpr std::int64_t most = (std::int64_t{1} << 32) - 1;
  const bool is_native = capabilities_of(x.device()).form == KernelForm::native;
  if (!is_native || (x.size() < most && index.size() < most)) return;
  throw NotImplementedError(std::string(name_of) + ": 2^32 elements and more: " + describe(x) +
                            ", " + describe(index) + "; take parts of them");
}

/// Values of the dtype of x, one for each index or one for all.
NdArray ready_values(const NdArray& x, const NdArray& index, const Operand& values) {
  if (values.value != nullptr) return full(Dims(), *values.value, x.dtype(), x.device());
  const NdArray& given = *values.array;
  NdArray converted = given.dtype() == x.dtype() ? given : convert_operand(given, x.dtype());
  if (converted.rank() == 0) return converted;
  return contiguous(broadcast_to(converted, index.shape()));
}

}  // namespace

void scatter_reduce(ScatterOp op, const NdArray& x, const NdArray& index, const Operand& values) {
  const Operand all[] = {{.array = &x, .name = "x"}, {.array = &index, .name = "indices"}, values};
  const Device where = common_device(name_of, all);
  require_integers(name_of, "indices", index);
  require_writable(name_of, x);
  check_size(x, index);
  const Kernel& what = kernel_for(op, x);
  NdArray from = ready_values(x, index, values);
  if (index.size() == 0) return;
  NdArray places = contiguous(as_indices(index));
  const bool in_place = x.is_c_contiguous();
  const NdArray target = in_place ? x : copy_c_order(x);
  if (may_overlap(from, target)) from = copy_c_order(from);
  if (may_overlap(places, target)) places = copy_c_order(places);
  const DeferredError outside{.raise = raise_out_of_bounds, .op = name_of, .values = {x.size(), 0}};
  std::int64_t found = 0;
  std::optional<DeferredWord> word;
  if (capabilities_of(where).runs_later) word.emplace(where, outside);
  const ScatterReduceParams params{
      .target = target.data(),
      .target_size = x.size(),
      .index = reinterpret_cast<const std::int64_t*>(places.data()),
      .values = from.data(),
      .size = places.size(),
      .value_step = from.rank() == 0 && places.rank() != 0 ? 0 : x.itemsize(),
      .found = word ? word->get() : &found};
  const MemoryUse uses[] = {writes(target.memory()), reads(places), reads(from)};
  launch(where, what, params, uses);
  if (found != 0) raise_out_of_bounds(outside, found);
  if (!in_place) assign(name_of, x, target);
}

}  // namespace skerry
