// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/elementwise/kernels.hpp"
#include "ops/elementwise/op_table.hpp"

// Separate from op_table.hpp, whose users don't need the lists of operations.

namespace skerry {

/// The op_id of a functor that the front end needs by name.
template <class Op>
inline constexpr op_id op_id_of =
    ops::index_of<Op, ops::unary_ops> >= 0 ? ops::index_of<Op, ops::unary_ops>
    : ops::index_of<Op, ops::binary_ops> >= 0
        ? unary_count + ops::index_of<Op, ops::binary_ops>
        : unary_count + binary_count + ops::index_of<Op, ops::ternary_ops>;

}  // namespace skerry
