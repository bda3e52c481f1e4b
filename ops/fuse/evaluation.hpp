// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "device/outer_lock.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/call/params_block.hpp"
#include "ops/fuse/recording.hpp"

namespace skerry {

/// Fewest elements times steps for which the outer lock is released: about 10 us.
inline constexpr std::int64_t min_steps_without_lock = 1 << 16;

/// Computes a recording in passes. A pass is a group of operations over one shape on one device
/// that need no other pass in between; one with too many operands is split into parts. Reductions
/// of rows, and all operations over the same rows, form a schedule of passes that runs on a block
/// of rows at a time.
class Evaluation {
 public:
  Evaluation(Recording& recording, const EvaluationHooks& hooks) noexcept
      : recording_(recording),
        hooks_(hooks),
        part_number_(recording.parts_),
        steps_(recording.steps_),
        constants_(recording.used_constants_) {}
  /// Computes all results that are referenced, and stores them in the nodes. Throws
  /// OutOfMemoryError, DeviceError.
  void run();
  /// Calls `reduce` with the parameters and operands of the pass that computes a node; stores
  /// nothing. Returns false if the node takes several passes, or if an expensive operation would be
  /// computed again for an array that is referenced. `is_held`: the node itself is referenced.
  [[nodiscard]] bool feed(std::int32_t node, bool is_held, const feed_reader& reduce);

 private:
  using node = Recording::Node;
  using reference = Recording::reference;
  using source = Recording::Source;
  using nodes = std::span<const std::int32_t>;  ///< indices of nodes, in topological order

  [[nodiscard]] node& node_at(std::int32_t i) {
    return recording_.nodes_[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] const Recording::LayoutEntry& layout_entry(const node& x) const {
    return recording_.layouts_[static_cast<std::size_t>(x.layout_index)];
  }
  /// Calls `look` with each recorded operation whose result `reader` reads.
  template <class Look>
  void for_each_producer(const node& reader, Look look) {
    for (int k = 0; k < reader.input_count; ++k) {
      if (reader.inputs[k].source == source::node) look(node_at(reader.inputs[k].index));
    }
  }
  [[nodiscard]] static bool is_pass(const node& x) noexcept { return x.reduction < 0; }
  [[nodiscard]] const Dims& shape_of(const node& x) const { return layout_entry(x).layout.shape; }
  [[nodiscard]] std::int64_t elements_of(const node& x) const {
    return layout_entry(x).layout.size();
  }
  [[nodiscard]] bool is_aligned(const node& producer, const node& reader) const noexcept;
  [[nodiscard]] bool runs_together(const node& a, const node& b) const noexcept;
  void find_needed() noexcept;
  void find_levels() noexcept;
  [[nodiscard]] bool find_cone(std::int32_t root, bool is_held);

  void run_group(std::span<std::int32_t> group);
  void run_pass(nodes pass);
  void run_in_halves(nodes pass);
  [[nodiscard]] bool fits(nodes part_nodes);
  [[nodiscard]] bool add_operand(const reference& new_operand);
  [[nodiscard]] bool add_operands(nodes part_nodes);
  [[nodiscard]] bool add_steps(nodes part_nodes);
  void add_to_chain(nodes part_nodes, std::size_t position, FusedStep& step);
  [[nodiscard]] std::int16_t find_input(const reference& input);
  void allocate_outputs(nodes part_nodes);
  void fill_plan(OperandList& operands, WidePlan& plan, const Dims& shape);
  [[nodiscard]] const ParamsBlock<FusedParams>& fill_params(OperandList& operands,
                                                            const Dims& shape);
  [[nodiscard]] std::int64_t bytes_of(const reference& x) const;
  void report(nodes pass, bool feeds_reduction);
  void launch_part(const Dims& shape, Device device);
  [[nodiscard]] std::int64_t bytes_one_by_one(nodes pass) const;
  // Rows, in rows.cpp.
  void find_rows();
  [[nodiscard]] bool is_one_step(const node& a, const node& b) const noexcept;
  void order_steps(std::span<std::int32_t> group);
  void run_rows(std::span<std::int32_t> group);
  [[nodiscard]] bool may_go_to_target(const node& x) const;
  void place_output(node& x);
  void add_pass(nodes pass);
  void add_reduction(std::int32_t i);
  void add_step(RowStep& step, std::span<const std::byte> params);
  void find_runs(const WidePlan& plan, RowStep& step) const;
  void locate(RowStep& step, int operand, const node& producer) const;
  [[nodiscard]] std::vector<reference> find_accesses();
  void launch_rows();
  // Devices with native kernels, in native.cpp.
  void launch_native(nodes part_nodes, const Dims& shape);
  [[nodiscard]] bool launch_compiled(nodes part_nodes, const Dims& shape);
  void run_singly(nodes part_nodes);

  Recording& recording_;
  const EvaluationHooks& hooks_;
  // The part that is being prepared: its number, its operands, its steps.
  std::int32_t& part_number_;
  int outputs_ = 0;
  int operand_count_ = 0;
  int cost_ = 0;
  int max_itemsize_ = 1;
  /// The pass has one part, so memory that it changes in place is read before it is written.
  bool is_whole_ = false;
  // The group over the same rows that is being prepared.
  nodes group_;  ///< empty if passes are launched immediately
  std::optional<OperandList> row_operands_;
  std::int64_t rows_ = 0;
  std::int64_t row_scratch_ = 0;
  std::int64_t row_cost_ = 0;
  std::int32_t row_steps_ = 0;
  std::vector<std::int64_t> temporaries_;  ///< first bytes of a row, later offsets in the scratch
  std::array<reference, WidePlan::max_operands> operands_;
  std::vector<FusedStep>& steps_;
  std::vector<Element>& constants_;
};

/// Returns, for devices with native kernels, how many passes ran as one compiled kernel, how many
/// as a kernel per operation, and how many kernels were compiled.
[[nodiscard]] std::array<std::int64_t, 3> fused_pass_counts() noexcept;

}  // namespace skerry
