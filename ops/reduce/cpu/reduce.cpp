// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/kernel/unit.hpp"
#include "ops/reduce/cpu/boolean.hpp"
#include "ops/reduce/cpu/half_loops.hpp"
#include "ops/reduce/cpu/index.hpp"
#include "ops/reduce/cpu/moments.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

template <class Op, class T>
struct loops_of {
  using type = SimpleLoops<Op, T>;
};
template <class Op, class T>
  requires(ops::one_of_v<Op, ops::all, ops::any>)
struct loops_of<Op, T> {
  using type = BooleanLoops<Op, T>;
};
template <class Op, class T>
  requires(ops::one_of_v<Op, ops::max, ops::min, ops::nanmax, ops::nanmin>)
struct loops_of<Op, T> {
  using type = ExtremumLoops<Op, T>;
};
template <class Op, class T>
  requires(ops::takes_index<Op>)
struct loops_of<Op, T> {
  using type = IndexLoops<Op, T>;
};
template <class Op>
  requires(ops::takes_index<Op>)
struct loops_of<Op, bool> {
  using type = PlaceLoops<Op>;
};
template <class Op, class T>
  requires(ops::one_of_v<Op, ops::std_, ops::var>)
struct loops_of<Op, T> {
  using type = MomentLoops<Op, T>;
};
template <>
struct loops_of<ops::sum, bool> {
  using type = CountLoops<ops::sum, bool>;
};
template <class T>
struct loops_of<ops::count_nonzero, T> {
  using type = CountLoops<ops::count_nonzero, T>;
};

template <class Op, class Format>
  requires(!requires { Op::of_bits; })
struct loops_of<Op, StoredFloat<Format>> {
  using type = HalfLoops<Op, StoredFloat<Format>, typename loops_of<Op, float32>::type>;
};

template <class Op, class T>
void reduce(const RowReduction& header) {
  using loops = typename loops_of<Op, T>::type;
  static constexpr Reducer reducer = {
      .itemsize = sizeof(T),
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
      .max_run_length = loops::max_run_length,
      .splits_runs = loops::splits_runs,
      .takes_strided_rows = loops::takes_strided_rows,
      .absorbing = loops::absorbing};
  run_reduction(header, reducer);
}

template <class Op, class T>
void fill_reduction(Kernel<ReduceParams>& row) {
  constexpr bool is_place = ops::takes_index<Op> && ops::boolean<T>;
  if constexpr (ops::reduces<Op, T> || is_place) {
    row.template set_host<RowReduction, reduce<Op, T>>();
  }
}
template <class T, class... Ops>
void fill_reductions(ReduceKernels& table, ops::type_list<Ops...>) {
  int index = 0;
  (fill_reduction<Ops, T>(table.kernel[index++][static_cast<int>(dtype_of<T>)]), ...);
}

template <class T>
void fill(ReduceKernels& table) {
  fill_reductions<T>(table, ops::reductions{});
}

}  // namespace

SKERRY_KERNEL_UNIT(reduce, ReduceKernels)

}  // namespace skerry::inline SKERRY_TARGET::kernels
