# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Any object, passed for any parameter of any public function, gives a documented result or a typed error.

Each parameter of a valid call (``base_calls``) in turn takes each of the values below. An error is a TypeError, ValueError,
IndexError, OverflowError, MemoryError, NotImplementedError or BufferError that begins with the name of the public function
and names the parameter or shows the argument. The outcome is the same on CPU and CUDA devices. By default a sample of the
calls runs; ``--full`` runs all.
"""

import collections
import functools
import inspect
import re
import signal
import zlib

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import DeviceMismatchError, DTypeError, OutOfMemoryError

from tests.python.call.base_calls import base_calls

HOMES = {"cpu:0": "cpu:1", "cuda:0": "cuda:1"}  # device of the call: another device of its kind
SHARE = 12  # without --full, one in 12 values is tested
LIMIT = 20.0  # seconds that a call may take
TYPED = (TypeError, ValueError, IndexError, OverflowError, MemoryError, NotImplementedError, BufferError)  # fmt: skip
BUILTIN = ("builtins", "skerry.exceptions", "skerry")

PLAIN = [
    None, True, False, 0, 1, -1, 1.5, 1j, 2**40, 2**70, -(2**70), 10**400, float("inf"), float("nan"), "a", "", b"a",
    range(2), [0, 1], [], (), (0, 1), (None,), [[0], [1]], ["a"], {}, {1}, ..., int, slice(1),
    np.int8(1), np.uint64(1), np.float16(1), np.float32(1), np.float64(1), np.complex64(1), np.bool_(True), np.str_("a"),
    np.datetime64("2020-01-01"),
]  # fmt: skip
VALUES = {f"{type(value).__name__} {value!r:.20}": lambda _, value=value: value for value in PLAIN}
VALUES |= {
    "deque": lambda _: collections.deque([0, 1]),
    "object": lambda _: object(),
    "function": lambda _: len,
    "generator": lambda _: iter([0, 1]),
    "array": lambda home: sk.asarray([0, 1], device=home),
    "array elsewhere": lambda home: sk.asarray([0, 1], device=HOMES[home]),
}
for _type in ("bool", "int64", "float64", "complex128"):
    VALUES[f"0-d {_type}"] = lambda home, t=_type: sk.ones((), dtype=t, device=home)
    VALUES[f"0-d {_type} elsewhere"] = lambda home, t=_type: sk.ones(
        (), dtype=t, device=HOMES[home]
    )
# NumPy's arrays count as arrays on cpu:0, so calls on other devices reject them.
ON_CPU_ONLY = {
    "numpy.ndarray": lambda _: np.asarray([0, 1]),
    "0-d numpy.ndarray": lambda _: np.asarray(1.0),
}

# Parameters with another name in messages: the standard's, that of one item, or `high` for a single bound.
MEANT = {
    "ddof": "correction",
    "v": "x2",
    "other": "x2",
    "args": "index",
    "condlist": "condition",
    "low": "high",
}
# Outcomes that differ by device as documented, or are arbitrary: uninitialized memory, bytes in a cache.
OF_ONE_DEVICE = {
    "skerry.as_cuda_array", "skerry.from_cuda_array_interface", "skerry.is_cuda_array", "skerry.trim", "skerry.stream",
    "skerry.empty", "skerry.empty_like",
}  # fmt: skip
PARAMETERS_OF_ONE_DEVICE = {"managed", "pinned", "stream"}
# Sizes to which the work is proportional: huge ones are valid, but too slow.
ENDLESS = {("skerry.array_split", "indices_or_sections"), ("skerry.polyint", "m")}
# Arguments that are passed on to functions of the user, whose errors are raised as they are.
PASSED_ON = {
    *((f"skerry.{name}", parameter) for name in ("apply_along_axis", "piecewise", "fromfunction", "mask_indices")
      for parameter in ("args", "kwargs", "kw", "k")),
}  # fmt: skip
# Functions of the user, as which a type may be called with the wrong arguments.
CALLED = {
    ("skerry.apply_along_axis", "func1d"), ("skerry.apply_over_axes", "func"), ("skerry.mask_indices", "mask_func"),
}  # fmt: skip


# The second name in a message, as in "cumsum: axis: cumulative_sum: ...".
INNER_NAME = re.compile(r"\w+: (?:[\w\[\]]+: )?([A-Za-z_]\w*): ")


@functools.cache
def function_names():
    return {name.split(".")[-1] for name in base_calls()}


class TooSlow(BaseException):
    """Raised to end a call that exceeds the time limit."""


def _stop(*_):
    raise TooSlow


def described(result, home, depth=0):
    """Describe a result for comparison between devices."""
    if isinstance(result, sk.Array):
        host = np.asarray(result.to_device("cpu:0"))
        role = {home: "home", HOMES[home]: "elsewhere"}.get(str(result.device), result.device)
        values = np.round(host.astype("complex128"), 6) + 0 if host.size < 64 else None
        return "Array", str(result.dtype), result.shape, str(role), repr(values)
    if isinstance(result, tuple | list) and depth < 4:
        return type(result).__name__, [described(element, home, depth + 1) for element in result]
    if isinstance(result, bool | int | str | bytes | np.dtype | None):
        return type(result).__name__, repr(result)
    return type(result).__name__


def outcome(call, parameter, make, home):
    """Run the call. Return the outcome to compare, the error and the argument."""
    with sk.device(home):
        function, arguments = call.make(home)
        value = make(home)
        arguments = dict(arguments)
        if call.signature.parameters[parameter].kind is inspect.Parameter.VAR_POSITIONAL:
            old_values = arguments.get(parameter, [])
            old_values = old_values if isinstance(old_values, list) else [old_values]
            arguments[parameter] = [*old_values[:-1], value]
        else:
            arguments[parameter] = value
        signal.setitimer(signal.ITIMER_REAL, LIMIT)
        try:
            return ("result", described(call.run(function, arguments), home)), None, value
        except TooSlow:
            return ("too slow",), None, value
        except Exception as error:
            return ("error", type(error).__name__), error, value
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)


def is_shown(value, text):
    """Whether a message shows the wrong argument."""
    if isinstance(value, sk.Array | np.ndarray):
        return any(words in text for words in (str(value.dtype), "rray", "complex"))
    if isinstance(value, tuple | list | range):
        kinds = {type(element).__name__ for element in value}
        if "element" in text or any(kind in text for kind in kinds) or "empty" in text:
            return True
    kinds = [kind.__name__ for kind in type(value).__mro__[:-1]] or ["object"]
    shown = any(kind in text for kind in kinds) or repr(value)[:20] in text
    return shown or any(words in text for words in ("is not accepted", "has no order", "no order;"))


def faults_of_error(call, parameter, error, value):
    text, kind = str(error), type(error)
    if isinstance(error, OutOfMemoryError):
        return
    if not isinstance(error, TYPED) or kind.__module__ not in BUILTIN:
        yield f"{kind.__module__}.{kind.__name__} is not a typed error"
    begins = text.startswith((f"{call.name}:", f"{call.name}("))
    # On CUDA devices a later synchronization raises errors of kernels, with the name of the kernel's function.
    is_of_kernel = isinstance(error, IndexError) and "out of bounds: axis" in text
    if not begins and not is_of_kernel:
        yield "does not begin with the name of the function"
    inner = INNER_NAME.match(text)
    if inner is not None and inner[1] in function_names() and inner[1] not in call.parameters():
        yield f"names the inner function {inner[1]}"
    is_named = parameter in text or MEANT.get(parameter, parameter) in text
    is_type_error = isinstance(error, TypeError) and not isinstance(error, DeviceMismatchError)
    if is_type_error and not is_named and not is_shown(value, text):
        yield f"does not name {parameter}"


def faults(name, call, parameter, label, makers):
    """Yield what is wrong with the call on each device."""
    seen = {}
    for home in HOMES if makers is VALUES else ["cpu:0"]:
        seen[home], error, value = outcome(call, parameter, makers[label], home)
        description = f"{name}({parameter}={label}) on {home}"
        if seen[home] == ("too slow",):
            yield f"{description}: takes more than {LIMIT} s"
        for fault in faults_of_error(call, parameter, error, value) if error is not None else ():
            yield f"{description}: {fault}: {type(error).__name__}: {error}"
    is_of_one = name in OF_ONE_DEVICE or parameter in PARAMETERS_OF_ONE_DEVICE
    if len(seen) > 1 and not is_of_one and repr(seen["cpu:0"]) != repr(seen["cuda:0"]):
        yield f"{name}({parameter}={label}): {seen['cpu:0']} on cpu:0, {seen['cuda:0']} on cuda:0"


def is_chosen(name, parameter, label, full):
    if (name, parameter) in PASSED_ON:
        return False
    if (name, parameter) in CALLED and label.startswith("type"):
        return False
    if (name, parameter) in ENDLESS and ("2" in label or "1000" in label):
        return False
    return full or zlib.crc32(f"{name} {parameter} {label}".encode()) % SHARE == 0


@pytest.fixture
def limited(tmp_path, monkeypatch):
    """Limit the time of calls, and keep files they write out of the tests' folder."""
    monkeypatch.chdir(tmp_path)
    old_handler = signal.signal(signal.SIGALRM, _stop)
    yield
    signal.signal(signal.SIGALRM, old_handler)


@pytest.mark.not_emulated("it is about arguments, which no kernel reads")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", list(base_calls()))
def test_any_argument_is_accepted_or_rejected_by_name(name, full, limited):
    call = base_calls()[name]
    messages = []
    for parameter in call.parameters():
        for makers in (VALUES, ON_CPU_ONLY):
            for label in makers:
                if is_chosen(name, parameter, label, full):
                    messages += faults(name, call, parameter, label, makers)
    sk.synchronize()
    assert not messages, f"{len(messages)} faults:\n" + "\n".join(messages[:20])


@pytest.mark.parametrize("name", list(base_calls()))
def test_base_calls_are_valid(name):
    for home in HOMES:
        with sk.device(home):
            function, arguments = base_calls()[name].make(home)
            base_calls()[name].run(function, arguments)


def test_exceptions_of_user_code_propagate_unchanged():
    class Odd:
        def __index__(self):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        sk.sum(sk.ones((2, 2)), axis=Odd())
    with pytest.raises(KeyError, match="mine"):
        sk.diag_indices(Odd())


def test_original_exception_is_kept_as_cause():
    with pytest.raises(TypeError, match=r"^median: axis must be ") as caught:
        sk.median(sk.ones(3), axis="a")
    assert isinstance(caught.value.__cause__, TypeError)


#: Arguments that no call accepts: every array has fewer axes, and no dtype has this name.
WRONG = {"axis": 99, "axis1": 99, "axis2": 99, "axes": (99, 98), "dtype": "float46"}
UNCHECKED = {
    ("Generator.choice", "axis"),  # has no effect on a choice of numbers
    ("skerry.vecdot", "axes"),  # excludes axis, which the call passes
    ("skerry.linalg.vecdot", "axes"),
}


def wrong_calls():
    for name, call in base_calls().items():
        for parameter in call.parameters():
            if parameter in WRONG and (name, parameter) not in UNCHECKED:
                yield name, parameter


@pytest.mark.not_emulated("it is about arguments, which no kernel reads")
@pytest.mark.parametrize(("name", "parameter"), list(wrong_calls()))
def test_wrong_axis_and_dtype_are_reported_by_the_public_function(name, parameter):
    call = base_calls()[name]
    function, arguments = call.make("cpu:0")
    with pytest.raises((ValueError, IndexError, TypeError)) as caught:
        call.run(function, arguments | {parameter: WRONG[parameter]})
    text = str(caught.value)
    assert text.startswith(f"{call.name}: ")
    rest = text.removeprefix(f"{call.name}: ")
    begins_with = re.match(r"([A-Za-z_]\w*): ", rest)
    assert begins_with is None or begins_with[1] in call.parameters()
    assert parameter[:2] in rest
    assert ("99" in rest) if parameter != "dtype" else ("'float46'" in rest)
    expected = DTypeError if parameter == "dtype" else ValueError
    assert isinstance(caught.value, expected)


def test_lists_that_contain_themselves_are_rejected():
    items = []
    items.append(items)
    with pytest.raises((TypeError, ValueError, RuntimeError), match=r"^hstack: "):
        sk.hstack([sk.ones(3), items])


def test_operands_of_methods_have_the_names_of_the_method():
    x = sk.ones((2, 3))
    with pytest.raises(ValueError) as caught:
        x.dot(x)
    assert str(caught.value) == (
        "dot: axis -1 of x has size 3, axis -2 of other has size 2; they must be equal: "
        "x is float64 (2, 3) on cpu:0, other is float64 (2, 3) on cpu:0"
    )
    with pytest.raises(
        DeviceMismatchError, match=r"^dot: .* x \(.*\) on cpu:0, other \(float64 \(\)\) on cpu:1"
    ):
        x.dot(sk.ones((), device="cpu:1"))
