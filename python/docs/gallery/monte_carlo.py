# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""
Monte Carlo option pricing on two GPUs
======================================

The price of a European call option, estimated from simulated paths, half of them on each device,
and compared with the Black-Scholes formula.
"""

import math

import matplotlib.pyplot as plt
import numpy as np
import skerry as sk

PRICE, STRIKE, RATE, VOLATILITY, YEARS = 100.0, 105.0, 0.03, 0.2, 1.0
PATHS = 200_000

# %%
# Independent generators
# ----------------------
#
# NumPy's ``SeedSequence`` makes independent seeds from one, and each device gets a generator. A
# seed gives the same numbers on every device, so the estimate is the same on a laptop and on a
# cluster.

seeds = np.random.SeedSequence(42).spawn(2)
devices = sk.devices("cuda")[:2]
pairs = zip(seeds, devices, strict=True)
rngs = [sk.random.default_rng(seed, device=device) for seed, device in pairs]

# %%
# Payoffs
# -------
#
# The price of the share at the end is log-normal. ``@sk.fuse`` computes the chain from the random
# number to the payoff in one pass through memory.


@sk.fuse
def payoff(normal: sk.Array) -> sk.Array:
    """Return the discounted payoff for a normal number."""
    drift = (RATE - VOLATILITY**2 / 2) * YEARS
    end = PRICE * sk.exp(drift + VOLATILITY * math.sqrt(YEARS) * normal)
    return math.exp(-RATE * YEARS) * sk.maximum(end - STRIKE, 0.0)


# %%
# Both devices draw and compute at the same time: the loop only enqueues their work. ``to_device``
# then brings the results together.

halves = [payoff(rng.standard_normal(PATHS // 2)) for rng in rngs]
paid = sk.concat([half.to_device(devices[0]) for half in halves])
print([str(half.device) for half in halves], "->", paid.device)

# %%
# The estimate
# ------------
#
# The mean of the payoffs is the price. A running mean shows the convergence: the error falls with
# the square root of the number of paths.


def formula() -> float:
    """Return the price by the Black-Scholes formula."""

    def below(x: float) -> float:
        return (1 + math.erf(x / math.sqrt(2))) / 2

    spread = VOLATILITY * math.sqrt(YEARS)
    d1 = (math.log(PRICE / STRIKE) + (RATE + VOLATILITY**2 / 2) * YEARS) / spread
    return PRICE * below(d1) - STRIKE * math.exp(-RATE * YEARS) * below(d1 - spread)


count = sk.arange(1, PATHS + 1, device=devices[0])
estimate = (sk.cumulative_sum(paid) / count).to_numpy()
error = (sk.std(paid) / sk.sqrt(count)).to_numpy()
print(f"estimate {estimate[-1]:.3f} +- {error[-1]:.3f}, formula {formula():.3f}")
assert abs(estimate[-1] - formula()) < 4 * error[-1]

# %%
# The band is two standard errors wide on both sides.

paths = count.to_numpy()
figure, axes = plt.subplots(figsize=(5, 4))
axes.fill_between(paths, estimate - 2 * error, estimate + 2 * error, alpha=0.3)
axes.plot(paths, estimate, label="estimate")
axes.axhline(formula(), color="black", linestyle=":", label="Black-Scholes")
axes.set_xscale("log")
axes.set_xlim(100, PATHS)
axes.set_ylim(formula() - 3, formula() + 3)
axes.set_xlabel("paths")
axes.set_ylabel("price")
axes.legend()
figure.savefig("monte_carlo.png")
