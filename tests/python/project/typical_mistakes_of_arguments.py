# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Typical mistakes of arguments and names: code, the class of its error, and the whole text."""

MISTAKES = [
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
        "sk.ones(3, dtype=sk.int8).__setitem__(0, 300)",
        "OverflowError",
        "__setitem__: int out of range of int8: 300 is not in -128 to 127",
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
        "sk.full(3, None)",
        "TypeError",
        "full: fill_value must be a Python scalar, not NoneType",
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
        'sk.clip(sk.ones(3), "a", 2)',
        "TypeError",
        "clip: min must be a skerry.Array or a Python scalar, not str; convert it with "
        "skerry.asarray",
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
        "sk.linalg.matrix_power(sk.ones((2, 2)), 1.5)",
        "TypeError",
        "matrix_power: n must be an int, not float",
    ),
    (
        "sk.cross(sk.ones(2), sk.ones(3))",
        "ValueError",
        "cross: vectors must have 3 elements, not 2 and 3",
    ),
    (
        "sk.fft.fft(sk.ones(3), n=0)",
        "ValueError",
        "fft: the transform needs at least one element, not 0, along axis 0 of float64 (3,) on "
        "cpu:0; pass a positive length",
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
        "sk.compress(sk.asarray([True, False, True, True]), sk.ones(3))",
        "IndexError",
        "compress: condition is true at 3, and axis 0 of a has size 3; use condition[:3]",
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
        'sk.pad(sk.ones(3), 1, mode="foo")',
        "ValueError",
        "pad: unknown mode: 'foo'; use one of constant, edge, empty, linear_ramp, maximum, mean, "
        "median, minimum, reflect, symmetric, wrap",
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
        "sk.diff(sk.ones(3), n=-1)",
        "ValueError",
        "diff: n is negative: -1",
    ),
    (
        "sk.as_cuda_array([1, 2])",
        "TypeError",
        "as_cuda_array: list does not implement the CUDA array interface: it has no "
        "__cuda_array_interface__",
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
        'sk.set_allocator("cuda:0", "rmm")',
        "TypeError",
        "set_allocator: allocator must be a pair of functions, an object with allocate(nbytes,"
        " stream=...) or None, not str",
    ),
    (
        'sk.set_allocator("cpu:0", None)',
        "NotImplementedError",
        "set_allocator: cpu:0 is not a CUDA device: its memory is its own; choose a CUDA device",
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
        "sk.capture(3)",
        "TypeError",
        "capture: function must be callable, not int",
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
        "sk.result_type()",
        "ValueError",
        "result_type: at least one array or dtype is required",
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
        'sk.ones(3).reshape("a")',
        "TypeError",
        "reshape: shape must be an int or a tuple of ints, not str",
    ),
    (
        "sk.ones(3).sum(axis=1.0)",
        "TypeError",
        "sum: axis must be an int or a tuple of ints, not float",
    ),
]
