# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""PyTorch: matmul takes arrays on cpu and meta in one call."""

import torch

x = torch.ones((2, 2)) @ torch.ones((2, 2), device="meta")
print(f"deviates: cpu @ meta is on {x.device}")
