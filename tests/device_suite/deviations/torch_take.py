# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""PyTorch: index_select takes an index on another device where one of them is meta."""

import torch

x = torch.index_select(torch.ones(3), 0, torch.zeros(2, dtype=torch.int64, device="meta"))
print(f"deviates: cpu by an index on meta is on {x.device}")
