// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/ndarray.hpp"
#include "ops/reduce/reduction_table.hpp"
#include "python/bindings/function_table.hpp"

/// NumPy's parameters of reductions, in addition to those of the standard.
namespace skerry::python {

/// Indices of a reduction's parameters after x and axis; -1 for those that it lacks.
struct ReductionParameters {
  /// Empty until the import of the module fills it.
  constexpr ReductionParameters() = default;
  explicit ReductionParameters(const Signature& signature);

  /// True if where=, initial= or mean= is passed.
  [[nodiscard]] bool selects_elements(const Arguments& arguments) const noexcept {
    return mask >= 0 && (arguments[mask] != nullptr || (initial >= 0 && arguments.has(initial)) ||
                         (mean >= 0 && arguments.has(mean)));
  }

  int dtype = -1;
  int keepdims = -1;
  int initial = -1;
  int mask = -1;
  int mean = -1;
  int correction = -1;
  int ddof = -1;
};

/// Returns the signature of a reduction with these options: NumPy's, with the standard's names.
[[nodiscard]] const char* reduction_signature(const ReductionEntry& op);
/// Documents the parameters that `reduction_signature` adds to x, axis and keepdims.
[[nodiscard]] std::string reduction_options_doc(const ReductionEntry& op);

/// Returns correction=, or ddof=, which is NumPy's name for it. Throws ValueError if both are
/// passed.
[[nodiscard]] double parse_correction(const Arguments& arguments,
                                      const ReductionParameters& parameters);

/// Reduces x with the options that the kernels of mean, std and var lack: x is cast to dtype=, if
/// that is passed. The variance of complex numbers is that of their real parts plus that of their
/// imaginary parts. Throws DtypeError unless dtype= is floating.
[[nodiscard, gnu::cold]] PyObject* reduce_moments(reduction_id id, const NdArray& x,
                                                  std::optional<std::span<const std::int64_t>> axes,
                                                  std::optional<Dtype> type, bool keepdims,
                                                  double correction);

/// Reduces the elements for which where= is true, with initial=, by calls of `reduction` without
/// these parameters. mean, std and var with where= or mean= are computed in Python.
[[nodiscard]] PyObject* reduce_selected(const Arguments& arguments,
                                        const ReductionParameters& parameters,
                                        PyObject* (*reduction)(const Arguments& arguments));

}  // namespace skerry::python
