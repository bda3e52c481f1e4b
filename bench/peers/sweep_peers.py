# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""PyTorch and JAX in the sweep: their functions by the standard's names, where these differ by a table."""

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

#: Under this part of a peer's speed a cell is slow.
SLOW = 0.8
#: Functions in which a peer does less, and what it leaves out.
REASONS = {
    "torch": dict.fromkeys(
        ("conj", "positive"),
        "PyTorch returns its argument; here, as in NumPy, who writes into the result changes nothing else",
    ),
}  # fmt: skip

#: A program with as many results as rows: XLA compiles one of 10^4 for minutes, until memory ends.
NEVER_COMPILED = ("unstack",)


class Peer:
    """A library beside NumPy; `None` for what it does not have."""

    name = ""

    def function(self, path: str) -> Callable[..., Any] | None:
        """Its function, by the path below skerry."""
        raise NotImplementedError

    def array(self, host: Any) -> Any:
        """Its array of NumPy's."""
        raise NotImplementedError

    def seconds(self, case: Case, host: list[Any]) -> float | None:
        """Best seconds of a call."""
        function = self.function(case.function)
        if function is None:
            return None
        try:
            timer = Timer(loop_of(case.call), function, *map(self.array, host))
            for _ in range(ROUNDS):
                timer.round()
        except Exception:  # whatever a library says of dtypes and arguments that it does not take
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
        """By name; most of its functions take axis= for dim=."""
        module, _, name = path.rpartition(".")
        return found_in(self.torch, f"{module}.{TORCH_NAMES.get(name, name)}".lstrip("."))

    def array(self, host: Any) -> Any:
        """Over the same memory."""
        return self.torch.from_numpy(host)


def jax_on(threads: int) -> Any:
    """JAX with 64-bit numbers. The first call decides of its threads; flags of XLA leave it those of all cores."""
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
        """Compiled, and waited for. The last alone is kept: compiled for all cells they run out of memory maps."""
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
        """Its results are there when it returns. JAX's own wait takes 5 us, an array's nothing."""

        def call(*args: Any, **keywords: Any) -> Any:
            result = function(*args, **keywords)
            if isinstance(result, self.jax.Array):
                return result.block_until_ready()
            return self.jax.block_until_ready(result)

        return call

    def array(self, host: Any) -> Any:
        """A copy."""
        return self.jax.numpy.asarray(host)


def installed_peers(threads: int) -> list[Peer]:
    """Those that SWEEP_PEERS names."""
    peer_types: dict[str, type[Peer]] = {"torch": Torch, "jax": Jax}
    names = [name for name in os.environ.get("SWEEP_PEERS", "").split(",") if name]
    return [peer_types[name](threads) for name in names]  # type: ignore[call-arg]
