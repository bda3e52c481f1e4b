# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The bits: published test vectors, and how samples are computed from them."""

import copy
import pickle

import numpy as np
import pytest
import skerry as sk
from skerry.random import Generator, Philox, default_rng
from skerry.testing import instruments

from tests.python.random.philox_model import halves, philox, words

# kat_vectors of Random123: counter, key, result.
KNOWN = [
    ((0, 0, 0, 0), (0, 0), "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        "d16cfe09 94fdcceb 5001e420 24126ea1",
    ),
]


def joined(low, high):
    return low | high << 32


@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN)
def test_philox_equals_published_vectors(device, counter, key, answer):
    stream = joined(*key), joined(*counter[:2]), joined(*counter[2:])
    out = sk.empty((4,), dtype=sk.uint32, device=device)
    instruments.draw(out, "bits", stream)
    assert " ".join(f"{word:08x}" for word in out.tolist()) == answer
    assert philox(key, counter) == tuple(out.tolist())


def test_bytes_are_the_philox_words():
    rng = default_rng(1)
    want = np.asarray(words(rng.bit_generator.state, 70_000), dtype="<u4").tobytes()[:-3]
    assert rng.bytes(len(want)) == want


def test_position_wraps_around():
    rng = default_rng(1)
    rng.bit_generator.state = rng.bit_generator.state | {"position": 2**64 - 3}
    want = halves(rng.bit_generator.state, 5)
    got = rng.integers(0, 2**64 - 1, 10, dtype=sk.uint64, endpoint=True)
    assert got.tolist() == want
    assert rng.bit_generator.state["position"] == 2


def test_uniform_samples_are_the_upper_bits():
    rng = default_rng(2)
    want = [(word >> 11) * 2.0**-53 for word in halves(rng.bit_generator.state, 50)]
    assert rng.random(100).tolist() == want
    want = [(word >> 8) * 2.0**-24 for word in words(rng.bit_generator.state, 25)]
    assert rng.random(100, dtype=sk.float32).tolist() == want


def test_normal_samples_use_box_muller():
    rng = default_rng(3)
    bits = np.asarray(halves(rng.bit_generator.state, 2000), dtype=np.uint64)
    radius = np.sqrt(-2 * np.log((bits[::2].astype(np.longdouble) + 0.5) / 2**64))
    angle = bits[1::2].astype(np.longdouble) * (np.longdouble(2) * np.pi / 2**64)
    got = np.asarray(rng.standard_normal(4000)).reshape(-1, 2)
    assert np.max(np.abs(got[:, 0] - radius * np.cos(angle))) < 2e-14
    assert np.max(np.abs(got[:, 1] - radius * np.sin(angle))) < 2e-14


@pytest.mark.parametrize(
    ("count", "dtype"),
    [(3, "int8"), (2**31 + 1, "int64"), (2**63 + 1, "uint64"), (3 * 2**61, "uint64")],
)
def test_bounded_integers_use_lemire_rejection(count, dtype):
    """Rejected words are redrawn from the same position of the block's next attempts."""
    rng = default_rng(4)
    state = rng.bit_generator.state
    draw_words, bits = (words, 32) if count <= 2**32 else (halves, 64)
    size = 400
    per_block = 128 // bits
    attempts = [draw_words(state, size // per_block, attempt) for attempt in range(20)]
    refused = 2**bits % count
    want = []
    for i in range(size):
        products = [words[i] * count for words in attempts]
        want.append(next(p >> bits for p in products if p % 2**bits >= refused))
    assert rng.integers(0, count, size, dtype=dtype).tolist() == want


def test_samples_do_not_depend_on_how_calls_are_split():
    """Each call begins at a block; calls of whole blocks continue where the last one ended."""
    whole = default_rng(5).random(1000).tolist()
    rng = default_rng(5)
    assert rng.random(600).tolist() + rng.random(400).tolist() == whole


def test_state_can_be_saved_and_restored():
    rng = default_rng(6)
    rng.random(10)
    state = rng.bit_generator.state
    want = rng.integers(1000, size=20).tolist()
    rng.bit_generator.state = state
    assert rng.integers(1000, size=20).tolist() == want
    for bad, error in [
        ({}, ValueError),
        (state | {"key": -1}, ValueError),
        (state | {"position": 2**64}, ValueError),
        (3, TypeError),
    ]:
        with pytest.raises(error, match="state"):
            rng.bit_generator.state = bad


@pytest.mark.parametrize(
    "make_copy", [copy.copy, copy.deepcopy, lambda rng: pickle.loads(pickle.dumps(rng))]
)
def test_copies_of_generators_continue_alike(device, make_copy):
    rng = default_rng(7, device)
    rng.random(3)
    other = make_copy(rng)
    assert other.device == rng.device
    assert other.random(5).tolist() == rng.random(5).tolist()
    assert other.spawn(1)[0].random().tolist() == rng.spawn(1)[0].random().tolist()


def test_seeds_use_numpy_seed_sequence():
    sequence = np.random.SeedSequence([1, 2])
    key = sequence.generate_state(3).tolist()
    state = default_rng([1, 2]).bit_generator.state
    assert state["key"] == joined(*key[:2])
    assert state["nonce"] == key[2]
    assert default_rng(sequence).bit_generator.state == state
    assert default_rng().bit_generator.state != default_rng().bit_generator.state
    with pytest.raises(ValueError, match=r"^default_rng: seed must not be negative: -"):
        default_rng(-1)


def test_default_rng_takes_generators_and_streams():
    bits = Philox(1)
    rng = Generator(bits)
    assert default_rng(rng) is rng
    assert default_rng(bits).bit_generator is bits
    with pytest.raises(ValueError, match="generator is on cpu:0, not cuda:1"):
        default_rng(rng, "cuda:1")
    with pytest.raises(TypeError, match="must be a Philox"):
        Generator(np.random.default_rng(1))


def test_spawned_generators_are_independent():
    parent = default_rng(8)
    children = [*parent.spawn(3), *parent.spawn(2)]
    states = [generator.bit_generator.state for generator in [parent, *children]]
    assert len({(state["key"], state["nonce"]) for state in states}) == 6
    drawn = np.asarray([np.asarray(child.standard_normal(20_000)) for child in children])
    assert np.max(np.abs(np.corrcoef(drawn) - np.eye(5))) < 5 / np.sqrt(20_000)
    new_children = default_rng(8).spawn(5)
    assert [generator.bit_generator.state for generator in new_children] == states[1:]


def test_repr_shows_seed_and_device():
    assert repr(default_rng(3, "cuda:1")) == "Generator(Philox(3), device='cuda:1')"
    assert "spawn_key=(0,)" in repr(default_rng(3).spawn(1)[0])
