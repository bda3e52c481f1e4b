// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/ptx/kernel_names.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <string_view>
#include <utility>

namespace skerry::emulation {
namespace {

/// Returns other names unchanged: without its prefix, "f" is the type float.
[[nodiscard]] std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  char* const readable = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string demangled_name = readable != nullptr ? readable : name;
  std::free(readable);
  return demangled_name;
}

/// Decodes "<" and ">" of "<locals>": Numba escapes characters as _ and two hexadecimal digits.
[[nodiscard]] std::string without_escapes(std::string text) {
  for (const auto& [escape, character] : {std::pair{"_3c", "<"}, std::pair{"_3e", ">"}}) {
    for (std::size_t position = text.find(escape); position != std::string::npos;
         position = text.find(escape, position)) {
      text.replace(position, 3, character);
    }
  }
  return text;
}

}  // namespace

std::string readable_kernel_name(const std::string& mangled) {
  std::string name = demangled(mangled);
  // Numba tags every kernel with its function's version, such as [abi:v1].
  const std::size_t tag = name.find("[abi:v");
  if (tag == std::string::npos) return name;
  constexpr std::string_view prefix = "cudapy::";
  const std::size_t begin = name.starts_with(prefix) ? prefix.size() : 0;
  name = without_escapes(name.substr(begin, tag - begin));
  for (std::size_t position = name.find("::"); position != std::string::npos;
       position = name.find("::", position)) {
    name.replace(position, 2, 1, '.');
  }
  return name;
}

}  // namespace skerry::emulation
