# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Einstein summation."""

from __future__ import annotations

import functools
import importlib
import math
import operator
import string
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

import skerry as sk
from skerry._core import Array
from skerry._data_types import kind_of
from skerry._extra._compute_options import computed_as, ordered
from skerry._extra._operands import Arrays, as_arrays, cast, promoted
from skerry._outputs import output_argument, store
from skerry.exceptions import ShapeError

__all__ = ["einsum", "einsum_path"]

Optimize = bool | str | Sequence[Any]
Labels = tuple[str, ...]
Labelled = tuple[Array, Labels]


def einsum(
    *operands: Any,
    out: Any = None,
    dtype: Any = None,
    order: str = "K",
    casting: str = "safe",
    optimize: Optimize = False,
) -> Array:
    """Evaluate the Einstein summation convention on arrays.

    Parameters
    ----------
    *operands : str and Arrays
        Subscripts such as ``"ij,jk->ik"`` followed by the arrays; or arrays, each followed by a list of integer labels,
        and optionally the list of labels of the result. A label that occurs twice in one array selects its diagonal;
        ``...`` stands for additional axes, which broadcast. Without ``->`` the result has the labels that occur once,
        in alphabetical order. If no operand is an array, numbers and lists of them go to the default device.
    out : {out}
    dtype : dtype, optional
        Dtype of the computation, to which the operands must cast by ``casting``.
    order : {"K", "A", "C", "F"}, default "K"
        Memory order of a new result: "C" is C order, "F" column-major, the others are any.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}, default "safe"
        Which casts to ``dtype`` are allowed; "unsafe" also allows all casts to the dtype of ``out``.
    optimize : bool, str or path, default False
        Order in which to contract three or more arrays; see ``einsum_path``. False and True mean "greedy".

    Returns
    -------
    Array
        Array of the common dtype, also for narrow integers. Pairs of arrays are contracted by matrix products.

    Raises
    ------
    DeviceMismatchError, TypeError, ValueError
        If the arrays are on different devices, a dtype does not cast, or the subscripts or ``out`` do not match.

    Examples
    --------
    >>> import skerry as sk
    >>> x = sk.asarray([[1, 2], [3, 4]])
    >>> sk.einsum("ij,jk->ik", x, x)
    Array([[ 7, 10],
           [15, 22]], dtype=int64, device='cpu:0')

    """
    formula, inputs = _formula("einsum", operands)
    if dtype is None and out is None and order == "K" and casting == "safe":
        return _sum_of(formula, promoted("einsum", *inputs), optimize)
    inputs = as_arrays("einsum", *inputs)
    output = output_argument("einsum", out, *inputs)
    arrays = promoted("einsum", *computed_as("einsum", dtype, casting, *inputs))
    result = _sum_of(formula, arrays, optimize)
    if output is None:
        return ordered("einsum", result, order)
    return store("einsum", result, output, "unsafe" if casting == "unsafe" else "same_kind")


def _sum_of(formula: str, arrays: Arrays, optimize: Optimize) -> Array:
    """Evaluate a formula for arrays of one dtype; products of bool are counted."""
    bools = kind_of(arrays[0].dtype) == "b"
    direct = _product_of(formula, *(x.shape for x in arrays)) if len(arrays) == 2 else None
    if direct is not None and (not bools or direct.multiply is operator.mul):
        return direct(*arrays)
    counted = [cast(x, sk.int64) for x in arrays] if bools else arrays
    result = direct(*counted) if direct is not None else _evaluated(formula, counted, optimize)
    return result != 0 if bools else result


def einsum_path(*operands: Any, optimize: Optimize = "greedy") -> tuple[list[Any], str]:
    """Return the contraction order of ``einsum`` and a description of its cost.

    Parameters
    ----------
    *operands : str and Arrays
        See ``einsum``; only the shapes and dtypes matter.
    optimize : bool, str or path, default "greedy"
        "greedy" or "optimal", with a memory limit as in ``("greedy", 10000)``, or an explicit path.

    Returns
    -------
    path : list
        ``["einsum_path", (i, j), ...]``: the arrays to contract next; the result is appended to the list of arrays.
    text : str
        The report of ``numpy.einsum_path``, which finds the path.

    Examples
    --------
    >>> import skerry as sk
    >>> x, y, z = sk.ones((2, 8)), sk.ones((8, 9)), sk.ones((9, 2))
    >>> sk.einsum_path("ij,jk,kl->il", x, y, z)[0]
    ['einsum_path', (1, 2), (0, 1)]

    """
    formula, inputs = _formula("einsum_path", operands)
    arrays = as_arrays("einsum_path", *inputs)
    stand_ins = [np.broadcast_to(np.zeros((), x.dtype), x.shape) for x in arrays]
    path, text = np.einsum_path(formula, *stand_ins, optimize=optimize)
    return list(path), text


def _evaluated(formula: str, arrays: Arrays, optimize: Optimize) -> Array:
    """Evaluate a formula for any number of arrays."""
    terms, output = _terms(formula, tuple(x.shape for x in arrays))
    labelled = zip(arrays, terms, strict=True)
    work = _without_ones([_diagonals(x, term) for x, term in labelled])
    for chosen in _path(work, output, optimize):
        parts = [work.pop(i) for i in sorted(chosen, reverse=True)]
        used_labels = set(output).union(*(term for _, term in work))
        product = parts.pop()
        while parts:
            required_labels = used_labels.union(*(term for _, term in parts[:-1]))
            product = _contract(product, parts.pop(), required_labels)
        work.append(product)
    x, term = _summed(work[0], set(output))
    return _in_order(x, term, output)


def _formula(name: str, operands: tuple[Any, ...]) -> tuple[str, list[Any]]:
    """Return the formula and the arrays from either form of arguments."""
    if not operands:
        raise ValueError(f"{name}: operands is empty; pass subscripts and arrays")
    if len(operands) == 1:
        raise ValueError(
            f"{name}: operands has no array; pass subscripts and an array for each term"
        )
    if isinstance(operands[0], str):
        return operands[0].replace(" ", ""), list(operands[1:])
    pairs = len(operands) // 2
    arrays = list(operands[: 2 * pairs : 2])
    terms = [_letters(name, labels) for labels in operands[1 : 2 * pairs : 2]]
    formula = ",".join(terms)
    if len(operands) % 2:
        formula += "->" + _letters(name, operands[-1])
    return formula, arrays


def _is_label(label: Any) -> bool:
    """Return whether a label is an int, or a 0-d array of one that the host can read."""
    if isinstance(label, Array):
        return label.ndim == 0 and kind_of(label.dtype) in "iu" and label.device.kind == "cpu"
    return hasattr(label, "__index__")


def _letters(name: str, labels: Any) -> str:
    """Convert a list of integer labels to a term; the alphabetical order is that of the numbers."""
    alphabet = string.ascii_uppercase + string.ascii_lowercase
    if isinstance(labels, Array) and labels.device.kind == "cpu" and labels.ndim == 1:
        labels = labels.tolist()
    if isinstance(labels, (str, Array)) or not isinstance(labels, Iterable):
        raise TypeError(
            f"{name}: operands: labels must be a list of integers after each array, not {type(labels).__name__}"
        )
    term = ""
    for label in labels:
        if label is Ellipsis:
            term += "..."
        elif not _is_label(label):
            raise TypeError(
                f"{name}: operands: labels must be integers or ..., not {type(label).__name__}"
            )
        elif 0 <= operator.index(label) < len(alphabet):
            term += alphabet[operator.index(label)]
        else:
            limit = len(alphabet) - 1
            raise ValueError(f"{name}: operands: labels must be from 0 to {limit}, not {label}")
    return term


@functools.lru_cache(maxsize=1024)
def _terms(formula: str, shapes: tuple[tuple[int, ...], ...]) -> tuple[tuple[Labels, ...], Labels]:
    """Return the labels of the axes of each array and of the result; axes of an ellipsis are numbered from the last."""
    inputs, arrow, result = formula.partition("->")
    written = inputs.split(",")
    if len(written) != len(shapes):
        raise ValueError(
            f"einsum: {formula!r} has {len(written)} terms for {len(shapes)} arrays; pass one for each"
        )
    allowed = set(string.ascii_letters)
    terms, most = [], 0
    for term, shape in zip(written, shapes, strict=True):
        leading_labels, dots, trailing_labels = term.partition("...")
        if not set(leading_labels + trailing_labels) <= allowed:
            raise ValueError(f"einsum: invalid term {term!r} in {formula!r}; use letters and ...")
        extra = len(shape) - len(leading_labels) - len(trailing_labels)
        if extra < 0 or (extra and not dots):
            raise ValueError(
                f"einsum: the term {term!r} does not match the {len(shape)} axes of shape {shape}"
            )
        most = max(most, extra)
        terms.append((*leading_labels, *(f".{i}" for i in range(extra, 0, -1)), *trailing_labels))
    further = [f".{i}" for i in range(most, 0, -1)]
    if not arrow:
        once = [label for label in allowed if inputs.count(label) == 1]
        return tuple(terms), (*further, *sorted(once))
    leading_labels, dots, trailing_labels = result.partition("...")
    output = (*leading_labels, *(further if dots else []), *trailing_labels)
    input_labels = {label for term in terms for label in term}
    if len(set(output)) < len(output) or not set(output) <= input_labels:
        raise ValueError(
            f"einsum: the result {result!r} has a repeated label, or one that no array has"
        )
    return tuple(terms), output


def _diagonals(x: Array, term: Labels) -> Labelled:
    """Replace axes with the same label by their diagonal."""
    if len(set(term)) == len(term):
        return x, term
    for label in dict.fromkeys(term):
        while term.count(label) > 1:
            i = term.index(label)
            j = term.index(label, i + 1)
            if x.shape[i] != x.shape[j]:
                raise ShapeError(
                    f"einsum: axes with the label {label!r} differ in length: {x.shape[i]} and {x.shape[j]}"
                )
            x = sk.linalg.diagonal(sk.moveaxis(x, (i, j), (-2, -1)))
            term = (*(other_label for k, other_label in enumerate(term) if k not in (i, j)), label)
    return x, term


def _without_ones(work: list[Labelled]) -> list[Labelled]:
    """Check lengths, and drop axes of length 1 whose label is longer elsewhere: they broadcast."""
    lengths: dict[str, int] = {}
    for x, term in work:
        for label, n in zip(term, x.shape, strict=True):
            length = lengths.setdefault(label, n)
            if length not in (n, 1) and n != 1:
                raise ShapeError(
                    f"einsum: axes with the label {label!r} differ in length: {length} and {n}"
                )
            lengths[label] = n if length == 1 else length
    if 1 not in lengths.values() and all(1 not in x.shape for x, _ in work):
        return work
    result = []
    for x, term in work:
        ones = tuple(i for i, label in enumerate(term) if x.shape[i] == 1 != lengths[label])
        kept_labels = tuple(label for i, label in enumerate(term) if i not in ones)
        result.append((sk.squeeze(x, ones) if ones else x, kept_labels))
    return result


def _path(work: list[Labelled], output: Labels, optimize: Optimize) -> list[tuple[int, ...]]:
    """Return the contraction order: by opt_einsum if it is installed, else by NumPy."""
    if len(work) <= 2:
        return [tuple(range(len(work)))]
    if not isinstance(optimize, (bool, str)) and optimize and optimize[0] == "einsum_path":
        steps: Sequence[Any] = optimize[1:]
        return [tuple(step) for step in steps]
    letters = dict.fromkeys(label for _, term in work for label in term)
    if len(letters) > 52:
        return [(0, 1)] * (len(work) - 1)
    names = dict(zip(letters, string.ascii_letters, strict=False))
    formula = ",".join("".join(names[label] for label in term) for _, term in work)
    formula += "->" + "".join(names[label] for label in output)
    shapes = [x.shape for x, _ in work]
    chosen = "greedy" if isinstance(optimize, bool) else optimize
    try:
        opt_einsum = importlib.import_module("opt_einsum")
    except ImportError:
        stand_ins = [np.broadcast_to(np.zeros(()), shape) for shape in shapes]
        numpy_path: Any = np.einsum_path(formula, *stand_ins, optimize=chosen)[0]
        return [tuple(step) for step in numpy_path[1:]]
    limit = {}
    if not isinstance(chosen, str):
        chosen, limit = chosen[0], {"memory_limit": chosen[1]}
    path = opt_einsum.contract_path(formula, *shapes, shapes=True, optimize=chosen, **limit)[0]
    return [tuple(step) for step in path]


def _summed(labelled: Labelled, output: set[str]) -> Labelled:
    """Sum over the labels that are not in ``output``."""
    x, term = labelled
    gone = tuple(i for i, label in enumerate(term) if label not in output)
    if not gone:
        return x, term
    # einsum keeps the dtype; sum would widen narrow integers.
    kept_labels = tuple(label for label in term if label in output)
    return sk.sum(x, axis=gone, dtype=x.dtype), kept_labels


def _contract(a: Labelled, b: Labelled, output: set[str]) -> Labelled:
    """Contract two arrays: sum over the labels that are not in ``output``."""
    (x, of_x), (y, of_y) = _summed(a, output | set(b[1])), _summed(b, output | set(a[1]))
    stack, rows, _, columns = _roles(of_x, of_y, frozenset(output))
    out = stack + rows + columns
    return _product(of_x, of_y, out, x.shape, y.shape)(x, y), out


class _Product(NamedTuple):
    """Steps to contract two arrays; None skips a permutation or a reshape."""

    order_of_x: tuple[int, ...] | None
    shape_of_x: tuple[int, ...] | None
    order_of_y: tuple[int, ...] | None
    shape_of_y: tuple[int, ...] | None
    multiply: Callable[[Array, Array], Array]
    shape: tuple[int, ...] | None
    order: tuple[int, ...] | None

    def __call__(self, x: Array, y: Array) -> Array:
        if self.order_of_x is not None:
            x = sk.permute_dims(x, self.order_of_x)
        if self.shape_of_x is not None:
            x = sk.reshape(x, self.shape_of_x)
        if self.order_of_y is not None:
            y = sk.permute_dims(y, self.order_of_y)
        if self.shape_of_y is not None:
            y = sk.reshape(y, self.shape_of_y)
        is_and = kind_of(x.dtype) == "b" and self.multiply is operator.mul
        product = x & y if is_and else self.multiply(x, y)
        if self.shape is not None:
            product = sk.reshape(product, self.shape)
        return product if self.order is None else sk.permute_dims(product, self.order)


def _sum_of_products(x: Array, y: Array) -> Array:
    """Sum products over the last axis; undo the conjugation of the first argument by vecdot."""
    return sk.vecdot(sk.conj(x) if kind_of(x.dtype) == "c" else x, y)


@functools.lru_cache(maxsize=1024)
def _product_of(
    formula: str, shape_of_x: tuple[int, ...], shape_of_y: tuple[int, ...]
) -> _Product | None:
    """Return the product that evaluates a formula of two arrays; None if other steps are needed."""
    (of_x, of_y), output = _terms(formula, (shape_of_x, shape_of_y))
    lengths = dict(zip(of_x, shape_of_x, strict=True))
    is_one = (
        len(set(of_x)) == len(of_x)
        and len(set(of_y)) == len(of_y)
        and all(lengths.get(label, n) == n for label, n in zip(of_y, shape_of_y, strict=True))
        and set(of_x) ^ set(of_y) <= set(output)
    )
    return _product(of_x, of_y, output, shape_of_x, shape_of_y) if is_one else None


@functools.lru_cache(maxsize=1024)
def _product(
    of_x: Labels,
    of_y: Labels,
    output: Labels,
    shape_of_x: tuple[int, ...],
    shape_of_y: tuple[int, ...],
) -> _Product:
    """Return the product that contracts two arrays over the labels that both have and the result lacks.

    It is a stack of matrix products, of vector products if no label is of one array only, or an elementwise product if
    there is nothing to sum.
    """
    lengths = {
        **dict(zip(of_x, shape_of_x, strict=True)),
        **dict(zip(of_y, shape_of_y, strict=True)),
    }
    stack, rows, summed, columns = _roles(of_x, of_y, frozenset(output))

    def arranged(term: Labels, order: Labels, shape: tuple[int, ...]) -> tuple[Any, Any]:
        ordered_shape = tuple(lengths[label] for label in order)
        return _order(term, order), shape if shape != ordered_shape else None

    if not summed:
        arrangements = [
            arranged(
                term,
                tuple(label for label in output if label in term),
                tuple(lengths[label] if label in term else 1 for label in output),
            )
            for term in (of_x, of_y)
        ]
        return _Product(*arrangements[0], *arrangements[1], operator.mul, None, None)
    front = tuple(lengths[label] for label in stack)
    m, k, n = (math.prod(lengths[label] for label in part) for part in (rows, summed, columns))
    is_matrix = bool(rows or columns)
    out = stack + rows + columns
    shape = tuple(lengths[label] for label in out)
    return _Product(
        *arranged(of_x, stack + rows + summed, (*front, m, k) if is_matrix else (*front, k)),
        *arranged(of_y, stack + summed + columns, (*front, k, n) if is_matrix else (*front, k)),
        operator.matmul if is_matrix else _sum_of_products,
        shape if is_matrix and shape != (*front, m, n) else None,
        _order(out, output),
    )


def _order(term: Labels, target_labels: Labels) -> tuple[int, ...] | None:
    """Return the permutation of axes from one order of labels to another; None if they are equal."""
    return None if term == target_labels else tuple(map(term.index, target_labels))


@functools.lru_cache(maxsize=1024)
def _roles(of_x: Labels, of_y: Labels, output: frozenset[str]) -> tuple[Labels, ...]:
    """Return the labels of the stack, the rows, the summed axes and the columns."""
    both = [label for label in of_x if label in of_y]
    return (
        tuple(label for label in both if label in output),
        tuple(label for label in of_x if label not in both),
        tuple(label for label in both if label not in output),
        tuple(label for label in of_y if label not in both),
    )


def _in_order(x: Array, term: Labels, target_labels: Labels) -> Array:
    """Return the array with its axes in the order of the labels."""
    order = _order(term, target_labels)
    return x if order is None else sk.permute_dims(x, order)
