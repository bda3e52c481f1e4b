// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/linalg.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "ops/linear/linalg.hpp"
#include "ops/linear/matmul.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/function_table.hpp"
#include "python/bindings/functions.hpp"
#include "python/bindings/linalg_docs.hpp"
#include "python/bindings/linalg_factor_docs.hpp"
#include "python/bindings/named_tuple.hpp"
#include "python/bindings/value_args.hpp"

namespace skerry::python {
namespace {

constexpr const char* home = "skerry.linalg";
/// Elements from which on other threads may run: LAPACK does several microseconds of work on them.
constexpr std::int64_t long_factoring = 256;

/// Runs `body` without the GIL if `x` is large.
template <class Body>
auto computed(const ndarray& x, Body body) {
  find_openblas();
  return run_without_gil(x.size() > long_factoring, body);
}

const ndarray& array_of(const char* op, const arguments& with) {
  return require_array(op, "x", with[0]);
}

template <const char* const& Op, ndarray (*Function)(const ndarray&)>
PyObject* run_unary(const arguments& with) {
  const ndarray& x = array_of(Op, with);
  return wrap(computed(x, [&] { return Function(x); }));
}

/// The classes of named tuples, made at first use: each costs the import a tenth of a millisecond.
PyObject* result_type(int which) {
  static constexpr struct {
    const char* name;
    const char* fields;
  } classes[] = {{"EigResult", "eigenvalues eigenvectors"},
                 {"EighResult", "eigenvalues eigenvectors"},
                 {"QRResult", "Q R"},
                 {"SVDResult", "U S Vh"},
                 {"SlogdetResult", "sign logabsdet"}};
  static PyObject* made[std::size(classes)] = {};
  if (made[which] == nullptr) {
    made[which] = named_tuple_type(home, classes[which].name, classes[which].fields);
  }
  return made[which];
}

PyObject* run_result_class(const arguments& with) {
  return Py_NewRef(result_type(static_cast<int>(integer(with, 0))));
}

PyObject* pair(int type, const linalg::two_arrays& arrays) {
  return named_tuple(result_type(type), {arrays.first, arrays.second});
}

constexpr const char* det_name = "det";
constexpr const char* eigvals_name = "eigvals";
constexpr const char* eigvalsh_name = "eigvalsh";
constexpr const char* inv_name = "inv";
constexpr const char* svdvals_name = "svdvals";

PyObject* run_cholesky(const arguments& with) {
  const ndarray& x = array_of("cholesky", with);
  const bool upper = truth(with, 1, false);
  return wrap(computed(x, [&] { return linalg::cholesky(x, upper); }));
}

PyObject* run_cross(const arguments& with) {
  const ndarray& x1 = require_array("cross", "x1", with[0]);
  const ndarray& x2 = require_array("cross", "x2", with[1]);
  const std::int64_t axis = integer(with, 2, -1);
  return wrap(linalg::cross(x1, x2, axis));
}

PyObject* run_diagonal(const arguments& with) {
  const std::int64_t offset = integer(with, 1, 0);
  return wrap(linalg::diagonal(array_of("diagonal", with), offset));
}

PyObject* run_eig(const arguments& with) {
  const ndarray& x = array_of("eig", with);
  return pair(0, computed(x, [&] { return linalg::eig(x); }));
}

PyObject* run_eigh(const arguments& with) {
  const ndarray& x = array_of("eigh", with);
  return pair(1, computed(x, [&] { return linalg::eigh(x); }));
}

PyObject* run_slogdet(const arguments& with) {
  const ndarray& x = array_of("slogdet", with);
  return pair(4, computed(x, [&] { return linalg::slogdet(x); }));
}

std::string text_or_empty(PyObject* from) {
  if (!PyUnicode_Check(from)) return {};
  const char* text = PyUnicode_AsUTF8(from);
  if (text == nullptr) throw python_error{};
  return text;
}

PyObject* run_qr(const arguments& with) {
  const ndarray& x = array_of("qr", with);
  const std::string mode = with[1] != nullptr ? text_or_empty(with[1]) : "reduced";
  if (mode != "reduced" && mode != "complete") {
    throw value_error("qr: mode must be 'reduced' or 'complete', not '" + mode + "'");
  }
  return pair(2, computed(x, [&] { return linalg::qr(x, mode == "complete"); }));
}

PyObject* run_svd(const arguments& with) {
  const ndarray& x = array_of("svd", with);
  const bool full = truth(with, 1, true);
  const linalg::three_arrays found = computed(x, [&] { return linalg::svd(x, full); });
  return named_tuple(result_type(3), {found.first, found.second, found.third});
}

linalg::matrix_order parse_matrix_order(const arguments& with) {
  PyObject* from = with[2];
  using order = linalg::matrix_order;
  if (from == nullptr || from == Py_None) return order::frobenius;
  if (PyUnicode_Check(from)) {
    const std::string name = text_or_empty(from);
    if (name == "fro") return order::frobenius;
    if (name == "nuc") return order::nuclear;
  } else {
    const double value = number(with, 2);
    if (value == 1) return order::one;
    if (value == -1) return order::minus_one;
    if (value == 2) return order::two;
    if (value == -2) return order::minus_two;
    if (std::isinf(value)) return value > 0 ? order::infinity : order::minus_infinity;
  }
  throw value_error("matrix_norm: ord must be 'fro', 'nuc', 1, 2, inf or the negative of one of " +
                    std::string("these numbers, not ") + shown(from));
}

PyObject* run_matrix_norm(const arguments& with) {
  const ndarray& x = array_of("matrix_norm", with);
  const bool keepdims = truth(with, 1, false);
  const linalg::matrix_order order = parse_matrix_order(with);
  return wrap(computed(x, [&] { return linalg::matrix_norm(x, keepdims, order); }));
}

PyObject* run_vector_norm(const arguments& with) {
  const ndarray& x = array_of("vector_norm", with);
  std::vector<std::int64_t> axes;
  if (with.has(1)) axes = integers(with, 1);
  const bool keepdims = truth(with, 2, false);
  const double order = with.has(3) ? number(with, 3) : 2;
  std::optional<std::span<const std::int64_t>> chosen;
  if (with.has(1)) chosen = axes;
  return wrap(computed(x, [&] { return linalg::vector_norm(x, chosen, keepdims, order); }));
}

PyObject* run_matrix_power(const arguments& with) {
  const ndarray& x = array_of("matrix_power", with);
  const std::int64_t n = integer(with, 1);
  return wrap(computed(x, [&] { return linalg::matrix_power(x, n); }));
}

template <ndarray (*Function)(const ndarray&, const operand&)>
PyObject* with_tolerance(const char* op, const arguments& with) {
  const ndarray& x = array_of(op, with);
  scalar scalar_value;
  operand rtol{.name = "rtol"};
  if (with.has(1)) require_operand(op, with[1], rtol, scalar_value);
  return wrap(computed(x, [&] { return Function(x, rtol); }));
}
PyObject* run_matrix_rank(const arguments& with) {
  return with_tolerance<linalg::matrix_rank>("matrix_rank", with);
}
PyObject* run_pinv(const arguments& with) { return with_tolerance<linalg::pinv>("pinv", with); }

PyObject* run_outer(const arguments& with) {
  const ndarray& x1 = require_array("outer", "x1", with[0]);
  return wrap(outer(x1, require_array("outer", "x2", with[1])));
}

PyObject* run_solve(const arguments& with) {
  const ndarray& x1 = require_array("solve", "x1", with[0]);
  const ndarray& x2 = require_array("solve", "x2", with[1]);
  return wrap(computed(x1, [&] { return linalg::solve(x1, x2); }));
}

PyObject* run_trace(const arguments& with) {
  const ndarray& x = array_of("trace", with);
  const std::int64_t offset = integer(with, 1, 0);
  return wrap(linalg::trace(x, offset, parse_optional_dtype("trace", with[2])));
}

constexpr function_entry linalg_functions[] = {
    {"cholesky", "(x, /, *, upper=False)", docs::cholesky, run_cholesky},
    {"cross", "(x1, x2, /, *, axis=-1)", docs::cross, run_cross},
    {"det", "(x, /)", docs::det, run_unary<det_name, linalg::det>},
    {"diagonal", "(x, /, *, offset=0)", docs::diagonal, run_diagonal},
    {"eig", "(x, /)", docs::eig, run_eig},
    {"eigh", "(x, /)", docs::eigh, run_eigh},
    {"eigvals", "(x, /)", docs::eigvals, run_unary<eigvals_name, linalg::eigvals>},
    {"eigvalsh", "(x, /)", docs::eigvalsh, run_unary<eigvalsh_name, linalg::eigvalsh>},
    {"inv", "(x, /)", docs::inv, run_unary<inv_name, linalg::inv>},
    {"matrix_norm", "(x, /, *, keepdims=False, ord='fro')", docs::matrix_norm, run_matrix_norm},
    {"matrix_power", "(x, n, /)", docs::matrix_power, run_matrix_power},
    {"matrix_rank", "(x, /, *, rtol=None)", docs::matrix_rank, run_matrix_rank},
    {"outer", "(x1, x2, /)", docs::outer, run_outer},
    {"pinv", "(x, /, *, rtol=None)", docs::pinv, run_pinv},
    {"qr", "(x, /, *, mode='reduced')", docs::qr, run_qr},
    {"slogdet", "(x, /)", docs::slogdet, run_slogdet},
    {"solve", "(x1, x2, /)", docs::solve, run_solve},
    {"svd", "(x, /, *, full_matrices=True)", docs::svd, run_svd},
    {"svdvals", "(x, /)", docs::svdvals, run_unary<svdvals_name, linalg::svdvals>},
    {"trace", "(x, /, *, offset=0, dtype=None)", docs::trace, run_trace},
    {"vector_norm", "(x, /, *, axis=None, keepdims=False, ord=2)", docs::vector_norm,
     run_vector_norm},
};

constexpr function_entry own_functions[] = {
    {"result_class", "(which, /)", "The class of the named tuples of that number.",
     run_result_class},
};

}  // namespace

void add_linalg(PyObject* module) {
  add_functions<linalg_functions>(module, home);
  add_functions<own_functions>(module, private_home);
}

}  // namespace skerry::python
