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

std::int64_t* integers(const NdArray& x) { return reinterpret_cast<std::int64_t*>(x.data()); }

/// Room for an integer for each distinct item; without memory where it is not wanted.
NdArray room_for_integers(const NdArray& x, bool wanted) {
  return empty(wanted ? Dims{distinct_room(x.size(), x.dtype())} : Dims{0}, default_integer,
               x.device());
}

/// The first items, without the rest of the memory if that is much.
NdArray first_items(const NdArray& workspace, std::int64_t count) {
  const std::int64_t size = workspace.size();
  if (count == size || size == 0) return workspace;
  const NdArray items = workspace.view(
      {.shape = {count}, .strides = workspace.strides(), .offset = workspace.layout().offset});
  return count > size - size / 4 ? items : copy_c_order(items);
}

void check_size(const char* op, const NdArray& x, UniqueParts wanted) {
  check_shape(op, x.shape().span(), itemsize(default_integer));
  if (x.size() >= most_indices && !unique_by_values(x.dtype(), wanted.indices, wanted.inverse)) {
    throw NotImplementedError(std::string(op) + ": 2^32 elements and more: " + describe(x) +
                              "; take parts of it");
  }
}

/// Writes the results to rooms for the most items that there can be, and returns how many there
/// are.
std::int64_t find_unique(const Kernel& what, const NdArray& x, const UniqueResult& rooms,
                         UniqueParts wanted) {
  const Device where = x.device();
  const StorageRef distinct = allocate(where, sizeof(std::int64_t));
  const StorageRef scratch =
      host_scratch(where, unique_scratch(x.size(), x.dtype(), wanted.indices, wanted.inverse));
  const UniqueParams params{.input = x.data(),
                            .size = x.size(),
                            .values = rooms.values.data(),
                            .indices = wanted.indices ? integers(rooms.indices) : nullptr,
                            .inverse = wanted.inverse ? integers(rooms.inverse) : nullptr,
                            .counts = wanted.counts ? integers(rooms.counts) : nullptr,
                            .distinct = reinterpret_cast<std::int64_t*>(distinct->data()),
                            .scratch = scratch->data()};
  const MemoryUse uses[] = {reads(x),
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

UniqueResult unique(const char* op, const NdArray& x, UniqueParts wanted) {
  const Device where = x.device();
  const Kernel& what = require_kernel(
      op, kernels<set_kernels>(where).unique[static_cast<int>(x.dtype())], x.dtype(), where);
  check_size(op, x, wanted);
  UniqueResult result{.values = empty(Dims{x.size()}, x.dtype(), where),
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

NdArray isin(const Operand& x1, const Operand& x2, bool invert) {
  constexpr const char* op = "isin";
  const Operand both[] = {x1, x2};
  const Device where = common_device(op, both);
  const Dtype type = common_dtype(op, both);
  const Kernel& what =
      require_kernel(op, kernels<set_kernels>(where).isin[static_cast<int>(type)], type, where);
  const auto is_beyond = [&](const Operand& x) {
    return x.value != nullptr && side_beyond(*x.value, type) != 0;
  };
  if (is_beyond(x1) || is_beyond(x2)) {  // it equals nothing
    return full(x1.array != nullptr ? x1.array->shape() : Dims(), Scalar::of(invert), Dtype::bool_,
                where);
  }
  const auto ready = [&](const Operand& x) {
    return x.array != nullptr ? contiguous(astype(*x.array, type, false))
                              : full(Dims(), *x.value, type, where);
  };
  const NdArray x = ready(x1);
  const NdArray among = ready(x2);
  if (capabilities_of(where).index_limit != INT64_MAX && among.size() >= most_indices) {
    throw NotImplementedError("isin: x2 has 2^32 elements or more: " + describe(among) +
                              "; take parts of it");
  }
  NdArray out = empty(x.shape(), Dtype::bool_, where);
  if (out.size() == 0) return out;
  const StorageRef scratch = host_scratch(where, isin_scratch(among.size(), itemsize(type)));
  const IsinParams params{.x = x.data(),
                          .size = x.size(),
                          .among = among.data(),
                          .among_size = among.size(),
                          .output = reinterpret_cast<bool*>(out.data()),
                          .invert = invert,
                          .scratch = scratch->data()};
  const MemoryUse uses[] = {writes(out), reads(x), reads(among), writes(scratch)};
  launch(where, what, params, uses);
  return out;
}

}  // namespace skerry
