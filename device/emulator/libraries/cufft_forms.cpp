// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Other forms of plans in cuFFT 13.0, by cufftMakePlanMany64.

#include <array>

#include "device/emulator/libraries/cufft.hpp"

namespace skerry::emulation::cufft {

namespace {

constexpr int max_rank = 3;
// cudaDataType
constexpr int real_32 = 0;
constexpr int real_64 = 1;
constexpr int complex_32 = 4;
constexpr int complex_64 = 5;

using Extents = std::array<long long, max_rank>;

/// Returns the address of a widened copy, or null for null.
const long long* widen(const int* extents, int rank, Extents& copy) {
  if (extents == nullptr) return nullptr;
  for (int axis = 0; axis < rank && axis < max_rank; ++axis) {
    copy[static_cast<std::size_t>(axis)] = extents[axis];
  }
  return copy.data();
}

/// Returns the type of a transform, or 0 if none has these types of elements.
int type_of(int input, int output, int execution) {
  const int precision = execution == complex_64 ? double_precision : 0;
  const int real = execution == complex_64 ? real_64 : real_32;
  if (execution != complex_32 && execution != complex_64) return 0;
  if (input == execution && output == execution) return complex_to_complex | precision;
  if (input == real && output == execution) return real_to_complex | precision;
  return input == execution && output == real ? complex_to_real | precision : 0;
}

}  // namespace

SKERRY_ENTRY_POINT(cufftMakePlan1d, make_plan_of_line,
                   (int plan, int length, int type, int batch, std::size_t* work_nbytes)) {
  const long long lengths[] = {length};
  return make_plan(plan, 1, lengths, nullptr, 1, 0, nullptr, 1, 0, type, batch, work_nbytes);
}

SKERRY_ENTRY_POINT(cufftMakePlanMany, make_plan_of_ints,
                   (int plan, int rank, const int* lengths, const int* input_embed,
                    int input_stride, int input_distance, const int* output_embed,
                    int output_stride, int output_distance, int type, int batch,
                    std::size_t* work_nbytes)) {
  Extents shape{};
  Extents input{};
  Extents output{};
  return make_plan(plan, rank, widen(lengths, rank, shape), widen(input_embed, rank, input),
                   input_stride, input_distance, widen(output_embed, rank, output), output_stride,
                   output_distance, type, batch, work_nbytes);
}

SKERRY_ENTRY_POINT(cufftXtMakePlanMany, make_plan_of_types,
                   (int plan, int rank, const long long* lengths, const long long* input_embed,
                    long long input_stride, long long input_distance, int input_type,
                    const long long* output_embed, long long output_stride,
                    long long output_distance, int output_type, long long batch,
                    std::size_t* work_nbytes, int execution_type)) {
  const int type = type_of(input_type, output_type, execution_type);
  if (type == 0) {
    report_rejection("cufftXtMakePlanMany", "unsupported combination of types");
    return invalid_type;
  }
  return make_plan(plan, rank, lengths, input_embed, input_stride, input_distance, output_embed,
                   output_stride, output_distance, type, batch, work_nbytes);
}

SKERRY_ENTRY_POINT(cufftGetVersion, get_version, (int* version)) {
  *version = 12000;  // 12.0.0, of CUDA 13.0
  return success;
}

// Plans for several devices.
SKERRY_REJECTED(cufftXtSetGPUs, not_implemented)
SKERRY_REJECTED(cufftXtSetWorkArea, not_implemented)
SKERRY_REJECTED(cufftXtMemcpy, not_implemented)
SKERRY_REJECTED(cufftXtExecDescriptorC2C, not_implemented)
SKERRY_REJECTED(cufftXtExecDescriptorZ2Z, not_implemented)

}  // namespace skerry::emulation::cufft
