# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""PyTorch: a 0-d array on the CPU counts as a number, on any device."""

import torch

x = torch.ones(3, device="meta") + torch.ones(())
print(f"deviates: meta + cpu is on {x.device}")
