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

/// A parameter of a kernel: where its bytes lie in what a launch hands over.
struct Parameter {
  std::string name;
  std::uint32_t offset = 0;
  std::uint32_t nbytes = 0;
};

/// A .global or .const variable. The runtime gives each device a copy of it.
struct Variable {
  std::string name;
  std::size_t nbytes = 0;
  std::size_t alignment = 1;
  bool is_constant = false;
  bool is_extern = false;          ///< declared, and defined in no text that was loaded
  std::vector<std::byte> initial;  ///< of nbytes; the runtime copies them when it places it
  /// Words of `initial` to which the address of a variable is added when all have their places.
  struct Address {
    std::size_t offset = 0;
    std::size_t variable = 0;  ///< its number in module::variables()
  };
  std::vector<Address> addresses{};
};

/// What cudaFuncGetAttributes and the occupancy calculator need.
struct KernelAttributes {
  std::size_t static_shared_bytes = 0;
  std::size_t local_bytes = 0;
  std::size_t parameter_bytes = 0;
  std::size_t constant_bytes = 0;  ///< of the module's .const variables
  int registers = 0;               ///< an estimate: ptxas alone knows
  int max_threads_per_block = 0;   ///< .maxntid, or 1024
  int ptx_version = 0;             ///< such as 80
  int binary_version = 0;
};

/// A kernel of a module, decoded when it is first asked for more than its name. Thread-safe.
class Kernel {
 public:
  Kernel(const Module& owner, const ptx::EntrySource& source);
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  ~Kernel();

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// As c++filt writes it.
  [[nodiscard]] std::string readable_name() const;
  [[nodiscard]] std::span<const Parameter> parameters() const noexcept;
  [[nodiscard]] const Module& owner() const noexcept { return owner_; }
  /// Throws ImageError for a kernel that isn't PTX.
  [[nodiscard]] KernelAttributes attributes() const;
  /// What the executor runs; throws ImageError.
  [[nodiscard]] const Program& decoded() const;

 private:
  struct LazilyDecoded;
  const Module& owner_;
  const ptx::EntrySource& source_;
  std::string name_;
  std::unique_ptr<LazilyDecoded> decoded_;
};

/// The kernels and variables of one image, shared by all devices of a compute capability.
class Module {
 public:
  /// Reads a fat binary (its PTX for the newest target that the capability, such as 80, can run),
  /// the `__fatBinC_Wrapper_t` data it points to, or PTX text, with or without a final zero, which
  /// linkers that keep it may have put "SKERRYPTX1" and a line's end before. Throws ImageError:
  /// 200 damaged, 209 nothing for this capability, 218 no PTX, 222 PTX of a newer version.
  [[nodiscard]] static std::shared_ptr<const Module> load(std::span<const std::byte> image,
                                                          int compute_capability);
  /// The size of a fat binary, which says so itself: the runtime is handed a pointer alone.
  /// Throws ImageError(200) if it is none.
  [[nodiscard]] static std::size_t fat_binary_size(const std::byte* data);

  /// The bytes of any image of which a pointer alone is given; throws ImageError(200).
  [[nodiscard]] static std::span<const std::byte> image_at(const void* data);

  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// By its mangled name; null if there is none.
  [[nodiscard]] const Kernel* find(std::string_view name) const noexcept;
  [[nodiscard]] std::span<const std::unique_ptr<Kernel>> kernels() const noexcept {
    return kernels_;
  }
  /// In the order in which launch::variables has their addresses.
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
