# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A program that calls every function whose result size is an argument with sizes beyond any memory.

Each call must immediately raise one of skerry's errors, which states the size. Prints a line for each call that does not.
A call that takes longer than LONGEST seconds ends the process with a stack trace.
"""

import faulthandler
import inspect
import os
import resource
import sys
import time

import skerry as sk
from skerry.exceptions import OutOfMemoryError

LONGEST = 20  # seconds of one call, on a busy machine
SLOW = 5.0
ADDRESSES = 16 << 30  # bytes: nothing larger is allocated by accident
SIZES = [10**12, 2**62, 2**63, 2**64, 10**30]
# Parameters that determine the size of the result.
SIZE_NAMES = {
    "M", "N", "bins", "dimensions", "indices_or_sections", "minlength", "n", "n_children", "n_cols", "n_rows", "ndim",
    "num", "pad_width", "repeats", "repetitions", "s", "shape", "size",
}  # fmt: skip
# Functions with such a parameter that is not a size, or with an argument as large as the result.
OTHERS = {
    "binary_repr",
    "broadcast_to",
    "diff",
    "digitize",
    "linalg.matrix_power",
    "reshape",
    "unravel_index",
}


def table(n, device):
    """Returns calls by name. A second word distinguishes several calls of one function."""
    x = sk.arange(12.0, device=device)
    i = sk.asarray([1, 2, 3], device=device)
    outlier_array = sk.concat(
        [sk.linspace(0, 1e-12, 1000, device=device), sk.asarray([float(n)], device=device)]
    )
    m = sk.reshape(x, (3, 4))
    top = min(n, 2**63 - 1)
    calls = {
        "arange": lambda: sk.arange(n, device=device),
        "arange down": lambda: sk.arange(0, -n, -1, device=device),
        "arange of small steps": lambda: sk.arange(0.0, 1.0, 1.0 / n, device=device),
        "eye": lambda: sk.eye(n, device=device),
        "eye columns": lambda: sk.eye(3, n, device=device),
        "tri": lambda: sk.tri(n, device=device),
        "tri columns": lambda: sk.tri(3, n, device=device),
        "diag": lambda: sk.diag(i, k=n),
        "diagflat": lambda: sk.diagflat(i, -n),
        "vander": lambda: sk.vander(i, n),
        "as_strided": lambda: sk.as_strided(x, (n,)),
        "identity": lambda: sk.identity(n, device=device),
        "fromfunction": lambda: sk.fromfunction(lambda i: i, (n,), device=device),
        "mask_indices": lambda: sk.mask_indices(n, lambda m, k: m, device=device),
        "resize": lambda: sk.resize(i, (3, n)),
        "unpackbits": lambda: sk.unpackbits(sk.astype(i, sk.uint8), count=n),
        "kaiser": lambda: sk.kaiser(n, 8.6, device=device),
        "indices": lambda: sk.indices((n, 3), device=device),
        "indices sparse": lambda: sk.indices((n, 3), sparse=True, device=device),
        "diag_indices": lambda: sk.diag_indices(n, device=device),
        "diag_indices axes": lambda: sk.diag_indices(3, n, device=device),
        "tril_indices": lambda: sk.tril_indices(n, device=device),
        "triu_indices": lambda: sk.triu_indices(3, 0, n, device=device),
        "bincount": lambda: sk.bincount(sk.asarray([top], device=device)),
        "bincount minlength": lambda: sk.bincount(i, minlength=n),
        "histogram": lambda: sk.histogram(x, n),
        "histogram fd": lambda: sk.histogram(outlier_array, "fd"),
        "histogram_bin_edges": lambda: sk.histogram_bin_edges(x, n),
        "histogram_bin_edges fd": lambda: sk.histogram_bin_edges(outlier_array, "fd"),
        "histogram2d": lambda: sk.histogram2d(x, x, [3, n]),
        "histogramdd": lambda: sk.histogramdd(m, n),
        "repeat": lambda: sk.repeat(x, n),
        "repeat each": lambda: sk.repeat(i, sk.asarray([top, 1, 1], device=device)),
        "tile": lambda: sk.tile(x, (n,)),
        "tile twice": lambda: sk.tile(x, (n, n)),
        "array_split": lambda: sk.array_split(x, n),
        "split": lambda: sk.split(sk.zeros(0, device=device), n),
        "hsplit": lambda: sk.hsplit(sk.zeros(0, device=device), n),
        "vsplit": lambda: sk.vsplit(sk.zeros((0, 2), device=device), n),
        "dsplit": lambda: sk.dsplit(sk.zeros((1, 1, 0), device=device), n),
        "unstack": lambda: sk.unstack(sk.zeros((min(n, 2**60 - 1), 0), device=device)),
        "tolist": lambda: sk.zeros((min(n, 2**60 - 1), 0), device=device).tolist(),
        "fft.fftfreq": lambda: sk.fft.fftfreq(n, device=device),
        "fft.rfftfreq": lambda: sk.fft.rfftfreq(n, device=device),
    }  # fmt: skip
    for name in ("bartlett", "blackman", "hamming", "hanning"):
        calls[name] = lambda name=name: getattr(sk, name)(n, device=device)
    for name in ("zeros", "ones", "empty"):
        calls[name] = lambda name=name: getattr(sk, name)(n, device=device)
    calls["full"] = lambda: sk.full((3, n), 1.0, device=device)
    for name in ("zeros_like", "ones_like", "empty_like"):
        calls[name] = lambda name=name: getattr(sk, name)(x, shape=n)
    calls["full_like"] = lambda: sk.full_like(x, 1.0, shape=(3, n))
    for name in ("linspace", "logspace", "geomspace"):
        calls[name] = lambda name=name: getattr(sk, name)(1, 2, n, device=device)
    for mode in (
        "constant",
        "edge",
        "reflect",
        "symmetric",
        "wrap",
        "linear_ramp",
        "mean",
        "median",
        "empty",
    ):
        calls[f"pad {mode}"] = lambda mode=mode: sk.pad(x, (0, n), mode=mode)
    for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
        calls[f"fft.{name}"] = lambda name=name: getattr(sk.fft, name)(x, n=n)
    for name in ("fftn", "ifftn", "rfftn", "irfftn", "fft2", "ifft2", "rfft2", "irfft2"):
        calls[f"fft.{name}"] = lambda name=name: getattr(sk.fft, name)(m, s=(3, n))
    generator = sk.random.default_rng(0, device=device)
    calls["spawn"] = lambda: generator.spawn(n)
    for name, arguments in DRAWS.items():
        calls[name] = lambda name=name, arguments=arguments: getattr(generator, name)(
            *arguments, size=n
        )
    return calls


DRAWS = {
    "beta": (1.0, 2.0), "binomial": (3, 0.5), "chisquare": (1.0,), "choice": (5,), "dirichlet": ([1.0, 2.0],),
    "exponential": (), "f": (1.0, 2.0), "gamma": (1.0,), "geometric": (0.5,), "gumbel": (), "hypergeometric": (3, 4, 5),
    "integers": (5,), "laplace": (), "logistic": (), "lognormal": (), "logseries": (0.5,),
    "multinomial": (3, [0.5, 0.5]), "multivariate_normal": ([0.0], [[1.0]]), "negative_binomial": (3, 0.5),
    "noncentral_chisquare": (1.0, 2.0),
    "noncentral_f": (1.0, 2.0, 3.0), "normal": (), "pareto": (1.0,), "poisson": (3.0,), "power": (1.0,), "random": (),
    "rayleigh": (), "standard_cauchy": (), "standard_exponential": (), "standard_gamma": (1.0,), "standard_normal": (),
    "standard_t": (1.0,), "triangular": (0.0, 1.0, 2.0), "uniform": (), "vonmises": (0.0, 1.0), "wald": (1.0, 2.0),
    "weibull": (1.0,), "zipf": (2.0,),
}  # fmt: skip


def functions():
    """Yields public functions and methods of generators."""
    for prefix, module in {"": sk, "fft.": sk.fft, "linalg.": sk.linalg}.items():
        for name in module.__all__:
            if callable(getattr(module, name)) and not inspect.isclass(getattr(module, name)):
                yield prefix + name, getattr(module, name)
    for name in dir(sk.random.Generator):
        if not name.startswith("_") and callable(getattr(sk.random.Generator, name)):
            yield name, getattr(sk.random.Generator, name)


def main():
    device = sys.argv[1]
    calls = table(10**12, device)
    covered = {name.split()[0] for name in calls} | OTHERS
    for name, function in functions():
        if SIZE_NAMES & set(inspect.signature(function).parameters) and name not in covered:
            print(f"{name}: takes a size, but has no call")
    # No limit for rehearsed devices and guarded memory: they reserve more addresses than that.
    is_guarded = os.environ.get("SKERRY_ALLOCATOR", "").startswith("guard")
    if device.startswith("cpu") and not is_guarded:
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    count = 0
    for size in SIZES:
        for name, call in table(size, device).items():
            faulthandler.dump_traceback_later(LONGEST, exit=True)
            start = time.monotonic()
            said = outcome(call)
            seconds = time.monotonic() - start
            count += 1
            if said is not None or seconds > SLOW:
                print(f"{name} of {size}: {said}, after {seconds:.1f} s")
    faulthandler.cancel_dump_traceback_later()
    print(count, "calls")


def outcome(call):
    """Returns None if the call raises one of skerry's errors, else a description of what happened."""
    try:
        call()
    except (OutOfMemoryError, OverflowError, ValueError) as error:
        return None if ": " in str(error) else f"{type(error).__name__}: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "no error"


if __name__ == "__main__":
    main()
