# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""
Linear regression with a ridge penalty
======================================

A polynomial of degree 12 is fitted to 24 noisy points. Without a penalty it follows the noise; a
*ridge* penalty on large weights makes it smooth. One call solves the systems of all penalties as a
stack of matrices.
"""

import matplotlib.pyplot as plt
import numpy as np
import skerry as sk

DEGREE = 12
PENALTIES = [0.0, 1e-3, 1e-1, 10.0]

# %%
# Data
# ----

device = sk.devices("cuda")[0]
rng = sk.random.default_rng(7, device=device)
t = sk.linspace(-1, 1, 24, device=device)
y = sk.sin(3 * t) + 0.25 * rng.standard_normal(24)


def features(t: sk.Array) -> sk.Array:
    """Return the powers of each position, one row per position."""
    return t[:, None] ** sk.arange(DEGREE + 1, device=t.device, dtype=t.dtype)[None, :]


# %%
# All systems at once
# -------------------
#
# The weights ``w`` for a penalty ``p`` solve ``(A.T @ A + p * I) @ w = A.T @ y``. With the
# penalties along a new first axis, the matrices are a stack of shape ``(4, 13, 13)``, and
# ``linalg.solve`` solves each of them.

a = features(t)
penalties = sk.asarray(PENALTIES, device=device)[:, None, None]
systems = a.T @ a + penalties * sk.eye(DEGREE + 1, device=device)
weights = sk.linalg.solve(systems, (a.T @ y)[None, :, None])[..., 0]
print(systems.shape, "->", weights.shape)

# %%
# A larger penalty gives smaller weights and a larger distance from the points:

sizes = sk.linalg.vector_norm(weights, axis=1)
distances = sk.linalg.vector_norm(a @ weights.T - y[:, None], axis=0)
for penalty, size, distance in zip(PENALTIES, sizes.tolist(), distances.tolist(), strict=True):
    print(f"penalty {penalty:6}: weights {size:8.2f}, distance {distance:.3f}")
assert sk.all(sk.diff(sizes) < 0)
assert sk.all(sk.diff(distances) > 0)

# %%
# NumPy solves the same systems one by one:

host_a, host_y = a.to_numpy(), y.to_numpy()
for penalty, ours in zip(PENALTIES[1:], weights.to_numpy()[1:], strict=True):
    system = host_a.T @ host_a + penalty * np.eye(DEGREE + 1)
    assert np.allclose(ours, np.linalg.solve(system, host_a.T @ host_y), rtol=1e-6)

# %%

fine = sk.linspace(-1, 1, 200, device=device)
curves = (features(fine) @ weights.T).to_numpy()
figure, axes = plt.subplots(figsize=(5, 4))
axes.scatter(t.to_numpy(), host_y, color="black", s=12, label="points")
for penalty, curve in zip(PENALTIES, curves.T, strict=True):
    axes.plot(fine.to_numpy(), curve, label=f"penalty {penalty:g}")
axes.set_ylim(-2, 2)
axes.legend()
figure.savefig("ridge_regression.png")
