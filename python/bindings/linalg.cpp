// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "ops/linear/linalg.hpp"
#include "ops/linear/matmul.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/function_table.hpp"
#include "python/bindings/functions.hpp"
#include "python/bindings/lazy_object.hpp"
#include "python/bindings/linalg_docs.hpp"
#include "python/bindings/value_args.hpp"

namespace skerry::python {
namespace {

constexpr const char* module_name = "skerry.linalg";
/// Number of elements from which the GIL is released: LAPACK takes several microseconds for them.
constexpr std::int64_t long_factoring = 256;

/// Runs `body` without the GIL if `x` is large.
template <class Body>
auto computed(const NdArray& x, Body body) {
  find_openblas();
  return run_without_gil(x.size() > long_factoring, body);
}

template <NdArray (*Function)(const NdArray&)>
PyObject* run_unary(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  return wrap(computed(x, [&] { return Function(x); }));
}

/// Returns a class of named tuples, created on first use: at import each would cost 0.1 ms.
PyObject* result_type(int index) {
  static constexpr struct {
    const char* name;
    const char* fields;
  } classes[] = {{"EigResult", "eigenvalues eigenvectors"},
                 {"EighResult", "eigenvalues eigenvectors"},
                 {"QRResult", "Q R"},
                 {"SVDResult", "U S Vh"},
                 {"SlogdetResult", "sign logabsdet"}};
  static constinit LazyObject types[std::size(classes)];
  return types[index].get(
      [&] { return named_tuple_type(module_name, classes[index].name, classes[index].fields); });
}

PyObject* run_result_class(const Arguments& arguments) {
  return Py_NewRef(result_type(static_cast<int>(integer(arguments, 0))));
}

PyObject* pair(int type, const linalg::TwoArrays& arrays) {
  return named_tuple(result_type(type), {arrays.first, arrays.second});
}

/// True if UPLO= selects the upper triangle. Lower-case letters are accepted, as by NumPy.
bool selects_upper(const Arguments& arguments) {
  const auto matches = [&](const char* option) {
    return arguments[1] != nullptr && PyUnicode_Check(arguments[1]) &&
           PyUnicode_CompareWithASCIIString(arguments[1], option) == 0;
  };
  if (matches("l") || matches("u")) return matches("u");
  return choice(arguments, 1, {"L", "U"}) == 1;
}

PyObject* run_eigh(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const bool upper = selects_upper(arguments);
  return pair(1, computed(x, [&] { return linalg::eigh(x, upper); }));
}

PyObject* run_eigvalsh(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const bool upper = selects_upper(arguments);
  return wrap(computed(x, [&] { return linalg::eigvalsh(x, upper); }));
}

template <int Type, linalg::TwoArrays (*Function)(const NdArray&)>
PyObject* run_pair(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  return pair(Type, computed(x, [&] { return Function(x); }));
}

PyObject* tuple_of(linalg::TwoArrays arrays) {
  const Object first(wrap(std::move(arrays.first)));
  const Object second(wrap(std::move(arrays.second)));
  return PyTuple_Pack(2, first.get(), second.get());
}

PyObject* run_inv_unchecked(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  return tuple_of(computed(x, [&] { return linalg::inv_unchecked(x); }));
}

PyObject* run_cholesky(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const bool upper = boolean(arguments, 1, false);
  return wrap(computed(x, [&] { return linalg::cholesky(x, upper); }));
}

PyObject* run_cross(const Arguments& arguments) {
  const NdArray& x1 = array_argument(arguments, 0);
  const NdArray& x2 = array_argument(arguments, 1);
  const std::int64_t axis = integer(arguments, 2, -1);
  return wrap(linalg::cross(x1, x2, axis));
}

PyObject* run_diagonal(const Arguments& arguments) {
  const std::int64_t offset = integer(arguments, 1, 0);
  return wrap(linalg::diagonal(array_argument(arguments, 0), offset));
}

PyObject* run_qr(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  switch (choice(arguments, 1, {"reduced", "complete", "r", "raw"})) {
    case 0:
      return pair(2, computed(x, [&] { return linalg::qr(x, false); }));
    case 1:
      return pair(2, computed(x, [&] { return linalg::qr(x, true); }));
    case 2:
      return wrap(computed(x, [&] { return linalg::qr_triangle(x); }));
    default:
      return tuple_of(computed(x, [&] { return linalg::qr_reflectors(x); }));
  }
}

PyObject* run_svd(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const bool full = boolean(arguments, 1, true);
  const bool with_vectors = boolean(arguments, 2, true);
  if (boolean(arguments, 3, false)) {
    const Object function = package_function("skerry._linalg.hermitian", "svd_of_hermitian");
    return PyObject_CallFunction(function.get(), "OO", arguments[0],
                                 with_vectors ? Py_True : Py_False);
  }
  if (!with_vectors) return wrap(computed(x, [&] { return linalg::svdvals(x); }));
  const linalg::ThreeArrays factors = computed(x, [&] { return linalg::svd(x, full); });
  return named_tuple(result_type(3), {factors.first, factors.second, factors.third});
}

linalg::MatrixOrder parse_matrix_order(const Arguments& arguments) {
  PyObject* object = arguments[2];
  using order = linalg::MatrixOrder;
  if (object == nullptr || object == Py_None) return order::frobenius;
  if (PyUnicode_Check(object)) {
    const std::string_view name = utf8(object);
    if (name == "fro") return order::frobenius;
    if (name == "nuc") return order::nuclear;
  } else {
    const double value = number(arguments, 2);
    if (value == 1) return order::one;
    if (value == -1) return order::minus_one;
    if (value == 2) return order::two;
    if (value == -2) return order::minus_two;
    if (std::isinf(value)) return value > 0 ? order::infinity : order::minus_infinity;
  }
  throw ValueError(
      "ord must be 'fro', 'nuc', 1, 2, inf or the negative of one of "
      "these numbers, not " +
      shown(arguments[2]));
}

PyObject* run_matrix_norm(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const bool keepdims = boolean(arguments, 1, false);
  const linalg::MatrixOrder order = parse_matrix_order(arguments);
  return wrap(computed(x, [&] { return linalg::matrix_norm(x, keepdims, order); }));
}

PyObject* run_vector_norm(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  std::vector<std::int64_t> axes;
  if (arguments.has(1)) axes = integers(arguments, 1);
  const bool keepdims = boolean(arguments, 2, false);
  const double order = arguments.has(3) ? number(arguments, 3) : 2;
  std::optional<std::span<const std::int64_t>> selected_axes;
  if (arguments.has(1)) selected_axes = axes;
  return wrap(computed(x, [&] { return linalg::vector_norm(x, selected_axes, keepdims, order); }));
}

PyObject* run_matrix_power(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const std::int64_t n = exact_integer(arguments, 1);
  return wrap(computed(x, [&] { return linalg::matrix_power(x, n); }));
}

/// The tolerance of a call: the second argument, named `other_name`, or rtol=.
struct ToleranceArgument {
  Scalar scalar_value;
  Operand operand;
  bool is_rtol;

  ToleranceArgument(const Arguments& arguments, const char* other_name)
      : operand{.name = arguments.has(1) ? other_name : "rtol"}, is_rtol(!arguments.has(1)) {
    if (arguments.has(1) && arguments.has(3)) {
      throw ValueError(std::string(other_name) + " and rtol are both set; pass one of them");
    }
    const int parameter = is_rtol ? 3 : 1;
    if (arguments.has(parameter)) operand_argument(arguments, parameter, operand, scalar_value);
  }
};

PyObject* run_pinv(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const ToleranceArgument tolerance(arguments, "rcond");
  const bool is_hermitian = boolean(arguments, 2, false);
  return wrap(computed(x, [&] { return linalg::pinv(x, tolerance.operand, is_hermitian); }));
}

PyObject* run_matrix_rank(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const ToleranceArgument tolerance(arguments, "tol");
  const bool is_hermitian = boolean(arguments, 2, false);
  return wrap(computed(x, [&] {
    return linalg::matrix_rank(x, {.value = tolerance.operand, .is_relative = tolerance.is_rtol},
                               is_hermitian);
  }));
}

PyObject* run_outer(const Arguments& arguments) {
  const NdArray& x1 = array_argument(arguments, 0);
  return wrap(outer(x1, array_argument(arguments, 1)));
}

PyObject* run_solve(const Arguments& arguments) {
  const NdArray& x1 = array_argument(arguments, 0);
  const NdArray& x2 = array_argument(arguments, 1);
  return wrap(computed(x1, [&] { return linalg::solve(x1, x2); }));
}

PyObject* run_trace(const Arguments& arguments) {
  const NdArray& x = array_argument(arguments, 0);
  const std::int64_t offset = integer(arguments, 1, 0);
  return wrap(linalg::trace(x, offset, parse_optional_dtype(arguments[2])));
}

constexpr FunctionEntry linalg_functions[] = {
    {"cholesky", "(x, /, *, upper=False)", docs::cholesky, run_cholesky},
    {"cross", "(x1, x2, /, *, axis=-1)", docs::cross, run_cross},
    {"det", "(x, /)", docs::det, run_unary<linalg::det>},
    {"diagonal", "(x, /, *, offset=0)", docs::diagonal, run_diagonal},
    {"eig", "(x, /)", docs::eig, run_pair<0, linalg::eig>},
    {"eigh", "(x, /, UPLO='L')", docs::eigh, run_eigh},
    {"eigvals", "(x, /)", docs::eigvals, run_unary<linalg::eigvals>},
    {"eigvalsh", "(x, /, UPLO='L')", docs::eigvalsh, run_eigvalsh},
    {"inv", "(x, /)", docs::inv, run_unary<linalg::inv>},
    {"matrix_norm", "(x, /, *, keepdims=False, ord='fro')", docs::matrix_norm, run_matrix_norm},
    {"matrix_power", "(x, n, /)", docs::matrix_power, run_matrix_power},
    {"matrix_rank", "(x, /, tol=None, hermitian=False, *, rtol=None)", docs::matrix_rank,
     run_matrix_rank},
    {"outer", "(x1, x2, /)", docs::outer, run_outer},
    {"pinv", "(x, /, rcond=None, hermitian=False, *, rtol=None)", docs::pinv, run_pinv},
    {"qr", "(x, /, mode='reduced')", docs::qr, run_qr},
    {"slogdet", "(x, /)", docs::slogdet, run_pair<4, linalg::slogdet>},
    {"solve", "(x1, x2, /)", docs::solve, run_solve},
    {"svd", "(x, /, full_matrices=True, compute_uv=True, hermitian=False)", docs::svd, run_svd},
    {"svdvals", "(x, /)", docs::svdvals, run_unary<linalg::svdvals>},
    {"trace", "(x, /, *, offset=0, dtype=None)", docs::trace, run_trace},
    {"vector_norm", "(x, /, *, axis=None, keepdims=False, ord=2)", docs::vector_norm,
     run_vector_norm},
};

constexpr FunctionEntry own_functions[] = {
    {"inv_unchecked", "(x, /)",
     "The inverses of matrices, undefined for singular ones, and whether each is singular.",
     run_inv_unchecked},
    {"result_class", "(which, /)", "The named tuple class with that index.", run_result_class},
};

}  // namespace

void add_linalg(PyObject* module) {
  add_functions<linalg_functions>(module, "linear algebra extension", module_name);
  add_functions<own_functions>(module, nullptr, private_module);
}

}  // namespace skerry::python
