// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/kernel/unit.hpp"
#include "ops/math/stand_in_type.hpp"
#include "ops/reduce/cpu/index.hpp"
#include "ops/reduce/cpu/moments.hpp"

namespace skerry {
inline namespace SKERRY_TARGET {
namespace kernels {
namespace {

template <class Op, class T>
struct loops_of {
  using type = plain_loops<Op, T>;
};
template <class Op, class T>
  requires(ops::one_of_v<Op, ops::all, ops::any>)
struct loops_of<Op, T> {
  using type = truth_loops<Op, T>;
};
template <class Op, class T>
  requires(ops::one_of_v<Op, ops::max, ops::min>)
struct loops_of<Op, T> {
  using type = extremum_loops<Op, T>;
};
template <class Op, class T>
  requires(ops::takes_index<Op>)
struct loops_of<Op, T> {
  using type = index_loops<Op, T>;
};
template <class Op, class T>
  requires(ops::one_of_v<Op, ops::std_, ops::var>)
struct loops_of<Op, T> {
  using type = moment_loops<Op, T>;
};
template <>
struct loops_of<ops::sum, bool> {
  using type = count_loops<ops::sum, bool>;
};
template <class T>
struct loops_of<ops::count_nonzero, T> {
  using type = count_loops<ops::count_nonzero, T>;
};

/// The reduction and dtype whose loops run Op on elements of T, and the bits that are inverted.
template <class Op, class T>
struct loops_for {
  using type = typename loops_of<Op, ops::reduction_stand_in_t<Op, T>>::type;
  static constexpr uint64 flip = 0;
};
/// One argmax of signed integers is that and argmin of both signs. Not so of floats, nor max and
/// min: to invert bits takes up to half as long again as their loops.
template <class Op, ops::integral T>
  requires ops::takes_index<Op>
struct loops_for<Op, T> {
  using type = index_loops<ops::argmax, ops::signed_stand_in_t<T>>;
  static constexpr uint64 flip = ops::flipped_bits<Op, T>() ^ ops::sign_bit<T>;
};

template <class loops, int64 Size, uint64 Flip>
void reduce(const void* params) {
  run_reduction(*static_cast<const reduce_params*>(params),
                {.itemsize = Size,
                 .accumulator_size = loops::size,
                 .clear = loops::clear,
                 .columns = loops::columns,
                 .rows = loops::rows,
                 .merge = loops::merge,
                 .finish = loops::finish,
                 .direct = loops::direct,
                 .short_rows = {loops::template short_rows<2>, loops::template short_rows<3>,
                                loops::template short_rows<4>},
                 .result_size = loops::result_size,
                 .block_rows = loops::block_rows,
                 .longest_run = loops::longest_run,
                 .splits_runs = loops::splits_runs,
                 .absorbing = loops::absorbing,
                 .flip = Flip});
}

template <class Op, class T>
void fill_reduction(kernel& row) {
  if constexpr (ops::reduces<Op, T>) {
    using found = loops_for<Op, T>;
    row.host = reduce<typename found::type, sizeof(T), found::flip>;
  }
}
template <class T, class... Ops>
void fill_reductions(reduce_kernels& table, ops::type_list<Ops...>) {
  int index = 0;
  (fill_reduction<Ops, T>(table.loop[index++][static_cast<int>(dtype_of<T>)]), ...);
}

template <class T>
void fill(reduce_kernels& table) {
  fill_reductions<T>(table, ops::reductions{});
}

}  // namespace

SKERRY_KERNEL_UNIT(reduce)

}  // namespace kernels
}  // namespace SKERRY_TARGET
}  // namespace skerry
