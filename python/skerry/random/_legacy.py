# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The generator of NumPy's older programs."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._arrays import name_failures
from skerry._core import Array
from skerry._data_types import as_dtype, kind_of
from skerry.exceptions import DTypeError
from skerry.random._drawing import Size
from skerry.random._generator import Generator
from skerry.random._philox import Philox

#: Distributions of integers, and of floats, that take dtype= here.
INTEGER_DISTRIBUTIONS = (
    "binomial", "geometric", "hypergeometric", "logseries", "negative_binomial", "poisson", "zipf",
)  # fmt: skip
FLOAT_DISTRIBUTIONS = (
    "beta", "chisquare", "dirichlet", "exponential", "f", "gamma", "gumbel", "laplace", "logistic", "lognormal",
    "multivariate_normal", "noncentral_chisquare", "noncentral_f", "normal", "pareto", "power", "rayleigh",
    "standard_cauchy", "standard_t", "triangular", "uniform", "vonmises", "wald", "weibull",
)  # fmt: skip
_DTYPE_TEXT = """dtype : dtype, optional
    Dtype that the samples are converted to, of the same kind or floating-point.
"""


class RandomState(Generator):
    """Random number generator with the methods of NumPy's ``RandomState`` in addition to those of ``Generator``.

    As in CuPy, all distributions take ``dtype=``.

    Parameters
    ----------
    seed : int, sequence of int, numpy.random.SeedSequence or Philox, optional
        Seed, as for ``default_rng``.
    device : Device or str, optional
        Device of all results; by default the default device.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.random.RandomState(42).rand(2)
    Array([0.57766172, 0.61320079], dtype=float64, device='cpu:0')

    """

    def __init__(self, seed: Any = None, device: _core.Device | str | None = None) -> None:
        super().__init__(bit_generator_of("RandomState", seed), device)

    def seed(self, seed: Any = None) -> None:
        """Start again from a seed.

        Parameters
        ----------
        seed : int, sequence of int or numpy.random.SeedSequence, optional
            Seed; None uses entropy of the operating system.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.RandomState()
        >>> rng.seed(42)
        >>> rng.rand(2)
        Array([0.57766172, 0.61320079], dtype=float64, device='cpu:0')

        """
        self._bits._restart(checked_seed("seed", seed))

    def get_state(self) -> dict[str, Any]:
        """Return the key and the position of the stream, as a dict for ``set_state``.

        Returns
        -------
        dict

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.RandomState(42)
        >>> rng.get_state()["position"]
        0

        """
        return self._bits.state

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from the position that ``get_state`` returned.

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
        >>> rng = sk.random.RandomState(42)
        >>> state = rng.get_state()
        >>> first = rng.rand()
        >>> rng.set_state(state)
        >>> bool(rng.rand() == first)
        True

        """
        self._bits.state = state

    def rand(self, *sizes: int, dtype: Any = np.float64) -> Array:
        """Draw uniformly from [0, 1).

        Parameters
        ----------
        *sizes : int
            Lengths of the axes; none for a 0-d array.
        dtype : dtype, default float64
            float64 or float32.

        Returns
        -------
        Array
            Drawn samples.

        Raises
        ------
        ValueError, TypeError
            If a length is negative or not an int.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.RandomState(42)
        >>> rng.rand(2)
        Array([0.57766172, 0.61320079], dtype=float64, device='cpu:0')

        """
        return self._draw_real("rand", "uniform", sizes, dtype, None)

    def randn(self, *sizes: int, dtype: Any = np.float64) -> Array:
        """Draw from the standard normal distribution.

        Parameters
        ----------
        *sizes : int
            Lengths of the axes; none for a 0-d array.
        dtype : dtype, default float64
            float64 or float32.

        Returns
        -------
        Array
            Drawn samples.

        Raises
        ------
        ValueError, TypeError
            If a length is negative or not an int.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.RandomState(42)
        >>> rng.randn(2)
        Array([-0.79362236, -0.68388393], dtype=float64, device='cpu:0')

        """
        return self._draw_real("randn", "normal", sizes, dtype, None)

    def randint(
        self, low: Any, high: Any = None, size: Size = None, dtype: Any = np.int64
    ) -> Array:
        """Draw integers from [low, high), or from [0, low) without ``high``.

        Parameters
        ----------
        low, high : int or Array
            Bounds; ``high`` is excluded.
        size : int or tuple of int, optional
            Shape of the result; by default that of the bounds.
        dtype : dtype, default int64
            Integer dtype of the result, or bool.

        Returns
        -------
        Array
            Drawn samples.

        Raises
        ------
        ValueError, TypeError
            If the range is empty or exceeds the dtype, or an argument has the wrong type.
        DeviceMismatchError
            If a bound is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.RandomState(42)
        >>> rng.randint(1, 7, size=5).tolist()
        [2, 4, 3, 4, 6]

        """
        return self._integers("randint", low, high, size, as_dtype(dtype), False)

    def random_sample(self, size: Size = None, dtype: Any = np.float64) -> Array:
        """Draw uniformly from [0, 1).

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the result; by default (), for a 0-d array.
        dtype : dtype, default float64
            float64 or float32.

        Returns
        -------
        Array
            Drawn samples.

        Raises
        ------
        ValueError, TypeError
            If ``size`` is negative or not an int.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.RandomState(42)
        >>> rng.random_sample(2)
        Array([0.57766172, 0.61320079], dtype=float64, device='cpu:0')

        """
        return self._draw_real("random_sample", "uniform", size, dtype, None)


def _with_dtype(method: Callable[..., Array], kinds: str) -> Callable[..., Array]:
    """Add the parameter dtype= to a method that draws samples."""
    signature = inspect.signature(method)
    parameters = list(signature.parameters.values())
    name = method.__name__
    position = sum(x.kind is not x.KEYWORD_ONLY for x in parameters) - 1  # without self

    @functools.wraps(inspect.unwrap(method))
    def draw(self: RandomState, *args: Any, dtype: Any = None, **kwargs: Any) -> Array:
        if len(args) == position + 1 and dtype is None:
            *args, dtype = args  # type: ignore[assignment]
        if dtype is None:
            return method(self, *args, **kwargs)
        result_dtype = as_dtype(dtype)
        if kind_of(result_dtype) not in kinds:
            expected = "floating" if kinds == "f" else "real"
            raise DTypeError(f"{name}: dtype must be {expected}, not {result_dtype}; use astype")
        return sk.astype(method(self, *args, **kwargs), result_dtype, copy=False)

    parameters.append(inspect.Parameter("dtype", parameters[-1].kind, default=None))
    wrapper: Any = draw
    wrapper.__signature__ = signature.replace(parameters=parameters)
    summary, rest = (inspect.getdoc(method) or "").split("\nReturns\n", 1)
    wrapper.__doc__ = f"{summary.rstrip()}\n{_DTYPE_TEXT}\nReturns\n{rest}"
    return draw


for _kinds, _names in (("f", FLOAT_DISTRIBUTIONS), ("iuf", INTEGER_DISTRIBUTIONS)):
    for _name in _names:
        setattr(RandomState, _name, _with_dtype(getattr(Generator, _name), _kinds))
name_failures(RandomState)


def bit_generator_of(op: str, seed: Any) -> Philox:
    """Return the stream of a seed; a Philox is used as it is."""
    if isinstance(seed, Philox):
        return seed
    return Philox(checked_seed(op, seed))


def checked_seed(op: str, seed: Any) -> Any:
    """Return a seed; raise ValueError if it is negative, and TypeError if it is a stream."""
    if isinstance(seed, Philox):
        raise TypeError(
            f"{op}: seed must be an int, a sequence of ints or a SeedSequence, not a Philox; pass its seed_seq"
        )
    if isinstance(seed, (int, np.integer)) and seed < 0:
        raise ValueError(f"{op}: seed must not be negative: {seed}; use abs(seed)")
    return seed
