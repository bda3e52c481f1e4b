// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "device/emulator/linkers/image_text.hpp"
#include "device/emulator/linkers/real_library.hpp"

// NVRTC's functions, forwarded to NVIDIA's library. Code for sm_80 is compiled for compute_80, and
// a program that requests machine code gets the PTX.

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

/// Programs compiled for a real architecture: only these have machine code.
class CompiledPrograms {
 public:
  void set(const void* program, bool has_code) {
    const std::lock_guard lock(mutex_);
    if (has_code) {
      with_code_.insert(program);
    } else {
      with_code_.erase(program);
    }
  }
  [[nodiscard]] bool has_code(const void* program) {
    const std::lock_guard lock(mutex_);
    return with_code_.contains(program);
  }
  [[nodiscard]] static CompiledPrograms& instance() {
    static auto* const one = new CompiledPrograms;  // outlives main, as programs may
    return *one;
  }

 private:
  std::mutex mutex_;
  std::unordered_set<const void*> with_code_;
};

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
SKERRY_FORWARD(nvrtcCreateProgram)
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
SKERRY_FORWARD(nvrtcGetPTX)
SKERRY_FORWARD(nvrtcGetPTXSize)
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
  CompiledPrograms::instance().set(program, has_code && result == 0);
  return result;
}

SKERRY_LINKER_EXPORT int nvrtcDestroyProgram(void** program) noexcept {
  auto* const function = real<int(void**)>("nvrtcDestroyProgram");
  if (function == nullptr) return internal_error;
  if (program != nullptr) CompiledPrograms::instance().set(*program, false);
  return function(program);
}

SKERRY_LINKER_EXPORT int nvrtcGetCUBINSize(void* program, std::size_t* nbytes) noexcept {
  const bool has_code = CompiledPrograms::instance().has_code(program);
  const char* const name = has_code ? "nvrtcGetPTXSize" : "nvrtcGetCUBINSize";
  auto* const function = real<int(void*, std::size_t*)>(name);
  if (function == nullptr) return internal_error;
  const int result = function(program, nbytes);
  if (result == 0 && has_code) *nbytes += image_mark.size();
  return result;
}

SKERRY_LINKER_EXPORT int nvrtcGetCUBIN(void* program, char* cubin) noexcept {
  const bool has_code = CompiledPrograms::instance().has_code(program);
  auto* const function = real<int(void*, char*)>(has_code ? "nvrtcGetPTX" : "nvrtcGetCUBIN");
  if (function == nullptr) return internal_error;
  if (!has_code) return function(program, cubin);
  if (cubin == nullptr) return invalid_input;
  std::memcpy(cubin, image_mark.data(), image_mark.size());
  return function(program, cubin + image_mark.size());
}
