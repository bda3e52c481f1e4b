# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Checks the messages of the commits since the last tag, or of the last 50: `make lint` runs it.

A subject has at most 72 characters. A commit that changes sources has a body: why, and how it was checked.
"""

import re
import subprocess
import sys

MAX_SUBJECT = 72
MAX_COMMITS = 50
SOURCE = re.compile(r"\.(h|hpp|cpp|cu|cuh|inc|py|pyi|cmake)$|(^|/)(CMakeLists\.txt|Makefile)$")


def git(*arguments):
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True).stdout


def findings(subject, body, files):
    """Yields the problems of one commit.

    Parameters
    ----------
    subject, body : str
        Parts of its message.
    files : list of str
        Files that it changes.
    """
    if len(subject) > MAX_SUBJECT:
        yield f"the subject has {len(subject)} characters, more than {MAX_SUBJECT}"
    if not body.strip() and any(map(SOURCE.search, files)):
        yield "it changes sources and has no body: say why, and how it was checked"


def commits():
    """Yields (hash, subject, body, files) of the commits to check. A shallow clone may have fewer than MAX_COMMITS."""
    tag = subprocess.run(
        ["git", "describe", "--tags", "--abbrev=0"], capture_output=True, text=True
    )
    scope = [f"{tag.stdout.strip()}..HEAD"] if tag.returncode == 0 else [f"-{MAX_COMMITS}", "HEAD"]
    log = git("log", "--no-merges", "--name-only", "--format=%x01%h%x00%s%x00%b%x00", *scope)
    for entry in log.split("\x01")[1:]:
        commit, subject, body, files = entry.split("\x00")
        yield commit, subject, body, files.split()


def main():
    if subprocess.run(["git", "rev-parse"], capture_output=True).returncode:
        print("lint_commits: no git repository, nothing to check")
        return 0
    checked = list(commits())
    failures = [
        f"{commit} {subject}: {finding}"
        for commit, subject, body, files in checked
        for finding in findings(subject, body, files)
    ]
    print("\n".join(failures) or f"lint_commits: {len(checked)} commits")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
