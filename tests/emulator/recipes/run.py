# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``make recipes``: run the workflows that the documentation prints for GitHub Actions, each in a new environment.

    make recipes
    make recipes RECIPES_OPTIONS="cupy"                                   those whose names contain a word
    make recipes RECIPES_OPTIONS="--wheels dist --python /usr/bin/python3.13"     with the wheels of `make wheels`

A workflow's commands run as printed, in a project with the files that its page prints, with an interpreter that has no
packages, an empty home and none of the variables set here. The folder `wheels` has skerry's wheels: those of --wheels,
or wheels of the installed packages. Where the interpreter's version is not the workflow's, cp313 in the names of wheels
is replaced by that of the interpreter; nothing else is. pip takes all other packages from PyPI.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3]))
from tests.emulator.recipes.installed_wheels import wheel_of_installed
from tests.emulator.recipes.recipe import Recipe, recipes

# What reaches the package index on machines with a proxy or a mirror.
NETWORK = ("PIP_", "SSL_", "REQUESTS_", "HTTP", "http", "no_proxy", "NO_PROXY", "LANG", "TMPDIR")
PACKAGES = ("skerry", "skerry-emulator")


def version_tag(python: str) -> str:
    code = "import sys; print('cp%d%d' % sys.version_info[:2])"
    return subprocess.run(
        [python, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()


def step_environment(home: pathlib.Path) -> dict[str, str]:
    """Return the variables of a step: a virtual environment first on PATH, and what reaches the package index."""
    network = {name: text for name, text in os.environ.items() if name.startswith(NETWORK)}
    path = os.pathsep.join([str(home / "venv" / "bin"), "/usr/bin", "/bin"])
    return {**network, "PATH": path, "HOME": str(home), "CI": "true", "GITHUB_ACTIONS": "true"}


def run_recipe(recipe: Recipe, wheels: pathlib.Path, python: str) -> bool:
    """Run the commands of a workflow, and print each with its time; return whether all succeed."""
    printed_tag = f"cp{recipe.python().replace('.', '')}"
    with tempfile.TemporaryDirectory(prefix="recipe_") as folder:
        home = pathlib.Path(folder)
        project = home / "project"
        recipe.write(project)
        shutil.copytree(wheels, project / "wheels")
        subprocess.run([python, "-m", "venv", str(home / "venv")], check=True)
        for printed in recipe.commands():
            command = printed.replace(printed_tag, version_tag(python))
            begin = time.perf_counter()
            done = subprocess.run(
                # As GitHub runs a step.
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", command],
                env=step_environment(home),
                cwd=project,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            print(f"  {time.perf_counter() - begin:5.0f} s  {command}", flush=True)
            if done.returncode != 0:
                print(f"{done.stdout[-6000:]}\nexit status {done.returncode}")
                return False
            print(*(f"           {line}" for line in done.stdout.splitlines()[-2:]), sep="\n")
    return True


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("words", nargs="*", help="parts of the names of workflows to run (all)")
    parser.add_argument("--wheels", type=pathlib.Path, help="folder of the wheels to install")
    parser.add_argument("--python", default=sys.executable, help="interpreter of the environments")
    return parser.parse_args()


def main() -> int:
    options = parse()
    chosen = [
        recipe
        for recipe in recipes()
        if not options.words or any(word in recipe.workflow for word in options.words)
    ]
    failed = []
    with tempfile.TemporaryDirectory(prefix="wheels_") as folder:
        wheels = options.wheels or pathlib.Path(folder)
        for name in () if options.wheels else PACKAGES:
            wheel_of_installed(name, wheels)
        for recipe in chosen:
            print(f"{recipe.page}: {recipe.workflow}", flush=True)
            if not run_recipe(recipe, wheels, options.python):
                failed.append(recipe.workflow)
    print(f"{len(chosen)} workflows, failed: {', '.join(failed) or 'none'}")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
