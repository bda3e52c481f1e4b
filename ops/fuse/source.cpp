// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/fuse/source.hpp"

#include <array>
#include <initializer_list>
#include <string_view>

namespace skerry {
namespace {

/// Writes `$` as the type and `#` as the number of an operand.
class source_writer {
 public:
  source_writer(const source_form& form, std::span<const source_step> steps)
      : form_(form), steps_(steps) {
    for (const source_step& step : steps) {
      for (std::uint32_t k = 0; k <= step.inputs; ++k) {
        const auto place = static_cast<std::size_t>(step.places[k]);
        if (place < types_.size()) types_[place] = step.types[k];
      }
    }
  }

  [[nodiscard]] std::string write() {
    text_ = "#include \"skerry.hpp\"\nusing namespace skerry;\nusing namespace skerry::fused;\n";
    write_arguments();
    write_function();
    text_ += "extern \"C\" __global__ void __launch_bounds__(" + number(source_form::threads) +
             ")\nfused_pass(const __grid_constant__ arguments a) {\n";
    if (form_.rank == 0) {
      write_runs();
    } else {
      write_strided();
    }
    return std::move(text_) + "}\n";
  }

 private:
  static std::string number(std::int64_t of) { return std::to_string(of); }
  static std::string type(dtype of) { return "type_t<" + number(static_cast<int>(of)) + ">"; }

  [[nodiscard]] bool is_single(int operand) const { return ((form_.singles >> operand) & 1u) != 0; }

  void add(std::string_view pattern, int operand) {
    for (const char each : pattern) {
      if (each == '$') {
        text_ += type(types_[static_cast<std::size_t>(operand)]);
      } else if (each == '#') {
        text_ += number(operand);
      } else {
        text_ += each;
      }
    }
  }
  void add_outputs(std::string_view pattern) {
    for (int i = 0; i < form_.outputs; ++i) add(pattern, i);
  }

  void write_arguments() {
    const std::string rank = "[" + number(form_.rank) + "]";
    text_ += "struct arguments {\n";
    if (form_.constants > 0) text_ += "  element values[" + number(form_.constants) + "];\n";
    text_ += "  char* data[" + number(form_.operands) + "];\n  long size;\n";
    if (form_.rank > 0) {
      text_ += "  long extent" + rank + ";\n  long stride[" + number(form_.operands) + "]" + rank +
               ";\n";
    }
    text_ += "};\n";
  }

  /// The operations on one element.
  void write_function() {
    text_ += "__device__ SKERRY_INLINE void run(const arguments& a";
    for (int i = form_.outputs; i < form_.operands; ++i) add(", $ i#", i);
    add_outputs(", $& o#");
    text_ += ") {\n";
    std::array<std::string, fused_params::first_constant> names;
    for (int i = form_.outputs; i < form_.operands; ++i) {
      names[static_cast<std::size_t>(i)] = "i" + number(i);
    }
    std::int64_t made = 0;
    for (const source_step& step : steps_) {
      std::string inputs;
      for (std::uint32_t k = 1; k <= step.inputs; ++k) {
        const int place = step.places[k];
        if (k > 1) inputs += ", ";
        if (place < fused_params::first_constant) {
          inputs += names[static_cast<std::size_t>(place)];
        } else {
          inputs += "a.values[" + number(place - fused_params::first_constant) + "].as<" +
                    type(step.types[k]) + ">()";
        }
      }
      std::string& name = names[static_cast<std::size_t>(step.places[0])];
      name = "t" + number(made++);
      text_ += "  const " + type(step.types[0]) + " " + name +
               " = ops::apply<ops::" + step.function + ">(" + inputs + ");\n";
    }
    for (int i = 0; i < form_.outputs; ++i) {
      text_ += "  o" + number(i) + " = " + names[static_cast<std::size_t>(i)] + ";\n";
    }
    text_ += "}\n";
  }

  /// `run` on inputs as the patterns have them, those of one element by another.
  void write_call(std::string_view input, std::string_view single) {
    add_outputs("$ p#; ");
    text_ += "run(a";
    for (int i = form_.outputs; i < form_.operands; ++i) add(is_single(i) ? single : input, i);
    add_outputs(", p#");
    text_ += ");\n";
  }

  void write_runs() {
    const std::string vector = number(form_.vector);
    text_ += "  const long i = (static_cast<long>(blockIdx.x) * " + number(source_form::threads) +
             " + threadIdx.x) * " + vector + ";\n";
    for (int i = form_.outputs; i < form_.operands; ++i) {
      if (is_single(i)) add("  const $ s# = load<$>(a.data[#]);\n", i);
    }
    text_ += "  if (i + " + vector + " <= a.size) {\n";
    for (int i = form_.outputs; i < form_.operands; ++i) {
      if (is_single(i)) continue;
      add("    const items<$, " + vector + "> v#(a.data[#] + i * sizeof($));\n", i);
    }
    add_outputs("    items<$, " + vector + "> v#;\n");
    text_ += "#pragma unroll\n    for (int n = 0; n < " + vector + "; ++n) {\n      ";
    write_call(", v#[n]", ", s#");
    add_outputs("      v#.put(n, p#);\n");
    text_ += "    }\n";
    add_outputs("    v#.store(a.data[#] + i * sizeof($));\n");
    text_ += "  }\n";
    if (form_.vector == 1) return;
    text_ += "  else {\n#pragma unroll 1\n    for (long n = i; n < a.size; ++n) {\n      ";
    write_call(", load<$>(a.data[#] + n * sizeof($))", ", s#");
    add_outputs("      store(a.data[#] + n * sizeof($), p#);\n");
    text_ += "    }\n  }\n";
  }

  void write_strided() {
    const std::string index = form_.is_wide != 0 ? "unsigned long" : "unsigned int";
    text_ += "  const " + index + " i = static_cast<" + index + ">(blockIdx.x) * " +
             number(source_form::threads) + " + threadIdx.x;\n  if (i >= a.size) return;\n" +
             "  long at[" + number(form_.operands) +
             "] = {};\n  locate(i, a.extent, a.stride, at);\n  ";
    write_call(", load<$>(a.data[#] + at[#])", "");
    add_outputs("  store(a.data[#] + at[#], p#);\n");
  }

  const source_form& form_;
  std::span<const source_step> steps_;
  std::array<dtype, fused_params::first_slot> types_{};
  std::string text_;
};

}  // namespace

std::string write_source(const source_form& form, std::span<const source_step> steps) {
  return source_writer(form, steps).write();
}

}  // namespace skerry
