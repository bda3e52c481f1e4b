// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>
#include <dlfcn.h>

#include <string>

#include "core/launch.hpp"

namespace skerry {
namespace native {

/// A library of the CUDA toolkit, opened on first use: nothing links to it, and where it is absent
/// only what needs it fails. Never closed.
class vendor_library {
 public:
  /// `soname` as "libcufft.so.12"; `folder` is the one of its package for CUDA 12, "cufft".
  vendor_library(const char* soname, const char* folder) {
    const std::string packages = site_packages();
    // By its bare name first: that is also how one is found that this process has loaded already.
    const std::string places[] = {"", packages + "/nvidia/cu" + major_version() + "/lib/",
                                  packages + "/nvidia/" + folder + "/lib/",
                                  "/usr/local/cuda/lib64/"};
    for (const std::string& place : places) {
      if (handle_ == nullptr) handle_ = dlopen((place + soname).c_str(), RTLD_NOW | RTLD_LOCAL);
    }
    explanation_ = std::string(soname) +
                   " can't be opened; install the CUDA toolkit's libraries, as by pip install "
                   "skerry[cuda" +
                   major_version() + "], or add their folder to LD_LIBRARY_PATH";
  }

  [[nodiscard]] bool is_open() const noexcept { return handle_ != nullptr; }
  /// What to tell the user where it is not.
  [[nodiscard]] const char* explanation() const noexcept { return explanation_.c_str(); }

  /// Sets a pointer to a function; false where the library has none of that name.
  template <class Function>
  bool find(Function*& function, const char* name) const {
    if (handle_ != nullptr) function = reinterpret_cast<Function*>(dlsym(handle_, name));
    return function != nullptr;
  }

 private:
  static std::string major_version() { return std::to_string(CUDART_VERSION / 1000); }

  /// The folder that holds the package that holds this module.
  static std::string site_packages() {
    Dl_info here{};
    if (dladdr(reinterpret_cast<void*>(&site_packages), &here) == 0) return ".";
    const std::string path = here.dli_fname;
    const std::size_t module = path.rfind('/');
    const std::size_t package = module == std::string::npos ? module : path.rfind('/', module - 1);
    return package == std::string::npos ? "." : path.substr(0, package);
  }

  void* handle_ = nullptr;
  std::string explanation_;
};

/// Ends a native kernel with words of its own. `explanation` stays valid until the next on this
/// thread.
inline int explained(launch_context* context, cudaError_t status, const char* explanation) {
  (void)cudaGetLastError();
  context->explanation = explanation;
  return static_cast<int>(status);
}

}  // namespace native
}  // namespace skerry
