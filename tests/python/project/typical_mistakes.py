# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Typical mistakes of devices, dtypes and shapes: code, the class of its error, and the whole text.

They need two CUDA devices, real or rehearsed.
"""

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
        'sk.asarray([1, 2], dtype="float46")',
        "DTypeError",
        "asarray: unsupported dtype: 'float46'; supported are bool, int8, int16, int32, int64, "
        "uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, complex64, complex128",
    ),
    (
        "sk.zeros(3, dtype=object)",
        "DTypeError",
        "zeros: unsupported dtype: <class 'object'>; supported are bool, int8, int16, int32, "
        "int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, complex64, complex128",
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
        "sk.ones(3).__iadd__(1j)",
        "DTypeError",
        "add: the result is complex128, which can't be stored in place in x1, float64 (3,) on "
        "cpu:0; write x1 = add(x1, x2), or convert x2 with astype",
    ),
    (
        "sk.eye(-2)",
        "ShapeError",
        "eye: shape must not have a negative size: (-2, -2)",
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
        "sk.cumulative_sum(sk.ones(3), axis=1)",
        "AxisError",
        "cumulative_sum: axis 1 is out of bounds for array of 1 axis; use -1 to 0",
    ),
    (
        'sk.astype(sk.ones(3), "complx64")',
        "DTypeError",
        "astype: unsupported dtype: 'complx64'; supported are bool, int8, int16, int32, int64, "
        "uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, complex64, complex128",
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
        "sk.linalg.svd(sk.ones(3))",
        "MatrixShapeError",
        "svd: x must have at least two axes: float64 (3,) on cpu:0",
    ),
    (
        "sk.fft.fft(sk.asarray(1.0))",
        "AxisError",
        "fft: axis -1 is out of bounds for array of 0 axes",
    ),
    (
        "sk.fft.rfft(sk.ones(3, dtype=sk.complex128))",
        "DTypeError",
        "rfft: x must be real, not complex128; use fft, or take real(x)",
    ),
    (
        "sk.unwrap(sk.ones(3, dtype=sk.complex128))",
        "DTypeError",
        "unwrap: p must be real, not complex128; pass skerry.angle(p)",
    ),
    (
        "sk.interp(sk.ones(3), sk.ones(2), sk.ones(3))",
        "ShapeError",
        "interp: xp and fp must be 1-D and of the same length: (2,) and (3,)",
    ),
    (
        "sk.convolve(sk.ones((2, 2)), sk.ones(2))",
        "ShapeError",
        "convolve: a has 2 axes; pass a 1-D array",
    ),
    (
        'sk.einsum("ij,jk->ik", sk.ones((2, 3)), sk.ones((4, 5)))',
        "ShapeError",
        "einsum: axes with the label 'j' differ in length: 3 and 4",
    ),
    (
        "sk.meshgrid(sk.ones((2, 2)), sk.ones(2))",
        "ShapeError",
        "meshgrid: arrays[0] has more than one axis: float64 (2, 2) on cpu:0",
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
        'sk.asarray(sk.ones(3), device="cuda:0", copy=False)',
        "InterchangeError",
        "asarray: copy=False, but float64 (3,) on cpu:0 can't be converted to float64 on cuda:0 "
        "without a copy",
    ),
    (
        'sk.ones(3).view("float46")',
        "DTypeError",
        "view: unsupported dtype: 'float46'; supported are bool, int8, int16, int32, int64, "
        "uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, complex64, complex128",
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
        'sk.result_type("foo")',
        "DTypeError",
        "result_type: unsupported dtype: 'foo'; supported are bool, int8, int16, int32, int64, "
        "uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, complex64, complex128",
    ),
    (
        'sk.can_cast("foo", sk.float32)',
        "DTypeError",
        "can_cast: unsupported dtype: 'foo'; supported are bool, int8, int16, int32, int64, "
        "uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, complex64, complex128",
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
        "uint32, uint64, float16, bfloat16, float32, float64, complex64, complex128; convert with astype",
    ),
    (
        "~sk.ones(3)",
        "DTypeError",
        "bitwise_invert: float64 is not accepted; it takes bool, int8, int16, int32, int64, "
        "uint8, uint16, uint32, uint64; convert with astype",
    ),
    (
        "sk.nonzero(sk.asarray(1.0))",
        "ShapeError",
        "nonzero: a 0-d array has no axes; give it one with reshape(x, (1,))",
    ),
    (
        'np.linalg.qr(sk.ones(3, device="cuda:0"))',
        "MatrixShapeError",
        "qr: x must have at least two axes: float64 (3,) on cuda:0",
    ),
]
