# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Functions that draw from one stream, which all devices and threads share."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

from skerry import _core
from skerry._captured_streams import use_captured_streams
from skerry.random._legacy import RandomState, checked_seed
from skerry.random._philox import Philox

__all__ = [
    "beta", "binomial", "bytes", "chisquare", "choice", "dirichlet", "exponential", "f", "gamma",
    "geometric", "get_state", "gumbel", "hypergeometric", "laplace", "logistic", "lognormal",
    "logseries", "multinomial", "multivariate_normal", "negative_binomial", "noncentral_chisquare",
    "noncentral_f", "normal", "pareto", "permutation", "poisson", "power", "rand", "randint",
    "randn", "random", "random_sample", "ranf", "rayleigh", "sample", "seed", "set_state",
    "shuffle", "standard_cauchy", "standard_exponential", "standard_gamma", "standard_normal",
    "standard_t", "triangular", "uniform", "vonmises", "wald", "weibull", "zipf",
]  # fmt: skip

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Samples = TypeVar("Samples", covariant=True)


class _Distribution(Protocol[Parameters, Samples]):
    """A function with the parameters of a method of Generator, and ``dtype``."""

    @overload
    def __call__(self, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Samples: ...
    @overload
    def __call__(self, *args: Any, dtype: Any, **kwargs: Any) -> Samples: ...


class _Shared:
    """One stream of random bits, and the generators that draw from it: one for each device, created at first use."""

    def __init__(self, bit_generator: Philox) -> None:
        self.bit_generator = bit_generator
        self._generators: dict[_core.Device, RandomState] = {}

    def generator(self) -> RandomState:
        """Return the generator of the default device."""
        device = _core.device_or_default("random", None)
        generator = self._generators.get(device)
        if generator is None:
            new_generator = RandomState(self.bit_generator, device)
            generator = self._generators.setdefault(device, new_generator)
        return generator


_shared: _Shared | None = None
_lock = threading.Lock()


def _current() -> _Shared:
    """Return the shared stream; the first call seeds it by the operating system."""
    global _shared
    if _shared is None:
        with _lock:
            if _shared is None:
                # A captured function that draws first does not make the stream its own.
                with use_captured_streams(None):
                    _shared = _Shared(Philox())
    return _shared


def seed(seed: Any = None) -> None:
    """Start the shared stream of random bits again from a seed.

    The functions of ``skerry.random`` draw from one stream, on all devices and in all threads. Their numbers depend on
    the seed and on the order of the calls, not on the device.

    Parameters
    ----------
    seed : int, sequence of int or numpy.random.SeedSequence, optional
        Seed; None uses entropy of the operating system.

    Raises
    ------
    ValueError
        If the seed is negative.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.random.seed(42)
    >>> sk.random.rand(2)
    Array([0.57766172, 0.61320079], dtype=float64, device='cpu:0')

    """
    # In place: graphs that draw from it start again, too.
    _current().bit_generator._restart(checked_seed("seed", seed))


def get_state() -> dict[str, Any]:
    """Return the key and the position of the shared stream, as a dict for ``set_state``.

    Returns
    -------
    dict

    Examples
    --------
    >>> import skerry as sk
    >>> sk.random.seed(42)
    >>> sk.random.get_state()["position"]
    0

    """
    return _current().bit_generator.state


def set_state(state: dict[str, Any]) -> None:
    """Continue the shared stream from the position that ``get_state`` returned.

    Parameters
    ----------
    state : dict
        State of a generator.

    Raises
    ------
    ValueError, TypeError
        If it is not a state of Philox.

    Examples
    --------
    >>> import skerry as sk
    >>> state = sk.random.get_state()
    >>> first = sk.random.rand()
    >>> sk.random.set_state(state)
    >>> bool(sk.random.rand() == first)
    True

    """
    _current().bit_generator.state = state


def _of_shared(
    method: Callable[Concatenate[RandomState, Parameters], Result],
) -> Callable[Parameters, Result]:
    """Return a function that calls a method of the shared generator of the default device."""

    def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        return method(_current().generator(), *args, **kwargs)

    description: Any = call
    description.__name__ = description.__qualname__ = inspect.unwrap(method).__name__
    signature = inspect.signature(method)
    parameters = list(signature.parameters.values())[1:]
    description.__signature__ = signature.replace(parameters=parameters)
    description.__module__ = "skerry.random"
    description.__doc__ = _documented(inspect.getdoc(method) or "")
    return call


def _of_distribution(
    method: Callable[Concatenate[RandomState, Parameters], Result],
) -> _Distribution[Parameters, Result]:
    """Return the function of a method to which RandomState adds ``dtype``."""
    function: Any = _of_shared(method)
    return function  # type: ignore[no-any-return]


def _documented(text: str) -> str:
    """Change the docstring of a method into that of the function."""
    text = text.replace("sk.random.default_rng(42)", "sk.random.seed(42)")
    text = text.replace("sk.random.RandomState(42)", "sk.random.seed(42)")
    text = text.replace("rng = sk.random.seed", "sk.random.seed").replace("rng.", "sk.random.")
    summary, rest = text.split("\n", 1)
    source = "The numbers are of the shared stream (see ``seed``), on the default device."
    return f"{summary}\n\n{source}\n{rest}"


beta = _of_distribution(RandomState.beta)
binomial = _of_distribution(RandomState.binomial)
bytes = _of_shared(RandomState.bytes)
chisquare = _of_distribution(RandomState.chisquare)
choice = _of_shared(RandomState.choice)
dirichlet = _of_distribution(RandomState.dirichlet)
exponential = _of_distribution(RandomState.exponential)
f = _of_distribution(RandomState.f)
gamma = _of_distribution(RandomState.gamma)
geometric = _of_distribution(RandomState.geometric)
gumbel = _of_distribution(RandomState.gumbel)
hypergeometric = _of_distribution(RandomState.hypergeometric)
laplace = _of_distribution(RandomState.laplace)
logistic = _of_distribution(RandomState.logistic)
lognormal = _of_distribution(RandomState.lognormal)
logseries = _of_distribution(RandomState.logseries)
multinomial = _of_shared(RandomState.multinomial)
multivariate_normal = _of_distribution(RandomState.multivariate_normal)
negative_binomial = _of_distribution(RandomState.negative_binomial)
noncentral_chisquare = _of_distribution(RandomState.noncentral_chisquare)
noncentral_f = _of_distribution(RandomState.noncentral_f)
normal = _of_distribution(RandomState.normal)
pareto = _of_distribution(RandomState.pareto)
permutation = _of_shared(RandomState.permutation)
poisson = _of_distribution(RandomState.poisson)
power = _of_distribution(RandomState.power)
rand = _of_shared(RandomState.rand)
randint = _of_shared(RandomState.randint)
randn = _of_shared(RandomState.randn)
random = _of_shared(RandomState.random)
random_sample = _of_shared(RandomState.random_sample)
rayleigh = _of_distribution(RandomState.rayleigh)
shuffle = _of_shared(RandomState.shuffle)
standard_cauchy = _of_distribution(RandomState.standard_cauchy)
standard_exponential = _of_shared(RandomState.standard_exponential)
standard_gamma = _of_shared(RandomState.standard_gamma)
standard_normal = _of_shared(RandomState.standard_normal)
standard_t = _of_distribution(RandomState.standard_t)
triangular = _of_distribution(RandomState.triangular)
uniform = _of_distribution(RandomState.uniform)
vonmises = _of_distribution(RandomState.vonmises)
wald = _of_distribution(RandomState.wald)
weibull = _of_distribution(RandomState.weibull)
zipf = _of_distribution(RandomState.zipf)
ranf = sample = random_sample
