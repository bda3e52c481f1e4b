# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Passes on CUDA devices as one kernel compiled by NVRTC, on a GPU or an emulated one."""

import functools
import itertools
import os
import pathlib
import random
import shutil
import stat
import subprocess
import sys
import warnings

import numpy as np
import pytest
import skerry as sk
from skerry.testing import instruments

from tests.python.fuse.recorded_sizes import all_sizes_recorded  # noqa: F401
from tests.python.fuse.test_fused_bits import (
    LAYOUTS,
    assert_equal_bits,
    chain,
    laid_out,
    random_choices,
    sample,
)
from tests.python.oracle import DTYPES, kind_of, to_numpy
from tests.python.session import HAS_GPU

pytestmark = pytest.mark.skipif(not HAS_GPU, reason="no device here runs skerry's CUDA kernels")

HERE = pathlib.Path(__file__).parent
GPU = "cuda:0"
# Runs a chain until it is compiled. Prints the passes run as one kernel, passes run one operation at a time, kernels
# compiled, warnings and their texts.
PROGRAM = """
import sys, warnings
import numpy as np, skerry as sk
from skerry.testing import instruments
x = sk.asarray(np.arange(1000, dtype=np.float32), device="cuda:0")
run = sk.fuse(lambda x, by: sk.exp(-x * by) + x)
with warnings.catch_warnings(record=True) as told, instruments.recorded_from(0):
    warnings.simplefilter("always")
    results = [run(x, 0.5 + i) for i in range(4)]
for i, result in enumerate(results):
    want = sk.exp(-x * (0.5 + i)) + x
    assert np.array_equal(want.to_device("cpu:0"), result.to_device("cpu:0"))
print(*instruments.fused_pass_counts(), len(told), *(each.message for each in told))
"""


def counted(function, *args):
    """Returns the result and the growth of the pass counts: as one kernel, one operation at a time, kernels compiled."""
    old_counts = instruments.fused_pass_counts()
    result = function(*args)
    return result, [b - a for a, b in zip(old_counts, instruments.fused_pass_counts(), strict=True)]


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    """Isolates the kernel cache from other runs. Skips the module without NVRTC."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKERRY_KERNEL_CACHE", str(tmp_path_factory.mktemp("kernels") / "own"))
        with (
            warnings.catch_warnings(record=True) as caught_warnings,
            instruments.recorded_from(0),
        ):
            warnings.simplefilter("always")
            run = sk.fuse(lambda x: x * 2 + x)
            kernels = [
                counted(run, sk.ones(3, dtype=sk.float32, device=GPU))[1][0] for _ in range(2)
            ]
        if kernels != [0, 1] and any(
            "NVRTC can't be used" in str(warning.message) for warning in caught_warnings
        ):
            pytest.skip(f"NVRTC is not installed: {caught_warnings[0].message}")
        assert not caught_warnings
        yield


def test_chains_run_as_one_kernel_from_the_second_call():
    x = sk.asarray(np.linspace(-3, 3, 5003, dtype=np.float32), device=GPU)
    run = sk.fuse(lambda x, y, divisor: sk.tanh(x * y) / divisor - x)
    want = [sk.tanh(x * x) / divisor - x for divisor in (1.5, 2.5, 3.5)]
    steps = [counted(run, x, x, divisor) for divisor in (1.5, 2.5, 3.5)]
    assert [counts for _, counts in steps] == [[0, 1, 0], [1, 0, 1], [1, 0, 0]]
    assert_equal_bits([result for result, _ in steps], want, "scalars are parameters")


def test_kernels_are_reused_for_other_shapes():
    run = sk.fuse(lambda x: (x + 1) * (x - 1) * 2)
    kernels = 0
    for size in (1, 2, 3, 4, 5, 31, 255, 256, 257, 1023, 1024, 1025, 4099):
        x = sk.asarray(np.arange(size, dtype=np.float32), device=GPU)
        result, counts = counted(run, x)
        kernels += counts[2]
        assert_equal_bits([result], [(x + 1) * (x - 1) * 2], size)
    assert kernels <= 2  # one for a single element, one for more


@pytest.mark.parametrize("part", range(10))
def test_random_programs_equal_eager_bits_when_compiled(part, full):
    """Runs each twice: the second call runs the kernel."""
    count = 200 if full else 20
    sums = np.zeros(3, dtype=int)
    for seed in range(part * count, (part + 1) * count):
        chance, rng = random.Random(seed), np.random.default_rng(seed)
        shape = [(3, 5), (17, 70), (1, 1), (9, 4), (7, 300)][seed % 5]
        arrays = [
            laid_out(rng, chance.choice(DTYPES), shape, chance.choice(LAYOUTS), GPU)
            for _ in range(4)
        ]
        choices = list(random_choices(chance, 1 + seed % 30))
        want, eager_errors = chain(choices, arrays)
        for _ in range(2):
            (got, errors), counts = counted(sk.fuse(chain), choices, arrays)
            assert errors == eager_errors
            assert_equal_bits(got, want, f"seed {seed}")
            sums += counts
    assert sums[0] >= count // 2, sums
    assert sums[2] >= count // 2, sums


@pytest.mark.parametrize("dtype", DTYPES)
def test_compiled_chain_of_each_dtype(dtype):
    rng = np.random.default_rng(1)
    x, y = (sk.asarray(sample(rng, dtype, (1003,)), device=GPU) for _ in range(2))

    def run(x, y):
        t = x * y
        u = sk.where(t == x, x, t) + x
        return u, abs(u) * 2, t != y, (t + y).astype("float64" if dtype == "bool" else dtype)

    for _ in range(2):
        got, counts = counted(sk.fuse(run), x, y)
        assert_equal_bits(got, run(x, y), dtype)
    assert counts[0] == 1


@pytest.mark.parametrize("dtype", DTYPES)
def test_each_operation_of_each_dtype_equals_nvcc_bits(dtype):
    """NVRTC compiles each functor to the same bits as nvcc, special values and pairs of NaN included."""
    rng = np.random.default_rng(2)
    operands = [sample(rng, dtype, (67,)) for _ in range(3)]
    if kind_of(dtype) in "fc":
        for k, x in enumerate(operands):
            x[k::9] = [np.nan, np.inf, -np.inf, 0, -0.0, 1e-7, 300, 1][: len(x[k::9])]
    if kind_of(dtype) == "f":  # complex products may pass on either of two NaNs
        for k, x in enumerate(operands):
            x[-8:] = np.copysign(np.nan, 0.5 - (np.arange(8) >> k & 1))
    x, y, z = (sk.asarray(operand, device=GPU) for operand in operands)

    def run(x, y, z):
        results = []
        for operation in instruments.op_table():
            function = getattr(sk, operation["name"], None)
            if function is None:
                continue
            try:
                results.append(function(*(x, y, z)[: operation["arity"]]))
            except TypeError:  # not defined for this dtype
                continue
        return results

    want = run(x, y, z)
    assert len(want) > 10
    for _ in range(2):
        got, counts = counted(sk.fuse(run), x, y, z)
        assert_equal_bits(got, want, dtype)
    assert counts[0] > 1
    assert counts[1] == 0


def test_offset_broadcast_reversed_and_high_rank_operands():
    """Offset views, broadcast and reversed operands, and more axes than a kernel takes."""
    x = sk.asarray(np.random.default_rng(3).normal(size=(61, 53)).astype(np.float32), device=GPU)
    tensor = sk.asarray(
        np.random.default_rng(5).normal(size=(2,) * 12).astype(np.float32), device=GPU
    )
    transposed = sk.permute_dims(tensor, (11, 3, 9, 1, 7, 5, 6, 4, 8, 2, 10, 0))

    def stencil(x):
        return (x[1:-1, :-2] + x[1:-1, 2:] + x[:-2, 1:-1] + x[2:, 1:-1] - 4 * x[1:-1, 1:-1]) * 0.25

    programs = [
        (stencil, (x,), 1),
        (lambda x: (x[3:] + x[2:-1]) * x[1:-2], (sk.reshape(x, -1),), 1),
        (lambda x, y: (x - y) * x + y, (x, x[:, :1]), 1),
        (lambda x, y: (x - y) * x + y, (x[:53], x[:53].T), 1),
        (lambda x: (x + 1) * x, (x[::-1, ::-2],), 1),
        (lambda x, y: (x - y) * x + 1, (tensor, transposed), 0),
    ]
    for number, (run, args, kernels) in enumerate(programs):
        for _ in range(2):
            got, counts = counted(sk.fuse(run), *args)
            assert_equal_bits([got], [run(*args)], number)
        assert counts[0] == kernels, number


def test_misaligned_operands_run_one_operation_at_a_time():
    x = sk.asarray(np.arange(40, dtype=np.complex128), device=GPU)
    parts = sk.asarray(np.arange(81, dtype=np.float64), device=GPU)[1:].view("complex128")

    def run(x, y):
        return (x + y) * y

    for _ in range(2):
        got, counts = counted(sk.fuse(run), x, parts)
        assert_equal_bits([got], [run(x, parts)], "addresses")
    assert counts[:2] == [0, 1]


def test_long_chains_run_as_several_kernels():
    x = sk.asarray(np.random.default_rng(7).normal(size=300).astype(np.float32), device=GPU)

    def run(x):
        t = x
        for i in range(400):
            t = t * 0.5 + (x if i % 3 else 1.0)
        return t

    for _ in range(2):
        got, counts = counted(sk.fuse(run), x)
        assert_equal_bits([got], [run(x)], "long")
    assert counts[0] > 4
    assert counts[1] == 0


def test_more_operands_than_one_compiled_pass_takes():
    arrays = [
        sk.asarray(np.random.default_rng(i).random(100, np.float32), device=GPU) for i in range(40)
    ]

    def run(arrays):
        total = arrays[0] * 1.5
        sums = []
        for x in arrays[1:]:
            total = total * 0.5 + x
            sums.append(total)
        return sums

    for _ in range(2):
        assert_equal_bits(sk.fuse(run)(arrays), run(arrays), "operands")


def test_reductions_and_other_streams_equal_eager_bits():
    x = sk.asarray(np.random.default_rng(9).normal(size=(40, 300)).astype(np.float32), device=GPU)

    def run(x):
        e = sk.exp(x - sk.max(x, axis=1, keepdims=True))
        return e / sk.sum(e, axis=1, keepdims=True), sk.sum((x * x - 1) * x)

    for _ in range(3):
        assert_equal_bits(sk.fuse(run)(x), run(x), "reductions")
    with sk.Stream(GPU):
        y = x * 2
    for _ in range(3):  # reads what another stream wrote
        assert_equal_bits(sk.fuse(run)(y), run(y), "streams")


def test_single_use_passes_are_evicted_first():
    """Runs more passes than the table remembers, as in a long session with few repeated passes."""
    names = ["negative", "positive", "square", "abs", "bitwise_invert", "sign", "trunc", "floor"]
    functions = [getattr(sk, name) for name in names]
    x = sk.ones(1, dtype="int64", device=GPU)
    run = sk.fuse(lambda chosen: functools.reduce(lambda y, function: function(y), chosen, x))
    _, counts = counted(
        lambda: [run(combination) for combination in itertools.product(functions, repeat=4)]
    )
    assert counts[1] > 4000

    def other(x):
        return x * 2 + 3 * x

    for _ in range(2):
        _, counts = counted(sk.fuse(other), x)
    assert counts[0] == 1


def test_kernels_on_two_gpus_in_one_call():
    x, y = (sk.asarray(np.arange(100, dtype=np.float32), device=f"cuda:{i}") for i in range(2))

    def run(x, y):
        return (x + 1) * x, (y + 1) * y

    for _ in range(3):
        got, counts = counted(sk.fuse(run), x, y)
        assert_equal_bits(got, run(x, y), "devices")
    assert counts == [2, 0, 0]


def test_failed_calls_raise_eager_errors_and_keep_pending_arrays():
    x = sk.asarray(np.arange(100, dtype=np.float32), device=GPU)

    def run(x, y):
        t = (x + 1) * 2
        try:
            t + y
        except Exception as error:
            return t, (type(error), str(error))
        return t, None

    for y in (sk.ones(7, dtype=sk.float32, device=GPU), sk.ones(100), "text"):
        for _ in range(2):
            got, want = sk.fuse(run)(x, y), run(x, y)
            assert got[1] == want[1]
            assert got[1] is not None
            assert_equal_bits(got[:1], want[:1], str(y))


# The cache, and failures of NVRTC: in processes of their own, as each compiles a chain once.


def child(cache, **environment):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "SKERRY_KERNEL_CACHE": str(cache), **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    counts = [int(word) for word in done.stdout.split(maxsplit=4)[:4]]
    return counts, done.stdout


FIRST = 0xCBF29CE484222325  # FNV-1a offset basis of the checksum of stored kernels
ONE_KERNEL = [3, 1, 1, 0]  # four calls, no warning
NONE = [0, 4, 0, 1]


def stored(cache):
    return sorted(pathlib.Path(cache).iterdir())


@pytest.fixture(scope="module")
def broken_nvrtc(tmp_path_factory):
    """Returns a library of NVRTC's version that fails to compile anything."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("nvrtc")
    names = "GetPTXSize GetPTX GetCUBINSize GetCUBIN".split()
    source = "".join(f"int nvrtc{name}(void* p, void* q) {{ return 1; }}\n" for name in names) + (
        "#include <string.h>\n#include <stddef.h>\n"
        f"int nvrtcVersion(int* a, int* b) {{ *a = {version()[0]}; *b = {version()[1]}; return 0; }}\n"
        "int nvrtcCreateProgram(void** p, const char* a, const char* b, int c, const char* const* d, const char* const* e)"
        " { *p = p; return 0; }\n"
        "int nvrtcDestroyProgram(void** p) { return 0; }\n"
        "int nvrtcCompileProgram(void* p, int n, const char* const* o) { return 6; }\n"
        'static const char text[] = "the log says why";\n'
        "int nvrtcGetProgramLogSize(void* p, size_t* n) { *n = sizeof text; return 0; }\n"
        "int nvrtcGetProgramLog(void* p, char* log) { memcpy(log, text, sizeof text); return 0; }\n"
    )
    (folder / "broken.c").write_text(source)
    library = folder / "libbroken.so"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-w", "-o", library, folder / "broken.c"], check=True
    )
    return library


def version():
    """Returns NVRTC's version from the header of a stored kernel."""
    files = stored(os.environ["SKERRY_KERNEL_CACHE"])
    line = files[0].read_bytes().split(b"\n", 2)[1].decode()
    return [int(word) for word in line.split()[1].split(".")]


def test_cached_kernels_serve_other_processes(tmp_path, broken_nvrtc):
    cache = tmp_path / "cache" / "deeper"
    assert child(cache)[0] == ONE_KERNEL
    (file,) = stored(cache)
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    contents = file.read_bytes()
    # Everything comes from the cache.
    assert child(cache, SKERRY_NVRTC=str(broken_nvrtc))[0] == ONE_KERNEL
    assert [path.read_bytes() for path in stored(cache)] == [contents]


@pytest.mark.parametrize(
    "damage",
    [
        lambda contents: b"",
        lambda contents: contents[:31],
        lambda contents: contents[:-1],
        lambda contents: contents + b"\0",
        lambda contents: contents[:-100] + bytes([contents[-100] ^ 1]) + contents[-99:],
        lambda contents: contents[:40] + bytes([contents[40] ^ 1]) + contents[41:],
        lambda contents: b"\xff" * len(contents),
    ],
    ids=["empty", "header", "short", "long", "image", "text", "all"],
)
def test_damaged_cache_file_is_recompiled(tmp_path, damage):
    cache = tmp_path / "cache"
    child(cache)
    (file,) = stored(cache)
    contents = file.read_bytes()
    file.write_bytes(damage(contents))
    assert child(cache)[0] == ONE_KERNEL
    assert [path.read_bytes() for path in stored(cache)] == [contents]


def test_cached_image_that_fails_to_load_is_recompiled(tmp_path):
    """Its checksum is right, as for an image written for another driver."""
    cache = tmp_path / "cache"
    child(cache)
    (file,) = stored(cache)
    contents = file.read_bytes()
    mark = contents[: contents.index(b"\0") + 1]
    text = mark[33:-1]
    image = b".version 99.9\nnonsense\0"

    def hashed(data, value):
        for byte in data:
            value = (value ^ byte) * 0x100000001B3 % 2**64
        return value

    check = hashed(image, hashed(text, FIRST))
    assert mark[:33] == b"skerry kernel 1 %016x\n" % hashed(
        contents[len(mark) :], hashed(text, FIRST)
    )
    file.write_bytes(b"skerry kernel 1 %016x\n" % check + text + b"\0" + image)
    assert child(cache)[0] == ONE_KERNEL
    assert file.read_bytes() == contents


def test_cache_folder_open_to_others_is_not_used(tmp_path):
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o755)
    cache.chmod(0o755)
    assert child(cache)[0] == ONE_KERNEL
    assert stored(cache) == []
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    link = tmp_path / "link"
    link.symlink_to(elsewhere)
    assert child(link)[0] == ONE_KERNEL
    assert stored(elsewhere) == []


@pytest.mark.parametrize("cache", ["0", "/proc/nowhere", "/dev/null"])
def test_kernels_run_without_a_cache(cache):
    assert child(cache)[0] == ONE_KERNEL


def test_oldest_files_of_a_full_cache_are_removed(tmp_path):
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o700)
    for i in range(70):
        with open(cache / f"{i:032x}.kernel", "wb") as file:
            file.truncate(1 << 20)
        os.utime(file.name, (1000 + i, 1000 + i))
    assert child(cache)[0] == ONE_KERNEL
    left = [path for path in stored(cache) if path.stat().st_mtime < 2000]
    assert 40 <= len(left) <= 48
    assert min(path.stat().st_mtime for path in left) > 1020  # the oldest are gone
    assert len(stored(cache)) == len(left) + 1


def test_missing_nvrtc_warns_once_and_runs_one_operation_at_a_time(tmp_path):
    counts, text = child(tmp_path / "cache", SKERRY_NVRTC="/nowhere/libnvrtc.so.13")
    assert counts == NONE
    assert "fuse: operations run unfused on CUDA devices: NVRTC can't be used: " in text
    assert "pip install nvidia-cuda-nvrtc" in text


def test_failed_compilation_warns_once_and_runs_one_operation_at_a_time(tmp_path, broken_nvrtc):
    counts, text = child(tmp_path / "cache", SKERRY_NVRTC=str(broken_nvrtc))
    assert counts == NONE
    assert "NVRTC can't compile a kernel for " in text
    assert "the log says why" in text
    assert stored(tmp_path / "cache") == [] if (tmp_path / "cache").exists() else True


def test_warnings_as_errors_do_not_change_results(tmp_path):
    program = PROGRAM.replace('simplefilter("always")', 'simplefilter("error")')
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "SKERRY_NVRTC": "/nowhere/libnvrtc.so.13"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stdout.split()[:4] == ["0", "4", "0", "0"], done.stdout + done.stderr


def test_compiled_and_uncompiled_calls_give_equal_bits():
    """The first call runs one operation at a time, later ones a kernel. All are enqueued before to_numpy() reads them."""
    x = sk.asarray(np.random.default_rng(11).normal(size=2000).astype(np.float32), device=GPU)
    run = sk.fuse(lambda x: sk.log1p(x * x) * sk.sin(x) - 1 / x)
    results = [run(x) for _ in range(4)]
    assert len({to_numpy(result).tobytes() for result in results}) == 1
