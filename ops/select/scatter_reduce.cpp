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

[[noreturn]] void raise_out_of_bounds(const deferred_error& error, std::int64_t found) {
  throw index_error(std::string(error.op) + ": index " + std::to_string(found) +
                    " is out of bounds: x has " + std::to_string(error.values[0]) + " elements");
}

/// What an operation is for bool, whose sum is "or" and whose product is "and".
scatter_op for_booleans(scatter_op op) {
  switch (op) {
    case scatter_op::add:
    case scatter_op::maximum:
      return scatter_op::bitwise_or;
    case scatter_op::multiply:
    case scatter_op::minimum:
      return scatter_op::bitwise_and;
    default:
      return op;
  }
}

const kernel& kernel_for(scatter_op op, const ndarray& x) {
  const device where = x.device();
  if (x.dtype() == dtype::bool_) op = for_booleans(op);
  const kernel& entry = kernels<scatter_reduce_kernels>(where)
                            .loop[static_cast<int>(op)][static_cast<int>(x.dtype())];
  if (entry.host == nullptr && is_built(x.dtype())) {
    throw dtype_error(std::string(name_of) + ": the operation does not take " + name(x.dtype()));
  }
  return require_kernel(name_of, entry, x.dtype(), where);
}

/// A native form sorts the indices as 32 bits.
void check_size(const ndarray& x, const ndarray& index) {
  constexpr std::int64_t most = (std::int64_t{1} << 32) - 1;
  const bool is_native = capabilities_of(x.device()).form == kernel_form::native;
  if (!is_native || (x.size() < most && index.size() < most)) return;
  throw not_implemented_error(std::string(name_of) + ": 2^32 elements and more: " + describe(x) +
                              ", " + describe(index) + "; take parts of them");
}

/// Values of the dtype of x, one for each index or one for all.
ndarray ready_values(const ndarray& x, const ndarray& index, const operand& values) {
  if (values.value != nullptr) return full(dims(), *values.value, x.dtype(), x.device());
  const ndarray& given = *values.array;
  ndarray converted = given.dtype() == x.dtype() ? given : convert_operand(given, x.dtype());
  if (converted.rank() == 0) return converted;
  return contiguous(broadcast_to(converted, index.shape()));
}

}  // namespace

void scatter_reduce(scatter_op op, const ndarray& x, const ndarray& index, const operand& values) {
  const operand all[] = {{.array = &x, .name = "x"}, {.array = &index, .name = "indices"}, values};
  const device where = common_device(name_of, all);
  require_integers(name_of, "indices", index);
  require_writable(name_of, x);
  check_size(x, index);
  const kernel& what = kernel_for(op, x);
  ndarray from = ready_values(x, index, values);
  if (index.size() == 0) return;
  ndarray places = contiguous(as_indices(index));
  const bool in_place = x.is_c_contiguous();
  const ndarray target = in_place ? x : copy_c_order(x);
  if (may_overlap(from, target)) from = copy_c_order(from);
  if (may_overlap(places, target)) places = copy_c_order(places);
  const deferred_error outside{
      .raise = raise_out_of_bounds, .op = name_of, .values = {x.size(), 0}};
  std::int64_t found = 0;
  std::optional<deferred_word> word;
  if (capabilities_of(where).runs_later) word.emplace(where, outside);
  const scatter_reduce_params params{
      .target = target.data(),
      .target_size = x.size(),
      .index = reinterpret_cast<const std::int64_t*>(places.data()),
      .values = from.data(),
      .size = places.size(),
      .value_step = from.rank() == 0 && places.rank() != 0 ? 0 : x.itemsize(),
      .found = word ? word->get() : &found};
  const memory_use uses[] = {writes(target.memory()), reads(places), reads(from)};
  launch(where, what, params, uses);
  if (found != 0) raise_out_of_bounds(outside, found);
  if (!in_place) assign(name_of, x, target);
}

}  // namespace skerry
