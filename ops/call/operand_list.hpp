// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/memory_use.hpp"
#include "core/ndarray.hpp"
#include "core/plan.hpp"
#include "device/stream.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/host_scratch.hpp"
#include "ops/call/kernel.hpp"

namespace skerry {

/// An array that a plan traverses with another layout of the same elements.
struct PlannedArray {
  const NdArray& array;
  const Layout& layout;
};
/// Items of a storage that a plan traverses; the kernel may access any byte of the storage.
struct PlannedStorage {
  const StorageRef& memory;
  const Layout& layout;
  std::int64_t itemsize;
};
/// An array in a one-axis plan: its elements are `stride` bytes apart; 0 repeats one element.
struct PlannedRun {
  const NdArray& array;
  std::int64_t stride;
};
/// A scalar in a one-axis plan.
struct PlannedElement {
  const Element& value;
  std::int64_t itemsize;
};

struct Common;   // ops/call/operands.hpp
struct Operand;  // ops/call/operand.hpp

/// The operands of one launch, and the only source of the pointers in its parameters. The role of
/// each parameter determines whether its array is recorded as read or written, so that a front end
/// can't forget to record it.
class OperandList {
  static constexpr bool may_be_null(Role role) {
    return role == Role::optional_input || role == Role::optional_output;
  }
  /// Proxy for an array: converts to a parameter, and records the use in the parameter's role.
  template <bool IsPresent>
  struct BoundArray {
    OperandList& operands;
    const NdArray* array;
    std::int64_t offset;

    template <class T, Role R>
      requires(R != Role::workspace && (IsPresent || may_be_null(R)))
    operator OperandPointer<T, R>() const noexcept {  // NOLINT: the parameter says the role
      if (!IsPresent && array == nullptr) return OperandPointer<T, R>(nullptr);
      return operands.add<T, R>(*array, offset);
    }
  };
  /// Proxy for a storage, any byte of which the kernel may access; null for an absent operand.
  struct BoundStorage {
    OperandList& operands;
    const StorageRef& memory;
    std::int64_t offset;

    template <class T, Role R>
      requires(R != Role::workspace)
    operator OperandPointer<T, R>() const noexcept {  // NOLINT: as above
      if (may_be_null(R) && !memory) return OperandPointer<T, R>(nullptr);
      operands.note(is_read(R) ? reads(memory) : writes(memory));
      return OperandPointer<T, R>(reinterpret_cast<T*>(memory->data() + offset));
    }
  };
  struct Workspace {
    char* data;

    template <class T>
    operator WorkspacePointer<T>() const noexcept {  // NOLINT: as above
      return WorkspacePointer<T>(reinterpret_cast<T*>(data));
    }
  };
  struct NoMemory {
    template <class T, Role R>
    operator OperandPointer<T, R>() const noexcept {  // NOLINT: as above
      return OperandPointer<T, R>(const_cast<char*>(&nowhere));
    }
  };
  static constexpr char nowhere = 0;

 public:
  static constexpr int max_uses = 16;

  /// `uses` has room for `capacity` entries. The buffer is not a member, so that the compiler sees
  /// that the address of this object does not escape.
  OperandList(Device device, MemoryUse* uses, int capacity = max_uses) noexcept
      : device_(device), capacity_(capacity), uses_(uses) {}
  OperandList(const OperandList&) = delete;
  OperandList& operator=(const OperandList&) = delete;

  /// Binds `x`, from `offset` bytes after its first element on.
  [[nodiscard]] BoundArray<true> operator()(const NdArray& x, std::int64_t offset = 0) noexcept {
    return {*this, &x, offset};
  }
  BoundArray<true> operator()(NdArray&&, std::int64_t = 0) = delete;  // destroyed before the launch
  /// Binds an operand that may be null; for optional roles only.
  [[nodiscard]] BoundArray<false> operator()(const NdArray* x) noexcept { return {*this, x, 0}; }
  /// Binds `memory`, from `offset` bytes after its first byte on.
  [[nodiscard]] BoundStorage operator()(const StorageRef& memory,
                                        std::int64_t offset = 0) noexcept {
    return {*this, memory, offset};
  }
  /// Allocates the workspace by host_scratch(), at most once per launch. Call it before binding
  /// other operands, so that their pointers stay in registers.
  [[nodiscard]] Workspace workspace(std::int64_t nbytes) {
    workspace_ = host_scratch(device_, nbytes);
    note(writes(workspace_));
    return {workspace_->data()};
  }
  /// Binds a placeholder address that is never accessed, so no use is recorded. Only for elements
  /// computed on demand, whose index is the byte offset from it (ReduceParams::feed), and for
  /// operations of a fused pass, which get their pointers when they run (ops/fuse/rows.cpp).
  [[nodiscard]] static NoMemory no_memory() noexcept { return {}; }
  /// Builds a plan over `shape`, and records the operands in the roles that the member declares.
  template <class Plan, Role... Roles, class... Operands>
  [[nodiscard]] PlanParts parts(std::type_identity<PlannedOperands<Plan, Roles...>> /*member*/,
                                const Dims& shape, const Operands&... operands) {
    static_assert(sizeof...(Roles) == sizeof...(Operands), "not the operands of this plan");
    (add_planned<Roles>(operands), ...);
    const PlanOperand plan_operands[] = {plan_operand(operands)...};
    return {shape, plan_operands, index_limit(device_)};
  }
  /// Proxy for a part of the plan: converts to the member passed to parts().
  template <class Plan>
  struct PlanPart {
    const Plan& part;

    template <Role... Roles>
    operator PlannedOperands<Plan, Roles...>() const noexcept {  // NOLINT: as above
      return PlannedOperands<Plan, Roles...>(part);
    }
  };
  template <class... Operands>
  struct RunInPlace {
    OperandList& list;
    std::int64_t size;
    std::tuple<Operands...> operands;

    template <Role... Roles>
    operator PlannedOperands<Plan, Roles...>() const noexcept {  // NOLINT: as above
      static_assert(sizeof...(Roles) == sizeof...(Operands), "not the operands of this plan");
      return std::apply(
          [this](const Operands&... operand) {
            (list.add_planned<Roles>(operand), ...);
            return PlannedOperands<Plan, Roles...>(std::in_place, [&] {
              Plan plan(size);
              (add_to_run(plan, operand), ...);
              return plan;
            });
          },
          operands);
    }
  };
  /// Builds a plan over one axis of `size` elements (not 0), in place. Each operand is a PlannedRun
  /// or a PlannedElement, recorded in its role. Only for the host, where a plan is one part.
  template <class... Operands>
  [[nodiscard]] RunInPlace<Operands...> run(std::int64_t size,
                                            const Operands&... operands) noexcept {
    assert(is_host(device_));
    return {*this, size, {operands...}};
  }
  template <class Fill>
  struct PlanInPlace {
    OperandList& operands;
    const Fill& fill;

    template <class Plan>
    operator PlannedOperands<Plan>() const {  // NOLINT: as above
      return PlannedOperands<Plan>(std::in_place, [this] {
        Plan plan;
        fill(operands, plan);
        return plan;
      });
    }
  };
  /// Builds a plan, in place, whose number of operands is known only at run time:
  /// `fill(operands, plan)` writes it, with addresses from add_operand().
  template <class Fill>
  [[nodiscard]] PlanInPlace<Fill> plan(const Fill& fill) noexcept {
    return {*this, fill};
  }
  /// Records an operand of a plan of plan(); the kernel may access any byte of the storage. Returns
  /// the address `offset` bytes after the storage's first byte.
  [[nodiscard]] char* add_operand(Role role, const StorageRef& memory,
                                  std::int64_t offset = 0) noexcept {
    note(is_read(role) ? reads(memory) : writes(memory));
    return memory->data() + offset;
  }
  [[nodiscard]] std::span<const MemoryUse> uses() const noexcept {
    return {uses_, static_cast<std::size_t>(count_)};
  }

 private:
  static constexpr bool is_read(Role role) {
    return role == Role::input || role == Role::optional_input;
  }
  static const NdArray& memory_of(const NdArray& x) { return x; }
  static const NdArray& memory_of(const PlannedArray& x) { return x.array; }
  static const StorageRef& memory_of(const PlannedStorage& x) { return x.memory; }
  static const NdArray& memory_of(const PlannedRun& x) { return x.array; }
  template <Role R, class Planned>
  void add_planned(const Planned& x) noexcept {
    constexpr bool has_memory = !std::is_same_v<Planned, PlannedElement>;
    static_assert(has_memory || is_read(R), "an element is only read");
    if constexpr (has_memory && R != Role::untouched) {
      note(is_read(R) ? reads(memory_of(x)) : writes(memory_of(x)));
    }
  }
  static PlanOperand plan_operand(const NdArray& x) noexcept { return PlanOperand::from_array(x); }
  static PlanOperand plan_operand(const PlannedArray& x) noexcept {
    return {.data = x.array.data(), .layout = &x.layout, .itemsize = x.array.itemsize()};
  }
  static PlanOperand plan_operand(const PlannedStorage& x) noexcept {
    return {
        .data = x.memory->data() + x.layout.offset, .layout = &x.layout, .itemsize = x.itemsize};
  }
  static void add_to_run(Plan& plan, const PlannedRun& x) noexcept {
    plan.add(x.array.data(), x.array.itemsize());
    plan.strides[plan.operand_count - 1][0] = x.stride;
    plan.contiguous = false;
  }
  SKERRY_INLINE static void add_to_run(Plan& plan, const PlannedElement& x) noexcept {
    plan.add(x.value, x.itemsize);
  }
  // Friends that record the uses of their operands themselves.
  friend class KernelCall;
  friend void launch_run(const Kernel<Plan>& kernel, const Common& common, const StorageRef& out,
                         std::int64_t offset, std::int64_t width,
                         std::span<const Operand> operands);
  SKERRY_INLINE static void add_to_run(Plan& plan, char* array, std::int64_t itemsize) noexcept {
    plan.add(array, itemsize);
  }
  SKERRY_INLINE static Plan make_run(std::int64_t size) noexcept { return Plan(size); }
  static PlanParts make_parts(const Dims& shape, std::span<const PlanOperand> operands,
                              std::int64_t index_limit) {
    return {shape, operands, index_limit};
  }
  template <class T, Role R>
  OperandPointer<T, R> add(const NdArray& x, std::int64_t offset) noexcept {
    using item = std::remove_const_t<T>;
    if constexpr (!std::is_void_v<T> && !std::is_same_v<item, char>) {
      assert(x.dtype() == dtype_of<item>);
    }
    assert(is_read(R) || !x.read_only());
    note(is_read(R) ? reads(x) : writes(x));
    return OperandPointer<T, R>(reinterpret_cast<T*>(x.data() + offset));
  }
  void note(MemoryUse use) noexcept {
    assert(count_ < capacity_);
    uses_[count_++] = use;
  }

  Device device_;
  int capacity_;
  int count_ = 0;
  MemoryUse* uses_;
  StorageRef workspace_;
};

/// Slow path of require_kernel(). Not inlined, so that the fast path has one more register.
template <class Params>
[[gnu::noinline]] const Kernel<Params>& require_form(const Kernel<Params>& kernel, Dtype type,
                                                     Device device) {
  static_cast<void>(require_form(kernel.untyped(), type, device));
  return kernel;
}
/// Returns `kernel` if it can run on `device`. Throws NotImplementedError if this build has no such
/// kernel for the dtype.
template <class Params>
const Kernel<Params>& require_kernel(const Kernel<Params>& kernel, Dtype type, Device device) {
  if (is_host(device) && kernel.has_host()) [[likely]]
    return kernel;
  return require_form(kernel, type, device);
}

/// Launches a kernel with the parameters that `fill(operands)` returns. See launch() in
/// device/stream.hpp.
template <class Params, class Fill>
void launch(Device device, const Kernel<Params>& kernel, Fill&& fill) {
  static_assert(std::is_trivially_copyable_v<Params>);
  MemoryUse uses[OperandList::max_uses];
  OperandList operands(device, uses);
  const auto params = fill(operands);
  static_assert(std::is_same_v<decltype(params), const Params>, "parameters of another kernel");
  launch(device, kernel.untyped(), &params, sizeof params, operands.uses());
}

/// The same with a list of operands that the caller has filled, which may exceed max_uses.
template <class Params>
void launch(Device device, const Kernel<Params>& kernel, const Params& params,
            const OperandList& operands) {
  static_assert(std::is_trivially_copyable_v<Params>);
  launch(device, kernel.untyped(), &params, sizeof params, operands.uses());
}

/// Launches a kernel for each part of a plan over `shape` and the operands `planned` (arrays,
/// PlannedArrays or PlannedStorages). `fill(operands, plan)` returns the parameters of the first
/// part; those of the other parts differ only in the member `plan`.
template <class Params, class Fill, class... Planned>
void launch_parts(Device device, const Kernel<Params>& kernel, const Dims& shape, Fill&& fill,
                  const Planned&... planned) {
  static_assert(std::is_trivially_copyable_v<Params>);
  MemoryUse uses[OperandList::max_uses];
  OperandList operands(device, uses);
  PlanParts parts = operands.parts(std::type_identity<decltype(Params::plan)>{}, shape, planned...);
  if (parts.empty()) return;
  Params params = fill(operands, OperandList::PlanPart<Plan>{parts.first()});
  bool is_first = true;
  parts.for_each([&](const Plan& part) {
    if (!is_first) params.plan = OperandList::PlanPart<Plan>{part};
    is_first = false;
    launch(device, kernel.untyped(), &params, sizeof params, operands.uses());
  });
}

}  // namespace skerry
