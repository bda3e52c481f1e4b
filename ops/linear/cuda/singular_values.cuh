// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/access.cuh"
#include "ops/linear/cuda/linalg_stacks.cuh"
#include "ops/linear/cuda/reflectors.cuh"

namespace skerry::native {

/// to[k] = the conjugate transpose of the first columns of from[k], for `count` matrices; all
/// column-major, `to` of rows x columns; one of `from` takes from_items.
template <class T>
__global__ void __launch_bounds__(linalg_threads)
    adjoint(whole<T>* to, const whole<T>* from, std::int64_t rows, std::int64_t columns,
            std::int64_t from_items, std::int64_t count) {
  const std::int64_t step = std::int64_t{gridDim.x} * linalg_threads;
  const std::int64_t items = rows * columns;
  for (std::int64_t i = std::int64_t{blockIdx.x} * linalg_threads + threadIdx.x; i < items * count;
       i += step) {
    const std::int64_t place = i % items;
    const whole<T> item = from[i / items * from_items + place % rows * columns + place / rows];
    to[i].value = conjugate_of(item.value);
  }
}

/// to[k] = the first columns, `items` in all, of from[k], which takes from_items.
template <class T>
__global__ void __launch_bounds__(linalg_threads)
    first_columns(whole<T>* to, const whole<T>* from, std::int64_t items, std::int64_t from_items,
                  std::int64_t count) {
  const std::int64_t step = std::int64_t{gridDim.x} * linalg_threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * linalg_threads + threadIdx.x; i < items * count;
       i += step) {
    to[i] = from[i / items * from_items + i % items];
  }
}

/// By Jacobi's method, which takes matrices of any shape; it gives V, not its adjoint.
template <class T>
struct gesdd {
  static void run(const LinAlgParams& p, Session& on) {
    const auto& mine = cusolver();
    with_settings(on, mine.create_gesvdj, mine.destroy_gesvdj, [&](gesvdjInfo_t settings) {
      if (is_stack_of_small(p) && p.rows <= most_of_batched && p.columns <= most_of_batched) {
        decompose_all(p, on, settings);
      } else {
        decompose_each(p, on, settings);
      }
    });
  }

 private:
  using own = typename typed_entries<T>::own;
  using real = typename typed_entries<T>::real;

  /// Side of the largest matrices that gesvdjBatched takes (cuSOLVER documentation).
  static constexpr std::int64_t most_of_batched = 32;

  static cusolverEigMode_t job_of(const LinAlgParams& p) {
    return p.extra == 0 ? CUSOLVER_EIG_MODE_NOVECTOR : CUSOLVER_EIG_MODE_VECTOR;
  }

  /// Writes V^H for `count` matrices from `first` on, of a V of from_columns each.
  static void write_vh(const LinAlgParams& p, Session& on, const own* v, std::int64_t from_columns,
                       std::int64_t first, std::int64_t count) {
    const std::int64_t rows = p.extra == 2 ? p.columns : least(p.rows, p.columns);
    adjoint<T>
        <<<linalg_blocks(rows * p.columns * count), linalg_threads, 0, stream_of(on.context)>>>(
            at<whole<T>>(p.c, first, rows, p.columns), reinterpret_cast<const whole<T>*>(v), rows,
            p.columns, p.columns * from_columns, count);
    on.note(cudaGetLastError());
  }

  static void decompose_each(const LinAlgParams& p, Session& on, gesvdjInfo_t settings) {
    const auto& call = cusolver().of<T>();
    const cusolverEigMode_t job = job_of(p);
    const int reduced = p.extra == 2 ? 0 : 1;
    const int m = narrow(p.rows);
    const int n = narrow(p.columns);
    const std::int64_t count = least(p.rows, p.columns);
    const std::int64_t u_columns = p.extra == 2 ? p.rows : count;
    const std::int64_t v_columns = p.extra == 2 ? p.columns : count;
    own* v = on.scratch<own>(p.columns * v_columns);
    own* unused_u = p.extra == 0 ? on.scratch<own>(p.rows * u_columns) : nullptr;
    int length = 0;
    on.note(call.gesvdj_size(
        on.handle, job, reduced, m, n, at<own>(p.a, 0, m, n), m, reinterpret_cast<real*>(p.values),
        p.extra == 0 ? unused_u : reinterpret_cast<own*>(p.b), m, v, n, &length, settings));
    own* work = on.scratch<own>(length);
    for (std::int64_t i = 0; i < p.batch && on.ok(); ++i) {
      own* u = p.extra == 0 ? unused_u : at<own>(p.b, i, p.rows, u_columns);
      on.note(call.gesvdj(on.handle, job, reduced, m, n, at<own>(p.a, i, p.rows, p.columns), m,
                          at<real>(p.values, i, count, 1), u, m, v, n, work, length, p.info + i,
                          settings));
      if (p.extra != 0 && on.ok()) write_vh(p, on, v, v_columns, i, 1);
    }
  }

  /// gesvdjBatched gives square matrices of vectors, and wants memory for them in any case.
  static void decompose_all(const LinAlgParams& p, Session& on, gesvdjInfo_t settings) {
    const auto& call = cusolver().of<T>();
    const int m = narrow(p.rows);
    const int n = narrow(p.columns);
    const std::int64_t values = least(p.rows, p.columns);
    const std::int64_t u_columns = p.extra == 2 ? p.rows : values;
    const std::int64_t largest = least(p.batch, most_of_a_call);
    const bool is_own_u = p.extra == 0 || u_columns != p.rows;
    own* const scratch_u = is_own_u ? on.scratch<own>(largest * p.rows * p.rows) : nullptr;
    own* const v = on.scratch<own>(largest * p.columns * p.columns);
    const auto u_of = [&](std::int64_t first) {
      return is_own_u ? scratch_u : at<own>(p.b, first, p.rows, p.rows);
    };
    int length = 0;
    for_each_part_size(p.batch, [&](std::int64_t count) {
      int needed = 0;
      on.note(call.gesvdj_batched_size(on.handle, job_of(p), m, n, at<own>(p.a, 0, m, n), m,
                                       at<real>(p.values, 0, 1, 1), u_of(0), m, v, n, &needed,
                                       settings, narrow(count)));
      if (needed > length) length = needed;
    });
    own* const work = on.scratch<own>(length);
    for_each_part(p.batch, [&](std::int64_t first, std::int64_t count) {
      if (!on.ok()) return;
      own* const u = u_of(first);
      on.note(call.gesvdj_batched(on.handle, job_of(p), m, n, at<own>(p.a, first, m, n), m,
                                  at<real>(p.values, first, values, 1), u, m, v, n, work, length,
                                  p.info + first, settings, narrow(count)));
      if (p.extra == 0 || !on.ok()) return;
      if (is_own_u) {
        const std::int64_t items = p.rows * u_columns;
        first_columns<T>
            <<<linalg_blocks(items * count), linalg_threads, 0, stream_of(on.context)>>>(
                at<whole<T>>(p.b, first, p.rows, u_columns), reinterpret_cast<const whole<T>*>(u),
                items, p.rows * p.rows, count);
        on.note(cudaGetLastError());
      }
      write_vh(p, on, v, p.columns, first, count);
    });
  }
};

}  // namespace skerry::native
