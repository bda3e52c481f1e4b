# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of ``make gpu-estimate``, which needs no real or emulated GPU."""

import copy
import math

import pytest

from bench import records
from bench.gpu import estimate as gpu_estimate
from bench.gpu import estimate_model as model
from bench.gpu import kernel_resources

N = 1 << 20


def counts(sectors, once=None, instructions=0):
    """Return the counts of a launch."""
    return {
        "sectors": sectors,
        "distinct_sectors": sectors if once is None else once,
        "warp_instructions": instructions,
    }


@pytest.mark.parametrize(
    ("threads", "registers", "shared", "dynamic", "blocks"),
    [
        (256, 16, 0, 0, 8),  # limited by 2,048 threads
        (32, 16, 0, 0, 32),  # limited by 32 blocks
        (33, 16, 0, 0, 32),  # threads are rounded up to warps
        (256, 40, 0, 0, 6),  # limited by registers: 65,536 / (8 warps * 1,280)
        (256, 41, 0, 0, 5),  # registers of a thread are rounded up to a multiple of 8
        (256, 16, 100 << 10, 0, 2),
        (256, 16, 0, 114 << 10, 1),  # the system reserves 1 KiB for each block
        (1024, 255, 0, 0, 0),
    ],
)
def test_blocks_of_a_multiprocessor(threads, registers, shared, dynamic, blocks):
    resources = model.Resources(registers=registers, shared_bytes=shared)
    assert model.resident_blocks(threads, resources, dynamic) == blocks


@pytest.mark.parametrize(
    ("small", "large", "is_matrix", "power"),
    [
        (256, 1024, False, 1),
        (257, 1025, True, 1),
        (1056, 1056, False, 0),
        (1024, 1056, True, 0),
        (1056, 1024, True, 0),
        (4, 8, True, 0.5),  # the columns of a square
        (512, 1024, False, 1),  # items of a thread have doubled, but do not grow further
        (0, 5, False, 1),  # nothing to compare with
        (5, 0, False, 1),
    ],
)
def test_growth_of_counts_with_the_array(small, large, is_matrix, power):
    assert model.growth(small, large, 4, is_matrix=is_matrix) == power
    assert model.growth(small, large, 1, is_matrix=is_matrix) == 1


def test_the_last_wave_may_be_short():
    assert model.busy(2 * 8 * 132, 8) == 1.0
    assert model.busy(1.5 * 8 * 132, 8) == 0.75
    assert model.busy(8 * 132, 8) == 1.0
    assert model.busy(132, 8) == 1.0
    assert model.busy(33, 8) == 0.25


def test_a_copy_reaches_the_copy_rate():
    nbytes = 8 * N
    share, limit = model.share_of_copy(nbytes, [(counts(nbytes // 32), 1.0)])
    assert share == pytest.approx(1.0)
    assert limit == "memory"


def test_unused_sectors_cost_their_share():
    nbytes = 8 * N
    share, _ = model.share_of_copy(nbytes, [(counts(2 * nbytes // 32), 1.0)])
    assert share == pytest.approx(0.5)
    # Repeated accesses are limited by the cache bandwidth.
    cached_counts = counts(8 * nbytes // 32, nbytes // 32)
    share, limit = model.share_of_copy(nbytes, [(cached_counts, 1.0)])
    gpu = model.H100
    assert share == pytest.approx(gpu.cache_bytes_per_second / gpu.copy_bytes_per_second / 8)
    assert limit == "cache"


def test_launches_add_up_and_tails_lengthen_them():
    nbytes = 8 * N
    one = counts(nbytes // 32)
    assert model.share_of_copy(nbytes, [(one, 0.5)])[0] == pytest.approx(0.5)
    assert model.share_of_copy(nbytes, [(one, 1.0), (one, 0.5)])[0] == pytest.approx(1 / 3)
    assert model.share_of_copy(nbytes, []) == (0.0, "")


def test_instruction_and_memory_time_overlap_in_part():
    nbytes = 8 * N
    rate = model.H100.instructions_per_second / model.H100.copy_bytes_per_second
    share, limit = model.share_of_copy(
        nbytes, [(counts(nbytes // 32, instructions=4 * rate * nbytes), 1.0)]
    )
    assert share == pytest.approx(1 / math.hypot(1, 4))
    assert limit == "issue"


def row(case, sectors=1.0, instructions=10.0, elements=N):
    return {
        "case": case,
        "sectors_per_needed": sectors,
        "instructions_per_element": instructions,
        "elements": elements,
    }


def test_check_tolerates_two_percent():
    old_rows = [row("add"), row("sum")]
    assert model.regressions(old_rows, old_rows) == []
    assert model.regressions(old_rows, [row("add", 1.0199, 10.199), row("sum", 0.5, 5.0)]) == []
    (regression,) = model.regressions(old_rows, [row("add", sectors=1.021), row("sum")])
    assert "add: sectors_per_needed" in regression
    assert "+2.1%" in regression
    (regression,) = model.regressions(old_rows, [row("add"), row("sum", instructions=10.3)])
    assert "sum: instructions_per_element" in regression


def test_check_reports_missing_rows_and_other_sizes():
    old_rows = [row("add"), row("sum")]
    assert model.regressions(old_rows, [row("add"), row("new")]) == ["sum: no figures any more"]
    assert model.regressions(old_rows, [row("add")], whole=False) == []
    (regression,) = model.regressions(old_rows, [row("add", elements=7), row("sum")])
    assert "7 elements" in regression
    assert model.regressions([row("add", sectors=0.0)], [row("add", sectors=0.1)]) != []


LAUNCH = {
    "kernel": "k",
    "name": "k(int)",
    "grid": [256, 4, 1],
    "block": [256, 1, 1],
    "dynamic_shared_bytes": 0,
    "warp_instructions": 2 * N // 32,
    "lane_instructions": 2 * N,
    "divergent_branches": 3,
    "loads": {"requests": 9, "bytes": 4 * N, "sectors": N // 8, "distinct_sectors": N // 8},
    "stores": {"requests": 9, "bytes": 4 * N, "sectors": N // 8, "distinct_sectors": N // 8},
    "shared": {"requests": 8, "bytes": 1024, "wavefronts": 16, "conflicts": 8},
    "local_requests": 0,
}


def estimated(resources):
    smaller = copy.deepcopy(LAUNCH)
    smaller["grid"] = [256, 1, 1]
    smaller["warp_instructions"] //= 4
    for way in ("loads", "stores"):
        smaller[way] = {name: value // 4 for name, value in smaller[way].items()}
    row = {"case": "negative", "is_matrix": False}
    return gpu_estimate.row_record(
        "elementwise",
        {"elements": N, "needed": 8 * N, "launches": [LAUNCH], **row},
        {"elements": N // 4, "needed": 2 * N, "launches": [smaller], **row},
        resources,
    )


def test_a_row_is_derived_from_its_launches():
    record = estimated({"k": model.Resources(registers=40)})
    assert record["full_elements"] == N << gpu_estimate.SHRINK
    assert record["sectors_per_needed"] == 1.0
    assert record["instructions_per_element"] == 2.0
    (kernel,) = record["kernels"]
    assert kernel["full"]["blocks"] == 1024 << gpu_estimate.SHRINK
    assert kernel["warps_per_multiprocessor"] == 48
    assert kernel["waves"] == pytest.approx(65536 / (6 * 132))
    assert record["share_of_copy"] == pytest.approx(kernel["busy"], rel=1e-3)
    waves = 1024 * gpu_estimate.TAIL_ELEMENTS / N / (6 * 132)
    assert record["tail"] == kernel["tail"] == pytest.approx(waves / math.ceil(waves))
    assert "negative" in gpu_estimate.table([record])
    assert "50.0%" in gpu_estimate.line(record)  # half of the wavefronts are due to conflicts


def test_counts_of_a_launch_grow_like_the_fastest_growing_one():
    smaller = copy.deepcopy(LAUNCH)
    smaller["grid"] = [512, 1, 1]
    smaller["warp_instructions"] //= 2  # blocks are partly filled
    for way in ("loads", "stores"):
        smaller[way]["sectors"] //= 4
    kernel = gpu_estimate.kernel_record(LAUNCH, smaller, gpu_estimate.Row(4, 64, 1, True), {})
    assert kernel["full"]["blocks"] == 8 * 1024
    assert kernel["full"]["sectors"] == 64 * kernel["sectors"]
    assert kernel["full"]["warp_instructions"] == 64 * kernel["warp_instructions"]


def test_a_row_has_figures_without_ptxas():
    record = estimated({})
    assert "waves" not in record["kernels"][0]
    assert record["share_of_copy"] == pytest.approx(1.0, rel=1e-3)
    assert gpu_estimate.line(record).startswith("negative")


def test_check_of_a_record_file(tmp_path, capsys):
    old_record = estimated({})
    path = tmp_path / "record.jsonl"
    assert gpu_estimate.check(path, [old_record], whole=True) == 1
    records.write(path, {}, [gpu_estimate.recorded_figures(old_record)])
    assert gpu_estimate.check(path, [old_record], whole=True) == 0
    worse = {**old_record, "sectors_per_needed": 1.03}
    assert gpu_estimate.check(path, [worse], whole=True) == 1
    assert "negative: sectors_per_needed 1.03, 1 in the record (+3.0%)" in capsys.readouterr().out


@pytest.mark.parametrize("target", [80, 90])
def test_record_is_close_to_published_measurements(target):
    _, rows = records.read(records.result_of(f"gpu-estimate-{target}"))
    published_rows = {row["case"]: row for row in rows if row["case"] in gpu_estimate.PUBLISHED}
    assert published_rows.keys() == gpu_estimate.PUBLISHED.keys()
    for case, row in published_rows.items():
        # Sorts are not limited by memory alone, for which the estimate is calibrated.
        if not case.startswith("sort"):
            assert row["share_of_copy"] == pytest.approx(
                gpu_estimate.PUBLISHED[case][0], rel=0.15
            ), case


PTX = """.version 9.0
.target sm_90
.address_size 64

.global .align 4 .u32 shared_by_all;
.func  (.param .b32 r) called(
\t.param .b32 p
)
{
\tret;
}
\t// .globl\tfirst
.visible .entry first(
\t.param .u64 p
)
.maxntid 128, 1, 1
{
\t{ // a scope
\t}
\tret;
}
.weak .entry second(
)
{
\tret;
}
"""


def test_single_kernels_are_extracted_from_a_module():
    module = b"\x7fELF" + PTX.encode() + b"\0\1" + PTX.replace("sm_90", "sm_80").encode() + b"\0"
    (text,) = kernel_resources.ptx_texts(module, 90)
    part = kernel_resources.only(text, {"second"})
    assert ".version 9.0" in part
    assert "shared_by_all" in part
    assert "called" in part
    assert "entry second" in part
    assert "entry first" not in part
    assert "maxntid" not in part
    assert kernel_resources.only(text, {"third"}) is None


def test_output_of_ptxas_is_parsed():
    said = """ptxas info    : 4 bytes gmem
ptxas info    : Compiling entry function 'first' for 'sm_90'
ptxas info    : Function properties for first
    64 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads
ptxas info    : Function properties for called
    16 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 38 registers, used 1 barriers, 64 bytes cumulative stack size, 8320 bytes smem
ptxas info    : Compile time = 3.0 ms
ptxas info    : Compiling entry function 'second' for 'sm_90'
ptxas info    : Function properties for second
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers
"""
    assert kernel_resources.parse(said) == {
        "first": model.Resources(38, stack_bytes=64, spill_bytes=20, shared_bytes=8320),
        "second": model.Resources(8),
    }
