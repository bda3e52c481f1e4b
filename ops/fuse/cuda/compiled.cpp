// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Compiles the kernels of passes by NVRTC, with the same headers as the module.

#include <cuda.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iterator>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>

#include "device/cuda/module.hpp"
#include "device/cuda/native/driver_function.hpp"
#include "device/environment.hpp"
#include "ops/fuse/cuda/image_cache.hpp"
#include "ops/fuse/kernels.hpp"
#include "ops/kernel/cuda/library.cuh"

namespace skerry::native {

/// Generated: the `functions` headers of all families and everything they include, as one text.
extern const char* const fused_headers;

namespace {

using program = void*;

// Declarations of nvrtc.h, which some toolkits from pip lack.
#define SKERRY_FOR_EACH_NVRTC_CALL(X)                                           \
  X(Version, int*, int*)                                                        \
  X(CreateProgram, program*, const char*, const char*, int, const char* const*, \
    const char* const*)                                                         \
  X(DestroyProgram, program*)                                                   \
  X(CompileProgram, program, int, const char* const*)                           \
  X(GetProgramLogSize, program, std::size_t*)                                   \
  X(GetProgramLog, program, char*)                                              \
  X(GetPTXSize, program, std::size_t*)                                          \
  X(GetPTX, program, char*)                                                     \
  X(GetCUBINSize, program, std::size_t*)                                        \
  X(GetCUBIN, program, char*)

struct Nvrtc {
#define SKERRY_CALL(name, ...) int (*name)(__VA_ARGS__) = nullptr;
  SKERRY_FOR_EACH_NVRTC_CALL(SKERRY_CALL)
#undef SKERRY_CALL
  SharedLibrary library;
  int major = 0;  ///< of NVRTC's version; 0 if unknown
  int minor = 0;

  static std::string name() {
    if (const char* const selected = environment_text("SKERRY_NVRTC")) return selected;
    return "libnvrtc.so." + std::to_string(CUDART_VERSION / 1000);
  }
  Nvrtc() : library(name().c_str(), "libnvrtc.so") {
#define SKERRY_FIND(name, ...) library.find("nvrtc" #name, name);
    SKERRY_FOR_EACH_NVRTC_CALL(SKERRY_FIND)
#undef SKERRY_FIND
    if (library.error_message() != nullptr) return;
    if (Version(&major, &minor) != 0) major = 0;
    // NVRTC opens its builtins library by soname, which finds it if it is already loaded.
    Dl_info here{};
    if (dladdr(reinterpret_cast<void*>(Version), &here) == 0) return;
    std::string path = here.dli_fname;
    path.resize(path.rfind('/') + 1);
    path += "libnvrtc-builtins.so." + std::to_string(major) + "." + std::to_string(minor);
    static_cast<void>(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL));
  }
};

/// Thrown if no kernel can be made.
using compile_error = std::runtime_error;

/// Never destroyed, as a thread may compile while the process exits.
const Nvrtc& opened() {
  static const auto* const one = new Nvrtc;
  const char* error_message = one->library.error_message();
  if (error_message == nullptr && one->major == 0) error_message = "it does not report its version";
  if (error_message != nullptr) {
    throw compile_error(std::string("NVRTC can't be used: ") + error_message +
                        "; install it: pip install nvidia-cuda-nvrtc");
  }
  return *one;
}

/// True if the module has native code. A module of PTX only is built for devices that execute only
/// PTX.
bool has_native_code() {
  std::string_view rest = skerry_cuda_module(cuda::module_abi_version)->architectures;
  constexpr std::string_view is_virtual = "-virtual";
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(','));
    if (!one.ends_with(is_virtual)) return true;
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
  }
  return false;
}

std::string compile(const Nvrtc& nvrtc, const char* text, const std::string& architecture) {
  const char* const header_name = "skerry.hpp";
  program nvrtc_program = nullptr;
  if (nvrtc.CreateProgram(&nvrtc_program, text, "fused.cu", 1, &fused_headers, &header_name) != 0) {
    throw compile_error("NVRTC can't create a program");
  }
  const std::string target = "--gpu-architecture=" + architecture;
  // As for the module's own kernels.
  const char* const options[] = {target.c_str(), "--std=c++20", "--fmad=false",
                                 "-DSKERRY_TARGET=cuda"};
  const int code =
      nvrtc.CompileProgram(nvrtc_program, static_cast<int>(std::size(options)), options);
  std::string result;
  std::size_t nbytes = 0;
  const auto take = [&](auto size, auto get) {
    if (size(nvrtc_program, &nbytes) != 0) return;
    result.resize(nbytes);
    if (get(nvrtc_program, result.data()) != 0) result.clear();
  };
  if (code != 0) {
    take(nvrtc.GetProgramLogSize, nvrtc.GetProgramLog);
  } else if (architecture.starts_with("sm_")) {
    take(nvrtc.GetCUBINSize, nvrtc.GetCUBIN);
  } else {
    take(nvrtc.GetPTXSize, nvrtc.GetPTX);
  }
  nvrtc.DestroyProgram(&nvrtc_program);
  if (code != 0 || result.empty()) {
    throw compile_error("NVRTC can't compile a kernel for " + architecture + " (" +
                        std::to_string(code) + "): " + result.substr(0, 1500));
  }
  return result;
}

void* load(const std::string& image) {
  static auto* const load_library =
      cuda::driver_function<decltype(cuLibraryLoadData)>("cuLibraryLoadData");
  static auto* const get_kernel =
      cuda::driver_function<decltype(cuLibraryGetKernel)>("cuLibraryGetKernel");
  if (load_library == nullptr || get_kernel == nullptr) {
    throw compile_error("the driver is older than CUDA 12 and lacks cuLibraryLoadData");
  }
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  CUresult code = load_library(&library, image.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (code == CUDA_SUCCESS) code = get_kernel(&kernel, library, "fused_pass");
  if (code != CUDA_SUCCESS) {
    throw compile_error("the driver can't load a compiled kernel (" + std::to_string(code) + ")");
  }
  return kernel;
}

/// Returns the kernel for the current device: from this process, from disk, or newly compiled.
void* make_kernel(const char* text) {
  static std::mutex mutex;
  static auto* const cached_kernels = new std::unordered_map<std::string, void*>;
  const Nvrtc& nvrtc = opened();
  int ordinal = 0;
  int high = 0;
  int low = 0;
  if (cudaGetDevice(&ordinal) != cudaSuccess ||
      cudaDeviceGetAttribute(&high, cudaDevAttrComputeCapabilityMajor, ordinal) != cudaSuccess ||
      cudaDeviceGetAttribute(&low, cudaDevAttrComputeCapabilityMinor, ordinal) != cudaSuccess) {
    throw compile_error("can't query the device's compute capability");
  }
  static const bool is_binary = has_native_code();
  static const unsigned long headers = hash_of(fused_headers, 0);
  const std::string architecture =
      (is_binary ? "sm_" : "compute_") + std::to_string(high * 10 + low);
  const std::string key = "NVRTC " + std::to_string(nvrtc.major) + "." +
                          std::to_string(nvrtc.minor) + " " + architecture + " " +
                          std::to_string(headers) + "\n" + text;
  const std::lock_guard lock(mutex);
  if (const auto entry = cached_kernels->find(key); entry != cached_kernels->end())
    return entry->second;
  if (const std::string image = read_image(key); !image.empty()) {
    try {
      return (*cached_kernels)[key] = load(image);
    } catch (const compile_error&) {  // written for another driver
    }
  }
  const std::string image = compile(nvrtc, text, architecture);
  void* const kernel = load(image);
  write_image(key, image);
  return (*cached_kernels)[key] = kernel;
}

int run_compiled(const CompiledCall& call, LaunchContext* context) {
  const auto reject = [&](const char* why) {
    std::snprintf(call.error_message, CompiledCall::error_message_bytes, "%s", why);
    static_cast<void>(cudaGetLastError());
    return static_cast<int>(cudaSuccess);
  };
  static auto* const launch = cuda::driver_function<decltype(cuLaunchKernel)>("cuLaunchKernel");
  try {
    if (*call.function == nullptr) *call.function = make_kernel(call.text);
  } catch (const std::exception& error) {
    return reject(error.what());
  }
  void* arguments[] = {const_cast<void*>(call.arguments)};
  const auto function = reinterpret_cast<CUfunction>(call.function->load());
  const auto run = [&] {
    return launch(function, call.blocks, 1, 1, call.threads, 1, 1, 0,
                  static_cast<CUstream>(context->stream), arguments, nullptr);
  };
  CUresult code = run();
  if (code == CUDA_ERROR_INVALID_CONTEXT) {  // a new thread has none until the runtime binds it
    int ordinal = 0;
    if (cudaGetDevice(&ordinal) == cudaSuccess && cudaSetDevice(ordinal) == cudaSuccess) {
      code = run();
    }
  }
  if (code == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES || code == CUDA_ERROR_INVALID_IMAGE) {
    return reject("a compiled kernel needs more resources than the device has");
  }
  // CUresult and cudaError_t use the same numbers for the same errors.
  return code;
}

}  // namespace

void fill_compiled(FuseKernels& table) { table.compiled.set_native<run_compiled>(); }

}  // namespace skerry::native
