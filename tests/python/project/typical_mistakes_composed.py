# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Typical mistakes in calls of functions that call other functions: the errors name the function that was called."""

MISTAKES = [
    (
        "sk.ones((2,3)).cumsum(axis=9)",
        "AxisError",
        "cumsum: axis 9 is out of bounds for array of 2 axes; use -2 to 1",
    ),
    (
        'sk.ones((2,3)).cumprod(axis=0, dtype="float46")',
        "DTypeError",
        "cumprod: unsupported dtype: 'float46'; supported are bool, int8, int16, int32, int64, "
        "uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, complex64, complex128",
    ),
    (
        'sk.nansum(sk.ones(3), dtype="float46")',
        "DTypeError",
        "nansum: unsupported dtype: 'float46'; supported are bool, int8, int16, int32, int64, "
        "uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, complex64, complex128",
    ),
    (
        "sk.nanmean(sk.ones((2,3)), axis=2)",
        "AxisError",
        "nanmean: axis 2 is out of bounds for array of 2 axes; use -2 to 1",
    ),
    (
        "sk.nanstd(sk.ones((2,3)), axis=2)",
        "AxisError",
        "nanstd: axis 2 is out of bounds for array of 2 axes; use -2 to 1",
    ),
    (
        "sk.median(sk.ones((2,3)), axis=2)",
        "AxisError",
        "median: axis 2 is out of bounds for array of 2 axes; use -2 to 1",
    ),
    (
        'sk.median(sk.ones((2,3)), axis="0")',
        "TypeError",
        "median: axis must be an int, a tuple of ints or None, not str",
    ),
    (
        "sk.quantile(sk.ones((2,3)), 0.5, axis=(0, 0))",
        "ValueError",
        "quantile: axis contains an axis twice: (0, 0); list each once",
    ),
    (
        'sk.percentile(sk.ones(3), [50, "a"])',
        "ValueError",
        "percentile: q must be real numbers with at most two axes, not a list",
    ),
    (
        'sk.corrcoef(sk.ones((2,3)), dtype="int64")',
        "DTypeError",
        "corrcoef: dtype must be floating, not int64; leave it out",
    ),
    (
        "sk.corrcoef(sk.ones((2,3)), sk.ones((2,4)))",
        "ShapeError",
        "corrcoef: both arrays must have the same number of observations: 3 and 4",
    ),
    (
        'sk.corrcoef(sk.ones((2,3)), sk.ones((2,3), device="cpu:1"))',
        "DeviceMismatchError",
        "corrcoef: arguments are on different devices: x (float64 (2, 3)) on cpu:0, y (float64 "
        '(2, 3)) on cpu:1; move one explicitly, e.g. y.to_device("cpu:0")',
    ),
    (
        'sk.cov(sk.ones((2,3)), dtype="float46")',
        "DTypeError",
        "cov: unsupported dtype: 'float46'; supported are bool, int8, int16, int32, int64, "
        "uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, complex64, complex128",
    ),
    (
        "sk.cov(sk.ones((2, 2, 2)))",
        "ShapeError",
        "cov: an array must have at most 2 axes, not 3: shape (2, 2, 2)",
    ),
    (
        'sk.histogram(sk.ones(3), range="ab")',
        "TypeError",
        "histogram: range must be two numbers, not 'ab'",
    ),
    (
        "sk.histogram(sk.ones(3), range=(0, 1, 2))",
        "TypeError",
        "histogram: range must be two numbers, not a tuple",
    ),
    (
        'sk.histogram2d(sk.ones(3), sk.ones(3), bins="auto")',
        "TypeError",
        "histogram2d: bins must be an int, a str or edges, not 'auto'",
    ),
    (
        'sk.histogram2d(sk.ones(3), sk.ones(3, device="cuda:0"))',
        "DeviceMismatchError",
        "histogram2d: arguments are on different devices: x (float64 (3,)) on cpu:0, y (float64 "
        '(3,)) on cuda:0; move one explicitly, e.g. y.to_device("cpu:0")',
    ),
    (
        "sk.histogram2d(sk.ones((2,3)), sk.ones((2,3)))",
        "ValueError",
        "histogram2d: coordinates must be 1-D arrays of equal size",
    ),
    (
        "sk.histogramdd(sk.ones((3, 2)), range=5)",
        "TypeError",
        "histogramdd: range must be a sequence of two numbers for each dimension, not 5",
    ),
    (
        "sk.histogramdd(5)",
        "TypeError",
        "histogramdd: sample must be an Array or a sequence of Arrays, not int",
    ),
    (
        "sk.histogramdd(sk.ones((3, 2)), bins=(2, 2, 2))",
        "ValueError",
        "histogramdd: bins and range must have one item for each of 2 dimensions",
    ),
    (
        "sk.histogramdd(sk.ones((3, 2)), weights=sk.ones(2))",
        "ShapeError",
        "histogramdd: weights must have the shape (3,), one for each point, not (2,)",
    ),
    (
        'sk.histogram_bin_edges(sk.ones(3, dtype="complex128"))',
        "DTypeError",
        "histogram_bin_edges: complex128 has no order; use a bool or real dtype",
    ),
    (
        "sk.digitize(sk.ones(3), [3, 1, 2])",
        "ValueError",
        "digitize: bins must increase or decrease monotonically; sort them",
    ),
    (
        'sk.arange(1e19, dtype="uint64")',
        "ShapeError",
        "arange: too many elements; at most 2^63 - 1 are possible",
    ),
    (
        'sk.arange(1e30, dtype="int64")',
        "OverflowError",
        "arange: stop does not fit 64 bits",
    ),
    (
        "sk.arange(1j)",
        "TypeError",
        "arange: start, stop and step must be real numbers, not complex",
    ),
    (
        "sk.isclose(sk.ones(3), sk.ones(4))",
        "ShapeError",
        "isclose: shapes (3,) and (4,) cannot be broadcast: axis -1 has sizes 3 and 4; sizes "
        "must be equal or 1",
    ),
    (
        'sk.allclose(sk.ones(3), sk.ones(3, device="cuda:1"))',
        "DeviceMismatchError",
        "allclose: arguments are on different devices: a (float64 (3,)) on cpu:0, b (float64 "
        '(3,)) on cuda:1; move one explicitly, e.g. b.to_device("cpu:0")',
    ),
    (
        'sk.isclose(sk.ones(3), sk.ones(3), atol=sk.ones(3, device="cpu:1"))',
        "DeviceMismatchError",
        "isclose: arguments are on different devices: a (float64 (3,)) on cpu:0, b (float64 "
        "(3,)) on cpu:0, atol (float64 (3,)) on cpu:1; move one explicitly, e.g. "
        'atol.to_device("cpu:0")',
    ),
    (
        'sk.array_equiv(sk.ones(3, dtype="uint64"), sk.ones(3, dtype="int64"))',
        "DTypeError",
        "array_equiv: no common dtype of int64, uint64; convert one with astype",
    ),
    (
        "sk.dot(sk.ones((2, 3)), sk.ones((2, 3)))",
        "ShapeError",
        "dot: axis -1 of a has size 3, axis -2 of b has size 2; they must be equal: a is float64 "
        "(2, 3) on cpu:0, b is float64 (2, 3) on cpu:0",
    ),
    (
        "sk.inner(sk.ones((2, 3)), sk.ones((2, 4)))",
        "ShapeError",
        "inner: axis 1 of a has size 3, axis 1 of b has size 4; they must be equal: a is float64 "
        "(2, 3) on cpu:0, b is float64 (2, 4) on cpu:0",
    ),
    (
        "sk.ones((2, 3)).dot(sk.ones((2, 3)))",
        "ShapeError",
        "dot: axis -1 of x has size 3, axis -2 of other has size 2; they must be equal: x is "
        "float64 (2, 3) on cpu:0, other is float64 (2, 3) on cpu:0",
    ),
    (
        'sk.ones(3).dot(sk.ones((), device="cpu:1"))',
        "DeviceMismatchError",
        "dot: arguments are on different devices: x (float64 (3,)) on cpu:0, other (float64 ()) "
        'on cpu:1; move one explicitly, e.g. other.to_device("cpu:0"), or create it inside `with '
        'skerry.device("cpu:0"):`',
    ),
    (
        'sk.ones(3).searchsorted("a")',
        "TypeError",
        "searchsorted: v must be a skerry.Array or a Python scalar, not str; convert it with "
        "skerry.asarray",
    ),
    (
        'sk.ones(3).searchsorted(sk.ones(3, device="cpu:1"))',
        "DeviceMismatchError",
        "searchsorted: arguments are on different devices: x (float64 (3,)) on cpu:0, v (float64 "
        '(3,)) on cpu:1; move one explicitly, e.g. v.to_device("cpu:0")',
    ),
    (
        'sk.ones(3).std(ddof="a")',
        "TypeError",
        "std: ddof must be a Python scalar, not str",
    ),
    (
        'sk.ones(3).sum(initial="a")',
        "TypeError",
        "sum: initial must be a skerry.Array or a Python scalar, not str; convert it with skerry.asarray",
    ),
    (
        'sk.ones(3).any(where="a")',
        "TypeError",
        "any: where must be a skerry.Array or a Python scalar, not str; convert it with "
        "skerry.asarray",
    ),
    (
        'sk.ones(3).max(initial=sk.ones((), device="cpu:1"))',
        "DeviceMismatchError",
        "max: arguments are on different devices: x (float64 (3,)) on cpu:0, initial (float64 "
        '()) on cpu:1; move one explicitly, e.g. initial.to_device("cpu:0"), or create it inside '
        '`with skerry.device("cpu:0"):`',
    ),
    (
        'sk.interp(1.0, sk.asarray([0.0, 1.0]), sk.asarray([0.0, 1.0]), left="a")',
        "TypeError",
        "interp: left must be a skerry.Array or a Python scalar, not str; convert it with "
        "skerry.asarray",
    ),
    (
        "sk.select([sk.ones(3) > 0], [sk.ones(4)])",
        "ShapeError",
        "select: shapes (3,), (4,) and () cannot be broadcast: axis -1 has sizes 3 and 4; sizes "
        "must be equal or 1",
    ),
    (
        "sk.choose(sk.asarray([0, 1, 0]), [sk.ones(3), sk.ones(4)])",
        "ShapeError",
        "choose: shapes (3,), (3,) and (4,) cannot be broadcast: axis -1 has sizes 3 and 4; "
        "sizes must be equal or 1",
    ),
    (
        "sk.choose(sk.ones(3), [sk.ones(3)])",
        "DTypeError",
        "choose: a must be integers, not float64; convert with astype",
    ),
    (
        "sk.atleast_1d(2**70)",
        "OverflowError",
        "atleast_1d: arys[0]: int out of range of int64: about 1.181e+21 is not in "
        "-9223372036854775808 to 9223372036854775807",
    ),
    (
        'sk.trapezoid(sk.ones(3), dx="a")',
        "TypeError",
        "trapezoid: dx can't be 'a'",
    ),
    (
        "sk.polyfit(None, sk.ones(3), 1)",
        "ValueError",
        "polyfit: x can't be None",
    ),
    (
        'sk.degrees("a")',
        "TypeError",
        "degrees: x must be an Array, not str; use skerry.asarray",
    ),
    (
        'sk.radians(sk.ones(3, dtype="complex64"))',
        "DTypeError",
        "radians: x: complex64 is not accepted; it takes float16, bfloat16, float32, float64; convert with "
        "astype",
    ),
    (
        "sk.logspace(0, 1, 2**70)",
        "ShapeError",
        "logspace: too many elements; at most 2^63 - 1 are possible",
    ),
    (
        'sk.logspace(0, 1, dtype="float46")',
        "DTypeError",
        "logspace: unsupported dtype: 'float46'; supported are bool, int8, int16, int32, int64, "
        "uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, complex64, complex128",
    ),
    (
        "sk.geomspace(None, 1)",
        "TypeError",
        "geomspace: start must be a number, not NoneType",
    ),
    (
        "sk.divmod(sk.ones(3), sk.ones(4))",
        "ShapeError",
        "divmod: shapes (3,) and (4,) cannot be broadcast: axis -1 has sizes 3 and 4; sizes must "
        "be equal or 1",
    ),
    (
        'sk.nan_to_num(sk.ones(3), posinf=sk.ones((), device="cpu:1"))',
        "DeviceMismatchError",
        "nan_to_num: arguments are on different devices: x (float64 (3,)) on cpu:0, posinf "
        '(float64 ()) on cpu:1; move one explicitly, e.g. posinf.to_device("cpu:0"), or create '
        'it inside `with skerry.device("cpu:0"):`',
    ),
    (
        'sk.unwrap(sk.ones(3), discont=sk.ones((), device="cpu:1"))',
        "DeviceMismatchError",
        "unwrap: arguments are on different devices: p (float64 (3,)) on cpu:0, discont (float64 "
        '()) on cpu:1; move one explicitly, e.g. discont.to_device("cpu:0"), or create it inside '
        '`with skerry.device("cpu:0"):`',
    ),
    (
        'sk.put(sk.ones(3), [0], "a")',
        "TypeError",
        "put: v must be a skerry.Array, not str; convert it with skerry.asarray",
    ),
    (
        "sk.put(sk.ones(3), [0.5], 1)",
        "DTypeError",
        "put: ind must be integers, not float64; convert with astype",
    ),
    (
        "sk.place(sk.ones(3), sk.ones(3) > 0, None)",
        "TypeError",
        "place: vals must be a skerry.Array, not NoneType; convert it with skerry.asarray",
    ),
    (
        "sk.extract(sk.ones(4) > 0, sk.ones(3))",
        "IndexError",
        "extract: index 3 is out of bounds: axis 0 has size 3; use -3 to 2",
    ),
    (
        "sk.compress([True, False, True], sk.ones(2))",
        "IndexError",
        "compress: condition is true at 2, and axis 0 of a has size 2; use condition[:2]",
    ),
    (
        "sk.delete(sk.ones(3), 0.5)",
        "IndexError",
        "delete: obj must be integers or bools, not float64",
    ),
    (
        'sk.insert(sk.ones(3), 0, "a")',
        "TypeError",
        "insert: values must be a skerry.Array, not str; convert it with skerry.asarray",
    ),
    (
        'sk.random.default_rng(0).beta(sk.ones(2, device="cpu:1"), 1.0)',
        "DeviceMismatchError",
        "beta: arguments are on different devices: the generator's state (uint8 (0,)) on cpu:0, "
        'a (float64 (2,)) on cpu:1; move one explicitly, e.g. a.to_device("cpu:0")',
    ),
    (
        "sk.random.default_rng(0).normal([1.0, [2.0]])",
        "ShapeError",
        "normal: loc: the nested sequences are ragged; the first ones give shape (2,), and all "
        "must",
    ),
    (
        'sk.random.default_rng(0).gamma(1 + sk.ones(2, dtype="complex64"))',
        "DTypeError",
        "gamma: shape: complex64 to float64 would drop the imaginary part; take real() or abs() "
        "first",
    ),
    (
        'sk.random.default_rng(0).random(dtype="int64")',
        "DTypeError",
        "random: dtype must be float32 or float64, not int64",
    ),
    (
        'sk.random.default_rng(0).random(size="a")',
        "TypeError",
        "random: size must be an int or a tuple of ints, not 'a'",
    ),
    (
        'sk.random.default_rng(0).noncentral_f(1.0, 1.0, float("inf"))',
        "ValueError",
        "noncentral_f: nonc must be 0 to 1.8e19: inf",
    ),
    (
        "sk.random.default_rng(0).permuted(sk.ones(3), out=5)",
        "TypeError",
        "permuted: out must be an Array, not int",
    ),
    (
        "sk.lexsort(5)",
        "TypeError",
        "lexsort: keys must be an Array or a sequence of Arrays, not int",
    ),
    (
        "sk.pad(sk.ones(3), 1, mode=sk.ones(2))",
        "TypeError",
        "pad: mode must be a str or a function, not Array",
    ),
    (
        'sk.setxor1d(sk.ones(3, dtype="complex64"), sk.ones(3, dtype="complex64"))',
        "DTypeError",
        "setxor1d: complex64 has no order; use a bool or real dtype",
    ),
    (
        "sk.nanargmax(sk.ones((2,3)), axis=2)",
        "AxisError",
        "nanargmax: axis 2 is out of bounds for array of 2 axes; use -2 to 1",
    ),
    (
        "sk.ptp(sk.ones((2,3)), axis=2)",
        "AxisError",
        "ptp: axis 2 is out of bounds for array of 2 axes; use -2 to 1",
    ),
    (
        "sk.average(sk.ones((2,3)), axis=2)",
        "AxisError",
        "average: axis 2 is out of bounds for array of 2 axes; use -2 to 1",
    ),
    (
        'sk.hstack([sk.ones(3), sk.ones(3, device="cpu:1")])',
        "DeviceMismatchError",
        "hstack: arguments are on different devices: tup[0] (float64 (3,)) on cpu:0, tup[1] "
        '(float64 (3,)) on cpu:1; move one explicitly, e.g. tup[1].to_device("cpu:0")',
    ),
    (
        "sk.vstack([sk.ones(3), sk.ones(4)])",
        "ShapeError",
        "vstack: shapes differ along other axes: tup[0] is (1, 3), tup[1] is (1, 4)",
    ),
    (
        'sk.around(sk.ones(3), decimals="a")',
        "TypeError",
        "around: decimals must be an int, not str",
    ),
    (
        'sk.kron(sk.ones(3), sk.ones(3, device="cpu:1"))',
        "DeviceMismatchError",
        "kron: arguments are on different devices: a (float64 (3,)) on cpu:0, b (float64 (3,)) "
        'on cpu:1; move one explicitly, e.g. b.to_device("cpu:0")',
    ),
    (
        "sk.random.default_rng(0).normal(scal=2.0)",
        "TypeError",
        "Generator.normal() got an unexpected keyword argument 'scal'",
    ),
    (
        "sk.median(sk.ones(3), out=sk.ones(3))",
        "ShapeError",
        "median: out has shape (3,), but the result (); create out with skerry.empty",
    ),
    (
        'sk.cumsum(sk.ones(3), out=sk.ones(3, dtype="int64"))',
        "DTypeError",
        "cumsum: the result is float64, which does not cast to the int64 of out by casting='same_kind'; "
        "use skerry.astype",
    ),
    (
        'sk.nanmean(sk.ones((3, 2)), 0, out=sk.ones(2, device="cuda:0"))',
        "DeviceMismatchError",
        "nanmean: arguments are on different devices: a (float64 (3, 2)) on cpu:0, out (float64 "
        '(2,)) on cuda:0; move one explicitly, e.g. out.to_device("cpu:0")',
    ),
    (
        "sk.nanmax(sk.ones(3), where=sk.ones(3) > 0)",
        "ValueError",
        "nanmax: where= needs initial=, as this reduction has no identity",
    ),
    (
        "sk.nanmean(sk.ones(3), where=sk.ones(3))",
        "DTypeError",
        "nanmean: where must be of bool, not float64; compare first",
    ),
    (
        'sk.partition(sk.ones(3), 1, kind="quicksort")',
        "ValueError",
        "partition: unknown kind: 'quicksort'; use 'introselect' or leave it out",
    ),
    (
        'sk.vstack([sk.ones(3), sk.ones(3)], dtype="int64")',
        "DTypeError",
        "vstack: tup[0] is float64, which does not cast to the int64 of the result by "
        "casting='same_kind'; use skerry.astype",
    ),
    (
        "sk.unique(sk.ones(3), axis=1)",
        "AxisError",
        "unique: axis 1 is out of bounds for array of 1 axes; use -1 to 0",
    ),
]
