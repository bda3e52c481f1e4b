# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Philox 4x32-10 from its paper, in Python ints, and how skerry.random uses its words."""

MASK = 0xFFFFFFFF


def philox(key, counter):
    """Returns four words for a key of two words and a counter of four."""
    k0, k1 = key
    c0, c1, c2, c3 = counter
    for _ in range(10):
        left, right = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (right >> 32) ^ c1 ^ k0, right & MASK, (left >> 32) ^ c3 ^ k1, left & MASK
        k0, k1 = (k0 + 0x9E3779B9) & MASK, (k1 + 0xBB67AE85) & MASK
    return c0, c1, c2, c3


def words(state, blocks, attempt=0):
    """Returns the words of the next blocks of a generator in the given state."""
    key = state["key"] & MASK, state["key"] >> 32
    result = []
    for position in range(state["position"], state["position"] + blocks):
        position %= 1 << 64
        result += philox(key, (position & MASK, position >> 32, attempt, state["nonce"]))
    return result


def halves(state, blocks, attempt=0):
    """Returns the words of the next blocks, joined in pairs to 64-bit words."""
    parts = words(state, blocks, attempt)
    return [low | high << 32 for low, high in zip(parts[::2], parts[1::2], strict=True)]
