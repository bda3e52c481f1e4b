# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""
Monte Carlo option pricing on two GPUs
======================================

The price of a European call option, estimated from simulated paths, half of them on each device, with two independent
streams from one seed, and compared to the Black-Scholes formula. The same seed gives the same numbers on every device,
so the estimate is the same on a laptop and on a cluster.
"""

import math

import matplotlib.pyplot as plt
import numpy as np
import skerry as sk

PRICE, STRIKE, RATE, VOLATILITY, YEARS = 100.0, 105.0, 0.03, 0.2, 1.0
PATHS = 200_000


def payoffs(rng: sk.random.Generator) -> sk.Array:
    """Return the discounted payoff of the option for each path."""
    drift = (RATE - VOLATILITY**2 / 2) * YEARS
    ends = PRICE * sk.exp(drift + VOLATILITY * math.sqrt(YEARS) * rng.standard_normal(PATHS // 2))
    return math.exp(-RATE * YEARS) * sk.maximum(ends - STRIKE, 0.0)


def formula() -> float:
    """Return the price by the Black-Scholes formula."""
    spread = VOLATILITY * math.sqrt(YEARS)
    d1 = (math.log(PRICE / STRIKE) + (RATE + VOLATILITY**2 / 2) * YEARS) / spread
    below = lambda x: (1 + math.erf(x / math.sqrt(2))) / 2  # noqa: E731
    return PRICE * below(d1) - STRIKE * math.exp(-RATE * YEARS) * below(d1 - spread)


def main() -> plt.Figure:
    """Estimate the price and draw its convergence."""
    streams = [
        sk.random.default_rng(seed, device=device)
        for seed, device in zip(
            np.random.SeedSequence(42).spawn(2), sk.devices("cuda"), strict=False
        )
    ]
    halves = [payoffs(rng) for rng in streams]  # both devices work at once
    paid = np.concatenate([np.asarray(half.to_device("cpu")) for half in halves])
    count = np.arange(1, PATHS + 1)
    estimate = np.cumsum(paid) / count
    error = paid.std() / np.sqrt(count)
    assert abs(estimate[-1] - formula()) < 4 * error[-1], (estimate[-1], formula())

    figure, axes = plt.subplots(figsize=(5, 4))
    axes.fill_between(count, estimate - 2 * error, estimate + 2 * error, alpha=0.3)
    axes.plot(count, estimate, label="estimate")
    axes.axhline(formula(), color="black", linestyle=":", label="Black and Scholes")
    axes.set_xscale("log")
    axes.set_xlim(100, PATHS)
    axes.set_ylim(formula() - 3, formula() + 3)
    axes.set_xlabel("paths")
    axes.legend()
    return figure


if __name__ == "__main__":
    main().savefig("monte_carlo.png")
