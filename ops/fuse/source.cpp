// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/fuse/source.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace skerry {
namespace {

/// Writes the source. In patterns, `$` stands for the type of an operand, `%` for its number, and
/// `@` for the number of elements that a thread moves together.
class SourceWriter {
 public:
  SourceWriter(const SourceForm& source_form, std::span<const SourceStep> steps)
      : source_form_(source_form), steps_(steps) {
    for (const SourceStep& step : steps) {
      for (std::uint32_t k = 0; k <= step.inputs; ++k) {
        const auto location = static_cast<std::size_t>(step.locations[k]);
        if (location < types_.size()) types_[location] = step.types[k];
      }
    }
  }

  [[nodiscard]] std::string write() {
    add("#include \"skerry.hpp\"\nusing namespace skerry;\nusing namespace skerry::fused;\n");
    write_arguments();
    write_function();
    add("extern \"C\" __global__ void __launch_bounds__(256)\n"
        "fused_pass(const __grid_constant__ arguments a) {\n");
    static_assert(SourceForm::threads == 256);
    source_form_.rank == 0 ? write_runs() : write_strided();
    add("}\n");
    return std::move(text_);
  }

 private:
  enum class Which { outputs, inputs, singles };

  void add(std::string_view pattern, int operand = 0) {
    for (const char character : pattern) {
      if (character == '$') {
        text_ += name(types_[static_cast<std::size_t>(operand)]);
      } else if (character == '%' || character == '@') {
        text_ += std::to_string(character == '%' ? operand : source_form_.vector);
      } else {
        text_ += character;
      }
    }
  }
  void add(Which kind, std::string_view pattern) {
    for (int i = 0; i < source_form_.operands; ++i) {
      const bool is_single = ((source_form_.singles >> i) & 1u) != 0;
      const Which operand_kind = i < source_form_.outputs ? Which::outputs
                                 : is_single              ? Which::singles
                                                          : Which::inputs;
      if (operand_kind == kind) add(pattern, i);
    }
  }

  void write_arguments() {
    const auto array = [this](std::string_view pattern, int count) {
      if (count > 0) add(pattern, count);
    };
    add("struct arguments {\n");
    array("  Element values[%];\n", source_form_.constants);
    array("  char* data[%];\n  int64 size;\n", source_form_.operands);
    array("  int64 extent[%];\n", source_form_.rank);
    if (source_form_.rank > 0) array("  int64 stride[%]", source_form_.operands);
    array("[%];\n", source_form_.rank);
    add("};\n");
  }

  void add_input(int location, Dtype type) {
    if (location < FusedParams::first_constant) {
      text_ += names_[static_cast<std::size_t>(location)];
    } else {
      text_.append("load<").append(name(type)).append(">(a.values[");
      add("%].bytes)[0]", location - FusedParams::first_constant);
    }
  }

  /// Writes the function that applies all operations to one element.
  void write_function() {
    add("__device__ SKERRY_INLINE void run(const arguments& a");
    for (int i = source_form_.outputs; i < source_form_.operands; ++i) {
      add(", $ i%", i);
      names_[static_cast<std::size_t>(i)] = 'i' + std::to_string(i);
    }
    add(Which::outputs, ", $& o%");
    add(") {\n");
    int temporary_count = 0;
    for (const SourceStep& step : steps_) {
      std::string& operand_name = names_[static_cast<std::size_t>(step.locations[0])];
      const std::string value = std::string("t").append(std::to_string(temporary_count++));
      text_.append("  const ").append(name(step.types[0])).append(" ").append(value);
      text_.append(" = ops::apply<ops::").append(step.function).append(">(");
      for (std::uint32_t k = 1; k <= step.inputs; ++k) {
        add(k > 1 ? ", " : "");
        add_input(step.locations[k], step.types[k]);
      }
      add(");\n");
      operand_name = value;
    }
    for (int i = 0; i < source_form_.outputs; ++i) {
      add("  o% = ", i);
      text_.append(names_[static_cast<std::size_t>(i)]).append(";\n");
    }
    add("}\n");
  }

  /// Writes a call of `run` on item `n` of the inputs v, with results in the outputs v.
  void write_call(std::string_view n) {
    add(Which::outputs, "$ p%; ");
    add("run(a");
    for (int i = source_form_.outputs; i < source_form_.operands; ++i) {
      const bool is_single = ((source_form_.singles >> i) & 1u) != 0;
      add(is_single ? ", s%" : ", v%", i);
      text_.append(is_single ? "[0]" : n);
    }
    add(Which::outputs, ", p%");
    add(");\n");
    for (int i = 0; i < source_form_.outputs; ++i) {
      add("v%.item", i);
      text_.append(n);
      add(" = p%;\n", i);
    }
  }

  void write_runs() {
    add("  const int64 i = (static_cast<int64>(blockIdx.x) * 256 + threadIdx.x) * @;\n");
    add(Which::singles, "  const auto s% = load<$>(a.data[%]);\n");
    add("  if (i + @ <= a.size) {\n");
    add(Which::inputs, "    const auto v% = load<$, @>(a.data[%] + i * sizeof($));\n");
    add(Which::outputs, "    items<$, @> v%;\n");
    add("#pragma unroll\n    for (int n = 0; n < @; ++n) {\n");
    write_call("[n]");
    add("    }\n");
    add(Which::outputs, "    store(a.data[%] + i * sizeof($), v%);\n");
    add("    return;\n  }\n");
    if (source_form_.vector == 1) return;
    add("#pragma unroll 1\n  for (int64 n = i; n < a.size; ++n) {\n");
    write_one(" + n * sizeof($)");
    add("  }\n");
  }

  void write_strided() {
    add(source_form_.is_wide != 0 ? "  using index = uint64;\n" : "  using index = uint32;\n");
    add("  const index i = static_cast<index>(blockIdx.x) * 256 + threadIdx.x;\n"
        "  if (i >= a.size) return;\n");
    add("  int64 offsets[%] = {};\n  locate(i, a.extent, a.stride, offsets);\n",
        source_form_.operands);
    write_one(" + offsets[%]");
  }

  /// Writes the code for one element, whose operands are at `offset`.
  void write_one(std::string_view offset) {
    add(Which::inputs, std::string("const auto v% = load<$>(a.data[%]").append(offset) + ");\n");
    add(Which::outputs, "items<$, 1> v%;\n");
    write_call("[0]");
    add(Which::outputs, std::string("store(a.data[%]").append(offset) + ", v%);\n");
  }

  const SourceForm& source_form_;
  std::span<const SourceStep> steps_;
  std::array<Dtype, FusedParams::first_slot> types_{};
  std::array<std::string, FusedParams::first_constant> names_;
  std::string text_;
};

}  // namespace

std::string write_source(const SourceForm& source_form, std::span<const SourceStep> steps) {
  return SourceWriter(source_form, steps).write();
}

}  // namespace skerry
