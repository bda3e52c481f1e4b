// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/table/table.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/errors.hpp"
#include "device/memory.hpp"
#include "device/registry.hpp"
#include "device/stream.hpp"
#include "ops/call/error_record.hpp"
#include "ops/call/operand_list.hpp"

// A rehearsed device rejects parameters that NVIDIA's libraries reject or misread. Front ends never
// enqueue such parameters, so these tests construct them.

namespace skerry {
namespace {

template <class Params>
std::string refused(const Kernel<Params>& entry, const Params& params) {
  const char* const text = entry.untyped().unsupported_reason(&params);
  return text != nullptr ? text : "";
}

/// Converts to a pointer that is never read, `offset` bytes after an address aligned for any
/// element.
struct UnreadAddress {
  std::int64_t offset = 0;

  template <class T, Role R>
  operator OperandPointer<T, R>() const {  // NOLINT(google-explicit-constructor): as in a launch
    const StorageRef memory = allocate(Device{}, 64);
    MemoryUse uses[OperandList::max_uses];
    OperandList operands(memory->device(), uses);
    if constexpr (R == Role::workspace) {
      return operands.workspace(0);
    } else {
      return operands(memory, offset);
    }
  }
};

/// Parameters of a transform of `rank` axes, whose extents and strides are still 0.
FftParams empty_transform(std::int32_t rank, std::int32_t transformed) {
  ErrorRecord unread(Device{}, {});
  return {.input = UnreadAddress{},
          .output = UnreadAddress{},
          .scale = 0,
          .rank = rank,
          .transformed = transformed,
          .shape = {},
          .input_strides = {},
          .output_strides = {},
          .forward = false,
          .mirrored = false,
          .out_of_memory = unread.word()};
}

/// Parameters of rfft along axis 1 of a float32 array of shape (3, 8, 5).
FftParams real_transform() {
  FftParams p = empty_transform(3, 1);
  const std::int64_t shape[] = {3, 5, 8};
  const std::int64_t input[] = {160, 4, 20};
  const std::int64_t output[] = {200, 8, 40};
  for (int axis = 0; axis < 3; ++axis) {
    p.shape[axis] = shape[axis];
    p.input_strides[axis] = input[axis];
    p.output_strides[axis] = output[axis];
  }
  return p;
}

TEST(Refusals, CufftRejectsMisalignedBuffersAndUnsupportedLayouts) {
  const Kernel<FftParams>& entry = kernels().fft.real_to_complex[0];
  EXPECT_EQ(refused(entry, real_transform()), "");
  FftParams p = real_transform();
  p.input = UnreadAddress{4};
  EXPECT_NE(refused(entry, p), "");
  p = real_transform();
  p.output = UnreadAddress{4};
  EXPECT_NE(refused(entry, p), "");
  p = real_transform();
  p.input_strides[0] = 164;  // each of the three executions needs the same alignment
  EXPECT_NE(refused(entry, p), "");
  p = real_transform();
  p.input_strides[2] = 21;
  EXPECT_NE(refused(entry, p), "");
  p = real_transform();
  p.input_strides[2] = -20;
  EXPECT_NE(refused(entry, p), "");
  p = real_transform();
  p.transformed = 2;
  EXPECT_NE(refused(entry, p), "");
  p = real_transform();
  p.mirrored = true;
  EXPECT_NE(refused(entry, p), "");
}

TEST(Refusals, ARehearsedDeviceThrowsBeforeItRunsTheKernel) {
  const Device device{cuda_kind, 0};
  const Kernel<FftParams>& entry = kernels(device).fft.real_to_complex[0];
  FftParams p = real_transform();
  p.input = UnreadAddress{4};
  try {
    launch(device, entry.untyped(), p, {});
    FAIL() << "nothing was thrown";
  } catch (const DeviceError& refused) {
    EXPECT_NE(std::string(refused.what()).find("complex number"), std::string::npos)
        << refused.what();
  }
}

TEST(Refusals, CufftRequiresNestedStridesOfTransformedAxes) {
  FftParams p = empty_transform(2, 2);
  p.shape[0] = p.shape[1] = 4;
  p.input_strides[0] = p.output_strides[0] = 64;
  p.input_strides[1] = p.output_strides[1] = 16;
  const Kernel<FftParams>& entry = kernels().fft.complex_to_complex[1];
  EXPECT_EQ(refused(entry, p), "");
  p.input_strides[0] = 72;
  EXPECT_NE(refused(entry, p), "");
  p.input_strides[0] = 80;
  p.input_strides[1] = 32;
  EXPECT_NE(refused(entry, p), "");
}

TEST(Refusals, CublasRequiresAlignedMatricesWithALeadingDimension) {
  const Kernel<MatmulParams>& entry = kernels().matmul.kernel[static_cast<int>(Dtype::complex128)];
  MatmulParams good{UnreadAddress{}, UnreadAddress{}, UnreadAddress{}};
  good.m = good.n = good.k = 3;
  good.x1_row = good.x2_row = 48;
  good.x1_column = good.x2_column = 16;
  good.batch = 2;
  good.batch_rank = 1;
  good.batch_shape[0] = 2;
  good.x1_batch[0] = 144;
  good.x2_batch[0] = 0;
  EXPECT_EQ(refused(entry, good), "");
  MatmulParams p = good;
  p.x2 = UnreadAddress{8};
  EXPECT_NE(refused(entry, p), "");
  p = good;
  p.x1_row = 56;
  EXPECT_NE(refused(entry, p), "");
  p = good;
  p.x1_batch[0] = 152;
  EXPECT_NE(refused(entry, p), "");
  p.k = 0;
  EXPECT_EQ(refused(entry, p), "");
}

TEST(Refusals, CusolverRequiresAlignmentAndExtentsThatFitAnInt) {
  const auto entry = [](LinAlgRoutine routine) -> const Kernel<LinAlgParams>& {
    return kernels().linalg.kernel[static_cast<int>(routine)][static_cast<int>(Dtype::float64)];
  };
  constexpr UnreadAddress address;
  LinAlgParams good{LinAlgRequest{}, address, address, address, address, address, address, address};
  good.rows = good.columns = good.right_columns = good.reflector_count = 3;
  for (int routine = 0; routine < linalg_routine_count; ++routine) {
    EXPECT_EQ(refused(entry(static_cast<LinAlgRoutine>(routine)), good), "") << routine;
  }
  LinAlgParams p = good;
  p.rows = std::int64_t{1} << 31;
  EXPECT_NE(refused(entry(LinAlgRoutine::getrf), p), "");
  p = good;
  p.columns = 2;
  EXPECT_EQ(refused(entry(LinAlgRoutine::geqrf), p), "");
  EXPECT_NE(refused(entry(LinAlgRoutine::potrf), p), "");
  EXPECT_NE(refused(entry(LinAlgRoutine::orgqr), p), "");
  p = good;
  p.a = UnreadAddress{4};
  EXPECT_NE(refused(entry(LinAlgRoutine::geev), p), "");
}

}  // namespace
}  // namespace skerry
