# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Write random bits of skerry.random endlessly, as input of statistical test suites.

python tests/fuzz/random_bits.py | RNG_test stdin -tlmax 1TB                  PractRand
python tests/fuzz/random_bits.py | dieharder -g 200 -a                        dieharder
python tests/fuzz/random_bits.py --streams 1000 | dieharder -g 200 -a         a block of each of 1000 children
python tests/fuzz/random_bits.py --device cuda:0 --seed 7 | RNG_test stdin
"""

from __future__ import annotations

import argparse
import contextlib
import sys

import numpy as np
import skerry as sk


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cpu:0")
    parser.add_argument(
        "--streams", type=int, default=1, help="number of spawned generators, interleaved"
    )
    options = parser.parse_args()
    children = sk.random.default_rng(options.seed, options.device).spawn(options.streams)
    with contextlib.suppress(BrokenPipeError):
        while options.streams == 1:
            sys.stdout.buffer.write(children[0].bytes(1 << 20))
        while True:
            parts = [np.frombuffer(child.bytes(1 << 12), dtype=np.uint8) for child in children]
            # Interleave blocks of 16 bytes.
            turns = np.stack([part.reshape(-1, 16) for part in parts], axis=1)
            sys.stdout.buffer.write(turns.tobytes())


if __name__ == "__main__":
    main()
