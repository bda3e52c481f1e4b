// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Checks arguments according to the documentation of cuFFT 13.0: plans with advanced data layout,
// work areas, execution.

#include "device/emulator/libraries/cufft.hpp"

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <vector>

#include "device/memory.hpp"
#include "ops/call/error_record.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/fourier/kernels.hpp"

// The level of skerry's FFT that this library calls, of those that were built: CMakeLists.txt.
namespace skerry::SKERRY_FFT_LEVEL::kernels {
void fill_fft(FftKernels& table);
}

namespace skerry::emulation::cufft {

namespace {

constexpr int forward = -1;
constexpr int inverse = 1;

/// The layout of a transform's input or output, in elements.
struct Side {
  std::vector<long long> embed;
  long long stride = 1;
  long long distance = 0;
  std::size_t itemsize = 0;
};

struct TransformPlan : LibraryHandle {
  bool allocates = true;
  bool is_created = false;
  int type = 0;
  std::vector<long long> lengths;
  Side input;
  Side output;
  long long batch = 0;
  std::size_t work_nbytes = 0;
  void* work_area = nullptr;
};

std::mutex plans_mutex;
std::map<int, std::shared_ptr<TransformPlan>>& plans() {
  static auto* const all = new std::map<int, std::shared_ptr<TransformPlan>>;
  return *all;
}

std::shared_ptr<TransformPlan> find(int plan) {
  const std::lock_guard lock(plans_mutex);
  const auto entry = plans().find(plan);
  return entry != plans().end() ? entry->second : nullptr;
}

int refused(int status, const char* routine, const char* why) {
  report_rejection(routine, why);
  return status;
}

int base_of(int type) { return type & ~double_precision; }
bool is_known(int type) {
  const int base = base_of(type);
  return base == complex_to_complex || base == real_to_complex || base == complex_to_real;
}

/// Returns the length of an axis; n / 2 + 1 for the last axis of the half spectrum of a real array.
long long length_of(const TransformPlan& plan, std::size_t axis, bool is_half) {
  const long long length = plan.lengths[axis];
  return is_half && axis + 1 == plan.lengths.size() ? length / 2 + 1 : length;
}

bool is_input_half(const TransformPlan& plan) { return base_of(plan.type) == complex_to_real; }
bool is_output_half(const TransformPlan& plan) { return base_of(plan.type) == real_to_complex; }

/// Returns an axis' stride in elements.
long long stride_of(const Side& side, std::size_t axis) {
  long long stride = side.stride;
  for (std::size_t i = axis + 1; i < side.embed.size(); ++i) stride *= side.embed[i];
  return stride;
}

std::size_t extent_of(const TransformPlan& plan, const Side& layout, bool is_half) {
  long long last = (plan.batch - 1) * layout.distance;
  for (std::size_t axis = 0; axis < plan.lengths.size(); ++axis) {
    last += (length_of(plan, axis, is_half) - 1) * stride_of(layout, axis);
  }
  return static_cast<std::size_t>(last + 1) * layout.itemsize;
}

/// Without embed the layout is dense, and stride and distance are ignored.
Side side_of(const TransformPlan& plan, const long long* embed, long long stride,
             long long distance, bool is_half, std::size_t itemsize) {
  Side side;
  side.itemsize = itemsize;
  if (embed != nullptr) {
    side.embed.assign(embed, embed + plan.lengths.size());
    side.stride = stride;
    side.distance = distance;
    return side;
  }
  side.distance = 1;
  for (std::size_t axis = 0; axis < plan.lengths.size(); ++axis) {
    side.embed.push_back(length_of(plan, axis, is_half));
    side.distance *= side.embed.back();
  }
  return side;
}

const char* find_layout_error(const TransformPlan& plan, const Side& layout, bool is_half) {
  if (layout.stride < 1 || layout.distance < 0) return "stride less than 1, or negative distance";
  for (std::size_t axis = 1; axis < plan.lengths.size(); ++axis) {
    if (layout.embed[axis] < length_of(plan, axis, is_half))
      return "embed less than the length of an axis";
  }
  return nullptr;
}

/// Wraps device memory in a CPU storage.
StorageRef lend(const void* memory) {
  return adopt(Device{}, const_cast<void*>(memory), 1, false, nullptr, [](void*) noexcept {});
}

/// A transform along some axes, by one of the CPU's kernels.
struct Pass {
  const void* input;
  const Side& input_side;
  void* output;
  const Side& output_side;
  std::vector<std::size_t> axes;  ///< of the plan; the trailing ones are transformed
  std::size_t transformed;
  bool is_half;  ///< the last axis of the plan has the length of half a spectrum
};

/// Returns the parameters of the CPU's kernel.
FftParams params_of(const TransformPlan& plan, const Pass& pass, bool is_forward,
                    ErrorWord out_of_memory) {
  MemoryUse uses[OperandList::max_uses];
  OperandList operands(Device{}, uses);
  const StorageRef input_memory = lend(pass.input);
  const StorageRef output_memory = lend(pass.output);
  FftParams params{.input = operands(input_memory),
                   .output = operands(output_memory),
                   .scale = 1,
                   .rank = static_cast<std::int32_t>(pass.axes.size() + 1),
                   .transformed = static_cast<std::int32_t>(pass.transformed),
                   .shape = {},
                   .input_strides = {},
                   .output_strides = {},
                   .forward = is_forward,
                   .mirrored = false,
                   .out_of_memory = out_of_memory};
  const auto in = static_cast<std::int64_t>(pass.input_side.itemsize);
  const auto out = static_cast<std::int64_t>(pass.output_side.itemsize);
  params.shape[0] = plan.batch;
  params.input_strides[0] = pass.input_side.distance * in;
  params.output_strides[0] = pass.output_side.distance * out;
  for (std::size_t i = 0; i < pass.axes.size(); ++i) {
    const std::size_t axis = pass.axes[i];
    params.shape[i + 1] = length_of(plan, axis, pass.is_half);
    params.input_strides[i + 1] = stride_of(pass.input_side, axis) * in;
    params.output_strides[i + 1] = stride_of(pass.output_side, axis) * out;
  }
  return params;
}

const ::skerry::Kernel<FftParams>& kernel_of(int type) {
  static const FftKernels table = [] {
    FftKernels all{};
    SKERRY_FFT_LEVEL::kernels::fill_fft(all);
    return all;
  }();
  const int precision = (type & double_precision) != 0 ? 1 : 0;
  switch (base_of(type)) {
    case real_to_complex:
      return table.real_to_complex[precision];
    case complex_to_real:
      return table.complex_to_real[precision];
    default:
      return table.complex_to_complex[precision];
  }
}

void run_pass(const TransformPlan& plan, int type, const Pass& pass, bool is_forward) {
  const auto raise = [](const DeferredError&, std::int64_t) { throw std::bad_alloc(); };
  ErrorRecord record(Device{}, {.raise = raise, .values = {}});
  run_on_host(kernel_of(type), params_of(plan, pass, is_forward, record.word()));
  record.finish();
}

/// Transforms the axes of a half spectrum other than the last, in place.
void transform_outer_axes(const TransformPlan& plan, void* data, const Side& side,
                          bool is_forward) {
  const std::size_t last = plan.lengths.size() - 1;
  if (last == 0) return;
  std::vector<std::size_t> axes(last + 1, last);
  std::iota(axes.begin() + 1, axes.end(), std::size_t{0});
  run_pass(plan, complex_to_complex | (plan.type & double_precision),
           {data, side, data, side, axes, last, true}, is_forward);
}

void transform(const TransformPlan& plan, void* input, void* output, bool is_forward) {
  constexpr int garbage = 0xa5;
  if (plan.work_nbytes > 0) std::memset(plan.work_area, garbage, plan.work_nbytes);
  std::vector<std::size_t> axes(plan.lengths.size());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  // The kernels for a real side transform the last axis only.
  const std::size_t transformed = base_of(plan.type) == complex_to_complex ? axes.size() : 1;
  if (is_input_half(plan)) transform_outer_axes(plan, input, plan.input, is_forward);
  run_pass(plan, plan.type, {input, plan.input, output, plan.output, axes, transformed, false},
           is_forward);
  if (is_output_half(plan)) transform_outer_axes(plan, output, plan.output, is_forward);
  // According to cuFFT's documentation, C2R transforms overwrite their input.
  if (is_input_half(plan) && input != output) {
    std::memset(input, garbage, extent_of(plan, plan.input, true));
  }
}

const char* find_buffer_error(const TransformPlan& plan, const void* input, const void* output) {
  // Applies to real data, too: the library reads it as complex.
  const std::size_t complex_size = (plan.type & double_precision) != 0 ? 16 : 8;
  if (input == nullptr || output == nullptr) return "null pointer";
  if (!is_aligned(input, complex_size) || !is_aligned(output, complex_size)) {
    return "address not aligned to complex elements";
  }
  const bool is_same_layout =
      plan.input.embed == plan.output.embed && plan.input.stride == plan.output.stride &&
      plan.input.distance == plan.output.distance && plan.input.itemsize == plan.output.itemsize;
  return input == output && !is_same_layout ? "in-place transform with different layouts" : nullptr;
}

int execute(const char* routine, int plan, int type, void* input, void* output, int direction) {
  const std::shared_ptr<TransformPlan> transform_plan = find(plan);
  if (transform_plan == nullptr || !transform_plan->is_created)
    return refused(invalid_plan, routine, "invalid plan");
  if (const char* error_message = error_message_of(transform_plan.get()))
    return refused(invalid_plan, routine, error_message);
  if (transform_plan->type != type)
    return refused(invalid_type, routine, "the plan is for other types");
  if (direction != forward && direction != inverse) {
    return refused(invalid_value, routine, "invalid direction");
  }
  if (const char* error_message = find_buffer_error(*transform_plan, input, output)) {
    return refused(invalid_value, routine, error_message);
  }
  if (transform_plan->work_nbytes > 0 && transform_plan->work_area == nullptr) {
    return refused(no_workspace, routine, "the plan has no work area");
  }
  std::vector<AccessedRange> accessed_ranges = {
      {input, extent_of(*transform_plan, transform_plan->input, is_input_half(*transform_plan)),
       RangeAccess::read},
      {output, extent_of(*transform_plan, transform_plan->output, is_output_half(*transform_plan))},
      {transform_plan->work_area, transform_plan->work_nbytes}};
  // A copy: the plan's stream and work area may change before this runs.
  const int code = enqueue_library_task(routine, transform_plan->stream, std::move(accessed_ranges),
                                        [plan_now = *transform_plan, input, output, direction] {
                                          transform(plan_now, input, output, direction == forward);
                                        });
  return code == 0 ? success : exec_failed;
}

}  // namespace

int create(int* plan) {
  static int next = 1;
  if (plan == nullptr) return invalid_value;
  const std::lock_guard lock(plans_mutex);
  auto new_plan = std::make_shared<TransformPlan>();
  new_plan->ordinal = current_device();
  *plan = next++;
  plans().emplace(*plan, std::move(new_plan));
  return success;
}

int destroy(int plan) {
  const std::lock_guard lock(plans_mutex);
  return plans().erase(plan) == 1 ? success : invalid_plan;
}

int set_auto_allocation(int plan, int automatic) {
  const std::shared_ptr<TransformPlan> transform_plan = find(plan);
  if (transform_plan == nullptr || transform_plan->is_created) {
    return refused(invalid_plan, "cufftSetAutoAllocation", "invalid plan, or initialized before");
  }
  transform_plan->allocates = automatic != 0;
  return success;
}

int make_plan(int plan, int rank, const long long* lengths, const long long* input_embed,
              long long input_stride, long long input_distance, const long long* output_embed,
              long long output_stride, long long output_distance, int type, long long batch,
              std::size_t* work_nbytes) {
  constexpr const char* routine = "cufftMakePlanMany64";
  constexpr int max_plan_rank = 3;
  const std::shared_ptr<TransformPlan> transform_plan = find(plan);
  if (transform_plan == nullptr || transform_plan->is_created) {
    return refused(invalid_plan, routine, "invalid plan, or initialized before");
  }
  if (rank < 1 || rank > max_plan_rank || lengths == nullptr || work_nbytes == nullptr) {
    return refused(invalid_value, routine, "rank not 1 to 3, or null lengths or work size");
  }
  if (!is_known(type)) return refused(invalid_type, routine, "invalid type");
  for (int axis = 0; axis < rank; ++axis) {
    if (lengths[axis] < 1) return refused(invalid_size, routine, "axis length less than 1");
  }
  if (batch < 1) return refused(invalid_size, routine, "batch less than 1");
  if (transform_plan->allocates) {
    return refused(not_implemented, routine, "automatic work areas are not supported");
  }
  if (!kernel_of(type).has_host()) {
    return refused(not_implemented, routine, "type not in this build");
  }
  const std::size_t complex_size = (type & double_precision) != 0 ? 16 : 8;
  TransformPlan new_plan = *transform_plan;
  new_plan.type = type;
  new_plan.lengths.assign(lengths, lengths + rank);
  new_plan.batch = batch;
  new_plan.input =
      side_of(new_plan, input_embed, input_stride, input_distance, is_input_half(new_plan),
              base_of(type) == real_to_complex ? complex_size / 2 : complex_size);
  new_plan.output =
      side_of(new_plan, output_embed, output_stride, output_distance, is_output_half(new_plan),
              base_of(type) == complex_to_real ? complex_size / 2 : complex_size);
  const char* error_message = find_layout_error(new_plan, new_plan.input, is_input_half(new_plan));
  if (error_message == nullptr)
    error_message = find_layout_error(new_plan, new_plan.output, is_output_half(new_plan));
  if (error_message != nullptr) return refused(invalid_size, routine, error_message);
  // Never zero, and different for each length of the last axis, so that the work area of a plan for
  // another length is detected.
  new_plan.work_nbytes = static_cast<std::size_t>(64 + 8 * lengths[rank - 1]);
  new_plan.is_created = true;
  *transform_plan = new_plan;
  *work_nbytes = new_plan.work_nbytes;
  return success;
}

int set_stream(int plan, void* stream) {
  const std::shared_ptr<TransformPlan> transform_plan = find(plan);
  if (transform_plan == nullptr) return refused(invalid_plan, "cufftSetStream", "invalid plan");
  transform_plan->stream = stream;
  return success;
}

int set_work_area(int plan, void* work_area) {
  const std::shared_ptr<TransformPlan> transform_plan = find(plan);
  if (transform_plan == nullptr || !transform_plan->is_created) {
    return refused(invalid_plan, "cufftSetWorkArea", "invalid plan");
  }
  transform_plan->work_area = work_area;
  return success;
}

int run_any(int plan, void* input, void* output, int direction) {
  const std::shared_ptr<TransformPlan> transform_plan = find(plan);
  const int type = transform_plan != nullptr ? transform_plan->type : 0;
  return execute("cufftXtExec", plan, type, input, output, direction);
}
int run_c2c(int plan, void* input, void* output, int direction) {
  return execute("cufftExecC2C", plan, complex_to_complex, input, output, direction);
}
int run_z2z(int plan, void* input, void* output, int direction) {
  return execute("cufftExecZ2Z", plan, complex_to_complex + double_precision, input, output,
                 direction);
}
int run_r2c(int plan, void* input, void* output) {
  return execute("cufftExecR2C", plan, real_to_complex, input, output, forward);
}
int run_d2z(int plan, void* input, void* output) {
  return execute("cufftExecD2Z", plan, real_to_complex + double_precision, input, output, forward);
}
int run_c2r(int plan, void* input, void* output) {
  return execute("cufftExecC2R", plan, complex_to_real, input, output, inverse);
}
int run_z2d(int plan, void* input, void* output) {
  return execute("cufftExecZ2D", plan, complex_to_real + double_precision, input, output, inverse);
}

}  // namespace skerry::emulation::cufft
