# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The workflows of GitHub Actions in the documentation, with the files that their pages print."""

from __future__ import annotations

import dataclasses
import pathlib
import re
import textwrap
from typing import Any

import yaml

DOCS = pathlib.Path(__file__).resolve().parents[3] / "python" / "docs"
FILE = re.compile(r"^\.\. code-block:: \w+\n   :caption: (\S+)\n\n((?:   .*\n|\n)+)", re.MULTILINE)
FOLDER = ".github/workflows/"
# What actions prepare, run.py does: the printed files, the interpreter. It keeps no cache.
ACTIONS = ("actions/checkout", "actions/setup-python", "actions/cache")


@dataclasses.dataclass(frozen=True)
class Recipe:
    """A workflow. `files` are all of its page, by their names in a user's repository."""

    page: str
    workflow: str
    files: dict[str, str]

    def steps(self) -> list[dict[str, Any]]:
        (job,) = yaml.safe_load(self.files[self.workflow])["jobs"].values()
        return job["steps"]

    def python(self) -> str:
        """Return the version of Python that the workflow sets up."""
        (version,) = (
            step["with"]["python-version"]
            for step in self.steps()
            if "python" in step.get("uses", "")
        )
        return version

    def commands(self) -> list[str]:
        """Return the commands of the steps; raise ValueError for a step that run.py cannot do."""
        commands = []
        for step in self.steps():
            action = step.get("uses", "").partition("@")[0]
            unknown = set(step) - {"run"} if "run" in step else {action} - set(ACTIONS)
            if unknown:
                raise ValueError(f"{self.page}: {self.workflow}: unknown in a step: {unknown}")
            commands += [step["run"]] if "run" in step else []
        return commands

    def write(self, project: pathlib.Path) -> None:
        for name, text in self.files.items():
            path = project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


def printed_files(page: str) -> dict[str, str]:
    """Return the code blocks of a page whose captions are names of files."""
    text = (DOCS / page).read_text()
    return {name: textwrap.dedent(block) for name, block in FILE.findall(text)}


def recipes() -> list[Recipe]:
    """Return the workflows of all pages."""
    return [
        Recipe(page.name, name, files)
        for page in sorted(DOCS.glob("*.rst"))
        for files in [printed_files(page.name)]
        for name in files
        if name.startswith(FOLDER)
    ]
