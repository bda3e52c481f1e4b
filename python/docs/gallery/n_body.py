# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""
n-body simulation of two galaxies
=================================

Two discs of stars pass each other. All forces of a step are one expression of ``(N, N)`` arrays,
and the leapfrog scheme conserves the energy, which is a check of the program.
"""

import matplotlib.pyplot as plt
import skerry as sk

STARS, STEPS, TIME_STEP, SOFTENING = 300, 300, 0.01, 0.05

# %%
# Forces
# ------
#
# Every star attracts every other. Broadcasting makes the vectors between all pairs; the softening
# avoids a division by almost zero if two stars meet.


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


# %%
# Two discs
# ---------
#
# The stars of a disc move on circles around its centre, and the disc drifts. No function has a
# device argument: ``rng.device`` and the arrays say where the work is done.


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
    return (
        direction * radius[:, None] + sk.asarray(centre, device=rng.device),
        velocity + sk.asarray(drift, device=rng.device),
    )


device = sk.devices("cuda")[0]
rng = sk.random.default_rng(3, device=device)
discs = [disc(rng, (-1.5, -0.4), (0.4, 0.0)), disc(rng, (1.5, 0.4), (-0.4, 0.0))]
position, velocity = (sk.concat(list(parts)) for parts in zip(*discs, strict=True))
mass = sk.full((STARS,), 1.0 / STARS, device=device)
start = position.copy()
print(position.shape, position.dtype, position.device)

# %%
# Leapfrog
# --------
#
# Half a step of the velocity, a step of the position, half a step of the velocity. The operators
# ``+=`` change the arrays in place. The loop never waits for the device; ``energy`` does, since it
# returns a Python number.

initial_energy = energy(position, velocity, mass)
force = acceleration(position, mass)
for _ in range(STEPS):
    velocity += TIME_STEP / 2 * force
    position += TIME_STEP * velocity
    force = acceleration(position, mass)
    velocity += TIME_STEP / 2 * force

final_energy = energy(position, velocity, mass)
print(f"energy before {initial_energy:.5f}, after {final_energy:.5f}")
assert abs(final_energy / initial_energy - 1) < 0.01, "energy was not conserved"

# %%
# The discs before and after they met:

figure, panels = plt.subplots(1, 2, figsize=(8, 4), sharex=True, sharey=True)
pictures = {"before": start, f"after {STEPS} steps": position}
for panel, (title, x) in zip(panels, pictures.items(), strict=True):
    for half in (x[: STARS // 2], x[STARS // 2 :]):
        panel.scatter(*half.to_numpy().T, s=3)
    panel.set_title(title)
    panel.set_aspect("equal")
figure.savefig("n_body.png")
