# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""PyTorch: an in-place operator takes an array of another device where one of them is meta."""

import torch

x = torch.ones(3, device="meta")
x += torch.ones(3)
print(f"deviates: {x.device} += cpu")
