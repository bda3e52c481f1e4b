# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The surface of the array API standard 2025.12, read from array_api_2025_12.json."""

import dataclasses
import functools
import inspect
import json
import pathlib

PAGES = "https://data-apis.org/array-api/2025.12"
SURFACE = json.loads(pathlib.Path(__file__).with_name("array_api_2025_12.json").read_text())
#: Functions that return no array, and result_type, whose operands may be on different devices.
WITHOUT_ARRAYS = {
    "broadcast_shapes",
    "can_cast",
    "finfo",
    "iinfo",
    "isdtype",
    "result_type",
}
#: Unlike the other functions with `device=`, these take an array, and move or convert it.
CONVERSIONS = {"asarray", "from_dlpack", "astype"}
DTYPES = {row["name"]: row["kind"] for row in SURFACE["dtypes"]}


@dataclasses.dataclass(frozen=True)
class Function:
    """A function of the standard; ``extension`` is empty for those of the main namespace."""

    name: str
    extension: str
    group: str
    signature: inspect.Signature

    def __str__(self) -> str:
        return f"{self.extension}.{self.name}" if self.extension else self.name

    @property
    def link(self) -> str:
        path = (
            f"extensions/generated/array_api.{self}"
            if self.extension
            else f"API_specification/generated/array_api.{self}"
        )
        return f"{PAGES}/{path}.html"

    @property
    def has_device(self) -> bool:
        return "device" in self.signature.parameters


def read_signature(text: str) -> inspect.Signature:
    scope: dict[str, object] = {}
    exec(f"def function{text}: ...", scope)
    return inspect.signature(scope["function"])


@functools.cache
def functions() -> tuple[Function, ...]:
    """Return all functions of the main namespace and of both extensions."""
    groups = [("", name, rows) for name, rows in SURFACE["main"].items()]
    groups += [(name, name, SURFACE[name]) for name in ("linalg", "fft")]
    return tuple(
        Function(row["name"], extension, group, read_signature(row["signature"]))
        for extension, group, rows in groups
        for row in rows
        if "signature" in row and row["name"] != "__array_namespace_info__"
    )


def creation_functions() -> list[Function]:
    return [f for f in functions() if f.has_device and f.name not in CONVERSIONS]


def array_functions() -> list[Function]:
    """Return the functions that take arrays and return arrays."""
    return [
        f
        for f in functions()
        if f.name not in WITHOUT_ARRAYS | CONVERSIONS
        and (not f.has_device or "x" in f.signature.parameters)
    ]
