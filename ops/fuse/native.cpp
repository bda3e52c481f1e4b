// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Passes on devices whose kernels are native ones: a kernel of the pass's own, compiled when its
// structure comes again, else one kernel for each operation.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <string>
#include <unordered_map>

#include "device/memory.hpp"
#include "device/stream.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/kernels.hpp"
#include "ops/fuse/evaluation.hpp"
#include "ops/fuse/source.hpp"

namespace skerry {
namespace {

/// A kernel takes a tenth of a second to compile, more than most programs have of a pass that
/// runs once.
constexpr int calls_before = 1;
constexpr std::size_t most_waiting = 4096;   ///< structures that came too seldom for a kernel
constexpr std::size_t most_kernels = 16384;  ///< they stay; of others' passes none is made then
/// Of a kernel's parameters; more took drivers before CUDA 12.1 amiss.
constexpr std::size_t most_bytes = 4096;
/// As many steps of one thread are unrolled over the elements that it moves together.
constexpr std::size_t most_unrolled = 24;
constexpr std::int64_t most_blocks = INT32_MAX;

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

/// Kept for good, as threads may use it at the end of a process.
KnownStructures& structures() {
  static auto* const known = new KnownStructures;
  return *known;
}

template <class T>
void append_bytes(std::string& to, const T& value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

bool is_multiple(const char* address, std::int64_t of) {
  return reinterpret_cast<std::intptr_t>(address) % of == 0;
}

/// As runs, and how many elements move together.
void describe_runs(const WidePlan& work, SourceForm& form, std::size_t steps) {
  std::int64_t widest = 1;
  for (int i = 0; i < work.operand_count; ++i) {
    widest = std::max(widest, work.itemsize[i]);
    if (work.rank == 1 && work.strides[i][0] == 0) {
      form.singles = static_cast<std::uint16_t>(form.singles | 1u << i);
    }
  }
  std::int64_t vector = steps > most_unrolled ? 1 : std::min<std::int64_t>(16 / widest, 4);
  for (int i = 0; i < work.operand_count; ++i) {
    if (((form.singles >> i) & 1u) != 0) continue;
    while (vector > 1 && !is_multiple(work.data[i], vector * work.itemsize[i])) vector /= 2;
  }
  form.vector = static_cast<std::int16_t>(vector);
}

/// False where there is no kernel for operands that lie like this.
bool describe(const WidePlan& work, SourceForm& form, std::size_t steps) {
  bool is_run = work.rank <= 1;
  for (int i = 0; i < work.operand_count; ++i) {
    const std::int64_t width = work.itemsize[i];
    if (!is_multiple(work.data[i], width)) return false;
    for (int axis = 0; axis < work.rank; ++axis) {
      if (work.strides[i][axis] % width != 0) return false;
    }
    if (work.rank == 1) is_run = is_run && (work.strides[i][0] == width || work.strides[i][0] == 0);
  }
  form.operands = static_cast<std::int16_t>(work.operand_count);
  form.outputs = static_cast<std::int16_t>(work.output_count);
  form.vector = 1;
  if (is_run) {
    describe_runs(work, form, steps);
  } else {
    form.rank = static_cast<std::int16_t>(work.rank);
    form.is_wide = work.size > UINT32_MAX - SourceForm::threads ? 1 : 0;
  }
  return form.rank <= SourceForm::most_axes;
}

/// What write_source() says of the kernel's parameter.
std::string arguments_of(const WidePlan& work, const SourceForm& form,
                         std::span<const Element> constants) {
  std::string made;
  for (const Element& each : constants) append_bytes(made, each);
  for (int i = 0; i < work.operand_count; ++i) append_bytes(made, work.data[i]);
  append_bytes(made, work.size);
  for (int axis = 0; axis < form.rank; ++axis) append_bytes(made, work.shape[axis]);
  for (int i = 0; i < work.operand_count && form.rank > 0; ++i) {
    for (int axis = 0; axis < form.rank; ++axis) append_bytes(made, work.strides[i][axis]);
  }
  return made;
}

/// The structure, if it has come before and its kernel may be there.
Structure* find_structure(const SourceForm& form, std::span<const SourceStep> steps, Device where) {
  std::string key;
  append_bytes(key, where.kind);
  append_bytes(key, where.index);
  append_bytes(key, form);
  for (const SourceStep& step : steps) append_bytes(key, step);
  const std::lock_guard lock(structures_mutex);
  auto& [all, with_text] = structures();
  if (all.size() - with_text >= most_waiting && !all.contains(key)) {  // nobody else has those
    std::erase_if(all, [](const auto& each) { return each.second.text.empty(); });
  }
  Structure& found = all[key];
  if (found.is_refused || found.calls++ < calls_before) return nullptr;
  if (found.text.empty()) {
    if (with_text == most_kernels) return nullptr;
    found.text = write_source(form, steps);
    ++with_text;
  }
  return &found;
}

}  // namespace

std::array<std::int64_t, 3> fused_pass_counts() noexcept {
  return {counts[0], counts[1], counts[2]};
}

void Evaluation::launch_native(nodes part, const Dims& shape) {
  const bool is_launched = launch_compiled(part, shape);
  ++counts[is_launched ? 0 : 1];
  if (!is_launched) run_singly(part);
}

bool Evaluation::launch_compiled(nodes part, const Dims& shape) {
  const Device where = at(part[0]).result->where();
  WidePlan work;
  fill_plan(work, shape);
  SourceForm form{};
  form.constants = static_cast<std::int16_t>(constants_.size());
  if (!describe(work, form, steps_.size())) return false;
  std::vector<SourceStep> steps(steps_.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const node& each = at(part[i]);
    steps[i].function = each.function.name;
    std::copy(std::begin(steps_[i].places), std::end(steps_[i].places), steps[i].places);
    steps[i].types[0] = each.type;
    for (int k = 0; k < each.input_count; ++k) steps[i].types[k + 1] = each.inputs[k].type;
    steps[i].inputs = each.input_count;
  }
  const std::int64_t share = std::int64_t{SourceForm::threads} * form.vector;
  const std::int64_t blocks = (work.size + share - 1) / share;
  const std::string arguments = arguments_of(work, form, constants_);
  if (blocks > most_blocks || arguments.size() > most_bytes) return false;
  Structure* const found = find_structure(form, steps, where);
  if (found == nullptr) return false;
  MemoryUse uses[WidePlan::max_operands];
  for (int i = 0; i < operand_count_; ++i) {
    uses[i] = i < outputs_ ? writes(memory_of(i)) : reads(memory_of(i));
  }
  char problem[CompiledCall::problem_bytes] = "";
  const CompiledCall call{.text = found->text.c_str(),
                          .function = &found->function,
                          .arguments = arguments.data(),
                          .blocks = static_cast<unsigned>(blocks),
                          .threads = SourceForm::threads,
                          .problem = problem};
  const bool is_new = found->function == nullptr;
  {
    const WithoutOuterLock working(is_new);
    launch(where, kernels<fuse_kernels>(where).compiled, call,
           {uses, static_cast<std::size_t>(operand_count_)});
  }
  if (*problem == 0) {
    counts[2] += is_new ? 1 : 0;
    return true;
  }
  const std::lock_guard lock(structures_mutex);
  found->is_refused = true;
  if (hooks_.say != nullptr && !was_said.exchange(true)) hooks_.say(problem);
  return false;
}

void Evaluation::run_singly(nodes part) {
  for (std::size_t position = 0; position < part.size(); ++position) {
    node& each = at(part[position]);
    const Layout& place = place_of(each).where;
    if (!each.made) {
      const std::int64_t nbytes = place.size() * itemsize(each.type);
      each.made = allocate(each.result->where(), static_cast<std::size_t>(nbytes));
    }
    const NdArray out(each.made, Layout(place), each.type);
    KernelCall call(out);
    std::array<NdArray, FusedStep::most_inputs> made;
    for (int k = 0; k < each.input_count; ++k) {
      const reference& input = each.inputs[k];
      const auto index = static_cast<std::size_t>(input.index);
      if (input.from == source::constant) {
        call.add(of_.constants_[index], itemsize(input.type));
      } else if (input.from == source::leaf) {
        call.add(of_.leaves_[index].array);
      } else {
        const node& maker = at(input.index);
        made[static_cast<std::size_t>(k)] =
            NdArray(maker.made, Layout(place_of(maker).where), maker.type);
        call.add(made[static_cast<std::size_t>(k)]);
      }
    }
    call.enqueue(*each.loop);
    for (int k = 0; k < each.input_count; ++k) {
      if (each.inputs[k].from != source::node) continue;
      node& maker = at(each.inputs[k].index);
      const bool is_over = maker.last == static_cast<std::int32_t>(position);
      if (maker.part == part_ && !maker.is_stored && is_over) maker.made = {};
    }
  }
}

}  // namespace skerry
