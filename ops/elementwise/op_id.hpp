// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/elementwise/kernels.hpp"
#include "ops/elementwise/op_table.hpp"

// In its own header, since users of op_table.hpp don't need the lists of operations.

namespace skerry {

/// The op_id of a functor, for front ends that name an operation.
template <class Op>
inline constexpr op_id op_id_of =
    ops::index_of<Op, ops::unary_ops> >= 0 ? ops::index_of<Op, ops::unary_ops>
    : ops::index_of<Op, ops::binary_ops> >= 0
        ? unary_count + ops::index_of<Op, ops::binary_ops>
        : unary_count + binary_count + ops::index_of<Op, ops::ternary_ops>;

}  // namespace skerry
