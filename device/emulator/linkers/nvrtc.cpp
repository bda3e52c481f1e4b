// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "device/emulator/linkers/image_text.hpp"
#include "device/emulator/linkers/real_library.hpp"
#include "device/emulator/ptx/embedded_source.hpp"

// NVRTC's functions, forwarded to NVIDIA's library. Code for sm_80 is compiled for compute_80, and
// a program that requests machine code gets the PTX. PTX with line information ends with the
// program, for reports.

namespace skerry::emulation::linkers {
namespace {

constexpr int invalid_input = 3;
constexpr int internal_error = 11;

using six_arguments = long(long, long, long, long, long, long);

[[nodiscard]] long forward(const char* name, long a, long b, long c, long d, long e,
                           long f) noexcept {
  auto* const function = real<six_arguments>(name);
  return function == nullptr ? internal_error : function(a, b, c, d, e, f);
}

struct ProgramState {
  std::string source;     ///< as comments of PTX
  bool has_code = false;  ///< compiled for a real architecture: only then has it machine code
  bool has_lines = false;

  /// Returns what is appended to the PTX.
  [[nodiscard]] std::string_view suffix() const noexcept {
    return has_lines ? std::string_view(source) : std::string_view();
  }
};

class Programs {
 public:
  void add(const void* program, std::string source) {
    const std::lock_guard lock(mutex_);
    states_[program] = {.source = std::move(source)};
  }
  void set(const void* program, bool has_code, bool has_lines) {
    const std::lock_guard lock(mutex_);
    states_[program].has_code = has_code;
    states_[program].has_lines = has_lines;
  }
  void remove(const void* program) {
    const std::lock_guard lock(mutex_);
    states_.erase(program);
  }
  [[nodiscard]] ProgramState find(const void* program) {
    const std::lock_guard lock(mutex_);
    const auto entry = states_.find(program);
    return entry == states_.end() ? ProgramState() : entry->second;
  }
  [[nodiscard]] static Programs& instance() {
    static auto* const one = new Programs;  // outlives main, as programs may
    return *one;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<const void*, ProgramState> states_;
};

/// Returns NVIDIA's PTX of a program; empty if it has none, as after -dlto.
[[nodiscard]] std::string real_ptx(void* program) {
  auto* const get_size = real<int(void*, std::size_t*)>("nvrtcGetPTXSize");
  auto* const get = real<int(void*, char*)>("nvrtcGetPTX");
  std::size_t nbytes = 0;
  if (get_size == nullptr || get == nullptr || get_size(program, &nbytes) != 0) return {};
  std::string ptx(nbytes, '\0');
  return get(program, ptx.data()) == 0 ? ptx : std::string();
}

[[nodiscard]] bool has_line_information(std::string_view ptx) noexcept {
  return ptx.find("\n\t.loc\t") != std::string_view::npos;
}

[[nodiscard]] bool is_architecture_option(std::string_view option) noexcept {
  return option == "-arch" || option == "--gpu-architecture";
}

/// Returns the options with real architectures replaced by virtual ones; sets `has_code` if
/// there are any.
[[nodiscard]] std::vector<std::string> virtual_options(int count, const char* const* options,
                                                       bool& has_code) {
  std::vector<std::string> result(options, options + count);
  has_code = false;
  for (const std::string& option : result) {
    // The output is LTO-IR for a linker, so the kind of architecture does not matter.
    if (option == "-dlto" || option == "--dlto") return result;
  }
  for (std::size_t k = 0; k < result.size(); ++k) {
    std::string& option = result[k];
    const std::size_t equals = option.find('=');
    const bool is_joined =
        equals != std::string::npos && is_architecture_option(option.substr(0, equals));
    if (!is_joined && (k == 0 || !is_architecture_option(result[k - 1]))) continue;
    const std::size_t value = is_joined ? equals + 1 : 0;
    if (option.compare(value, 3, "sm_") != 0) continue;
    option.replace(value, 3, "compute_");
    has_code = true;
  }
  return result;
}

}  // namespace
}  // namespace skerry::emulation::linkers

// The functions below have C linkage and are defined outside the namespace.
using namespace skerry::emulation::linkers;  // NOLINT(*-using-namespace*)

// Each takes at most six integers or pointers, which are passed on in the same registers.
#define SKERRY_FORWARD(name)                                                                \
  SKERRY_LINKER_EXPORT long name(long a, long b, long c, long d, long e, long f) noexcept { \
    return forward(#name, a, b, c, d, e, f);                                                \
  }

SKERRY_FORWARD(nvrtcAddNameExpression)
SKERRY_FORWARD(nvrtcGetBundledHeadersInfo)
SKERRY_FORWARD(nvrtcGetLTOIR)
SKERRY_FORWARD(nvrtcGetLTOIRSize)
SKERRY_FORWARD(nvrtcGetLoweredName)
SKERRY_FORWARD(nvrtcGetNumSupportedArchs)
SKERRY_FORWARD(nvrtcGetOptiXIR)
SKERRY_FORWARD(nvrtcGetOptiXIRSize)
SKERRY_FORWARD(nvrtcGetPCHCreateStatus)
SKERRY_FORWARD(nvrtcGetPCHHeapSize)
SKERRY_FORWARD(nvrtcGetPCHHeapSizeRequired)
SKERRY_FORWARD(nvrtcGetProgramLog)
SKERRY_FORWARD(nvrtcGetProgramLogSize)
SKERRY_FORWARD(nvrtcGetSupportedArchs)
SKERRY_FORWARD(nvrtcGetTileIR)
SKERRY_FORWARD(nvrtcGetTileIRSize)
SKERRY_FORWARD(nvrtcInstallBundledHeaders)
SKERRY_FORWARD(nvrtcRemoveBundledHeaders)
SKERRY_FORWARD(nvrtcSetFlowCallback)
SKERRY_FORWARD(nvrtcSetPCHHeapSize)
SKERRY_FORWARD(nvrtcVersion)

SKERRY_LINKER_EXPORT const char* nvrtcGetErrorString(int result) noexcept {
  auto* const function = real<const char*(int)>("nvrtcGetErrorString");
  return function == nullptr ? "NVRTC_ERROR_INTERNAL_ERROR" : function(result);
}

SKERRY_LINKER_EXPORT int nvrtcCreateProgram(void** program, const char* source, const char* name,
                                            int headers, const char* const* header_texts,
                                            const char* const* header_names) noexcept {
  auto* const function =
      real<int(void**, const char*, const char*, int, const char* const*, const char* const*)>(
          "nvrtcCreateProgram");
  if (function == nullptr) return internal_error;
  const int result = function(program, source, name, headers, header_texts, header_names);
  if (result != 0 || source == nullptr) return result;
  const bool has_name = name != nullptr && *name != '\0';
  Programs::instance().add(*program, skerry::emulation::ptx::embedded_source(
                                         has_name ? name : "default_program", source));
  return result;
}

SKERRY_LINKER_EXPORT int nvrtcCompileProgram(void* program, int count,
                                             const char* const* options) noexcept {
  auto* const function = real<int(void*, int, const char* const*)>("nvrtcCompileProgram");
  if (function == nullptr) return internal_error;
  if (count < 0 || (count > 0 && options == nullptr)) return function(program, count, options);
  bool has_code = false;
  const std::vector<std::string> translated_options = virtual_options(count, options, has_code);
  std::vector<const char*> handed;
  handed.reserve(translated_options.size());
  for (const std::string& option : translated_options) handed.push_back(option.c_str());
  const int result = function(program, count, handed.data());
  const bool is_compiled = result == 0;
  Programs::instance().set(program, has_code && is_compiled,
                           is_compiled && has_line_information(real_ptx(program)));
  return result;
}

SKERRY_LINKER_EXPORT int nvrtcDestroyProgram(void** program) noexcept {
  auto* const function = real<int(void**)>("nvrtcDestroyProgram");
  if (function == nullptr) return internal_error;
  if (program != nullptr) Programs::instance().remove(*program);
  return function(program);
}

SKERRY_LINKER_EXPORT int nvrtcGetPTXSize(void* program, std::size_t* nbytes) noexcept {
  auto* const function = real<int(void*, std::size_t*)>("nvrtcGetPTXSize");
  if (function == nullptr) return internal_error;
  const int result = function(program, nbytes);
  if (result == 0) *nbytes += Programs::instance().find(program).suffix().size();
  return result;
}

SKERRY_LINKER_EXPORT int nvrtcGetPTX(void* program, char* ptx) noexcept {
  auto* const function = real<int(void*, char*)>("nvrtcGetPTX");
  if (function == nullptr) return internal_error;
  const int result = function(program, ptx);
  const ProgramState state = Programs::instance().find(program);
  if (result != 0 || state.suffix().empty()) return result;
  // The size includes the zero at the end.
  std::memcpy(ptx + std::strlen(ptx), state.suffix().data(), state.suffix().size() + 1);
  return result;
}

SKERRY_LINKER_EXPORT int nvrtcGetCUBINSize(void* program, std::size_t* nbytes) noexcept {
  if (!Programs::instance().find(program).has_code) {
    auto* const function = real<int(void*, std::size_t*)>("nvrtcGetCUBINSize");
    return function == nullptr ? internal_error : function(program, nbytes);
  }
  const int result = nvrtcGetPTXSize(program, nbytes);
  if (result == 0) *nbytes += image_mark.size();
  return result;
}

SKERRY_LINKER_EXPORT int nvrtcGetCUBIN(void* program, char* cubin) noexcept {
  if (!Programs::instance().find(program).has_code) {
    auto* const function = real<int(void*, char*)>("nvrtcGetCUBIN");
    return function == nullptr ? internal_error : function(program, cubin);
  }
  if (cubin == nullptr) return invalid_input;
  std::memcpy(cubin, image_mark.data(), image_mark.size());
  return nvrtcGetPTX(program, cubin + image_mark.size());
}
