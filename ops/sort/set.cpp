// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/sort/set.hpp"

#include <string>

#include "core/errors.hpp"
#include "core/scalar_range.hpp"
#include "device/backend.hpp"
#include "device/memory.hpp"
#include "device/stream.hpp"
#include "device/transfer.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/host_scratch.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/create/create.hpp"
#include "ops/move/copy.hpp"
#include "ops/sort/set_kernels.hpp"

namespace skerry {
namespace {

/// Indices of items are kept in 32 bits.
constexpr std::int64_t most_indices = std::int64_t{1} << 32;

std::int64_t* integers(const ndarray& x) { return reinterpret_cast<std::int64_t*>(x.data()); }

/// Room for an integer for each distinct item; without memory where it is not wanted.
ndarray room_for_integers(const ndarray& x, bool wanted) {
  return empty(wanted ? dims{distinct_room(x.size(), x.dtype())} : dims{0}, default_integer,
               x.device());
}

/// The first items, without the rest of the memory if that is much.
ndarray first_items(const ndarray& workspace, std::int64_t count) {
  const std::int64_t size = workspace.size();
  if (count == size || size == 0) return workspace;
  const ndarray items = workspace.view(
      {.shape = {count}, .strides = workspace.strides(), .offset = workspace.layout().offset});
  return count > size - size / 4 ? items : copy_c_order(items);
}

void check_size(const char* op, const ndarray& x, unique_parts wanted) {
  check_shape(op, x.shape().span(), itemsize(default_integer));
  if (x.size() >= most_indices && !unique_by_values(x.dtype(), wanted.indices, wanted.inverse)) {
    throw not_implemented_error(std::string(op) + ": 2^32 elements and more: " + describe(x) +
                                "; take parts of it");
  }
}

/// Writes the results to rooms for the most items that there can be, and returns how many there
/// are.
std::int64_t find_unique(const kernel& what, const ndarray& x, const unique_result& rooms,
                         unique_parts wanted) {
  const device where = x.device();
  const storage_ref distinct = allocate(where, sizeof(std::int64_t));
  const storage_ref scratch =
      host_scratch(where, unique_scratch(x.size(), x.dtype(), wanted.indices, wanted.inverse));
  const unique_params params{.input = x.data(),
                             .size = x.size(),
                             .values = rooms.values.data(),
                             .indices = wanted.indices ? integers(rooms.indices) : nullptr,
                             .inverse = wanted.inverse ? integers(rooms.inverse) : nullptr,
                             .counts = wanted.counts ? integers(rooms.counts) : nullptr,
                             .distinct = reinterpret_cast<std::int64_t*>(distinct->data()),
                             .scratch = scratch->data()};
  const memory_use uses[] = {reads(x),
                             writes(rooms.values),
                             writes(rooms.indices),
                             writes(rooms.inverse),
                             writes(rooms.counts),
                             writes(distinct),
                             writes(scratch)};
  launch(where, what, params, uses);
  std::int64_t count = 0;
  read_bytes(&count, distinct, 0, sizeof count);
  return count;
}

}  // namespace

unique_result unique(const char* op, const ndarray& x, unique_parts wanted) {
  const device where = x.device();
  const kernel& what = require_kernel(
      op, kernels<set_kernels>(where).unique[static_cast<int>(x.dtype())], x.dtype(), where);
  check_size(op, x, wanted);
  unique_result result{.values = empty(dims{x.size()}, x.dtype(), where),
                       .indices = room_for_integers(x, wanted.indices),
                       .inverse = wanted.inverse ? empty(x.shape(), default_integer, where)
                                                 : room_for_integers(x, false),
                       .counts = room_for_integers(x, wanted.counts)};
  if (x.size() == 0) return result;
  const std::int64_t count = find_unique(what, contiguous(x), result, wanted);
  result.values = first_items(result.values, count);
  result.indices = first_items(result.indices, count);
  result.counts = first_items(result.counts, count);
  return result;
}

ndarray isin(const operand& x1, const operand& x2, bool invert) {
  constexpr const char* op = "isin";
  const operand both[] = {x1, x2};
  const device where = common_device(op, both);
  const dtype type = common_dtype(op, both);
  const kernel& what =
      require_kernel(op, kernels<set_kernels>(where).isin[static_cast<int>(type)], type, where);
  const auto is_beyond = [&](const operand& x) {
    return x.value != nullptr && side_beyond(*x.value, type) != 0;
  };
  if (is_beyond(x1) || is_beyond(x2)) {  // it equals nothing
    return full(x1.array != nullptr ? x1.array->shape() : dims(), scalar::of(invert), dtype::bool_,
                where);
  }
  const auto ready = [&](const operand& x) {
    return x.array != nullptr ? contiguous(astype(*x.array, type, false))
                              : full(dims(), *x.value, type, where);
  };
  const ndarray x = ready(x1);
  const ndarray among = ready(x2);
  if (capabilities_of(where).index_limit != INT64_MAX && among.size() >= most_indices) {
    throw not_implemented_error("isin: x2 has 2^32 elements or more: " + describe(among) +
                                "; take parts of it");
  }
  ndarray out = empty(x.shape(), dtype::bool_, where);
  if (out.size() == 0) return out;
  const storage_ref scratch = host_scratch(where, isin_scratch(among.size(), itemsize(type)));
  const isin_params params{.x = x.data(),
                           .size = x.size(),
                           .among = among.data(),
                           .among_size = among.size(),
                           .output = reinterpret_cast<bool*>(out.data()),
                           .invert = invert,
                           .scratch = scratch->data()};
  const memory_use uses[] = {writes(out), reads(x), reads(among), writes(scratch)};
  launch(where, what, params, uses);
  return out;
}

}  // namespace skerry
