# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``python -m skerry info|doctor|demo|sanitize``."""

from __future__ import annotations

import argparse
import sys

from skerry._emulator import emulator
from skerry.exceptions import DeviceUnavailableError


def sanitize(
    parser: argparse.ArgumentParser, command: argparse.ArgumentParser, arguments: list[str]
) -> int:
    """Run the ``sanitize`` command of skerry_emulator and return its exit status; 2 if the package is not installed."""
    try:
        emulator("sanitize")
    except DeviceUnavailableError as problem:
        print(problem, file=sys.stderr)
        return 2
    from skerry_emulator import _sanitize

    _sanitize.add_arguments(command)
    return _sanitize.main(parser.parse_args(arguments))


def main(arguments: list[str] | None = None) -> int:
    """Run a subcommand and return the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(
        prog="python -m skerry", description="Command-line tools of skerry"
    )
    parser.add_argument("--version", action="store_true", help="print the version of skerry")
    commands = parser.add_subparsers(dest="command")
    commands.add_parser("info", help="print versions, devices and the features of this build")
    commands.add_parser("doctor", help="explain why a GPU is or is not used")
    demo = commands.add_parser("demo", help="run k-means of handwritten digits on two devices")
    demo.add_argument(
        "--output", default="demo_output/centroids.png", help="path of the image of the centroids"
    )
    checked = commands.add_parser("sanitize", help="check a script's CUDA kernels on emulated GPUs")
    if arguments[:1] == ["sanitize"]:
        return sanitize(parser, checked, arguments)
    options = parser.parse_args(arguments)
    if options.version:
        import skerry

        print(f"skerry {skerry.__version__}")
        return 0
    if options.command is None:
        parser.print_help()
        return 0
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
