# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Includes follow python -> ops -> device -> core, with a separate emulated GPU; CUDA and CUB are confined to folders."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
#: What each layer may include besides itself: other layers, or single files of them.
LAYERS = {
    "core": "",
    "device": "core device/rehearsal",
    "ops": "core device",
    "python": "core device ops device/rehearsal/rehearse.hpp",
    # These are also built without the rest of skerry.
    "device/rehearsal": (
        "device/cuda/api.hpp device/environment.hpp device/guard/uninitialized_bytes.hpp device/page_size.hpp"
    ),
    "device/emulator": (
        "core/config.hpp device/rehearsal device/cuda/api.h device/cuda/api.hpp device/environment.hpp device/page_size.hpp"
    ),
    # Functions for CuPy's modules, which are written in Cython.
    "device/emulator/cupy": "device/emulator",
    # Reductions between ranks round as the core does.
    "device/emulator/nccl": (
        "core/bfloat16.hpp core/float16.hpp device/emulator device/environment.hpp device/rehearsal/processes.hpp"
    ),
    # The emulation of CUDA's libraries uses the CPU kernels.
    "device/emulator/libraries": "core ops device/emulator device/memory.hpp",
}
FOLDERS = {"core", "device", "ops", "python", "tests", "bench"}
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.MULTILINE)


def layer_of(name):
    """Return the innermost layer of a file, or its top folder."""
    inside = [layer for layer in LAYERS if name.startswith(f"{layer}/")]
    return max(inside, key=len, default=name.split("/")[0])


def sources(layer):
    files = [
        path
        for ending in ("h", "hpp", "cpp", "cu", "cuh")
        for path in (ROOT / layer).rglob(f"*.{ending}")
        if layer_of(path.relative_to(ROOT).as_posix()) == layer
    ]
    assert files, f"no sources under {layer}"
    return files


def includes(path):
    return [name for _, name in INCLUDE.findall(path.read_text())]


def is_of_cuda(path):
    """Whether a file belongs to the CUDA side."""
    folders = [ROOT / "device" / name for name in ("cuda", "rehearsal", "emulator")]
    folders += (ROOT / "ops").glob("*/cuda")
    return any(path.is_relative_to(folder) for folder in folders)


@pytest.mark.parametrize("layer", LAYERS)
def test_layer_includes_only_allowed_layers(layer):
    allowed = {layer, *LAYERS[layer].split()}
    offending = [
        f"{path.relative_to(ROOT)} includes {name}"
        for path in sources(layer)
        for name in includes(path)
        if name.split("/")[0] in FOLDERS and not {name, layer_of(name)} & allowed
    ]
    assert not offending


def test_only_the_front_of_device_includes_the_cuda_side():
    """CPU devices, operations, bindings and the rest of device are independent of CUDA: they use the backend table."""
    front = [ROOT / "device" / f"{name}.cpp" for name in ("backend", "diagnostics", "memory")]
    offending = [
        f"{path.relative_to(ROOT)} includes {name}"
        for layer in LAYERS
        for path in sources(layer)
        if path not in front and not is_of_cuda(path)
        for name in includes(path)
        if name.startswith("device/cuda/")
    ]
    assert all('"device/cuda/' in path.read_text() for path in front)
    assert not offending


def test_cuda_headers_are_included_only_by_the_cuda_module():
    allowed = (
        ROOT / "device/cuda/native",
        ROOT / "device/emulator/cuda_module/abi_check.cpp",
        ROOT / "device/emulator/cuda_module/driver_abi_check.cpp",
        *(ROOT / "ops").glob("*/cuda"),
    )
    offending = [
        f"{path.relative_to(ROOT)} includes {name}"
        for layer in LAYERS
        for path in sources(layer)
        if not any(path.is_relative_to(folder) for folder in allowed)
        for name in includes(path)
        if re.match(r"(cuda|cub/|thrust/|cublas|cufft|cusolver|nvrtc)", name)
        and "/" not in name[:4]
    ]
    assert not offending


def test_python_headers_are_included_only_by_the_bindings():
    offending = [
        f"{path.relative_to(ROOT)} includes {name}"
        for layer in LAYERS.keys() - {"python", "device/emulator/cupy"}
        for path in sources(layer)
        for name in includes(path)
        if name.startswith(("Python.h", "pybind11"))
    ]
    assert not offending


def test_device_names_no_dtype():
    offending = [
        str(path.relative_to(ROOT))
        for path in sources("device")
        if any(
            name in ("core/dtype.hpp", "core/layout.hpp", "core/ndarray.hpp", "core/plan.hpp")
            for name in includes(path)
        )
    ]
    assert not offending


def test_core_names_no_storage_attachments_of_layers_above():
    """Stream uses, page locks, Python's garbage collection and recordings are attached by one opaque pointer."""
    words = re.compile(
        r"StreamUses|pinned|page.?lock|collector|\bGIL\b|pending|FusedParams", re.IGNORECASE
    )
    offending = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in sources("core")
        for line in path.read_text().splitlines()
        if words.search(line)
    ]
    assert not offending


def test_only_backends_name_kinds_of_devices():
    """core, ops and python query capabilities, or whether a device is the host, and name no vendor's kind."""
    named = re.compile(r"\bDeviceKind::|\bcuda_kind\b")
    allowed = ROOT / "core/device.hpp"
    offending = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for layer in ("core", "ops", "python")
        for path in sources(layer)
        if path != allowed
        for line in path.read_text().splitlines()
        if named.search(line) or (layer == "ops" and "is_rehearsing" in line)
    ]
    assert not offending
    assert set(re.findall(r"DeviceKind::\w+", allowed.read_text())) == {"DeviceKind::cpu"}


# Front ends that still branch on the device, with the reason.
DEVICE_QUESTIONS = {
    "ops/fuse/recording.cpp": "may an array be changed in place",
    "ops/linear/matrices.cpp": "does a look at values wait for work",
    "ops/select/selection.hpp": "is x[index] too small for the general way",
}


def test_front_ends_do_not_branch_on_the_device():
    """Requirements of a kernel are in its row (ops/call/kernel.hpp); ops/call chooses where it runs."""
    question = re.compile(r"\b(?:is_host|runs_on_host|capabilities_of|index_limit)\(")
    front_ends = {
        path.relative_to(ROOT).as_posix(): len(question.findall(path.read_text()))
        for path in sources("ops")
        if path.parent.name not in ("call", "cpu", "cuda") and path.parent.parent.parent == ROOT
    }
    assert len(front_ends) > 100
    assert {name: n for name, n in front_ends.items() if n} == dict.fromkeys(DEVICE_QUESTIONS, 1)


def test_no_function_has_a_parameter_for_the_operation_name():
    """The bindings set it once for a call (core/operation.hpp), and errors contain it."""
    parameter = re.compile(r"\bconst char\* ?op\b")
    offending = [
        path.relative_to(ROOT).as_posix()
        for layer in ("core", "device", "ops", "python")
        for path in sources(layer)
        if parameter.search(path.read_text())
    ]
    assert not offending


@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("vector_x86.hpp", r"\b(?:_mm\d*_\w+|__m(?:128|256|512|mask)\w*)\b|<\w*mmintrin\.h>"),
        (
            "vector_arm.hpp",
            r"\bv[a-z]+[a-z0-9_]*_[fsu](?:8|16|32|64)\(|\b\w+x\d+_t\b|<arm_neon\.h>",
        ),
    ],
)
def test_only_one_file_uses_intrinsics_of_a_processor(file, names):
    """A port to another architecture has to provide the contents of this file."""
    names = re.compile(names)
    paths = {
        path.relative_to(ROOT).as_posix()
        for layer in LAYERS
        for path in sources(layer)
        if names.search(path.read_text())
    }
    assert paths == {f"ops/kernel/cpu/{file}"}


# Families of operations: ops/<family>/ has the front ends, kernels.hpp the kernels' parameters, cpu/ and cuda/ the
# kernels. Besides core, device and its own folder, each family may include:
FAMILIES = {
    "math": "",
    "call": "",
    "kernel": "math",
    "fuse": "call math kernel",
    "move": "call math kernel fuse",
    "elementwise": "call math kernel move fuse",
    "reduce": "call math kernel move fuse",
    "create": "call math kernel move elementwise",
    "random": "call math kernel move",
    "scan": "call math kernel move elementwise reduce",
    "select": "call math kernel move elementwise create",
    "sort": "call math kernel move elementwise create",
    "fourier": "call math kernel move elementwise create",
    "bins": "call math kernel move elementwise create reduce",
    "linear": "call math kernel move elementwise create reduce",
    "table": " every family's kernels.hpp",
}


# The interface between front ends and kernels, and tuning constants that both use on a CPU.
CONTRACT = (
    "ops/call/block_elements.hpp",
    "ops/call/kernel.hpp",
    "ops/call/row_range.hpp",
    "ops/kernel/cpu/tuning.hpp",
)


def side(name):
    """Return cpu or cuda for a path in ops, else None."""
    return next((part for part in name.split("/")[2:-1] if part in ("cpu", "cuda")), None)


def is_front_end(name):
    """Whether a header has a source file of the same name and is not in cpu/ or cuda/."""
    return (ROOT / name).with_suffix(".cpp").exists() and not side(name)


def may_include(path, name):
    """Whether a source of ops may include a header of ops."""
    if name in CONTRACT:
        return True
    here, included_family = path.split("/")[1], name.split("/")[1]
    if here == included_family:
        if here == "table" or side(path) == side(name):
            return True
        return side(path) and not side(name) and not is_front_end(name)
    if here == "table":
        return name.endswith("kernels.hpp") and not side(name)
    if included_family not in FAMILIES[here].split():
        return False
    if side(path) is None:
        return included_family != "kernel" and side(name) is None
    if included_family == "kernel":
        return side(name) in (side(path), None)
    return included_family == "math" or (here, name) == ("scan", "ops/reduce/reductions.hpp")


def test_families_include_only_families_below_and_kernels_no_front_ends():
    violations = {
        (path, name)
        for source in sources("ops")
        for path in [source.relative_to(ROOT).as_posix()]
        for name in includes(source)
        if name.startswith("ops/") and not may_include(path, name)
    }
    assert sorted(violations) == []


def test_every_folder_of_ops_is_a_family():
    folders = {path.name for path in (ROOT / "ops").iterdir() if path.is_dir()}
    assert folders == set(FAMILIES)
    assert [path.name for path in (ROOT / "ops").glob("*.[ch]pp")] == []


def test_every_family_with_kernels_has_benchmarks():
    """Fused functions have no C++ call: bench/peers/chains.py measures them."""
    families = {name for name in FAMILIES if (ROOT / "ops" / name / "cpu").is_dir()}
    sources = {path.stem for path in (ROOT / "bench" / "kernels").glob("*.cpp")}
    assert sources - {"benchmarks"} == families - {"kernel", "table", "fuse"}


def test_skerry_is_imported_without_the_emulators_package():
    """The package is optional, so only functions may import it."""
    statement = re.compile(r"^(?:from|import) skerry_emulator\b", re.MULTILINE)
    paths = list((ROOT / "python" / "skerry").rglob("*.py"))
    assert len(paths) > 30
    assert [path.name for path in paths if statement.search(path.read_text())] == []


def test_kinds_of_dtypes_are_asked_of_one_function():
    """``dtype.kind`` is "V" for bfloat16, and ``numpy.finfo`` rejects it."""
    numpys = re.compile(r"dtype(?:\(\w*\))?\.kind\b|\bnp\.finfo\((?!np\.)")
    offending = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "python/skerry").rglob("*.py")
        if path.name != "_data_types.py" and numpys.search(path.read_text())
    ]
    assert not offending
