# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""
Image deblurring with FFT
=========================

A photograph is blurred by motion during the exposure. Blur is a convolution, which is a product of
Fourier transforms, so a *Wiener filter*, another product, removes most of it.
"""

import matplotlib.pyplot as plt
import numpy as np
import skerry as sk
from sklearn.datasets import load_sample_image

LENGTH, NOISE = 15, 1e-3

# %%
# The image on the device
# -----------------------
#
# The image comes from the host as 8-bit integers. It is moved in this form, a quarter of the bytes
# of ``float32``, and converted on the device.

device = sk.devices("cuda")[0]
photograph = load_sample_image("flower.jpg")[40:360, 150:470]
image = sk.asarray(photograph, device=device).astype(sk.float32) / 255.0
print(image.shape, image.dtype, image.device)

# %%
# Blur
# ----
#
# During the exposure the camera moves by 15 pixels: each pixel is the mean of 15 neighbours. The
# three colours are transformed by one call, over the axes 0 and 1.

exposure = sk.zeros(image.shape[:2], dtype=sk.float32, device=device)
exposure[0, :LENGTH] = 1.0 / LENGTH
transfer = sk.fft.rfftn(exposure)[:, :, None]


def transform(x: sk.Array) -> sk.Array:
    """Return the transforms of the colours."""
    return sk.fft.rfftn(x, axes=(0, 1))


def inverse(x: sk.Array) -> sk.Array:
    """Return the image of a transform."""
    return sk.fft.irfftn(x, s=image.shape[:2], axes=(0, 1))


blurred = inverse(transform(image) * transfer)

rolled = sum(np.roll(photograph / 255.0, shift, axis=1) for shift in range(LENGTH)) / LENGTH
assert np.allclose(blurred.to_numpy(), rolled, atol=1e-5), "not the mean of neighbours"

# %%
# Restore
# -------
#
# A division by the transfer function would undo the blur, but where the function is almost zero it
# would blow up rounding errors. The filter limits the division by the expected noise.

wiener = sk.conj(transfer) / (sk.real(transfer * sk.conj(transfer)) + NOISE)
restored = inverse(transform(blurred) * wiener)


def error(x: sk.Array) -> float:
    """Return the mean squared difference from the photograph."""
    return float(sk.mean((x - image) ** 2))


print(f"mean squared error: blurred {error(blurred):.5f}, restored {error(restored):.5f}")
assert error(restored) < error(blurred) / 4

# %%
# matplotlib draws arrays of the host: ``to_numpy`` copies them.

figure, panels = plt.subplots(1, 3, figsize=(9, 3.3))
pictures = {"as taken": image, "blurred": blurred, "restored": restored}
for panel, (title, x) in zip(panels, pictures.items(), strict=True):
    panel.imshow(sk.clip(x, 0.0, 1.0).to_numpy())
    panel.set_title(title)
    panel.axis("off")
figure.savefig("image_filter.png")
