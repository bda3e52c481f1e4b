# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""
Linear regression with a ridge penalty
======================================

A polynomial of degree 12 is fitted to 24 noisy points, with penalties from zero to large: one call solves all systems
as a stack of matrices.
"""

import matplotlib.pyplot as plt
import numpy as np
import skerry as sk

DEGREE = 12
PENALTIES = [0.0, 1e-3, 1e-1, 10.0]


def features(t: sk.Array) -> sk.Array:
    """Return the powers of each position, one row per position."""
    return t[:, None] ** sk.arange(DEGREE + 1, device=t.device, dtype=t.dtype)[None, :]


def main() -> plt.Figure:
    """Fit, check against NumPy and draw the curves."""
    device = sk.devices("cuda")[0]
    rng = sk.random.default_rng(7, device=device)
    t = sk.linspace(-1, 1, 24, device=device)
    y = sk.sin(3 * t) + 0.25 * rng.standard_normal(24)

    a = features(t)
    penalties = sk.asarray(PENALTIES, device=device)[:, None, None] * sk.eye(
        DEGREE + 1, device=device
    )
    weights = sk.linalg.solve((a.T @ a)[None, :, :] + penalties, (a.T @ y)[None, :, None])[..., 0]

    fine = sk.linspace(-1, 1, 200, device=device)
    curves = np.asarray((features(fine) @ weights.T).to_device("cpu"))
    host_a, host_y = (np.asarray(x.to_device("cpu")) for x in (a, y))
    for penalty, ours in zip(PENALTIES[1:], np.asarray(weights.to_device("cpu"))[1:], strict=True):
        want = np.linalg.solve(host_a.T @ host_a + penalty * np.eye(DEGREE + 1), host_a.T @ host_y)
        assert np.allclose(ours, want, rtol=1e-6)

    figure, axes = plt.subplots(figsize=(5, 4))
    axes.scatter(np.asarray(t.to_device("cpu")), host_y, color="black", s=12)
    for penalty, curve in zip(PENALTIES, curves.T, strict=True):
        axes.plot(np.asarray(fine.to_device("cpu")), curve, label=f"penalty {penalty:g}")
    axes.set_ylim(-2, 2)
    axes.legend()
    return figure


if __name__ == "__main__":
    main().savefig("ridge_regression.png")
