// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/access.cuh"
#include "ops/linear/cuda/linalg_stacks.cuh"
#include "ops/linear/cuda/reflectors.cuh"

namespace skerry::native {

/// Sets each destination matrix, rows x columns, to the conjugate transpose of the first `rows`
/// columns of a source matrix, which has `source_items` items. All are column-major.
template <class T>
struct write_adjoints {
  whole<T>* destination;
  const whole<T>* source;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t source_items;

  __device__ void operator()(std::int64_t i) const {
    const std::int64_t items = rows * columns;
    const std::int64_t index = i % items;
    const whole<T> item = source[i / items * source_items + index % rows * columns + index / rows];
    destination[i].value = conjugate_of(item.value);
  }
};

/// Copies the first columns of each source matrix: `items` of its `source_items` items.
template <class T>
struct copy_first_columns {
  whole<T>* destination;
  const whole<T>* source;
  std::int64_t items;
  std::int64_t source_items;

  __device__ void operator()(std::int64_t i) const {
    destination[i] = source[i / items * source_items + i % items];
  }
};

/// Singular value decomposition by cuSOLVER's Jacobi method (gesvdj), which accepts matrices of any
/// shape and returns V instead of V^H.
template <class T>
struct gesdd {
  static void run(const LinAlgParams& p, CusolverCall& session) {
    const auto& entries = cusolver();
    with_settings(session, entries.create_gesvdj, entries.destroy_gesvdj,
                  [&](gesvdjInfo_t settings) {
                    if (is_stack_of_small(p) && p.rows <= max_batched_extent &&
                        p.columns <= max_batched_extent) {
                      decompose_all(p, session, settings);
                    } else {
                      decompose_each(p, session, settings);
                    }
                  });
  }

 private:
  using cuda_type = typename typed_entries<T>::cuda_type;
  using real = typename typed_entries<T>::real;

  /// Maximum extent that gesvdjBatched accepts (cuSOLVER documentation).
  static constexpr std::int64_t max_batched_extent = 32;

  static cusolverEigMode_t jobz_of(const LinAlgParams& p) {
    return p.vectors == SingularVectors::none ? CUSOLVER_EIG_MODE_NOVECTOR
                                              : CUSOLVER_EIG_MODE_VECTOR;
  }

  /// Writes V^H of matrices [first, first + count); each V has `from_columns` columns.
  static void write_vh(const LinAlgParams& p, CusolverCall& session, const cuda_type* v,
                       std::int64_t from_columns, std::int64_t first, std::int64_t count) {
    const std::int64_t rows =
        p.vectors == SingularVectors::full ? p.columns : minimum(p.rows, p.columns);
    const write_adjoints<T> write{.destination = matrix_at<whole<T>>(p.c, first, rows, p.columns),
                                  .source = reinterpret_cast<const whole<T>*>(v),
                                  .rows = rows,
                                  .columns = p.columns,
                                  .source_items = p.columns * from_columns};
    session.note(cub::DeviceFor::Bulk(rows * p.columns * count, write, stream_of(session.context)));
  }

  static void decompose_each(const LinAlgParams& p, CusolverCall& session, gesvdjInfo_t settings) {
    const auto& call = cusolver().entry_points<T>();
    const cusolverEigMode_t jobz = jobz_of(p);
    const int reduced = p.vectors == SingularVectors::full ? 0 : 1;
    const int m = narrow(p.rows);
    const int n = narrow(p.columns);
    const std::int64_t count = minimum(p.rows, p.columns);
    const std::int64_t u_columns = p.vectors == SingularVectors::full ? p.rows : count;
    const std::int64_t v_columns = p.vectors == SingularVectors::full ? p.columns : count;
    cuda_type* v = session.scratch<cuda_type>(p.columns * v_columns);
    cuda_type* unused_u = p.vectors == SingularVectors::none
                              ? session.scratch<cuda_type>(p.rows * u_columns)
                              : nullptr;
    int length = 0;
    session.note(call.gesvdj_size(
        session.handle, jobz, reduced, m, n, matrix_at<cuda_type>(p.a, 0, m, n), m,
        reinterpret_cast<real*>(p.values.get()),
        p.vectors == SingularVectors::none ? unused_u : reinterpret_cast<cuda_type*>(p.b.get()), m,
        v, n, &length, settings));
    cuda_type* workspace = session.scratch<cuda_type>(length);
    for (std::int64_t i = 0; i < p.batch && session.ok(); ++i) {
      cuda_type* u = p.vectors == SingularVectors::none
                         ? unused_u
                         : matrix_at<cuda_type>(p.b, i, p.rows, u_columns);
      session.note(call.gesvdj(session.handle, jobz, reduced, m, n,
                               matrix_at<cuda_type>(p.a, i, p.rows, p.columns), m,
                               matrix_at<real>(p.values, i, count, 1), u, m, v, n, workspace,
                               length, p.info + i, settings));
      if (p.vectors != SingularVectors::none && session.ok())
        write_vh(p, session, v, v_columns, i, 1);
    }
  }

  /// Decomposes the stack in batched calls. gesvdjBatched requires square U and V, which need
  /// memory even if no vectors were requested.
  static void decompose_all(const LinAlgParams& p, CusolverCall& session, gesvdjInfo_t settings) {
    const auto& call = cusolver().entry_points<T>();
    const int m = narrow(p.rows);
    const int n = narrow(p.columns);
    const std::int64_t values = minimum(p.rows, p.columns);
    const std::int64_t u_columns = p.vectors == SingularVectors::full ? p.rows : values;
    const std::int64_t largest = minimum(p.batch, max_call_batch);
    const bool is_own_u = p.vectors == SingularVectors::none || u_columns != p.rows;
    cuda_type* const scratch_u =
        is_own_u ? session.scratch<cuda_type>(largest * p.rows * p.rows) : nullptr;
    cuda_type* const v = session.scratch<cuda_type>(largest * p.columns * p.columns);
    const auto u_of = [&](std::int64_t first) {
      return is_own_u ? scratch_u : matrix_at<cuda_type>(p.b, first, p.rows, p.rows);
    };
    int length = 0;
    for_each_part_size(p.batch, [&](std::int64_t count) {
      int required_length = 0;
      session.note(call.gesvdj_batched_size(session.handle, jobz_of(p), m, n,
                                            matrix_at<cuda_type>(p.a, 0, m, n), m,
                                            matrix_at<real>(p.values, 0, 1, 1), u_of(0), m, v, n,
                                            &required_length, settings, narrow(count)));
      if (required_length > length) length = required_length;
    });
    cuda_type* const workspace = session.scratch<cuda_type>(length);
    for_each_part(p.batch, [&](std::int64_t first, std::int64_t count) {
      if (!session.ok()) return;
      cuda_type* const u = u_of(first);
      session.note(call.gesvdj_batched(session.handle, jobz_of(p), m, n,
                                       matrix_at<cuda_type>(p.a, first, m, n), m,
                                       matrix_at<real>(p.values, first, values, 1), u, m, v, n,
                                       workspace, length, p.info + first, settings, narrow(count)));
      if (p.vectors == SingularVectors::none || !session.ok()) return;
      if (is_own_u) {
        const std::int64_t items = p.rows * u_columns;
        const copy_first_columns<T> copy{
            .destination = matrix_at<whole<T>>(p.b, first, p.rows, u_columns),
            .source = reinterpret_cast<const whole<T>*>(u),
            .items = items,
            .source_items = p.rows * p.rows};
        session.note(cub::DeviceFor::Bulk(items * count, copy, stream_of(session.context)));
      }
      write_vh(p, session, v, p.columns, first, count);
    });
  }
};

}  // namespace skerry::native
