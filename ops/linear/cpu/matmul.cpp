// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "enabled_dtypes.hpp"
#include "ops/linear/cpu/dot.hpp"
#include "ops/linear/cpu/integer_matmul.hpp"
#include "ops/linear/cpu/small_products.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

template <class T>
void fill(MatmulKernels& table) {
  constexpr int type = static_cast<int>(dtype_of<T>);
  if constexpr (ops::floating<T>) {
    // BLAS lacks the stored-only dtypes: the front end multiplies in float32.
    if constexpr (!ops::stored_only<T>) table.kernel[type].set_host<run_products<T>>();
    table.dot[type].set_host<run_dot<T>>();
  } else if constexpr (ops::integral<T>) {
    // Signed and unsigned integers share a kernel: they wrap around to the same bits.
    table.kernel[type].set_host<run_integer_matmul<ops::bits_t<T>>>();
    table.dot[type].set_host<run_dot<ops::bits_t<T>>>();
  } else {
    table.dot[type].set_host<run_dot<T>>();
  }
}

}  // namespace

void fill_matmul(MatmulKernels& table) {
#define SKERRY_FILL(name) fill<type_of<Dtype::name>>(table);
  SKERRY_FOR_EACH_ENABLED_DTYPE(SKERRY_FILL)
#undef SKERRY_FILL
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
