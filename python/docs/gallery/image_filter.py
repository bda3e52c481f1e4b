# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""
Image deblurring with FFT
=========================

A photograph is blurred by motion during the exposure: a convolution, which is a product of Fourier transforms. A Wiener
filter removes most of the blur. The three colours are transformed in one call.
"""

import matplotlib.pyplot as plt
import numpy as np
import skerry as sk
from sklearn.datasets import load_sample_image

LENGTH, NOISE = 15, 1e-3


def main() -> plt.Figure:
    """Blur and restore the image, and draw it."""
    device = sk.devices("cuda")[0]
    photograph = load_sample_image("flower.jpg")[40:360, 150:470]
    image = sk.astype(sk.asarray(photograph, device="cpu").to_device(device), sk.float32) / 255.0
    exposure = sk.zeros(image.shape[:2], dtype=sk.float32, device=device)
    exposure[0, :LENGTH] = 1.0 / LENGTH

    transfer = sk.fft.rfftn(exposure)[:, :, None]
    transform = lambda x: sk.fft.rfftn(x, axes=(0, 1))  # noqa: E731
    back = lambda x: sk.fft.irfftn(x, s=image.shape[:2], axes=(0, 1))  # noqa: E731
    blurred = back(transform(image) * transfer)
    wiener = sk.conj(transfer) / (sk.real(transfer * sk.conj(transfer)) + NOISE)
    restored = back(transform(blurred) * wiener)

    rolled = sum(np.roll(photograph / 255.0, shift, axis=1) for shift in range(LENGTH)) / LENGTH
    assert np.allclose(np.asarray(blurred.to_device("cpu")), rolled, atol=1e-5)
    distance = lambda x: float(sk.mean((x - image) ** 2))  # noqa: E731
    assert distance(restored) < distance(blurred) / 4

    figure, axes = plt.subplots(1, 3, figsize=(9, 3.3))
    for panel, title, x in zip(
        axes, ("as taken", "blurred", "restored"), (image, blurred, restored), strict=True
    ):
        panel.imshow(np.asarray(sk.clip(x, 0.0, 1.0).to_device("cpu")))
        panel.set_title(title)
        panel.axis("off")
    return figure


if __name__ == "__main__":
    main().savefig("image_filter.png")
