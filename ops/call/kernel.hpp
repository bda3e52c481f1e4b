// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/config.hpp"
#include "device/kernel.hpp"

namespace skerry {

/// How a kernel uses an operand. An `untouched` operand provides only strides for a plan.
enum class Role : std::uint8_t {
  input,
  optional_input,
  output,
  optional_output,
  workspace,
  untouched,
};

/// A pointer in a kernel's parameters, which converts to T* at no cost. Only a launch creates one
/// (OperandList) and records, according to the role, how the memory is used. Without a default
/// constructor, parameters whose initializer omits an operand don't compile.
template <class T, Role R>
class OperandPointer {
 public:
  SKERRY_HD SKERRY_INLINE constexpr operator T*() const noexcept { return address_; }
  [[nodiscard]] SKERRY_HD SKERRY_INLINE constexpr T* get() const noexcept { return address_; }

 private:
  friend class OperandList;
  explicit OperandPointer(T* address) noexcept : address_(address) {}

  T* address_;
};

template <class T>
using InputPointer = OperandPointer<const T, Role::input>;
/// Null if the operand is absent.
template <class T>
using OptionalInputPointer = OperandPointer<const T, Role::optional_input>;
/// For memory that is written, also if it is read first.
template <class T>
using OutputPointer = OperandPointer<T, Role::output>;
template <class T>
using OptionalOutputPointer = OperandPointer<T, Role::optional_output>;
/// For host forms only: native forms use LaunchContext::workspace.
template <class T>
using WorkspacePointer = OperandPointer<T, Role::workspace>;

/// A plan in a kernel's parameters, with operands in these roles and this order. Only a launch
/// creates one. Without roles, the number of operands is known only at run time, and the plan
/// stores how many of them are outputs.
template <class Plan, Role... Roles>
class PlannedOperands {
 public:
  SKERRY_HD SKERRY_INLINE constexpr operator const Plan&() const noexcept { return plan_; }
  [[nodiscard]] SKERRY_HD SKERRY_INLINE constexpr const Plan& plan() const noexcept {
    return plan_;
  }

 private:
  friend class OperandList;
  explicit PlannedOperands(const Plan& plan) noexcept : plan_(plan) {}
  /// Constructs the result of `make()` in place.
  template <class Make>
  PlannedOperands(std::in_place_t, const Make& make) : plan_(make()) {}

  Plan plan_;
};

/// A pointer to the word in which a kernel reports an invalid value in an operand, such as an index
/// that is out of bounds. Only an ErrorRecord creates one (ops/call/error_record.hpp). Unlike
/// operands, the word needs no recorded use: it stays valid until the kernel has run.
class ErrorWord {
 public:
  SKERRY_HD SKERRY_INLINE constexpr operator std::int64_t*() const noexcept { return word_; }
  [[nodiscard]] SKERRY_HD SKERRY_INLINE constexpr std::int64_t* get() const noexcept {
    return word_;
  }

 private:
  friend class ErrorRecord;
  explicit ErrorWord(std::int64_t* word) noexcept : word_(word) {}

  std::int64_t* word_;
};

/// Requirements on operands that the native forms of a kernel have, but its host form does not.
/// Declared as `Params::native_limits`.
struct NativeLimits {
  /// Arrays must be contiguous, in C order.
  bool dense_operands = false;
  /// Operands must be aligned to a whole complex number, not only to its parts.
  bool complex_alignment = false;
  /// Maximum number of items that a kernel can index.
  std::int64_t max_count = INT64_MAX;
};

/// A kernel whose host and native forms take `const Params&`. It adds no members to AnyKernel, the
/// untyped kernel that devices run. The CUDA module sets the native forms in the same tables.
template <class Params>
class Kernel : AnyKernel {
 public:
  template <void (*Form)(const Params&)>
  constexpr void set_host() {
    host = [](const void* params) { Form(*static_cast<const Params*>(params)); };
  }
  /// Sets a form that takes a base class of Params, for direct callers that have only the base.
  template <class Header, void (*Form)(const Header&)>
    requires std::is_base_of_v<Header, Params>
  constexpr void set_host() {
    host = [](const void* params) { Form(*static_cast<const Header*>(params)); };
  }
  template <int (*Form)(const Params&, LaunchContext*)>
  constexpr void set_native() {
    native = [](const void* params, LaunchContext* context) {
      return Form(*static_cast<const Params*>(params), context);
    };
  }
  /// Sets the inner loop of a host form whose parameters are a plan: see AnyKernel. Always inlined:
  /// source files compiled for different levels call it, and the linker could keep the copy
  /// with AVX-512.
  SKERRY_INLINE constexpr void set_body(decltype(AnyKernel::body) loop_body, unsigned single_sets) {
    body = loop_body;
    accepts = single_sets;
  }
  template <const char* (*Form)(const Params&)>
  constexpr void set_unsupported_reason() {
    unsupported_reason = [](const void* params) {
      return Form(*static_cast<const Params*>(params));
    };
  }
  [[nodiscard]] constexpr bool has_host() const noexcept { return host != nullptr; }
  [[nodiscard]] constexpr bool has_native() const noexcept { return native != nullptr; }
  /// For code that runs kernels (ops/call, ops/fuse) and its tests.
  [[nodiscard]] constexpr const AnyKernel& untyped() const noexcept { return *this; }
  [[nodiscard]] constexpr AnyKernel& untyped() noexcept { return *this; }
};

/// Runs a kernel on the host immediately, without recording uses. Always inlined, like set_body().
template <class Params>
SKERRY_INLINE void run_on_host(const Kernel<Params>& kernel,
                               const std::type_identity_t<Params>& params) {
  kernel.untyped().host(&params);
}

}  // namespace skerry
