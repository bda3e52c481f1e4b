// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/errors.hpp"
#include "ops/elementwise/apply.hpp"
#include "ops/elementwise/op_id.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/converted_args.hpp"
#include "python/bindings/recorded_calls.hpp"

namespace skerry::python {
namespace {

/// Records a call instead of executing it, if possible. True if `result` is set, or null with an
/// error.
[[gnu::noinline, gnu::cold]] bool recorded(op_id op, PyObject* const* args, int count,
                                           PyObject*& result) {
  if (runs_at_once(args, count)) return false;
  result = record_call(op, args, count);
  return result != nullptr || PyErr_Occurred() != nullptr;
}
[[gnu::noinline, gnu::cold]] bool recorded_in_place(op_id op, PyObject* self, PyObject* other,
                                                    PyObject*& result) {
  result = record_in_place(op, self, other);
  return result != nullptr || PyErr_Occurred() != nullptr;
}

template <class Op>
PyObject* binary(PyObject* left, PyObject* right) {
  if (detail::active_recording != nullptr) [[unlikely]] {
    PyObject* const args[] = {left, right};
    PyObject* result = nullptr;
    if (recorded(op_id_of<Op>, args, 2, result)) return result;
  }
  return translate_exceptions(op_table()[op_id_of<Op>].name, [&]() -> PyObject* {
    Scalar values[2];
    Operand operands[2] = {{.name = "x1"}, {.name = "x2"}};
    const Parsed first = parse_operand(left, operands[0], values[0]);
    const Parsed second = parse_operand(right, operands[1], values[1]);
    if (first == Parsed::error || second == Parsed::error) return nullptr;
    if (first == Parsed::no || second == Parsed::no) {
      return operate_converted(op_table()[op_id_of<Op>].name, left, right, binary<Op>);
    }
    return wrap_result(takes_long(operands), [&] { return apply(op_id_of<Op>, operands); });
  });
}

template <class Op>
PyObject* unary(PyObject* self) {
  if (detail::active_recording != nullptr) [[unlikely]] {
    PyObject* result = nullptr;
    if (recorded(op_id_of<Op>, &self, 1, result)) return result;
  }
  return translate_exceptions(op_table()[op_id_of<Op>].name, [&] {
    const Operand x{.array = &value_of(self)};
    return wrap_result(takes_long({&x, 1}), [&] { return apply(op_id_of<Op>, {&x, 1}); });
  });
}

template <class Op>
PyObject* in_place(PyObject* self, PyObject* other) {
  if (detail::active_recording != nullptr) [[unlikely]] {
    PyObject* result = nullptr;
    if (recorded_in_place(op_id_of<Op>, self, other, result)) return result;
  }
  return translate_exceptions(op_table()[op_id_of<Op>].name, [&]() -> PyObject* {
    Scalar scalar_value;
    Operand operands[2] = {{.array = &value_of(self), .name = "x1"}, {.name = "x2"}};
    const Parsed second = parse_operand(other, operands[1], scalar_value);
    if (second == Parsed::error) return nullptr;
    if (second == Parsed::no) {
      return operate_converted(op_table()[op_id_of<Op>].name, self, other, in_place<Op>);
    }
    {
      const WithoutGil working(takes_long(operands));
      apply_into(op_id_of<Op>, header_of(self), operands);
    }
    return Py_NewRef(self);
  });
}

/// Implements divmod: (left // right, left % right).
PyObject* quotient_and_remainder(PyObject* left, PyObject* right) {
  PyObject* const quotient = binary<ops::floor_divide>(left, right);
  if (quotient == nullptr || quotient == Py_NotImplemented) return quotient;
  PyObject* const remainder = binary<ops::remainder>(left, right);
  PyObject* const both = remainder == nullptr ? nullptr : PyTuple_Pack(2, quotient, remainder);
  Py_DECREF(quotient);
  Py_XDECREF(remainder);
  return both;
}

PyObject* power(PyObject* left, PyObject* right, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return binary<ops::pow>(left, right);
}

PyObject* power_in_place(PyObject* self, PyObject* other, PyObject*) {
  return in_place<ops::pow>(self, other);
}

/// Raises TypeError for arrays of other libraries: `==` would otherwise silently be False.
PyObject* not_comparable(PyObject* other) {
  if (!PyObject_HasAttrString(other, "__array__") && !PyObject_HasAttrString(other, "__dlpack__")) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  PyErr_Format(PyExc_TypeError,
               "comparison: can't compare a skerry.Array with a %s; use skerry.asarray first",
               Py_TYPE(other)->tp_name);
  return nullptr;
}

PyObject* compare(PyObject* self, PyObject* other, int comparison) {
  static constexpr binaryfunc functions[] = {binary<ops::less>,    binary<ops::less_equal>,
                                             binary<ops::equal>,   binary<ops::not_equal>,
                                             binary<ops::greater>, binary<ops::greater_equal>};
  static_assert(Py_LT == 0 && Py_LE == 1 && Py_EQ == 2 && Py_NE == 3 && Py_GT == 4 && Py_GE == 5);
  PyObject* const result = functions[comparison](self, other);
  if (result != Py_NotImplemented || is_list_or_tuple(other)) return result;
  Py_DECREF(result);
  return not_comparable(other);
}

/// Returns the element of a real 0-d array as a Python scalar.
Object real_of(PyObject* self) {
  const NdArray& array = value_of(self);
  if (kind(array.dtype()) != DtypeKind::complex_floating)
    return scalar_of(self, "; select one element first");
  throw DtypeError("not supported for a complex array: " + describe(array) +
                   "; use skerry.real or skerry.abs first");
}

PyObject* to_float(PyObject* self) {
  return translate_exceptions("float", [&] {
    const NdArray& x = value_of(self);
    if (x.rank() == 0 && x.dtype() == Dtype::float64) {
      return PyFloat_FromDouble(read_element(x).as<double>());
    }
    return PyNumber_Float(real_of(self).get());
  });
}

PyObject* to_int(PyObject* self) {
  return translate_exceptions("int", [&] { return PyNumber_Long(real_of(self).get()); });
}

PyObject* to_index(PyObject* self) {
  return translate_exceptions("index", [&] {
    if (!is_integer(value_of(self).dtype())) {
      throw DtypeError("only an integer array can be an index, not " + describe(value_of(self)));
    }
    return scalar_of(self).release();
  });
}

int to_bool(PyObject* self) {
  return translate_exceptions(
      "bool",
      [&] {
        const NdArray& array = value_of(self);
        if (array.size() != 1) {
          throw ValueError("the truth value of an array with size != 1 is ambiguous: " +
                           describe(array) + "; use skerry.any or skerry.all");
        }
        const Element value = read_element(array);
        return visit(array.dtype(),
                     [&]<class T>(type_identity<T>) { return value.as<T>() != T{} ? 1 : 0; });
      },
      -1);
}

}  // namespace

PyType_Slot number_slots[] = {
    {Py_nb_add, slot(with_call_note<binary<ops::add>>("add"))},
    {Py_nb_subtract, slot(with_call_note<binary<ops::subtract>>("subtract"))},
    {Py_nb_multiply, slot(with_call_note<binary<ops::multiply>>("multiply"))},
    {Py_nb_true_divide, slot(with_call_note<binary<ops::divide>>("divide"))},
    {Py_nb_floor_divide, slot(with_call_note<binary<ops::floor_divide>>("floor_divide"))},
    {Py_nb_remainder, slot(with_call_note<binary<ops::remainder>>("remainder"))},
    {Py_nb_divmod, slot(with_call_note<quotient_and_remainder>("divmod"))},
    {Py_nb_power, slot(with_call_note<power>("pow"))},
    {Py_nb_and, slot(with_call_note<binary<ops::bitwise_and>>("bitwise_and"))},
    {Py_nb_or, slot(with_call_note<binary<ops::bitwise_or>>("bitwise_or"))},
    {Py_nb_xor, slot(with_call_note<binary<ops::bitwise_xor>>("bitwise_xor"))},
    {Py_nb_lshift, slot(with_call_note<binary<ops::bitwise_left_shift>>("bitwise_left_shift"))},
    {Py_nb_rshift, slot(with_call_note<binary<ops::bitwise_right_shift>>("bitwise_right_shift"))},
    {Py_nb_matrix_multiply, slot(with_call_note<multiply_matrices>("matmul"))},
    {Py_nb_inplace_add, slot(with_call_note<in_place<ops::add>>("add"))},
    {Py_nb_inplace_subtract, slot(with_call_note<in_place<ops::subtract>>("subtract"))},
    {Py_nb_inplace_multiply, slot(with_call_note<in_place<ops::multiply>>("multiply"))},
    {Py_nb_inplace_true_divide, slot(with_call_note<in_place<ops::divide>>("divide"))},
    {Py_nb_inplace_floor_divide, slot(with_call_note<in_place<ops::floor_divide>>("floor_divide"))},
    {Py_nb_inplace_remainder, slot(with_call_note<in_place<ops::remainder>>("remainder"))},
    {Py_nb_inplace_power, slot(with_call_note<power_in_place>("pow"))},
    {Py_nb_inplace_and, slot(with_call_note<in_place<ops::bitwise_and>>("bitwise_and"))},
    {Py_nb_inplace_or, slot(with_call_note<in_place<ops::bitwise_or>>("bitwise_or"))},
    {Py_nb_inplace_xor, slot(with_call_note<in_place<ops::bitwise_xor>>("bitwise_xor"))},
    {Py_nb_inplace_lshift,
     slot(with_call_note<in_place<ops::bitwise_left_shift>>("bitwise_left_shift"))},
    {Py_nb_inplace_rshift,
     slot(with_call_note<in_place<ops::bitwise_right_shift>>("bitwise_right_shift"))},
    {Py_nb_inplace_matrix_multiply, slot(with_call_note<multiply_matrices_in_place>("matmul"))},
    {Py_nb_negative, slot(with_call_note<unary<ops::negative>>("negative"))},
    {Py_nb_positive, slot(with_call_note<unary<ops::positive>>("positive"))},
    {Py_nb_absolute, slot(with_call_note<unary<ops::abs>>("abs"))},
    {Py_nb_invert, slot(with_call_note<unary<ops::bitwise_invert>>("bitwise_invert"))},
    {Py_nb_bool, slot(with_call_note<to_bool>("bool"))},
    {Py_nb_float, slot(with_call_note<to_float>("float"))},
    {Py_nb_int, slot(with_call_note<to_int>("int"))},
    {Py_nb_index, slot(with_call_note<to_index>("index"))},
    {Py_tp_richcompare, slot(with_call_note<compare>("comparison"))},
    {},
};

}  // namespace skerry::python
