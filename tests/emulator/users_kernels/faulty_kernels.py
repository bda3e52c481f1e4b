# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""CUDA C++ kernels with one error each, at the line marked HERE; for races also at the line marked OTHER.

Each takes (float* a, float* b, int n), where a has n elements.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Faulty:
    """A kernel and its launch parameters."""

    kind: str
    body: str
    blocks: int = 2
    threads: int = 64
    n: int = 128
    a: str = "array"  # or host, other_device, freed, empty
    error: bool = True  # a GPU would fail


HEAD = """
__device__ volatile int flag;
__device__ unsigned count;
"""
START = "int t = threadIdx.x, i = blockIdx.x * blockDim.x + t; (void)t; (void)i;\n"

KERNELS: dict[str, Faulty] = {
    # Past the end, before the beginning, past the end of shared memory.
    "no_bound": Faulty("out_of_bounds", "b[i] = a[i + 1];  // HERE"),
    "off_by_one": Faulty("out_of_bounds", "if (i <= n)\n  a[i] = 1.0f;  // HERE", blocks=3),
    "before_the_begin": Faulty("out_of_bounds", "if (i < n)\n  b[i] = a[i - 1];  // HERE"),
    "beyond_shared": Faulty(
        "out_of_bounds",
        "__shared__ float s[32];\ns[t + n - 128] = 1.0f;  // HERE\n__syncthreads();\nb[i] = s[0];",
    ),
    "reads_freed": Faulty("use_after_free", "b[i] = a[i];  // HERE", a="freed"),
    "writes_freed": Faulty("use_after_free", "a[i] = 2.0f;  // HERE", a="freed"),
    "adds_to_freed": Faulty("use_after_free", "atomicAdd(a, 1.0f);  // HERE", a="freed"),
    "reads_other_device": Faulty("wrong_device", "b[i] = a[i];  // HERE", a="other_device"),
    "writes_other_device": Faulty("wrong_device", "a[i] = 2.0f;  // HERE", a="other_device"),
    "adds_to_other_device": Faulty(
        "wrong_device", "atomicAdd(a, 1.0f);  // HERE", a="other_device"
    ),
    "reads_host": Faulty("host_pointer", "b[i] = a[i];  // HERE", a="host"),
    "writes_host": Faulty("host_pointer", "a[i] = 2.0f;  // HERE", a="host"),
    "adds_to_host": Faulty("host_pointer", "atomicAdd(a, 1.0f);  // HERE", a="host"),
    "vector_of_floats": Faulty(
        "misaligned", "float4 v = *(const float4*)(a + 1);  // HERE\nb[i] = v.x + v.y + v.z + v.w;"
    ),
    "double_of_floats": Faulty("misaligned", "*(double*)(a + 1 + 2 * (t % 2)) = 1.0;  // HERE"),
    "int_of_bytes": Faulty(
        "misaligned", "b[i] = *(const int*)((const char*)a + 4 * t + 2);  // HERE"
    ),
    "shared_not_filled": Faulty(
        "uninitialised",
        "__shared__ float s[64];\nif (t < 32) s[t] = 1.0f;\n__syncthreads();\n"
        "if (s[t] > 0.5f)  // HERE\n  b[i] = 1.0f;",
        error=False,
    ),
    "empty_array": Faulty(
        "uninitialised", "if (a[i] > 3.0f)  // HERE\n  b[i] = 1.0f;", a="empty", error=False
    ),
    "sum_of_empty": Faulty("uninitialised", "b[i] = a[i] + 1.0f;  // HERE", a="empty", error=False),
    "no_barrier": Faulty(
        "race_shared",
        "__shared__ float s[64];\ns[t] = 1.0f;  // OTHER\nb[i] = s[63 - t];  // HERE",
        error=False,
    ),
    "one_counter": Faulty(
        "race_shared",
        "__shared__ float s;\nif (t == 0) s = 0.0f;\n__syncthreads();\n"
        "s = (float)t;  // HERE OTHER\n__syncthreads();\nb[i] = s;",
        error=False,
    ),
    "shift_in_place": Faulty(
        "race_shared",
        "__shared__ float s[65];\ns[t] = (float)t;\nif (t == 0) s[64] = 1.0f;\n__syncthreads();\n"
        "float v = s[t + 1];  // OTHER\ns[t] = v;  // HERE\n__syncthreads();\nb[i] = s[t];",
        error=False,
    ),
    "counter_without_atomics": Faulty(
        "race_global", "a[0] = (float)i;  // HERE OTHER", error=False
    ),
    "neighbour_in_place": Faulty(
        "race_global",
        "float v = i + 1 < n ? a[i + 1] : 0.0f;  // OTHER\nif (i < n)\n  a[i] = v;  // HERE",
        error=False,
    ),
    "flag_without_fence": Faulty(
        "race_global",
        "if (t != 0) return;\nif (blockIdx.x == 0) {\n  a[0] = 7.0f;  // OTHER\n  flag = 1;\n} else {\n"
        "  while (flag != 1) __nanosleep(20);\n  b[0] = a[0];  // HERE\n}",
        error=False,
    ),
    "barrier_of_some": Faulty(
        "deadlock",
        'if (t < 32)\n  asm volatile("bar.sync 1, 64;");  // HERE\nelse\n  __syncthreads();\nb[i] = 1.0f;',
    ),
    "warps_wait_for_each_other": Faulty(
        "deadlock",
        'if (t < 32)\n  asm volatile("bar.sync 1, 64;");  // HERE\nelse\n  asm volatile("bar.sync 2, 64;");\nb[i] = 1.0f;',
    ),
    "members_that_never_come": Faulty(
        "deadlock",
        "if (t % 32 < 8)\n  __syncwarp();  // HERE\nelse\n  __syncthreads();\nb[i] = 1.0f;",
    ),
    "waits_for_nobody": Faulty(
        "never_ends", "while (flag != 12345)  // HERE\n  __nanosleep(20);\nb[i] = 1.0f;"
    ),
    "loop_without_step": Faulty(
        "never_ends",
        "volatile float* v = a;\nfor (int k = 0; k < n; k += n / 256) v[0] = (float)k;  // HERE",
    ),
    "lock_that_is_kept": Faulty(
        "never_ends", "while (atomicCAS(&count, 0u, 1u) != 0u)  // HERE\n  ;\nb[i] = 1.0f;"
    ),
    "traps": Faulty("trap", "if (i == 37)\n  __trap();  // HERE\nb[i] = 1.0f;"),
    "returns_before_a_barrier": Faulty(
        "synchronisation",
        "if (i >= n - 5) return;\n__shared__ float s[64]; s[t] = 1.0f;\n__syncthreads();  // HERE\nb[i] = s[t];",
        error=False,
    ),
}


def source(name: str) -> str:
    """Return a program with one kernel."""
    return f'{HEAD}extern "C" __global__ void {name}(float* a, float* b, int n) {{\n{START}{KERNELS[name].body}\n}}\n'


def line_of(name: str, mark: str) -> int:
    """Return the number of the line with a mark, from 1, or 0."""
    lines = source(name).splitlines()
    return next((k for k, line in enumerate(lines, 1) if mark in line.partition("//")[2]), 0)
