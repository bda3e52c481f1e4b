# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Typical mistakes: code, the class of its error, and the whole text. They need two CUDA devices, real or rehearsed."""

MISTAKES = [
    (
        'sk.ones(3) + sk.ones(3, device="cuda:0")',
        "DeviceMismatchError",
        "add: arguments are on different devices: x1 (float64 (3,)) on cpu:0, x2 (float64 (3,)) "
        'on cuda:0; move one explicitly, e.g. x2.to_device("cpu:0")',
    ),
    (
        'sk.concat([sk.ones(3), sk.ones(3, device="cuda:1")])',
        "DeviceMismatchError",
        "concat: arguments are on different devices: arrays[0] (float64 (3,)) on cpu:0, arrays[1]"
        ' (float64 (3,)) on cuda:1; move one explicitly, e.g. arrays[1].to_device("cpu:0")',
    ),
    (
        'sk.where(sk.ones(3, device="cuda:0") > 0, sk.ones(3), 0.0)',
        "DeviceMismatchError",
        "where: arguments are on different devices: condition (bool (3,)) on cuda:0, x1 (float64 "
        '(3,)) on cpu:0; move one explicitly, e.g. x1.to_device("cuda:0")',
    ),
    (
        "sk.matmul(sk.ones((2, 3)), sk.ones((4, 5)))",
        "ShapeError",
        "matmul: axis -1 of x1 has size 3, axis -2 of x2 has size 4; they must be equal: x1 is "
        "float64 (2, 3) on cpu:0, x2 is float64 (4, 5) on cpu:0",
    ),
    (
        "sk.ones((2, 3)) @ sk.ones((4, 5))",
        "ShapeError",
        "matmul: axis -1 of x1 has size 3, axis -2 of x2 has size 4; they must be equal: x1 is "
        "float64 (2, 3) on cpu:0, x2 is float64 (4, 5) on cpu:0",
    ),
    (
        "sk.vecdot(sk.ones(3), sk.ones(4))",
        "ShapeError",
        "vecdot: axis -1 of x1 has size 3, axis -1 of x2 has size 4; they must be equal: x1 is "
        "float64 (3,) on cpu:0, x2 is float64 (4,) on cpu:0",
    ),
    (
        "sk.tensordot(sk.ones((2, 3)), sk.ones((4, 5)), axes=1)",
        "ShapeError",
        "tensordot: axis 1 of x1 has size 3, axis 0 of x2 has size 4; they must be equal: x1 is "
        "float64 (2, 3) on cpu:0, x2 is float64 (4, 5) on cpu:0",
    ),
    (
        "sk.ones(3) + sk.ones(4)",
        "ShapeError",
        "add: shapes (3,) and (4,) cannot be broadcast: axis -1 has sizes 3 and 4; sizes must be "
        "equal or 1",
    ),
    (
        "sk.broadcast_to(sk.ones(3), (4,))",
        "ShapeError",
        "broadcast_to: shape (3,) does not broadcast to (4,): axis -1 has sizes 3 and 4; the "
        "first must be equal or 1",
    ),
    (
        "sk.reshape(sk.ones(6), (4, 2))",
        "ShapeError",
        "reshape: 6 elements cannot be reshaped to (4, 2), which has 8",
    ),
    (
        "sk.ones(6).reshape(4, -1)",
        "ShapeError",
        "reshape: 6 elements cannot be reshaped to (4, -1): not a multiple of 4",
    ),
    (
        "sk.ones((2, 3)).sum(axis=2)",
        "AxisError",
        "sum: axis 2 is out of bounds for array of 2 axes; use -2 to 1",
    ),
    (
        "sk.sum(sk.ones((2, 3)), axis=(0, 0))",
        "ValueError",
        "sum: axis 0 is given more than once; name every axis once",
    ),
    (
        'sk.mean(sk.ones(3), axis="0")',
        "TypeError",
        "mean: axis must be an int or a tuple of ints, not str",
    ),
    (
        "sk.sum([[1, 2], 3])",
        "ShapeError",
        "sum: the nested sequences are ragged; the first ones give shape (2, 2), and all must",
    ),
    (
        "sk.asarray([[1, 2], [3]])",
        "ShapeError",
        "asarray: the nested sequences are ragged; the first ones give shape (2, 2), and all must",
    ),
    (
        'sk.asarray("abc")',
        "TypeError",
        "asarray: not an array, a number or a sequence of them: str",
    ),
    (
        'sk.asarray({"a": 1})',
        "TypeError",
        "asarray: not an array, a number or a sequence of them: dict",
    ),
    (
        "sk.asarray([1, None])",
        "TypeError",
        "asarray: every element must be a Python scalar, not NoneType",
    ),
    (
        'sk.asarray([1, 2], dtype="float46")',
        "DTypeError",
        "asarray: unsupported dtype: 'float46'; supported are bool, int8, int16, int32, int64, "
        "uint8, uint16, uint32, uint64, float16, float32, float64, complex64, complex128",
    ),
    (
        "sk.zeros(3, dtype=object)",
        "DTypeError",
        "zeros: unsupported dtype: <class 'object'>; supported are bool, int8, int16, int32, "
        "int64, uint8, uint16, uint32, uint64, float16, float32, float64, complex64, complex128",
    ),
    (
        "sk.zeros(-1)",
        "ShapeError",
        "zeros: shape must not have a negative size: (-1,)",
    ),
    (
        "sk.zeros((2, -1))",
        "ShapeError",
        "zeros: shape must not have a negative size: (2, -1)",
    ),
    (
        "sk.zeros(2.5)",
        "TypeError",
        "zeros: shape must be an int or a tuple of ints, not float",
    ),
    (
        'sk.zeros(3, device="gpu")',
        "ValueError",
        "zeros: not the name of a device: 'gpu'; use 'cpu', 'cuda', 'cpu:N' or 'cuda:N' with N "
        "from 0 to 32767",
    ),
    (
        "sk.zeros(3, device=0)",
        "TypeError",
        'zeros: device must be a skerry.Device or a name such as "cuda:0", not int; use "cuda:0"',
    ),
    (
        'sk.zeros(3, device="cuda:0").__array__()',
        "TypeError",
        "__array__: an array on cuda:0 is not copied to the host implicitly; copy it first: "
        'x.to_device("cpu")',
    ),
    (
        'np.asarray(sk.zeros(3, device="cuda:0"))',
        "TypeError",
        "__array__: an array on cuda:0 is not copied to the host implicitly; copy it first: "
        'x.to_device("cpu")',
    ),
    (
        "float(sk.ones(3))",
        "TypeError",
        "float: only a 0-d array converts to a scalar, not float64 (3,) on cpu:0; select one "
        "element first",
    ),
    (
        "bool(sk.ones(3))",
        "ValueError",
        "bool: the truth value of an array with size != 1 is ambiguous: float64 (3,) on cpu:0; "
        "use skerry.any or skerry.all",
    ),
    (
        "int(sk.ones(3))",
        "TypeError",
        "int: only a 0-d array converts to a scalar, not float64 (3,) on cpu:0; select one "
        "element first",
    ),
    (
        "len(sk.asarray(1.0))",
        "TypeError",
        "len: a 0-d array has no length",
    ),
    (
        "iter(sk.asarray(1.0))",
        "TypeError",
        "iter: a 0-d array can't be iterated over",
    ),
    (
        "sk.ones(3)[3]",
        "IndexError",
        "__getitem__: index 3 is out of bounds: axis 0 has size 3; use -3 to 2",
    ),
    (
        "sk.ones(3)[1, 2]",
        "IndexError",
        "__getitem__: too many indices: 2 for an array of rank 1, shape (3,)",
    ),
    (
        'sk.ones(3)["a"]',
        "IndexError",
        "__getitem__: an index must be an int, a slice, ..., None, a bool, or an array of "
        "integers or bools on the same device, not str",
    ),
    (
        "sk.ones(3)[1.5]",
        "IndexError",
        "__getitem__: an index must be an int, a slice, ..., None, a bool, or an array of "
        "integers or bools on the same device, not float",
    ),
    (
        "sk.ones(3)[[True, False]]",
        "IndexError",
        "__getitem__: the mask does not fit x: axis 0 of the mask has size 2, axis 0 of x has "
        "size 3",
    ),
    (
        "sk.ones(3)[sk.asarray([0, 5])]",
        "IndexError",
        "__getitem__: index 5 is out of bounds: axis 0 has size 3; use -3 to 2",
    ),
    (
        'sk.ones(3).__setitem__(0, "a")',
        "TypeError",
        "__setitem__: value must be a skerry.Array or a Python scalar, not str; convert it with "
        "skerry.asarray",
    ),
    (
        "sk.ones(3).__setitem__(slice(None), sk.ones(4))",
        "ShapeError",
        "__setitem__: shape (4,) does not broadcast to (3,): axis -1 has sizes 4 and 3; the first"
        " must be equal or 1",
    ),
    (
        "sk.ones(3, dtype=sk.int32).__setitem__(0, 1.5)",
        "DTypeError",
        "__setitem__: Python float for int32: a scalar converts only to the same or a higher kind"
        " (bool, int, float, complex), or without loss; write int(value), or cast the array with "
        "astype",
    ),
    (
        "sk.ones(3, dtype=sk.int8).__setitem__(0, 300)",
        "OverflowError",
        "__setitem__: int out of range of int8: 300 is not in -128 to 127",
    ),
    (
        "sk.ones(3).__iadd__(1j)",
        "DTypeError",
        "add: the result is complex128, which can't be stored in place in x1, float64 (3,) on "
        "cpu:0; write x1 = add(x1, x2), or convert x2 with astype",
    ),
    (
        "sk.add(sk.ones(3), None)",
        "TypeError",
        "add: x2 must be a skerry.Array or a Python scalar, not NoneType; convert it with "
        "skerry.asarray",
    ),
    (
        "sk.add(sk.ones(3))",
        "TypeError",
        "add() takes 2 positional arguments, got 1",
    ),
    (
        "sk.add(sk.ones(3), 1, 2)",
        "TypeError",
        "add: out must be an Array, not int",
    ),
    (
        "sk.add(sk.ones(3), x2=1)",
        "TypeError",
        "add() takes x2 by position only",
    ),
    (
        "sk.sum(sk.ones(3), axes=0)",
        "TypeError",
        "sum() got an unexpected keyword argument 'axes'",
    ),
    (
        "sk.unstack(sk.ones(3), 0)",
        "TypeError",
        "unstack() takes 1 positional argument, got 2; axis is keyword-only: unstack(x, axis=0)",
    ),
    (
        "sk.arange(0, 10, 0)",
        "ValueError",
        "arange: step must not be 0",
    ),
    (
        'sk.arange(float("inf"))',
        "ValueError",
        "arange: start, stop and step give no finite length: 0.000000, inf, 1.000000; pass finite"
        " numbers",
    ),
    (
        "sk.linspace(0, 1, -1)",
        "ValueError",
        "linspace: num must not be negative: -1",
    ),
    (
        "sk.linspace(0, 1, 2.5)",
        "TypeError",
        "linspace: num must be an int, not float",
    ),
    (
        "sk.eye(-2)",
        "ShapeError",
        "eye: shape must not have a negative size: (-2, -2)",
    ),
    (
        "sk.full(3, None)",
        "TypeError",
        "full: fill_value must be a Python scalar, not NoneType",
    ),
    (
        "sk.tril(sk.ones(3))",
        "ShapeError",
        "tril: x must have at least two axes: float64 (3,) on cpu:0; add one with expand_dims",
    ),
    (
        "sk.stack([sk.ones(3), sk.ones(4)])",
        "ShapeError",
        "stack: shapes differ: arrays[0] is (3,), arrays[1] is (4,)",
    ),
    (
        "sk.stack([])",
        "ValueError",
        "stack: needs at least one array",
    ),
    (
        "sk.concat([])",
        "ValueError",
        "concat: needs at least one array",
    ),
    (
        "sk.concat([sk.ones((2, 3)), sk.ones((3, 4))])",
        "ShapeError",
        "concat: shapes differ along other axes: arrays[0] is (2, 3), arrays[1] is (3, 4)",
    ),
    (
        "sk.concat([sk.asarray(1.0), sk.asarray(2.0)])",
        "ShapeError",
        "concat: 0-d arrays have no axis: arrays[0]; use axis=None or stack",
    ),
    (
        "sk.squeeze(sk.ones((2, 1)), axis=0)",
        "ShapeError",
        "squeeze: axis 0 has size 2, not 1: shape (2, 1)",
    ),
    (
        "sk.expand_dims(sk.ones(3), axis=5)",
        "AxisError",
        "expand_dims: axis 5 is out of bounds for array of 2 axes; use -2 to 1",
    ),
    (
        "sk.permute_dims(sk.ones((2, 3)), (0, 0))",
        "ValueError",
        "permute_dims: axis 0 is given more than once; name every axis once",
    ),
    (
        "sk.transpose(sk.ones((2, 3)), (0,))",
        "ValueError",
        "transpose: 1 axes for an array of rank 2; name every axis once",
    ),
    (
        "sk.moveaxis(sk.ones((2, 3)), 0, 4)",
        "AxisError",
        "moveaxis: axis 4 is out of bounds for array of 2 axes; use -2 to 1",
    ),
    (
        "sk.flip(sk.ones(3), axis=1)",
        "AxisError",
        "flip: axis 1 is out of bounds for array of 1 axis; use -1 to 0",
    ),
    (
        "sk.repeat(sk.ones(3), [1, 2])",
        "ShapeError",
        "repeat: repeats has shape (2,) for 3 elements; pass one integer, or one per element",
    ),
    (
        "sk.repeat(sk.ones(3), -1)",
        "ValueError",
        "repeat: the number of repetitions must not be negative: -1",
    ),
    (
        "sk.tile(sk.ones(3), -1)",
        "ValueError",
        "tile: the number of repetitions must not be negative: -1",
    ),
    (
        "sk.take(sk.ones(3), sk.asarray([5]))",
        "IndexError",
        "take: index 5 is out of bounds: axis 0 has size 3; use -3 to 2",
    ),
    (
        "sk.take(sk.ones((2, 2)), sk.asarray([0]), mode='safe')",
        "ValueError",
        "take: mode must be 'raise' or 'wrap' or 'clip', not 'safe'",
    ),
    (
        "sk.take(sk.ones(3), sk.asarray([0.5]))",
        "DTypeError",
        "take: indices must be of an integer dtype, not float64; convert it with astype",
    ),
    (
        "sk.take_along_axis(sk.ones((2, 3)), sk.asarray([0]))",
        "ShapeError",
        "take_along_axis: x and indices have different numbers of axes: (2, 3) and (1,)",
    ),
    (
        "sk.searchsorted(sk.ones((2, 2)), sk.ones(2))",
        "ShapeError",
        "searchsorted: x1 must be 1-D: float64 (2, 2) on cpu:0; reshape it",
    ),
    (
        "sk.argsort(sk.asarray(1.0))",
        "AxisError",
        "argsort: axis -1 is out of bounds for array of 0 axes",
    ),
    (
        "sk.sort(sk.ones(3), axis=1)",
        "AxisError",
        "sort: axis 1 is out of bounds for array of 1 axis; use -1 to 0",
    ),
    (
        "sk.topk(sk.ones(3), 5)",
        "ValueError",
        "topk: k is out of bounds: 5 for an axis of size 3",
    ),
    (
        "sk.argmax(sk.ones((0,)))",
        "ValueError",
        "argmax: no elements to reduce: float64 (0,) on cpu:0 has none along axis 0",
    ),
    (
        "sk.max(sk.ones((0, 2)), axis=0)",
        "ValueError",
        "max: no elements to reduce: float64 (0, 2) on cpu:0 has none along axis 0",
    ),
    (
        "sk.cumulative_sum(sk.ones((2, 2)))",
        "ValueError",
        "cumulative_sum: axis is required for arrays that are not 1-D: float64 (2, 2) on cpu:0; "
        "pass axis=, or flatten x with reshape(x, (-1,))",
    ),
    (
        "sk.cumulative_sum(sk.ones(3), axis=1)",
        "AxisError",
        "cumulative_sum: axis 1 is out of bounds for array of 1 axis; use -1 to 0",
    ),
    (
        'sk.clip(sk.ones(3), "a", 2)',
        "TypeError",
        "clip: min must be a skerry.Array or a Python scalar, not str; convert it with "
        "skerry.asarray",
    ),
    (
        'sk.astype(sk.ones(3), "complx64")',
        "DTypeError",
        "astype: unsupported dtype: 'complx64'; supported are bool, int8, int16, int32, int64, "
        "uint8, uint16, uint32, uint64, float16, float32, float64, complex64, complex128",
    ),
    (
        "sk.bitwise_and(sk.ones(3), 1)",
        "DTypeError",
        "bitwise_and: float64 is not accepted; it takes bool, int8, int16, int32, int64, uint8, "
        "uint16, uint32, uint64; convert with astype",
    ),
    (
        "sk.bitwise_left_shift(sk.ones(3, dtype=sk.int32), 1.5)",
        "DTypeError",
        "bitwise_left_shift: float64 is not accepted; it takes int8, int16, int32, int64, uint8, "
        "uint16, uint32, uint64; convert with astype",
    ),
    (
        'sk.logical_not("a")',
        "TypeError",
        "logical_not: x must be a skerry.Array or a Python scalar, not str; convert it with "
        "skerry.asarray",
    ),
    (
        'sk.sqrt("4")',
        "TypeError",
        "sqrt: x must be a skerry.Array or a Python scalar, not str; convert it with "
        "skerry.asarray",
    ),
    (
        "sk.sin([1.0, 2.0], 3)",
        "TypeError",
        "sin: out must be an Array, not int",
    ),
    (
        "sk.ones(3, dtype=sk.int8) + [1, 2, 300]",
        "OverflowError",
        "add: int out of range of int8: 300 is not in -128 to 127",
    ),
    (
        "sk.isin(sk.ones(3), None)",
        "TypeError",
        "isin: x2 must be a skerry.Array or a Python scalar, not NoneType; convert it with "
        "skerry.asarray",
    ),
    (
        "sk.unique_values(None)",
        "TypeError",
        "unique_values: x must be a skerry.Array, not NoneType; convert it with skerry.asarray",
    ),
    (
        "sk.linalg.inv(sk.ones((2, 3)))",
        "MatrixShapeError",
        "inv: x must have square matrices in its last two axes: float64 (2, 3) on cpu:0",
    ),
    (
        "sk.linalg.inv(sk.zeros((2, 2)))",
        "LinAlgError",
        "inv: singular: float64 (2, 2) on cpu:0 (LAPACK's info: 1)",
    ),
    (
        "sk.linalg.solve(sk.ones((2, 2)), sk.ones((3, 1)))",
        "ShapeError",
        "solve: x2 must be a vector or matrices with as many rows as x1: x1 is float64 (2, 2) on "
        "cpu:0, x2 is float64 (3, 1) on cpu:0",
    ),
    (
        "sk.linalg.cholesky(-sk.eye(2))",
        "LinAlgError",
        "cholesky: not positive definite: float64 (2, 2) on cpu:0 (LAPACK's info: 1)",
    ),
    (
        "sk.linalg.eigh(sk.ones(3))",
        "MatrixShapeError",
        "eigh: x must have at least two axes: float64 (3,) on cpu:0",
    ),
    (
        "sk.linalg.det(sk.ones(3))",
        "MatrixShapeError",
        "det: x must have at least two axes: float64 (3,) on cpu:0",
    ),
    (
        "sk.linalg.vector_norm(sk.ones(3), axis=4)",
        "AxisError",
        "vector_norm: axis 4 is out of bounds for array of 1 axis; use -1 to 0",
    ),
    (
        "sk.linalg.matrix_power(sk.ones((2, 2)), 1.5)",
        "TypeError",
        "matrix_power: n must be an int, not float",
    ),
    (
        "sk.linalg.svd(sk.ones(3))",
        "MatrixShapeError",
        "svd: x must have at least two axes: float64 (3,) on cpu:0",
    ),
    (
        "sk.cross(sk.ones(2), sk.ones(3))",
        "ValueError",
        "cross: vectors must have 3 elements, not 2 and 3",
    ),
    (
        "sk.fft.fft(sk.asarray(1.0))",
        "AxisError",
        "fft: axis -1 is out of bounds for array of 0 axes",
    ),
    (
        "sk.fft.fft(sk.ones(3), n=0)",
        "ValueError",
        "fft: the transform needs at least one element, not 0, along axis 0 of float64 (3,) on "
        "cpu:0; pass a positive length",
    ),
    (
        "sk.fft.rfft(sk.ones(3, dtype=sk.complex128))",
        "DTypeError",
        "rfft: x must be real, not complex128; use fft, or take real(x)",
    ),
    (
        'sk.fft.fft(sk.ones(3), norm="foo")',
        "ValueError",
        "fft: norm must be 'backward' or 'ortho' or 'forward', not 'foo'",
    ),
    (
        "sk.random.default_rng(-1)",
        "ValueError",
        "default_rng: seed must not be negative: -1; use abs(seed)",
    ),
    (
        "sk.random.default_rng(0).normal(scale=-1, size=3)",
        "ValueError",
        "normal: scale must be 0 or more: -1.0",
    ),
    (
        "sk.random.default_rng(0).integers(5, 2)",
        "ValueError",
        "integers: no integers from 5 to 1; low must be below high",
    ),
    (
        "sk.random.default_rng(0).choice(3, size=5, replace=False)",
        "ValueError",
        "choice: can't choose 5 of 3 elements without replacement; use replace=True",
    ),
    (
        'sk.random.default_rng(0).permutation("abc")',
        "TypeError",
        "permutation: x must be an int or an Array, not 'abc'",
    ),
    (
        'setattr(sk.ones((2,3)), "shape", 6)',
        "AttributeError",
        "shape: an array keeps its shape; write x = x.reshape(shape), which shares the memory where "
        "that is possible",
    ),
    (
        "sk.ones(3).numpy()",
        "AttributeError",
        "'skerry.Array' object has no attribute 'numpy'; use np.asarray(x.to_device(\"cpu\"))",
    ),
    (
        "sk.ones(3).cuda()",
        "AttributeError",
        "'skerry.Array' object has no attribute 'cuda'; use x.to_device(\"cuda:0\")",
    ),
    (
        'sk.ones(3).to("cuda:0")',
        "AttributeError",
        "'skerry.Array' object has no attribute 'to'; use x.to_device(\"cuda:0\") or "
        'x.to_device("cpu")',
    ),
    (
        "sk.ones(3).unsqueeze(0)",
        "AttributeError",
        "'skerry.Array' object has no attribute 'unsqueeze'; use skerry.expand_dims(x, axis), "
        "or x[:, None]",
    ),
    (
        "sk.unwrap(sk.ones(3, dtype=sk.complex128))",
        "DTypeError",
        "unwrap: p must be real, not complex128; pass skerry.angle(p)",
    ),
    (
        "sk.compress(sk.asarray([True, False, True, True]), sk.ones(3))",
        "IndexError",
        "compress: condition is true at 3, and axis 0 of a has size 3; use condition[:3]",
    ),
    (
        "sk.interp(sk.ones(3), sk.ones(2), sk.ones(3))",
        "ShapeError",
        "interp: xp and fp must be 1-D and of the same length: (2,) and (3,)",
    ),
    (
        "sk.histogram(sk.ones(3), bins=-1)",
        "ValueError",
        "histogram: bins must be positive: -1",
    ),
    (
        "sk.histogram(sk.ones(3), bins=[3, 2, 1])",
        "ValueError",
        "histogram: edges in bins must not decrease; sort them",
    ),
    (
        "sk.bincount(sk.asarray([-1, 2]))",
        "ValueError",
        "bincount: x must not be negative: -1; subtract the minimum first",
    ),
    (
        "sk.quantile(sk.ones(3), 1.5)",
        "ValueError",
        "quantile: q must be in the range [0, 1]: 1.5",
    ),
    (
        'sk.percentile(sk.ones(3), 50, method="foo")',
        "ValueError",
        "percentile: unknown method: 'foo'; use one of inverted_cdf, closest_observation, lower, "
        "higher, nearest, averaged_inverted_cdf, linear, midpoint, interpolated_inverted_cdf, "
        "hazen, weibull, median_unbiased, normal_unbiased",
    ),
    (
        "sk.convolve(sk.ones((2, 2)), sk.ones(2))",
        "ShapeError",
        "convolve: a has 2 axes; pass a 1-D array",
    ),
    (
        'sk.pad(sk.ones(3), 1, mode="foo")',
        "ValueError",
        "pad: unknown mode: 'foo'; use one of constant, edge, empty, linear_ramp, maximum, mean, "
        "median, minimum, reflect, symmetric, wrap",
    ),
    (
        'sk.einsum("ij,jk->ik", sk.ones((2, 3)), sk.ones((4, 5)))',
        "ShapeError",
        "einsum: axes with the label 'j' differ in length: 3 and 4",
    ),
    (
        'sk.einsum("ij", sk.ones(3))',
        "ValueError",
        "einsum: the term 'ij' does not match the 1 axes of shape (3,)",
    ),
    (
        "sk.split(sk.ones(5), 2)",
        "ValueError",
        "split: can't split 5 elements into 2 equal parts; use array_split",
    ),
    (
        "sk.meshgrid(sk.ones((2, 2)), sk.ones(2))",
        "ShapeError",
        "meshgrid: arrays[0] has more than one axis: float64 (2, 2) on cpu:0",
    ),
    (
        "sk.diff(sk.ones(3), n=-1)",
        "ValueError",
        "diff: n is negative: -1",
    ),
    (
        "sk.cov(sk.ones((2, 2, 2)))",
        "ShapeError",
        "cov: an array must have at most 2 axes, not 3: shape (2, 2, 2)",
    ),
    (
        "sk.from_dlpack([1, 2])",
        "MissingProtocolError",
        "from_dlpack: x must be an object with the DLPack protocol: list has no __dlpack__",
    ),
    (
        'sk.from_dlpack(sk.ones(3), device="cuda:0", copy=False)',
        "InterchangeError",
        "from_dlpack: copy=False, but float64 (3,) on cpu:0 can't be converted to float64 on "
        "cuda:0 without a copy",
    ),
    (
        "sk.as_cuda_array([1, 2])",
        "TypeError",
        "as_cuda_array: list does not implement the CUDA array interface: it has no "
        "__cuda_array_interface__",
    ),
    (
        'sk.asarray(sk.ones(3), device="cuda:0", copy=False)',
        "InterchangeError",
        "asarray: copy=False, but float64 (3,) on cpu:0 can't be converted to float64 on cuda:0 "
        "without a copy",
    ),
    (
        'sk.ones(3).to_device("cuda:0", stream="x")',
        "TypeError",
        "to_device: stream must be a Stream, an int handle, or an object with __cuda_stream__, "
        "not str",
    ),
    (
        'sk.Device("tpu:0")',
        "ValueError",
        "Device: not the name of a device: 'tpu:0'; use 'cpu', 'cuda', 'cpu:N' or 'cuda:N' with N"
        " from 0 to 32767",
    ),
    (
        "sk.Stream()",
        "TypeError",
        "Stream: takes (device), not ()",
    ),
    (
        'sk.Stream("cpu:0")',
        "ValueError",
        "Stream: cpu:0 has one stream only: its work is done when the call returns; choose a CUDA"
        " device",
    ),
    (
        'sk.set_memory_limit("cuda:0", "1GiB")',
        "TypeError",
        "set_memory_limit: nbytes must be an int, not str",
    ),
    (
        'sk.set_memory_limit("cuda:0", -5)',
        "ValueError",
        "set_memory_limit: nbytes must not be negative: -5",
    ),
    (
        "sk.fuse(3)",
        "TypeError",
        "fuse: function must be a function, not int",
    ),
    (
        "sk.rehearse(cuda=-1)",
        "ValueError",
        "rehearse: cuda must be 1 to 64 devices, not -1",
    ),
    (
        "sk.ones(3).item()",
        "ValueError",
        "item: only an array of one element converts to a scalar, not float64 (3,) on cpu:0",
    ),
    (
        'sk.ones(3).view("float46")',
        "DTypeError",
        "view: unsupported dtype: 'float46'; supported are bool, int8, int16, int32, int64, "
        "uint8, uint16, uint32, uint64, float16, float32, float64, complex64, complex128",
    ),
    (
        "sk.ones((2, 3, 4)).T",
        "ShapeError",
        "T: needs two axes: float64 (2, 3, 4) on cpu:0; use x.transpose(), permute_dims or mT",
    ),
    (
        "sk.asarray(1.0).mT",
        "ShapeError",
        "mT: needs at least two axes: float64 () on cpu:0; add one with expand_dims",
    ),
    (
        "sk.result_type()",
        "ValueError",
        "result_type: at least one array or dtype is required",
    ),
    (
        'sk.result_type("foo")',
        "DTypeError",
        "result_type: unsupported dtype: 'foo'; supported are bool, int8, int16, int32, int64, "
        "uint8, uint16, uint32, uint64, float16, float32, float64, complex64, complex128",
    ),
    (
        'sk.can_cast("foo", sk.float32)',
        "DTypeError",
        "can_cast: unsupported dtype: 'foo'; supported are bool, int8, int16, int32, int64, "
        "uint8, uint16, uint32, uint64, float16, float32, float64, complex64, complex128",
    ),
    (
        "sk.finfo(sk.int32)",
        "TypeError",
        "finfo: not a floating dtype: int32; use iinfo for integers",
    ),
    (
        "sk.iinfo(sk.float32)",
        "TypeError",
        "iinfo: not an integer dtype: float32; use finfo for floats",
    ),
    (
        'sk.isdtype(sk.float32, "foo")',
        "ValueError",
        "isdtype: unknown kind: 'foo'; known are bool, signed integer, unsigned integer, real "
        "floating, complex floating, integral, numeric",
    ),
    (
        "sk.ones(3) + [1, 2]",
        "ShapeError",
        "add: shapes (3,) and (2,) cannot be broadcast: axis -1 has sizes 3 and 2; sizes must be "
        "equal or 1",
    ),
    (
        "sk.ones(3) << 1",
        "DTypeError",
        "bitwise_left_shift: float64 is not accepted; it takes int8, int16, int32, int64, uint8, "
        "uint16, uint32, uint64; convert with astype",
    ),
    (
        "-sk.asarray([True])",
        "DTypeError",
        "negative: bool is not accepted; it takes int8, int16, int32, int64, uint8, uint16, "
        "uint32, uint64, float16, float32, float64, complex64, complex128; convert with astype",
    ),
    (
        "~sk.ones(3)",
        "DTypeError",
        "bitwise_invert: float64 is not accepted; it takes bool, int8, int16, int32, int64, "
        "uint8, uint16, uint32, uint64; convert with astype",
    ),
    (
        "pow(sk.ones(3, dtype=sk.int32), -1)",
        "ValueError",
        "pow: x2 is negative, and x1 of dtype int32 has no negative integer powers; use a float "
        "exponent, as x1 ** -1.0",
    ),
    (
        "sk.asarray([1, 2]) ** -1",
        "ValueError",
        "pow: x2 is negative, and x1 of dtype int64 has no negative integer powers; use a float "
        "exponent, as x1 ** -1.0",
    ),
    (
        "sk.asarray([2**70])",
        "OverflowError",
        "asarray: int out of range of int64: about 1.181e+21 is not in -9223372036854775808 to "
        "9223372036854775807",
    ),
    (
        "sk.asarray(-1, dtype=sk.uint8)",
        "OverflowError",
        "asarray: int out of range of uint8: -1 is not in 0 to 255",
    ),
    (
        "sk.ones(3, dtype=sk.uint8) + 300",
        "OverflowError",
        "add: int out of range of uint8: 300 is not in 0 to 255",
    ),
    (
        'sk.var(sk.ones(3), correction="a")',
        "TypeError",
        "var: correction must be a Python scalar, not str",
    ),
    (
        "sk.nonzero(sk.asarray(1.0))",
        "ShapeError",
        "nonzero: a 0-d array has no axes; give it one with reshape(x, (1,))",
    ),
    (
        'sk.ones(3).reshape("a")',
        "TypeError",
        "reshape: shape must be an int or a tuple of ints, not str",
    ),
    (
        "sk.ones(3).sum(axis=1.0)",
        "TypeError",
        "sum: axis must be an int or a tuple of ints, not float",
    ),
    (
        'np.linalg.qr(sk.ones(3, device="cuda:0"))',
        "MatrixShapeError",
        "qr: x must have at least two axes: float64 (3,) on cuda:0",
    ),
]
