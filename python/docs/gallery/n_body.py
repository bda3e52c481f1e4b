# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""
n-body simulation of two galaxies
=================================

Two discs of stars pass each other. All forces of a step are one expression of (N, N) arrays; the leapfrog scheme
conserves the energy, which is checked.
"""

import matplotlib.pyplot as plt
import numpy as np
import skerry as sk

STARS, STEPS, TIME_STEP, SOFTENING = 300, 300, 0.01, 0.05


def between(position: sk.Array) -> tuple[sk.Array, sk.Array]:
    """Return the vectors between all stars, and their squared lengths, softened."""
    apart = position[None, :, :] - position[:, None, :]
    return apart, sk.sum(apart * apart, axis=-1) + SOFTENING**2


def acceleration(position: sk.Array, mass: sk.Array) -> sk.Array:
    """Return the acceleration of each star by all others."""
    apart, squared = between(position)
    return sk.sum(apart * (mass / squared**1.5)[:, :, None], axis=1)


def energy(position: sk.Array, velocity: sk.Array, mass: sk.Array) -> float:
    """Return the sum of kinetic and potential energy."""
    _, squared = between(position)
    pairs = sk.triu(mass[:, None] * mass[None, :] / sk.sqrt(squared), k=1)
    return float(sk.sum(mass[:, None] * velocity**2) / 2 - sk.sum(pairs))


def disc(
    rng: sk.random.Generator, centre: tuple[float, float], drift: tuple[float, float]
) -> tuple[sk.Array, sk.Array]:
    """Return positions and velocities of stars that orbit a centre."""
    count = STARS // 2
    radius, angle = 0.3 + rng.random(count), 2 * sk.pi * rng.random(count)
    direction = sk.stack([sk.cos(angle), sk.sin(angle)], axis=1)
    across = sk.stack([-sk.sin(angle), sk.cos(angle)], axis=1)
    inside = (radius - 0.3) / 2  # mass within the radius; the total is 1
    velocity = across * sk.sqrt(inside / radius)[:, None]
    device = rng.device
    return (
        direction * radius[:, None] + sk.asarray(centre, device=device),
        velocity + sk.asarray(drift, device=device),
    )


def main() -> plt.Figure:
    """Move the stars and draw their positions before and after."""
    device = sk.devices("cuda")[0]
    rng = sk.random.default_rng(3, device=device)
    discs = [disc(rng, (-1.5, -0.4), (0.4, 0.0)), disc(rng, (1.5, 0.4), (-0.4, 0.0))]
    position, velocity = (sk.concat(list(parts)) for parts in zip(*discs, strict=True))
    mass = sk.full((STARS,), 1.0 / STARS, device=device)

    start, initial_energy = position.copy(), energy(position, velocity, mass)
    force = acceleration(position, mass)
    for _ in range(STEPS):
        velocity += TIME_STEP / 2 * force
        position += TIME_STEP * velocity
        force = acceleration(position, mass)
        velocity += TIME_STEP / 2 * force
    assert abs(energy(position, velocity, mass) / initial_energy - 1) < 0.01, "energy was not kept"

    figure, axes = plt.subplots(1, 2, figsize=(8, 4), sharex=True, sharey=True)
    for panel, title, x in zip(
        axes, ("before", f"after {STEPS} steps"), (start, position), strict=True
    ):
        points = np.asarray(x.to_device("cpu"))
        panel.scatter(points[: STARS // 2, 0], points[: STARS // 2, 1], s=3)
        panel.scatter(points[STARS // 2 :, 0], points[STARS // 2 :, 1], s=3)
        panel.set_title(title)
        panel.set_aspect("equal")
    return figure


if __name__ == "__main__":
    main().savefig("n_body.png")
