# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Written by python/stubs/generate.py."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, Literal, overload

from skerry._core import fft as fft
from skerry._core import linalg as linalg
from skerry._core._types import *

__version__: str
direct_ufuncs: dict[Any, Any]

__all__ = [
    "Array", "Device", "Event", "Stream", "abs", "acos", "acosh", "add", "all", "any", "arange",
    "argmax", "argmin", "argsort", "as_cuda_array", "asarray", "asin", "asinh", "astype", "atan",
    "atan2", "atanh", "bitwise_and", "bitwise_invert", "bitwise_left_shift", "bitwise_or",
    "bitwise_right_shift", "bitwise_xor", "broadcast_arrays", "broadcast_shapes", "broadcast_to",
    "can_cast", "ceil", "clip", "concat", "conj", "copysign", "cos", "cosh", "count_nonzero",
    "cumulative_prod", "cumulative_sum", "current_stream", "default_device", "devices", "diff",
    "divide", "empty", "empty_like", "equal", "exp", "expand_dims", "expm1", "eye", "flip",
    "floor", "floor_divide", "from_cuda_array_interface", "from_dlpack", "full", "full_like",
    "get_num_threads", "greater", "greater_equal", "hypot", "imag", "is_cuda_array", "isfinite",
    "isin", "isinf", "isnan", "less", "less_equal", "linspace", "log", "log10", "log1p", "log2",
    "logaddexp", "logical_and", "logical_not", "logical_or", "logical_xor", "matmul",
    "matrix_transpose", "max", "maximum", "mean", "memory_statistics", "meshgrid", "min",
    "minimum", "moveaxis", "multiply", "negative", "nextafter", "nonzero", "not_equal", "ones",
    "ones_like", "permute_dims", "positive", "pow", "prod", "real", "reciprocal", "rehearse",
    "remainder", "repeat", "reset_peak", "reshape", "result_type", "roll", "round", "searchsorted",
    "set_default_device", "set_memory_limit", "set_num_threads", "sign", "signbit", "sin", "sinh",
    "sort", "sqrt", "square", "squeeze", "stack", "std", "subtract", "sum", "synchronize", "take",
    "take_along_axis", "tan", "tanh", "tensordot", "tile", "tril", "trim", "triu", "trunc",
    "unique_all", "unique_counts", "unique_inverse", "unique_values", "unstack", "var", "vecdot",
    "where", "zeros", "zeros_like",
]  # fmt: skip

abs: UnaryUfunc
acos: UnaryUfunc
acosh: UnaryUfunc
add: BinaryUfunc
angle: UnaryUfunc
asin: UnaryUfunc
asinh: UnaryUfunc
atan: UnaryUfunc
atan2: BinaryUfunc
atanh: UnaryUfunc
bitwise_and: BinaryUfunc
bitwise_count: UnaryUfunc
bitwise_invert: UnaryUfunc
bitwise_left_shift: BinaryUfunc
bitwise_or: BinaryUfunc
bitwise_right_shift: BinaryUfunc
bitwise_xor: BinaryUfunc
cbrt: UnaryUfunc
ceil: UnaryUfunc
conj: UnaryUfunc
copysign: BinaryUfunc
cos: UnaryUfunc
cosh: UnaryUfunc
deg2rad: UnaryUfunc
divide: BinaryUfunc
equal: BinaryUfunc
exp: UnaryUfunc
exp2: UnaryUfunc
expm1: UnaryUfunc
fabs: UnaryUfunc
floor: UnaryUfunc
floor_divide: BinaryUfunc
fmax: BinaryUfunc
fmin: BinaryUfunc
fmod: BinaryUfunc
gcd: BinaryUfunc
greater: BinaryUfunc
greater_equal: BinaryUfunc
heaviside: BinaryUfunc
hypot: BinaryUfunc
imag: UnaryUfunc
isfinite: UnaryUfunc
isinf: UnaryUfunc
isnan: UnaryUfunc
less: BinaryUfunc
less_equal: BinaryUfunc
log: UnaryUfunc
log10: UnaryUfunc
log1p: UnaryUfunc
log2: UnaryUfunc
logaddexp: BinaryUfunc
logaddexp2: BinaryUfunc
logical_and: BinaryUfunc
logical_not: UnaryUfunc
logical_or: BinaryUfunc
logical_xor: BinaryUfunc
maximum: BinaryUfunc
minimum: BinaryUfunc
multiply: BinaryUfunc
nan_to_num: UnaryUfunc
negative: UnaryUfunc
nextafter: BinaryUfunc
not_equal: BinaryUfunc
positive: UnaryUfunc
pow: BinaryUfunc
rad2deg: UnaryUfunc
real: UnaryUfunc
reciprocal: UnaryUfunc
remainder: BinaryUfunc
round: RoundingUfunc
sign: UnaryUfunc
signbit: UnaryUfunc
sin: UnaryUfunc
sinh: UnaryUfunc
sqrt: UnaryUfunc
square: UnaryUfunc
subtract: BinaryUfunc
tan: UnaryUfunc
tanh: UnaryUfunc
trunc: UnaryUfunc

def agree(values: tuple[Any, ...], /) -> bool: ...
def all(
    x: Operand,
    /,
    axis: Axis = None,
    out: Array | None = None,
    keepdims: bool = False,
    *,
    where: Array | bool = True,
) -> Array: ...
def allocate_block(device: DeviceLike, nbytes: int, stream: Any, /) -> int: ...
def allocator_addresses() -> tuple[int, int]: ...
def any(
    x: Operand,
    /,
    axis: Axis = None,
    out: Array | None = None,
    keepdims: bool = False,
    *,
    where: Array | bool = True,
) -> Array: ...
def arange(
    start: float,
    stop: float | None = None,
    step: float = 1,
    dtype: DtypeLike = None,
    *,
    device: DeviceLike | None = None,
) -> Array: ...
def are_arrays(values: tuple[Any, ...], /) -> bool: ...
def argmax(
    x: Operand, /, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False
) -> Array: ...
def argmin(
    x: Operand, /, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False
) -> Array: ...
def argsort(
    x: Operand,
    /,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    descending: bool = False,
    stable: bool = True,
) -> Array: ...
def array_function(
    direct: Callable[..., Any],
    converting: Callable[..., Any],
    writes: bool,
    operation: Callable[..., Any] | None,
    parameters: tuple[str | None, ...],
    nin: int = 0,
    nout: int = 1,
    /,
) -> Callable[..., Any]: ...
def as_cuda_array(obj: Any, sync: CudaSync = True) -> Array: ...
def as_device(device: DeviceLike, /) -> Device: ...
def as_stream(stream: StreamLike, device: DeviceLike | None = None, /) -> Stream: ...
def asarray(
    obj: Any,
    /,
    dtype: DtypeLike = None,
    order: str | None = None,
    *,
    device: DeviceLike | None = None,
    copy: bool | None = None,
) -> Array: ...
def assigned(name: str, parameter: str, values: Any, like: Array, /) -> Array: ...
def astype(
    x: Operand, dtype: DtypeLike, /, *, copy: bool = True, device: DeviceLike | None = None
) -> Array: ...
def begin_capture(devices: Iterable[DeviceLike], /) -> DeviceGraph: ...
def best_items(x: Operand, k: int, axis: int, largest: bool, /) -> tuple[Array, Array]: ...
def broadcast_arrays(*arrays: Operand) -> tuple[Array, ...]: ...
def broadcast_shapes(*shapes: Shape) -> tuple[int, ...]: ...
def broadcast_to(x: Operand, /, shape: Shape) -> Array: ...
def built_dtypes() -> tuple[str, ...]: ...
def can_cast(from_: DtypeLike, to: DtypeLike, casting: str = "safe") -> bool: ...
def clip(
    x: Operand, /, min: Operand | None = None, max: Operand | None = None, out: Array | None = None
) -> Array: ...
def close_ledger(ledger: Any, /) -> None: ...
def close_profile(profile: Any, /) -> None: ...
def concat(
    arrays: Array | Sequence[Operand],
    /,
    axis: int | None = 0,
    out: Array | None = None,
    *,
    dtype: DtypeLike = None,
    casting: str = "same_kind",
) -> Array: ...
def convolve(a: Array, v: Array, mode: str, /) -> Array: ...
def copy_to_shareable(x: Operand, /) -> Array: ...
def correlate(a: Array, v: Array, mode: str, /) -> Array: ...
def count_cuda_calls(on: bool, /) -> None: ...
def count_in_bins(
    x: Operand, edges: Array, uniform: bool, first: float, last: float, /
) -> Array: ...
def count_nonzero(x: Operand, /, axis: Axis = None, *, keepdims: bool = False) -> Array: ...
def count_numbers(x: Operand, weights: Array | None, bins: int, /) -> Array: ...
def count_occurrences(x: Operand, weights: Array | None, minlength: int, /) -> Array: ...
def counted_allocations() -> int: ...
def counted_cuda_calls() -> dict[str, int]: ...
def create_ipc_event(device: DeviceLike, /) -> IpcEvent: ...
def cuda_allocator() -> str: ...
def cuda_versions() -> tuple[int, int]: ...
def cuda_was_used() -> bool: ...
def cumulative_prod(
    x: Operand,
    /,
    *,
    axis: int | None = None,
    dtype: DtypeLike = None,
    out: Array | None = None,
    include_initial: bool = False,
) -> Array: ...
def cumulative_sum(
    x: Operand,
    /,
    *,
    axis: int | None = None,
    dtype: DtypeLike = None,
    out: Array | None = None,
    include_initial: bool = False,
) -> Array: ...
def current_stream(device: DeviceLike | None = None) -> Stream: ...
def cut(x: Operand, axis: int, indices: list[int], /) -> list[Array]: ...
def default_device() -> Device | None: ...
def device_of_ordinal(ordinal: int, /) -> Device: ...
def device_or_default(name: str, device: DeviceLike | None, /) -> Device: ...
def device_uuid(device: DeviceLike, /) -> bytes: ...
def devices(kind: str | None = None) -> tuple[Device, ...]: ...
def diff(
    x: Operand,
    /,
    n: int = 1,
    axis: int = -1,
    prepend: Operand | None = None,
    append: Operand | None = None,
) -> Array: ...
def draw(
    out: Array,
    method: str,
    stream: tuple[int, int, int],
    a: Array | float | None = None,
    b: Array | float | None = None,
    base: Array | None = None,
    /,
) -> None: ...
def dtype_kinds() -> dict[str, str]: ...
def empty(
    shape: Shape,
    dtype: DtypeLike = None,
    order: str = "C",
    *,
    device: DeviceLike | None = None,
    pinned: bool = False,
    managed: bool = False,
) -> Array: ...
def empty_in_order(x: Operand, shape: Shape, /) -> Array: ...
def empty_like(
    x: Operand,
    /,
    dtype: DtypeLike = None,
    order: str = "C",
    subok: bool = True,
    shape: Shape | None = None,
    *,
    device: DeviceLike | None = None,
) -> Array: ...
def expand_dims(x: Operand, /, axis: int | tuple[int, ...]) -> Array: ...
def export_ipc_memory(x: Operand, /) -> tuple[bytes, int, int] | None: ...
def exported_version() -> int: ...
def eye(
    n_rows: int,
    n_cols: int | None = None,
    k: int = 0,
    dtype: DtypeLike = None,
    order: str = "C",
    *,
    device: DeviceLike | None = None,
) -> Array: ...
def fail_allocation(k: int, from_then_on: bool = False, /) -> None: ...
def flip(x: Operand, /, axis: Axis = None) -> Array: ...
def free_block(device: DeviceLike, address: int, stream: Any, /) -> None: ...
def from_cuda_array_interface(
    desc: Mapping[str, Any],
    owner: Any = None,
    *,
    sync: CudaSync = True,
    device: DeviceLike | None = None,
) -> Array: ...
def from_dlpack(
    x: Any, /, *, device: DeviceLike | None = None, copy: bool | None = None
) -> Array: ...
def full(
    shape: Shape,
    fill_value: Array | Scalar,
    dtype: DtypeLike = None,
    order: str = "C",
    *,
    device: DeviceLike | None = None,
    pinned: bool = False,
    managed: bool = False,
) -> Array: ...
def full_like(
    x: Operand,
    /,
    fill_value: Array | Scalar,
    dtype: DtypeLike = None,
    order: str = "C",
    subok: bool = True,
    shape: Shape | None = None,
    *,
    device: DeviceLike | None = None,
) -> Array: ...
def fused_function(function: Callable[..., Any], /) -> Callable[..., Any]: ...
def fused_pass_counts() -> tuple[int, int, int]: ...
def fused_work() -> int: ...
def get_num_threads() -> int: ...
def guard_numpy_memory() -> Any: ...
def has_dtype(device: DeviceLike, dtype: DtypeLike, /) -> bool: ...
def instruction_set() -> str: ...
def instruction_sets() -> tuple[str, ...]: ...
def interp(x: Operand, xp: Array, fp: Array, /) -> Array: ...
def is_cuda_array(obj: Any, /) -> bool: ...
def is_ledger_open(ledger: Any, /) -> bool: ...
def is_managed(x: Operand, /) -> bool: ...
def is_page_locked(x: Operand, /) -> bool: ...
def is_pinned(x: Operand, /) -> bool: ...
def is_profile_open(profile: Any, /) -> bool: ...
def is_rehearsing() -> bool: ...
def is_writable(x: Operand, /) -> bool: ...
def isin(
    x1: Operand,
    x2: Operand,
    /,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: str | None = None,
) -> Array: ...
def kron(a: Array, b: Array, /) -> Array: ...
def least_recorded(nbytes: int, /) -> int: ...
def lexical_order(keys: Sequence[Array], axis: int, /) -> Array: ...
def lie_below(x: Operand, end: int, /) -> bool: ...
@overload
def linspace(
    start: Operand,
    stop: Operand,
    num: int = 50,
    endpoint: bool = True,
    retstep: Literal[False] = False,
    dtype: DtypeLike = None,
    axis: int = 0,
    *,
    device: DeviceLike | None = None,
) -> Array: ...
@overload
def linspace(
    start: Operand,
    stop: Operand,
    num: int = 50,
    endpoint: bool = True,
    *,
    retstep: Literal[True],
    dtype: DtypeLike = None,
    axis: int = 0,
    device: DeviceLike | None = None,
) -> tuple[Array, Any]: ...
def literals(
    name: str, names: tuple[str | None, ...], values: tuple[Any, ...], context: tuple[Any, ...], /
) -> tuple[Any, ...]: ...
def matmul(
    x1: Operand,
    x2: Operand,
    /,
    out: Any = None,
    *,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DtypeLike = None,
    axes: Any = None,
) -> Array: ...
def matrix_transpose(x: Operand, /) -> Array: ...
def max(
    x: Operand,
    /,
    axis: Axis = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Operand | None = None,
    where: Array | bool = True,
) -> Array: ...
def mean(
    x: Operand,
    /,
    axis: Axis = None,
    dtype: DtypeLike = None,
    out: Array | None = None,
    keepdims: bool = False,
    *,
    where: Array | bool = True,
) -> Array: ...
def memory_statistics(device: DeviceLike | None = None) -> MemoryStatistics: ...
def meshgrid(
    *arrays: Operand, copy: bool = False, sparse: bool = False, indexing: str = "xy"
) -> tuple[Array, ...]: ...
def min(
    x: Operand,
    /,
    axis: Axis = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Operand | None = None,
    where: Array | bool = True,
) -> Array: ...
def moveaxis(
    x: Operand, /, source: int | tuple[int, ...], destination: int | tuple[int, ...]
) -> Array: ...
def nanmax(x: Operand, /, axis: Axis = None, *, keepdims: bool = False) -> Array: ...
def nanmin(x: Operand, /, axis: Axis = None, *, keepdims: bool = False) -> Array: ...
def nonzero(x: Operand, /) -> tuple[Array, ...]: ...
def ones(
    shape: Shape,
    dtype: DtypeLike = None,
    order: str = "C",
    *,
    device: DeviceLike | None = None,
    pinned: bool = False,
    managed: bool = False,
) -> Array: ...
def ones_like(
    x: Operand,
    /,
    dtype: DtypeLike = None,
    order: str = "C",
    subok: bool = True,
    shape: Shape | None = None,
    *,
    device: DeviceLike | None = None,
) -> Array: ...
def op_table() -> list[dict[str, Any]]: ...
def open_ipc_event(device: DeviceLike, handle: bytes, /) -> IpcEvent | None: ...
def open_ipc_memory(
    device: DeviceLike,
    handle: bytes,
    nbytes: int,
    dtype: DtypeLike,
    shape: Sequence[int],
    strides: Sequence[int],
    offset: int,
    /,
) -> Array | None: ...
def open_ledger(transfers: int, syncs: int, allocations: int, outer: Any, /) -> Any: ...
def open_profile(nvtx: bool, outer: Any, /) -> Any: ...
def order_statistics(x: Operand, ranks: int | tuple[int, ...] | list[int], /) -> Array: ...
def page_locks() -> dict[str, int]: ...
def partition_items(
    x: Operand, kth: int | tuple[int, ...] | list[int], axis: int, as_order: bool, /
) -> Array: ...
def permute_dims(x: Operand, /, axes: tuple[int, ...] | list[int] | None = None) -> Array: ...
def prod(
    x: Operand,
    /,
    axis: Axis = None,
    dtype: DtypeLike = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Operand | None = None,
    where: Array | bool = True,
) -> Array: ...
def product_of_matrices(a: Any, b: Any, of_rows: bool, /) -> Array | None: ...
def profile_process() -> None: ...
def ravel_indices(
    indices: tuple[Any, ...], lengths: list[int] | tuple[int, ...], /
) -> Array | None: ...
def read_ledger(ledger: Any, /) -> list[tuple[Any, ...]]: ...
def read_profile(profile: Any, /) -> list[tuple[Any, ...]]: ...
def reduction_table() -> list[dict[str, Any]]: ...
def refresh_rehearsed_devices() -> None: ...
def rehearsal_begin_capture(handle: int, /) -> int: ...
def rehearsal_calls() -> int: ...
def rehearsal_contexts() -> list[int]: ...
def rehearsal_delay(microseconds: int, most: int | None = None, /) -> None: ...
def rehearsal_destroy_graph(graph: int, /) -> int: ...
def rehearsal_end_capture(handle: int, /) -> tuple[int, int]: ...
def rehearsal_fail_call(k: int, code: int, sticky: bool = False, /) -> None: ...
def rehearsal_launch_graph(graph: int, handle: int, /) -> int: ...
def rehearsal_set_captured(handle: int, /) -> None: ...
def rehearsal_set_device(ordinal: int, /) -> int: ...
def rehearse(*, cuda: int, kernels: bool | str = False) -> None: ...
def rehearse_float64(is_there: bool, /) -> None: ...
def rehearsed_kernels() -> Array: ...
def rehearsed_traffic() -> dict[str, int]: ...
def repeat(x: Operand, /, repeats: Operand, axis: int | None = None) -> Array: ...
def require_objects(name: str, count: int, /) -> None: ...
def require_one_device(
    name: str, arrays: tuple[Array, ...], names: tuple[str, ...] | None = None, /
) -> None: ...
def reset_peak(device: DeviceLike | None = None) -> None: ...
def reshape(
    x: Operand, /, shape: Shape, order: str = "C", *, copy: bool | None = None
) -> Array: ...
def result_type(*arrays_and_dtypes: Operand | DtypeLike) -> Dtype: ...
def roll(
    x: Operand, /, shift: int | tuple[int, ...], axis: int | tuple[int, ...] | None = None
) -> Array: ...
def scatter_reduce(op: str, x: Operand, indices: Operand, values: Operand, /) -> None: ...
def searchsorted(
    x1: Operand,
    x2: Operand,
    /,
    side: Literal["left", "right"] = "left",
    sorter: Operand | None = None,
) -> Array: ...
def set_allocator(device: DeviceLike, allocate: Any, free: Any, /) -> None: ...
def set_current_stream(stream: Stream, /) -> None: ...
def set_default_device(device: DeviceLike | None) -> None: ...
def set_memory_limit(device: DeviceLike, nbytes: int | None = None) -> None: ...
def set_num_threads(count: int) -> None: ...
def set_numpy_memory(handler: Any, /) -> None: ...
def sliding_windows(
    x: Operand, lengths: list[int] | tuple[int, ...], axes: list[int] | tuple[int, ...], /
) -> Array: ...
def slow_waiting_cuda_calls(microseconds: int, /) -> None: ...
def sort(
    x: Operand,
    /,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    descending: bool = False,
    stable: bool = True,
) -> Array: ...
def squeeze(x: Operand, /, axis: int | tuple[int, ...] | None = None) -> Array: ...
def stack(
    arrays: Array | Sequence[Operand],
    /,
    axis: int = 0,
    out: Array | None = None,
    *,
    dtype: DtypeLike = None,
    casting: str = "same_kind",
) -> Array: ...
def std(
    x: Operand,
    /,
    axis: Axis = None,
    dtype: DtypeLike = None,
    out: Array | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    correction: float = 0.0,
    where: Array | bool = True,
    mean: Operand | None = None,
) -> Array: ...
def store_random_state(out: Array, state: tuple[int, int, int], /) -> None: ...
def strided_view(
    x: Operand, shape: Shape, strides: list[int] | tuple[int, ...], writeable: bool, /
) -> Array: ...
def sum(
    x: Operand,
    /,
    axis: Axis = None,
    dtype: DtypeLike = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Operand | None = None,
    where: Array | bool = True,
) -> Array: ...
def synchronize(device: DeviceLike | None = None) -> None: ...
def take(
    x: Operand,
    /,
    indices: Array | int,
    axis: int | None = None,
    out: Array | None = None,
    mode: str = "raise",
) -> Array: ...
def take_along_axis(x: Operand, /, indices: Operand, axis: int | None = -1) -> Array: ...
def tensordot(
    x1: Operand, x2: Operand, /, axes: int | tuple[Sequence[int], Sequence[int]] = 2
) -> Array: ...
def tile(x: Operand, /, repetitions: int | tuple[int, ...]) -> Array: ...
def trace_memory(is_on: bool, folder: str, /) -> None: ...
def traced_blocks() -> tuple[list[tuple[Any, ...]], float] | None: ...
def transfers() -> dict[str, int]: ...
def tril(x: Operand, /, k: int = 0) -> Array: ...
def trim(device: DeviceLike | None = None) -> int: ...
def triu(x: Operand, /, k: int = 0) -> Array: ...
def unique_all(x: Operand, /) -> UniqueAllResult: ...
def unique_counts(x: Operand, /) -> UniqueCountsResult: ...
def unique_inverse(x: Operand, /) -> UniqueInverseResult: ...
def unique_values(x: Operand, /) -> Array: ...
def unravel_index(
    indices: Any, lengths: list[int] | tuple[int, ...], /
) -> tuple[Array, ...] | None: ...
def unravel_indices(
    indices: Array, lengths: list[int] | tuple[int, ...], /
) -> tuple[Array, ...]: ...
def unstack(x: Operand, /, *, axis: int = 0) -> tuple[Array, ...]: ...
def use_device_context(variable: ContextVar[Device | None], /) -> None: ...
def use_ledger_context(variable: Any, folder: str, /) -> None: ...
def use_nvtx(push: Callable[[str], None], pop: Callable[[], object], /) -> None: ...
def use_profile_context(variable: Any, /) -> None: ...
def use_promotion_context(variable: ContextVar[bool], /) -> None: ...
def use_version_context(variable: ContextVar[int], /) -> None: ...
def var(
    x: Operand,
    /,
    axis: Axis = None,
    dtype: DtypeLike = None,
    out: Array | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    correction: float = 0.0,
    where: Array | bool = True,
    mean: Operand | None = None,
) -> Array: ...
def vdot(a: Any, b: Any, /) -> Array | None: ...
def vecdot(
    x1: Operand,
    x2: Operand,
    /,
    out: Any = None,
    *,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DtypeLike = None,
    axis: int = -1,
    axes: Any = None,
) -> Array: ...
def waiting_cuda_calls() -> list[str]: ...
def watch_aliases(watcher: Callable[[str, str, bool], object] | None, /) -> None: ...
def watch_passes(
    watcher: Callable[[int, tuple[int, ...], int, int, bool, int], object] | None, /
) -> None: ...
@overload
def where(condition: Array | complex, x1: Operand, x2: Operand, /) -> Array: ...
@overload
def where(condition: Array, /) -> tuple[Array, ...]: ...
def why_no_cuda() -> tuple[str, str] | None: ...
def with_axes(values: tuple[Any, ...], least: int, /) -> tuple[Array, ...] | None: ...
def zeros(
    shape: Shape,
    dtype: DtypeLike = None,
    order: str = "C",
    *,
    device: DeviceLike | None = None,
    pinned: bool = False,
    managed: bool = False,
) -> Array: ...
def zeros_like(
    x: Operand,
    /,
    dtype: DtypeLike = None,
    order: str = "C",
    subok: bool = True,
    shape: Shape | None = None,
    *,
    device: DeviceLike | None = None,
) -> Array: ...
