// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Passes on devices with native kernels. A pass runs as one kernel per operation the first time
// that its structure occurs; from the second time on, one kernel is compiled for it.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <string>
#include <unordered_map>

#include "device/memory.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/kernels.hpp"
#include "ops/fuse/evaluation.hpp"
#include "ops/fuse/source.hpp"

namespace skerry {
namespace {

/// Calls of a structure before its kernel is compiled, which takes a tenth of a second: too long
/// for a pass that runs once.
constexpr int calls_before = 1;
constexpr std::size_t max_waiting = 4096;  ///< structures without a kernel that are remembered
/// With this many kernels, no more are compiled. None is evicted.
constexpr std::size_t max_kernels = 16384;
/// Maximum size of a kernel's parameters in drivers before CUDA 12.1.
constexpr std::size_t max_param_bytes = 4096;
/// Passes with more steps are not unrolled over several elements per thread.
constexpr std::size_t max_unrolled_steps = 24;
constexpr std::int64_t max_blocks = INT32_MAX;

struct Structure {
  int calls = 0;
  bool is_refused = false;
  std::string text;
  std::atomic<void*> function{nullptr};
};

constinit std::mutex structures_mutex;
constinit std::atomic<bool> was_said{false};
constinit std::array<std::atomic<std::int64_t>, 3> counts{};  ///< of fused_pass_counts()

struct KnownStructures {
  std::unordered_map<std::string, Structure> all;
  std::size_t with_text = 0;
};

/// Never destroyed, as threads may use it at the end of a process.
KnownStructures& structures() {
  static auto* const known_structures = new KnownStructures;
  return *known_structures;
}

template <class T>
void append_bytes(std::string& destination, const T& value) {
  destination.append(reinterpret_cast<const char*>(&value), sizeof value);
}

bool is_multiple(const char* address, std::int64_t alignment) {
  return reinterpret_cast<std::intptr_t>(address) % alignment == 0;
}

/// Describes operands that are runs, and chooses how many elements a thread loads at once.
void describe_runs(const WidePlan& plan, SourceForm& source_form, std::size_t steps) {
  std::int64_t max_itemsize = 1;
  for (int i = 0; i < plan.operand_count; ++i) {
    max_itemsize = std::max(max_itemsize, plan.itemsize[i]);
    if (plan.rank == 1 && plan.strides[i][0] == 0) {
      source_form.singles = static_cast<std::uint16_t>(source_form.singles | 1u << i);
    }
  }
  std::int64_t vector =
      steps > max_unrolled_steps ? 1 : std::min<std::int64_t>(16 / max_itemsize, 4);
  for (int i = 0; i < plan.operand_count; ++i) {
    if (((source_form.singles >> i) & 1u) != 0) continue;
    while (vector > 1 && !is_multiple(plan.data[i], vector * plan.itemsize[i])) vector /= 2;
  }
  source_form.vector = static_cast<std::int16_t>(vector);
}

/// Returns false if the layout of the operands is not supported.
bool describe(const WidePlan& plan, SourceForm& source_form, std::size_t steps) {
  bool is_run = plan.rank <= 1;
  for (int i = 0; i < plan.operand_count; ++i) {
    const std::int64_t width = plan.itemsize[i];
    if (!is_multiple(plan.data[i], width)) return false;
    for (int axis = 0; axis < plan.rank; ++axis) {
      if (plan.strides[i][axis] % width != 0) return false;
    }
    if (plan.rank == 1) is_run = is_run && (plan.strides[i][0] == width || plan.strides[i][0] == 0);
  }
  source_form.operands = static_cast<std::int16_t>(plan.operand_count);
  source_form.outputs = static_cast<std::int16_t>(plan.output_count);
  source_form.vector = 1;
  if (is_run) {
    describe_runs(plan, source_form, steps);
  } else {
    source_form.rank = static_cast<std::int16_t>(plan.rank);
    source_form.is_wide = plan.size > UINT32_MAX - SourceForm::threads ? 1 : 0;
  }
  return source_form.rank <= SourceForm::max_axes;
}

/// Returns the kernel's parameter as write_source() describes it.
std::string arguments_of(const WidePlan& plan, const SourceForm& source_form,
                         std::span<const Element> constants) {
  std::string bytes;
  for (const Element& constant : constants) append_bytes(bytes, constant);
  for (int i = 0; i < plan.operand_count; ++i) append_bytes(bytes, plan.data[i]);
  append_bytes(bytes, plan.size);
  for (int axis = 0; axis < source_form.rank; ++axis) append_bytes(bytes, plan.shape[axis]);
  for (int i = 0; i < plan.operand_count && source_form.rank > 0; ++i) {
    for (int axis = 0; axis < source_form.rank; ++axis) append_bytes(bytes, plan.strides[i][axis]);
  }
  return bytes;
}

/// Counts a call of the structure. Returns it if it has occurred before and may have a kernel,
/// otherwise null.
Structure* find_structure(const SourceForm& source_form, std::span<const SourceStep> steps,
                          Device device) {
  std::string key;
  append_bytes(key, device.kind);
  append_bytes(key, device.index);
  append_bytes(key, source_form);
  for (const SourceStep& step : steps) append_bytes(key, step);
  const std::lock_guard lock(structures_mutex);
  auto& [all, with_text] = structures();
  if (all.size() - with_text >= max_waiting && !all.contains(key)) {  // nothing points to these
    std::erase_if(all, [](const auto& entry) { return entry.second.text.empty(); });
  }
  Structure& structure = all[key];
  if (structure.is_refused || structure.calls++ < calls_before) return nullptr;
  if (structure.text.empty()) {
    if (with_text == max_kernels) return nullptr;
    structure.text = write_source(source_form, steps);
    ++with_text;
  }
  return &structure;
}

}  // namespace

std::array<std::int64_t, 3> fused_pass_counts() noexcept {
  return {counts[0], counts[1], counts[2]};
}

void Evaluation::launch_native(nodes part_nodes, const Dims& shape) {
  const bool is_launched = launch_compiled(part_nodes, shape);
  ++counts[is_launched ? 0 : 1];
  if (!is_launched) run_singly(part_nodes);
}

bool Evaluation::launch_compiled(nodes part_nodes, const Dims& shape) {
  const Device device = node_at(part_nodes[0]).device;
  MemoryUse uses[WidePlan::max_operands];
  OperandList operands(device, uses, WidePlan::max_operands);
  WidePlan plan;
  fill_plan(operands, plan, shape);
  SourceForm source_form{};
  source_form.constants = static_cast<std::int16_t>(constants_.size());
  if (!describe(plan, source_form, steps_.size())) return false;
  std::vector<SourceStep> steps(steps_.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const node& operation = node_at(part_nodes[i]);
    steps[i].function = operation.function.name;
    std::copy(std::begin(steps_[i].locations), std::end(steps_[i].locations), steps[i].locations);
    steps[i].types[0] = operation.type;
    for (int k = 0; k < operation.input_count; ++k)
      steps[i].types[k + 1] = operation.inputs[k].type;
    steps[i].inputs = operation.input_count;
  }
  const std::int64_t share = std::int64_t{SourceForm::threads} * source_form.vector;
  const std::int64_t blocks = (plan.size + share - 1) / share;
  const std::string arguments = arguments_of(plan, source_form, constants_);
  if (blocks > max_blocks || arguments.size() > max_param_bytes) return false;
  Structure* const structure = find_structure(source_form, steps, device);
  if (structure == nullptr) return false;
  char error_message[CompiledCall::error_message_bytes] = "";
  const CompiledCall call{.text = structure->text.c_str(),
                          .function = &structure->function,
                          .arguments = arguments.data(),
                          .blocks = static_cast<unsigned>(blocks),
                          .threads = SourceForm::threads,
                          .error_message = error_message};
  const bool is_new = structure->function == nullptr;
  {
    const WithoutOuterLock working(is_new);
    launch(device, kernels<FuseKernels>(device).compiled, call, operands);
  }
  if (*error_message == 0) {
    counts[2] += is_new ? 1 : 0;
    return true;
  }
  const std::lock_guard lock(structures_mutex);
  structure->is_refused = true;
  if (hooks_.warn != nullptr && !was_said.exchange(true)) hooks_.warn(error_message);
  return false;
}

void Evaluation::run_singly(nodes part_nodes) {
  for (std::size_t position = 0; position < part_nodes.size(); ++position) {
    node& operation = node_at(part_nodes[position]);
    const Layout& layout = layout_entry(operation).layout;
    if (!operation.storage) {
      const std::int64_t nbytes = layout.size() * itemsize(operation.type);
      operation.storage = allocate(operation.device, static_cast<std::size_t>(nbytes));
    }
    const NdArray out(operation.storage, Layout(layout), operation.type);
    KernelCall call(out);
    std::array<NdArray, FusedStep::max_inputs> input_arrays;
    for (int k = 0; k < operation.input_count; ++k) {
      const reference& input = operation.inputs[k];
      const auto index = static_cast<std::size_t>(input.index);
      if (input.source == source::constant) {
        call.add(recording_.constants_[index], itemsize(input.type));
      } else if (input.source == source::leaf) {
        call.add(recording_.leaves_[index].array);
      } else {
        const node& producer = node_at(input.index);
        input_arrays[static_cast<std::size_t>(k)] =
            NdArray(producer.storage, Layout(layout_entry(producer).layout), producer.type);
        call.add(input_arrays[static_cast<std::size_t>(k)]);
      }
    }
    call.enqueue(*operation.loop);
    for (int k = 0; k < operation.input_count; ++k) {
      if (operation.inputs[k].source != source::node) continue;
      node& producer = node_at(operation.inputs[k].index);
      const bool is_over = producer.last == static_cast<std::int32_t>(position);
      if (producer.part_number == part_number_ && !producer.is_stored && is_over)
        producer.storage = {};
    }
  }
}

}  // namespace skerry
