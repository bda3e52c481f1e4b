// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/emulator/failure.hpp"

namespace skerry::emulation {

namespace ptx {
struct ModuleSource;
struct EntrySource;
}  // namespace ptx
struct Program;
class Module;

/// A parameter of a kernel, and the position of its bytes among a launch's parameters.
struct Parameter {
  std::string name;
  std::uint32_t offset = 0;
  std::uint32_t nbytes = 0;
};

/// A .global or .const variable. The runtime creates one instance per device.
struct Variable {
  std::string name;
  std::size_t nbytes = 0;
  std::size_t alignment = 1;
  bool is_constant = false;
  bool is_extern = false;          ///< declared, but not defined in the loaded text
  std::vector<std::byte> initial;  ///< nbytes bytes, which the runtime copies to each instance
  /// A word of `initial` to which the runtime adds the address of a variable.
  struct Address {
    std::size_t offset = 0;
    std::size_t variable = 0;  ///< index into Module::variables()
  };
  std::vector<Address> addresses{};
};

/// Attributes for cudaFuncGetAttributes and the occupancy calculator.
struct KernelAttributes {
  std::size_t static_shared_bytes = 0;
  std::size_t local_bytes = 0;
  std::size_t parameter_bytes = 0;
  std::size_t constant_bytes = 0;  ///< of the module's .const variables
  int registers = 0;               ///< an estimate: only ptxas knows the number
  int max_threads_per_block = 0;   ///< .maxntid or .reqntid, else 1024
  int ptx_version = 0;             ///< such as 80
  int binary_version = 0;
};

/// A kernel of a module, decoded on first use. Thread-safe.
class Kernel {
 public:
  Kernel(const Module& owner, const ptx::EntrySource& source);
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  ~Kernel();

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Returns the demangled name: see readable_kernel_name().
  [[nodiscard]] std::string readable_name() const;
  [[nodiscard]] std::span<const Parameter> parameters() const noexcept;
  [[nodiscard]] const Module& owner() const noexcept { return owner_; }
  /// Throws ImageError if the kernel is not valid PTX.
  [[nodiscard]] KernelAttributes attributes() const;
  /// Returns the decoded kernel; throws ImageError.
  [[nodiscard]] const Program& decoded() const;

 private:
  struct LazilyDecoded;
  const Module& owner_;
  const ptx::EntrySource& source_;
  std::string name_;
  std::unique_ptr<LazilyDecoded> decoded_;
};

/// The kernels and variables of one image, shared by all devices of one compute capability.
class Module {
 public:
  /// Loads a fat binary (its PTX for the newest target that the capability, such as 80, can run),
  /// the `__fatBinC_Wrapper_t` that points to one, or PTX text. Text may end in zeros, and may
  /// follow a line "SKERRYPTX1", which the emulator's linkers write. Throws ImageError: 200 for a
  /// damaged image, 209 if it has nothing for this capability, 218 for invalid PTX, 222 for PTX of
  /// a newer version.
  [[nodiscard]] static std::shared_ptr<const Module> load(std::span<const std::byte> image,
                                                          int compute_capability);
  /// Returns the size of a fat binary from its header: the runtime receives only a pointer. Throws
  /// ImageError(200) if it is not a fat binary.
  [[nodiscard]] static std::size_t fat_binary_size(const std::byte* data);

  /// Returns the bytes of an image of any kind from a pointer; throws ImageError(200).
  [[nodiscard]] static std::span<const std::byte> image_at(const void* data);

  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// Finds a kernel by its mangled name; null if there is none.
  [[nodiscard]] const Kernel* find(std::string_view name) const noexcept;
  [[nodiscard]] std::span<const std::unique_ptr<Kernel>> kernels() const noexcept {
    return kernels_;
  }
  /// Returns the variables, in the order of Launch::variables.
  [[nodiscard]] std::span<const Variable> variables() const noexcept;
  [[nodiscard]] const Variable* find_variable(std::string_view name) const noexcept;
  [[nodiscard]] int target() const noexcept;  ///< such as 80
  [[nodiscard]] int compute_capability() const noexcept { return compute_capability_; }
  [[nodiscard]] const ptx::ModuleSource& source() const noexcept { return *source_; }

 private:
  Module(std::unique_ptr<ptx::ModuleSource> source, int compute_capability);
  std::unique_ptr<ptx::ModuleSource> source_;
  int compute_capability_;
  std::vector<std::unique_ptr<Kernel>> kernels_;  // sorted by name
};

}  // namespace skerry::emulation
