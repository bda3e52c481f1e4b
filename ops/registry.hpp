// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/device.hpp"
#include "core/dtype.hpp"
#include "ops/kernels/table.hpp"

namespace skerry {

using op_id = std::int16_t;         ///< position in op_table()
using reduction_id = std::int16_t;  ///< position in reduction_table()

/// One elementwise operation as the front end, Python, the tests and the docs see it.
struct op_entry {
  const char* name;
  const char* doc;
  int arity;
  bool expensive;  ///< a transcendental: worth threads from fewer elements
  std::optional<dtype> result[dtype_count];  ///< by compute dtype; empty where there is no loop
};
[[nodiscard]] std::span<const op_entry> op_table() noexcept;
[[nodiscard]] std::optional<op_id> find_op(std::string_view name) noexcept;

struct reduction_entry {
  const char* name;
  const char* doc;
  bool needs_elements;  ///< an error over no elements (max, min)
  bool has_dtype;       ///< takes dtype= (sum, prod)
  std::optional<dtype> result[dtype_count];
};
[[nodiscard]] std::span<const reduction_entry> reduction_table() noexcept;
[[nodiscard]] std::optional<reduction_id> find_reduction(std::string_view name) noexcept;

/// Position of a functor that the front end itself needs by name.
template <class Op>
inline constexpr op_id op_id_of =
    ops::index_of<Op, ops::unary_ops> >= 0 ? ops::index_of<Op, ops::unary_ops>
    : ops::index_of<Op, ops::binary_ops> >= 0
        ? unary_count + ops::index_of<Op, ops::binary_ops>
        : unary_count + binary_count + ops::index_of<Op, ops::ternary_ops>;

/// The kernels for this machine: host forms for the best instruction set, chosen when the library
/// is loaded; native forms from the first use of a real CUDA device on.
[[nodiscard]] const kernel_table& kernels() noexcept;
/// The same, with the native forms there if `where` is a real CUDA device.
[[nodiscard]] const kernel_table& kernels(device where) noexcept;

}  // namespace skerry
