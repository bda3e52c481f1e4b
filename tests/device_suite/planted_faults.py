# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""skerry with one fault at a time: the suite must find each in the tests of the recommendation that it violates.

    python -m tests.device_suite.planted_faults

prints a table and fails if a fault is not found.
"""

import dataclasses
import functools
import pathlib
import sys
from collections.abc import Callable
from typing import Any

import pytest

from .fault_runner import failing_tests, print_table
from .library import load_file

FOLDER = pathlib.Path(__file__).parent
skerry = load_file(FOLDER / "adapters" / "skerry.py").namespace
Array = skerry.Array

Replace = Callable[[Any, str, Callable[[Any], Any]], None]


@dataclasses.dataclass(frozen=True)
class Fault:
    """A change of skerry that violates a recommendation."""

    recommendation: str
    plant: Callable[[Replace], None]

    @property
    def name(self) -> str:
        return self.plant.__name__


FAULTS: list[Fault] = []


def violates(recommendation: str) -> Callable[[Any], Any]:
    def register(plant: Callable[[Replace], None]) -> Callable[[Replace], None]:
        FAULTS.append(Fault(recommendation, plant))
        return plant

    return register


def wrap(change: Callable[..., Any]) -> Callable[[Any], Any]:
    """Return what makes ``change(original, *args, **kwargs)`` of the original function."""
    return lambda original: functools.wraps(original)(
        lambda *args, **kwargs: change(original, *args, **kwargs)
    )


def moved(value: Any, device: Any) -> Any:
    """Return arguments with arrays copied to a device, as a library does that transfers implicitly."""
    if isinstance(value, Array):
        return value.to_device(device)
    return (
        type(value)(moved(item, device) for item in value)
        if isinstance(value, list | tuple)
        else value
    )


def transfers(original: Any, first: Any, *rest: Any, **kwargs: Any) -> Any:
    """Call with all arrays copied to the device of the first."""
    return original(first, *moved(rest, first.device), **kwargs)


def lands_on_default(original: Any, *args: Any, **kwargs: Any) -> Any:
    return moved(original(*args, **kwargs), skerry.default_device())


@violates("device-attribute")
def device_is_missing_on_cuda(replace):
    def read(original, x):
        if (device := original.__get__(x)).kind == "cuda":
            raise AttributeError("device")
        return device

    replace(Array, "device", lambda original: property(lambda x: read(original, x)))


class IdentityDevice:
    """A device that is equal to itself only."""


class UnhashedDevice(skerry.Device):
    """Equal by value, with a hash by identity."""

    __hash__ = object.__hash__


@violates("device-equality")
def devices_are_equal_by_identity(replace):
    replace(Array, "device", lambda original: property(lambda x: IdentityDevice()))


@violates("device-hash")
def devices_hash_by_identity(replace):
    replace(
        Array, "device", lambda original: property(lambda x: UnhashedDevice(original.__get__(x)))
    )


@violates("device-pickle")
def unpickled_arrays_land_on_the_default_device(replace):
    def reduce(original, x, protocol):
        return skerry.asarray, (x.tolist(),)

    replace(Array, "__reduce_ex__", wrap(reduce))


@violates("explicit-device")
def zeros_ignores_device(replace):
    replace(
        skerry,
        "zeros",
        wrap(lambda original, *args, device=None, **kwargs: original(*args, **kwargs)),
    )


@violates("explicit-device")
def full_like_ignores_device(replace):
    replace(
        skerry,
        "full_like",
        wrap(lambda original, *args, device=None, **kwargs: original(*args, **kwargs)),
    )


@violates("explicit-device")
def fftfreq_takes_the_index_only(replace):
    def fftfreq(original, *args, device=None, **kwargs):
        index = 0 if device is None else device.index
        return original(*args, device=f"cpu:{index}", **kwargs)

    replace(skerry.fft, "fftfreq", wrap(fftfreq))


@violates("explicit-device-or-error")
def empty_falls_back_to_the_default_device(replace):
    def empty(original, *args, device=None, **kwargs):
        usable = isinstance(device, skerry.Device)
        return original(*args, device=device if usable else None, **kwargs)

    replace(skerry, "empty", wrap(empty))


@violates("outputs-stay")
def sin_lands_on_the_default_device(replace):
    replace(skerry, "sin", wrap(lands_on_default))


@violates("outputs-stay")
def counts_of_unique_counts_are_on_the_host(replace):
    def unique_counts(original, x):
        values, counts = original(x)
        return values, counts.to_device("cpu:0")

    replace(skerry, "unique_counts", wrap(unique_counts))


@violates("outputs-stay")
def zero_size_results_land_on_the_default_device(replace):
    def sqrt(original, x, *args, **kwargs):
        result = original(x, *args, **kwargs)
        return result if result.size else moved(result, skerry.default_device())

    replace(skerry, "sqrt", wrap(sqrt))


@violates("operators-stay")
def scalars_by_index_are_on_the_host(replace):
    def getitem(original, x, key):
        result = original(x, key)
        return result if result.ndim else result.to_device("cpu:0")

    replace(Array, "__getitem__", wrap(getitem))


@violates("scalars-follow")
def product_with_a_scalar_lands_on_the_default_device(replace):
    def multiply(original, x, other):
        result = original(x, other)
        return result if isinstance(other, Array) else moved(result, skerry.default_device())

    replace(Array, "__mul__", wrap(multiply))


@violates("like-follows-input")
def ones_like_creates_on_the_default_device(replace):
    replace(
        skerry,
        "ones_like",
        lambda original: (
            lambda x, **options: skerry.ones(x.shape, dtype=x.dtype, device=options.get("device"))
        ),
    )


@violates("mixing-functions")
def add_transfers_silently(replace):
    replace(skerry, "add", wrap(transfers))


@violates("mixing-functions")
def where_transfers_its_condition_silently(replace):
    def select(original, condition, x1, x2):
        return original(moved(condition, x1.device), x1, x2)

    replace(skerry, "where", wrap(select))


@violates("mixing-functions")
def concat_transfers_silently(replace):
    replace(
        skerry,
        "concat",
        wrap(
            lambda original, arrays, **options: original(moved(arrays, arrays[0].device), **options)
        ),
    )


@violates("mixing-operators")
def matmul_transfers_silently(replace):
    replace(Array, "__matmul__", wrap(transfers))


@violates("mixing-in-place")
def in_place_addition_transfers_silently(replace):
    replace(Array, "__iadd__", wrap(transfers))


@violates("mixing-in-place")
def out_on_another_device_is_written(replace):
    def exp(original, x, out=None, **options):
        result = original(x, **options)
        if out is None:
            return result
        out[...] = result.to_device(out.device)
        return out

    replace(
        skerry, "exp", lambda original: functools.wraps(original)(functools.partial(exp, original))
    )


@violates("mixing-indices")
def masks_are_transferred_silently(replace):
    replace(Array, "__getitem__", wrap(transfers))


@violates("mixing-assignment")
def scalar_arrays_are_assigned_from_any_device(replace):
    def setitem(original, x, key, value):
        is_scalar = isinstance(value, Array) and value.ndim == 0
        original(x, key, moved(value, x.device) if is_scalar else value)

    replace(Array, "__setitem__", wrap(setitem))


@violates("mixing-assignment")
def a_rejected_assignment_has_cleared_the_array(replace):
    def setitem(original, x, key, value):
        if isinstance(value, Array) and value.device != x.device:
            original(x, key, 0)
        original(x, key, value)

    replace(Array, "__setitem__", wrap(setitem))


@violates("mixing-scalar-arrays")
def scalar_arrays_are_transferred_silently(replace):
    def multiply(original, x1, x2, *args, **options):
        if isinstance(x2, Array) and x2.ndim == 0:
            x2 = x2.to_device(x1.device)
        return original(x1, x2, *args, **options)

    replace(skerry, "multiply", wrap(multiply))


@violates("default-consistent")
def linspace_has_a_default_of_its_own(replace):
    def linspace(original, *args, device=None, **options):
        return original(*args, device=device or "cpu:0", **options)

    replace(skerry, "linspace", wrap(linspace))


@violates("precedence-explicit")
def the_default_takes_precedence_over_device(replace):
    def eye(original, *args, device=None, **options):
        default = skerry.default_device()
        return original(
            *args, device=device if default == skerry.Device("cpu:0") else default, **options
        )

    replace(skerry, "eye", wrap(eye))


@violates("precedence-inputs")
def outputs_follow_the_default_device(replace):
    replace(skerry, "roll", wrap(lands_on_default))


@violates("precedence-context")
def a_global_default_overrides_the_context(replace):
    globals_set = []

    def set_default(original, device):
        globals_set[:] = [device]
        original(device)

    def empty(original, *args, device=None, **options):
        return original(
            *args, device=device or (globals_set[0] if globals_set else None), **options
        )

    replace(skerry, "empty", wrap(empty))
    replace(skerry, "set_default_device", wrap(set_default))


@violates("to-device")
def to_device_returns_the_array_itself(replace):
    replace(Array, "to_device", wrap(lambda original, x, device, **options: x))


@violates("to-device-same")
def to_device_of_the_same_device_is_empty(replace):
    def to_device(original, x, device, **options):
        result = original(x, device, **options)
        return skerry.zeros_like(x) if device == x.device else result

    replace(Array, "to_device", wrap(to_device))


@violates("to-device-views")
def to_device_keeps_zero_size_arrays(replace):
    def to_device(original, x, device, **options):
        return original(x, device, **options) if x.size else x

    replace(Array, "to_device", wrap(to_device))


@violates("to-device-independent")
def to_device_shares_the_memory_of_cpu_devices(replace):
    def to_device(original, x, device, **options):
        if {x.device.kind, skerry.Device(device).kind} == {"cpu"}:
            return skerry.from_dlpack(x, device=device, copy=False)
        return original(x, device, **options)

    replace(Array, "to_device", wrap(to_device))


@violates("to-device-stream")
def to_device_ignores_the_stream(replace):
    replace(Array, "to_device", wrap(lambda original, x, device, stream=None: original(x, device)))


@violates("asarray-device")
def asarray_moves_arrays_to_the_default_device(replace):
    def asarray(original, obj, *, device=None, **options):
        return original(obj, device=device or skerry.default_device(), **options)

    replace(skerry, "asarray", wrap(asarray))


@violates("asarray-copy")
def asarray_copies_in_spite_of_copy_false(replace):
    def asarray(original, obj, *, copy=None, **options):
        return original(obj, copy=copy or None, **options)

    replace(skerry, "asarray", wrap(asarray))


@violates("astype-device")
def astype_ignores_device(replace):
    replace(
        skerry,
        "astype",
        wrap(lambda original, x, dtype, *, device=None, **options: original(x, dtype, **options)),
    )


@violates("dlpack-device")
def all_gpus_report_the_first(replace):
    replace(
        Array,
        "__dlpack_device__",
        wrap(lambda original, x: (kind := original(x)[0], original(x)[1] if kind == 1 else 0)),
    )


@violates("dlpack-zero-size")
def export_of_zero_size_has_a_pointer(replace):
    def export(original, x, **options):
        return original(x if x.size else skerry.zeros((1,), device=x.device), **options)

    replace(Array, "__dlpack__", wrap(export))


@violates("dlpack-import")
def from_dlpack_ignores_device(replace):
    replace(
        skerry,
        "from_dlpack",
        wrap(lambda original, x, *, device=None, **options: original(x, **options)),
    )


@violates("dlpack-copy")
def export_ignores_copy(replace):
    replace(
        Array,
        "__dlpack__",
        wrap(lambda original, x, *, copy=None, **options: original(x, **options)),
    )


@violates("dlpack-to-cpu")
def export_ignores_dl_device(replace):
    replace(
        Array,
        "__dlpack__",
        wrap(lambda original, x, *, dl_device=None, **options: original(x, **options)),
    )


@violates("dlpack-unsupported")
def export_to_other_kinds_is_ignored(replace):
    def export(original, x, *, dl_device=None, **options):
        is_offered = dl_device is None or dl_device[0] in (1, 2, 3, 13)
        return original(x, dl_device=dl_device if is_offered else None, **options)

    replace(Array, "__dlpack__", wrap(export))


class Info:
    """The inspection with some answers replaced."""

    def __init__(self, original, **answers):
        self.original = original
        self.answers = answers

    def __getattr__(self, name):
        return self.answers.get(name) or getattr(self.original, name)


@violates("info-devices")
def devices_is_a_list(replace):
    replace(
        skerry,
        "__array_namespace_info__",
        wrap(lambda original: Info(original(), devices=lambda: list(original().devices()))),
    )


@violates("info-dtypes")
def default_dtypes_are_those_of_another_device(replace):
    answer = {"real floating": skerry.float32, "integral": skerry.int32}

    def default_dtypes(original, device):
        return {**original().default_dtypes(device=device), **answer}

    replace(
        skerry,
        "__array_namespace_info__",
        wrap(
            lambda original: Info(
                original(), default_dtypes=lambda device=None: default_dtypes(original, device)
            )
        ),
    )


@violates("dtype-or-error")
def lacking_dtypes_become_single(replace):
    singles = {"float64": skerry.float32, "complex128": skerry.complex64}

    def zeros(original, *args, dtype=None, device=None, **options):
        listed = skerry.__array_namespace_info__().dtypes(device=device)
        if dtype is not None and (name := str(skerry.result_type(dtype))) not in listed:
            dtype = singles[name]
        return original(*args, dtype=dtype, device=device, **options)

    replace(skerry, "zeros", wrap(zeros))


@violates("dtype-or-error")
def to_device_converts_dtypes_that_the_device_lacks(replace):
    def to_device(original, x, device, **options):
        listed = skerry.__array_namespace_info__().dtypes(device=device)
        return original(x if str(x.dtype) in listed else x.astype("float32"), device, **options)

    replace(Array, "to_device", wrap(to_device))


@violates("default-or-error")
def without_a_default_ones_creates_on_the_cpu(replace):
    def ones(original, *args, device=None, **options):
        return original(*args, device=device or skerry.default_device() or "cpu:0", **options)

    replace(skerry, "ones", wrap(ones))


@violates("device-exchange")
def all_devices_have_the_name_of_the_cpu(replace):
    replace(skerry.Device, "__dlpack_device__", lambda original: lambda device: (1, 0))


@violates("dtype-exchange")
def full_rejects_dtypes_of_other_libraries(replace):
    def full(original, *args, dtype=None, **options):
        if hasattr(dtype, "__dlpack_data_type__"):
            raise TypeError("a dtype of another library")
        return original(*args, dtype=dtype, **options)

    replace(skerry, "full", wrap(full))


@violates("c-exchange")
def the_exchange_table_is_made_for_each_array(replace):
    replace(Array, "__dlpack_c_exchange_api__", lambda original: property(lambda x: original))


def find_fault(fault: Fault) -> list[str]:
    """Run the tests of the recommendation with the fault planted; return those that fail."""
    with pytest.MonkeyPatch.context() as patch:

        def replace(owner, name, change):
            original = vars(owner)[name] if name == "device" else getattr(owner, name)
            patch.setattr(owner, name, change(original))

        fault.plant(replace)
        return failing_tests(FOLDER, fault.recommendation, ["--array-module=skerry"])


def main() -> int:
    return print_table((fault.name, fault.recommendation, find_fault(fault)) for fault in FAULTS)


if __name__ == "__main__":
    sys.exit(main())
