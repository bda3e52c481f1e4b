# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``reduce``, ``accumulate``, ``reduceat``, ``outer`` and ``at`` of elementwise functions, as NumPy's ufuncs have them.

``sk.add.reduce(x)`` and ``np.add.reduce(x)`` both run these. Methods without a function in skerry are composed of
elementwise calls: of log2(n) calls for associative functions, of one call per element for others.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._arrays import HOME, Array, Function, arrays_in
from skerry._data_types import as_dtype, can_cast, kind_of
from skerry._outputs import output_argument, store
from skerry._ufunc_calls import call as call
from skerry._ufunc_calls import evaluate
from skerry.exceptions import AxisError, DTypeError

#: Values that change no element that they are combined with.
IDENTITIES: dict[str, Any] = {
    "add": 0, "bitwise_and": -1, "bitwise_or": 0, "bitwise_xor": 0, "gcd": 0, "hypot": 0, "logaddexp": -sk.inf,
    "logaddexp2": -sk.inf, "logical_and": True, "logical_or": False, "logical_xor": False, "multiply": 1,
}  # fmt: skip
ASSOCIATIVE = {*IDENTITIES, "fmax", "fmin", "lcm", "maximum", "minimum"}
#: The function that combines successive right operands: a - b - c is a - (b + c).
JOINED_BY = {name: name for name in ASSOCIATIVE} | {"subtract": "add"}
#: Functions with a scatter kernel. The result must have the array's dtype, which may be complex for the first three.
SCATTERED = {
    "add", "subtract", "multiply", "minimum", "maximum", "bitwise_and", "bitwise_or", "bitwise_xor",
}  # fmt: skip
REDUCTIONS: dict[str, Function] = {
    "add": sk.sum, "logical_and": sk.all, "logical_or": sk.any, "maximum": sk.max, "minimum": sk.min,
    "multiply": sk.prod,
}  # fmt: skip
SCANS: dict[str, Function] = {"add": sk.cumulative_sum, "multiply": sk.cumulative_prod}


def identity(function: Function) -> Any:
    """Return the value of an empty reduction; None if the function has none."""
    return IDENTITIES.get(function.__name__)


def reduce(function: Function, /, *args: Any, **kwargs: Any) -> Array:
    """Combine the elements along axes."""
    return fold(f"{function.__name__}.reduce", function, *args, **kwargs)


def accumulate(function: Function, /, *args: Any, **kwargs: Any) -> Array:
    """Combine the elements along an axis and return all intermediate results."""
    return scan(f"{function.__name__}.accumulate", function, *args, **kwargs)


def reduceat(function: Function, /, *args: Any, **kwargs: Any) -> Array:
    """Reduce slices that begin at indices."""
    return fold_slices(f"{function.__name__}.reduceat", function, *args, **kwargs)


def outer(function: Function, /, *args: Any, **kwargs: Any) -> Any:
    """Apply the function to all pairs of elements."""
    return all_pairs(f"{function.__name__}.outer", function, *args, **kwargs)


def at(function: Function, /, *args: Any) -> None:
    """Compute ``a[indices] = function(a[indices], b)``, repeatedly for repeated indices."""
    change_at(f"{function.__name__}.at", function, *args)


def _require_binary(name: str, function: Any) -> None:
    if function.nin != 2 or function.nout != 1:
        raise ValueError(
            f"{name}: {function.__name__} has {function.nin} inputs and {function.nout} outputs; "
            "the method needs a function of two inputs with one output"
        )


def _operand(value: Any, *context: Any) -> Array:
    """Return an argument as an array: NumPy's are on cpu:0, lists and numbers on the device of arrays in ``context``.

    Without one, that is the default device.
    """
    if isinstance(value, Array):
        return value
    array = value if isinstance(value, np.ndarray) else next(arrays_in(context), None)
    device = HOME if isinstance(array, np.ndarray) else None if array is None else array.device
    x: Array = sk.asarray(value, device=device)
    return x


def _require_one_device(name: str, *values: Any) -> None:
    _core.require_one_device(name, tuple(arrays_in(values)))


def _axis(name: str, axis: int, x: Array) -> int:
    if not -x.ndim <= axis < x.ndim:
        raise AxisError(f"{name}: axis {axis} is out of bounds for array of {x.ndim} axes")
    return axis % x.ndim


def _axes(name: str, axis: Any, x: Array) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(x.ndim))
    if x.ndim == 0 and axis in (0, -1):  # as NumPy has it
        return ()
    axes = axis if isinstance(axis, tuple) else (axis,)
    return tuple(sorted(_axis(name, i, x) for i in axes))


def _combinable(name: str, function: Function, x: Array, dtype: Any) -> Array:
    """Convert to ``dtype``, or to the dtype that results of the function have, so that they can be combined again."""
    is_logical = function.__name__.startswith("logical")
    if dtype is not None:
        if is_logical and as_dtype(dtype) != np.bool_:
            raise DTypeError(f"{name}: results are bool, not {as_dtype(dtype)}; leave dtype out")
        return sk.astype(x, dtype, copy=False)
    empty = sk.empty((0,), dtype=x.dtype, device=x.device)
    result = function(empty, empty).dtype
    if result == x.dtype:
        return x
    if result == np.bool_ and not is_logical:
        raise DTypeError(
            f"{name}: results of {function.__name__} are bool and can't be combined with elements of {x.dtype}"
        )
    return sk.astype(x, result)


def _identity_of(operation: str, dtype: np.dtype[Any]) -> Any:
    if operation == "bitwise_and" and kind_of(dtype) != "i":
        return True if kind_of(dtype) == "b" else int(np.iinfo(dtype).max)
    return IDENTITIES.get(operation)


def fold(
    name: str,
    function: Any,
    array: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = np._NoValue,
    where: Any = True,
) -> Array:
    """Reduce axes by a function."""
    _require_binary(name, function)
    operation = function.__name__
    condition = where
    _require_one_device(name, array, out, initial, condition)
    x = _combinable(name, function, _operand(array, out, initial, condition), dtype)
    axes = _axes(name, axis, x)
    if len(axes) > 1 and operation not in ASSOCIATIVE:
        raise ValueError(f"{name}: not associative, so it reduces one axis, not {axes}")
    neutral = None if initial is None else _identity_of(operation, x.dtype)
    has_initial = initial is not None and initial is not np._NoValue
    if condition is not True:
        if neutral is None and not has_initial:
            raise ValueError(f"{name}: {operation} has no identity; pass initial= with where=")
        replacement = initial if neutral is None else neutral
        is_array = isinstance(condition, Array)
        mask = condition if is_array else sk.asarray(condition, device=x.device)
        x = sk.where(sk.broadcast_to(mask, x.shape), x, replacement)
    is_empty = any(x.shape[i] == 0 for i in axes)
    if is_empty and has_initial:
        shape = tuple(n for i, n in enumerate(x.shape) if i not in axes)
        result = sk.broadcast_to(sk.asarray(initial, dtype=x.dtype, device=x.device), shape).copy()
    elif is_empty and neutral is None:
        raise ValueError(
            f"{name}: no elements to reduce, and {operation} has no identity; pass initial="
        )
    else:
        if has_initial and operation not in ASSOCIATIVE:
            first = sk.asarray(initial, dtype=x.dtype, device=x.device)
            ends = tuple(1 if i in axes else n for i, n in enumerate(x.shape))
            x = sk.concat([sk.broadcast_to(first, ends), x], axis=axes[0])
        result = _fold_axes(function, x, axes, dtype)
        if has_initial and operation in ASSOCIATIVE:
            result = function(result, initial)
    if keepdims and axes:
        result = sk.expand_dims(result, axes)
    return store(name, result, output_argument(name, out))


def _fold_axes(function: Function, x: Array, axes: tuple[int, ...], dtype: Any) -> Array:
    operation = function.__name__
    reduction: Any = REDUCTIONS.get(operation)
    result: Array
    if operation in SCANS:  # sums and products
        result = reduction(x, axis=axes, dtype=dtype)
        return result
    if reduction is not None and (operation.startswith("logical") or kind_of(x.dtype) in "iuf"):
        result = reduction(x, axis=axes)
        return result
    for i in reversed(axes):
        x = _fold_first(function, sk.moveaxis(x, i, 0))
    return x if axes else _single(function, x)


def _single(function: Function, x: Array) -> Array:
    """Reduce a single element, which is combined with the identity: hypot returns its magnitude."""
    neutral = _identity_of(function.__name__, x.dtype)
    result: Array = x.copy() if neutral is None else function(x, neutral)
    return result


def _fold_first(function: Function, x: Array) -> Array:
    n = x.shape[0]
    if n == 0:
        return sk.full(
            x.shape[1:], _identity_of(function.__name__, x.dtype), dtype=x.dtype, device=x.device
        )
    if n == 1:
        return _single(function, x[0, ...])
    if function.__name__ in ASSOCIATIVE:
        return _tree(function, x)
    if joined := JOINED_BY.get(function.__name__):
        result: Array = function(x[0], _tree(getattr(sk, joined), x[1:]))
        return result
    result = x[0]
    for i in range(1, n):
        result = function(result, x[i])
    return result


def _tree(function: Function, x: Array) -> Array:
    """Fold the first axis by an associative function: combine the two halves until one element is left."""
    while (n := x.shape[0]) > 1:
        half = n // 2
        paired = function(x[:half], x[half : 2 * half])
        x = sk.concat([paired, x[2 * half :]]) if n % 2 else paired
    return x[0]


def scan(
    name: str, function: Any, array: Any, axis: int = 0, dtype: Any = None, out: Any = None
) -> Array:
    """Scan along an axis by a function."""
    _require_binary(name, function)
    _require_one_device(name, array, out)
    x = _operand(array, out)
    if x.ndim == 0:
        raise TypeError(f"{name}: needs an axis, not a 0-d array")
    axis = _axis(name, axis, x)
    output = output_argument(name, out)
    if target := SCANS.get(function.__name__):
        return store(name, target(x, axis=axis, dtype=dtype), output)
    x = sk.moveaxis(_combinable(name, function, x, dtype), axis, 0)
    if function.__name__ in ASSOCIATIVE:
        step = 1
        while step < x.shape[0]:
            x = sk.concat([x[:step], function(x[:-step], x[step:])])
            step *= 2
    elif x.shape[0] > 1:
        rows = [x[0]]
        for i in range(1, x.shape[0]):
            rows.append(function(rows[-1], x[i]))
        x = sk.stack(rows)
    return store(name, sk.moveaxis(x, 0, axis).copy(), output)


def fold_slices(
    name: str,
    function: Any,
    array: Any,
    indices: Any,
    axis: int = 0,
    dtype: Any = None,
    out: Any = None,
) -> Array:
    """Reduce ``x[indices[i]:indices[i + 1]]`` for each i; take ``x[indices[i]]`` if that slice is empty.

    Indices that are an array are read from the device.
    """
    _require_binary(name, function)
    _require_one_device(name, array, indices, out)
    x = _operand(array, indices, out)
    axis = _axis(name, axis, x)
    n = x.shape[axis]
    if isinstance(indices, Array):
        indices = np.asarray(indices.to_device("cpu"))
    starts = np.asarray(indices)
    if starts.ndim != 1 or kind_of(starts.dtype) not in "iu":
        raise TypeError(
            f"{name}: indices must be a vector of integers, not {starts.dtype}[{starts.ndim} axes]"
        )
    outside = starts[(starts < 0) | (starts >= n)]
    if outside.size:
        raise IndexError(f"{name}: index {outside[0]} is out of bounds for an axis of length {n}")
    if dtype is None and function.__name__ in SCANS and kind_of(x.dtype) in "biu":
        dtype = SCANS[function.__name__](sk.empty((0,), dtype=x.dtype)).dtype
    x = sk.moveaxis(_combinable(name, function, x, dtype), axis, 0)
    later = np.maximum(np.append(starts[1:], n) - starts - 1, 0)
    slices = np.repeat(np.arange(starts.size), later)
    firsts = np.cumsum(later) - later
    rest = starts[slices] + 1 + np.arange(slices.size) - firsts[slices]
    result = sk.take(x, sk.asarray(starts, device=x.device), axis=0)
    if rest.size:
        values = sk.take(x, sk.asarray(rest, device=x.device), axis=0)
        change_at(name, function, result, sk.asarray(slices, device=x.device), values)
    return store(name, sk.moveaxis(result, 0, axis).copy(), output_argument(name, out))


def all_pairs(name: str, function: Any, a: Any, b: Any, **options: Any) -> Any:
    """Apply a function to all pairs of elements."""
    _require_binary(name, function)
    _require_one_device(name, a, b)
    x1, x2 = (_operand(x) if isinstance(x, np.ndarray) else x for x in (a, b))
    if isinstance(x1, list | tuple) or isinstance(x2, list | tuple):
        x1, x2 = _core.literals(name, ("a", "b"), (x1, x2), tuple(arrays_in(options)))
    if isinstance(x1, Array) and isinstance(x2, Array):
        x1 = sk.reshape(x1, x1.shape + (1,) * x2.ndim)
    return evaluate(name, function, (x1, x2), options)


def change_at(name: str, function: Any, a: Any, indices: Any, *values: Any) -> None:
    """Compute ``a[indices] = function(a[indices], values)`` unbuffered: repeated indices are applied repeatedly.

    Values are converted to the dtype of ``a`` first.

    Some functions have a kernel. The others wait for the device: the largest number of repetitions of an index decides
    the number of steps.
    """
    if len(values) != function.nin - 1 or function.nout != 1:
        operands = f"{function.nin - 1} operand" + ("s" if function.nin != 2 else "")
        raise ValueError(f"{name}: takes a, indices and {operands}, not {len(values)}")
    _require_one_device(name, a, indices, *values)
    if not isinstance(a, (Array, np.ndarray)):
        raise TypeError(
            f"{name}: writes into an array, not into {type(a).__name__}; make one with skerry.asarray"
        )
    x = _operand(a)
    positions = sk.reshape(sk.arange(x.size, device=x.device), x.shape)[indices]
    flat_values: Any = None
    if values:
        value = _as_dtype_of(name, _value_of(name, values[0], x), x)
        dtype = _dtype_of_results(function, x, value)
        if dtype == x.dtype and _has_kernel(function.__name__, x):
            _core.scatter_reduce(function.__name__, x, positions, value)
            return
        if not can_cast(dtype, x.dtype, "same_kind"):
            raise DTypeError(
                f"{name}: the result is {dtype}, which can't be stored in place in a, {x.dtype} {x.shape} on "
                f"{x.device}; convert one with astype"
            )
        if not isinstance(value, Array) and function.__name__ in JOINED_BY:
            value = sk.asarray(value, dtype=x.dtype, device=x.device)
        flat_values = value
        if isinstance(value, Array):
            flat_values = sk.reshape(sk.broadcast_to(value, positions.shape), (-1,))
    scatter(function, x, sk.reshape(positions, (-1,)), flat_values)


def _value_of(name: str, value: Any, x: Array) -> Any:
    """Return a scalar itself, and lists as arrays on the device of ``x`` by the rule for literals."""
    if isinstance(value, Array) or np.ndim(value) == 0:
        return value
    if isinstance(value, np.ndarray):
        return _operand(value)
    return _core.literals(name, ("a", "b"), (x, value), ())[1]


def _as_dtype_of(name: str, value: Any, x: Array) -> Any:
    """Convert an array to the dtype of ``x``, by the rule "same_kind" or between integer dtypes.

    Integers beside floating-point numbers stay what they are: ldexp takes integers only.
    """
    if not isinstance(value, Array) or value.dtype == x.dtype:
        return value
    if kind_of(value.dtype) in "biu" and kind_of(x.dtype) in "fc":
        return value
    both_integers = kind_of(value.dtype) in "iu" and kind_of(x.dtype) in "iu"
    if not both_integers and not can_cast(value.dtype, x.dtype, "same_kind"):
        raise DTypeError(
            f"{name}: b of {value.dtype} does not cast to {x.dtype} of a; use skerry.astype"
        )
    return sk.astype(value, x.dtype)


def _dtype_of_results(function: Function, x: Array, value: Any) -> np.dtype[Any]:
    """Return the dtype of ``function(x, value)``."""
    operands = [
        sk.empty((0,), dtype=operand.dtype, device=x.device)
        if isinstance(operand, Array)
        else operand
        for operand in (x, value)
    ]
    dtype: np.dtype[Any] = function(*operands).dtype
    return dtype


def _has_kernel(operation: str, x: Array) -> bool:
    is_accepted = kind_of(x.dtype) in "iuf" or operation in ("add", "subtract", "multiply")
    return operation in SCATTERED and kind_of(x.dtype) != "b" and is_accepted


def scatter(function: Function, x: Array, positions: Array, values: Any) -> None:
    """Combine values, or a scalar, with the elements of ``x`` at flat indices in C order, which may repeat."""
    n = positions.shape[0]
    if n == 0:
        return
    order = sk.argsort(positions)
    positions = sk.take(positions, order)
    is_first = sk.ones((n,), dtype=sk.bool, device=x.device)
    is_first[1:] = positions[1:] != positions[:-1]
    first = sk.nonzero(is_first)[0]
    group = sk.cumulative_sum(sk.astype(is_first, sk.int64)) - 1
    rank = sk.arange(n, device=x.device) - sk.take(first, group)
    most = int(sk.max(rank)) + 1
    flat = sk.reshape(x, (-1,))
    if isinstance(values, Array):
        values = sk.take(values, order)
        if joined_by := JOINED_BY.get(function.__name__):
            joined = _join_groups(getattr(sk, joined_by), values, group, most)
            is_last = sk.concat([is_first[1:], sk.ones((1,), dtype=sk.bool, device=x.device)])
            positions, values, most = positions[is_last], joined[is_last], 1
            rank = sk.zeros_like(positions)
    for i in range(most):
        chosen = sk.nonzero(rank == i)[0]
        selected_positions = sk.take(positions, chosen)
        operands: tuple[Any, ...] = (flat[selected_positions],)
        if values is not None:
            operands += (sk.take(values, chosen) if isinstance(values, Array) else values,)
        flat[selected_positions] = function(*operands)
    if not _is_view(x):
        x[...] = sk.reshape(flat, x.shape)


def _join_groups(function: Function, values: Array, group: Array, most: int) -> Array:
    """Scan each group of equal positions; the last element of a group has the combined value."""
    step = 1
    while step < most:
        together = group[step:] == group[:-step]
        joined = sk.where(together, function(values[:-step], values[step:]), values[step:])
        values = sk.concat([values[:step], joined])
        step *= 2
    return values


def _is_view(x: Array) -> bool:
    """Return whether a reshape to one axis is a view of ``x``."""
    try:
        sk.reshape(x, (-1,), copy=False)
    except ValueError:
        return False
    return True
