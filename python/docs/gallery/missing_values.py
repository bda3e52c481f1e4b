# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""
Missing values and outliers in a table
======================================

Readings of six thermometers, with missing values and outliers. Robust limits based on the median find the outliers,
interpolation fills the gaps, and correlations show which thermometers are related.
"""

import matplotlib.pyplot as plt
import numpy as np
import skerry as sk

HOURS, SENSORS = 24 * 14, 6


def readings(rng: sk.random.Generator) -> sk.Array:
    """Make readings: a common daily cycle, noise, missing values and outliers."""
    hours = sk.arange(HOURS, dtype=sk.float64, device=rng.device)
    day = 4.0 * sk.sin(hours * (2 * sk.pi / 24))
    outside = sk.arange(SENSORS, device=rng.device) < 3
    table = (
        15.0
        + sk.where(outside[None, :], day[:, None], 0.0)
        + rng.normal(0.0, 0.7, (HOURS, SENSORS))
    )
    table = sk.where(rng.random(table.shape) < 0.02, 85.0, table)
    return sk.where(rng.random(table.shape) < 0.1, sk.nan, table)


def main() -> plt.Figure:
    """Clean the table and draw it with its correlations."""
    device = sk.devices("cuda")[0]
    table = readings(sk.random.default_rng(11, device=device))

    middle = sk.nanmedian(table, axis=0, keepdims=True)
    spread = sk.nanmedian(sk.abs(table - middle), axis=0, keepdims=True)
    cleaned = sk.where(sk.abs(table - middle) > 8 * spread, sk.nan, table)
    hours = sk.arange(HOURS, dtype=sk.float64, device=device)
    columns = []
    for column in sk.unstack(cleaned, axis=1):
        is_present = ~sk.isnan(column)
        columns.append(sk.interp(hours, hours[is_present], column[is_present]))
    filled = sk.stack(columns, axis=1)
    related = np.asarray(sk.corrcoef(filled, rowvar=False).to_device("cpu"))

    assert not bool(sk.any(sk.isnan(filled)))
    assert float(sk.max(filled)) < 40.0
    assert related[:3, :3].min() > 0.8
    assert np.abs(related[:3, 3:]).max() < 0.5

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), width_ratios=(2, 1))
    left.plot(np.asarray(table[:, 0].to_device("cpu")), "r.", markersize=3, label="as read")
    left.plot(np.asarray(filled[:, 0].to_device("cpu")), linewidth=1, label="cleaned")
    left.set_xlabel("hour")
    left.legend()
    right.imshow(related, cmap="coolwarm", vmin=-1, vmax=1)
    right.set_title("correlations")
    return figure


if __name__ == "__main__":
    main().savefig("missing_values.png")
