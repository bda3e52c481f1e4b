// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>
#include <dlfcn.h>

#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

// Opens NVIDIA's libraries at first use. The module does not link to them, so that everything else
// works where they are not installed.

#define SKERRY_TEXT_OF(x) #x
#define SKERRY_TEXT(x) SKERRY_TEXT_OF(x)

namespace skerry::native {

/// An open library, or the reason why it could not be opened. Never closed.
class SharedLibrary {
 public:
  /// Opens a library, e.g. "libcublas.so.13" as `versioned`, "libcublas.so" as `unversioned_name`.
  SharedLibrary(const char* versioned, const char* unversioned_name) {
    // The name without a folder first: it also finds a library that the process has loaded.
    for (const std::string& folder : folders(unversioned_name)) {
      handle_ = dlopen((folder + versioned).c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_ == nullptr && error_message_.empty()) record_error();
      if (handle_ != nullptr) break;
    }
    if (handle_ != nullptr) error_message_.clear();  // of earlier folders
  }

  /// Sets `function` by name; records the first one that is missing, unless it is `optional`.
  template <class F>
  void find(const char* name, F& function, bool optional = false) {
    if (handle_ == nullptr) return;
    function = reinterpret_cast<F>(dlsym(handle_, name));
    if (function == nullptr && !optional && error_message_.empty()) {
      error_message_ = std::string("it lacks the function ") + name;
      is_incomplete_ = true;
    }
  }

  /// Returns why the library can't be used, or null if it can.
  [[nodiscard]] const char* error_message() const {
    return handle_ != nullptr && !is_incomplete_ ? nullptr : error_message_.c_str();
  }

 private:
  /// Returns the folders to search: the loader's path (""), pip packages next to this one (one
  /// folder for all of CUDA 13, one per library before), the toolkit.
  static std::vector<std::string> folders(const std::string& unversioned_name) {
    const std::string major = std::to_string(CUDART_VERSION / 1000);
    const std::string name =
        unversioned_name.substr(3, unversioned_name.find('.') - 3);  // "cublas" of "libcublas.so"
    const char* cuda_folder = std::getenv("CUDA_HOME");
    std::vector<std::string> all{""};
    if (const std::string packages = site_packages(); !packages.empty()) {
      all.push_back(packages + "/nvidia/cu" + major + "/lib/");
      all.push_back(packages + "/nvidia/" + name + "/lib/");
    }
    all.push_back(std::string(cuda_folder != nullptr ? cuda_folder : "/usr/local/cuda") +
                  "/lib64/");
    return all;
  }

  /// Returns the folder that contains the package of this module.
  static std::string site_packages() {
    Dl_info here{};
    if (dladdr(reinterpret_cast<void*>(&site_packages), &here) == 0) return "";
    const std::string path = here.dli_fname;
    const std::size_t module = path.rfind('/');
    const std::size_t package = module == std::string::npos ? module : path.rfind('/', module - 1);
    return package == std::string::npos ? "" : path.substr(0, package);
  }

  void record_error() {
    const char* text = dlerror();
    error_message_ = text != nullptr ? text : "unknown reason";
  }

  void* handle_ = nullptr;
  bool is_incomplete_ = false;
  std::string error_message_;
};

/// The handles of a library, one per device. Hold the lock while using one: a handle has one stream
/// at a time.
template <class Handle>
class Handles {
 public:
  /// Returns the handle of the current device, or null if `create` fails.
  template <class Create>
  Handle of_current_device(Create&& create) {
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess || device >= max_devices) return nullptr;
    if (handles_[device] == nullptr && !create(&handles_[device])) handles_[device] = nullptr;
    return handles_[device];
  }
  std::mutex& lock() { return lock_; }

 private:
  static constexpr int max_devices = 64;
  std::mutex lock_;
  Handle handles_[max_devices] = {};
};

}  // namespace skerry::native
