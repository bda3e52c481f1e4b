// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/emulator/libraries/stand_in_library.hpp"

// The part of CUDA 13's cuFFT that fft.cu calls.

namespace skerry::emulation::cufft {

inline constexpr int success = 0;
inline constexpr int invalid_plan = 1;
inline constexpr int alloc_failed = 2;
inline constexpr int invalid_type = 3;
inline constexpr int invalid_value = 4;
inline constexpr int exec_failed = 6;
inline constexpr int invalid_size = 8;
inline constexpr int no_workspace = 13;
inline constexpr int not_implemented = 14;

inline constexpr int complex_to_complex = 0x29;
inline constexpr int real_to_complex = 0x2a;
inline constexpr int complex_to_real = 0x2c;
inline constexpr int double_precision = 0x40;  ///< added to a type

int create(int* plan) SKERRY_LIBRARY(cufftCreate);
int destroy(int plan) SKERRY_LIBRARY(cufftDestroy);
int set_auto_allocation(int plan, int automatic) SKERRY_LIBRARY(cufftSetAutoAllocation);
int make_plan(int plan, int rank, const long long* lengths, const long long* input_embed,
              long long input_stride, long long input_distance, const long long* output_embed,
              long long output_stride, long long output_distance, int type, long long batch,
              std::size_t* work_nbytes) SKERRY_LIBRARY(cufftMakePlanMany64);
int set_stream(int plan, void* stream) SKERRY_LIBRARY(cufftSetStream);
int set_work_area(int plan, void* work_area) SKERRY_LIBRARY(cufftSetWorkArea);
/// Executes a plan of any type.
int run_any(int plan, void* input, void* output, int direction) SKERRY_LIBRARY(cufftXtExec);
int run_c2c(int plan, void* input, void* output, int direction) SKERRY_LIBRARY(cufftExecC2C);
int run_z2z(int plan, void* input, void* output, int direction) SKERRY_LIBRARY(cufftExecZ2Z);
int run_r2c(int plan, void* input, void* output) SKERRY_LIBRARY(cufftExecR2C);
int run_d2z(int plan, void* input, void* output) SKERRY_LIBRARY(cufftExecD2Z);
int run_c2r(int plan, void* input, void* output) SKERRY_LIBRARY(cufftExecC2R);
int run_z2d(int plan, void* input, void* output) SKERRY_LIBRARY(cufftExecZ2D);

}  // namespace skerry::emulation::cufft
