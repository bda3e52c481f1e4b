# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""PyTorch through array-api-compat: cpu and meta, whose arrays have no elements."""

import array_api_compat
import array_api_compat.torch
import torch

namespace = array_api_compat.torch
version = torch.__version__
device = torch.device
device_of = array_api_compat.device
to_device = array_api_compat.to_device
device_context = torch.device
set_default_device = torch.set_default_device


def devices():
    return [torch.device("cpu"), torch.device("meta")]
