# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Reports name skerry's array that is nearest to the address, and quote the source line; in new processes."""

import linecache

import pytest
from skerry_emulator._reports import KernelReport

from tests.emulator.users_kernels.test_users_kernels import REDIRECT, child
from tests.python.libraries import installed, numba_cuda_installed

START = r'''
import sys
import skerry as sk
sk.rehearse(cuda=2, kernels=True)
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

SOURCE = """
extern "C" __global__ void shifted(const float* x, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = x[i + 1];
}
"""

def data(x):
    return x.__cuda_array_interface__["data"][0]

def start(x, out, form="cubin", **options):
    """Launch `shifted` for an array or an address on cuda:0, after all work; does not wait for it."""
    sk.synchronize()
    device = Device(0)
    device.set_current()
    program = Program(SOURCE, "c++", ProgramOptions(arch="sm_80", **options)).compile(form)
    address = x if isinstance(x, int) else data(x)
    config = LaunchConfig(grid=1, block=out.size)
    launch(device.default_stream, config, program.get_kernel("shifted"), address, data(out))
    return program

def fault(*arguments, **options):
    program = start(*arguments, **options)
    try:
        Device(0).sync()
    except Exception as problem:
        assert "illegal" in str(problem).lower(), problem
    else:
        raise SystemExit("no error")

x = sk.arange(64, dtype=sk.float32, device="cuda:0")
out = sk.empty_like(x)
'''


def said(body):
    installed("cuda.core")
    done = child(START + body)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stderr


@pytest.mark.parametrize("form", ["cubin", "ptx"])
@pytest.mark.parametrize("name", ["", ', name="solver.cu"', ', name="/nowhere/solver.cu"'])
def test_a_report_quotes_a_program_compiled_from_a_string(form, name):
    text = said(f'fault(x, out, form="{form}", lineinfo=True{name})')
    file = "solver.cu" if name else ".cu"
    assert f"{file}:4: out[i] = x[i + 1];\n" in text, text
    assert "\n  array: float32 (64,): 0 bytes past its end\n" in text


def test_a_report_without_line_information_says_how_to_get_it():
    text = said("fault(x, out)")
    assert "no source line: compile with line information: @cuda.jit(lineinfo=True)" in text
    assert "x[i + 1]" not in text
    assert "\n  array: float32 (64,): 0 bytes past its end\n" in text


def test_ptx_with_line_information_ends_with_the_program():
    """The PTX that a program reads has the size that NVRTC says, and ends with a zero."""
    said("""
from cuda.bindings import nvrtc
def ptx(*options):
    _, program = nvrtc.nvrtcCreateProgram(SOURCE.encode(), b"k.cu", 0, [], [])
    assert nvrtc.nvrtcCompileProgram(program, len(options), list(options)) == (nvrtc.nvrtcResult.NVRTC_SUCCESS,)
    _, size = nvrtc.nvrtcGetPTXSize(program)
    text = b"?" * size
    nvrtc.nvrtcGetPTX(program, text)
    assert text.endswith(b"\\n\\0") and text.count(b"\\0") == 1, text[-30:]
    return text
plain, numbered = ptx(), ptx(b"-lineinfo")
assert b"skerry-source" not in plain
assert b"\\n//skerry-source k.cu\\n//|\\n//|extern" in numbered, numbered
assert b"\\n//|  out[i] = x[i + 1];\\n" in numbered
""")


#: Views of x, the bytes from the beginning of its memory to their first element, and what a report says.
VIEWS = {
    "with a step": ("x[8:24:2]", 32, "float32 (8,), strides (8,): 164 bytes past its end"),
    "to the end": ("x[32:]", 128, "float32 (32,): 0 bytes past its end"),
    "two axes": ("sk.reshape(x, (8, 8))", 0, "float32 (8, 8): 0 bytes past its end"),
    "transposed": (
        "sk.reshape(x, (8, 8)).T",
        0,
        "float32 (8, 8), strides (4, 32): 0 bytes past its end",
    ),
    "reversed": ("x[::-1]", 252, "float32 (64,), strides (-4,): 0 bytes past its end"),
}


@pytest.mark.parametrize(("view", "offset", "text"), VIEWS.values(), ids=VIEWS)
def test_the_view_is_named_that_was_exported(view, offset, text):
    report = said(f"fault(data({view}) - {offset}, out)")
    assert f"\n  array: {text}\n" in report, report


def test_arrays_exported_by_dlpack_are_named():
    report = said("""
from cuda.core.utils import StridedMemoryView
view = StridedMemoryView.from_dlpack(sk.reshape(x, (4, 16)), stream_ptr=-1)
fault(view.ptr, out)
""")
    assert "\n  array: float32 (4, 16): 0 bytes past its end\n" in report, report


def test_memory_of_other_libraries_has_a_line_and_no_name():
    report = said("""
from cuda.bindings import driver
Device(0).set_current()
_, pointer = driver.cuMemAlloc(256)
fault(int(pointer), out)
""")
    assert "0 bytes past the end of 256 bytes" in report, report
    assert "array:" not in report
    line = START.count("\n") + 4
    assert f"\n  allocated: <string>:{line}\n" in report, report


#: How programs allocate an array of 64 floats, by the library.
ALLOCATIONS = {
    "skerry": "x = sk.arange(64, dtype=sk.float32, device='cuda:0')",
    "skerry, a large array": "x = sk.ones(300_000, dtype=sk.float32, device='cuda:0')",
    "skerry, a result": "x = sk.ones(64, dtype=sk.float32, device='cuda:0') * 2",
    "NumPy": "x = sk.asarray(np.arange(64, dtype=np.float32), device='cuda:0')",
    "in a thread": (
        "def make():\n    global x\n    x = sk.ones(64, dtype=sk.float32, device='cuda:0')  # here\n"
        "thread = threading.Thread(target=make); thread.start(); thread.join()"
    ),
    "a buffer of cuda.core": "x = Device(0).allocate(256, stream=Device(0).default_stream)",
    "a pool of the driver": "x = int(driver.cuMemAllocAsync(256, 0)[1])",
    "the runtime": "x = runtime.cudaMalloc(256)[1]",
}


@pytest.mark.parametrize("allocation", ALLOCATIONS.values(), ids=ALLOCATIONS)
def test_the_line_that_allocated_the_memory_is_reported(allocation, tmp_path):
    installed("cuda.core")
    script = tmp_path / "program.py"
    script.write_text(f"""{START}
import threading
import numpy as np
from cuda.bindings import driver, runtime
Device(0).set_current()
{allocation}
address = x if isinstance(x, int) else int(x.handle) if hasattr(x, "handle") else data(x)
nbytes = x.nbytes if isinstance(x, sk.Array) else 256
fault(address + nbytes - 256, out)
""")
    done = child(f"import runpy; runpy.run_path({str(script)!r}, run_name='__main__')")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = script.read_text().splitlines()
    text = next((line for line in allocation.split("\n") if "# here" in line), allocation)
    expected = f"\n  allocated: {script}:{lines.index(text) + 1}: {text.strip()}\n"
    assert expected in done.stderr, done.stderr
    assert ("\n  array: float32 (" in done.stderr) == ("sk." in allocation), done.stderr


def test_views_and_copies_have_their_own_lines(tmp_path):
    """A view has the line of its memory. Memory that is used again has the line of its last array."""
    said("""
import linecache
from skerry.exceptions import EmulationError
from skerry.testing import emulated_gpu
def line_of(address):
    try:
        with emulated_gpu(checks="none"):
            fault(address, out)
    except EmulationError as problem:
        (report,) = problem.reports
    return report.allocation["line"], report.array["text"]
def here():
    return sys._getframe(1).f_lineno
y = sk.ones(64, dtype=sk.float32, device="cuda:0"); first = here()
view = y[32:]
assert line_of(data(view)) == (first, "float32 (32,)")
assert line_of(data(y)) == (first, "float32 (64,)")
y = sk.ones((8, 8), dtype=sk.float32, device="cuda:0"); second = here()
assert line_of(data(y)) == (second, "float32 (8, 8)")
""")


def test_a_freed_array_is_named():
    report = said("""
address = data(x)
del x
fault(address, out)
""")
    assert "which were freed" in report, report
    assert "\n  array: float32 (64,): " in report


def test_kernel_reports_have_the_array_and_the_line():
    said("""
from skerry.exceptions import EmulationError
from skerry.testing import emulated_gpu
try:
    with emulated_gpu(checks="none"):
        fault(x, out, lineinfo=True)
except EmulationError as problem:
    (report,) = problem.reports
assert report.source == "out[i] = x[i + 1];" and report.line == 4, report
assert report.array == {"text": "float32 (64,)", "base": data(x), "nbytes": 256, "beyond": 0}, report.array
assert report.allocation["nbytes"] == 256
assert report.allocation["file"] == "<string>" and report.allocation["line"] > 0, report.allocation
""")


def test_races_name_the_array():
    said("""
from skerry.exceptions import EmulationError
from skerry.testing import emulated_gpu
SOURCE = SOURCE.replace("out[i] = x[i + 1]", "out[0] = i")
try:
    with emulated_gpu(checks="races"):
        start(x, out, lineinfo=True)
except EmulationError as problem:
    (report, *_) = problem.reports
assert report.kind == "race_global"
assert report.array["text"] == "float32 (64,)", report
assert report.source == report.other["source"] == "out[0] = i;", report
assert report.text.count(":4: out[0] = i;\\n") == 2, report.text
""")


def test_lines_that_only_python_knows_are_quoted(monkeypatch):
    """Such as the cells of a notebook, which linecache has but no file."""
    entry = {"kind": "trap", "code": 719, "what": "a trap", "text": "a trap", "device": 0}
    name = "/nowhere/ipykernel_1/cell.py"
    monkeypatch.setitem(linecache.cache, name, (9, None, ["first\n", "  out[i] = 1\n"], name))
    assert KernelReport.from_json({**entry, "file": name, "line": 2}).source == "out[i] = 1"
    assert KernelReport.from_json({**entry, "file": name, "line": 3}).source is None
    assert KernelReport.from_json({**entry, "file": "/nowhere/k.cu", "line": 2}).source is None
    assert KernelReport.from_json({**entry, "file": name, "line": 2, "source": "x"}).source == "x"
    assert KernelReport.from_json(entry).source is None
    allocation = {"base": 256, "nbytes": 8, "file": name, "line": 2}
    report = KernelReport.from_json({**entry, "allocation": allocation})
    assert report.allocation == {**allocation, "source": "out[i] = 1"}


NUMBA = """
@cuda.jit(lineinfo={lineinfo})
def shifted(x, out):
    i = cuda.grid(1)
    out[i] = x[i + 1]
shifted[2, 32](x, out)
try:
    cuda.synchronize()
except Exception as problem:
    assert "700" in str(problem), problem
"""


@pytest.mark.parametrize("lineinfo", [True, False])
def test_numba_kernels_are_quoted_from_their_file(lineinfo, tmp_path):
    numba_cuda_installed()
    script = tmp_path / "program.py"
    head = "import sys\n" + REDIRECT + START + "from numba import cuda\n"
    script.write_text(head + NUMBA.format(lineinfo=lineinfo))
    done = child(f"import runpy; runpy.run_path({str(script)!r}, run_name='__main__')")
    assert done.returncode == 0, done.stdout + done.stderr
    line = script.read_text().splitlines().index("    out[i] = x[i + 1]") + 1
    quote = f"// {script}:{line}: out[i] = x[i + 1]\n"
    assert (quote in done.stderr) == lineinfo, done.stderr
    assert ("no source line: compile with line information" in done.stderr) != lineinfo
    assert "\n  array: float32 (64,): 0 bytes past its end\n" in done.stderr
