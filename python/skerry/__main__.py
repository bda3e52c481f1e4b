# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``python -m skerry info|doctor|demo|sanitize``."""

from __future__ import annotations

import argparse
import sys

from skerry._sanitize import add_arguments
from skerry._sanitize import main as sanitize


def main(arguments: list[str] | None = None) -> int:
    """Run a subcommand; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m skerry", description="skerry, from the shell")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("info", help="versions, devices and what this build can do")
    commands.add_parser("doctor", help="why a GPU is or is not used, in plain words")
    demo = commands.add_parser("demo", help="k-means of handwritten digits over two devices")
    demo.add_argument(
        "--output", default="demo_output/centroids.png", help="where to draw the centroids"
    )
    checked = commands.add_parser(
        "sanitize", help="what is wrong with a script's CUDA kernels, on emulated GPUs"
    )
    add_arguments(checked)
    options = parser.parse_args(arguments)
    if options.command == "sanitize":
        return sanitize(options)
    if options.command == "info":
        import skerry

        skerry.show_config()
        return 0
    if options.command == "doctor":
        from skerry.doctor import main as doctor

        return doctor()
    from skerry.demo import main as run_demo

    return run_demo(options.output)


if __name__ == "__main__":
    sys.exit(main())
