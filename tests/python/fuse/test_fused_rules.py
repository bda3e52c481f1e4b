# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Everything in a fused function other than elementwise operations behaves as without the decorator."""

import copy
import functools
import gc
import inspect
import pickle
import threading
import traceback
import weakref

import numpy as np
import pytest
import skerry as sk
from skerry.testing import instruments

from tests.python.fuse.recorded_sizes import all_sizes_recorded  # noqa: F401

X = np.linspace(-2, 2, 1000)


@pytest.fixture(params=["cpu:0", "cuda:0"])
def x(request):
    return sk.asarray(X, device=request.param, copy=True)


def both(function, *args):
    """Returns the results of the function and of its fused form."""
    return function(*args), sk.fuse(function)(*args)


def host(x):
    return np.asarray(x.to_device("cpu:0"))


@sk.fuse
def module_function(x):
    """A docstring that the decorator keeps."""
    return x + 1


def test_none_as_operand_raises_type_error_of_the_operation(x):
    for call in (
        lambda x: sk.add(x, None),
        lambda x: sk.add(None, x),
        lambda x: sk.where(x > 0, x, None),
    ):
        with pytest.raises(TypeError, match=r"(add|where): x[12] must be .*, not NoneType"):
            sk.fuse(call)(x)


def test_results_are_ordinary_arrays(x):
    y = sk.fuse(lambda x: x * 2 + 1)(x)
    assert type(y) is sk.Array
    assert y.device == x.device
    np.testing.assert_array_equal(host(y), X * 2 + 1)
    y += 1
    np.testing.assert_array_equal(host(y), X * 2 + 1 + 1)


def test_pending_arrays_have_type_dtype_and_shape_of_arrays(x):
    @sk.fuse
    def run(x):
        y = x * 2
        assert type(y) is sk.Array
        assert y.__class__ is sk.Array
        assert type(x + 1) is sk.Array
        assert instruments.fused_work() == 2  # the call and y: nothing is materialized
        assert (y.dtype, y.shape, y.ndim, y.size) == (np.float64, (1000,), 1, 1000)
        assert (y.itemsize, y.nbytes, y.strides, y.device) == (8, 8000, (8,), x.device)
        return y

    run(x)


@pytest.mark.parametrize(
    "use",
    [
        lambda y: [float(y[3]), int(y[4]), bool((y > 5).any())],
        lambda y: [repr(y), str(y), f"{y[0]}"],
        lambda y: [sk.sum(y), y.sum(), y.mean(), sk.max(y)],
        lambda y: [sk.sort(y), y.argsort(), sk.cumulative_sum(y), y @ y, sk.matmul(y, y)],
        lambda y: [y[3:], y[::-1], y[y > 0], y.reshape(10, 100).T, sk.reshape(y, (2, 500))],
        lambda y: [sk.concat([y, y + 1]), sk.stack([y, y]), sk.expand_dims(y, axis=0)],
        lambda y: [sk.asarray(y), sk.asarray(y, copy=True), sk.zeros_like(y), sk.full((2,), y[0])],
        lambda y: [y.to_device("cpu:0"), sk.from_dlpack(y), np.asarray(y.to_device("cpu:0"))],
        lambda y: [copy.copy(y), copy.deepcopy(y), pickle.loads(pickle.dumps(y))],
        lambda y: [sk.Array.sum(y), sk.Array.copy(y), sk.Array.__neg__(y), sk.Array.T.__get__(sk.reshape(y, (10, 100)) * 2)],
        lambda y: [len(y), list(y[:3]), y.tolist()[:2], 0.5 in y],
        lambda y: [sk.take(y, sk.asarray([1, 2], device=y.device)), y.copy(), y.real, y.imag],
        lambda y: [sk.searchsorted(sk.sort(y), y), sk.isin(y, y), sk.unique_values(sk.round(y))],
        lambda y: [sk.nan_to_num(y), sk.diff(y), np.exp(y), np.add(y, 1), np.mean(y)],
        lambda y: [sk.linalg.vector_norm(y), sk.fft.rfft(y), y.__array_namespace__().sin(y)],
        lambda y: [y.round(), y.clip(-1, 1), y.astype("float32"), y.conj(), y.dot(y), y.std()],
        lambda y: [divmod(float(y[1]), 2), y // 2, -y, +y, abs(y), ~(y > 0), 2 ** y, y == y],
    ],
)  # fmt: skip
def test_operations_that_need_values_materialize(x, use):
    def run(x):
        return use(x * 3 + 0.25)

    for want, got in zip(*both(run, x), strict=True):
        assert type(got) is type(want)
        if isinstance(want, sk.Array):
            assert (got.dtype, got.shape) == (want.dtype, want.shape)
            assert host(got).tobytes() == host(want).tobytes()
        elif isinstance(want, np.ndarray):
            np.testing.assert_array_equal(got, want)
        else:
            assert got == want


def test_every_method_and_attribute_equals_eager(x):
    """No method or attribute of a pending array may read memory that is not allocated yet."""

    def run(name):
        try:
            attribute = getattr(x * 2, name)
            return attribute() if callable(attribute) else attribute
        except Exception as error:
            return type(error), str(error).split(" at 0x")[0]

    for name in dir(sk.Array):
        if name in ("__class__", "__dir__", "__init_subclass__", "__subclasshook__", "__sizeof__"):
            continue
        want, got = both(run, name)
        assert type(got) is type(want), name


def test_control_flow_closures_and_scalars(x):
    limit = 3

    def run(x, n, *, scale=1.0):
        y = x
        for i in range(n):
            y = y * scale + i
            if float(sk.max(y)) > limit:
                y = y - 1
        return y

    fused = sk.fuse(run)
    for n, scale in [(0, 1.0), (1, 2.0), (5, 1.5), (7, -1.0)]:
        assert host(fused(x, n, scale=scale)).tobytes() == host(run(x, n, scale=scale)).tobytes()
    assert fused(x, 0) is x


def test_in_place_update_of_temporary_is_visible_through_all_names(x):
    def run(x):
        t = x * 2
        u = t
        t += 1
        t **= 2
        return t is u, u, t - u

    want, got = both(run, x)
    assert want[0]
    assert got[0]
    assert host(got[1]).tobytes() == host(want[1]).tobytes()
    assert not host(got[2]).any()


@pytest.mark.parametrize(
    "write",
    [
        lambda a, b: a.__iadd__(1),
        lambda a, b: a.__setitem__(slice(2, 5), 7),
        lambda a, b: a.__setitem__(a > 0, 3),
        lambda a, b: a[::2].__imul__(3),
        lambda a, b: a.__setitem__(Ellipsis, b),
        lambda a, b: a.__iadd__(b * 2),
        lambda a, b: a.sort(),
        lambda a, b: a.fill(4),
        lambda a, b: sk.Array.clip(b, 0, 1, out=a),
        lambda a, b: sk.Array.cumsum(b, out=a),
        lambda a, b: a.__setitem__(3, 7.0),
        lambda a, b: a.__setitem__(sk.asarray([1, 2], device=a.device), b[:2]),
        lambda a, b: setattr(a, "real", b),
        lambda a, b: sk.reshape(a[:900], (30, 30)).__imatmul__(sk.reshape(b[:900], (30, 30))),
        lambda a, b: np.add.at(a, sk.asarray([1, 1], device=a.device), 5.0),
        lambda a, b: np.multiply(b, b, out=a),
        lambda a, b: sk.put(a, sk.asarray([1, 2], device=a.device), 3.0),
        lambda a, b: sk.place(a, a > 0, sk.asarray([4.0], device=a.device)),
        lambda a, b: sk.putmask(a, a > 0, b),
        lambda a, b: sk.copyto(a, b),
        lambda a, b: sk.put_along_axis(a, sk.asarray([1], device=a.device), b[:1], axis=0),
        lambda a, b: sk.fill_diagonal(sk.reshape(a, (10, 100)), 5.0),
        lambda a, b: sk.random.default_rng(0, device=a.device).random(out=a),
        lambda a, b: sk.random.default_rng(0, device=a.device).shuffle(a),
    ],
)
def test_writes_follow_recorded_reads(x, write):
    def run(x):
        a, b = 0.5 - x, x * 2.0
        float(a[0] + b[0])  # materializes both
        t = a * 3
        write(a, b)
        return a, t, a + t

    for want, got in zip(*both(run, x), strict=True):
        assert host(got).tobytes() == host(want).tobytes()
    assert (host(run(x)[0]) != 0.5 - X).any()


def test_captured_arrays_may_be_written(x):
    state = x + 0.0
    outer = state[10:20]

    def run():
        nonlocal state
        t = state * 2
        outer[...] = 5
        state += 1
        return t, state * 1

    first = [host(result) for result in run()]
    state = x + 0.0
    outer = state[10:20]
    second = [host(result) for result in sk.fuse(run)()]
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("other", ["cpu:1", "cuda:0", "cuda:1"])
def test_write_on_another_device_does_not_materialize(other):
    x, y = sk.asarray(X, copy=True), sk.asarray(X, device=other, copy=True)
    waiting = []

    @sk.fuse
    def run(x, y):
        z = x * 2
        y[2:5] = 7
        waiting.append(instruments.fused_work())
        return z

    np.testing.assert_array_equal(host(run(x, y)), X * 2)
    assert host(y)[1:6].tolist() == [X[1], 7, 7, 7, X[5]]
    assert waiting == [2]


def test_errors_name_the_line_of_the_call(x):
    def run(x):
        y = x * 2
        z = y + x[:7]
        return z + 1

    def message(function):
        with pytest.raises(ValueError, match="broadcast") as raised:
            function(x)
        lines = [frame.line for frame in traceback.extract_tb(raised.tb)]
        return str(raised.value), lines[-1]

    assert message(run) == message(sk.fuse(run))
    for bad in (lambda x: (x + 1) & 1.5, lambda x: (x + 1) @ x[:3], lambda x: (x + 1) + "a"):
        with pytest.raises(Exception) as eager:
            bad(x)
        with pytest.raises(type(eager.value)) as fused:
            sk.fuse(bad)(x)
        assert str(fused.value) == str(eager.value)


def test_mixed_devices_raise_the_eager_error():
    a, b = sk.ones(3, device="cpu:0"), sk.ones(3, device="cpu:1")
    with pytest.raises(sk.exceptions.DeviceMismatchError) as eager:
        (a + 1) * b
    with pytest.raises(sk.exceptions.DeviceMismatchError) as fused:
        sk.fuse(lambda: (a + 1) * b)()
    assert str(fused.value) == str(eager.value)


def test_results_on_two_devices():
    a, b = sk.arange(5, device="cpu:0"), sk.arange(5, device="cuda:0")
    c, d = sk.fuse(lambda: (a + 1, b * 2))()
    assert (c.device, d.device) == (a.device, b.device)
    assert (host(c).tolist(), host(d).tolist()) == ([1, 2, 3, 4, 5], [0, 2, 4, 6, 8])


@pytest.mark.parametrize("devices", [("cpu:0", "cuda:0"), ("cuda:0", "cpu:0")])
def test_row_pass_on_one_device_and_pass_on_another(devices):
    a, b = (sk.ones((4096, 64), device=device) for device in devices)
    c, d = sk.fuse(lambda: (a * 2, b / sk.sum(b, axis=-1, keepdims=True)))()
    assert (c.device, d.device) == (a.device, b.device)
    assert bool(sk.all(c == 2))
    assert bool(sk.all(d == 1 / 64))


def test_arrays_kept_after_an_exception_have_values(x):
    results = []

    @sk.fuse
    def run(x):
        results.append(x * 2)
        raise KeyError("own")

    with pytest.raises(KeyError, match="own"):
        run(x)
    assert type(results[0]) is sk.Array
    np.testing.assert_array_equal(host(results[0]), X * 2)
    assert instruments.fused_work() == 0


def test_pending_arrays_survive_failed_allocation(x):
    @sk.fuse
    def run(x):
        y = x * 2 + 1
        z = y - x
        with (
            instruments.failing_allocation(from_then_on=True),
            pytest.raises(sk.exceptions.OutOfMemoryError),
        ):
            float(y[0])
        return y, z

    y, z = run(x)
    np.testing.assert_array_equal(host(y), X * 2 + 1)
    np.testing.assert_array_equal(host(z), X * 2 + 1 - X)


def test_failed_allocation_at_the_end_raises_from_the_call(x):
    results = []

    @sk.fuse
    def fail(x):
        results.append(x * 2)
        return results[0]

    with (
        pytest.raises(sk.exceptions.OutOfMemoryError),
        instruments.failing_allocation(from_then_on=True),
    ):
        fail(x)
    with pytest.raises(RuntimeError, match="has no value"):
        results[0] + 1
    results.clear()
    assert instruments.fused_work() == 0
    np.testing.assert_array_equal(host(sk.fuse(lambda x: x + 1)(x)), X + 1)


def test_monitor_that_materializes_raises(monkeypatch):
    """The evaluation completes, and nothing is computed twice."""
    refused = []
    monkeypatch.setattr("sys.unraisablehook", lambda raised: refused.append(str(raised.exc_value)))
    x = sk.asarray(X, copy=True)

    @sk.fuse
    def run(x):
        y = x * 2
        with instruments.watched_passes(lambda *_: float(y[0])):
            float((y + 1)[0])
        return y

    np.testing.assert_array_equal(host(run(x)), X * 2)
    assert refused == ["fuse: can't compute a value during another evaluation"]


def test_dead_temporaries_are_not_computed():
    x = sk.ones(100_000)
    live = []

    @sk.fuse
    def run(x):
        y = sk.exp(x * 2 - 1) / 3 + x
        live.append(instruments.fused_work())
        return y

    y = run(x)
    assert live == [2]  # the call and y
    assert y.nbytes == x.nbytes


def test_nested_and_recursive_fused_functions(x):
    @sk.fuse
    def inner(x):
        return x * 2

    @sk.fuse
    def outer(x):
        y = inner(x) + 1
        assert (
            instruments.fused_work() == 2
        )  # the outer call and y: the inner result has no other reference
        return inner(y)

    @sk.fuse
    def power(x, n):
        return x if n == 0 else power(x, n - 1) * 1.01

    np.testing.assert_array_equal(host(outer(x)), (X * 2 + 1) * 2)
    want = functools.reduce(lambda y, _: y * 1.01, range(50), X)
    np.testing.assert_array_equal(host(power(x, 50)), want)


def test_ten_thousand_operations(x):
    def run(x):
        y = x
        for i in range(10_000):
            y = y * 0.999 + i if i % 2 else y - 0.5
        return y

    want, got = both(run, x)
    assert host(got).tobytes() == host(want).tobytes()


def test_generators_inside_work_and_fusing_one_raises(x):
    def produce(x):
        y = x + 1
        yield y
        y = y * 2
        yield y

    def run(x):
        return [value - 1 for value in produce(x)]

    for want, got in zip(*both(run, x), strict=True):
        assert host(got).tobytes() == host(want).tobytes()
    with pytest.raises(TypeError, match=r"generator .*produce runs after the call"):
        sk.fuse(produce)


def test_fusing_other_than_functions_raises():
    async def later(x):
        return x

    for bad in (3, None, sk.Array, int, later):
        with pytest.raises(TypeError, match="fuse: "):
            sk.fuse(bad)
    with pytest.raises(TypeError):
        type(module_function)()


def test_fused_functions_keep_name_signature_pickling_and_binding():
    assert module_function.__name__ == "module_function"
    assert module_function.__doc__ == "A docstring that the decorator keeps."
    assert list(inspect.signature(module_function).parameters) == ["x"]
    assert pickle.loads(pickle.dumps(module_function)) is module_function
    assert weakref.ref(module_function)() is module_function

    class Model:
        scale = 3

        @sk.fuse
        def run(self, x):
            return x * self.scale + 1

    assert Model().run(sk.asarray([1.0])).tolist() == [4.0]
    assert Model.run(Model(), sk.asarray([2.0])).tolist() == [7.0]


def test_cycles_through_a_fused_function_are_collected():
    class Owner:
        pass

    owner = Owner()
    owner.function = sk.fuse(functools.partial(id, owner))
    gone = weakref.ref(owner)
    del owner
    gc.collect()
    assert gone() is None


def test_threads_record_independently():
    results = {}

    @sk.fuse
    def run(x, n):
        y = x
        for i in range(20):
            y = y * 1.5 + i - n
        return y

    def work(n):
        x = sk.asarray(np.full(50_000, float(n)), copy=True)
        results[n] = [run(x, n) for _ in range(10)]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for n, arrays in results.items():
        want = run.__wrapped__(sk.asarray(np.full(50_000, float(n)), copy=True), n)
        for array in arrays:
            assert host(array).tobytes() == host(want).tobytes()


def test_pending_array_read_by_another_thread(x):
    values = []

    @sk.fuse
    def run(x):
        y = x * 2
        other = threading.Thread(target=lambda: values.append(host(y + 1)))
        other.start()
        other.join()
        return y - 1

    np.testing.assert_array_equal(host(run(x)), X * 2 - 1)
    np.testing.assert_array_equal(values[0], X * 2 + 1)


def test_write_by_another_thread_to_another_array(x):
    array = sk.zeros_like(x)

    def write():
        array[...] = x
        array[:500] += 1

    @sk.fuse
    def run(x):
        y = x * 2
        thread = threading.Thread(target=write)
        thread.start()
        thread.join()
        return y - 1

    np.testing.assert_array_equal(host(run(x)), X * 2 - 1)
    np.testing.assert_array_equal(host(array), X + (np.arange(1000) < 500))


def test_pending_arrays_as_keys_values_and_operands(x):
    def run(x):
        y = x + 0.0
        mask = x * 2 > 1
        y[mask] = 5
        y[3] = (x * 7)[4]
        y[...] = y + 0.5
        return y, sk.concat([y, x * 2]), sk.asarray([1.0, 2.0], device=x.device) * (x[:2] + 1)

    for want, got in zip(*both(run, x), strict=True):
        assert host(got).tobytes() == host(want).tobytes()


def test_numpy_arrays_and_pending_arrays_as_operands():
    a = sk.asarray([1.0, 2.0, 3.0])
    want, got = both(
        lambda a: [(a + 1) * np.arange(3.0), np.arange(3.0) + (a * 2), np.sin(a + 1)], a
    )
    for one, other in zip(want, got, strict=True):
        assert type(one) is type(other)
        assert host(one).tobytes() == host(other).tobytes()


def test_strict_promotion_applies_inside():
    a, b = sk.asarray([1, 2]), sk.asarray([1.5, 2.5])
    with sk.strict_promotion(), pytest.raises(TypeError):
        sk.fuse(lambda: (a + 1) * b)()
    assert sk.fuse(lambda: (a + 1) * b)().tolist() == [3.0, 7.5]
