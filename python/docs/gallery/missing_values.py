# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""
Missing values and outliers in a table
======================================

Two weeks of readings of six thermometers have missing values and outliers. Limits based on the
median find the outliers, interpolation fills the gaps, and correlations show which thermometers
are related.
"""

import matplotlib.pyplot as plt
import skerry as sk

HOURS, SENSORS = 24 * 14, 6

# %%
# The readings
# ------------
#
# The first three thermometers are outside and follow the day; the others are in a room. One
# reading in fifty is wrong (85 degrees), one in ten is missing (NaN).

device = sk.devices("cuda")[0]
rng = sk.random.default_rng(11, device=device)
hours = sk.arange(HOURS, dtype=sk.float64, device=device)
day = 4.0 * sk.sin(hours * (2 * sk.pi / 24))
is_outside = sk.arange(SENSORS, device=device) < 3

table = 15.0 + sk.where(is_outside, day[:, None], 0.0) + rng.normal(0.0, 0.7, (HOURS, SENSORS))
table = sk.where(rng.random(table.shape) < 0.02, 85.0, table)
table = sk.where(rng.random(table.shape) < 0.1, sk.nan, table)
print(f"{int(sk.count_nonzero(sk.isnan(table)))} of {table.size} readings are missing")

# %%
# Outliers
# --------
#
# The median and the median distance from it are hardly changed by outliers, unlike mean and
# standard deviation. The functions whose names begin with ``nan`` skip missing values.

middle = sk.nanmedian(table, axis=0, keepdims=True)
spread = sk.nanmedian(sk.abs(table - middle), axis=0, keepdims=True)
is_outlier = sk.abs(table - middle) > 8 * spread
cleaned = sk.where(is_outlier, sk.nan, table)
print(f"{int(sk.count_nonzero(is_outlier))} outliers")
assert float(sk.nanmax(cleaned)) < 40.0

# %%
# Gaps
# ----
#
# A mask selects the hours with a reading; ``interp`` gives the value of each hour.


def filled_column(column: sk.Array) -> sk.Array:
    """Return a column whose missing values are interpolated."""
    is_present = ~sk.isnan(column)
    return sk.interp(hours, hours[is_present], column[is_present])


filled = sk.stack([filled_column(column) for column in sk.unstack(cleaned, axis=1)], axis=1)
assert not sk.any(sk.isnan(filled))

# %%
# Relations
# ---------
#
# The thermometers outside are correlated with one another, and not with those in the room.

related = sk.corrcoef(filled, rowvar=False)
print(related.to_numpy().round(2))
assert float(sk.min(related[:3, :3])) > 0.8
assert float(sk.max(sk.abs(related[:3, 3:]))) < 0.5

# %%
# Left: the readings of the first thermometer, with the outliers at the top, and its cleaned
# values. Right: the matrix printed above.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), width_ratios=(2, 1))
left.plot(table[:, 0].to_numpy(), "r.", markersize=3, label="as read")
left.plot(filled[:, 0].to_numpy(), linewidth=1, label="cleaned")
left.set_xlabel("hour")
left.set_ylabel("degrees")
left.legend()
picture = right.imshow(related.to_numpy(), cmap="coolwarm", vmin=-1, vmax=1)
right.set_title("correlations")
figure.colorbar(picture, ax=right)
figure.savefig("missing_values.png")
