# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""PyTorch and JAX in the sweep. A table maps the standard's names to PyTorch's; JAX has the standard's names."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Any

from bench.peers.sweep_cases import Case, found_in
from bench.peers.sweep_cell import ROUNDS, Timer, loop_of

TORCH_NAMES = {
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan", "atan2": "arctan2",
    "atanh": "arctanh", "bitwise_invert": "bitwise_not", "equal": "eq", "greater": "gt", "greater_equal": "ge",
    "less": "lt", "less_equal": "le", "not_equal": "ne", "max": "amax", "min": "amin", "concat": "concat",
    "cumulative_sum": "cumsum", "cumulative_prod": "cumprod", "permute_dims": "permute", "expand_dims": "unsqueeze",
    "matrix_transpose": "t", "unique_values": "unique",
}  # fmt: skip

#: A cell below this fraction of a peer's speed is slow.
SLOW = 0.8
#: Functions for which a peer does less work, and the reason.
REASONS = {
    "torch": dict.fromkeys(
        ("conj", "positive"),
        "PyTorch returns its argument; here, as in NumPy, writing to the result does not change the argument",
    ),
}  # fmt: skip

#: Functions that are not measured with JAX. They return one array per row of the operand: XLA compiles a program with
#: 10^4 results for minutes, until memory is exhausted.
NEVER_COMPILED = ("unstack",)


class Peer:
    """A library to compare to besides NumPy."""

    name = ""

    def function(self, path: str) -> Callable[..., Any] | None:
        """Returns the library's counterpart of the skerry function at a path, or None."""
        raise NotImplementedError

    def array(self, host: Any) -> Any:
        """Converts a NumPy array to an array of this library."""
        raise NotImplementedError

    def seconds(self, case: Case, host: list[Any]) -> float | None:
        """Returns the best seconds per call, or None if the library does not support it."""
        function = self.function(case.function)
        if function is None:
            return None
        try:
            timer = Timer(loop_of(case.call), function, *map(self.array, host))
            for _ in range(ROUNDS):
                timer.round()
        except Exception:  # libraries raise various errors for unsupported dtypes and arguments
            return None
        return timer.best


class Torch(Peer):
    """PyTorch on the CPU."""

    name = "torch"

    def __init__(self, threads: int) -> None:
        import torch

        torch.set_num_threads(threads)
        torch.set_grad_enabled(False)
        self.torch = torch

    def function(self, path: str) -> Callable[..., Any] | None:
        """Returns the function by name; most functions accept axis= for dim=."""
        module, _, name = path.rpartition(".")
        return found_in(self.torch, f"{module}.{TORCH_NAMES.get(name, name)}".lstrip("."))

    def array(self, host: Any) -> Any:
        """Returns a tensor that shares the memory."""
        return self.torch.from_numpy(host)


def jax_on(threads: int) -> Any:
    """Returns JAX with 64-bit types. The first call sets the number of threads; XLA flags can't limit it."""
    os.environ["NPROC"] = str(threads)
    import jax

    jax.config.update("jax_enable_x64", True)
    return jax


class Jax(Peer):
    """JAX on the CPU, each function compiled alone."""

    name = "jax"

    def __init__(self, threads: int) -> None:
        self.jax = jax_on(threads)
        self.path = ""
        self.compiled: Callable[..., Any] | None = None

    def function(self, path: str) -> Callable[..., Any] | None:
        """Returns the compiled, synchronous function. Caches only the last: all would need too many memory mappings."""
        if path != self.path:
            self.jax.clear_caches()
            self.path, self.compiled = path, None
            plain = found_in(self.jax.numpy, path)
            if plain is None or path in NEVER_COMPILED:
                return None
            parameters = inspect.signature(plain).parameters
            static = [name for name in ("axis", "shape") if name in parameters]
            fast = self.jax.jit(plain, static_argnames=static)
            self.compiled = self.waited_for(fast)
        return self.compiled

    def waited_for(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Makes a function wait for its results. jax.block_until_ready takes 5 us, an array's method almost nothing."""

        def call(*args: Any, **keywords: Any) -> Any:
            result = function(*args, **keywords)
            if isinstance(result, self.jax.Array):
                return result.block_until_ready()
            return self.jax.block_until_ready(result)

        return call

    def array(self, host: Any) -> Any:
        """Returns a copy as a JAX array."""
        return self.jax.numpy.asarray(host)


def installed_peers(threads: int) -> list[Peer]:
    """Returns the libraries that SWEEP_PEERS lists."""
    peer_types: dict[str, type[Peer]] = {"torch": Torch, "jax": Jax}
    names = [name for name in os.environ.get("SWEEP_PEERS", "").split(",") if name]
    return [peer_types[name](threads) for name in names]  # type: ignore[call-arg]
