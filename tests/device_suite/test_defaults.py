# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The default device, and what takes precedence over it."""

import contextlib

import pytest

from .calls import calls_of, make_call
from .standard import array_functions, creation_functions

WITHOUT_INPUT = [f for f in creation_functions() if "x" not in f.signature.parameters]
CREATION = pytest.mark.parametrize("function", WITHOUT_INPUT, ids=str)
SCOPES = pytest.mark.parametrize("scope", ["device_context", "default_device"])


def create(library, function, **options):
    (x,) = library.run_at(make_call(function, {}), None, **options)
    return library.device_of(x)


@pytest.mark.recommendation("default-consistent")
@CREATION
def test_creation_function_uses_the_default_device(library, function):
    assert create(library, function) == library.current_default(), function.link


@pytest.mark.recommendation("default-consistent")
def test_asarray_uses_the_default_device(library):
    for value in (1.5, [1, 2]):
        assert library.device_of(library.namespace.asarray(value)) == library.current_default()


@pytest.mark.recommendation("default-consistent")
def test_default_device_of_the_inspection_is_the_default(library):
    default = library.info().default_device()
    assert default is None or default == library.current_default()


@pytest.mark.recommendation("default-consistent")
@CREATION
@SCOPES
def test_creation_function_follows_a_changed_default(library, function, scope, deviations):
    for device in library.devices:
        with getattr(library, scope)(device):
            result = create(library, function)
        if result != device:
            deviations.append(f"{scope} {device}: on {result}; {function.link}")


@pytest.mark.recommendation("precedence-explicit")
@CREATION
@SCOPES
def test_explicit_device_takes_precedence(library, function, scope, deviations):
    for default, device in library.pairs:
        with getattr(library, scope)(default):
            result = create(library, function, device=device)
        if result != device:
            deviations.append(f"device={device} in {scope} {default}: on {result}; {function.link}")


@pytest.mark.recommendation("precedence-inputs")
@pytest.mark.parametrize("call", [c for f in array_functions() for c in calls_of(f)], ids=str)
@SCOPES
def test_device_of_the_inputs_takes_precedence(library, call, scope, deviations):
    for default, device in library.pairs:
        with getattr(library, scope)(default):
            for x in library.run_at(call, device):
                if library.device_of(x) != device:
                    deviations.append(
                        f"inputs on {device} in {scope} {default}: on {library.device_of(x)}"
                    )


@pytest.mark.recommendation("precedence-inputs")
@SCOPES
def test_asarray_and_scalars_follow_the_input_array(library, scope):
    for default, device in library.pairs:
        x = library.array([1.0], "float32", device)
        with getattr(library, scope)(default):
            results = library.namespace.asarray(x), x + 1, 1 + x, x[0], -x
        assert [library.device_of(y) for y in results] == [device] * 5


@pytest.mark.recommendation("precedence-context")
def test_context_takes_precedence_over_the_global_default(library):
    for default, device in library.pairs:
        with library.default_device(default), library.device_context(device):
            assert library.current_default() == device


@pytest.mark.recommendation("precedence-context")
def test_global_default_set_in_a_context_is_seen_after_it(library):
    for default, device in library.pairs:
        with library.device_context(device):
            with library.default_device(default):
                assert library.current_default() == device
            assert library.current_default() == device


@pytest.mark.recommendation("precedence-context")
def test_context_ends_with_its_scope(library):
    old_default = library.current_default()
    for outer, inner in library.pairs:
        with library.device_context(outer):
            with library.device_context(inner):
                assert library.current_default() == inner
            assert library.current_default() == outer
        assert library.current_default() == old_default


@pytest.mark.recommendation("precedence-context")
def test_context_ends_with_an_exception(library, device):
    old_default = library.current_default()
    with contextlib.suppress(KeyError), library.device_context(device):
        raise KeyError
    assert library.current_default() == old_default
